/* Blocks of random cases on the oracle: they agree with the prediction, and planted faults are found and shrunk. */
#include <string.h>

#include "oracle_device.h"
#include "tmap/unstable/fuzz.h"
#include "tmap/unstable/recording.h"
#include "tmap/unstable/tables.h"

typedef struct first_found {
    size_t count;
    uint64_t number;
    tmap_probe probe;
    tmap_probe_report report;
} first_found;

static void keep_first(void *context, uint64_t number, const tmap_probe *probe, const tmap_probe_report *report,
                       const tmap_observation *seen) {
    first_found *first = context;
    assert_true((seen == NULL) == (report->verdict == TMAP_PROBE_NOT_RUN));
    if (report->verdict != TMAP_PROBE_DIFFERS || first->count++ > 0) return;
    first->number = number;
    first->probe = *probe;
    first->report = *report;
}

static tmap_fuzz_block run(const tmap_fuzz *fuzz, uint64_t number, const char *fault, first_found *found) {
    tmap_diag refusal;
    tmap_device *device = open_oracle(fault);
    tmap_fuzz_block block;
    tmap_status status = tmap_fuzz_run(device, fuzz, number, NULL, keep_first, found, &block, &refusal);
    if (status != TMAP_OK) fail_msg("block %llu: %s", (unsigned long long)number, refusal.message);
    tmap_device_close(device);
    return block;
}

TEST(a_block_is_as_predicted) {
    const tmap_fuzz fuzz = {.seed = 5};
    first_found found = {0};
    tmap_fuzz_block seen = run(&fuzz, 3, "", &found), predicted;
    assert_int_equal(tmap_fuzz_predict(&fuzz, 3, NULL, &predicted), TMAP_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(seen.differing_n, 0);
    assert_string_equal(seen.inputs, predicted.inputs);
    assert_string_equal(seen.outputs, predicted.outputs);
    assert_true(seen.by_op[TMAP_OP_LOAD] > 100);
    assert_true(seen.by_op[TMAP_OP_STORE] > 100);
    assert_true(seen.by_op[TMAP_OP_GATHER4] > 10);
    assert_true(seen.by_op[TMAP_OP_SCATTER4] > 0);
}

TEST(blocks_and_seeds_are_different) {
    const tmap_fuzz one = {.seed = 1}, two = {.seed = 2};
    tmap_fuzz_block a, b, c;
    assert_int_equal(tmap_fuzz_predict(&one, 0, NULL, &a), TMAP_OK);
    assert_int_equal(tmap_fuzz_predict(&one, 1, NULL, &b), TMAP_OK);
    assert_int_equal(tmap_fuzz_predict(&two, 0, NULL, &c), TMAP_OK);
    assert_string_not_equal(a.inputs, b.inputs);
    assert_string_not_equal(a.inputs, c.inputs);
    assert_string_not_equal(a.outputs, b.outputs);
}

TEST(only_the_requested_part_is_generated) {
    const tmap_fuzz fuzz = {.seed = 1, .ops = TMAP_OP_BIT(STORE), .archs = TMAP_ARCH_BIT(SM_90A)};
    for (uint64_t i = 0; i < 50; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&fuzz, i, &probe), TMAP_OK);
        assert_int_equal(probe.copy.op, TMAP_OP_STORE);
        assert_true(probe.predicts);
    }
    const tmap_fuzz nothing = {.ops = TMAP_OP_BIT(GATHER4), .archs = TMAP_ARCH_BIT(SM_90A)}; /* sm_90 has no gather4 */
    tmap_probe probe;
    assert_int_equal(tmap_fuzz_random_case(&nothing, 0, &probe), TMAP_REFUSED);
}

/* A GPU whose target has CTA pairs runs copies of pairs, with and without a mask; another GPU runs none. */
TEST(pairs_are_generated_only_for_targets_with_pairs) {
    static const struct {
        tmap_archs archs;
        bool has;
    } rows[] = {{TMAP_ARCH_BIT(SM_90A), false}, {TMAP_ARCH_BIT(SM_120A), false}, {TMAP_ARCH_BIT(SM_100A), true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tmap_fuzz fuzz = {.seed = 4, .ops = TMAP_OP_BIT(LOAD) | TMAP_OP_BIT(GATHER4), .archs = rows[i].archs};
        int one = 0, two = 0, two_with_mask = 0;
        for (uint64_t number = 0; number < 500; number++) {
            tmap_probe probe;
            if (tmap_fuzz_random_case(&fuzz, number, &probe) != TMAP_OK) fail_msg("case %d", (int)number);
            one += probe.copy.cta_group == 1;
            two += probe.copy.cta_group == 2;
            two_with_mask += probe.copy.cta_group == 2 && probe.copy.cta_mask != 0;
            if (probe.copy.cta_group == 2) assert_int_equal(probe.ctas_n % 2, 0);
        }
        assert_int_equal(one > 10, rows[i].has);
        assert_int_equal(two > 10, rows[i].has);
        assert_int_equal(two_with_mask > 2, rows[i].has);
        if (!rows[i].has) assert_int_equal(one + two, 0);
    }
}

TEST(nearly_valid_cases_break_a_rule) {
    const tmap_fuzz fuzz = {.seed = 1, .breaks_one_in = 4};
    for (uint64_t i = 0; i < 40; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&fuzz, i, &probe), TMAP_OK);
        assert_int_equal(probe.predicts, i % 4 != 3);
        if (!probe.predicts) assert_non_null(strstr(probe.symptom, "CUDA_ERROR_"));
    }
}

/* ---- Replacements ----------------------------------------------------------------------------------------------- */

static const tmap_fuzz replacements = {.seed = 1, .ops = TMAP_OP_BIT(REPLACE)};

TEST(replacements_of_every_field_are_generated) {
    size_t seen[TMAP_REPLACEABLE_COUNT] = {0}, above_rank = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&replacements, i, &probe), TMAP_OK);
        assert_int_equal(probe.copy.op, TMAP_OP_REPLACE);
        assert_true(probe.predicts && probe.rule == NULL);
        assert_int_equal(tmap_check_copy(&probe.map, &probe.copy, NULL, NULL), TMAP_OK);
        const tmap_replaceable_info *info = tmap_replaceable_get((int)probe.copy.field);
        if (info->ordinals_n > 0) above_rank += probe.copy.ordinal >= probe.map.rank;
        seen[probe.copy.field]++;
    }
    for (int field = 0; field < TMAP_REPLACEABLE_COUNT; field++) assert_true(seen[field] > 20);
    assert_true(above_rank > 10);
    const tmap_fuzz none = {.ops = TMAP_OP_BIT(REPLACE),
                            .archs = TMAP_ARCH_BIT(SM_90)}; /* sm_90 has no tensormap.replace */
    tmap_probe probe;
    assert_int_equal(tmap_fuzz_random_case(&none, 0, &probe), TMAP_REFUSED);
}

/* Replacements that sm_90a lacks are not generated for sm_90a. */
TEST(replacements_keep_to_the_architecture) {
    const tmap_fuzz hopper = {.seed = 2, .ops = TMAP_OP_BIT(REPLACE), .archs = TMAP_ARCH_BIT(SM_90A)};
    for (uint64_t i = 0; i < 500; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&hopper, i, &probe), TMAP_OK);
        assert_int_not_equal(probe.copy.field, TMAP_REPLACEABLE_ATOMICITY);
        if (probe.copy.field == TMAP_REPLACEABLE_TYPE)
            assert_false(probe.copy.value >= TMAP_TYPE_B4X16 && probe.copy.value <= TMAP_TYPE_B6X16_P32);
        if (probe.copy.field == TMAP_REPLACEABLE_SWIZZLE) assert_true(probe.copy.value < 4);
    }
}

/* tensormap.replace also stores numbers that no rule allows; the resulting descriptor agrees with the prediction. */
TEST(nearly_valid_replacements_are_predicted) {
    tmap_fuzz fuzz = replacements;
    fuzz.breaks_one_in = 2;
    size_t ordinals = 0, values = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&fuzz, i, &probe), TMAP_OK);
        assert_true(probe.predicts);
        assert_int_equal(probe.rule != NULL, i % 2 == 1);
        if (!probe.rule) continue;
        assert_false(tmap_replaceable_get((int)probe.copy.field)->immediate);
        ordinals += strcmp(probe.rule, "replace-ordinal") == 0;
        values += strcmp(probe.rule, "replace-value") == 0;
    }
    assert_int_equal(ordinals + values, 500);
    assert_true(ordinals > 2 && values > 300);
    first_found found = {0};
    tmap_fuzz_block seen = run(&fuzz, 1, "", &found), predicted;
    assert_int_equal(seen.differing_n, 0);
    assert_int_equal(seen.rule_breakers_n, TMAP_FUZZ_BLOCK / 2);
    assert_int_equal(seen.by_op[TMAP_OP_REPLACE], TMAP_FUZZ_BLOCK);
    assert_int_equal(tmap_fuzz_predict(&fuzz, 1, NULL, &predicted), TMAP_OK);
    assert_string_equal(seen.inputs, predicted.inputs);
    assert_string_equal(seen.outputs, predicted.outputs);
}

/* For each fault: words of the reported cause, the field that shows the fault, and the rank of the smallest map. */
static const struct {
    const char *fault, *cause;
    tmap_replaceable field;
    uint64_t rank;
} mistaken[] = {
    {"kept", "did not happen", TMAP_REPLACEABLE_BOX, 1},
    {"outermost", "from the outermost", TMAP_REPLACEABLE_DIMS, 2},
    {"size", "stored unchanged", TMAP_REPLACEABLE_ELEMENT_STRIDES, 1},
    {"undivided", "units of 16 bytes", TMAP_REPLACEABLE_STRIDES, 1},
    {"numbered", "driver's number", TMAP_REPLACEABLE_TYPE, 1},
};

static bool finds(const char *fault, tmap_replaceable field, tmap_probe *probe, tmap_probe_report *report) {
    tmap_device *device = open_oracle(fault);
    report->verdict = TMAP_PROBE_AGREES;
    for (uint64_t i = 0; i < 2000 && report->verdict != TMAP_PROBE_DIFFERS; i++) {
        assert_int_equal(tmap_fuzz_random_case(&replacements, i, probe), TMAP_OK);
        if (probe->copy.field != field) continue;
        assert_int_equal(tmap_probes_run(device, NULL, probe, 1, report), TMAP_OK);
    }
    bool differs = report->verdict == TMAP_PROBE_DIFFERS;
    if (differs) assert_int_equal(tmap_fuzz_shrink(device, NULL, 0, 2000, probe, report), TMAP_OK);
    tmap_device_close(device);
    return differs;
}

TEST(mistaken_replacements_are_found_and_named) {
    for (size_t i = 0; i < COUNT(mistaken); i++) {
        tmap_probe probe;
        tmap_probe_report report;
        if (!finds(mistaken[i].fault, mistaken[i].field, &probe, &report)) fail_msg("%s", mistaken[i].fault);
        if (!strstr(report.cause, mistaken[i].cause)) fail_msg("%s: %s", mistaken[i].fault, report.cause);
        assert_non_null(strstr(report.why.message, "the descriptor's "));
        assert_int_equal(probe.map.rank, mistaken[i].rank);
        assert_int_equal(probe.map.swizzle, TMAP_SWIZZLE_NONE);
    }
}

static bool go_on_for(void *context) {
    size_t *left = context;
    return *left > 0 && (*left)--;
}

/* The smallest load that shows a wrong fill has one element outside: one dimension is enough.
 * Shrinking ends when go_on returns false. */
TEST(a_fault_shrinks_to_a_small_case) {
    const tmap_fuzz fuzz = {.seed = 9};
    first_found found = {0};
    tmap_fuzz_block block = run(&fuzz, 0, "fill", &found), predicted;
    assert_true(found.count > 10);
    assert_int_equal(block.differing_n, found.count);
    assert_int_equal(tmap_fuzz_predict(&fuzz, 0, NULL, &predicted), TMAP_OK);
    assert_string_equal(block.inputs, predicted.inputs);
    assert_string_not_equal(block.outputs, predicted.outputs);

    size_t left = 0;
    const tmap_probe_options options = {.go_on = go_on_for, .context = &left};
    const tmap_probe before = found.probe;
    tmap_device *device = open_oracle("fill");
    assert_int_equal(tmap_fuzz_shrink(device, &options, 0, 2000, &found.probe, &found.report), TMAP_OK);
    assert_memory_equal(&found.probe.map, &before.map, sizeof before.map);
    assert_int_equal(found.report.verdict, TMAP_PROBE_DIFFERS);

    left = 1000000;
    assert_int_equal(tmap_fuzz_shrink(device, &options, 0, 2000, &found.probe, &found.report), TMAP_OK);
    tmap_device_close(device);
    assert_in_range(left, 1000000 - 2000, 1000000 - 10);
    assert_int_equal(found.report.verdict, TMAP_PROBE_DIFFERS);
    assert_int_equal(found.probe.map.rank, 1);
    assert_int_equal(found.probe.map.swizzle, TMAP_SWIZZLE_NONE);
    assert_int_equal(found.probe.frozen.payload_B, 16);
}

TEST(cases_that_would_fault_are_generated_as_valid_ones) {
    const tmap_fuzz fuzz = {.seed = 1, .breaks_one_in = 2, .without_faults = true};
    size_t breaking = 0, replacements_n = 0;
    for (uint64_t i = 0; i < 400; i++) {
        tmap_probe probe;
        assert_int_equal(tmap_fuzz_random_case(&fuzz, i, &probe), TMAP_OK);
        assert_true(probe.predicts);
        replacements_n += probe.copy.op == TMAP_OP_REPLACE && i % 2 == 1;
        breaking += probe.rule != NULL;
    }
    assert_true(breaking > 0);
    assert_int_equal(breaking, replacements_n);
    first_found found = {0};
    tmap_fuzz_block block = run(&fuzz, 0, "", &found);
    assert_int_equal(block.rule_breakers_n + block.omitted_breakers_n, TMAP_FUZZ_BLOCK / 2);
}

/* A case that requires more memory than the limit is not run; its block has no digest of outputs. */
TEST(a_block_with_gaps_is_refused) {
    const tmap_fuzz fuzz = {.seed = 5};
    const tmap_probe_options options = {.memory_B = 100000};
    first_found found = {0};
    tmap_diag refusal;
    tmap_device *device = open_oracle("");
    tmap_recording *recording = NULL;
    tmap_fuzz_block block;
    assert_int_equal(tmap_fuzz_run(device, &fuzz, 3, &options, keep_first, &found, &block, &refusal), TMAP_OK);
    assert_in_range(block.not_run_n, 1, TMAP_FUZZ_BLOCK - 1);
    uint32_t ran = 0;
    for (int op = 0; op < TMAP_OP_COUNT; op++) ran += block.by_op[op];
    assert_int_equal(ran, TMAP_FUZZ_BLOCK - block.not_run_n);
    assert_string_equal(block.outputs, "");
    assert_int_equal(tmap_recording_new(device, "d", NULL, &recording), TMAP_OK);
    assert_int_equal(tmap_recording_set_fuzz(recording, &fuzz), TMAP_OK);
    assert_int_equal(tmap_recording_add_block(recording, &block), TMAP_BAD_ARGUMENT);
    tmap_recording_free(recording);
    tmap_device_close(device);
}
