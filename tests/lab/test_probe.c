/* Probes on the oracle as a device: correct copies agree, and each planted fault is found at its place. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "oracle_device.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/probe.h"

enum { CASES = 60 };

/* A random probe, small enough to be in memory whole. */
static void random_probe(tmap_random *random, tmap_probe *probe, uint64_t number) {
    for (;;) {
        tmap_map_params map;
        tmap_copy_params copy;
        tmap_random_map(random, true, &map);
        tmap_random_copy(random, &map, &copy);
        if (tmap_derive(&map, false).span_B > 1 << 20) continue;
        assert_int_equal(tmap_probe_plan(probe, &map, &copy, number, NULL, NULL), TMAP_OK);
        return;
    }
}

static size_t count_differing(const char *fault, tmap_probe_report reports[CASES]) {
    tmap_device *device = open_oracle(fault);
    tmap_probe *probes = calloc(CASES, sizeof *probes);
    tmap_random random = {7};
    size_t differing = 0;
    for (uint64_t i = 0; i < CASES; i++) random_probe(&random, &probes[i], i);
    assert_int_equal(tmap_probes_run(device, NULL, probes, CASES, reports), TMAP_OK);
    for (size_t i = 0; i < CASES; i++) {
        assert_int_not_equal(reports[i].verdict, TMAP_PROBE_NOT_RUN);
        differing += reports[i].verdict == TMAP_PROBE_DIFFERS;
    }
    free(probes);
    tmap_device_close(device);
    return differing;
}

TEST(agrees_with_the_sound_oracle) {
    tmap_probe_report reports[CASES];
    assert_int_equal(count_differing("", reports), 0);
}

TEST(finds_every_fault) {
    static const char *const faults[] = {"phase", "fill",  "clip", "stray",   "tx",       "trap",
                                         "hang",  "pitch", "gaps", "offsets", "unreduced"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        tmap_probe_report reports[CASES];
        if (count_differing(faults[i], reports) == 0) fail_msg("fault %s was not found", faults[i]);
    }
}

/* ---- Causes ----------------------------------------------------------------------------------------------------- */

/* A square box of 16-bit values at shared address 128, partly beyond the end of dimension 0. Every fault changes it. */
static tmap_probe square(tmap_swizzle swizzle) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U16, 2);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at = {8, 0}, .at_n = 2, .shared = 128};
    tmap_probe probe;
    map.dims_el[0] = map.dims_el[1] = 16;
    map.box_el[0] = map.box_el[1] = 16;
    map.swizzle = swizzle;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    return probe;
}

TEST(reports_the_cause) {
    static const struct {
        const char *fault;
        tmap_swizzle swizzle;
        const char *words; /* words of the cause */
    } rows[] = {
        {"phase", TMAP_SWIZZLE_64B, "started at the box"},
        {"fill", TMAP_SWIZZLE_NONE, "filled differently"},
        {"clip", TMAP_SWIZZLE_NONE, "omitted"},
        {"order", TMAP_SWIZZLE_NONE, "exchanged"},
        {"pitch", TMAP_SWIZZLE_64B, "own length"},
        {"stray", TMAP_SWIZZLE_NONE, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_device *device = open_oracle(rows[i].fault);
        tmap_probe probe = square(rows[i].swizzle);
        tmap_probe_report report;
        assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
        assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
        if (!rows[i].words && report.cause[0]) fail_msg("%s: %s", rows[i].fault, report.cause);
        if (rows[i].words && !strstr(report.cause, rows[i].words)) fail_msg("%s: %s", rows[i].fault, report.cause);
        tmap_device_close(device);
    }
}

static tmap_probe pixels(tmap_mode mode) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U16, 4);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = 4, .shared = 128};
    tmap_probe probe;
    static const uint64_t dims[4] = {64, 9, 7, 40};
    map.mode = mode;
    for (int i = 0; i < 4; i++) map.dims_el[i] = dims[i];
    map.channels_per_pixel = 64, map.pixels_per_column = 128;
    map.swizzle = TMAP_SWIZZLE_128B;
    copy.w_halo = mode == TMAP_MODE_IM2COL ? 0 : 3;
    copy.offsets[0] = mode == TMAP_MODE_IM2COL ? 2 : 0;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    return probe;
}

static tmap_probe containers(void) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_B6X16_P32, 2);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = 2, .shared = 128};
    tmap_probe probe;
    map.dims_el[0] = map.box_el[0] = 128;
    map.dims_el[1] = 12, map.box_el[1] = 16;
    map.swizzle = TMAP_SWIZZLE_128B;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    return probe;
}

TEST(reports_the_cause_by_mode) {
    struct {
        const char *fault, *words;
        tmap_probe probe;
    } rows[] = {
        {"halos", "one after another", pixels(TMAP_MODE_IM2COL_W128)},
        {"halos", NULL, pixels(TMAP_MODE_IM2COL_W)},
        {"offsets", "offsets were omitted", pixels(TMAP_MODE_IM2COL)},
        {"gaps", "gaps after containers", containers()},
        {"gaps", NULL, pixels(TMAP_MODE_IM2COL)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_device *device = open_oracle(rows[i].fault);
        tmap_probe_report report;
        assert_int_equal(tmap_probes_run(device, NULL, &rows[i].probe, 1, &report), TMAP_OK);
        assert_int_equal(report.verdict, rows[i].words ? TMAP_PROBE_DIFFERS : TMAP_PROBE_AGREES);
        if (rows[i].words && !strstr(report.cause, rows[i].words)) fail_msg("%s: %s", rows[i].fault, report.cause);
        tmap_device_close(device);
    }
}

/* A reduction of a 64 x 32 box of floats that extends beyond the right edge of the tensor. */
static tmap_probe summed_as(tmap_op op, tmap_type type, const tmap_judge *judge) {
    tmap_map_params map = tmap_map_params_tiled(type, 2);
    tmap_copy_params copy = {.op = op, .at = {4, 0}, .at_n = 2, .shared = 0};
    tmap_probe probe;
    map.dims_el[0] = 64;
    map.dims_el[1] = 32;
    map.box_el[0] = 64;
    map.box_el[1] = 32;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 5, judge, NULL), TMAP_OK);
    return probe;
}

static tmap_probe summed(tmap_op op) {
    return summed_as(op, TMAP_TYPE_F32, NULL);
}

/* A reported difference of a sum shows two different values, even if only the run with the second poison differs. */
static void expect_different_values(const tmap_probe_report *report) {
    for (int i = 0; i < report->differences_n; i++) {
        const tmap_difference *d = &report->differences[i];
        assert_memory_not_equal(d->predicted, d->seen, d->size_B);
    }
}

TEST(reports_the_cause_of_wrong_sums) {
    static const struct {
        const char *fault, *words;
    } rows[] = {{"", NULL}, {"ftz", "subnormals"}, {"unreduced", "were stored"}, {"clip", "omitted"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_device *device = open_oracle(rows[i].fault);
        tmap_probe probe = summed(TMAP_OP_REDUCE_ADD);
        tmap_probe_report report;
        assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
        assert_int_equal(report.verdict, rows[i].words ? TMAP_PROBE_DIFFERS : TMAP_PROBE_AGREES);
        if (rows[i].words && !strstr(report.cause, rows[i].words)) fail_msg("%s: %s", rows[i].fault, report.cause);
        expect_different_values(&report);
        tmap_device_close(device);
    }
}

/* The device's fault ftz flushes subnormals of a type that keeps them, and keeps those of a type that flushes. */
TEST(names_the_reading_of_subnormals) {
    static const tmap_judge flushed = {.assume = {[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS] = 2}};
    static const struct {
        const char *fault;
        tmap_type type;
        const tmap_judge *judge;
        const char *words;
    } rows[] = {
        {"ftz", TMAP_TYPE_F32, NULL, "(--assume reduce-f32-subnormals=flushed)"},
        {"ftz", TMAP_TYPE_TF32, NULL, "(--assume reduce-f32-subnormals=flushed)"},
        {"ftz", TMAP_TYPE_F32_FTZ, NULL, "kept instead of flushed"},
        {"ftz", TMAP_TYPE_F32, &flushed, NULL},
        {"", TMAP_TYPE_F32, &flushed, "(--assume reduce-f32-subnormals=kept)"},
        {"", TMAP_TYPE_F32_FTZ, &flushed, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_device *device = open_oracle(rows[i].fault);
        tmap_probe probe = summed_as(TMAP_OP_REDUCE_ADD, rows[i].type, rows[i].judge);
        tmap_probe_report report;
        assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
        assert_int_equal(report.verdict, rows[i].words ? TMAP_PROBE_DIFFERS : TMAP_PROBE_AGREES);
        if (rows[i].words && !strstr(report.cause, rows[i].words)) fail_msg("row %zu: %s", i, report.cause);
        tmap_device_close(device);
    }
}

/* ---- Causes of an image that a device wrote, by type and swizzle ---- */

/* 16 rows as wide as the swizzle, the second tile in both dimensions, at a multiple of 1024. */
static tmap_probe tile_of(tmap_type type, tmap_swizzle swizzle, int64_t row) {
    static const uint64_t rows_B[] = {
        [TMAP_SWIZZLE_NONE] = 128, [TMAP_SWIZZLE_32B] = 32, [TMAP_SWIZZLE_64B] = 64, [TMAP_SWIZZLE_128B] = 128};
    tmap_map_params map = tmap_map_params_tiled(type, 2);
    tmap_probe probe;
    map.box_el[0] = rows_B[swizzle] * 8 / (uint64_t)tmap_type_get((int)type)->bits;
    map.box_el[1] = 16;
    map.dims_el[0] = 4 * map.box_el[0];
    map.dims_el[1] = 64;
    map.swizzle = swizzle;
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at = {(int64_t)map.box_el[0], row}, .at_n = 2};
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    return probe;
}

/* PTX ISA: the swizzle XORs address bits 7, 8 and 9 into bits 4, 5 and 6; narrower swizzles use fewer bits. */
static uint32_t swizzled(tmap_swizzle swizzle, uint32_t address) {
    static const uint32_t bits[] = {
        [TMAP_SWIZZLE_NONE] = 0, [TMAP_SWIZZLE_32B] = 1, [TMAP_SWIZZLE_64B] = 3, [TMAP_SWIZZLE_128B] = 7};
    return address ^ (address >> 7 & bits[swizzle]) << 4;
}

typedef struct scramble {
    tmap_swizzle swizzle;
    uint32_t phase_B, flip; /* byte i of a box at phase_B is at the place of byte i ^ flip */
    uint32_t rows_n;        /* rows that were written */
} scramble;

/* The cause that the comparison names for a box whose bytes a device wrote to the places of a scramble. */
static tmap_probe_report scrambled(const tmap_probe *probe, const tmap_probe *loaded, scramble s) {
    uint32_t begin = (uint32_t)probe->copy.shared, row_B = probe->frozen.pitch_B;
    uint8_t *images[2], *right = malloc(probe->image_B), *global = malloc(probe->global_B);
    tmap_probe_report report;
    for (int poison = 0; poison < 2; poison++) {
        images[poison] = malloc(probe->image_B);
        tmap_probe_image(probe, poison, images[poison]);
        tmap_probe_image(loaded, poison, right);
        tmap_probe_global(loaded, poison, global);
        assert_int_equal(tmap_probe_predict(loaded, global, right), TMAP_OK);
        for (uint32_t i = 0; i < s.rows_n * row_B; i++)
            images[poison][begin + swizzled(s.swizzle, (i ^ s.flip) + s.phase_B) - s.phase_B] =
                right[begin + swizzled(probe->map.swizzle, i)];
    }
    const tmap_observation seen = {.end = TMAP_JOB_DONE, .images = {images[0], images[1]}};
    assert_int_equal(tmap_probe_compare(probe, &seen, NULL, &report), TMAP_OK);
    free(images[0]), free(images[1]), free(right), free(global);
    return report;
}

static void expect_cause(const tmap_probe *probe, const tmap_probe *loaded, scramble s, const char *words) {
    const tmap_probe_report report = scrambled(probe, loaded, s);
    if (words ? !strstr(report.cause, words) : report.cause[0] != '\0')
        fail_msg("%s, swizzle %s: '%s', not '%s'", tmap_type_get((int)probe->map.type)->name,
                 probe->frozen.map.swizzle->name, report.cause, words ? words : "");
}

static void names_the_causes(tmap_type type, tmap_swizzle own) {
    const tmap_probe probe = tile_of(type, own, 16), next = tile_of(type, own, 32);
    uint32_t size_B = (uint32_t)tmap_type_get((int)type)->bits / 8;
    for (uint32_t phase_B = 128; phase_B < tmap_swizzle_period_B(probe.frozen.map.swizzle); phase_B += 256)
        expect_cause(&probe, &probe, (scramble){own, phase_B, 0, 16}, "align the buffer to");
    if (size_B > 1) expect_cause(&probe, &probe, (scramble){own, 0, size_B - 1, 16}, "big-endian");
    expect_cause(&probe, &probe, (scramble){own, 0, size_B, 16}, "elements of each pair");
    expect_cause(&probe, &probe, (scramble){own, 0, 0, 8}, "rows 8 to 15 of the box were not written");
    expect_cause(&probe, &next, (scramble){own, 0, 0, 16}, ", 32]: a neighbouring box");
    expect_cause(&probe, &probe, (scramble){own == TMAP_SWIZZLE_64B ? TMAP_SWIZZLE_32B : TMAP_SWIZZLE_64B, 0, 0, 16},
                 "the swizzle was");
    expect_cause(&probe, &probe, (scramble){own, 0, 3 ^ 8, 16}, NULL);
}

TEST(names_the_cause_of_scrambles) {
    static const tmap_type types[] = {TMAP_TYPE_U8, TMAP_TYPE_F16, TMAP_TYPE_F32, TMAP_TYPE_U64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int own = TMAP_SWIZZLE_NONE; own <= TMAP_SWIZZLE_128B; own++)
            names_the_causes(types[i], (tmap_swizzle)own);
}

/* A random load, whose box begins with 40 random bytes or, in two of three cases, with 8 right and 32 random bytes: no
 * cause is named, or only elements outside. */
TEST(noise_has_no_cause) {
    tmap_random random = {11};
    for (uint64_t number = 0; number < CASES; number++) {
        tmap_probe probe;
        tmap_probe_report report;
        random_probe(&random, &probe, number);
        if (!probe.frozen.op->to_shared || probe.frozen.footprint_B < 64 || probe.ctas_n > 1 || probe.part) continue;
        uint8_t *global = malloc(probe.global_B), *image = malloc(probe.image_B), *box = image + probe.copy.shared;
        tmap_probe_global(&probe, 0, global);
        tmap_probe_image(&probe, 0, image);
        assert_int_equal(tmap_probe_predict(&probe, global, image), TMAP_OK);
        for (uint32_t i = number % 3 == 0 ? 0 : 8; i < 40; i++) box[i] = (uint8_t)tmap_random_next(&random);
        probe.input = (tmap_input){TMAP_INPUT_BYTES, 0, global + probe.tensor_at, probe.global_B - probe.tensor_at};
        const tmap_observation seen = {.end = TMAP_JOB_DONE, .images = {image, image}, .box = box};
        assert_int_equal(tmap_probe_compare(&probe, &seen, NULL, &report), TMAP_OK);
        if (report.cause[0] != '\0' && !strstr(report.cause, "elements outside")) fail_msg("%s", report.cause);
        free(global), free(image);
    }
}

/* ---- Replacements ----------------------------------------------------------------------------------------------- */

static tmap_probe replacing(tmap_replaceable field, uint64_t ordinal, uint64_t value) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, 3);
    tmap_copy_params copy = {.op = TMAP_OP_REPLACE, .field = field, .ordinal = ordinal, .value = value};
    tmap_probe probe;
    for (int d = 0; d < 3; d++) {
        map.dims_el[d] = 64;
        map.box_el[d] = 8;
    }
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 9, NULL, NULL), TMAP_OK);
    return probe;
}

TEST(replacements_agree_and_a_stray_bit_is_found) {
    static const struct {
        tmap_replaceable field;
        uint64_t ordinal;
        uint64_t value;
    } rows[] = {
        {TMAP_REPLACEABLE_ADDRESS, 0, 0x7f0000001230},
        {TMAP_REPLACEABLE_RANK, 0, 2},
        {TMAP_REPLACEABLE_DIMS, 2, 7},
        {TMAP_REPLACEABLE_STRIDES, 1, 16400},
        {TMAP_REPLACEABLE_BOX, 0, 16},
        {TMAP_REPLACEABLE_ELEMENT_STRIDES, 1, 2},
        {TMAP_REPLACEABLE_TYPE, 0, TMAP_TYPE_BF16},
        {TMAP_REPLACEABLE_SWIZZLE, 0, TMAP_SWIZZLE_32B},
        {TMAP_REPLACEABLE_OOB_FILL, 0, TMAP_OOB_FILL_NAN},
    };
    for (int faulty = 0; faulty < 2; faulty++) {
        tmap_device *device = open_oracle(faulty ? "stray" : "");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            tmap_probe probe = replacing(rows[i].field, rows[i].ordinal, rows[i].value);
            tmap_probe_report report;
            assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
            assert_int_equal(report.verdict, faulty ? TMAP_PROBE_DIFFERS : TMAP_PROBE_AGREES);
        }
        tmap_device_close(device);
    }
}

/* ---- Inputs and written bytes ------------------------------------------------------------------------------------ */

typedef struct last_seen {
    char digest[65];
    int64_t offset_B[8];
    uint64_t size_B[8];
    uint8_t first[8];
    size_t runs_n;
    const tmap_probe *probe;
} last_seen;

static void note(void *context, size_t i, const tmap_observation *seen) {
    last_seen *last = context;
    tmap_written written = {0};
    tmap_written_run run;
    (void)i;
    tmap_observation_digest(last->probe, seen, last->digest);
    for (last->runs_n = 0; last->runs_n < 8 && tmap_written_next(&written, last->probe, seen, &run); last->runs_n++) {
        last->offset_B[last->runs_n] = run.offset_B;
        last->size_B[last->runs_n] = run.size_B;
        last->first[last->runs_n] = run.bytes[0];
    }
}

/* The contents of the box and of the tensor before a reduction of 16-bit floats, element by element. */
typedef struct pair {
    uint16_t operand, before;
} pair;

static bool zeros_of_both_signs(pair p) {
    return (p.operand & 0x7fff) == 0 && (p.before & 0x7fff) == 0 && p.operand != p.before;
}

static bool is_nan(uint16_t f16) {
    return (f16 & 0x7fff) > 0x7c00;
}

static bool nan_and_a_number(pair p) {
    return is_nan(p.operand) != is_nan(p.before);
}

static bool two_nan(pair p) {
    return is_nan(p.operand) && is_nan(p.before);
}

static bool two_subnormals(pair p) {
    return (p.operand & 0x7fff) && (p.operand & 0x7c00) == 0 && (p.before & 0x7fff) && (p.before & 0x7c00) == 0;
}

static bool opposite_infinities(pair p) {
    return (p.operand & 0x7fff) == 0x7c00 && (p.before ^ p.operand) == 0x8000;
}

/* 64 x 64 halves: with any seed, the contents include every pair of values that random bits almost never give. */
TEST(reductions_at_their_special_values) {
    bool (*const wanted[])(pair) = {zeros_of_both_signs, nan_and_a_number, two_nan, two_subnormals,
                                    opposite_infinities};
    for (uint64_t seed = 0; seed < 20; seed++) {
        tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
        tmap_copy_params copy = {.op = TMAP_OP_REDUCE_MIN, .at_n = 2};
        tmap_probe probe;
        map.dims_el[0] = map.dims_el[1] = map.box_el[0] = map.box_el[1] = 64;
        assert_true(tmap_map_params_dense(&map));
        assert_int_equal(tmap_probe_plan(&probe, &map, &copy, seed, NULL, NULL), TMAP_OK);
        uint8_t *image = malloc(probe.image_B), *global = malloc((size_t)probe.global_B);
        assert_true(image != NULL && global != NULL);
        tmap_probe_image(&probe, 0, image);
        tmap_probe_global(&probe, 0, global);
        size_t found[sizeof wanted / sizeof *wanted] = {0};
        for (size_t i = 0; i < 64 * 64; i++) {
            pair p;
            memcpy(&p.operand, image + probe.copy.shared + 2 * i, 2);
            memcpy(&p.before, global + probe.tensor_at + 2 * i, 2);
            for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) found[k] += wanted[k](p);
        }
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            if (found[k] == 0) fail_msg("seed %d: no pair of kind %d", (int)seed, (int)k);
        free(image);
        free(global);
    }
}

/*
 * dims, strides and coordinates of triton-lang/triton's ragged_tma.py: coordinate 2^30 of dimension 3 moves the box
 * back by 2^30 rows modulo 2^64. A box at x = 2^30 - 128, y = 64 starts 64 rows before the address and ends 64 rows
 * after it.
 */
static tmap_map_params ragged_map(void) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U16, 4);
    const uint64_t dims[4] = {64, (uint64_t)1 << 30, 0x7fff0000, 0x7fff0000};
    const uint64_t strides[3] = {128, 128, ((uint64_t)1 << 35) - 128}; /* 2^30 x 2^35 = 2^65 */
    memcpy(map.dims_el, dims, sizeof dims);
    memcpy(map.strides_B, strides, sizeof strides);
    map.box_el[0] = 64;
    map.box_el[1] = 128;
    map.box_el[2] = map.box_el[3] = 1;
    return map;
}

TEST(wrapped_addresses_run_in_a_part) {
    static const uint8_t bytes[2] = {0x34, 0x12};
    const tmap_input inputs[] = {{.kind = TMAP_INPUT_RANDOM},
                                 {.kind = TMAP_INPUT_INDEX, .base = 7},
                                 {.kind = TMAP_INPUT_BYTES, .bytes = bytes, .size_B = sizeof bytes}};
    tmap_map_params map = ragged_map();
    tmap_device *device = open_oracle("");
    for (int op = 0; op < 2; op++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            tmap_copy_params copy = {.op = op ? TMAP_OP_STORE : TMAP_OP_LOAD,
                                     .at = {0, ((int64_t)1 << 30) - 128, 64, (int64_t)1 << 30},
                                     .at_n = 4};
            tmap_probe probe;
            tmap_probe_report report;
            assert_int_equal(tmap_probe_plan(&probe, &map, &copy, i, NULL, NULL), TMAP_OK);
            assert_true(probe.part);
            assert_int_equal(probe.tensor_at, 256 + 64 * 128);
            assert_int_equal(probe.global_B, 256 + 128 * 128 + 256);
            probe.input = inputs[i];
            assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
            assert_int_equal(report.verdict, TMAP_PROBE_AGREES);
            assert_int_equal(report.bytes, TMAP_PROBE_AGREES);
        }
    tmap_device_close(device);
}

/*
 * A store of 64 rows through a map whose address is 2^37 bytes before the memory: its faults are named by their offset
 * from the address.
 */
TEST(parts_far_from_the_address_are_in_memory) {
    tmap_map_params map = ragged_map();
    tmap_copy_params copy = {.op = TMAP_OP_STORE, .at = {0, ((int64_t)1 << 30) - 64, 0, 0}, .at_n = 4};
    tmap_device *device = open_oracle("stray");
    tmap_probe probe;
    tmap_probe_report report;
    map.strides_B[2] = 128;
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    uint64_t first = 128 * (((uint64_t)1 << 30) - 64);
    assert_int_equal(probe.tensor_at, 256 - first);
    assert_int_equal(probe.global_B, 256 + 64 * 128 + 256);
    assert_int_equal(tmap_probes_run(device, NULL, &probe, 1, &report), TMAP_OK);
    assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
    assert_int_equal(report.stray_bytes_n, 1);
    assert_int_equal(report.differences[0].offset_B, (int64_t)first - 256);
    tmap_device_close(device);
}

/* Two rows of 32 bytes at a pitch of 64: value i of the tensor is 100 + i, and row r begins with 100 + 16 r. */
TEST(written_bytes_are_runs) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U16, 2);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = 2};
    tmap_device *device = open_oracle("");
    tmap_probe probe;
    tmap_probe_report report;
    map.dims_el[0] = map.box_el[0] = 16;
    map.dims_el[1] = map.box_el[1] = 2;
    map.swizzle = TMAP_SWIZZLE_64B;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    probe.input = (tmap_input){.kind = TMAP_INPUT_INDEX, .base = 100};
    last_seen last = {.probe = &probe};
    tmap_probe_options options = {.on_result = note, .context = &last};
    char predicted[65];
    assert_int_equal(tmap_probes_run(device, &options, &probe, 1, &report), TMAP_OK);
    assert_int_equal(tmap_probe_digest(&probe, NULL, predicted), TMAP_OK);
    assert_int_equal(report.verdict, TMAP_PROBE_AGREES);
    assert_string_equal(last.digest, predicted);
    assert_int_equal(last.runs_n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(last.offset_B[i], 64 * (int64_t)i);
        assert_int_equal(last.size_B[i], 32);
        assert_int_equal(last.first[i], 100 + 16 * i);
    }
    tmap_device_close(device);
}

/* A multicast to the second of two CTAs: bytes in the first CTA are strays, and an unknown count is not compared. */
TEST(bytes_outside_the_mask_are_kept) {
    tmap_probe probe = square(TMAP_SWIZZLE_NONE);
    const tmap_copy_params copy = {
        .op = TMAP_OP_LOAD, .at = {8, 0}, .at_n = 2, .shared = 128, .dst = TMAP_DST_CLUSTER, .cta_mask = 2};
    const tmap_map_params map = probe.map;
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, 3, NULL, NULL), TMAP_OK);
    assert_int_equal(probe.ctas_n, 2);
    size_t image_B = probe.image_B;
    uint8_t *images = malloc(4 * image_B), *global = malloc((size_t)probe.global_B);
    tmap_observation seen = {.end = TMAP_JOB_DONE, .arrived_B = {0, 16 * 16 * 2}};
    assert_non_null(images);
    assert_non_null(global);
    for (int poison = 0; poison < 2; poison++) {
        uint8_t *both = images + 2 * (size_t)poison * image_B;
        seen.images[poison] = both;
        tmap_probe_image(&probe, poison, both);
        tmap_probe_image(&probe, poison, both + image_B);
        tmap_probe_global(&probe, poison, global);
        assert_int_equal(tmap_probe_predict(&probe, global, both + image_B), TMAP_OK);
    }
    tmap_probe_report report;
    assert_int_equal(tmap_probe_compare(&probe, &seen, NULL, &report), TMAP_OK);
    assert_int_equal(report.verdict, TMAP_PROBE_AGREES);
    images[3] ^= 1;
    seen.arrived_B[1] = TMAP_ARRIVED_UNKNOWN;
    assert_int_equal(tmap_probe_compare(&probe, &seen, NULL, &report), TMAP_OK);
    assert_int_equal(report.bytes, TMAP_PROBE_DIFFERS);
    assert_int_equal(report.counts, TMAP_PROBE_NOT_RUN);
    assert_int_equal(report.stray_bytes_n, 1);
    assert_int_equal(report.differences[0].cta, 0);
    images[3] ^= 1;
    seen.arrived_B[0] = 16;
    assert_int_equal(tmap_probe_compare(&probe, &seen, NULL, &report), TMAP_OK);
    assert_int_equal(report.bytes, TMAP_PROBE_AGREES);
    assert_int_equal(report.counts, TMAP_PROBE_DIFFERS);
    free(images);
    free(global);
}
