/*
 * Sequences executed with their bytes. Expected bytes follow from the layout: element (column, row) of a tensor with 64
 * columns holds 64 * row + column, and without a swizzle a box of 8 columns has rows of 16 bytes.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/execution.h"

#define HEAD                                                                                                           \
    "tmap: 1\ntensors:\n  t: {type: u16, dims: [64, 64], box: [8, 8]}\n"                                               \
    "  v: {type: u32, dims: [64, 64], box: [4, 8]}\nshared:\n  a: {size: 128, stages: 2}\n"                            \
    "  full: {arrivals: 1, stages: 2}\ncopies:\n"                                                                      \
    "  load: {tensor: t, op: load, at: [0, 0], buffer: a, barrier: full}\n"                                            \
    "  both: {tensor: t, op: load, at: [0, 0], dst: cluster, cta_mask: 0x3, buffer: a, barrier: full}\n"               \
    "  store: {tensor: t, op: store, at: [0, 0], buffer: a}\n"                                                         \
    "  load_v: {tensor: v, op: load, at: [0, 0], buffer: a, barrier: full}\n"                                          \
    "  add_v: {tensor: v, op: reduce_add, at: [0, 0], buffer: a}\nsequence:\n"
#define LOAD(stage, at)                                                                                                \
    "    - {arrive: full, stage: " stage ", expect_tx: 128}\n    - {copy: load, stage: " stage ", at: " at "}\n"
#define INIT "    - {init: full}\n    - {fence: mbarrier_init}\n"

enum { BOX = 8, COLUMNS = 64, BYTES = 128, POISON = 0xab };

static tmap_spec *spec;

static tmap_execution *execute(const char *text, size_t most, const tmap_memory *globals) {
    tmap_execution *run = NULL;
    tmap_diags diags = {0};
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, &diags, &spec), TMAP_OK);
    tmap_execution_options options = {.poison = POISON, .max_moments = most, .globals = globals, .globals_n = 2};
    tmap_status status = tmap_execution_make(spec, &options, &diags, &run);
    for (size_t i = 0; i < diags.count; i++) print_message("%s\n", diags.items[i].message);
    assert_int_equal(status, TMAP_OK);
    tmap_diags_free(&diags);
    return run;
}

static void finish(tmap_execution *run) {
    tmap_execution_free(run);
    tmap_spec_free(spec);
}

static tmap_stage_state place(const tmap_execution *run, const char *name) {
    for (size_t i = 0; i < tmap_execution_stages_n(run); i++)
        if (strcmp(tmap_execution_stage(run, i).name, name) == 0) return tmap_execution_stage(run, i);
    fail_msg("no place is named %s", name);
    return (tmap_stage_state){.name = NULL};
}

/* A box of the tensor at a column and a row. */
static void expect_box(const tmap_stage_state *stage, unsigned column, unsigned row) {
    assert_int_equal(stage->size_B, BYTES);
    for (unsigned j = 0; j < BOX; j++)
        for (unsigned i = 0; i < BOX; i++) {
            unsigned value = (row + j) * COLUMNS + column + i;
            const uint8_t *at = stage->bytes + j * 16 + i * 2;
            assert_int_equal(at[0] | at[1] << 8, value & 0xffff);
        }
}

static void expect_all(const tmap_stage_state *stage, uint8_t byte) {
    for (unsigned i = 0; i < BYTES; i++) assert_int_equal(stage->bytes[i], byte);
}

static size_t moment_of(const tmap_execution *run, tmap_moment_kind kind, const char *text, size_t from) {
    for (size_t i = from; i < tmap_execution_moments_n(run); i++) {
        tmap_moment moment = tmap_execution_moment(run, i);
        if (moment.kind == kind && strncmp(moment.text, text, strlen(text)) == 0) return i;
    }
    fail_msg("no moment %s", text);
    return 0;
}

#define TWO_LOADS                                                                                                      \
    HEAD "  main:\n" INIT LOAD("0", "[8, 16]")                                                                         \
        LOAD("1", "[0, 3]") "    - {wait: full, stage: 0, parity: 0}\n    - {wait: full, stage: 1, parity: 0}\n    - " \
                            "{read: a}\n"

TEST(loads_fill_their_stages) {
    tmap_execution *run = execute(TWO_LOADS, SIZE_MAX, NULL);
    tmap_stage_state first = place(run, "a[0]"), second = place(run, "a[1]"), full = place(run, "full[1]");
    expect_box(&first, 8, 16);
    expect_box(&second, 0, 3);
    assert_string_equal(first.writer, "copy load");
    assert_int_equal(full.phases, 1);
    assert_int_equal(full.pending, 1);
    size_t read = moment_of(run, TMAP_MOMENT_STEP, "read a[0]", 0);
    tmap_moment moment = tmap_execution_moment(run, read);
    assert_string_equal(moment.region, "a[0]");
    assert_false(moment.writes);
    assert_memory_equal(moment.first, first.bytes, sizeof moment.first);
    finish(run);
}

/* A copy completes as late as possible: when the thread cannot continue. */
TEST(state_after_each_moment) {
    tmap_execution *run = execute(TWO_LOADS, SIZE_MAX, NULL);
    size_t done = moment_of(run, TMAP_MOMENT_COMPLETE, "copy load", 0);
    size_t waited = moment_of(run, TMAP_MOMENT_STEP, "wait full[0]", 0);
    tmap_moment wait = tmap_execution_moment(run, waited), complete = tmap_execution_moment(run, done);
    assert_true(done < waited);
    assert_int_equal(wait.sources_n, 2); /* the arrival and the completion */
    assert_true(wait.sources[0] == done || wait.sources[1] == done);
    assert_string_equal(complete.phase, "full[0]");
    finish(run);
    run = execute(TWO_LOADS, done, NULL);
    tmap_stage_state stage = place(run, "a[0]"), full = place(run, "full[0]");
    expect_all(&stage, POISON);
    assert_null(stage.writer);
    assert_int_equal(full.tx_B, BYTES);
    assert_int_equal(full.pending, 0);
    finish(run);
    run = execute(TWO_LOADS, done + 1, NULL);
    stage = place(run, "a[0]");
    expect_box(&stage, 8, 16);
    finish(run);
}

/* Stores change global memory, and a later load reads the new bytes. */
TEST(stores_change_global_memory) {
    tmap_execution *run = execute(
        HEAD "  main:\n" INIT
             "    - {write: a, stage: 0}\n    - {fence: proxy_async}\n    - {copy: store, stage: 0, at: [16, 8]}\n"
             "    - {commit: bulk}\n    - {wait_group: bulk}\n" LOAD(
                 "1", "[16, 8]") "    - {wait: full, stage: 1, parity: 0}\n",
        SIZE_MAX, NULL);
    tmap_stage_state written = place(run, "a[0]"), loaded = place(run, "a[1]");
    assert_memory_equal(written.bytes, loaded.bytes, BYTES);
    assert_string_equal(written.writer, "write a[0]");
    tmap_moment wait = tmap_execution_moment(run, moment_of(run, TMAP_MOMENT_STEP, "wait_group bulk", 0));
    assert_int_equal(wait.sources_n, 1);
    assert_int_equal(tmap_execution_moment(run, wait.sources[0]).kind, TMAP_MOMENT_COMPLETE);
    finish(run);
}

#define LOAD_V(stage)                                                                                                  \
    "    - {arrive: full, stage: " stage ", expect_tx: 128}\n    - {copy: load_v, stage: " stage ", at: [8, 16]}\n"

/* A box is loaded and added to itself: twice each value. */
TEST(reductions_add) {
    tmap_execution *run =
        execute(HEAD "  main:\n" INIT LOAD_V("0") "    - {wait: full, stage: 0, parity: 0}\n"
                                                  "    - {copy: add_v, stage: 0, at: [8, 16]}\n    - {commit: bulk}\n"
                                                  "    - {wait_group: bulk}\n" LOAD_V(
                                                      "1") "    - {wait: full, stage: 1, parity: 0}\n",
                SIZE_MAX, NULL);
    tmap_stage_state stage = place(run, "a[1]");
    for (unsigned j = 0; j < BOX; j++)
        for (unsigned i = 0; i < 4; i++) {
            uint32_t value;
            memcpy(&value, stage.bytes + j * 16 + i * 4, sizeof value);
            assert_int_equal(value, 2 * ((16 + j) * COLUMNS + 8 + i));
        }
    finish(run);
}

/* PTX ISA 9.1, cp.async.bulk.tensor: .multicast::cluster: the same bytes in each block of the mask, at the same offset.
 */
TEST(multicast_reaches_each_block) {
    tmap_execution *run =
        execute(HEAD "  all:\n    blocks: 2\n    steps:\n      - {init: full}\n      - {fence: mbarrier_init}\n"
                     "      - {arrive: full, expect_tx: 128}\n      - {sync: cluster}\n"
                     "      - {wait: full, parity: 0}\n"
                     "  loader:\n    - {sync: cluster}\n    - {copy: both, at: [24, 40]}\n",
                SIZE_MAX, NULL);
    tmap_stage_state first = place(run, "a[0] of block 0"), second = place(run, "a[0] of block 1");
    expect_box(&first, 24, 40);
    expect_box(&second, 24, 40);
    assert_int_equal(second.block, 1);
    assert_int_equal(place(run, "full[0] of block 1").phases, 1);
    finish(run);
}

TEST(global_memory_is_given) {
    static uint8_t bytes[COLUMNS * COLUMNS * 2];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    tmap_memory memories[2] = {{.size_B = sizeof bytes, .bytes = bytes}};
    tmap_execution *run = execute(TWO_LOADS, SIZE_MAX, memories);
    tmap_stage_state stage = place(run, "a[1]");
    for (unsigned j = 0; j < BOX; j++)
        assert_memory_equal(stage.bytes + j * 16, bytes + ((size_t)(3 + j) * COLUMNS) * 2, 16);
    finish(run);
}

/* A missing wait gives two results with different bytes: 0xcd from before, or the first elements of the box. */
TEST(races_show_bytes) {
    static const char text[] =
        HEAD "  main:\n" INIT LOAD("0", "[8, 16]") "    - {read: a}\n    - {wait: full, parity: 0}\n";
    tmap_diags diags = {0};
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, &diags, &spec), TMAP_OK);
    assert_int_equal(tmap_spec_check(spec, NULL, &diags), TMAP_REFUSED);
    assert_int_equal(diags.count, 1);
    const tmap_diag *diag = &diags.items[0];
    const char *note = diag->notes[diag->notes_n - 1].text;
    assert_string_equal(diag->rule, "sequence-order");
    assert_non_null(strstr(note, "the old bytes (cdcdcdcdcdcdcdcd)"));
    assert_non_null(strstr(note, "the bytes of copy load (080409040a040b04)"));
    tmap_diags_free(&diags);
    tmap_spec_free(spec);
}

TEST(nothing_to_execute_is_refused) {
    static const char without[] = "tmap: 1\n", sized[] = "tmap: 1\nsizes: {N: {max: 9}}\nsequence:\n  main: []\n",
                      wrong[] = "tmap: 1\nsequence:\n  main:\n    - {stage: 1}\n";
    tmap_execution_options options = {.max_moments = SIZE_MAX};
    tmap_execution *run;
    assert_int_equal(tmap_spec_read(without, strlen(without), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_execution_make(spec, &options, NULL, &run), TMAP_BAD_ARGUMENT);
    assert_false(tmap_spec_has_sequence(spec));
    tmap_spec_free(spec);
    assert_int_equal(tmap_spec_read(sized, strlen(sized), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_execution_make(spec, &options, NULL, &run), TMAP_BAD_ARGUMENT);
    tmap_spec_free(spec);
    assert_int_equal(tmap_spec_read(wrong, strlen(wrong), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_execution_make(spec, &options, NULL, &run), TMAP_REFUSED);
    assert_null(run);
    tmap_execution_free(NULL);
    tmap_spec_free(spec);
}
