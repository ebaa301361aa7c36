/* spec: makes the steps of a sequence; each operation is one row of a table. */
#include "script/script.h"

#include <inttypes.h>
#include <string.h>

#include "base/rows.h"

/* ---- Names ---------------------------------------------------------------------------------------------------- */

static const tmap_shared_buffer *find_buffer(tmap_script *s, const tmap_node *node, bool barrier) {
    return tmap_read_buffer_name(s->spec, s->report, node, barrier, NULL);
}

static const tmap_node *value_of(tmap_script_step *step, tmap_key key) {
    return tmap_reading_value(&step->r, key);
}

/* Adds the step of the barrier that a node names; NULL if the node names no barrier. */
static tmap_step *add_barrier(tmap_script *s, tmap_script_step *step, const tmap_node *node, tmap_step_kind kind,
                              const char *verb, uint64_t stage_offset) {
    const tmap_shared_buffer *barrier = find_buffer(s, node, true);
    if (!barrier) return NULL;
    tmap_script_stage place = tmap_script_place(s, step, barrier);
    if (kind == TMAP_STEP_INIT || kind == TMAP_STEP_INVAL)
        place = (tmap_script_stage){barrier, stage_offset, s->threads[s->thread].block};
    int region = tmap_script_buffer(s, place, 0, 1);
    tmap_step *made = region < 0 ? NULL : tmap_script_add(s, step->r.self, kind, verb, s->regions[region].name);
    if (made) made->barrier = region;
    return made;
}

static void add_inits(tmap_script *s, tmap_script_step *step, const tmap_node *node) {
    const tmap_shared_buffer *barrier = find_buffer(s, node, true);
    bool inval = value_of(step, TMAP_KEY_STEP_INVAL) != NULL;
    for (uint64_t stage = 0; barrier && stage < barrier->stages_n; stage++) {
        tmap_step *made =
            add_barrier(s, step, node, inval ? TMAP_STEP_INVAL : TMAP_STEP_INIT, inval ? "inval" : "init", stage);
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

/* Finds a tensor by its name. Reports any other name and returns SIZE_MAX. */
static size_t find_tensor(tmap_script *s, const tmap_node *node, const char *fix) {
    size_t tensor = node->kind == TMAP_NODE_SCALAR ? tmap_spec_tensor_find(s->spec, node->text) : SIZE_MAX;
    if (tensor != SIZE_MAX) return tensor;
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(s->report, "name-unknown", node->mark, "no tensor is named %s",
                                      tmap_node_describe(node, given));
    TMAP_SAY(diag->fix.words, "%s", fix);
    return SIZE_MAX;
}

static void read_init(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    for_names(s, step, value, add_inits);
}

/* Reads scope and semantics of an operation that releases or acquires. */
static void read_order(tmap_script *s, tmap_script_step *step, tmap_step *made) {
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    TMAP_ROWS(scopes, TMAP_REACHES_SYS - TMAP_REACHES_ENOUGH);
    static const char *const sems[] = {"release", "acquire", "acq_rel", "relaxed"};
    const tmap_node *scope = value_of(step, TMAP_KEY_STEP_SCOPE), *sem = value_of(step, TMAP_KEY_STEP_SEM);
    if (scope) made->scope = (tmap_step_reach)(tmap_script_word(s, scope, "scope", scopes, 4) + 1);
    if (sem) made->relaxed = tmap_script_word(s, sem, "sem", sems, 4) == 3;
}

/* The arrivals of many threads are divided between the parts; the first part is one thread. */
static void read_arrive(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    bool many = thread->parts_n > 1 && !value_of(step, TMAP_KEY_STEP_ELECT);
    uint64_t all = (uint64_t)tmap_script_number_of(s, step, TMAP_KEY_STEP_COUNT, many ? (int64_t)thread->all_n : 1);
    uint64_t count = !many ? all : thread->part == 0 ? all > 0 : all - 1;
    if (many && all < 2 && thread->part > 0) return;
    tmap_step *made = add_barrier(s, step, value, TMAP_STEP_ARRIVE, "arrive", 0);
    if (!made) return;
    made->count = (uint32_t)count;
    made->tx_B = (uint64_t)tmap_script_number_of(s, step, TMAP_KEY_STEP_EXPECT_TX, 0);
    if (many && made->tx_B <= UINT32_MAX) made->tx_B *= count; /* each thread expects these bytes */
    read_order(s, step, made);
}

static void read_wait(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    tmap_step *made = add_barrier(s, step, value, TMAP_STEP_WAIT, "wait", 0);
    if (!tmap_require(&step->r, TMAP_KEY_STEP_PARITY) || !made) return;
    read_order(s, step, made);
    made->parity = (unsigned)tmap_script_number_of(s, step, TMAP_KEY_STEP_PARITY, 0) & 1;
}

/*
 * The region of a buffer, or else of a tensor. Each of many threads writes its part of the region, and reads its part
 * of tensor memory (PTX ISA 9.1, Tensor Memory: a warp accesses its own 32 lanes).
 */
static int region_of_name(tmap_script *s, tmap_script_step *step, const tmap_node *name, bool writes) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    bool is_name = name->kind == TMAP_NODE_SCALAR;
    const tmap_shared_buffer *buffer = is_name ? tmap_spec_buffer_find(s->spec, name->text) : NULL;
    bool is_buffer = buffer && buffer->arrivals == 0;
    size_t tensor = is_name && !is_buffer ? tmap_spec_tensor_find(s->spec, name->text) : SIZE_MAX;
    if (!is_buffer) buffer = tensor == SIZE_MAX ? find_buffer(s, name, false) : NULL;
    if (tensor == SIZE_MAX && !buffer) return -1;
    if (buffer && tmap_script_kernel_now(s)->host) {
        TMAP_SAY(tmap_report_add(s->report, "sequence-step", name->mark,
                                 "the host does not access %s, a buffer of kernels", buffer->name)
                     ->fix.words,
                 "name a tensor");
        return -1;
    }
    bool split = (writes || (buffer && buffer->columns)) && !value_of(step, TMAP_KEY_STEP_ELECT);
    int part = split ? thread->part : 0, parts_n = split ? thread->parts_n : 1;
    if (!buffer) return tmap_script_tensor(s, tensor, part, parts_n);
    tmap_script_stage place = tmap_script_place(s, step, buffer);
    if (!buffer->columns || place.block == thread->block) return tmap_script_buffer(s, place, part, parts_n);
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", name->mark, "%s is tensor memory of another thread block",
                             buffer->name)
                 ->fix.words,
             "leave 'block' out: tcgen05.ld and tcgen05.st access only their own thread block");
    return -1;
}

static void read_access(tmap_script *s, tmap_script_step *step, const tmap_node *name) {
    bool writes = value_of(step, TMAP_KEY_STEP_WRITE) != NULL;
    int region = region_of_name(s, step, name, writes);
    if (region < 0) return;
    bool tensor = s->regions[region].tensor_memory;
    const char *verb = tensor ? (writes ? "tcgen05.st" : "tcgen05.ld") : writes ? "write" : "read";
    tmap_step *made =
        tmap_script_add(s, step->r.self, tensor ? TMAP_STEP_ASYNC : TMAP_STEP_ACCESS, verb, s->regions[region].name);
    if (!made) return;
    (writes ? made->writes : made->reads)[0] = region;
    made->writes_n = writes;
    made->reads_n = !writes;
    if (tensor) made->completes = writes ? TMAP_COMPLETES_TCGEN05_ST : TMAP_COMPLETES_TCGEN05_LD;
}

static void read_accesses(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    for_names(s, step, value, read_access);
}

/* The threads, as bits, that represent the threads of the current name: one, or two parts. */
static uint64_t parts_of(const tmap_script *s) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    return ((1ULL << thread->parts_n) - 1) << (s->thread - thread->part);
}

enum { WARP = 32, WARP_GROUP = 128 };

/*
 * A warp group executes a wgmma together, and a warp a tcgen05.alloc: the threads wait for each other and issue one
 * operation, which belongs to the first part. Returns whether another part executes the operation. Source: PTX ISA 9.1,
 * .sync.aligned: all threads execute the same instruction.
 */
static bool joins_others(tmap_script *s, tmap_script_step *step, uint64_t most, const char *verb) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    if (thread->parts_n == 1 || thread->all_n > most) return false;
    const char *group = most == WARP ? "of the warp" : "of the warp group";
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_SYNC, verb, group);
    if (!made) return true;
    made->threads = parts_of(s);
    made->aligned = true;
    return !thread->elected;
}

/* The second thread block whose operands a tcgen05.mma of a pair reads; -1: the instruction reads those of one block.
 */
static int peer_of(tmap_script *s, tmap_script_step *step) {
    const tmap_node *node = value_of(step, TMAP_KEY_STEP_CTA_GROUP);
    int64_t group = tmap_script_number_of(s, step, TMAP_KEY_STEP_CTA_GROUP, 1);
    int peer = tmap_script_block(s, step) ^ 1;
    if (group == 1) return -1;
    if (group == 2 && peer < s->blocks_n) return peer;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "cta_group is not possible here");
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "1, or 2 if both thread blocks of the pair have threads");
    return -1;
}

/* Reports a buffer that is not in tensor memory, or is in tensor memory, against expectation. */
static bool expect_memory(tmap_script *s, const tmap_node *name, const tmap_shared_buffer *buffer, bool tensor) {
    if ((buffer->columns > 0) == tensor) return true;
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", name->mark, "%s is %s memory", buffer->name,
                             tensor ? "shared" : "tensor")
                 ->fix.words,
             tensor ? "name a buffer with 'columns'" : "name a buffer with 'size'");
    return false;
}

/* Of many threads, each part copies its part of the tensor. */
static void read_cp_async(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    const tmap_node *name = tmap_require(&step->r, TMAP_KEY_STEP_INTO);
    const tmap_shared_buffer *buffer = name ? find_buffer(s, name, false) : NULL;
    if (!buffer || !expect_memory(s, name, buffer, false)) return;
    size_t tensor = find_tensor(s, value, "use the name of a tensor of the file");
    if (tensor == SIZE_MAX) return;
    bool elected = value_of(step, TMAP_KEY_STEP_ELECT) != NULL;
    int part = elected ? 0 : thread->part, parts_n = elected ? 1 : thread->parts_n;
    int to = tmap_script_buffer(s, tmap_script_place(s, step, buffer), part, parts_n);
    int from = tmap_script_tensor(s, tensor, part, parts_n);
    tmap_step *made =
        to < 0 || from < 0 ? NULL : tmap_script_add(s, step->r.self, TMAP_STEP_ASYNC, "cp.async", s->regions[to].name);
    if (!made) return;
    made->completes = TMAP_COMPLETES_CP_ASYNC;
    made->reads[0] = from;
    made->writes[0] = to;
    made->reads_n = made->writes_n = 1;
}

/* The accumulator of a tcgen05.mma: the name of a buffer of tensor memory, or a mapping from the name to its stage. */
static void add_accumulator(tmap_script *s, tmap_script_step *step, tmap_step *mma, int peer) {
    const tmap_node *value = value_of(step, TMAP_KEY_STEP_INTO), *name = value;
    int64_t stage = 0;
    if (!value) return;
    if (value->kind == TMAP_NODE_MAP) {
        name = tmap_node_first(value);
        if (!name || name->next->next) {
            tmap_refuse_kind(&step->r, TMAP_KEY_STEP_INTO, value, "a name, or a name and its stage: {sums: tile}");
            return;
        }
        tmap_script_number(s, name->next, "into", &stage);
    }
    const tmap_shared_buffer *buffer = find_buffer(s, name, false);
    if (!buffer || !expect_memory(s, name, buffer, true)) return;
    int64_t n = (int64_t)buffer->stages_n;
    tmap_script_stage place = {buffer, (uint64_t)((stage % n + n) % n), s->threads[s->thread].block};
    for (; mma->writes_n < 2; place.block = peer) {
        int region = tmap_script_buffer(s, place, 0, 1);
        if (region >= 0) mma->writes[mma->writes_n++] = region;
        if (peer < 0 || place.block == peer || region < 0) return;
    }
}

/* `peer`: the second thread block that has the operand; -1: none. */
static void add_operand(tmap_script *s, tmap_script_step *step, const tmap_node *name, int peer) {
    const tmap_shared_buffer *buffer = find_buffer(s, name, false);
    tmap_step *mma = &s->steps[s->steps_n - 1];
    bool wgmma = mma->completes == TMAP_COMPLETES_WGMMA;
    if (!buffer || ((wgmma || mma->tensor_copy) && !expect_memory(s, name, buffer, false))) return;
    s->readers[buffer - s->spec->buffers] = wgmma ? TMAP_READER_WGMMA : TMAP_READER_TCGEN05;
    tmap_script_stage place = tmap_script_place(s, step, buffer);
    for (; mma->reads_n < TMAP_SEQUENCE_READS_MAX; place.block = peer) {
        int region = tmap_script_buffer(s, place, 0, 1);
        if (region >= 0) mma->reads[mma->reads_n++] = region;
        if (peer < 0 || place.block == peer) return;
    }
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", name->mark, "an instruction has too many operands");
    TMAP_SAY(diag->allowed, "%d buffers, or %d of each thread block of a pair", TMAP_SEQUENCE_READS_MAX,
             TMAP_SEQUENCE_READS_MAX / 2);
    TMAP_SAY(diag->fix.words, "write two steps");
}

static void read_mma(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    bool wgmma = value_of(step, TMAP_KEY_STEP_WGMMA) != NULL, copies = value_of(step, TMAP_KEY_STEP_TCGEN05_CP) != NULL;
    if (wgmma && !value_of(step, TMAP_KEY_STEP_ELECT) && joins_others(s, step, WARP_GROUP, "wgmma")) return;
    if (copies && value->kind != TMAP_NODE_SCALAR) {
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_TCGEN05_CP, value, "a buffer");
        return;
    }
    if (copies && !tmap_require(&step->r, TMAP_KEY_STEP_INTO)) return;
    const char *verb = wgmma ? "wgmma" : copies ? "tcgen05.cp" : "tcgen05.mma";
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_ASYNC, verb, "");
    if (!made) return;
    made->completes = wgmma ? TMAP_COMPLETES_WGMMA : TMAP_COMPLETES_TCGEN05;
    made->tensor_copy = copies;
    int peer = peer_of(s, step);
    bool list = value->kind == TMAP_NODE_LIST;
    for (const tmap_node *item = list ? tmap_node_first(value) : value; item; item = list ? item->next : NULL)
        add_operand(s, step, tmap_node_value(item), peer);
    if (wgmma)
        tmap_refuse_key(&step->r, TMAP_KEY_STEP_INTO, "requires tcgen05_mma: wgmma accumulates in registers");
    else
        add_accumulator(s, step, made, peer);
    if (made->reads_n > 0) made->text = tmap_script_text(s, verb, s->regions[made->reads[0]].name);
}

/* tcgen05.alloc or tcgen05.dealloc of all stages of a buffer. */
static void add_allocation(tmap_script *s, tmap_script_step *step, const tmap_node *name) {
    bool frees = value_of(step, TMAP_KEY_STEP_DEALLOC) != NULL;
    const tmap_shared_buffer *buffer = find_buffer(s, name, false);
    if (!buffer || !expect_memory(s, name, buffer, true)) return;
    int region = tmap_script_columns(s, buffer, s->threads[s->thread].block);
    tmap_step *made = region < 0 ? NULL
                                 : tmap_script_add(s, step->r.self, frees ? TMAP_STEP_DEALLOC : TMAP_STEP_ALLOC,
                                                   frees ? "tcgen05.dealloc" : "tcgen05.alloc", buffer->name);
    if (!made) return;
    made->writes[0] = region;
    made->writes_n = 1;
}

static void read_allocation(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_script_thread *thread = &s->threads[s->thread];
    if (thread->all_n > WARP && !value_of(step, TMAP_KEY_STEP_ELECT)) {
        tmap_diag *diag =
            tmap_report_add(s->report, "sequence-step", value->mark, "one warp executes this instruction");
        TMAP_SAY(diag->given, "%" PRIu64 " threads", thread->all_n);
        TMAP_SAY(diag->allowed, "at most %d threads", WARP);
        TMAP_SAY(diag->fix.words, "elect: true, which here elects one warp of the threads");
        return;
    }
    if (value_of(step, TMAP_KEY_STEP_ELECT) || !joins_others(s, step, WARP, "tcgen05.alloc"))
        for_names(s, step, value, add_allocation);
}

static size_t tensor_of_map(tmap_script *s, const tmap_node *node) {
    return find_tensor(s, node, "use the name of the tensor of the map");
}

static void read_fence(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"proxy_async", "mbarrier_init",  "tensormap_release", "tensormap_acquire",
                                        "acq_rel",     "tcgen05_before", "tcgen05_after"};
    TMAP_ROWS(words, TMAP_FENCE_TCGEN05_AFTER + 1);
    int word = tmap_script_word(s, value, "fence", words, TMAP_FENCE_TCGEN05_AFTER + 1);
    if (word < 0) return;
    bool acquires = word == TMAP_FENCE_TENSORMAP_ACQUIRE;
    if (!acquires) tmap_refuse_key(&step->r, TMAP_KEY_STEP_MAP, "is a key of fence: tensormap_acquire only");
    const tmap_node *map = acquires ? tmap_require(&step->r, TMAP_KEY_STEP_MAP) : NULL;
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_FENCE, "fence", words[word]);
    if (!made) return;
    made->fence = (tmap_step_fence)word;
    read_order(s, step, made);
    size_t tensor = map ? tensor_of_map(s, map) : SIZE_MAX;
    if (tensor != SIZE_MAX) made->map = tmap_script_map(s, tensor);
}

/* A kernel cannot write its parameters. */
static bool judge_map_write(tmap_script *s, const tmap_node *value, size_t tensor) {
    if (tmap_script_kernel_now(s)->host || !tmap_script_is_parameter(s, tensor)) return true;
    TMAP_SAY(tmap_report_add(s->report, "sequence-step", value->mark,
                             "map %s is a parameter of the kernel, which is constant",
                             s->spec->tensors[tensor].info.name)
                 ->fix.words,
             "for the tensor: map: {space: global}");
    return false;
}

/* tensormap.replace writes the map. cp_fenceproxy also writes the map, and releases it. */
static void read_map_write(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    bool publish = value_of(step, TMAP_KEY_STEP_PUBLISH) != NULL;
    size_t tensor = tensor_of_map(s, value);
    if (tensor == SIZE_MAX || !judge_map_write(s, value, tensor)) return;
    int map = tmap_script_map(s, tensor);
    tmap_step *made = map < 0 ? NULL
                              : tmap_script_add(s, step->r.self, TMAP_STEP_ACCESS, publish ? "publish" : "replace",
                                                s->regions[map].name);
    if (!made) return;
    made->writes[0] = made->map = map;
    made->writes_n = 1;
    s->tensors[s->steps_n - 1] = tensor;
    tmap_step *fence =
        publish ? tmap_script_add(s, step->r.self, TMAP_STEP_FENCE, "publish", s->regions[map].name) : NULL;
    if (!fence) return;
    fence->fence = TMAP_FENCE_TENSORMAP_RELEASE;
    read_order(s, step, fence);
}

/* A name or "all" means threads of the current thread block; "cluster" means all threads of all blocks. */
static uint64_t thread_bits(const tmap_script *s, const char *name) {
    uint64_t bits = 0;
    bool cluster = strcmp(name, "cluster") == 0;
    const tmap_script_thread *self = &s->threads[s->thread];
    for (int i = 0; i < s->threads_n; i++) {
        bool named = strcmp(s->threads[i].name, name) == 0 || strcmp(name, "all") == 0;
        if (s->threads[i].kernel != self->kernel) continue;
        if (cluster || (named && s->threads[i].block == self->block)) bits |= 1ULL << i;
    }
    return bits;
}

static void read_sync(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    uint64_t threads = 0;
    if (tmap_script_kernel_now(s)->host) {
        tmap_script_host_sync(s, step, value);
        return;
    }
    const tmap_node *item = value->kind == TMAP_NODE_LIST ? tmap_node_first(value) : value;
    for (; item; item = value->kind == TMAP_NODE_LIST ? item->next : NULL) {
        const tmap_node *name = tmap_node_value(item);
        bool scalar = name->kind == TMAP_NODE_SCALAR;
        uint64_t bits = scalar ? thread_bits(s, name->text) : 0;
        char given[TMAP_QUOTED_MAX];
        if (!bits)
            TMAP_SAY(tmap_report_add(s->report, "name-unknown", name->mark, "%s%s",
                                     scalar ? "no thread is named " : "a thread must be a name",
                                     scalar ? tmap_node_describe(name, given) : "")
                         ->fix.words,
                     "all, cluster, or names of threads of the sequence");
        threads |= bits;
    }
    if (threads && !(threads >> s->thread & 1)) {
        tmap_diag *diag =
            tmap_report_add(s->report, "sequence-step", value->mark, "the sync does not include this thread");
        TMAP_SAY(diag->fix.words, "add %s to the list, or all", s->threads[s->thread].name);
        return;
    }
    tmap_step *made = threads ? tmap_script_add(s, step->r.self, TMAP_STEP_SYNC, "sync",
                                                value->kind == TMAP_NODE_SCALAR ? value->text : "of threads")
                              : NULL;
    if (!made) return;
    made->threads = threads;
    read_order(s, step, made);
}

/* ---- One step ------------------------------------------------------------------------------------------------- */

static void read_repeat(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_node *steps = tmap_require(&step->r, TMAP_KEY_STEP_STEPS);
    const tmap_node *name = value->kind == TMAP_NODE_MAP ? tmap_node_first(value) : NULL;
    int64_t n;
    if (!name || name->kind != TMAP_NODE_SCALAR || name->next->next) {
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_REPEAT, value, "a loop's name and its number of repetitions: {k: 8}");
        return;
    }
    if (s->sizes_n == TMAP_SIZES_MAX) {
        tmap_diag *diag =
            tmap_report_add(s->report, "sequence-step", value->mark, "too many loops are inside each other");
        TMAP_SAY(diag->allowed, "%d sizes and loops together", TMAP_SIZES_MAX);
        TMAP_SAY(diag->fix.words, "write out the steps of the innermost loop");
        return;
    }
    if (!steps || !tmap_script_number(s, name->next, "repeat", &n)) return;
    int own = s->sizes_n++;
    s->sizes[own] = (tmap_size){name->text, 0, UINT32_MAX, 1};
    bool is_long = tmap_script_begin_loop(s, step->r.self, n);
    for (int64_t i = 0; i < n && tmap_script_goes_on(s, steps); i++) {
        s->values[own] = (uint64_t)i;
        s->full |= ++s->rounds_n > TMAP_SCRIPT_ROUNDS_MAX && s->loops.extent != TMAP_SCRIPT_CUT;
        if (is_long) tmap_script_begin_round(s, i);
        tmap_script_steps(s, steps);
        if (is_long) i += tmap_script_end_round(s, i);
    }
    if (is_long) s->loops.inside = false;
    s->sizes_n--;
}

typedef void read_function(tmap_script *s, tmap_script_step *step, const tmap_node *value);

_Static_assert(TMAP_KEY_COUNT == TMAP_KEY_STEP_ELECT + 1 && TMAP_KEY_STEP_ELECT - TMAP_KEY_STEP_INIT < 64,
               "the keys of steps are the last of the table, and a set of them fits 64 bits");
#define BIT(id)  ((uint64_t)1 << (TMAP_KEY_STEP_##id - TMAP_KEY_STEP_INIT))
#define PLACE    (BIT(STAGE) | BIT(BLOCK))
#define ORDER    (BIT(SCOPE) | BIT(SEM))
#define OVERRIDE (BIT(OFFSET) | BIT(AT) | BIT(ROWS) | BIT(COLUMN) | BIT(BARRIER))

/* The operations, and the keys that a step may have beside its operation, `elect` and `when`. */
static const struct {
    tmap_key key;
    read_function *read;
    uint64_t others;
} operations[] = {
    {TMAP_KEY_STEP_INIT, read_init, 0},
    {TMAP_KEY_STEP_INVAL, read_init, 0},
    {TMAP_KEY_STEP_ARRIVE, read_arrive, PLACE | ORDER | BIT(COUNT) | BIT(EXPECT_TX)},
    {TMAP_KEY_STEP_WAIT, read_wait, ORDER | BIT(STAGE) | BIT(PARITY)},
    {TMAP_KEY_STEP_COPY, tmap_script_copy, PLACE | OVERRIDE},
    {TMAP_KEY_STEP_READ, read_accesses, PLACE},
    {TMAP_KEY_STEP_WRITE, read_accesses, PLACE},
    {TMAP_KEY_STEP_WGMMA, read_mma, PLACE | BIT(INTO)},
    {TMAP_KEY_STEP_TCGEN05, read_mma, PLACE | BIT(INTO) | BIT(CTA_GROUP)},
    {TMAP_KEY_STEP_TCGEN05_CP, read_mma, PLACE | BIT(INTO) | BIT(CTA_GROUP)},
    {TMAP_KEY_STEP_CP_ASYNC, read_cp_async, BIT(STAGE) | BIT(INTO)},
    {TMAP_KEY_STEP_ALLOC, read_allocation, 0},
    {TMAP_KEY_STEP_DEALLOC, read_allocation, 0},
    {TMAP_KEY_STEP_REPLACE, read_map_write, 0},
    {TMAP_KEY_STEP_PUBLISH, read_map_write, BIT(SCOPE)},
    {TMAP_KEY_STEP_COMMIT, tmap_script_commit, PLACE | BIT(BARRIER) | BIT(CTA_MASK)},
    {TMAP_KEY_STEP_WAIT_GROUP, tmap_script_wait_group, BIT(PENDING)},
    {TMAP_KEY_STEP_FENCE, read_fence, BIT(SCOPE) | BIT(MAP)},
    {TMAP_KEY_STEP_SYNC, read_sync, BIT(SEM)},
    {TMAP_KEY_STEP_LAUNCH, tmap_script_launch, BIT(PROGRAMMATIC)},
    {TMAP_KEY_STEP_CAPTURE, tmap_script_launch, 0},
    {TMAP_KEY_STEP_GRIDDEPCONTROL, tmap_script_griddepcontrol, 0},
    {TMAP_KEY_STEP_REPEAT, read_repeat, BIT(STEPS)},
};
enum { OPERATIONS_N = sizeof operations / sizeof *operations };

static void refuse_operations(tmap_script *s, const tmap_node *node, int n) {
    const char *names[OPERATIONS_N];
    for (size_t i = 0; i < OPERATIONS_N; i++) names[i] = tmap_key_get(operations[i].key)->name;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "a step has %s",
                                      n == 0 ? "no operation" : "more than one operation");
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, OPERATIONS_N, OPERATIONS_N);
    TMAP_SAY(diag->fix.words, n == 0 ? "one of these keys, for example {copy: load_a}" : "write two steps");
}

static void refuse_others(tmap_script_step *step, int operation) {
    char why[64];
    TMAP_SAY(why, "is not a key of the operation '%s'", tmap_key_get(operations[operation].key)->name);
    uint64_t known = operations[operation].others | BIT(ELECT) | BIT(WHEN);
    for (int key = TMAP_KEY_STEP_INIT; key <= TMAP_KEY_STEP_ELECT; key++)
        if (key != (int)operations[operation].key && !(known >> (key - TMAP_KEY_STEP_INIT) & 1))
            tmap_refuse_key(&step->r, (tmap_key)key, why);
}

/* Whether the conditions of `when` hold: one, or a list. */
static bool is_executed(tmap_script *s, tmap_script_step *step) {
    const tmap_node *when = value_of(step, TMAP_KEY_STEP_WHEN);
    bool list = when && when->kind == TMAP_NODE_LIST, holds = true;
    for (const tmap_node *item = list ? tmap_node_first(when) : when; item && holds; item = list ? item->next : NULL)
        holds = tmap_script_condition(s, tmap_node_value(item));
    return holds;
}

/* The host launches kernels, writes and reads tensors and maps, and waits. */
static bool judge_executor(tmap_script *s, const tmap_script_step *step, int operation) {
    const uint64_t launches = BIT(LAUNCH) | BIT(CAPTURE);
    const uint64_t both = BIT(REPLACE) | BIT(READ) | BIT(WRITE) | BIT(SYNC) | BIT(REPEAT);
    bool host = tmap_script_kernel_now(s)->host;
    tmap_key key = operations[operation].key;
    if ((both | (host ? launches : ~launches)) >> (key - TMAP_KEY_STEP_INIT) & 1) return true;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", step->r.mark, "'%s' is not a step of %s",
                                      tmap_key_get(key)->name, host ? "the host" : "a kernel");
    TMAP_SAY(diag->fix.words,
             host ? "a thread of a kernel executes this step" : "a thread with kernel: host executes this step");
    return false;
}

/* Whether this part executes a step with `elect`: one thread does. For an arrival, adds the elect.sync of the warp. */
static bool is_elected(tmap_script *s, tmap_script_step *step) {
    if (!value_of(step, TMAP_KEY_STEP_ELECT)) return true;
    bool arrives = value_of(step, TMAP_KEY_STEP_ARRIVE) != NULL;
    if (arrives) (void)joins_others(s, step, WARP, "elect");
    return s->threads[s->thread].elected;
}

/* Reports an empty list, with which the step or its condition would be omitted. Returns whether it did. */
static bool refuse_empty(tmap_script_step *step, tmap_key key) {
    const tmap_node *list = value_of(step, key);
    if (!list || list->kind != TMAP_NODE_LIST || list->size > 0) return false;
    tmap_refuse_kind(&step->r, key, list, "a value, or a list with at least one value");
    return true;
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
    if (n == 1) refuse_others(&step, operation);
    if (n != 1)
        refuse_operations(s, node, n);
    else if (refuse_empty(&step, operations[operation].key) || refuse_empty(&step, TMAP_KEY_STEP_WHEN))
        return;
    else if (value && judge_executor(s, &step, operation) && is_executed(s, &step) && is_elected(s, &step))
        operations[operation].read(s, &step, value);
}

void tmap_script_steps(tmap_script *s, const tmap_node *list) {
    if (list->kind != TMAP_NODE_LIST) {
        TMAP_SAY(tmap_report_add(s->report, "value-kind", list->mark, "steps must be a list")->fix.words,
                 "for example [{copy: load_a}]");
        return;
    }
    s->errors = s->report->errors;
    for (const tmap_node *item = tmap_node_first(list); item && tmap_script_goes_on(s, item); item = item->next)
        read_step(s, item);
}

tmap_sequence tmap_script_sequence(const tmap_script *s) {
    return (tmap_sequence){.threads = s->sequence_threads,
                           .threads_n = s->threads_n,
                           .regions = s->regions,
                           .regions_n = s->regions_n,
                           .steps = s->steps,
                           .steps_n = s->steps_n};
}
