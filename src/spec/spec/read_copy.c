/* spec: reads a copy's mapping into copy parameters. */

#include "spec/read.h"
#include "spec/shared_window.h"

#include "text/nearest.h"
#include "tmap/unstable/tables.h"

static size_t tensors_near(const tmap_spec *spec, const char **names, size_t most) {
    size_t count = 0;
    while (count < most && count < spec->tensors_n) {
        names[count] = spec->tensors[count].info.name;
        count++;
    }
    return count;
}

/* With more names, a file with many mistakes would take too long to check. */
#define NAMES_MOST 1024

static void refuse_tensor(tmap_spec_reading *r, const tmap_node *node) {
    const char *names[NAMES_MOST];
    size_t count = tmap_report_full(r->report) ? 0 : tensors_near(r->spec, names, NAMES_MOST);
    const char *nearest = tmap_nearest(node->text, names, count), *other = tmap_kind_of_name(r->spec, node);
    char name[TMAP_QUOTED_MAX], kind[32] = "";
    tmap_quoted(name, node->text, node->size);
    if (other) TMAP_SAY(kind, " is a %s, not a tensor", other);
    tmap_diag *diag = tmap_report_of_key(
        r, TMAP_KEY_COPY_TENSOR, "name-unknown", node->mark, "%s%s%s%s%s%s", other ? "" : "no tensor is named ", name,
        kind, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    if (count > 0) tmap_say_list(diag->allowed, sizeof diag->allowed, names, count, r->spec->tensors_n);
    TMAP_SAY(diag->fix.words, "%s%s", nearest ? nearest : "use a tensor of the file",
             nearest || other ? "" : ", or add this tensor under 'tensors'");
}

/* The copy's tensor; NULL if the copy names no existing tensor. */
static const tmap_tensor_entry *read_tensor_name(tmap_spec_reading *r, tmap_copy_entry *entry) {
    entry->info.tensor = SIZE_MAX;
    const tmap_node *node = tmap_require(r, TMAP_KEY_COPY_TENSOR);
    if (!node) return NULL;
    if (node->kind != TMAP_NODE_SCALAR) {
        tmap_refuse_kind(r, TMAP_KEY_COPY_TENSOR, node, "the name of a tensor");
        return NULL;
    }
    entry->info.tensor = tmap_spec_tensor_find(r->spec, node->text);
    if (entry->info.tensor == SIZE_MAX) refuse_tensor(r, node);
    return entry->info.tensor == SIZE_MAX ? NULL : &r->spec->tensors[entry->info.tensor];
}

static void read_origin(tmap_spec_reading *r, tmap_copy_params *params) {
    tmap_require(r, TMAP_KEY_COPY_AT);
    int count = tmap_read_list(r, TMAP_KEY_COPY_AT, (tmap_numbers_wanted){.count = -1, .axes = true}, NULL, params);
    params->at_n = count < 0 ? 0 : count;
}

static void read_rows(tmap_spec_reading *r, tmap_copy_params *params) {
    tmap_require(r, TMAP_KEY_COPY_COLUMN);
    tmap_read_field(r, TMAP_KEY_COPY_COLUMN, NULL, params);
    tmap_require(r, TMAP_KEY_COPY_ROWS);
    tmap_read_list(r, TMAP_KEY_COPY_ROWS, (tmap_numbers_wanted){.count = 4}, NULL, params);
}

/* An operation on the map itself has no coordinates and no box. */
static void refuse_place(tmap_spec_reading *r, const char *why) {
    static const tmap_key others[] = {TMAP_KEY_COPY_LOAD_MODE, TMAP_KEY_COPY_DIM, TMAP_KEY_COPY_AT,
                                      TMAP_KEY_COPY_COLUMN, TMAP_KEY_COPY_ROWS};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) tmap_refuse_key(r, others[i], why);
}

/* Reads the keys that only a replacement accepts. */
static void read_replacement(tmap_spec_reading *r, tmap_copy_params *params) {
    refuse_place(r, "is not a key of op replace, whose keys are 'field', 'ordinal' and 'value'");
    bool known = tmap_require(r, TMAP_KEY_COPY_FIELD) && tmap_read_field(r, TMAP_KEY_COPY_FIELD, NULL, params);
    tmap_require(r, TMAP_KEY_COPY_VALUE);
    if (!known) return;
    if (tmap_replaceable_get((int)params->field)->ordinals_n == 0)
        tmap_refuse_key(r, TMAP_KEY_COPY_ORDINAL, "is not a key of this field, which is a single number");
    else
        tmap_require(r, TMAP_KEY_COPY_ORDINAL);
    tmap_read_field(r, TMAP_KEY_COPY_ORDINAL, NULL, params);
    const tmap_words *words = tmap_words_of_replaceable(params->field);
    if (!words)
        tmap_read_field(r, TMAP_KEY_COPY_VALUE, NULL, params);
    else
        params->value = (uint64_t)tmap_read_choice(r, TMAP_KEY_COPY_VALUE, words, 0);
}

static void refuse_replacement(tmap_spec_reading *r) {
    static const tmap_key own[] = {TMAP_KEY_COPY_FIELD, TMAP_KEY_COPY_ORDINAL, TMAP_KEY_COPY_VALUE};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) tmap_refuse_key(r, own[i], "is a key of op replace only");
}

/* Reads the parts of the instruction that the map does not determine. */
static void read_instruction(tmap_spec_reading *r, tmap_copy_params *params) {
    params->has_load_mode = tmap_read_field(r, TMAP_KEY_COPY_LOAD_MODE, NULL, params);
    tmap_read_field(r, TMAP_KEY_COPY_DIM, NULL, params);
}

/* ptxas assembles a reduction of four rows as a plain store. */
static bool refuse_reduced_rows(tmap_spec_reading *r, tmap_op op) {
    const tmap_node *rows = tmap_given_key(r->given, TMAP_KEY_COPY_ROWS);
    if (!rows || !tmap_op_get((int)op)->reduces) return false;
    tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_COPY_ROWS, "reduce-scatter4", rows->mark,
                                         "no instruction executes %s of four rows: ptxas generates a plain store",
                                         tmap_op_get((int)op)->name);
    TMAP_SAY(diag->given, "%s with rows", tmap_op_get((int)op)->name);
    TMAP_SAY(diag->allowed, "scatter4 with rows, or %s with at", tmap_op_get((int)op)->name);
    TMAP_SAY(diag->fix.words, "four copies of %s, each with at and a box of one row", tmap_op_get((int)op)->name);
    return true;
}

/* The coordinates of the operation of one box with the operation of four rows, or the other way round: the operation is
 * the mistake, and the fix is the other of its pair. */
static bool refuse_other_coordinates(tmap_spec_reading *r, tmap_op op) {
    static const tmap_op pairs[][2] = {{TMAP_OP_LOAD, TMAP_OP_GATHER4},
                                       {TMAP_OP_STORE, TMAP_OP_SCATTER4},
                                       {TMAP_OP_PREFETCH, TMAP_OP_PREFETCH_GATHER4},
                                       {TMAP_OP_APPLY_PRIORITY, TMAP_OP_APPLY_PRIORITY_GATHER4}};
    static const char *const keys[] = {"'at'", "'column' and 'rows'"};
    bool at = tmap_given_key(r->given, TMAP_KEY_COPY_AT), rows = tmap_given_key(r->given, TMAP_KEY_COPY_ROWS),
         column = tmap_given_key(r->given, TMAP_KEY_COPY_COLUMN), four = tmap_op_get((int)op)->four_rows;
    if (four ? !at || rows || column : at || !rows || !column) return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i][four] != op) continue;
        tmap_diag *diag =
            tmap_report_of_key(r, TMAP_KEY_COPY_OP, "key-conflict", tmap_reading_value(r, TMAP_KEY_COPY_OP)->mark,
                               "op is %s, which has %s, not %s", tmap_op_get((int)op)->name, keys[four], keys[!four]);
        TMAP_SAY(diag->fix.words, "op: %s", tmap_op_get((int)pairs[i][!four])->name);
        return true;
    }
    return false;
}

/* Four rows have a column and rows, a replacement has a field, all other operations have an origin. */
static void read_coordinates(tmap_spec_reading *r, tmap_copy_params *params) {
    if (params->op == TMAP_OP_REPLACE) {
        read_replacement(r, params);
        return;
    }
    refuse_replacement(r);
    if (tmap_op_get((int)params->op)->on_map) {
        refuse_place(r, "is not a key of this op, which accesses the map itself");
        return;
    }
    if (refuse_reduced_rows(r, params->op) || refuse_other_coordinates(r, params->op)) return;
    read_instruction(r, params);
    if (tmap_op_get((int)params->op)->four_rows) {
        tmap_refuse_key(r, TMAP_KEY_COPY_AT, "is not a key of this op, whose keys are 'column' and 'rows'");
        read_rows(r, params);
    } else {
        static const char rows_alone[] = "is a key of gather4, scatter4 and prefetch_gather4; this op has 'at'";
        tmap_refuse_key(r, TMAP_KEY_COPY_COLUMN, rows_alone);
        tmap_refuse_key(r, TMAP_KEY_COPY_ROWS, rows_alone);
        read_origin(r, params);
    }
}

static void read_offsets(tmap_spec_reading *r, const tmap_tensor_entry *tensor, tmap_copy_params *params) {
    int spatial = tensor && tensor->rank > 2 ? tensor->rank - 2 : -1;
    bool sliced = tensor && tensor->params.interleave != TMAP_INTERLEAVE_NONE;
    tmap_numbers_wanted want = {.count = spatial,
                                .first_dim = sliced ? 0 : 1,
                                .axes = spatial > 0 || !r->axes}; /* unknown names are not judged */
    tmap_read_list(r, TMAP_KEY_COPY_OFFSETS, want, NULL, params);
}

/* Reads the numbers that every copy may have. The rules judge whether the copy has a map. */
static void read_numbers(tmap_spec_reading *r, tmap_copy_params *params) {
    static const tmap_key keys[] = {TMAP_KEY_COPY_W_HALO,    TMAP_KEY_COPY_W_OFFSET,    TMAP_KEY_COPY_SIZE,
                                    TMAP_KEY_COPY_BYTE_MASK, TMAP_KEY_COPY_IGNORE_LEFT, TMAP_KEY_COPY_IGNORE_RIGHT};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) tmap_read_field(r, keys[i], NULL, params);
}

static void read_stage(tmap_spec_reading *r, const tmap_node *node, tmap_copy_entry *entry) {
    uint64_t stage = 0;
    tmap_refuse_key(r, TMAP_KEY_COPY_SHARED, "conflicts with 'buffer', which has the address");
    const tmap_shared_buffer *buffer = tmap_read_buffer_name(r->spec, r->report, node, false, "buffer");
    bool given = tmap_read_unsigned(r, TMAP_KEY_COPY_STAGE, &stage);
    if (!buffer) return;
    if (buffer->columns) {
        tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_COPY_BUFFER, "name-unknown", node->mark,
                                             "%s is tensor memory, which no copy accesses", buffer->name);
        TMAP_SAY(diag->fix.words, "name a buffer with 'size'");
        return;
    }
    entry->params.shared = tmap_buffer_address(buffer, stage);
    entry->buffer = buffer;
    entry->stage = stage;
    if (!given || stage < buffer->stages_n) return;
    tmap_diag *diag = tmap_refuse_value(r, TMAP_KEY_COPY_STAGE, stage, "is out of range");
    TMAP_SAY(diag->allowed, "%s, as %s has %s stage%s", tmap_range(0, buffer->stages_n - 1).text, buffer->name,
             tmap_number(buffer->stages_n).text, TMAP_PLURAL(buffer->stages_n));
    TMAP_SAY(diag->fix.words, "0");
}

static void add_to_barrier(const tmap_spec *spec, tmap_copy_entry *entry) {
    tmap_shared_buffer *barrier = &spec->buffers[entry->barrier - spec->buffers];
    if (barrier->last_copy)
        barrier->last_copy->next_at_barrier = entry;
    else
        barrier->copies = entry;
    barrier->last_copy = entry;
}

bool tmap_completes_at_barrier(const tmap_copy_params *params) {
    const tmap_op_info *op = tmap_op_get((int)params->op);
    return op->to_shared || (op->to_global && params->dst == TMAP_DST_CLUSTER); /* the second is a copy without a map */
}

bool tmap_refuse_barrier(tmap_spec_reading *r, tmap_key key, const tmap_copy_params *params) {
    if (tmap_completes_at_barrier(params)) return false;
    tmap_refuse_key(r, key, "is only for a load, and for a copy without a tensor map that has dst: cluster");
    return true;
}

static void read_barrier(tmap_spec_reading *r, tmap_copy_entry *entry, bool op_is_known) {
    const tmap_node *barrier = tmap_reading_value(r, TMAP_KEY_COPY_BARRIER);
    if (barrier) entry->barrier = tmap_read_buffer_name(r->spec, r->report, barrier, true, "barrier");
    if (op_is_known && tmap_refuse_barrier(r, TMAP_KEY_COPY_BARRIER, &entry->params)) entry->barrier = NULL;
    if (entry->barrier) add_to_barrier(r->spec, entry);
    entry->issuers_n = 1;
    tmap_read_positive(r, TMAP_KEY_COPY_ISSUERS, &entry->issuers_n);
    if (!barrier) tmap_refuse_key(r, TMAP_KEY_COPY_ISSUERS, "requires 'barrier', at which the copies complete");
    if (!tmap_reading_value(r, TMAP_KEY_COPY_BUFFER))
        tmap_refuse_key(r, TMAP_KEY_COPY_STAGE, "requires 'buffer', whose stage it selects");
}

static void read_shared_memory(tmap_spec_reading *r, tmap_copy_entry *entry, const tmap_op_info *op) {
    tmap_copy_params *params = &entry->params;
    static const char of_moves[] = "is a key of loads, stores and reductions; this op does not access shared memory";
    bool moves = !op || tmap_op_moves(op);
    const tmap_node *buffer = moves ? tmap_reading_value(r, TMAP_KEY_COPY_BUFFER) : NULL;
    if (!moves) tmap_refuse_key(r, TMAP_KEY_COPY_SHARED, of_moves);
    if (!moves) tmap_refuse_key(r, TMAP_KEY_COPY_BUFFER, of_moves);
    if (op && moves && !buffer) tmap_require(r, TMAP_KEY_COPY_SHARED);
    tmap_read_field(r, TMAP_KEY_COPY_SHARED, NULL, params);
    if (buffer) read_stage(r, buffer, entry);
    params->has_dst = tmap_read_field(r, TMAP_KEY_COPY_DST, NULL, params);
    read_barrier(r, entry, op != NULL);
    tmap_read_field(r, TMAP_KEY_COPY_CTA_GROUP, NULL, params);
    tmap_read_field(r, TMAP_KEY_COPY_CTA_MASK, NULL, params);
}

void tmap_read_copy(tmap_spec_reading *r, const tmap_node *map, tmap_copy_entry *entry) {
    tmap_copy_params *params = &entry->params;
    tmap_read_keys(r, TMAP_SECTION_COPY, map);
    const tmap_tensor_entry *tensor = read_tensor_name(r, entry);
    if (tensor) {
        r->outer_first = tensor->info.outer_first;
        r->rank = tensor->rank;
        r->axes = tensor->info.readable ? tensor->info.axes : NULL;
    }
    bool known = tmap_require(r, TMAP_KEY_COPY_OP) && tmap_read_field(r, TMAP_KEY_COPY_OP, NULL, params);
    const tmap_op_info *op = known ? tmap_op_get((int)params->op) : NULL;
    bool on_map = op && op->on_map;
    if (op) read_coordinates(r, params);
    read_offsets(r, tensor, params);
    if (op && !on_map && tensor && tensor->params.mode == TMAP_MODE_LINEAR) tmap_require(r, TMAP_KEY_COPY_SIZE);
    read_numbers(r, params);
    read_shared_memory(r, entry, op);
    tmap_read_qualifiers(r, params, on_map);
    if (tensor && !on_map && params->map_space == TMAP_SPACE_DEFAULT)
        params->map_space = tmap_space_of_copies(tensor->home);
    const tmap_node *expect = tmap_reading_value(r, TMAP_KEY_COPY_EXPECT);
    if (expect) tmap_read_expect(r, expect, entry);
}
