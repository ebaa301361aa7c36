/*
 * Recordings of the stand-in driver and their replays. Built with STANDIN, the path of the stand-in. The stand-in's
 * encoder and verdicts are written from the documents and share no code with the library.
 */
#define _XOPEN_SOURCE 700 /* setenv */

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/case.h"
#include "capture/planned_maps.h"
#include "capture_fixture.h"
#include "sanitized.h"
#include "tmap/unstable/counts.h"

#define RANDOM_N 200

/* ---- Agreement -------------------------------------------------------------------------------------------------- */

TEST(a_replay_reports_the_same_as_the_capture) {
    run *r = capture_and_replay(RANDOM_N);
    assert_string_equal(r->captured_report.data, r->replayed_report.data);
    assert_memory_equal(&r->captured, &r->replayed, sizeof r->captured);
}

static void assert_agrees(const char *chip, const char *version) {
    setenv("STANDIN_CC", chip, 1);
    setenv("STANDIN_VERSION", version, 1);
    run *r = capture_and_replay(RANDOM_N);
    if (r->captured.bytes_differ != 0 || r->captured.verdicts_differ != 0) fail_msg("%s", r->captured_report.data);
    assert_no_bits(&r->captured.unexplained);
    assert_true(r->captured.bytes_agree > 150);
    assert_true(r->captured.verdicts_agree > 300);
    expect_not_in(r->captured_report.data, "refuted  ");
}

TEST(a_documented_driver_agrees) {
    static const char *const chips[] = {"90", "100", "103", "120"}, *const versions[] = {"12000", "12080", "13000",
                                                                                         "13050"};
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        for (size_t k = 0; k < sizeof versions / sizeof versions[0]; k += SANITIZED ? 3 : 1) {
            reset(state);
            assert_agrees(chips[i], versions[k]);
        }
}

TEST(every_field_is_confirmed_by_a_case_that_is_not_zero) {
    setenv("STANDIN_AS_DRIVER", "580", 1);
    run *r = capture_and_replay(0);
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        const tmap_descriptor_field_info *field = tmap_descriptor_field_get(i);
        char line[64];
        if (!field->tiled || i == TMAP_DESC_KIND || i == TMAP_DESC_ALLOCATION_CLASS) continue; /* 0 in all tiled maps */
        if (i == TMAP_DESC_VERSION) continue;                                                  /* 0 in all maps */
        if (i == TMAP_DESC_ATOMICITY) continue;                                                /* not on 9.0 */
        (void)snprintf(line, sizeof line, "  confirmed  %-20s ", field->name);
        const char *found = strstr(r->captured_report.data, line);
        if (!found) fail_msg("%s is not confirmed", field->name);
        if (strncmp(strstr(found, ", "), ", 0 of", 6) == 0) fail_msg("%s is always zero", field->name);
    }
}

TEST(origin_is_in_the_file_and_in_the_report) {
    setenv("STANDIN_VERSION", "12080", 1);
    run *r = capture_and_replay(0);
    expect_in(r->file.data, "\nkind: descriptors\nprovenance:\n  gpu: \"Stand-in GPU\"\n  compute_capability: \"9.0\"\n"
                            "  driver_version: 12080\n  library: \"" STANDIN "\"\n"
                            "  date: \"2025-01-31T12:00:00Z\"\n  generator: \"tmap " TMAP_VERSION "\"\n  seed: 1\n");
    expect_in(r->replayed_report.data, "Stand-in GPU, compute capability 9.0, CUDA 12.8");
}

/* 4096 x 2 B = 8192 B is the stride of the dense tensor. */
TEST(a_case_is_one_line_with_the_arguments) {
    run *r = capture_and_replay(0);
    expect_in(r->file.data,
              "\n  - {id: \"specs/model.yaml:weights\", type: bf16, rank: 2, address: 0x7f0000001000, "
              "dims: [4096, 8192], strides: [8192], box: [64, 128], element_strides: [1, 1], interleave: none, "
              "swizzle: 128B, l2_promotion: none, oob_fill: zero, result: CUDA_SUCCESS, bytes: 00100000007f0000");
    expect_in(r->file.data, "id: \"base/prefill=255\"");
    expect_in(r->file.data, "prefill: 0xff, result: CUDA_SUCCESS");
    expect_in(r->file.data, "id: \"acceptance/null/null_strides=1\", type: f16, rank: 1,");
    expect_in(r->file.data, "element_strides: [1], interleave: none, swizzle: none, l2_promotion: none, "
                            "oob_fill: zero, null_strides: true, result: CUDA_SUCCESS");
    expect_in(r->file.data, "id: \"one-factor/box[1]=257\"");
    expect_in(r->file.data, "oob_fill: zero, result: CUDA_ERROR_INVALID_VALUE}\n");
}

/* -16 is the smallest of five bits. */
TEST(im2col_maps_have_their_mode_and_corners) {
    run *r = capture_and_replay(0);
    expect_in(r->file.data,
              "id: \"im2col/lower_corner[1]=-16\", type: f16, rank: 5, address: 0x7f0000000000, "
              "dims: [16, 2, 2, 2, 2], strides: [32, 64, 128, 256], box: [0, 0, 0, 0, 0], "
              "element_strides: [1, 1, 1, 1, 1], mode: im2col, lower_corner: [0, -16, 0], upper_corner: [0, 0, 0], "
              "channels_per_pixel: 16, pixels_per_column: 16, interleave: none");
    expect_in(r->replayed_report.data, "  confirmed  lower_corner ");
    expect_in(r->replayed_report.data, "  confirmed  upper_corner ");
    expect_in(r->replayed_report.data, "  confirmed  corner-range ");
}

TEST(files_stay_below_their_limit) {
    run *r = capture_and_replay(RANDOM_N);
    assert_true(r->file.size < CAPTURE_MAX_B);
    expect_in(r->file.data, "\nleft_out: 0\n");
}

TEST(the_same_seed_makes_the_same_file) {
    run *a = capture(7, 20);
    run *b = capture(7, 20);
    run *c = capture(8, 20);
    /* Host addresses differ from run to run, so only the text after the planned cases is compared. */
    assert_string_equal(strstr(a->file.data, "\"varied/0\""), strstr(b->file.data, "\"varied/0\""));
    assert_string_not_equal(strstr(a->file.data, "\"varied/0\""), strstr(c->file.data, "\"varied/0\""));
}

/* ---- Planted faults --------------------------------------------------------------------------------------------- */

typedef struct planted_bit {
    const char *bit;
    const char *field; /* NULL: outside the fields */
    uint64_t driver, native;
} planted_bit;

/* Bits of the base case: rank 5, f16, 0x7f0000000000, dims and box 16 x 2 x 2 x 2 x 2, strides 32, 64, 128, 256. */
static const planted_bit planted_bits[] = {
    {"0", "address", 0x7f0000000001, 0x7f0000000000},
    {"64", "kind", 1, 0},
    {"66", "version", 3, 0},
    {"70", "rank", 0, 4},
    {"71", "type", 7, 6},
    {"76", "interleave", 2, 0},
    {"82", "l2_promotion", 2, 0},
    {"96", "strides[0]", 3, 2},
    {"232", "strides[2]", UINT64_C(1) << 32 | 8, 8},
    {"415", "dims[4]", UINT64_C(1) << 31 | 1, 1},
    {"430", "element_strides[4]", 4, 0},
    {"440", "box[0]", 14, 15},
    {"479", "box[4]", 129, 1},
    {"87", NULL, 0, 0},
    {"255", NULL, 0, 0},
    {"480", NULL, 0, 0},
    {"513", "tile_bytes", 2, 512},
    {"576", "swizzle_word", 1, 0x10},
    {"610", NULL, 0, 0},
    {"1023", NULL, 0, 0},
};

static void assert_bit_is_found(const run *r, const planted_bit *row) {
    char words[160];
    unsigned bit = (unsigned)atoi(row->bit);
    if (!row->field) {
        (void)snprintf(words, sizeof words, "bits that differ outside the fields: %u (first ", bit);
        assert_int_equal(r->replayed.unexplained.bytes[bit / 8], 1u << (bit % 8));
    } else {
        (void)snprintf(words, sizeof words, "  refuted    %-20s ", row->field);
        assert_no_bits(&r->replayed.unexplained);
    }
    expect_in(r->replayed_report.data, words);
    expect_in(r->replayed_report.data, "random maps: 50 from seed ");
    (void)snprintf(words, sizeof words, "%s (", row->field ? row->field : "bits outside the fields");
    expect_in(strstr(r->replayed_report.data, ": the descriptors differ in "), words);
}

/* With specs the first case that differs is the spec's, so this capture has no specs and starts with the base case. */
static void assert_values_are_named(const planted_bit *row) {
    char words[160];
    const tmap_capture_job job = {.source = open_source(STANDIN, false, 0), .seed = 1, .date = "2025-01-31T12:00:00Z"};
    tmap_text file = {0}, report = {0};
    tmap_sink file_sink = tmap_text_sink(&file), report_sink = tmap_text_sink(&report);
    assert_int_equal(tmap_capture_descriptors(&job, &file_sink, &report_sink, NULL), TMAP_OK);
    (void)snprintf(words, sizeof words, ", first base/prefill=0: driver %llu (", (unsigned long long)row->driver);
    expect_in(report.data, words);
    (void)snprintf(words, sizeof words, ", tmap %llu (", (unsigned long long)row->native);
    expect_in(report.data, words);
    tmap_capture_source_close(job.source);
    tmap_text_free(&file);
    tmap_text_free(&report);
}

TEST(a_planted_bit_is_found_and_named) {
    for (size_t i = 0; i < sizeof planted_bits / sizeof planted_bits[0]; i += SANITIZED ? 3 : 1) {
        reset(state);
        setenv("STANDIN_FLIP_BIT", planted_bits[i].bit, 1);
        run *r = capture_and_replay(50);
        /* A replay uses a new address in place of a wrong one. */
        if (atoi(planted_bits[i].bit) >= 64) assert_int_equal(r->replayed.bytes_agree, 0);
        assert_true(r->replayed.bytes_differ > 150);
        assert_bit_is_found(r, &planted_bits[i]);
        if (planted_bits[i].field) assert_values_are_named(&planted_bits[i]);
    }
}

static void assert_only_classes_differ(const run *r) {
    assert_int_equal(r->replayed.bytes_differ + r->replayed.verdicts_differ, 0);
    assert_true(r->replayed.classes_differ > 0);
    assert_int_equal(r->replayed.classes_differ, r->captured.classes_differ);
    assert_no_bits(&r->replayed.unexplained);
    expect_not_in(r->replayed_report.data, "  refuted ");
}

/* An AUTO more conservative than tmap's, which the documents allow, is reported as a choice, not as a difference. */
TEST(another_choice_of_auto_is_measured) {
    unsetenv("STANDIN_AUTO_GAP");
    run *r = capture_and_replay(50);
    assert_only_classes_differ(r);
    expect_not_in(r->replayed_report.data, "the driver chose LARGE");
    expect_in(r->replayed_report.data, "  choice     allocation_class     the driver chose SMALL and tmap LARGE for ");
    expect_in(r->replayed_report.data, "random maps: 50 from seed 10451216379200822465: all descriptors agree\n");
}

/* The base case is a tensor of 512 B, so tmap chooses SMALL: CUDA driver API 13.5, "at least 128 KiB". */
TEST(a_choice_of_large_is_counted_separately) {
    setenv("STANDIN_FLIP_BIT", "85", 1);
    run *r = capture_and_replay(50);
    assert_only_classes_differ(r);
    assert_int_equal(r->replayed.classes_differ, r->replayed.bytes_agree);
    expect_in(r->replayed_report.data, "  choice     allocation_class     the driver chose LARGE and tmap SMALL for ");
    expect_in(r->file.data, "{field: \"allocation_class\", cases: 50, not_zero: ");
    expect_in(r->file.data, ", differ: 50, moving: 0, digest: ");
}

/* The stand-in writes version 1 and no upper half, as NVIDIA's other encoders do. 16384 B: 64 x 128 values of 2 B. */
TEST(the_form_of_another_encoder_is_no_difference) {
    run *r = capture_and_replay(50);
    assert_int_equal(r->replayed.bytes_differ, 0);
    assert_int_equal(r->replayed.idle_differ, r->replayed.bytes_agree);
    expect_in(r->replayed_report.data,
              ", first specs/model.yaml:weights: driver 1 (1), tmap 0 (0); no copy depends on it");
    expect_in(r->replayed_report.data, "tmap 16384 (16384 B); no copy depends on it");
    expect_not_in(r->replayed_report.data, "  refuted ");
}

/* Box 2 less 1 begins at bit 456 (descriptor.def). */
TEST(a_rare_wrong_bit_is_found_among_random_maps) {
    uint64_t differ_n = 0;
    setenv("STANDIN_AS_DRIVER", "580", 1);
    setenv("STANDIN_CHANGE", "rank == 4 && dims[1] % 97 == 13 && box[2] > 0: flip 456", 1);
    run *r = capture_and_replay(SANITIZED ? 5000 : 20000);
    const char *line = strstr(r->replayed_report.data, "the descriptors differ in box[2] (");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "the descriptors differ in box[2] (%" SCNu64 ")", &differ_n), 1);
    assert_in_range(differ_n, 1, CAPTURE_DIFFER_N);
    expect_in(r->file.data, "\n  - {id: \"random/");
    expect_in(r->replayed_report.data, "  refuted    box[2] ");
}

/* A digest of tmap 0.2 is over all bytes, of which encoders choose some. */
TEST(a_summary_of_older_versions_is_skipped) {
    run *r = capture(1, 20);
    char *fields = strstr(r->file.data, "\n  fields:"), *end = strstr(fields, "\nleft_out");
    memmove(fields, end, strlen(end) + 1);
    r->file.size = strlen(r->file.data);
    assert_int_equal(replay(r), TMAP_OK);
    expect_in(r->replayed_report.data, ": skipped, because a recording of tmap 0.2 has no numbers of fields\n");
    assert_int_equal(r->replayed.bytes_differ, 0);
}

TEST(the_least_size_of_large_is_recorded) {
    run *without = capture_and_replay(0);
    expect_not_in(without->file.data, "large_tensor_min");
    setenv("STANDIN_VERSION", "13050", 1);
    run *with = capture_and_replay(0);
    expect_in(with->file.data, "\n  large_tensor_min: 131072\n");
    expect_in(with->replayed_report.data, "allocation class: LARGE requires 131072 B from the base");
    setenv("STANDIN_NO_CLASSES", "1", 1);
    run *none = capture_and_replay(0);
    unsetenv("STANDIN_NO_CLASSES");
    expect_in(none->file.data, "\n  large_tensor_min: 2147483647\n");
    expect_in(none->replayed_report.data, "allocation class: no effect on this device");
}

TEST(a_driver_that_accepts_all_refutes_the_rules) {
    setenv("STANDIN_ACCEPT_ALL", "1", 1);
    run *r = capture_and_replay(0);
    assert_true(r->replayed.verdicts_differ > 50);
    assert_int_equal(r->replayed.bytes_differ, 0);
    expect_in(r->replayed_report.data, "the driver accepts");
    expect_in(r->replayed_report.data, "one-factor/box[0]=0");
    expect_not_in(r->replayed_report.data, "confirmed  box-");
}

TEST(a_driver_that_refuses_everything_is_reported) {
    setenv("STANDIN_FAIL", "cuTensorMapEncodeTiled=1,cuTensorMapEncodeIm2col=1", 1);
    run *r = capture_and_replay(0);
    assert_int_equal(r->replayed.bytes_agree + r->replayed.bytes_differ, 0);
    assert_true(r->replayed.verdicts_differ > 150);
    expect_in(r->replayed_report.data, "rejected by the driver, allowed by the rules");
    expect_in(r->replayed_report.data, "no rule: CUDA_ERROR_INVALID_VALUE (1), ");
}

TEST(a_sticky_error_is_no_verdict) {
    setenv("STANDIN_FAIL", "cuTensorMapEncodeTiled=700:5", 1);
    run *r = capture_and_replay(0);
    assert_int_equal(r->replayed.verdicts_differ, 0);
    const char *failures = "failures that do not depend on the map\n  failure: CUDA_ERROR_ILLEGAL_ADDRESS (700), ";
    expect_in(r->replayed_report.data, failures);
    int cases_n = 0;
    sscanf(strstr(r->replayed_report.data, failures) + strlen(failures), "%d cases, first base/map_offset=64",
           &cases_n);
    assert_true(cases_n > 200); /* every later call returns it */
}

TEST(cases_of_replace_require_replace) {
    setenv("STANDIN_MISSING", "cuTensorMapReplaceAddress", 1);
    run *r = capture(1, 0);
    expect_not_in(r->file.data, "id: \"replace/");
    expect_in(r->captured_report.data, "not encoded: 10 ");
}

TEST(another_generator_is_skipped) {
    run *r = capture(1, 20);
    char *inputs = strstr(r->file.data, "\n  inputs: ");
    assert_non_null(inputs);
    inputs[11] = inputs[11] == '0' ? '1' : '0';
    assert_int_equal(replay(r), TMAP_OK);
    expect_in(r->replayed_report.data, "skipped, because this version generates other maps");
    assert_int_equal(r->replayed.cases + 1, r->captured.cases);
    assert_int_equal(r->replayed.bytes_differ, 0);
}

/* ---- A sink that fails ------------------------------------------------------------------------------------------ */

typedef struct counted {
    size_t left; /* writes before one fails */
} counted;

static bool write_some(void *context, const char *text, size_t size) {
    counted *c = context;
    (void)text;
    (void)size;
    return c->left > 0 && c->left--;
}

TEST(a_sink_that_fails_ends_the_capture) {
    const tmap_capture_job job = {.source = open_source(STANDIN, false, 0), .seed = 1, .date = "d"};
    counted none = {0};
    tmap_sink sink = {.write = write_some, .context = &none};
    tmap_capture_summary summary = {.cases = 12345};
    assert_int_equal(tmap_capture_descriptors(&job, &sink, NULL, &summary), TMAP_IO);
    assert_int_equal(summary.cases, 12345);
    tmap_capture_source_close(job.source);
}

/* ---- Progress --------------------------------------------------------------------------------------------------- */

typedef struct blocks_seen {
    size_t n, cases, end; /* end after this many cases */
    uint64_t done, all;
} blocks_seen;

static bool see_block(void *context, const tmap_capture_so_far *so_far) {
    blocks_seen *seen = context;
    tmap_capture_summary summary;
    assert_int_equal(tmap_capture_replay(so_far->text, so_far->size, "block.yaml", NULL, NULL, NULL, NULL, &summary),
                     TMAP_OK);
    assert_int_equal(summary.bytes_differ, 0);
    assert_true(summary.cases >= seen->cases);
    seen->cases = summary.cases;
    assert_true(so_far->calls_done >= seen->done && so_far->calls_done <= so_far->calls_n);
    seen->done = so_far->calls_done;
    seen->all = so_far->calls_n;
    return ++seen->n != seen->end;
}

/* The planned cases, counting the empty file at the start, are in blocks of 64; random maps follow. */
TEST(each_block_is_a_whole_capture) {
    blocks_seen seen = {0}, some = {.end = 3};
    tmap_text file = {0};
    tmap_sink sink = tmap_text_sink(&file);
    tmap_capture_summary summary;
    setenv("STANDIN_AS_DRIVER", "580", 1);
    tmap_capture_job job = {.source = open_source(STANDIN, false, 0), .seed = 1, .maps_n = 9000, .date = "d"};
    job.go_on = see_block;
    job.context = &seen;
    assert_int_equal(tmap_capture_descriptors(&job, &sink, NULL, &summary), TMAP_OK);
    assert_true(seen.n >= 1 + (summary.cases - 1) / 64 + 9000 / 4096);
    assert_true(summary.cases - seen.cases < 64);
    assert_int_equal(seen.all - seen.done, 9000 - 8192);
    tmap_text_free(&file);
    job.context = &some;
    assert_int_equal(tmap_capture_descriptors(&job, &sink, NULL, &summary), TMAP_OK);
    assert_int_equal(some.n, 3);
    assert_int_equal(summary.cases, 128);
    tmap_text_free(&file);
    tmap_capture_source_close(job.source);
}

/* ---- A driver in a separate process ----------------------------------------------------------------------------- */

/* Captures through a separate process in which the stand-in fails as `planted`. */
static tmap_status capture_failing(const char *planted, tmap_text *file, tmap_capture_summary *summary) {
    char state[] = "/tmp/tmap_standin_XXXXXX";
    int descriptor = mkstemp(state);
    assert_true(descriptor >= 0);
    setenv("STANDIN_STATE", state, 1);
    setenv("STANDIN_FAIL", planted, 1);
    tmap_sink sink = tmap_text_sink(file);
    tmap_capture_job job = {.source = open_source(STANDIN, true, 300), .seed = 1, .maps_n = 10, .date = "d"};
    tmap_status status = tmap_capture_descriptors(&job, &sink, NULL, summary);
    if (status == TMAP_UNAVAILABLE) assert_true(tmap_capture_source_refusal(job.source)->message[0] != '\0');
    tmap_capture_source_close(job.source);
    (void)close(descriptor);
    (void)unlink(state);
    unsetenv("STANDIN_FAIL");
    unsetenv("STANDIN_STATE");
    return status;
}

static size_t cases_in(const tmap_text *file) {
    tmap_capture_summary summary;
    assert_int_equal(tmap_capture_replay(file->data, file->size, "f.yaml", NULL, NULL, NULL, NULL, &summary), TMAP_OK);
    assert_int_equal(summary.verdicts_differ + summary.bytes_differ, 0);
    return summary.cases;
}

/*
 * A call that fails once is repeated in the next process. A call that always fails is one lost call; all other calls
 * are answered.
 */
TEST(a_driver_that_fails_loses_at_most_one_call) {
    static const struct {
        const char *planted;
        size_t lost, failures;
    } rows[] = {
        {"cuTensorMapEncodeTiled=die:100", 0, 0},    {"cuTensorMapEncodeTiled=hang:100", 0, 0},
        {"cuTensorMapEncodeTiled=719:100", 0, 0},    {"cuTensorMapEncodeTiled=die@rank6", 1, 0},
        {"cuTensorMapEncodeTiled=hang@rank6", 1, 0}, {"cuTensorMapEncodeTiled=719@rank6", 0, 1},
        {"cuTensorMapEncodeTiled=999:100", 0, 1},
    };
    tmap_capture_summary whole, one;
    tmap_text file = {0};
    assert_int_equal(capture_failing("", &file, &whole), TMAP_OK);
    assert_int_equal(cases_in(&file), whole.cases);
    tmap_text_free(&file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += SANITIZED ? 3 : 1) {
        assert_int_equal(capture_failing(rows[i].planted, &file, &one), TMAP_OK);
        assert_int_equal(one.lost, rows[i].lost);
        assert_int_equal(one.failures, rows[i].failures);
        assert_int_equal(one.cases, whole.cases - rows[i].lost);
        assert_int_equal(cases_in(&file), one.cases);
        tmap_text_free(&file);
    }
}

/* The capture contains the driver's answers up to the point where tmap gives up. */
TEST(a_driver_that_crashes_often_ends_the_capture) {
    tmap_capture_summary summary = {0};
    tmap_text file = {0};
    assert_int_equal(capture_failing("cuTensorMapEncodeTiled=die@rank5", &file, &summary), TMAP_UNAVAILABLE);
    assert_true(summary.lost > 1);
    assert_int_equal(cases_in(&file), summary.cases);
    tmap_text_free(&file);
}

TEST(wrong_calls_are_refused) {
    tmap_text file = {0};
    tmap_sink sink = tmap_text_sink(&file);
    const tmap_capture_job nobody = {.seed = 1};
    assert_int_equal(tmap_capture_descriptors(&nobody, &sink, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_capture_verdicts(&nobody, NULL, &(tmap_capture_summary){0}), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_capture_replay(NULL, 1, "p", NULL, NULL, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    tmap_text_free(&file);
}

/* ---- The plan --------------------------------------------------------------------------------------------------- */

TEST(every_planned_case_has_its_own_id) {
    size_t n = tmap_capture_sweep_size();
    capture_case *cases = calloc(n, sizeof *cases);
    assert_non_null(cases);
    for (size_t i = 0; i < n; i++) {
        tmap_capture_sweep_get(i, &cases[i]);
        assert_true(strlen(cases[i].id) < CAPTURE_ID_MAX - 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(cases[i].id, cases[j].id) == 0) fail_msg("two cases are %s", cases[i].id);
    }
    free(cases);
}

TEST(plan_and_edits_agree) {
    size_t found = 0;
    for (size_t i = 0; i < tmap_capture_sweep_size(); i++) {
        capture_case c;
        tmap_capture_sweep_get(i, &c);
        if (strcmp(c.id, "one-factor/dims[3]=4294967296") == 0) {
            /* 32 B, x 2, x 2, x 2^32 = 2^39 */
            assert_int_equal(c.params.dims_el[3], UINT64_C(1) << 32);
            assert_int_equal(c.params.strides_B[2], 128);
            assert_int_equal(c.params.strides_B[3], UINT64_C(1) << 39);
            found++;
        }
        if (strcmp(c.id, "unused/absurd/rank=4") == 0) {
            assert_int_equal(c.params.dims_el[4], 0);
            assert_int_equal(c.params.strides_B[3], 8);
            assert_int_equal(c.params.box_el[4], UINT32_MAX);
            found++;
        }
        if (strcmp(c.id, "size/host/padded/dims[1]=4097") == 0) {
            assert_true(c.host_memory);
            assert_int_equal(c.params.allocation_B, 131072 + 32);
            found++;
        }
    }
    assert_int_equal(found, 3);
}

BEFORE_EACH(reset)
