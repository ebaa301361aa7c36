/*
 * Accesses to tensor memory. Expected verdicts: PTX ISA 9.1, 9.7.16.6.4 Canonical synchronization patterns, each
 * pattern as the document has it and without one of its parts.
 */
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/execution.h"

#define HEAD                                                                                                           \
    "tmap: 1\narch: sm_100a\nshared:\n  a: {size: 1Ki, align: 1024}\n  d: {columns: 64}\n  e: {columns: 64}\n"         \
    "  bar1: {arrivals: 1}\n  bar2: {arrivals: 1}\n  end: {arrivals: 1}\nsequence:\n"
#define ONE          "  one:\n    - {init: [bar1, bar2, end]}\n    - {write: a}\n    - {fence: proxy_async}\n    - {sync: all}\n"
#define TWO          "  two:\n    - {sync: all}\n"
#define MMA          "    - {tcgen05_mma: a, into: d}\n"
#define CP           "    - {tcgen05_cp: a, into: e}\n"
#define SCALED       "    - {tcgen05_mma: [a, e], into: d}\n"
#define ALLOC        "    - {tcgen05_alloc: [d, e]}\n"
#define DEALLOC      "    - {tcgen05_dealloc: [d, e]}\n"
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
    {"pipelined, same thread: cp, mma", HEAD ONE CP SCALED COMMIT_END TWO, NULL},
    {"cp, mma, cp of the same columns", HEAD ONE CP SCALED CP SCALED COMMIT_END TWO, NULL},
    {"pipelined, different threads: cp, mma", HEAD ONE CP FENCE_BEFORE ARRIVE TWO WAIT FENCE_AFTER SCALED COMMIT_END,
     NULL},
    {"cp, mma of different threads without before_thread_sync, relaxed",
     HEAD ONE CP ARRIVE TWO WAIT FENCE_AFTER SCALED COMMIT_END, "sequence-scope"},
    {"cp, mma of different threads without after_thread_sync",
     HEAD ONE CP FENCE_BEFORE RELEASE TWO ACQUIRE SCALED COMMIT_END, "sequence-tcgen05-fence"},
    {"cp, mma of different threads without synchronization", HEAD ONE CP TWO SCALED COMMIT_END, "sequence-order"},
    {"not pipelined: cp, ld", HEAD ONE CP COMMIT WAIT FENCE_AFTER "    - {read: e}\n" WAIT_LOAD TWO, NULL},
    {"cp, ld without a commit", HEAD ONE CP "    - {read: e}\n" WAIT_LOAD COMMIT_END TWO, "sequence-order"},
    {"st, cp without wait::st", HEAD ONE "    - {write: e}\n" CP SCALED COMMIT_END WAIT_STORE TWO, "sequence-order"},
    {"cp of shared memory that nothing has written", HEAD "  one:\n    - {init: [bar1, bar2, end]}\n" CP COMMIT_END,
     "sequence-unwritten"},
    {"the source of a cp is written again before the commit", HEAD ONE CP "    - {write: a}\n" COMMIT_END TWO,
     "sequence-order"},
    {"a cp without a fence after the write of its source",
     HEAD "  one:\n    - {init: [bar1, bar2, end]}\n    - {write: a}\n" CP COMMIT_END, "sequence-async-fence"},
    {"allocated", HEAD ONE ALLOC MMA COMMIT WAIT FENCE_AFTER LOAD WAIT_LOAD DEALLOC TWO, NULL},
    {"allocated by one thread, used by the other",
     HEAD ONE ALLOC RELEASE "    - {wait: bar2, parity: 0}\n" DEALLOC TWO ACQUIRE MMA COMMIT_END
                            "    - {arrive: bar2}\n",
     NULL},
    {"used by the other thread, without an order after the allocation",
     HEAD ONE ALLOC "    - {wait: bar2, parity: 0}\n" DEALLOC TWO MMA COMMIT_END "    - {arrive: bar2}\n",
     "sequence-order"},
    {"deallocated by one thread before the mma of the other is complete",
     HEAD ONE ALLOC RELEASE "    - {wait: bar2, parity: 0}\n" DEALLOC TWO ACQUIRE MMA
                            "    - {arrive: bar2}\n" COMMIT_END,
     "sequence-order"},
    {"loaded after the deallocation", HEAD ONE ALLOC STORE WAIT_STORE DEALLOC LOAD WAIT_LOAD TWO,
     "sequence-allocation"},
    {"stored before the allocation", HEAD ONE STORE WAIT_STORE ALLOC DEALLOC TWO, "sequence-allocation"},
    {"kept to the end", HEAD ONE ALLOC TWO, "sequence-allocation"},
    {"freed, and never allocated", HEAD ONE DEALLOC TWO, "sequence-allocation"},
    {"allocated twice", HEAD ONE ALLOC "    - {tcgen05_alloc: e}\n" DEALLOC TWO, "sequence-allocation"},
    {"allocated again", HEAD ONE ALLOC STORE WAIT_STORE DEALLOC ALLOC STORE WAIT_STORE DEALLOC TWO, NULL},
    {"an allocation is not data", HEAD ONE ALLOC LOAD WAIT_LOAD DEALLOC TWO, "sequence-unwritten"},
    {"no shared memory is allocated", HEAD ONE "    - {tcgen05_alloc: a}\n" TWO, "sequence-step"},
    {"a cp has a destination", HEAD ONE "    - {tcgen05_cp: a}\n" TWO, "key-missing"},
    {"a cp has one source", HEAD ONE "    - {tcgen05_cp: [a, a], into: e}\n" TWO, "value-kind"},
    {"the source of a cp is in shared memory", HEAD ONE "    - {tcgen05_cp: d, into: e}\n" TWO, "sequence-step"},
    {"tcgen05.wait has no groups", HEAD ONE LOAD "    - {wait_group: tcgen05_ld, pending: 1}\n" TWO, "key-conflict"},
    {"no wgmma reads tensor memory", HEAD ONE "    - {wgmma: d}\n" TWO, "sequence-step"},
    {"an accumulator is not in shared memory", HEAD ONE "    - {tcgen05_mma: a, into: a}\n" TWO, "sequence-step"},
    {"an accumulator has one stage", HEAD ONE "    - {tcgen05_mma: a, into: {d: 0, e: 0}}\n" TWO, "value-kind"},
};

TEST(patterns_of_ptx) {
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
TEST(a_race_has_two_results) {
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
TEST(columns_have_contents) {
    static const char text[] = HEAD ONE STORE WAIT_STORE BOTH LOAD WAIT_LOAD TWO;
    tmap_execution_options options = {.max_moments = SIZE_MAX, .poison = 0xcd};
    tmap_spec *spec = NULL;
    tmap_execution *run;
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_execution_make(spec, &options, NULL, &run), TMAP_OK);
    tmap_stage_state d = tmap_execution_stage(run, 1), e = tmap_execution_stage(run, 2);
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
