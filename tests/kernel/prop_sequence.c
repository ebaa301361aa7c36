/*
 * Sequences: random kernels of 2 or 3 threads with 1 to 3 barriers, against the oracle that runs every interleaving.
 * tmap must find a race, a missing fence, an arrival too many and a hang exactly in the kernels that have one in some
 * execution. At most one kernel in 100 may be undecided. A fix states the `pending` of a wait if this gives the two
 * accesses an order, and a larger number does not, or the fix is a wait that gives this order. A counterexample is
 * shrunk, and printed as a spec.
 *
 *   prop_sequence [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag/refuse.h"
#include "random_threads.h"
#include "tmap/unstable/sequence.h"

enum { PIECE_B = 64, STEPS_MAX = 128 };

/* ---- The verdict of tmap --------------------------------------------------------------------------------------- */

enum { BARRIER = ORACLE_BUFFERS, REGIONS = BARRIER + ORACLE_BARRIERS };

typedef struct verdict {
    bool race, unfenced, over_arrival, hang, undecided;
    int wrong_fix; /* the step with the finding; 0: none */
} verdict;

static tmap_step *add_step(tmap_sequence *sequence, tmap_step *steps, int thread, tmap_step_kind kind) {
    if (sequence->steps_n == STEPS_MAX) abort();
    static char texts[STEPS_MAX][12];
    tmap_step *step = &steps[sequence->steps_n++];
    (void)snprintf(texts[sequence->steps_n - 1], sizeof *texts, "step %zu", sequence->steps_n);
    *step = (tmap_step){.kind = kind,
                        .thread = thread,
                        .text = texts[sequence->steps_n - 1],
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

/* Whether these two accesses still have no order; the execution may now reach the other access first. */
static bool is_found(const tmap_sequence *sequence, const tmap_diag *diag) {
    tmap_diags diags = {0};
    bool found = false;
    tmap_status status = tmap_sequence_check(sequence, NULL, NULL, &diags, NULL);
    if (status != TMAP_OK && status != TMAP_REFUSED) abort();
    for (size_t i = 0; i < diags.count; i++) {
        int line = diags.items[i].mark.line, other = diags.items[i].notes[0].mark.line;
        bool same = line == diag->mark.line && other == diag->notes[0].mark.line;
        bool swapped = line == diag->notes[0].mark.line && other == diag->mark.line;
        found |= tmap_diag_is(&diags.items[i], diag->rule) && (same || swapped);
    }
    tmap_diags_free(&diags);
    return found;
}

static bool orders(const tmap_sequence *sequence, tmap_step *wait, unsigned pending, const tmap_diag *diag) {
    tmap_step before = *wait;
    wait->pending = pending;
    bool found = is_found(sequence, diag);
    *wait = before;
    return !found;
}

static bool has_hang(const tmap_sequence *sequence) {
    tmap_diags diags = {0};
    bool found = false;
    tmap_status status = tmap_sequence_check(sequence, NULL, NULL, &diags, NULL);
    if (status != TMAP_OK && status != TMAP_REFUSED) abort();
    for (size_t i = 0; i < diags.count; i++) found |= tmap_diag_is(&diags.items[i], "sequence-hang");
    tmap_diags_free(&diags);
    return found;
}

/* Whether a wait for some barrier, before step `number`, gives the two accesses an order, and adds no hang. */
static bool wait_orders(const tmap_sequence *sequence, unsigned number, const tmap_diag *diag) {
    tmap_step steps[STEPS_MAX + 1];
    tmap_sequence more = *sequence;
    bool orders = false, hangs = has_hang(sequence);
    more.steps = steps, more.steps_n++;
    for (int i = 0; i < 2 * ORACLE_BARRIERS && !orders; i++) {
        memcpy(steps, sequence->steps, (number - 1) * sizeof *steps);
        memcpy(steps + number, sequence->steps + number - 1, (sequence->steps_n - number + 1) * sizeof *steps);
        steps[number - 1] = (tmap_step){.kind = TMAP_STEP_WAIT,
                                        .thread = steps[number].thread,
                                        .text = "wait",
                                        .map = -1,
                                        .barrier = BARRIER + i / 2,
                                        .parity = (unsigned)i % 2,
                                        .mark = {STEPS_MAX + 1, 1, 1}};
        orders = !is_found(&more, diag) && (hangs || !has_hang(&more));
    }
    return orders;
}

static bool is_right_fix(const tmap_sequence *sequence, tmap_step *steps, const tmap_diag *diag) {
    unsigned pending, number;
    bool right = true;
    if (sscanf(diag->fix.words, "in t%*d: pending: %u in 'step %u'", &pending, &number) == 2)
        return orders(sequence, &steps[number - 1], pending, diag) &&
               !orders(sequence, &steps[number - 1], pending + 1, diag);
    for (size_t i = 0; i < sequence->steps_n; i++)
        right &=
            steps[i].kind != TMAP_STEP_WAIT_GROUP || steps[i].pending == 0 || !orders(sequence, &steps[i], 0, diag);
    bool waits = sscanf(diag->fix.words, "in t%*d, before 'step %u': wait for", &number) == 1;
    return right || (waits && wait_orders(sequence, number, diag));
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
        if (!is_right_fix(&sequence, steps, &diags.items[i])) v.wrong_fix = diags.items[i].mark.line;
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
    if (v->wrong_fix) return false;
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
    fprintf(stderr, "race %d %d, fence %d %d, arrivals %d %d, hang %d %d; wrong fix in step %d\nshared: {", truth.race,
            v.race, truth.unfenced, v.unfenced, truth.over_arrival, v.over_arrival, truth.hang, v.hang, v.wrong_fix);
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
