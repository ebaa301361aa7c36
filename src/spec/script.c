/* spec: makes the steps of a sequence; each operation is one row of a table. */
#include "spec/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"

/* ---- Numbers and names ---------------------------------------------------------------------------------------- */

static void refuse_expression(tmap_script *s, const tmap_node *node, const char *label, const char *problem) {
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "%s %s", label, problem);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "a number, or an expression over sizes and the loops around the step: 64*k, k/4 + 1");
}

/* The value of an expression over sizes and loops. Returns false if it is omitted or invalid. */
static bool script_number(tmap_script *s, const tmap_node *node, const char *label, int64_t *out) {
    node = node ? tmap_node_value(node) : NULL;
    if (!node || node->kind == TMAP_NODE_BROKEN) return false;
    tmap_integer plain;
    if (node->kind == TMAP_NODE_SCALAR && !node->quoted &&
        tmap_number_parse(node->text, node->size, &plain) == TMAP_NUMBER_OK && plain.magnitude < INT64_MAX) {
        *out = plain.negative ? -(int64_t)plain.magnitude : (int64_t)plain.magnitude;
        return true;
    }
    const tmap_expr *expr = node->kind == TMAP_NODE_SCALAR
                                ? tmap_expr_parse(&s->arena, node->text, node->size, s->sizes, s->sizes_n, NULL)
                                : NULL;
    if (!expr) {
        refuse_expression(s, node, label, "is not a number");
        return false;
    }
    tmap_i128 value = tmap_expr_value(expr, s->values);
    *out = (int64_t)value;
    if ((tmap_i128)*out == value) return true;
    refuse_expression(s, node, label, "is beyond 2^63");
    return false;
}

static const tmap_shared_buffer *find_buffer(tmap_script *s, const tmap_node *node, bool barrier) {
    return tmap_read_buffer_name(s->spec, s->report, node, barrier, NULL);
}

static uint64_t stage_of(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer) {
    int64_t stage = 0;
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_STAGE);
    if (node) script_number(s, node, "stage", &stage);
    int64_t n = (int64_t)buffer->stages_n;
    return (uint64_t)(((stage % n) + n) % n);
}

static int64_t number_of(tmap_script *s, tmap_script_step *step, tmap_key key, int64_t otherwise) {
    int64_t value = otherwise;
    const tmap_node *node = tmap_reading_value(&step->r, key);
    if (!node || !script_number(s, node, tmap_key_get(key)->name, &value)) return otherwise;
    if (value >= 0 || key == TMAP_KEY_STEP_PARITY) return value;
    refuse_expression(s, node, tmap_key_get(key)->name, "is below 0");
    return otherwise;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

/* "wait full[1] (k = 5)" */
static const char *text_of(tmap_script *s, const char *verb, const char *name) {
    char text[96];
    int size = snprintf(text, sizeof text, "%s %.40s", verb, name);
    int first = s->spec->sizes_n + (s->blocks_n > 1); /* the names contain the block */
    for (int i = first; i < s->sizes_n && size > 0 && (size_t)size < sizeof text - 30; i++)
        size += snprintf(text + size, sizeof text - (size_t)size, "%s%.10s = %" PRIu64 "%s", i == first ? " (" : ", ",
                         s->sizes[i].name, s->values[i], i == s->sizes_n - 1 ? ")" : "");
    return tmap_arena_text(&s->arena, text, strlen(text));
}

/* Adds a step of the current thread; NULL if there are too many. */
static tmap_step *add_step(tmap_script *s, const tmap_node *node, tmap_step_kind kind, const char *verb,
                           const char *name) {
    const char *text = text_of(s, verb, name);
    if (s->steps_n == TMAP_SEQUENCE_STEPS_MAX || !text) {
        s->full = true;
        return NULL;
    }
    tmap_step *step = &s->steps[s->steps_n++];
    *step = (tmap_step){.kind = kind, .thread = s->thread, .text = text, .mark = node->mark, .map = -1, .barrier = -1};
    return step;
}

static const tmap_node *value_of(tmap_script_step *step, tmap_key key) {
    return tmap_reading_value(&step->r, key);
}

/* The thread block whose memory a step accesses: its own, or the block of its key `block`. */
static int block_of(tmap_script *s, tmap_script_step *step) {
    int own = s->threads[s->thread].block;
    int64_t block = number_of(s, step, TMAP_KEY_STEP_BLOCK, own);
    if (block < s->blocks_n) return (int)block;
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_BLOCK);
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "block is not a rank of the cluster");
    TMAP_SAY(diag->given, "%" PRId64, block);
    TMAP_SAY(diag->allowed, "0 to %d, the ranks of the thread blocks with threads", s->blocks_n - 1);
    return own;
}

static tmap_script_stage place_of(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer) {
    return (tmap_script_stage){buffer, stage_of(s, step, buffer), block_of(s, step)};
}

/* Adds the step of the barrier that a node names; NULL if the node names no barrier. */
static tmap_step *add_barrier(tmap_script *s, tmap_script_step *step, const tmap_node *node, tmap_step_kind kind,
                              const char *verb, uint64_t stage_offset) {
    const tmap_shared_buffer *barrier = find_buffer(s, node, true);
    if (!barrier) return NULL;
    tmap_script_stage place = place_of(s, step, barrier);
    if (kind == TMAP_STEP_INIT) place = (tmap_script_stage){barrier, stage_offset, s->threads[s->thread].block};
    int region = tmap_script_buffer(s, place, 0, 1);
    tmap_step *made = region < 0 ? NULL : add_step(s, step->r.self, kind, verb, s->regions[region].name);
    if (made) made->barrier = region;
    return made;
}

static void add_inits(tmap_script *s, tmap_script_step *step, const tmap_node *node) {
    const tmap_shared_buffer *barrier = find_buffer(s, node, true);
    for (uint64_t stage = 0; barrier && stage < barrier->stages_n; stage++) {
        tmap_step *made = add_barrier(s, step, node, TMAP_STEP_INIT, "init", stage);
        if (made) made->count = (uint32_t)barrier->arrivals;
    }
}

/* One name or a list of them. */
static void for_names(tmap_script *s, tmap_script_step *step, const tmap_node *node,
                      void (*each)(tmap_script *s, tmap_script_step *step, const tmap_node *name)) {
    if (node->kind != TMAP_NODE_LIST) {
        each(s, step, node);
        return;
    }
    for (const tmap_node *item = tmap_node_first(node); item; item = item->next) each(s, step, tmap_node_value(item));
}

static void read_init(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    for_names(s, step, value, add_inits);
}

/* Reads one of a few words. Reports any other word and returns -1. */
static int word_of(tmap_script *s, const tmap_node *node, const char *what, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (node->kind == TMAP_NODE_SCALAR && strcmp(node->text, words[i]) == 0) return (int)i;
    const char *nearest = node->kind == TMAP_NODE_SCALAR ? tmap_nearest(node->text, words, n) : NULL;
    tmap_diag *diag = tmap_report_add(s->report, "name-unknown", node->mark, "%s has no valid value", what);
    tmap_node_describe(node, diag->given);
    tmap_say_list(diag->allowed, sizeof diag->allowed, words, n);
    TMAP_SAY(diag->fix, "%s", nearest ? nearest : words[0]);
    return -1;
}

/* Reads scope and semantics of an operation that releases or acquires. */
static void read_order(tmap_script *s, tmap_script_step *step, tmap_step *made) {
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    static const char *const sems[] = {"release", "acquire", "acq_rel", "relaxed"};
    const tmap_node *scope = value_of(step, TMAP_KEY_STEP_SCOPE), *sem = value_of(step, TMAP_KEY_STEP_SEM);
    if (scope) made->scope = (tmap_step_reach)(word_of(s, scope, "scope", scopes, 4) + 1);
    if (sem) made->relaxed = word_of(s, sem, "sem", sems, 4) == 3;
}

static void read_arrive(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    bool elected = value_of(step, TMAP_KEY_STEP_ELECT) != NULL;
    tmap_step *made = add_barrier(s, step, value, TMAP_STEP_ARRIVE, "arrive", 0);
    if (!made) return;
    made->count = (uint32_t)number_of(s, step, TMAP_KEY_STEP_COUNT, elected ? 1 : (int64_t)thread->threads_n);
    made->tx_B = (uint64_t)number_of(s, step, TMAP_KEY_STEP_EXPECT_TX, 0);
    read_order(s, step, made);
}

static void read_wait(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    tmap_step *made = add_barrier(s, step, value, TMAP_STEP_WAIT, "wait", 0);
    if (!tmap_require(&step->r, TMAP_KEY_STEP_PARITY) || !made) return;
    read_order(s, step, made);
    made->parity = (unsigned)number_of(s, step, TMAP_KEY_STEP_PARITY, 0) & 1;
}

/* The region of a buffer or a tensor. With `parts`, each of many threads writes its part of the region. */
static int region_of_name(tmap_script *s, tmap_script_step *step, const tmap_node *name, bool parts) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    bool split = parts && !value_of(step, TMAP_KEY_STEP_ELECT);
    int part = split ? thread->part : 0, parts_n = split ? thread->parts_n : 1;
    size_t tensor = name->kind == TMAP_NODE_SCALAR ? tmap_spec_tensor_find(s->spec, name->text) : SIZE_MAX;
    if (tensor != SIZE_MAX) return tmap_script_tensor(s, tensor, part, parts_n);
    const tmap_shared_buffer *buffer = find_buffer(s, name, false);
    return buffer ? tmap_script_buffer(s, place_of(s, step, buffer), part, parts_n) : -1;
}

static void read_access(tmap_script *s, tmap_script_step *step, const tmap_node *name) {
    bool writes = value_of(step, TMAP_KEY_STEP_WRITE) != NULL;
    int region = region_of_name(s, step, name, writes);
    if (region < 0) return;
    tmap_step *made = add_step(s, step->r.self, TMAP_STEP_ACCESS, writes ? "write" : "read", s->regions[region].name);
    if (!made) return;
    (writes ? made->writes : made->reads)[0] = region;
    made->writes_n = writes;
    made->reads_n = !writes;
}

static void read_accesses(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    for_names(s, step, value, read_access);
}

/* The bits of both parts of a thread's name. */
static uint64_t parts_of(const tmap_script *s) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    return ((1ULL << thread->parts_n) - 1) << (s->thread - thread->part);
}

/*
 * A warp group executes a wgmma together: its threads meet, and there is one operation, which belongs to the first
 * part. Source: PTX ISA 9.1, wgmma.mma_async: .sync.aligned, all threads of the warp group execute the same
 * instruction.
 */
static bool joins_wgmma(tmap_script *s, tmap_script_step *step) {
    enum { WARP_GROUP = 128 };
    const tmap_script_thread *thread = &s->threads[s->thread];
    if (thread->parts_n == 1 || thread->all_n > WARP_GROUP || value_of(step, TMAP_KEY_STEP_ELECT)) return false;
    tmap_step *made = add_step(s, step->r.self, TMAP_STEP_SYNC, "wgmma", "of the warp group");
    if (!made) return true;
    made->threads = parts_of(s);
    made->aligned = true;
    return !thread->elected;
}

static void read_mma(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    bool wgmma = value_of(step, TMAP_KEY_STEP_WGMMA) != NULL;
    if (wgmma && joins_wgmma(s, step)) return;
    tmap_step made = {.reads_n = 0};
    const tmap_node *item = value->kind == TMAP_NODE_LIST ? tmap_node_first(value) : value;
    for (; item && made.reads_n < 4; item = value->kind == TMAP_NODE_LIST ? item->next : NULL) {
        int region = region_of_name(s, step, tmap_node_value(item), false);
        if (region >= 0) made.reads[made.reads_n++] = region;
    }
    tmap_step *added = add_step(s, step->r.self, TMAP_STEP_ASYNC, wgmma ? "wgmma" : "tcgen05.mma",
                                made.reads_n > 0 ? s->regions[made.reads[0]].name : "");
    if (!added) return;
    memcpy(added->reads, made.reads, sizeof made.reads);
    added->reads_n = made.reads_n;
    added->completes = wgmma ? TMAP_COMPLETES_WGMMA : TMAP_COMPLETES_TCGEN05;
}

static void read_commit(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"bulk", "wgmma", "tcgen05"};
    int word = word_of(s, value, "commit", words, 3);
    if (word < 0) return;
    const tmap_node *at = word == 2 ? tmap_require(&step->r, TMAP_KEY_STEP_BARRIER) : NULL;
    const tmap_shared_buffer *barrier = at ? find_buffer(s, at, true) : NULL;
    if (word == 2 && !barrier) return;
    int region = barrier ? tmap_script_buffer(s, place_of(s, step, barrier), 0, 1) : -1;
    tmap_step *made = add_step(s, step->r.self, TMAP_STEP_COMMIT, "commit", words[word]);
    if (!made) return;
    made->completes = (tmap_completion)(TMAP_COMPLETES_BULK + word);
    made->barrier = region;
}

static void read_wait_group(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"bulk", "wgmma", "bulk_read"};
    int word = word_of(s, value, "wait_group", words, 3);
    tmap_step *made = word < 0 ? NULL : add_step(s, step->r.self, TMAP_STEP_WAIT_GROUP, "wait_group", words[word]);
    if (!made) return;
    made->completes = word == 1 ? TMAP_COMPLETES_WGMMA : TMAP_COMPLETES_BULK;
    made->reads_only = word == 2;
    made->pending = (uint32_t)number_of(s, step, TMAP_KEY_STEP_PENDING, 0);
}

/* Finds the map of a tensor by its name. */
static int map_of(tmap_script *s, const tmap_node *node) {
    size_t tensor = node->kind == TMAP_NODE_SCALAR ? tmap_spec_tensor_find(s->spec, node->text) : SIZE_MAX;
    if (tensor != SIZE_MAX) return tmap_script_map(s, tensor);
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(s->report, "name-unknown", node->mark, "no tensor is named %s",
                                      tmap_node_describe(node, given));
    TMAP_SAY(diag->fix, "use the name of the tensor of the map");
    return -1;
}

static void read_fence(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"proxy_async", "mbarrier_init", "tensormap_release", "tensormap_acquire",
                                        "acq_rel"};
    int word = word_of(s, value, "fence", words, 5);
    if (word < 0) return;
    bool acquires = word == TMAP_FENCE_TENSORMAP_ACQUIRE;
    const tmap_node *map = acquires ? tmap_require(&step->r, TMAP_KEY_STEP_MAP) : NULL;
    tmap_step *made = add_step(s, step->r.self, TMAP_STEP_FENCE, "fence", words[word]);
    if (!made) return;
    made->fence = (tmap_step_fence)word;
    read_order(s, step, made);
    if (map) made->map = map_of(s, map);
}

/* tensormap.replace writes the map. cp_fenceproxy also writes the map, and releases it. */
static void read_map_write(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    bool publish = value_of(step, TMAP_KEY_STEP_PUBLISH) != NULL;
    int map = map_of(s, value);
    tmap_step *made =
        map < 0 ? NULL
                : add_step(s, step->r.self, TMAP_STEP_ACCESS, publish ? "publish" : "replace", s->regions[map].name);
    if (!made) return;
    made->writes[0] = map;
    made->writes_n = 1;
    tmap_step *fence = publish ? add_step(s, step->r.self, TMAP_STEP_FENCE, "publish", s->regions[map].name) : NULL;
    if (!fence) return;
    fence->fence = TMAP_FENCE_TENSORMAP_RELEASE;
    read_order(s, step, fence);
}

/* A name or "all" means threads of the current thread block; "cluster" means all threads of all blocks. */
static uint64_t thread_bits(const tmap_script *s, const char *name) {
    uint64_t bits = 0;
    bool cluster = strcmp(name, "cluster") == 0;
    for (int i = 0; i < s->threads_n; i++) {
        bool named = strcmp(s->threads[i].name, name) == 0 || strcmp(name, "all") == 0;
        bool own = s->threads[i].block == s->threads[s->thread].block;
        if (cluster || (named && own)) bits |= 1ULL << i;
    }
    return bits;
}

static void read_sync(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    uint64_t threads = 0;
    const tmap_node *item = value->kind == TMAP_NODE_LIST ? tmap_node_first(value) : value;
    for (; item; item = value->kind == TMAP_NODE_LIST ? item->next : NULL) {
        const tmap_node *name = tmap_node_value(item);
        uint64_t bits = name->kind == TMAP_NODE_SCALAR ? thread_bits(s, name->text) : 0;
        if (!bits)
            TMAP_SAY(
                tmap_report_add(s->report, "name-unknown", name->mark, "no thread of the sequence has this name")->fix,
                "all, cluster, or names of threads of the sequence");
        threads |= bits;
    }
    if (threads && !(threads >> s->thread & 1)) {
        tmap_diag *diag =
            tmap_report_add(s->report, "sequence-step", value->mark, "the sync does not include this thread");
        TMAP_SAY(diag->fix, "add %s to the list, or all", s->threads[s->thread].name);
        return;
    }
    tmap_step *made = threads ? add_step(s, step->r.self, TMAP_STEP_SYNC, "sync",
                                         value->kind == TMAP_NODE_SCALAR ? value->text : "of threads")
                              : NULL;
    if (!made) return;
    made->threads = threads;
    read_order(s, step, made);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static void read_place(tmap_script *s, tmap_script_step *step, const tmap_tensor_entry *tensor,
                       tmap_copy_params *params) {
    const tmap_node *at = value_of(step, TMAP_KEY_STEP_AT);
    if (!at) return;
    int n = 0, rank = tensor->rank;
    bool map = at->kind == TMAP_NODE_MAP;
    if (!map && at->kind != TMAP_NODE_LIST) {
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_AT, at, "a list, or a mapping from axes");
        return;
    }
    for (const tmap_node *item = tmap_node_first(at); item && n < TMAP_RANK_MAX;
         item = map ? item->next->next : item->next, n++) {
        int dim = tensor->face.outer_first ? rank - 1 - n : n;
        const tmap_node *value = map ? item->next : item;
        if (map)
            for (dim = 0; dim < rank && !tmap_node_is(item, tensor->face.axes[dim]);) dim++;
        if (dim < 0 || dim >= rank) {
            TMAP_SAY(tmap_report_add(s->report, "sequence-step", item->mark,
                                     "at names a dimension that the tensor does not have")
                         ->fix,
                     "as many coordinates as the tensor has dimensions, or its axes");
            return;
        }
        int64_t coordinate;
        if (script_number(s, value, "at", &coordinate)) params->at[dim] = coordinate;
    }
}

/* Reads the column and the four rows of gather4 and scatter4. */
static void read_rows(tmap_script *s, tmap_script_step *step, tmap_copy_params *params) {
    const tmap_node *rows = value_of(step, TMAP_KEY_STEP_ROWS), *column = value_of(step, TMAP_KEY_STEP_COLUMN);
    if (column) script_number(s, column, "column", &params->column);
    if (!rows) return;
    int n = 0;
    const tmap_node *row = rows->kind == TMAP_NODE_LIST ? tmap_node_first(rows) : NULL;
    for (; row && n < 4; row = row->next) script_number(s, row, "rows", &params->rows[n++]);
    if (n < 4 || row) tmap_refuse_kind(&step->r, TMAP_KEY_STEP_ROWS, rows, "a list of four rows");
}

/* The barrier at which a load completes, from the step or from the copy. Reports a missing barrier and returns -1. */
static int barrier_of(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, int block) {
    const tmap_node *own = value_of(step, TMAP_KEY_STEP_BARRIER);
    const tmap_node *node = own ? own : tmap_given_value(&entry->given, TMAP_KEY_COPY_BARRIER);
    const tmap_shared_buffer *barrier = node ? find_buffer(s, node, true) : NULL;
    if (!node)
        TMAP_SAY(tmap_report_add(s->report, "key-missing", step->r.mark, "a load completes at a barrier")->fix,
                 "add barrier: NAME to the step or to the copy");
    if (!barrier) return -1;
    return tmap_script_buffer(s, (tmap_script_stage){barrier, stage_of(s, step, barrier), block}, 0, 1);
}

/* Adds a copy between global memory and the shared memory of one thread block. A multicast adds one copy for each
 * block. */
static void add_copy(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, const tmap_copy *copy,
                     int block) {
    size_t tensor = entry->face.tensor;
    bool loads = copy->op->to_shared, moves = tmap_op_moves(copy->op);
    bool linear = copy->map.params.mode == TMAP_MODE_LINEAR;
    if (linear && !loads && copy->params.dst == TMAP_DST_CLUSTER) {
        TMAP_SAY(tmap_report_add(s->report, "value-range", step->r.mark,
                                 "a sequence has no stores to the shared memory of another thread block")
                     ->fix,
                 "leave this copy out of the sequence");
        return;
    }
    int barrier = loads ? barrier_of(s, step, entry, block) : -1;
    int map = linear ? -1 : tmap_script_map(s, tensor), shared = moves ? tmap_script_shared(s, copy, block) : -1;
    int global = moves ? tmap_script_global(s, (size_t)(entry - s->spec->copies), copy) : -1;
    tmap_step *made = add_step(s, step->r.self, TMAP_STEP_ASYNC, "copy", entry->face.name);
    if (!made || (map < 0 && !linear) || (moves && (shared < 0 || global < 0)) || (loads && barrier < 0)) {
        s->steps_n -= made != NULL;
        return;
    }
    s->copies[s->steps_n - 1] = tmap_arena_take(&s->arena, sizeof *copy);
    if (s->copies[s->steps_n - 1]) *s->copies[s->steps_n - 1] = *copy;
    s->full |= !s->copies[s->steps_n - 1];
    s->tensors[s->steps_n - 1] = tensor;
    made->barrier = barrier;
    made->map = map;
    made->completes = loads ? TMAP_COMPLETES_TX : TMAP_COMPLETES_BULK;
    made->tx_B = loads ? copy->payload_B : 0;
    made->atomic = copy->op->reduces;
    made->reads[0] = loads ? global : shared;
    made->writes[0] = loads ? shared : global;
    made->reads_n = made->writes_n = moves;
}

/* The thread blocks that a copy reaches, as bits: those of its mask, or its own block. */
static uint64_t blocks_of(tmap_script *s, tmap_script_step *step, const tmap_copy_params *params) {
    uint64_t own = 1ULL << s->threads[s->thread].block, mask = params->cta_mask;
    uint64_t cluster = (1ULL << s->blocks_n) - 1;
    if (mask == 0 || (mask & ~cluster) == 0) return mask ? mask : own;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", step->r.self->mark,
                                      "cta_mask of the copy names thread blocks that the cluster does not have");
    TMAP_SAY(diag->given, "0x%" PRIx64, mask);
    TMAP_SAY(diag->allowed, "bits of 0x%" PRIx64 ": the cluster has %d thread blocks with threads", cluster,
             s->blocks_n);
    return 0;
}

static void add_copies(tmap_script *s, tmap_script_step *step, const tmap_copy_entry *entry, const tmap_copy *copy) {
    uint64_t blocks = blocks_of(s, step, &copy->params);
    for (int block = 0; block < s->blocks_n; block++)
        if (blocks >> block & 1) add_copy(s, step, entry, copy, block);
}

static void read_copy(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    size_t index = value->kind == TMAP_NODE_SCALAR ? tmap_spec_copy_find(s->spec, value->text) : SIZE_MAX;
    if (index == SIZE_MAX) {
        char given[TMAP_QUOTED_MAX];
        tmap_diag *diag = tmap_report_add(s->report, "name-unknown", value->mark, "no copy is named %s",
                                          tmap_node_describe(value, given));
        TMAP_SAY(diag->fix, "use the name of a copy of the file");
        return;
    }
    const tmap_copy_entry *entry = &s->spec->copies[index];
    if (!entry->face.readable) return;
    const tmap_tensor_entry *tensor = &s->spec->tensors[entry->face.tensor];
    tmap_copy_params params = entry->params;
    read_place(s, step, tensor, &params);
    read_rows(s, step, &params);
    const tmap_node *name = tmap_given_value(&entry->given, TMAP_KEY_COPY_BUFFER);
    const tmap_shared_buffer *buffer = name ? tmap_spec_buffer_find(s->spec, name->text) : NULL;
    if (buffer && value_of(step, TMAP_KEY_STEP_STAGE))
        params.shared = tmap_buffer_address(buffer, stage_of(s, step, buffer));
    params.shared += (uint64_t)number_of(s, step, TMAP_KEY_STEP_OFFSET, 0);
    if (s->report->errors > s->errors) return;
    tmap_map map;
    tmap_copy copy;
    tmap_diags found = {.allocator = s->spec->allocator};
    tmap_status status = tmap_map_init(&map, &tensor->params, s->judge, NULL);
    if (status == TMAP_OK) status = tmap_copy_init(&copy, &map, &params, s->judge, &found);
    if (status == TMAP_OK)
        add_copies(s, step, entry, &copy);
    else
        for (size_t i = 0; i < found.count; i++) {
            tmap_diag *diag =
                tmap_report_add(s->report, found.items[i].rule, step->r.self->mark, "%s", found.items[i].message);
            TMAP_SAY(diag->fix, "%s", found.items[i].fix);
        }
    tmap_diags_free(&found);
}

/* ---- One step ------------------------------------------------------------------------------------------------- */

static void read_repeat(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_node *steps = tmap_require(&step->r, TMAP_KEY_STEP_STEPS);
    const tmap_node *name = value->kind == TMAP_NODE_MAP ? tmap_node_first(value) : NULL;
    int64_t n;
    if (!name || name->kind != TMAP_NODE_SCALAR || name->next->next || s->sizes_n == TMAP_SIZES_MAX) {
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_REPEAT, value, "a loop's name and its number of repetitions: {k: 8}");
        return;
    }
    if (!steps || !script_number(s, name->next, "repeat", &n)) return;
    int own = s->sizes_n++;
    s->sizes[own] = (tmap_size){name->text, 0, UINT32_MAX, 1};
    for (int64_t i = 0; i < n && !s->full && s->report->errors == s->errors; i++) {
        s->values[own] = (uint64_t)i;
        s->full |= ++s->rounds_n > TMAP_SCRIPT_ROUNDS_MAX;
        tmap_script_steps(s, steps);
    }
    s->sizes_n--;
}

typedef void read_function(tmap_script *s, tmap_script_step *step, const tmap_node *value);

static const struct {
    tmap_key key;
    read_function *read;
} operations[] = {
    {TMAP_KEY_STEP_INIT, read_init},         {TMAP_KEY_STEP_ARRIVE, read_arrive},
    {TMAP_KEY_STEP_WAIT, read_wait},         {TMAP_KEY_STEP_COPY, read_copy},
    {TMAP_KEY_STEP_READ, read_accesses},     {TMAP_KEY_STEP_WRITE, read_accesses},
    {TMAP_KEY_STEP_WGMMA, read_mma},         {TMAP_KEY_STEP_TCGEN05, read_mma},
    {TMAP_KEY_STEP_REPLACE, read_map_write}, {TMAP_KEY_STEP_PUBLISH, read_map_write},
    {TMAP_KEY_STEP_COMMIT, read_commit},     {TMAP_KEY_STEP_WAIT_GROUP, read_wait_group},
    {TMAP_KEY_STEP_FENCE, read_fence},       {TMAP_KEY_STEP_SYNC, read_sync},
    {TMAP_KEY_STEP_REPEAT, read_repeat},
};
enum { OPERATIONS_N = sizeof operations / sizeof *operations };

static void refuse_operations(tmap_script *s, const tmap_node *node, int n) {
    const char *names[OPERATIONS_N];
    for (size_t i = 0; i < OPERATIONS_N; i++) names[i] = tmap_key_get(operations[i].key)->name;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "a step has %s",
                                      n == 0 ? "no operation" : "more than one operation");
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, OPERATIONS_N);
    TMAP_SAY(diag->fix, n == 0 ? "one of these keys, for example {copy: load_a}" : "write two steps");
}

static void read_step(tmap_script *s, const tmap_node *node) {
    tmap_script_step step = {0};
    node = tmap_node_value(node);
    if (node->kind == TMAP_NODE_BROKEN) return;
    step.r = (tmap_spec_reading){
        .spec = s->spec, .report = s->report, .given = &step.given, .self = node, .mark = node->mark, .rank = -1};
    if (node->kind != TMAP_NODE_MAP) {
        refuse_operations(s, node, 0);
        return;
    }
    tmap_read_keys(&step.r, TMAP_SECTION_STEP, node);
    int n = 0, operation = 0;
    for (int i = 0; i < (int)OPERATIONS_N; i++) {
        if (!tmap_given_key(&step.given, operations[i].key)) continue;
        operation = i;
        n++;
    }
    const tmap_node *elect = value_of(&step, TMAP_KEY_STEP_ELECT);
    if (elect && !tmap_node_is(elect, "true")) tmap_refuse_kind(&step.r, TMAP_KEY_STEP_ELECT, elect, "true");
    const tmap_node *value = n == 1 ? value_of(&step, operations[operation].key) : NULL;
    if (n != 1)
        refuse_operations(s, node, n);
    else if (value && (!elect || s->threads[s->thread].elected))
        operations[operation].read(s, &step, value);
}

void tmap_script_steps(tmap_script *s, const tmap_node *list) {
    if (list->kind != TMAP_NODE_LIST) {
        TMAP_SAY(tmap_report_add(s->report, "value-kind", list->mark, "steps must be a list")->fix,
                 "for example [{copy: load_a}]");
        return;
    }
    s->errors = s->report->errors;
    for (const tmap_node *item = tmap_node_first(list); item && !s->full && s->report->errors == s->errors;
         item = item->next)
        read_step(s, item);
}

tmap_sequence tmap_script_sequence(const tmap_script *s) {
    return (tmap_sequence){.threads = s->faces,
                           .threads_n = s->threads_n,
                           .regions = s->regions,
                           .regions_n = s->regions_n,
                           .steps = s->steps,
                           .steps_n = s->steps_n};
}
