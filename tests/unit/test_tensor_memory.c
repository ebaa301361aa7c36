/*
 * Accesses to tensor memory. Expected verdicts: PTX ISA 9.1, 9.7.16.6.4 Canonical synchronization patterns, each
 * pattern as the document has it and without one of its parts.
 */
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/spec.h"

#define HEAD                                                                                                           \
    "tmap: 1\narch: sm_100a\nshared:\n  a: {size: 1Ki, align: 1024}\n  d: {columns: 64}\n  e: {columns: 64}\n"         \
    "  bar1: {arrivals: 1}\n  bar2: {arrivals: 1}\n  end: {arrivals: 1}\nsequence:\n"
#define ONE          "  one:\n    - {init: [bar1, bar2, end]}\n    - {write: a}\n    - {fence: proxy_async}\n    - {sync: all}\n"
#define TWO          "  two:\n    - {sync: all}\n"
#define MMA          "    - {tcgen05_mma: a, into: d}\n"
#define COMMIT       "    - {commit: tcgen05, barrier: bar1}\n"
#define ARRIVE       "    - {arrive: bar1, sem: relaxed}\n"
#define WAIT         "    - {wait: bar1, parity: 0, sem: relaxed}\n"
#define RELEASE      "    - {arrive: bar1}\n"
#define ACQUIRE      "    - {wait: bar1, parity: 0}\n"
#define COMMIT_END   "    - {commit: tcgen05, barrier: end}\n    - {wait: end, parity: 0}\n"
#define LOAD         "    - {read: d}\n"
#define STORE        "    - {write: d}\n"
#define WAIT_LOAD    "    - {wait_group: tcgen05_ld}\n"
#define WAIT_STORE   "    - {wait_group: tcgen05_st}\n"
#define FENCE_BEFORE "    - {fence: tcgen05_before}\n"
#define FENCE_AFTER  "    - {fence: tcgen05_after}\n"
#define BOTH         MMA COMMIT WAIT FENCE_AFTER

typedef struct pattern {
    const char *name, *text, *rule; /* rule: of the first finding; NULL: no finding */
} pattern;

static const pattern patterns[] = {
    {"pipelined, same thread", HEAD ONE MMA MMA COMMIT_END TWO, NULL},
    {"another accumulator as operand is not pipelined",
     HEAD ONE MMA "    - {tcgen05_mma: [d, a], into: e}\n" COMMIT_END TWO, "sequence-order"},
    {"an accumulator as operand after its commit",
     HEAD ONE BOTH "    - {tcgen05_mma: [d, a], into: e}\n" COMMIT_END TWO, NULL},
    {"not pipelined, same thread: st, ld", HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD TWO, NULL},
    {"st, ld without wait::st", HEAD ONE STORE LOAD WAIT_LOAD WAIT_STORE TWO, "sequence-order"},
    {"st, ld with wait::ld in place of wait::st", HEAD ONE STORE WAIT_LOAD LOAD WAIT_LOAD TWO, "sequence-order"},
    {"not pipelined, same thread: ld, mma", HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD MMA COMMIT_END TWO, NULL},
    {"ld, mma without wait::ld", HEAD ONE STORE WAIT_STORE LOAD MMA COMMIT_END WAIT_LOAD TWO, "sequence-order"},
    {"not pipelined, same thread: mma, ld", HEAD ONE MMA COMMIT WAIT FENCE_AFTER LOAD WAIT_LOAD TWO, NULL},
    {"mma, ld without after_thread_sync, relaxed", HEAD ONE MMA COMMIT WAIT LOAD WAIT_LOAD TWO, "sequence-scope"},
    {"mma, ld without after_thread_sync", HEAD ONE MMA COMMIT ACQUIRE LOAD WAIT_LOAD TWO, "sequence-tcgen05-fence"},
    {"mma, ld without a wait", HEAD ONE MMA COMMIT FENCE_AFTER LOAD WAIT_LOAD ACQUIRE TWO, "sequence-order"},
    {"pipelined, different threads", HEAD ONE MMA FENCE_BEFORE ARRIVE TWO WAIT FENCE_AFTER MMA COMMIT_END, NULL},
    {"pipelined, different threads, without before_thread_sync",
     HEAD ONE MMA RELEASE TWO ACQUIRE FENCE_AFTER MMA COMMIT_END, "sequence-tcgen05-fence"},
    {"pipelined, different threads, without synchronization", HEAD ONE MMA TWO MMA COMMIT_END, "sequence-order"},
    {"not pipelined, different threads: ld, mma",
     HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD FENCE_BEFORE ARRIVE TWO WAIT FENCE_AFTER MMA COMMIT_END, NULL},
    {"ld, mma of different threads without wait::ld",
     HEAD ONE STORE WAIT_STORE LOAD FENCE_BEFORE ARRIVE WAIT_LOAD TWO WAIT FENCE_AFTER MMA COMMIT_END,
     "sequence-order"},
    {"ld, mma of different threads without before_thread_sync, relaxed",
     HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD ARRIVE TWO WAIT FENCE_AFTER MMA COMMIT_END, "sequence-scope"},
    {"ld, mma of different threads without before_thread_sync",
     HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD RELEASE TWO ACQUIRE FENCE_AFTER MMA COMMIT_END, "sequence-tcgen05-fence"},
    {"ld, mma of different threads without after_thread_sync",
     HEAD ONE STORE WAIT_STORE LOAD WAIT_LOAD FENCE_BEFORE RELEASE TWO ACQUIRE MMA COMMIT_END,
     "sequence-tcgen05-fence"},
    {"not pipelined, different threads: mma, ld", HEAD ONE MMA COMMIT TWO WAIT FENCE_AFTER LOAD WAIT_LOAD, NULL},
    {"composed: mma, a thread that waits, ld",
     HEAD ONE MMA COMMIT WAIT FENCE_AFTER FENCE_BEFORE
     "    - {arrive: bar2, sem: relaxed}\n" TWO
     "    - {wait: bar2, parity: 0, sem: relaxed}\n" FENCE_AFTER LOAD WAIT_LOAD,
     NULL},
    {"ld that nobody waits for", HEAD ONE MMA COMMIT TWO WAIT FENCE_AFTER LOAD, "sequence-exit"},
    {"ld of columns that nothing has written", HEAD ONE LOAD WAIT_LOAD TWO, "sequence-unwritten"},
    {"tcgen05.wait has no groups", HEAD ONE LOAD "    - {wait_group: tcgen05_ld, pending: 1}\n" TWO, "key-conflict"},
    {"no wgmma reads tensor memory", HEAD ONE "    - {wgmma: d}\n" TWO, "sequence-step"},
    {"an accumulator is not in shared memory", HEAD ONE "    - {tcgen05_mma: a, into: a}\n" TWO, "sequence-step"},
    {"an accumulator has one stage", HEAD ONE "    - {tcgen05_mma: a, into: {d: 0, e: 0}}\n" TWO, "value-kind"},
};

static void patterns_of_ptx(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const pattern *p = &patterns[i];
        tmap_spec *spec = NULL;
        tmap_diags diags = {0};
        assert_int_equal(tmap_spec_read(p->text, strlen(p->text), "p", NULL, &diags, &spec), TMAP_OK);
        (void)!tmap_spec_check(spec, NULL, &diags);
        const char *rule = diags.count > 0 ? diags.items[0].rule : NULL;
        bool expected = p->rule ? rule && strcmp(rule, p->rule) == 0 : !rule;
        if (!expected) fail_msg("%s: %s: %s", p->name, rule ? rule : "no finding", rule ? diags.items[0].message : "");
        tmap_diags_free(&diags);
        tmap_spec_free(spec);
    }
}

/* A tcgen05.ld before the completion of the tcgen05.mma returns either contents. */
static void a_race_has_two_results(void **state) {
    (void)state;
    static const char text[] = HEAD ONE STORE WAIT_STORE MMA COMMIT LOAD WAIT_LOAD ACQUIRE TWO;
    tmap_spec *spec = NULL;
    tmap_diags diags = {0};
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_spec_check(spec, NULL, &diags), TMAP_REFUSED);
    const char *note = diags.items[0].notes[diags.items[0].notes_n - 1].text;
    assert_non_null(strstr(note, "the bytes of tcgen05.mma a"));
    assert_non_null(strstr(note, "the bytes of tcgen05.st d"));
    tmap_diags_free(&diags);
    tmap_spec_free(spec);
}

/* In the emulator each write has different bytes; the columns have 512 bytes. */
static void columns_have_contents(void **state) {
    (void)state;
    static const char text[] = HEAD ONE STORE WAIT_STORE BOTH LOAD WAIT_LOAD TWO;
    tmap_execution_options options = {.moments_most = SIZE_MAX, .poison = 0xcd};
    tmap_spec *spec = NULL;
    tmap_execution *run;
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_execution_make(spec, &options, NULL, &run), TMAP_OK);
    tmap_stage_state d = tmap_execution_place(run, 1), e = tmap_execution_place(run, 2);
    assert_string_equal(d.name, "d");
    assert_string_equal(d.writer, "tcgen05.mma a");
    assert_int_equal(d.columns, 64);
    assert_int_equal(d.size_B, 64 * 512);
    assert_int_equal(e.address, 64);
    for (uint64_t i = 0; i < e.size_B; i++) assert_int_equal(e.bytes[i], 0xcd);
    size_t last = tmap_execution_moments_n(run);
    uint8_t stored[TMAP_EXECUTION_FIRST_B] = {0};
    while (last-- > 0) {
        tmap_moment moment = tmap_execution_moment(run, last);
        if (moment.kind != TMAP_MOMENT_COMPLETE || !moment.region) continue;
        if (strstr(moment.text, "tcgen05.st")) memcpy(stored, moment.first, sizeof stored);
        if (strstr(moment.text, "tcgen05.ld")) assert_memory_equal(moment.first, d.bytes, sizeof stored);
    }
    assert_memory_not_equal(stored, d.bytes, sizeof stored);
    tmap_execution_free(run);
    tmap_spec_free(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_of_ptx),
        cmocka_unit_test(a_race_has_two_results),
        cmocka_unit_test(columns_have_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
