/*
 * Sequences: random kernels of 2 or 3 threads with 1 to 3 barriers, against the oracle that runs every interleaving.
 * tmap must find a race, a missing fence, an arrival too many and a hang exactly in the kernels that have one in some
 * execution. At most one kernel in 100 may be undecided. A counterexample is shrunk, and printed as a spec.
 *
 *   test_sequence [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag/refuse.h"
#include "oracle/threads.h"
#include "prop/prop.h"
#include "tmap/unstable/sequence.h"

enum { PIECE_B = 64, STEPS_MAX = 128 };

/* ---- Random kernels -------------------------------------------------------------------------------------------- */

static int below(tmap_random *random, int n) {
    return (int)tmap_random_between(random, 0, (uint64_t)n - 1);
}

static bool one_in(tmap_random *random, int n) {
    return below(random, n) == 0;
}

static void put(oracle_kernel *kernel, int thread, oracle_action action) {
    int *n = &kernel->actions_n[thread];
    if (*n < ORACLE_ACTIONS) kernel->actions[thread][(*n)++] = action;
}

static oracle_action random_action(tmap_random *random, const oracle_kernel *kernel) {
    static const oracle_action_kind kinds[] = {
        ORACLE_LATE_ARRIVE, ORACLE_READ,       ORACLE_WRITE, ORACLE_LOAD,   ORACLE_STORE, ORACLE_COMMIT,
        ORACLE_FENCE,       ORACLE_WAIT_GROUP, ORACLE_SYNC,  ORACLE_ARRIVE, ORACLE_WAIT,  ORACLE_ARRIVE,
        ORACLE_WAIT,        ORACLE_READ,       ORACLE_WRITE, ORACLE_ARRIVE, ORACLE_WAIT};
    oracle_action a = {.kind = kinds[below(random, sizeof kinds / sizeof *kinds)],
                       .buffer = below(random, 2),
                       .barrier = below(random, kernel->barriers_n),
                       .count = one_in(random, 8) ? 2 : 1,
                       .parity = (unsigned)below(random, 2),
                       .pending = one_in(random, 4),
                       .reads = one_in(random, 2)};
    if (a.kind == ORACLE_LOAD) a.pieces = one_in(random, 6) ? 4 : 2;
    if (a.kind == ORACLE_ARRIVE && one_in(random, 3)) a.pieces = one_in(random, 6) ? 4 : 2;
    return a;
}

/* Any actions; some of them in a loop, whose waits alternate. */
static void random_threads(tmap_random *random, oracle_kernel *kernel) {
    for (int thread = 0; thread < kernel->threads_n; thread++) {
        int n = 1 + below(random, kernel->threads_n == 2 ? 6 : 4);
        int rounds = one_in(random, 3) ? 2 + below(random, 2) : 1;
        oracle_action body[8];
        for (int i = 0; i < n; i++) body[i] = random_action(random, kernel);
        int loop = rounds > 1 && n > 4 ? n - 4 : 0;
        for (int i = 0; i < loop; i++) put(kernel, thread, body[i]);
        for (int k = 0; k < rounds; k++)
            for (int i = loop; i < n; i++) {
                oracle_action a = body[i];
                a.parity ^= (unsigned)k & 1;
                put(kernel, thread, a);
            }
    }
}

/*
 * A producer that fills a buffer in each round, and consumers that read it: barrier 0 reports a full buffer, barrier 1
 * an empty one. The producer writes or loads.
 */
static void ring(tmap_random *random, oracle_kernel *kernel) {
    bool loads = one_in(random, 2), waits = !one_in(random, 6);
    int rounds = 1 + below(random, 3);
    kernel->barriers_n = 2;
    kernel->expected[0] = 1;
    kernel->expected[1] = kernel->threads_n - 1;
    for (int k = 0; k < rounds; k++) {
        if (waits) put(kernel, 0, (oracle_action){.kind = ORACLE_WAIT, .barrier = 1, .parity = (k + 1) & 1});
        if (!loads) put(kernel, 0, (oracle_action){.kind = ORACLE_WRITE});
        put(kernel, 0, (oracle_action){.kind = ORACLE_ARRIVE, .count = 1, .pieces = loads ? 2 : 0});
        if (loads) put(kernel, 0, (oracle_action){.kind = ORACLE_LOAD, .pieces = 2});
        for (int thread = 1; thread < kernel->threads_n; thread++) {
            put(kernel, thread, (oracle_action){.kind = ORACLE_WAIT, .parity = k & 1});
            put(kernel, thread, (oracle_action){.kind = ORACLE_READ});
            if (loads) put(kernel, thread, (oracle_action){.kind = ORACLE_FENCE});
            put(kernel, thread, (oracle_action){.kind = ORACLE_ARRIVE, .barrier = 1, .count = 1});
        }
    }
}

/* One thread writes, all meet, a thread stores. */
static void epilogue(tmap_random *random, oracle_kernel *kernel) {
    int rounds = 1 + below(random, 2);
    for (int k = 0; k < rounds; k++)
        for (int thread = 0; thread < kernel->threads_n; thread++) {
            if (thread == 0) put(kernel, 0, (oracle_action){.kind = ORACLE_WRITE});
            if (thread == 0) put(kernel, 0, (oracle_action){.kind = ORACLE_FENCE});
            put(kernel, thread, (oracle_action){.kind = ORACLE_SYNC});
            if (thread != 1) continue;
            put(kernel, 1, (oracle_action){.kind = ORACLE_STORE});
            put(kernel, 1, (oracle_action){.kind = ORACLE_COMMIT});
            put(kernel, 1, (oracle_action){.kind = ORACLE_WAIT_GROUP, .reads = true, .pending = one_in(random, 4)});
        }
    for (int thread = 0; thread < kernel->threads_n; thread++)
        put(kernel, thread, (oracle_action){.kind = ORACLE_SYNC});
}

static void remove_action(oracle_kernel *kernel, int thread, int index) {
    oracle_action *at = kernel->actions[thread] + index;
    memmove(at, at + 1, (size_t)(--kernel->actions_n[thread] - index) * sizeof *at);
}

static void insert_action(oracle_kernel *kernel, int thread, int index, oracle_action action) {
    if (kernel->actions_n[thread] == ORACLE_ACTIONS) return;
    oracle_action *at = kernel->actions[thread] + index;
    memmove(at + 1, at, (size_t)(kernel->actions_n[thread]++ - index) * sizeof *at);
    *at = action;
}

/* A mistake: an action too many, too few, in the wrong place or with a wrong number. */
static void mistake(tmap_random *random, oracle_kernel *kernel) {
    int thread = below(random, kernel->threads_n), n = kernel->actions_n[thread];
    if (n == 0) return;
    int index = below(random, n), other = below(random, n);
    oracle_action *a = &kernel->actions[thread][index];
    switch (below(random, 6)) {
    case 0: remove_action(kernel, thread, index); break;
    case 1: insert_action(kernel, thread, index, random_action(random, kernel)); break;
    case 2: insert_action(kernel, thread, other, *a); break;
    case 3: a->parity ^= 1; break;
    case 4: a->barrier = below(random, kernel->barriers_n); break;
    default: kernel->expected[below(random, kernel->barriers_n)] = 1 + below(random, 2); break;
    }
}

static int count_of(const oracle_kernel *kernel, bool fences) {
    int n = 0;
    for (int thread = 0; thread < kernel->threads_n; thread++)
        for (int i = 0; i < kernel->actions_n[thread]; i++) {
            oracle_action_kind kind = kernel->actions[thread][i].kind;
            bool late = kind == ORACLE_LOAD || kind == ORACLE_STORE || kind == ORACLE_LATE_ARRIVE;
            n += fences ? kind == ORACLE_FENCE : late;
        }
    return n;
}

static void random_kernel_of(tmap_random *random, oracle_kernel *kernel) {
    *kernel = (oracle_kernel){.threads_n = 2 + one_in(random, 2), .barriers_n = 1 + below(random, 3)};
    for (int i = 0; i < ORACLE_BARRIERS; i++) kernel->expected[i] = one_in(random, 4) ? 2 : 1;
    int shape = below(random, 4);
    if (shape < 2)
        random_threads(random, kernel);
    else
        (shape == 2 ? ring : epilogue)(random, kernel);
    for (int mistakes = shape < 2 ? 0 : below(random, 4); mistakes > 0; mistakes--) mistake(random, kernel);
}

static oracle_kernel random_kernel(tmap_random *random) {
    oracle_kernel kernel;
    do random_kernel_of(random, &kernel);
    while (count_of(&kernel, false) > ORACLE_COPIES || count_of(&kernel, true) > ORACLE_FENCES);
    return kernel;
}

/* ---- The verdict of tmap --------------------------------------------------------------------------------------- */

enum { BARRIER = ORACLE_BUFFERS, REGIONS = BARRIER + ORACLE_BARRIERS };

typedef struct verdict {
    bool race, unfenced, over_arrival, hang, undecided;
} verdict;

static tmap_step *add_step(tmap_sequence *sequence, tmap_step *steps, int thread, tmap_step_kind kind) {
    if (sequence->steps_n == STEPS_MAX) abort();
    tmap_step *step = &steps[sequence->steps_n++];
    *step = (tmap_step){.kind = kind,
                        .thread = thread,
                        .text = "step",
                        .map = -1,
                        .barrier = -1,
                        .mark = {(int)sequence->steps_n, 1, 1}};
    return step;
}

static void add_action(tmap_sequence *sequence, tmap_step *steps, int thread, const oracle_action *a) {
    static const tmap_step_kind kinds[] = {
        [ORACLE_READ] = TMAP_STEP_ACCESS,        [ORACLE_WRITE] = TMAP_STEP_ACCESS,
        [ORACLE_LOAD] = TMAP_STEP_ASYNC,         [ORACLE_STORE] = TMAP_STEP_ASYNC,
        [ORACLE_COMMIT] = TMAP_STEP_COMMIT,      [ORACLE_WAIT_GROUP] = TMAP_STEP_WAIT_GROUP,
        [ORACLE_LATE_ARRIVE] = TMAP_STEP_COMMIT, [ORACLE_ARRIVE] = TMAP_STEP_ARRIVE,
        [ORACLE_WAIT] = TMAP_STEP_WAIT,          [ORACLE_SYNC] = TMAP_STEP_SYNC,
        [ORACLE_FENCE] = TMAP_STEP_FENCE,
    };
    tmap_step *step = add_step(sequence, steps, thread, kinds[a->kind]);
    bool reads = a->kind == ORACLE_READ || a->kind == ORACLE_STORE;
    bool writes = a->kind == ORACLE_WRITE || a->kind == ORACLE_LOAD;
    step->reads[0] = step->writes[0] = a->buffer;
    step->reads_n = reads;
    step->writes_n = writes;
    if (a->kind == ORACLE_LOAD || a->kind >= ORACLE_LATE_ARRIVE) step->barrier = BARRIER + a->barrier;
    if (step->barrier < 0) step->completes = TMAP_COMPLETES_BULK;
    if (a->kind == ORACLE_LATE_ARRIVE) step->completes = TMAP_COMPLETES_TCGEN05;
    step->count = (uint32_t)a->count;
    step->tx_B = (uint64_t)a->pieces * PIECE_B;
    step->pending = (uint32_t)a->pending;
    step->reads_only = a->reads;
    step->parity = a->parity;
    step->fence = TMAP_FENCE_PROXY_ASYNC;
    step->threads = (1U << sequence->threads_n) - 1;
}

/* Thread 0 initialises the barriers before all meet. */
static void add_steps(tmap_sequence *sequence, tmap_step *steps, const oracle_kernel *kernel) {
    for (int i = 0; i < kernel->barriers_n; i++) {
        tmap_step *init = add_step(sequence, steps, 0, TMAP_STEP_INIT);
        init->barrier = BARRIER + i;
        init->count = (uint32_t)kernel->expected[i];
    }
    add_step(sequence, steps, 0, TMAP_STEP_FENCE)->fence = TMAP_FENCE_MBARRIER_INIT;
    for (int thread = 0; thread < kernel->threads_n; thread++) {
        add_action(sequence, steps, thread, &(oracle_action){.kind = ORACLE_SYNC});
        for (int i = 0; i < kernel->actions_n[thread]; i++)
            add_action(sequence, steps, thread, &kernel->actions[thread][i]);
    }
}

static verdict judge(const oracle_kernel *kernel) {
    static const tmap_sequence_thread threads[] = {{"t0", 0}, {"t1", 0}, {"t2", 0}};
    tmap_step steps[STEPS_MAX];
    tmap_region regions[REGIONS];
    tmap_piece pieces[REGIONS];
    for (int i = 0; i < REGIONS; i++) {
        pieces[i] = (tmap_piece){0, 8};
        regions[i] = (tmap_region){i < BARRIER ? "buffer" : "barrier", i, &pieces[i], 1, -1, false};
    }
    tmap_sequence sequence = {threads, kernel->threads_n, regions, REGIONS, steps, 0, NULL, NULL};
    tmap_diags diags = {0};
    verdict v = {0};
    add_steps(&sequence, steps, kernel);
    tmap_status status = tmap_sequence_check(&sequence, NULL, NULL, &diags, NULL);
    if (status != TMAP_OK && status != TMAP_REFUSED) abort();
    for (size_t i = 0; i < diags.count; i++) {
        v.race |= tmap_diag_is(&diags.items[i], "sequence-order") && diags.items[i].severity == TMAP_ERROR;
        v.unfenced |= tmap_diag_is(&diags.items[i], "sequence-async-fence");
        v.unfenced |= tmap_diag_is(&diags.items[i], "sequence-async-reuse");
        v.over_arrival |= tmap_diag_is(&diags.items[i], "sequence-arrivals");
        v.hang |= tmap_diag_is(&diags.items[i], "sequence-hang");
        v.undecided |= tmap_diag_is(&diags.items[i], "sequence-undecided");
    }
    tmap_diags_free(&diags);
    return v;
}

/* ---- Comparison ------------------------------------------------------------------------------------------------ */

typedef struct counts {
    uint64_t race, unfenced, over_arrival, hang, good, undecided, skipped;
} counts;

/* Two accesses that have no order in some execution have no other finding. */
static bool agree(const oracle_faults *truth, const verdict *v) {
    if (!truth->all || v->undecided) return true;
    bool fences = truth->race || truth->unfenced == v->unfenced;
    return fences && truth->race == v->race && truth->over_arrival == v->over_arrival && truth->hang == v->hang;
}

static bool differs(const oracle_kernel *kernel) {
    oracle_faults truth = oracle_execute(kernel);
    verdict v = judge(kernel);
    return !agree(&truth, &v);
}

static bool shrink_once(oracle_kernel *kernel) {
    for (int thread = 0; thread < kernel->threads_n; thread++)
        for (int i = 0; i < kernel->actions_n[thread]; i++) {
            oracle_kernel less = *kernel;
            remove_action(&less, thread, i);
            if (!differs(&less)) continue;
            *kernel = less;
            return true;
        }
    return false;
}

static void print_action(const oracle_action *a) {
    static const char *const names[] = {"read: a", "write: a", "copy: l", "copy: s"};
    fprintf(stderr, "    - {");
    if (a->kind <= ORACLE_STORE) fprintf(stderr, "%s%d", names[a->kind], a->buffer);
    if (a->kind == ORACLE_LOAD) fprintf(stderr, ", barrier: m%d} # %d B", a->barrier, a->pieces * PIECE_B);
    if (a->kind == ORACLE_COMMIT) fprintf(stderr, "commit: bulk");
    if (a->kind == ORACLE_WAIT_GROUP)
        fprintf(stderr, "wait_group: bulk%s, pending: %d", a->reads ? "_read" : "", a->pending);
    if (a->kind == ORACLE_ARRIVE) fprintf(stderr, "arrive: m%d, count: %d", a->barrier, a->count);
    if (a->kind == ORACLE_ARRIVE && a->pieces > 0) fprintf(stderr, ", expect_tx: %d", a->pieces * PIECE_B);
    if (a->kind == ORACLE_LATE_ARRIVE) fprintf(stderr, "commit: tcgen05, barrier: m%d", a->barrier);
    if (a->kind == ORACLE_WAIT) fprintf(stderr, "wait: m%d, parity: %u", a->barrier, a->parity);
    if (a->kind == ORACLE_SYNC) fprintf(stderr, "sync: all");
    if (a->kind == ORACLE_FENCE) fprintf(stderr, "fence: proxy_async");
    fprintf(stderr, "%s\n", a->kind == ORACLE_LOAD ? "" : "}");
}

static int report(oracle_kernel *kernel, const prop_options *options, uint64_t number) {
    while (shrink_once(kernel)) continue;
    oracle_faults truth = oracle_execute(kernel);
    verdict v = judge(kernel);
    fprintf(stderr, "case %" PRIu64 " of seed %" PRIu64 ": the oracle and tmap differ\n", number, options->seed);
    fprintf(stderr, "race %d %d, fence %d %d, arrivals %d %d, hang %d %d\nshared: {", truth.race, v.race,
            truth.unfenced, v.unfenced, truth.over_arrival, v.over_arrival, truth.hang, v.hang);
    for (int i = 0; i < kernel->barriers_n; i++) fprintf(stderr, "m%d: {arrivals: %d}, ", i, kernel->expected[i]);
    fprintf(stderr, "}\n");
    for (int thread = 0; thread < kernel->threads_n; thread++) {
        fprintf(stderr, "  t%d:\n", thread);
        for (int i = 0; i < kernel->actions_n[thread]; i++) print_action(&kernel->actions[thread][i]);
    }
    return EXIT_FAILURE;
}

static void count(counts *c, const oracle_faults *truth, const verdict *v) {
    c->race += truth->race;
    c->unfenced += truth->unfenced;
    c->over_arrival += truth->over_arrival;
    c->hang += truth->hang;
    c->good += !truth->race && !truth->unfenced && !truth->over_arrival && !truth->hang;
    c->undecided += v->undecided;
    c->skipped += !truth->all;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 10000);
    counts c = {0};
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        oracle_kernel kernel = random_kernel(&random);
        oracle_faults truth = oracle_execute(&kernel);
        verdict v = judge(&kernel);
        count(&c, &truth, &v);
        if (!agree(&truth, &v)) return report(&kernel, &options, i);
    }
    printf("sequences: seed %" PRIu64 ", %" PRIu64 " kernels: %" PRIu64 " with a race, %" PRIu64
           " without a fence, %" PRIu64 " with an arrival too many, %" PRIu64 " that hang, %" PRIu64 " good; %" PRIu64
           " undecided, %" PRIu64 " too large for the oracle\n",
           options.seed, options.cases, c.race, c.unfenced, c.over_arrival, c.hang, c.good, c.undecided, c.skipped);
    if (c.undecided * 100 <= options.cases) return EXIT_SUCCESS;
    fprintf(stderr, "more than one kernel in 100 is undecided\n");
    return EXIT_FAILURE;
}
