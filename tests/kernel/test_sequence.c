/*
 * Sequences of steps of threads. Expected verdicts come from the documents: a sequence of the CUDA Programming Guide or
 * of CUTLASS's pipelines has no finding; the same sequence without one of its waits, arrivals or fences has a finding.
 */

#include "sequence_scripts.h"

typedef struct example {
    const char *name;
    void (*make)(script *s);
} example;

static const example examples[] = {
    {"ring", make_ring},   {"epilogue", make_epilogue}, {"replace", make_replace},
    {"wgmma", make_wgmma}, {"tcgen05", make_tcgen05},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

TEST(correct_sequences_have_no_finding) {
    static script s;
    for (int i = 0; i < EXAMPLES; i++) {
        examples[i].make(&s);
        verdict v = judge(&s);
        if (v.status != TMAP_OK) print_findings(&v);
        if (v.status != TMAP_OK) fail_msg("%s", examples[i].name);
        assert_int_equal(v.result.visited_states_n, 0);
        assert_true(v.result.pairs_n > 0);
        tmap_diags_free(&v.diags);
    }
}

static bool orders(const tmap_step *step) {
    return step->kind != TMAP_STEP_ACCESS && step->kind != TMAP_STEP_ASYNC;
}

TEST(each_single_line_of_order_is_missed) {
    static script s, less;
    size_t removed = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        examples[i].make(&s);
        for (size_t step = 0; step < s.n; step++) {
            if (!orders(&s.steps[step])) continue;
            remove_line(&less, &s, step);
            verdict v = judge(&less);
            if (v.diags.count == 0)
                fail_msg("%s: without line %d, %s of %s, no finding", examples[i].name, s.steps[step].mark.line,
                         s.steps[step].text, threads[s.steps[step].thread].name);
            removed++;
            tmap_diags_free(&v.diags);
        }
    }
    assert_true(removed > 40);
}

/* The line of the first step of this kind and thread is removed; a finding must have this rule. */
typedef struct mistake {
    void (*make)(script *s);
    tmap_step_kind kind;
    int thread;
    const char *rule;
} mistake;

TEST(mistakes_break_their_rule) {
    static const mistake mistakes[] = {
        {make_ring, TMAP_STEP_INIT, PRODUCER, "sequence-arrivals"},
        {make_ring, TMAP_STEP_FENCE, PRODUCER, "sequence-barrier-init"},
        {make_ring, TMAP_STEP_ARRIVE, PRODUCER, "sequence-tx"},
        {make_ring, TMAP_STEP_ARRIVE, PRODUCER, "sequence-hang"},
        {make_ring, TMAP_STEP_WAIT, CONSUMER, "sequence-order"},
        {make_ring, TMAP_STEP_ARRIVE, CONSUMER, "sequence-hang"},
        {make_epilogue, TMAP_STEP_FENCE, CONSUMER, "sequence-async-fence"},
        {make_epilogue, TMAP_STEP_SYNC, PRODUCER, "sequence-hang"},
        {make_epilogue, TMAP_STEP_WAIT_GROUP, PRODUCER, "sequence-order"},
        {make_replace, TMAP_STEP_WAIT, PRODUCER, "sequence-order"},
    };
    static script s, less;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        m->make(&s);
        size_t at = 0;
        while (s.steps[at].kind != m->kind || s.steps[at].thread != m->thread) at++;
        remove_line(&less, &s, at);
        verdict v = judge(&less);
        if (!has_rule(&v, m->rule)) print_findings(&v);
        if (!has_rule(&v, m->rule)) fail_msg("%zu: %s is not found", i, m->rule);
        tmap_diags_free(&v.diags);
    }
}

TEST(maps_need_both_fences) {
    static script s, less;
    make_replace(&s);
    remove_line(&less, &s, 3);
    expect(judge(&less), "sequence-map-release");
    remove_line(&less, &s, 4);
    expect(judge(&less), "sequence-map-acquire");
    make_replace(&s);
    s.steps[4].map = A; /* another map */
    expect(judge(&s), "sequence-map-acquire");
}

/* ---- Clusters -------------------------------------------------------------------------------------------------- */

/* Two thread blocks: the first writes into the memory of the second and arrives there; the second waits and reads.
 * PTX ISA 9.1, mbarrier.arrive: .shared::cluster, .release and .scope; the Memory Consistency Model, Scope. */
static const tmap_sequence_thread cluster[] = {{"writer", 0}, {"reader", 1}, {"no thread of the sequence", 1}};

static void make_remote(script *s) {
    s->n = 0;
    add_barrier(s, CONSUMER, TMAP_STEP_INIT, FULL, 1);
    add_fence(s, CONSUMER, TMAP_FENCE_MBARRIER_INIT, -1);
    add_sync(s);
    add_access(s, PRODUCER, A, true);
    add_barrier(s, PRODUCER, TMAP_STEP_ARRIVE, FULL, 1);
    add_barrier(s, CONSUMER, TMAP_STEP_WAIT, FULL, 0);
    add_access(s, CONSUMER, A, false);
}
enum { REMOTE_SYNC = 2, REMOTE_ARRIVE = 5, REMOTE_WAIT = 6 };

static verdict judge_cluster(const script *s) {
    tmap_region in_second[REGIONS];
    verdict v = {0};
    for (int i = 0; i < REGIONS; i++) {
        in_second[i] = regions[i];
        if (in_second[i].block == 0) in_second[i].block = 1;
    }
    tmap_sequence sequence = {cluster, 2, in_second, REGIONS, s->steps, s->n};
    v.status = tmap_sequence_check(&sequence, NULL, NULL, &v.diags, &v.result);
    return v;
}

TEST(scopes_must_reach_the_other_block) {
    static script s, other;
    for (tmap_step_reach scope = TMAP_REACHES_ENOUGH; scope <= TMAP_REACHES_SYS; scope++) {
        const char *rule = scope == TMAP_REACHES_CTA ? "sequence-scope" : NULL;
        make_remote(&s);
        s.steps[REMOTE_ARRIVE].scope = scope;
        expect(judge_cluster(&s), rule);
        make_remote(&s);
        s.steps[REMOTE_WAIT].scope = scope;
        expect(judge_cluster(&s), rule);
    }
    make_remote(&s);
    s.steps[REMOTE_ARRIVE].relaxed = true;
    expect(judge_cluster(&s), "sequence-scope");
    make_remote(&s);
    s.steps[REMOTE_SYNC].relaxed = s.steps[REMOTE_SYNC + 1].relaxed = true; /* enough after fence.mbarrier_init */
    expect(judge_cluster(&s), NULL);
    remove_line(&other, &s, REMOTE_SYNC - 1); /* without this fence */
    expect(judge_cluster(&other), "sequence-scope");
    other.n = 0; /* the fence orders no other write */
    add_access(&other, CONSUMER, A, true);
    for (size_t i = 0; i < s.n; i++) other.steps[other.n++] = s.steps[i];
    expect(judge_cluster(&other), "sequence-scope");
}

/* fence.acq_rel, the relaxed arrival, the relaxed wait, fence.acq_rel: PTX ISA 9.1, Release and Acquire Patterns. */
TEST(fences_order_relaxed_arrivals) {
    static script s, moved;
    make_remote(&s);
    s.steps[REMOTE_ARRIVE].relaxed = s.steps[REMOTE_WAIT].relaxed = true;
    for (int leave_out = 0; leave_out < 3; leave_out++) {
        moved.n = 0;
        for (size_t i = 0; i < s.n; i++) {
            if (i == REMOTE_ARRIVE && leave_out != 1) add_fence(&moved, PRODUCER, TMAP_FENCE_ACQ_REL, -1);
            moved.steps[moved.n++] = s.steps[i];
            if (i == REMOTE_WAIT && leave_out != 2) add_fence(&moved, CONSUMER, TMAP_FENCE_ACQ_REL, -1);
        }
        expect(judge_cluster(&moved), leave_out == 0 ? NULL : "sequence-scope");
        expect(judge(&moved), leave_out == 0 ? NULL : "sequence-scope"); /* in one block, then in exchanged roles */
        for (size_t i = 0; i < moved.n; i++) moved.steps[i].thread ^= PRODUCER ^ CONSUMER;
        expect(judge(&moved), leave_out == 0 ? NULL : "sequence-scope");
    }
}

/* Without the wait, the block that owns the memory may exit before the other block has written to the memory. */
TEST(blocks_wait_for_accesses_of_other_blocks) {
    static script s;
    make_remote(&s);
    s.n = REMOTE_WAIT;
    expect(judge_cluster(&s), "sequence-exit");
    s.n = REMOTE_ARRIVE;
    add_fence(&s, PRODUCER, TMAP_FENCE_ACQ_REL, -1);
    add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, FULL, 1);
    s.steps[s.n - 1].relaxed = true;
    expect(judge_cluster(&s), "sequence-exit");
}

/* A store without its last wait: the thread block exits next. */
TEST(blocks_do_not_end_before_their_stores) {
    static script s;
    make_epilogue(&s);
    s.n--;
    verdict v = judge(&s);
    assert_int_equal(v.diags.count, 1);
    assert_string_equal(v.diags.items[0].rule, "sequence-exit");
    tmap_diags_free(&v.diags);
}

/* A read before the first write of its bytes, and a read of bytes that are only partly written. */
TEST(reads_need_data) {
    static script s;
    s.n = 0;
    add_access(&s, PRODUCER, A, false);
    add_access(&s, PRODUCER, A, true);
    verdict v = judge(&s);
    assert_int_equal(v.diags.count, 1);
    assert_string_equal(v.diags.items[0].rule, "sequence-unwritten");
    assert_int_equal(v.diags.items[0].notes_n, 1);
    assert_int_equal(v.diags.items[0].notes[0].mark.line, 2);
    tmap_diags_free(&v.diags);
    s.n = 0;
    add_access(&s, PRODUCER, A, true);
    add_access(&s, PRODUCER, A + 1, false);
    expect(judge(&s), "sequence-unwritten");
}

/* Without the wait, the read returns the bytes from before or the bytes of the copy; its other bytes are certain. */
TEST(races_have_several_results) {
    static script s;
    s.n = 0;
    add_access(&s, PRODUCER, A + 1, true);
    add_barrier(&s, PRODUCER, TMAP_STEP_INIT, FULL, 1);
    add_fence(&s, PRODUCER, TMAP_FENCE_MBARRIER_INIT, -1);
    add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, FULL, 1);
    s.steps[s.n - 1].tx_B = BYTES;
    tmap_step *load = add_async(&s, PRODUCER, TMAP_COMPLETES_TX, INPUT, A);
    load->barrier = FULL;
    load->tx_B = BYTES;
    add_access(&s, PRODUCER, A + 1, false);
    s.steps[s.n - 1].reads[1] = A;
    s.steps[s.n - 1].reads_n = 2;
    add_barrier(&s, PRODUCER, TMAP_STEP_WAIT, FULL, 0);
    verdict v = judge(&s);
    assert_int_equal(v.diags.count, 1);
    assert_int_equal(v.result.results_n, 1);
    assert_true(v.result.all_states);
    const tmap_diag *diag = &v.diags.items[0];
    assert_string_equal(diag->rule, "sequence-order");
    assert_int_equal(diag->notes_n, 2);
    assert_non_null(strstr(diag->notes[1].text, "the old bytes"));
    assert_non_null(strstr(diag->notes[1].text, "the bytes of copy"));
    tmap_diags_free(&v.diags);
}

static void store_between_writes(script *s, bool waits) {
    s->n = 0;
    add_access(s, PRODUCER, A, true);
    s->steps[s->n - 1].text = "first";
    add_fence(s, PRODUCER, TMAP_FENCE_PROXY_ASYNC, -1);
    add_async(s, PRODUCER, TMAP_COMPLETES_BULK, A, OUTPUT);
    add_group(s, PRODUCER, TMAP_STEP_COMMIT, TMAP_COMPLETES_BULK, false);
    if (waits) add_group(s, PRODUCER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_BULK, true);
    add_access(s, PRODUCER, A, true);
    s->steps[s->n - 1].text = "second";
    if (!waits) add_group(s, PRODUCER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_BULK, true);
}

/* Without the wait, the store reads the bytes of the first write or of the second. */
TEST(stores_have_several_results) {
    static script s;
    store_between_writes(&s, false);
    verdict v = judge(&s);
    assert_int_equal(v.diags.count, 1);
    const tmap_diag *diag = &v.diags.items[0];
    assert_int_equal(diag->notes_n, 2);
    assert_int_equal(v.result.results_n, 1);
    assert_non_null(strstr(diag->notes[1].text, "the bytes of first"));
    assert_non_null(strstr(diag->notes[1].text, "the bytes of second"));
    tmap_diags_free(&v.diags);
}

/* With the wait, the store's read has one result, the bytes of the first write, even if the store writes them to global
 * memory after the second write. The consumer's read of the stage has three results, its read of the output two. */
TEST(stores_read_before_they_write) {
    static script s;
    store_between_writes(&s, true);
    add_access(&s, CONSUMER, A, false);
    verdict v = judge(&s);
    assert_int_equal(v.result.results_n, 2);
    tmap_diags_free(&v.diags);
    store_between_writes(&s, true);
    add_access(&s, CONSUMER, A, false);
    add_access(&s, CONSUMER, OUTPUT, false); /* before the store or after it */
    v = judge(&s);
    assert_int_equal(v.result.results_n, 3);
    tmap_diags_free(&v.diags);
}

/* Many races and a wait that never ends: the list of races ends with a note, and the wait is found. */
TEST(long_lists_end) {
    static script s;
    s.n = 0;
    for (int i = 0; i < 120; i++)
        for (int thread = PRODUCER; thread <= CONSUMER; thread++)
            add_access(&s, thread, A, thread == PRODUCER || i % 2);
    add_barrier(&s, PRODUCER, TMAP_STEP_INIT, FULL, 1);
    add_barrier(&s, PRODUCER, TMAP_STEP_WAIT, FULL, 0);
    verdict v = judge(&s);
    assert_in_range(v.diags.count, 66, 80);
    bool listed = false, searched = false, hang = false;
    for (size_t i = 0; i < v.diags.count; i++) {
        listed |= strstr(v.diags.items[i].message, "are not listed") != NULL;
        bool ended = strstr(v.diags.items[i].message, "the search for possible results ended") != NULL;
        searched |= ended;
        assert_true(!ended || v.diags.items[i].mark.line == 1); /* the first step with a race */
        hang |= strcmp(v.diags.items[i].rule, "sequence-hang") == 0;
    }
    assert_false(v.result.all_states);
    assert_true(listed && searched && hang);
    tmap_diags_free(&v.diags);
}

/* A wrong number of expected bytes: a hang, or a phase that completes early. */
TEST(bytes_are_counted) {
    static script s;
    make_ring(&s);
    for (size_t i = 0; i < s.n; i++)
        if (s.steps[i].kind == TMAP_STEP_ARRIVE && s.steps[i].tx_B > 0) s.steps[i].tx_B *= 2;
    expect(judge(&s), "sequence-tx");
    expect(judge(&s), "sequence-hang");
    make_ring(&s);
    s.steps[2 * STAGES + 4].tx_B = 1u << 20;
    expect(judge(&s), "sequence-tx");
}

TEST(an_empty_sequence_is_correct) {
    assert_int_equal(tmap_sequence_check(NULL, NULL, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    tmap_sequence empty = {NULL, 0, NULL, 0, NULL, 0};
    assert_int_equal(tmap_sequence_check(&empty, NULL, NULL, NULL, NULL), TMAP_OK);
}

/* Each step has one wrong number; with the number beside it, which is the nearest right one, it is accepted. */
TEST(steps_outside_the_limits_are_refused) {
    enum { READS = TMAP_SEQUENCE_READS_MAX };
    static const struct {
        tmap_step wrong, right;
    } rows[] = {
        {{.thread = -1}, {.thread = CONSUMER}},
        {{.thread = 2}, {.thread = CONSUMER}},
        {{.reads_n = 1, .reads = {REGIONS}}, {.reads_n = 1, .reads = {REGIONS - 1}}},
        {{.reads_n = -1}, {.text = NULL}},
        {{.reads_n = READS + 1}, {.reads_n = READS}},
        {{.writes_n = -1}, {.text = NULL}},
        {{.writes_n = 5}, {.writes_n = 4}},
        {{.reads_n = 1, .reads = {-1}}, {.reads_n = 1}},
        {{.map = REGIONS}, {.map = REGIONS - 1}},
        {{.kind = TMAP_STEP_WAIT, .barrier = REGIONS}, {.kind = TMAP_STEP_WAIT, .barrier = REGIONS - 1}},
        {{.kind = TMAP_STEP_WAIT, .parity = 2}, {.kind = TMAP_STEP_WAIT, .parity = 1}},
        {{.kind = TMAP_STEP_WAIT, .barrier = -1}, {.barrier = -1}},
        {{.kind = TMAP_STEP_ARRIVE, .barrier = -1}, {.kind = TMAP_STEP_ARRIVE}},
        {{.kind = TMAP_STEP_INVAL, .barrier = -1}, {.kind = TMAP_STEP_INVAL}},
        {{.kind = TMAP_STEP_ASYNC, .barrier = -1}, {.kind = TMAP_STEP_ASYNC, .completes = 1, .barrier = -1}},
        {{.kind = TMAP_STEP_COMMIT, .completes = TMAP_COMPLETES_TCGEN05, .barrier = -1},
         {.kind = TMAP_STEP_COMMIT, .completes = TMAP_COMPLETES_BULK, .barrier = -1}},
        {{.kind = TMAP_STEP_ALLOC, .writes_n = 2}, {.kind = TMAP_STEP_ALLOC, .writes_n = 1}},
        {{.kind = TMAP_STEP_DEALLOC}, {.kind = TMAP_STEP_DEALLOC, .writes_n = 1}},
        {{.kind = TMAP_STEP_LAUNCH, .threads = 1}, {.kind = TMAP_STEP_LAUNCH, .threads = 2}},
        {{.kind = TMAP_STEP_LAUNCH, .threads = 4}, {.kind = TMAP_STEP_LAUNCH, .threads = 2}},
        {{.kind = TMAP_STEP_LAUNCH, .after = 1}, {.kind = TMAP_STEP_LAUNCH, .after = 2}},
        {{.kind = TMAP_STEP_JOIN, .threads = 1}, {.kind = TMAP_STEP_JOIN, .threads = 2}},
        {{.kind = TMAP_STEP_SYNC, .threads = 2}, {.kind = TMAP_STEP_SYNC, .threads = 1}},
        {{.scope = TMAP_REACHES_SYS + 1}, {.scope = TMAP_REACHES_SYS}},
        {{.fence = TMAP_FENCE_TCGEN05_AFTER + 1}, {.fence = TMAP_FENCE_TCGEN05_AFTER}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_step wrong = rows[i].wrong, right = rows[i].right;
        wrong.text = right.text = "step";
        tmap_sequence sequence = {threads, 2, regions, REGIONS, &wrong, 1};
        if (tmap_sequence_check(&sequence, NULL, NULL, NULL, NULL) != TMAP_BAD_ARGUMENT) fail_msg("row %zu", i);
        sequence.steps = &right;
        if (tmap_sequence_check(&sequence, NULL, NULL, NULL, NULL) == TMAP_BAD_ARGUMENT) fail_msg("row %zu, right", i);
    }
}

/* `block` is that of the first thread. */
static bool accepts(int threads_n, int block, size_t regions_n, size_t steps_n) {
    static tmap_sequence_thread many[TMAP_SEQUENCE_THREADS_MAX + 1];
    static tmap_region of_many[TMAP_SEQUENCE_REGIONS_MAX + 1];
    static tmap_step steps[TMAP_SEQUENCE_STEPS_MAX + 1];
    for (size_t i = 0; i < steps_n; i++) steps[i] = (tmap_step){.text = "step", .map = -1, .barrier = -1};
    many[0].block = block;
    many[TMAP_SEQUENCE_THREADS_MAX].block = -1; /* not a thread of the sequence */
    tmap_sequence sequence = {many, threads_n, of_many, regions_n, steps, steps_n};
    return tmap_sequence_check(&sequence, NULL, NULL, NULL, NULL) == TMAP_OK;
}

TEST(sequences_outside_the_limits_are_refused) {
    enum { THREADS = TMAP_SEQUENCE_THREADS_MAX, BLOCKS = TMAP_SEQUENCE_BLOCKS_MAX };
    assert_true(accepts(THREADS, 0, 0, 0) && !accepts(THREADS + 1, 0, 0, 0) && !accepts(-1, 0, 0, 0));
    assert_true(accepts(2, BLOCKS - 1, 0, 0) && !accepts(2, BLOCKS, 0, 0) && !accepts(2, -1, 0, 0));
    assert_true(accepts(2, 0, TMAP_SEQUENCE_REGIONS_MAX, 0) && !accepts(2, 0, TMAP_SEQUENCE_REGIONS_MAX + 1, 0));
    assert_true(accepts(2, 0, 0, TMAP_SEQUENCE_STEPS_MAX) && !accepts(2, 0, 0, TMAP_SEQUENCE_STEPS_MAX + 1));
}

int main(void) {
    return tests_run(setup, NULL);
}
