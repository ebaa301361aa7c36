/* Sequences of two or three threads, written step by step, and what tmap says of them. */
#ifndef SEQUENCE_SCRIPTS_H
#define SEQUENCE_SCRIPTS_H

#include "cmocka_all.h"
#include "tmap/unstable/sequence.h"

enum { STAGES = 2, BYTES = 1024, STEPS = 256 };

/* Regions: stages of a, stages of the barriers full and empty, a tile c, the tensors, a map. */
enum { A = 0, FULL = A + STAGES, EMPTY = FULL + STAGES, C = EMPTY + STAGES, INPUT, OUTPUT, MAP, REGIONS };
enum { PRODUCER, CONSUMER, THIRD };

static tmap_piece pieces[REGIONS];
static tmap_region regions[REGIONS];
static const tmap_sequence_thread threads[] = {{"producer", 0}, {"consumer", 0}, {"third", 0}};

static inline void make_regions(void) {
    static char names[REGIONS][8];
    for (int i = 0; i < REGIONS; i++) {
        bool of_block = i <= C;
        pieces[i] = i < FULL ? (tmap_piece){(uint64_t)i * BYTES, (uint64_t)(i + 1) * BYTES} : (tmap_piece){0, BYTES};
        (void)snprintf(names[i], sizeof names[i], "r%d", i);
        regions[i] = (tmap_region){names[i], i < FULL ? 0 : i, &pieces[i], 1, of_block ? 0 : -1, false};
    }
}

typedef struct script {
    tmap_step steps[STEPS];
    size_t n;
} script;

static inline tmap_step *add(script *s, int thread, tmap_step_kind kind, const char *text) {
    assert_true(s->n < STEPS);
    tmap_step *step = &s->steps[s->n];
    *step = (tmap_step){
        .kind = kind, .thread = thread, .text = text, .map = -1, .barrier = -1, .mark = {(int)s->n + 1, 1, 1}};
    s->n++;
    return step;
}

static inline void add_barrier(script *s, int thread, tmap_step_kind kind, int barrier, unsigned number) {
    static const char *const texts[] = {
        [TMAP_STEP_INIT] = "init", [TMAP_STEP_ARRIVE] = "arrive", [TMAP_STEP_WAIT] = "wait"};
    tmap_step *step = add(s, thread, kind, texts[kind]);
    step->barrier = barrier;
    step->count = number;
    step->parity = number & 1;
}

static inline void add_fence(script *s, int thread, tmap_step_fence fence, int map) {
    tmap_step *step = add(s, thread, TMAP_STEP_FENCE, "fence");
    step->fence = fence;
    step->map = map;
}

static inline void add_sync(script *s) {
    add(s, PRODUCER, TMAP_STEP_SYNC, "sync")->threads = 3;
    add(s, CONSUMER, TMAP_STEP_SYNC, "sync")->threads = 3;
}

static inline void add_access(script *s, int thread, int region, bool writes) {
    tmap_step *step = add(s, thread, TMAP_STEP_ACCESS, writes ? "write" : "read");
    (writes ? step->writes : step->reads)[0] = region;
    step->writes_n = writes;
    step->reads_n = !writes;
}

static inline tmap_step *add_async(script *s, int thread, tmap_completion completes, int from, int to) {
    tmap_step *step = add(s, thread, TMAP_STEP_ASYNC, "copy");
    step->completes = completes;
    step->reads[0] = from;
    step->reads_n = 1;
    step->writes[0] = to;
    step->writes_n = to >= 0;
    return step;
}

static inline void add_group(script *s, int thread, tmap_step_kind kind, tmap_completion completes, bool read) {
    tmap_step *step = add(s, thread, kind, kind == TMAP_STEP_COMMIT ? "commit" : "wait_group");
    step->completes = completes;
    step->reads_only = read;
}

/* A ring of stages: the producer loads, the consumer reads; CUTLASS's PipelineTmaAsync, with one consumer. */
static inline void make_ring(script *s) {
    s->n = 0;
    for (int i = 0; i < STAGES; i++) add_barrier(s, PRODUCER, TMAP_STEP_INIT, FULL + i, 1);
    for (int i = 0; i < STAGES; i++) add_barrier(s, PRODUCER, TMAP_STEP_INIT, EMPTY + i, 1);
    add_fence(s, PRODUCER, TMAP_FENCE_MBARRIER_INIT, -1);
    add_sync(s);
    size_t begin = s->n;
    for (unsigned k = 0; k < 3 * STAGES; k++) {
        int stage = (int)(k % STAGES);
        unsigned use = k / STAGES;
        add_barrier(s, PRODUCER, TMAP_STEP_WAIT, EMPTY + stage, use + 1);
        add_barrier(s, PRODUCER, TMAP_STEP_ARRIVE, FULL + stage, 1);
        s->steps[s->n - 1].tx_B = BYTES;
        tmap_step *load = add_async(s, PRODUCER, TMAP_COMPLETES_TX, INPUT, A + stage);
        load->barrier = FULL + stage;
        load->tx_B = BYTES;
        add_barrier(s, CONSUMER, TMAP_STEP_WAIT, FULL + stage, use);
        add_access(s, CONSUMER, A + stage, false);
        add_barrier(s, CONSUMER, TMAP_STEP_ARRIVE, EMPTY + stage, 1);
    }
    for (size_t i = begin; i < s->n; i++) s->steps[i].mark.line = 100 + (int)((i - begin) % 6); /* lines of a loop */
}

/* The consumer writes a tile, the producer stores it, twice: the Programming Guide's store, by two threads. */
static inline void make_epilogue(script *s) {
    s->n = 0;
    for (int i = 0; i < 2; i++) {
        add_access(s, CONSUMER, C, true);
        add_fence(s, CONSUMER, TMAP_FENCE_PROXY_ASYNC, -1);
        add_sync(s);
        add_async(s, PRODUCER, TMAP_COMPLETES_BULK, C, OUTPUT)->atomic = true;
        add_group(s, PRODUCER, TMAP_STEP_COMMIT, TMAP_COMPLETES_BULK, false);
        add_group(s, PRODUCER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_BULK, true);
        if (i == 0) add_sync(s);
    }
}

/* A grouped GEMM changes its map between two loads. */
static inline void make_replace(script *s) {
    s->n = 0;
    add_barrier(s, PRODUCER, TMAP_STEP_INIT, FULL, 1);
    add_fence(s, PRODUCER, TMAP_FENCE_MBARRIER_INIT, -1);
    for (unsigned i = 0; i < 2; i++) {
        add_access(s, PRODUCER, MAP, true);
        add_fence(s, PRODUCER, TMAP_FENCE_TENSORMAP_RELEASE, MAP);
        add_fence(s, PRODUCER, TMAP_FENCE_TENSORMAP_ACQUIRE, MAP);
        add_barrier(s, PRODUCER, TMAP_STEP_ARRIVE, FULL, 1);
        s->steps[s->n - 1].tx_B = BYTES;
        tmap_step *load = add_async(s, PRODUCER, TMAP_COMPLETES_TX, INPUT, A);
        load->barrier = FULL;
        load->tx_B = BYTES;
        load->map = MAP;
        add_barrier(s, PRODUCER, TMAP_STEP_WAIT, FULL, i);
    }
}

/* wgmma reads two stages in turn; the stage of the completed group is released. */
static inline void make_wgmma(script *s) {
    s->n = 0;
    for (int i = 0; i < 2; i++) add_access(s, CONSUMER, A + i, true);
    add_fence(s, CONSUMER, TMAP_FENCE_PROXY_ASYNC, -1);
    for (int i = 0; i < 2; i++) {
        add_async(s, CONSUMER, TMAP_COMPLETES_WGMMA, A + i, -1);
        add_group(s, CONSUMER, TMAP_STEP_COMMIT, TMAP_COMPLETES_WGMMA, false);
    }
    add_group(s, CONSUMER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_WGMMA, false);
    s->steps[s->n - 1].pending = 1;
    add_access(s, CONSUMER, A, true);
    add_group(s, CONSUMER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_WGMMA, false);
}

/* tcgen05.mma reads a stage; its commit arrives at the barrier on which the writer waits. */
static inline void make_tcgen05(script *s) {
    s->n = 0;
    add_barrier(s, PRODUCER, TMAP_STEP_INIT, EMPTY, 1);
    add_access(s, PRODUCER, A, true);
    add_fence(s, PRODUCER, TMAP_FENCE_PROXY_ASYNC, -1);
    add_sync(s);
    add_async(s, CONSUMER, TMAP_COMPLETES_TCGEN05, A, -1);
    add_group(s, CONSUMER, TMAP_STEP_COMMIT, TMAP_COMPLETES_TCGEN05, false);
    s->steps[s->n - 1].barrier = EMPTY;
    add_barrier(s, PRODUCER, TMAP_STEP_WAIT, EMPTY, 0);
    add_access(s, PRODUCER, A, true);
}

typedef struct verdict {
    tmap_status status;
    tmap_diags diags;
    tmap_sequence_result result;
} verdict;

static inline verdict judge(const script *s) {
    verdict v = {0};
    tmap_sequence sequence = {threads, THIRD + 1, regions, REGIONS, s->steps, s->n};
    v.status = tmap_sequence_check(&sequence, NULL, NULL, &v.diags, &v.result);
    return v;
}

static inline void print_findings(const verdict *v) {
    char line[1024];
    for (size_t i = 0; i < v->diags.count; i++)
        print_message("step %d: %s\n", v->diags.items[i].mark.line,
                      tmap_diag_line(&v->diags.items[i], line, sizeof line));
}

/* Removes a line; in a loop this removes the step of each round. */
static inline void remove_line(script *to, const script *from, size_t step) {
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        if (from->steps[i].mark.line != from->steps[step].mark.line) to->steps[to->n++] = from->steps[i];
}

static inline bool has_rule(const verdict *v, const char *rule) {
    for (size_t i = 0; i < v->diags.count; i++)
        if (strcmp(v->diags.items[i].rule, rule) == 0) return true;
    return false;
}

static inline void expect(verdict v, const char *rule) {
    if (v.status != (rule ? TMAP_REFUSED : TMAP_OK) || (rule && !has_rule(&v, rule))) {
        print_findings(&v);
        fail_msg("%s", rule ? rule : "a finding");
    }
    tmap_diags_free(&v.diags);
}

static inline int setup(void **state) {
    (void)state;
    make_regions();
    return 0;
}

#endif
