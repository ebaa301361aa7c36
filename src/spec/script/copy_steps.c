/* spec: makes the steps of copies: the bytes that a copy accesses, and the barrier at which it completes. */
#include "script/script.h"

#include <inttypes.h>
#include <string.h>

#include "map/coordinate.h"
#include "text/nearest.h"

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static void refuse_axis(tmap_script *s, const tmap_tensor_entry *tensor, const tmap_node *name) {
    const char *const *axes = tensor->info.axes;
    const char *nearest = name->kind == TMAP_NODE_SCALAR ? tmap_nearest(name->text, axes, (size_t)tensor->rank) : NULL;
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag =
        tmap_report_add(s->report, "name-unknown", name->mark, "at has no axis %s", tmap_node_describe(name, given));
    tmap_say_list(diag->allowed, sizeof diag->allowed, axes, (size_t)tensor->rank, (size_t)tensor->rank);
    TMAP_SAY(diag->fix.words, "%s", nearest ? nearest : "one of these, or change the tensor's axes");
}

static void read_place(tmap_script *s, tmap_script_step *step, const tmap_tensor_entry *tensor,
                       tmap_copy_params *params) {
    const tmap_node *at = tmap_reading_value(&step->r, TMAP_KEY_STEP_AT);
    if (!at) return;
    int n = 0, rank = tensor->rank;
    bool map = at->kind == TMAP_NODE_MAP;
    if (!map && at->kind != TMAP_NODE_LIST) {
        tmap_diag *diag = tmap_refuse_kind(&step->r, TMAP_KEY_STEP_AT, at, "a list, or a mapping from axes to numbers");
        TMAP_SAY(diag->fix.words, "a list of %d coordinate%s, or a mapping from the axes that change", rank,
                 TMAP_PLURAL(rank));
        return;
    }
    if (!map && (int)tmap_node_entries(at) != rank) {
        tmap_diag *diag = tmap_report_add(s->report, "value-count", at->mark, "at has %u entr%s", tmap_node_entries(at),
                                          tmap_node_entries(at) == 1 ? "y" : "ies");
        TMAP_SAY(diag->allowed, "%d, one for each dimension of the tensor", rank);
        TMAP_SAY(diag->fix.words, "all coordinates, or a mapping from the axes that change");
        return;
    }
    for (const tmap_node *item = tmap_node_first(at); item && n < TMAP_RANK_MAX;
         item = map ? item->next->next : item->next, n++) {
        int dim = tensor->info.outer_first ? rank - 1 - n : n;
        const tmap_node *value = map ? item->next : item;
        if (map)
            for (dim = 0; dim < rank && !tmap_node_is(item, tensor->info.axes[dim]);) dim++;
        if (dim >= rank) {
            refuse_axis(s, tensor, item);
            return;
        }
        int64_t coordinate;
        if (tmap_script_number(s, value, "at", &coordinate)) params->at[dim] = coordinate;
    }
}

/* Reads the column and the four rows of gather4 and scatter4. */
static void read_rows(tmap_script *s, tmap_script_step *step, tmap_copy_params *params) {
    const tmap_node *rows = tmap_reading_value(&step->r, TMAP_KEY_STEP_ROWS),
                    *column = tmap_reading_value(&step->r, TMAP_KEY_STEP_COLUMN);
    if (column) tmap_script_number(s, column, "column", &params->column);
    if (!rows) return;
    int n = 0;
    const tmap_node *row = rows->kind == TMAP_NODE_LIST ? tmap_node_first(rows) : NULL;
    for (; row && n < 4; row = row->next) tmap_script_number(s, row, "rows", &params->rows[n++]);
    if (n < 4 || row) tmap_refuse_kind(&step->r, TMAP_KEY_STEP_ROWS, rows, "a list of four rows");
}

/* The barrier at which a load completes, from the step or from the copy. Reports a missing barrier and returns -1. */
static int barrier_of(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, int block) {
    const tmap_node *own = tmap_reading_value(&step->r, TMAP_KEY_STEP_BARRIER);
    const tmap_node *node = own ? own : tmap_given_value(&entry->given, TMAP_KEY_COPY_BARRIER);
    const tmap_shared_buffer *barrier = node ? tmap_read_buffer_name(s->spec, s->report, node, true, NULL) : NULL;
    if (!node)
        TMAP_SAY(tmap_report_add(s->report, "key-missing", step->r.mark, "a load completes at a barrier")->fix.words,
                 "add barrier: NAME to the step or to the copy");
    if (!barrier) return -1;
    return tmap_script_buffer(s, (tmap_script_stage){barrier, tmap_script_stage_of(s, step, barrier), block}, 0, 1);
}

/* Adds the step of a copy, without its regions and its barrier. */
static tmap_step *add_operation(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry,
                                const tmap_copy *copy) {
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_ASYNC, "copy", entry->info.name);
    tmap_copy *kept = made ? tmap_arena_take(&s->arena, sizeof *copy) : NULL;
    if (!kept) {
        s->full = true;
        s->steps_n -= made != NULL;
        return NULL;
    }
    *kept = *copy;
    s->copies[s->steps_n - 1] = kept;
    s->tensors[s->steps_n - 1] = entry->info.tensor;
    made->atomic = copy->op->reduces;
    return made;
}

/* Adds a copy into the shared memory of one thread block, or out of it. `block` is the thread block of the copy's
 * destination, `signals` that of the barrier. */
static void add_copy(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, const tmap_copy *copy,
                     int block, int signals) {
    bool remote = tmap_copy_is_remote(copy), loads = copy->op->to_shared, moves = tmap_op_moves(copy->op);
    bool at_barrier = !tmap_refuse_barrier(&step->r, TMAP_KEY_STEP_BARRIER, &copy->params);
    int barrier = at_barrier ? barrier_of(s, step, entry, signals) : 0;
    bool has_map = copy->map.params.mode != TMAP_MODE_LINEAR;
    int map = has_map ? tmap_script_map(s, entry->info.tensor) : 0;
    int shared = moves ? tmap_script_shared(s, copy, loads ? block : s->threads[s->thread].block) : 0;
    int other = moves ? tmap_script_global(s, (size_t)(entry - s->spec->copies), copy, remote ? block : -1) : 0;
    tmap_step *made = barrier < 0 || map < 0 || shared < 0 || other < 0 ? NULL : add_operation(s, step, entry, copy);
    if (!made) return;
    made->barrier = at_barrier ? barrier : -1;
    made->map = has_map ? map : -1;
    made->completes = at_barrier ? TMAP_COMPLETES_TX : TMAP_COMPLETES_BULK;
    made->tx_B = at_barrier ? copy->payload_B : 0;
    made->reads[0] = loads ? other : shared;
    made->writes[0] = loads ? shared : other;
    made->reads_n = made->writes_n = moves;
}

/* ---- Thread blocks -------------------------------------------------------------------------------------------- */

static bool refuse_block(tmap_script *s, tmap_script_step *step, const char *problem, const char *fix) {
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_BLOCK);
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", node->mark, "%s", problem)->fix.words, "%s", fix);
    return false;
}

/* Whether the copy may access the thread block that its step names. */
static bool judge_block(tmap_script *s, tmap_script_step *step, const tmap_copy *copy, int named) {
    int own = s->threads[s->thread].block;
    bool pair = copy->params.cta_group == 2, signals = copy->op->to_shared || tmap_copy_is_remote(copy);
    if (named == own) return true;
    if (!signals || copy->params.dst != TMAP_DST_CLUSTER)
        return refuse_block(s, step, "the copy accesses only its own thread block", "for the copy: dst: cluster");
    if (pair && !copy->params.cta_mask && named / 2 != own / 2)
        return refuse_block(s, step, "the barrier is not in the pair of thread blocks of the copy",
                            "block: the rank of this thread block, or of the other block of its pair");
    if (!pair && copy->params.cta_mask)
        return refuse_block(s, step, "a multicast signals the barrier of each thread block of its mask",
                            "leave 'block' out, or cta_group: 2 for the copy");
    return true;
}

/* The thread blocks that a copy reaches, as bits: those of its mask, the block that its step names, or its own. */
static uint64_t blocks_of(tmap_script *s, tmap_script_step *step, const tmap_copy_params *params, int named) {
    uint64_t mask = params->cta_mask, cluster = (1ULL << s->blocks_n) - 1;
    if (mask == 0) return 1ULL << (params->cta_group == 2 ? s->threads[s->thread].block : named);
    if ((mask & ~cluster) == 0) return mask;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", step->r.self->mark,
                                      "cta_mask of the copy names thread blocks that the cluster does not have");
    TMAP_SAY(diag->given, "0x%" PRIx64, mask);
    TMAP_SAY(diag->allowed, "bits of 0x%" PRIx64 ": the cluster has %d thread blocks with threads", cluster,
             s->blocks_n);
    return 0;
}

/* The thread block whose barrier counts the bytes that arrive in `block`. Source: PTX ISA, cp.async.bulk.tensor: with
 * .cta_group::2 the signal goes to the block of the pair that has the parity of the barrier's block. */
static int signaled_block(tmap_script *s, tmap_script_step *step, const tmap_copy_params *params, int block,
                          int named) {
    int signaled = params->cta_group == 2 ? (block & ~1) | (named & 1) : block;
    if (signaled < s->blocks_n) return signaled;
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", step->r.self->mark, "block %d has no other block in its pair",
                             block)
                 ->fix.words,
             "threads in both blocks of the pair");
    return -1;
}

/* A store to another thread block writes at the address of the tensor, so the tensor must have an address. */
static bool judge_address(tmap_script *s, tmap_script_step *step, const tmap_copy *copy) {
    if (!tmap_copy_is_remote(copy) || copy->map.params.has_address) return true;
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", step->r.self->mark,
                             "the tensor is shared memory of a thread block, and its address is not known")
                 ->fix.words,
             "for the tensor: 'address', the shared address to which the copy writes");
    return false;
}

static void add_copies(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, const tmap_copy *copy) {
    int named = tmap_script_block(s, step);
    bool good = judge_address(s, step, copy) && judge_block(s, step, copy, named);
    uint64_t blocks = good ? blocks_of(s, step, &copy->params, named) : 0;
    for (int block = 0; block < s->blocks_n; block++) {
        int signals = blocks >> block & 1 ? signaled_block(s, step, &copy->params, block, named) : -1;
        if (signals >= 0) add_copy(s, step, entry, copy, block, signals);
    }
}

/* Whether the box of the copy, from `offset_B` in its stage on, ends in the stage. The section `shared` judges copies
 * without an offset. */
static bool judge_reach(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer, const tmap_copy *copy,
                        uint64_t offset_B) {
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_OFFSET);
    bool fits = copy->footprint_B <= buffer->size_B && offset_B <= buffer->size_B - copy->footprint_B;
    if (!node || fits || !tmap_op_moves(copy->op)) return true;
    tmap_diag *diag = tmap_report_add(s->report, "buffer-size", node->mark,
                                      "the box of the copy ends after its stage of buffer %s", buffer->name);
    TMAP_SAY(diag->given, "offset %" PRIu64 " and %" PRIu32 " B in %" PRIu64 " B", offset_B, copy->footprint_B,
             buffer->size_B);
    TMAP_SAY(diag->fix.words, "a smaller offset or box, or a larger 'size' of the buffer");
    return false;
}

/* ---- One copy ------------------------------------------------------------------------------------------------- */

/* A step has no keys `size` and `shared`, which fixes of linear-range change, so the step needs another copy. The `at`
 * of a step replaces the `at` of its copy, and the new `shared` contains the step's `offset`. */
static void say_step_fix(tmap_diag *diag, const tmap_diag *found, bool buffer, bool offset) {
    bool at = tmap_fix_changes(&found->fix, TMAP_FIELD_AT), shared = tmap_fix_changes(&found->fix, TMAP_FIELD_SHARED);
    char fix[TMAP_FIX_TEXT_MAX];
    TMAP_SAY(diag->fix.words, "another copy%s%s: %s", shared && buffer ? " without 'buffer' and 'stage'" : "",
             !at                ? ""
             : shared && offset ? ", and no 'at' or 'offset' in the step"
                                : ", and no 'at' in the step",
             tmap_fix_text(found, fix, sizeof fix));
}

/* States the thread block and the round of a step, if the step has several. */
static void say_which(tmap_script *s, tmap_diag *diag) {
    char name[32] = "step";
    if (s->blocks_n > 1) TMAP_SAY(name, "step of block %d", s->threads[s->thread].block);
    const char *which = tmap_script_text(s, "this", name);
    if (which && strcmp(which, "this step") != 0) TMAP_SAY(diag->given, "%s", which);
}

#define NAMES_MOST 64

static void refuse_copy(tmap_script *s, const tmap_node *node) {
    const char *names[NAMES_MOST], *other = tmap_kind_of_name(s->spec, node);
    size_t n = s->spec->copies_n < NAMES_MOST ? s->spec->copies_n : NAMES_MOST;
    for (size_t i = 0; i < n; i++) names[i] = s->spec->copies[i].info.name;
    const char *nearest = node->kind == TMAP_NODE_SCALAR ? tmap_nearest(node->text, names, n) : NULL;
    char given[TMAP_QUOTED_MAX];
    tmap_node_describe(node, given);
    tmap_diag *diag =
        other ? tmap_report_add(s->report, "name-unknown", node->mark, "%s is a %s, not a copy", given, other)
              : tmap_report_add(s->report, "name-unknown", node->mark, "no copy is named %s", given);
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, n, s->spec->copies_n);
    TMAP_SAY(diag->fix.words, "%s", nearest ? nearest : n > 0 ? "one of these" : "add the copy under 'copies'");
}

void tmap_script_copy(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    size_t index = value->kind == TMAP_NODE_SCALAR ? tmap_spec_copy_find(s->spec, value->text) : SIZE_MAX;
    if (index != SIZE_MAX && !s->spec->copies[index].info.readable) {
        s->report->errors++; /* the copy's error is already reported; this only stops the check of the sequence */
        return;
    }
    if (index == SIZE_MAX) {
        refuse_copy(s, value);
        return;
    }
    const tmap_copy_entry *entry = &s->spec->copies[index];
    s->needs |= tmap_spec_copy_sizes(s->spec, index);
    const tmap_tensor_entry *tensor = &s->spec->tensors[entry->info.tensor];
    tmap_copy_params params = entry->params;
    read_place(s, step, tensor, &params);
    read_rows(s, step, &params);
    const tmap_node *name = tmap_given_value(&entry->given, TMAP_KEY_COPY_BUFFER);
    const tmap_shared_buffer *buffer = name ? tmap_spec_buffer_find(s->spec, name->text) : NULL;
    if (buffer && tmap_reading_value(&step->r, TMAP_KEY_STEP_STAGE))
        params.shared = tmap_buffer_address(buffer, tmap_script_stage_of(s, step, buffer));
    uint64_t offset_B = (uint64_t)tmap_script_number_of(s, step, TMAP_KEY_STEP_OFFSET, 0);
    params.shared += offset_B;
    if (s->report->errors > s->errors) return;
    tmap_map map;
    tmap_copy copy;
    tmap_diags found = {.allocator = s->spec->allocator};
    tmap_status status = tmap_map_init(&map, &tensor->params, s->judge, NULL);
    if (status == TMAP_OK) status = tmap_copy_init(&copy, &map, &params, s->judge, &found);
    if (status == TMAP_OK && (!buffer || judge_reach(s, step, buffer, &copy, offset_B)))
        add_copies(s, step, entry, &copy);
    for (size_t i = 0; status != TMAP_OK && i < found.count; i++) {
        tmap_diag *diag =
            tmap_report_add(s->report, found.items[i].rule, step->r.self->mark, "%s", found.items[i].message);
        say_which(s, diag);
        if (tmap_diag_is(diag, "linear-range") && tmap_fix_changes(&found.items[i].fix, TMAP_FIELD_SIZE))
            say_step_fix(diag, &found.items[i], buffer != NULL, offset_B > 0);
        else
            diag->fix = found.items[i].fix;
    }
    tmap_diags_free(&found);
}
