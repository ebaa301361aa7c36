/* Findings about sequences name the cause, and a fix that works. */
#include "sequence_scripts.h"

static void expect_fix(const script *s, const char *rule, const char *fix) {
    verdict v = judge(s);
    bool found = false;
    for (size_t i = 0; i < v.diags.count; i++)
        found |= strcmp(v.diags.items[i].rule, rule) == 0 && strstr(v.diags.items[i].fix.words, fix);
    if (!found) print_findings(&v);
    if (!found) fail_msg("%s: %s", rule, fix);
    tmap_diags_free(&v.diags);
}

/* The phase of a second arrival, which nobody makes, never ends: no wait can follow the commit. */
TEST(commits_without_a_phase_are_left_out) {
    static script s;
    make_tcgen05(&s);
    s.steps[0].count = 2;
    s.n -= 2;
    expect_fix(&s, "sequence-exit", "leave out this commit");
}

/* wait_group: bulk_read shows that the bytes are read, not that they are written, with any `pending`. */
TEST(written_bytes_require_the_other_wait) {
    static script s;
    s.n = 0;
    for (int i = 0; i < 2; i++) {
        add_async(&s, PRODUCER, TMAP_COMPLETES_BULK, INPUT, i == 0 ? OUTPUT : MAP);
        add_group(&s, PRODUCER, TMAP_STEP_COMMIT, TMAP_COMPLETES_BULK, false);
    }
    add_group(&s, PRODUCER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_BULK, true);
    s.steps[s.n - 1].pending = 2;
    add_access(&s, PRODUCER, OUTPUT, false);
    expect_fix(&s, "sequence-order", "wait_group: bulk");
}

/* An arrival before the read shows nothing about the read: no wait for it orders the next write. */
TEST(waits_are_for_arrivals_after_the_access) {
    static script s;
    s.n = 0;
    add_barrier(&s, CONSUMER, TMAP_STEP_INIT, EMPTY, 1);
    add_access(&s, CONSUMER, A, true);
    add_sync(&s);
    add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, EMPTY, 1);
    add_access(&s, PRODUCER, A, false);
    add_access(&s, CONSUMER, A, true);
    expect_fix(&s, "sequence-order", "producer must arrive at a barrier after its step");
}

/* The producer waits for its own phase, and not for the readers: a copy is expected before it is issued. */
TEST(waits_come_before_the_arrival_that_expects_the_copy) {
    static script s;
    make_ring(&s);
    for (size_t i = 0; i < s.n; i++)
        if (s.steps[i].kind == TMAP_STEP_WAIT && s.steps[i].thread == PRODUCER) s.steps[i].barrier += FULL - EMPTY;
    expect_fix(&s, "sequence-order", "before 'arrive': wait for r4");
}

/* The consumer arrives at the barrier after a sync in which the producer takes part: a wait for this arrival before the
 * sync never ends. */
TEST(waits_are_not_for_what_follows_the_thread) {
    static script s;
    s.n = 0;
    add_barrier(&s, CONSUMER, TMAP_STEP_INIT, EMPTY, 1);
    add_access(&s, PRODUCER, A, true);
    add_sync(&s);
    add_async(&s, PRODUCER, TMAP_COMPLETES_BULK, A, OUTPUT);
    add_group(&s, PRODUCER, TMAP_STEP_COMMIT, TMAP_COMPLETES_BULK, false);
    add_group(&s, PRODUCER, TMAP_STEP_WAIT_GROUP, TMAP_COMPLETES_BULK, true);
    s.steps[s.n - 1].pending = 1;
    add_sync(&s);
    add_access(&s, CONSUMER, A, true);
    add_barrier(&s, CONSUMER, TMAP_STEP_ARRIVE, EMPTY, 1);
    expect_fix(&s, "sequence-order", "in producer: pending: 0 in");
}

/* `n` steps hang, and `causes` of the findings name another step as the cause. */
static void expect_hangs(const script *s, size_t n, size_t causes) {
    verdict v = judge(s);
    assert_int_equal(v.diags.count, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(v.diags.items[i].rule, "sequence-hang");
        causes -= strstr(v.diags.items[i].fix.words, "first correct") != NULL;
    }
    assert_int_equal(causes, 0);
    tmap_diags_free(&v.diags);
}

/* The producer waits for the consumer, which waits for the third thread, and that one for the consumer. */
TEST(hangs_name_the_thread_on_which_others_depend) {
    static script s;
    s.n = 0;
    for (int i = 0; i < 3; i++) add_barrier(&s, PRODUCER, TMAP_STEP_INIT, FULL + i, 2);
    for (int thread = 0; thread < 3; thread++) add(&s, thread, TMAP_STEP_SYNC, "sync")->threads = 7;
    for (int i = 0; i < 3; i++) add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, FULL + i, 1);
    for (int thread = 0; thread < 3; thread++) add_barrier(&s, thread, TMAP_STEP_WAIT, FULL + thread, 0);
    add_barrier(&s, CONSUMER, TMAP_STEP_ARRIVE, FULL, 1);
    add_barrier(&s, CONSUMER, TMAP_STEP_ARRIVE, FULL + THIRD, 1);
    add_barrier(&s, THIRD, TMAP_STEP_ARRIVE, FULL + CONSUMER, 1);
    expect_hangs(&s, 3, 1);
}

/* Two threads wait for each other, and execute the same syncs: that of the producer alone is another one. */
TEST(equal_numbers_of_syncs_are_no_cause) {
    static script s;
    s.n = 0;
    add_barrier(&s, PRODUCER, TMAP_STEP_INIT, EMPTY, 2);
    add_sync(&s);
    add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, EMPTY, 1);
    add(&s, PRODUCER, TMAP_STEP_SYNC, "sync")->threads = 1;
    add_barrier(&s, CONSUMER, TMAP_STEP_WAIT, EMPTY, 0);
    add_sync(&s);
    add_barrier(&s, PRODUCER, TMAP_STEP_ARRIVE, EMPTY, 1);
    expect_hangs(&s, 2, 0);
}

int main(void) {
    return tests_run(setup, NULL);
}
