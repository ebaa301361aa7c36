/*
 * Sequences of a host and two kernels. Expected verdicts come from the PTX ISA, griddepcontrol, and from the CUDA
 * Programming Guide, Programmatic Dependent Launch: without griddepcontrol.wait nothing orders the second kernel after
 * a first kernel that has executed launch_dependents.
 */
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/sequence.h"

enum { HOST, FIRST, SECOND, THREADS };
enum { ALL_KERNELS = 1 << FIRST | 1 << SECOND };

static const tmap_sequence_thread threads[THREADS] = {{"host", 0, -1}, {"first", 1, 0}, {"second", 2, 1}};
static const tmap_piece piece = {0, 64};
static const tmap_region workspace = {"workspace", 1, &piece, 1, -1, false};

typedef struct script {
    tmap_step steps[16];
    size_t n;
} script;

static tmap_step *add(script *s, int thread, tmap_step_kind kind, const char *text, uint64_t others) {
    tmap_step *step = &s->steps[s->n];
    *step = (tmap_step){.kind = kind, .thread = thread, .text = text, .map = -1, .barrier = -1, .threads = others};
    step->mark.line = (int)++s->n;
    return step;
}

/* The host launches both kernels, the first writes the workspace, and the second reads it, after `joined` threads. The
 * second kernel starts after the end of the threads `after`. */
static script make(uint64_t after, uint64_t joined) {
    script s = {.n = 0};
    add(&s, HOST, TMAP_STEP_LAUNCH, "launch first", 1 << FIRST);
    add(&s, HOST, TMAP_STEP_LAUNCH, "launch second", 1 << SECOND)->after = after;
    add(&s, FIRST, TMAP_STEP_ACCESS, "write", 0)->writes_n = 1;
    if (joined) add(&s, SECOND, TMAP_STEP_JOIN, "wait", joined);
    add(&s, SECOND, TMAP_STEP_ACCESS, "read", 0)->reads_n = 1;
    return s;
}

static tmap_status judge(const script *s, const char *rule) {
    tmap_sequence sequence = {threads, THREADS, &workspace, 1, s->steps, s->n, NULL, NULL};
    tmap_diags diags = {0};
    tmap_status status = tmap_sequence_check(&sequence, NULL, NULL, &diags, NULL);
    assert_int_equal(diags.count, rule != NULL);
    if (rule) assert_string_equal(diags.items[0].rule, rule);
    tmap_diags_free(&diags);
    return status;
}

TEST(a_kernel_waits_for_the_kernel_before) {
    script s = make(1 << FIRST, 0);
    assert_int_equal(judge(&s, NULL), TMAP_OK);
    s = make(0, 1 << FIRST);
    assert_int_equal(judge(&s, NULL), TMAP_OK);
    s = make(0, 0);
    assert_int_equal(judge(&s, "sequence-order"), TMAP_REFUSED);
}

/* The writes of the host before a launch are ordered before the kernel; those after it only after a wait for it. */
TEST(the_host_is_ordered_by_launches_and_waits) {
    script s = {.n = 0};
    add(&s, HOST, TMAP_STEP_ACCESS, "write", 0)->writes_n = 1;
    add(&s, HOST, TMAP_STEP_LAUNCH, "launch", ALL_KERNELS);
    add(&s, FIRST, TMAP_STEP_ACCESS, "read", 0)->reads_n = 1;
    add(&s, SECOND, TMAP_STEP_ACCESS, "read", 0)->reads_n = 1;
    size_t before = s.n;
    add(&s, HOST, TMAP_STEP_JOIN, "sync", ALL_KERNELS);
    add(&s, HOST, TMAP_STEP_ACCESS, "overwrite", 0)->writes_n = 1;
    assert_int_equal(judge(&s, NULL), TMAP_OK);
    s.steps[before].threads = 1 << FIRST;
    assert_int_equal(judge(&s, "sequence-order"), TMAP_REFUSED);
}

TEST(ends_that_wait_for_each_other_hang) {
    script s = {.n = 0};
    add(&s, FIRST, TMAP_STEP_JOIN, "wait", 1 << SECOND);
    add(&s, SECOND, TMAP_STEP_JOIN, "wait", 1 << FIRST);
    s.steps[1].mark = s.steps[0].mark;
    assert_int_equal(judge(&s, "sequence-hang"), TMAP_REFUSED);
}

TEST(other_threads_must_exist) {
    script s = make(1 << FIRST, 0);
    tmap_sequence sequence = {threads, THREADS, &workspace, 1, s.steps, s.n, NULL, NULL};
    s.steps[1].after = 1 << THREADS;
    assert_int_equal(tmap_sequence_check(&sequence, NULL, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    s = make(0, 1 << SECOND);
    sequence.steps_n = s.n;
    assert_int_equal(tmap_sequence_check(&sequence, NULL, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
}
