/*
 * rule: rules that no spec can break, and those of descriptors and new addresses, fire on a mistake and on nothing
 * else, and not on its nearest legal neighbour; architectures, levels and skipping work as rule.h states.
 * check_rules.py tries all other rules. The rows are by hand from the driver API's text, the PTX ISA's restrictions and
 * the measurements that the rules name.
 */
#include "cmocka_all.h"

#include <tmap/rule.h>

#include "hw/archs.h"
#include "params/fields.h"
#include "prop/finding.h"
#include "rule/trial.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"

#define NO_ARCH 0
#define SM_90A  TMAP_ARCH_BIT(SM_90A)
#define SM_100A TMAP_ARCH_BIT(SM_100A)
#define SM_103A TMAP_ARCH_BIT(SM_103A)

/* ---- Base maps and copies ---- */

/* IMAGES: im2col with a padding of 1. */
typedef enum base { TILE, ROWS, FOURS, SIXES, IMAGES } base;

static const struct {
    tmap_type type;
    uint64_t rank, dims[4], strides[3], box[2];
    tmap_mode mode;
} bases[] = {
    [TILE] = {TMAP_TYPE_F16, 2, {4096, 4096}, {8192}, {64, 64}},
    [ROWS] = {TMAP_TYPE_F16, 2, {4096, 4096}, {8192}, {64, 1}},
    [FOURS] = {TMAP_TYPE_B4X16, 2, {4096, 64}, {2048}, {128, 64}},
    [SIXES] = {TMAP_TYPE_B6X16_P32, 2, {256, 64}, {192}, {128, 64}},
    [IMAGES] = {TMAP_TYPE_F16, 4, {64, 14, 14, 8}, {128, 1792, 25088}, {0}, TMAP_MODE_IM2COL},
};

static tmap_map_params map_of(base which) {
    tmap_map_params map = tmap_map_params_tiled(bases[which].type, bases[which].rank);
    memcpy(map.dims_el, bases[which].dims, sizeof bases[which].dims);
    memcpy(map.strides_B, bases[which].strides, sizeof bases[which].strides);
    memcpy(map.box_el, bases[which].box, sizeof bases[which].box);
    map.mode = bases[which].mode;
    if (map.mode == TMAP_MODE_TILED) return map;
    for (int i = 0; i < 2; i++) map.lower_corner[i] = map.upper_corner[i] = -1;
    map.channels_per_pixel = map.pixels_per_column = 64;
    return map;
}

static tmap_copy_params copy_of(uint64_t rank) {
    return (tmap_copy_params){.op = TMAP_OP_LOAD, .at_n = (int)rank, .rows = {0, 1, 2, 3}, .shared = 1024};
}

/* ---- Findings ---- */

#define FINDINGS_MAX 24

typedef struct findings {
    tmap_diag items[FINDINGS_MAX];
    tmap_diags list;
} findings;

static void begin(findings *f) {
    f->list = (tmap_diags){.items = f->items, .capacity = FINDINGS_MAX, .fixed = true};
}

static int times(const findings *f, const char *slug) {
    int n = 0;
    for (size_t i = 0; i < f->list.count; i++) n += strcmp(f->items[i].rule, slug) == 0;
    return n;
}

static const char *all(const findings *f) {
    static char text[1000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->list.count && used < sizeof text - 1; i++) {
        snprintf(text + used, sizeof text - used, "%s: %s; ", f->items[i].rule, f->items[i].message);
        used = strlen(text);
    }
    return text;
}

static void expect_one(const findings *f, const char *slug, tmap_severity severity, int field, int dim) {
    if (f->list.count != 1 || times(f, slug) != 1) fail_msg("%s should fire and nothing else: %s", slug, all(f));
    const tmap_diag *d = &f->items[0];
    if (d->severity != severity || d->field != field || d->dim != dim)
        fail_msg("%s: severity %d at field %d[%d]", slug, (int)d->severity, d->field, d->dim);
    if (!d->given[0] || !d->allowed[0] || !(d->fix.edits_n || d->fix.words[0])) fail_msg("%s: a text is missing", slug);
    if (finding_fault(d)) fail_msg("%s: %s", slug, finding_fault(d));
}

static void expect_none(const findings *f, const char *slug) {
    if (times(f, slug) || f->list.by_severity[TMAP_ERROR]) fail_msg("%s: the good neighbour: %s", slug, all(f));
}

/* ---- Rules that no spec can break: numbers without a name ---- */

static void check_map_with(tmap_field field, int64_t value, findings *f) {
    tmap_map_params map = map_of(TILE);
    if (field == TMAP_FIELD_RANK) {
        map = tmap_map_params_tiled(TMAP_TYPE_U8, (uint64_t)value);
        map.dims_el[0] = 4096, map.box_el[0] = 128;
    }
    tmap_field_set(&map, NULL, field, 0, (uint64_t)value);
    begin(f);
    tmap_status status = tmap_check_map(&map, NULL, &f->list);
    assert_int_equal(status, f->list.by_severity[TMAP_ERROR] ? TMAP_REFUSED : TMAP_OK);
}

static const struct {
    const char *slug;
    tmap_field field;
    int64_t bad, good;
} map_rows[] = {
    {"mode-code", TMAP_FIELD_MODE, TMAP_MODE_COUNT, TMAP_MODE_TILED},
    {"type-code", TMAP_FIELD_TYPE, TMAP_TYPE_COUNT, TMAP_TYPE_BF16},
    {"type-code", TMAP_FIELD_TYPE, -1, TMAP_TYPE_F16},
    {"interleave-code", TMAP_FIELD_INTERLEAVE, TMAP_INTERLEAVE_COUNT, TMAP_INTERLEAVE_NONE},
    {"swizzle-code", TMAP_FIELD_SWIZZLE, TMAP_SWIZZLE_COUNT, TMAP_SWIZZLE_128B},
    {"l2-promotion-code", TMAP_FIELD_L2_PROMOTION, TMAP_L2_PROMOTION_COUNT, TMAP_L2_PROMOTION_256B},
    {"oob-fill-code", TMAP_FIELD_OOB_FILL, TMAP_OOB_FILL_COUNT, TMAP_OOB_FILL_NAN},
    {"rank-range", TMAP_FIELD_RANK, 0, 1},
    {"allocation-class-code", TMAP_FIELD_ALLOCATION_CLASS, TMAP_ALLOCATION_COUNT, TMAP_ALLOCATION_AUTO},
};

TEST(map_rules) {
    findings f;
    for (size_t i = 0; i < COUNT(map_rows); i++) {
        check_map_with(map_rows[i].field, map_rows[i].bad, &f);
        expect_one(&f, map_rows[i].slug, TMAP_ERROR, (int)map_rows[i].field, -1);
        check_map_with(map_rows[i].field, map_rows[i].good, &f);
        expect_none(&f, map_rows[i].slug);
    }
}

/* Replacements by numbers, and an operation and a mode that do not exist. */
#define REPLACES(what, n, number)                                                                                      \
    { .op = TMAP_OP_REPLACE, .field = (tmap_replaceable)TMAP_REPLACEABLE_##what, .ordinal = n, .value = number }

static const struct {
    const char *slug;
    tmap_archs archs;
    int field;
    tmap_copy_params bad, good;
} copy_rows[] = {
    {"copy-load-mode", 0, TMAP_FIELD_LOAD_MODE, {.has_load_mode = true, .load_mode = (tmap_mode)TMAP_MODE_COUNT}, {0}},
    {"op-form", 0, TMAP_FIELD_OP, {.op = (tmap_op)99}, {.op = TMAP_OP_LOAD}},
    {"replace-value", SM_100A, TMAP_FIELD_VALUE, REPLACES(TYPE, 0, TMAP_TYPE_COUNT), REPLACES(TYPE, 0, 15)},
    {"replace-value", SM_90A, TMAP_FIELD_VALUE, REPLACES(INTERLEAVE, 0, 3), REPLACES(INTERLEAVE, 0, 2)},
    {"replace-value", SM_103A, TMAP_FIELD_VALUE, REPLACES(SWIZZLE, 0, 5), REPLACES(SWIZZLE, 0, 4)},
    {"replace-value", SM_90A, TMAP_FIELD_VALUE, REPLACES(OOB_FILL, 0, 2), REPLACES(OOB_FILL, 0, 1)},
    {"replace-value", SM_90A, TMAP_FIELD_FIELD, REPLACES(COUNT, 0, 2), REPLACES(RANK, 0, 2)},
    {"replace-ordinal", SM_90A, TMAP_FIELD_ORDINAL, REPLACES(TYPE, 1, 6), REPLACES(TYPE, 0, 6)},
};

static void check_copy_of(tmap_archs archs, tmap_copy_params copy, findings *f) {
    tmap_map_params map = map_of(TILE);
    tmap_judge judge = {.archs = archs};
    copy.at_n = 2;
    begin(f);
    tmap_status status = tmap_check_copy(&map, &copy, &judge, &f->list);
    assert_int_equal(status, f->list.by_severity[TMAP_ERROR] ? TMAP_REFUSED : TMAP_OK);
}

TEST(copy_rules) {
    findings f;
    for (size_t i = 0; i < COUNT(copy_rows); i++) {
        check_copy_of(copy_rows[i].archs, copy_rows[i].bad, &f);
        expect_one(&f, copy_rows[i].slug, TMAP_ERROR, copy_rows[i].field, -1);
        assert_non_null(f.items[0].symptom);
        check_copy_of(copy_rows[i].archs, copy_rows[i].good, &f);
        expect_none(&f, copy_rows[i].slug);
    }
}

/* ---- Copies ---- */

/* tmap judges every coordinate, even if another coordinate breaks the rule. */
TEST(coordinates_are_judged_one_by_one) {
    tmap_map_params map = map_of(TILE);
    tmap_copy_params copy = copy_of(2);
    findings f;
    copy.op = TMAP_OP_STORE;
    copy.at[0] = INT64_MIN;
    copy.at[1] = -1;
    begin(&f);
    assert_int_equal(tmap_check_copy(&map, &copy, NULL, &f.list), TMAP_REFUSED);
    assert_int_equal(times(&f, "copy-coordinate-range"), 1);
    assert_int_equal(times(&f, "copy-store-negative"), 1);
    assert_int_equal(f.list.count, 2);
}

/* gather4 has a column and rows; operations on the map have no coordinates. */
TEST(coordinates_of_other_operations_are_not_judged) {
    static const struct {
        base from;
        tmap_op op;
        const char *slug;
        int times;
    } rows[] = {{ROWS, TMAP_OP_LOAD, "override-sizes", 1},          {ROWS, TMAP_OP_GATHER4, "override-sizes", 0},
                {ROWS, TMAP_OP_QUERY_MAP, "override-sizes", 0},     {IMAGES, TMAP_OP_LOAD, "im2col-start", 1},
                {IMAGES, TMAP_OP_QUERY_MAP, "im2col-start", 0},     {IMAGES, TMAP_OP_LOAD, "im2col-start-step", 1},
                {IMAGES, TMAP_OP_QUERY_MAP, "im2col-start-step", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = map_of(rows[i].from);
        tmap_copy_params copy = copy_of(map.rank);
        findings f;
        copy.op = rows[i].op;
        copy.at[1] = 64;
        if (rows[i].from == IMAGES) map.element_strides[2] = 2, copy.at[2] = 2;
        if (rows[i].from == ROWS) copy.qualifiers = TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE);
        begin(&f);
        (void)tmap_check_copy(&map, &copy, NULL, &f.list);
        if (times(&f, rows[i].slug) != rows[i].times) fail_msg("%zu: %s", i, all(&f));
    }
}

/* ---- Rules of descriptors ---- */

typedef struct bits_row {
    const char *slug;
    tmap_severity severity;
    struct {
        int lo, width; /* width 0: no patch */
        unsigned value;
    } bad[3];
} bits_row;

/* A 64 x 64 tensor of f16 with rows 256 B apart: version 1, rank 2, type 6, stride 256/16, sizes less 1. */
static tmap_descriptor descriptor_of_64x64(void) {
    tmap_descriptor d = {{0}};
    tmap_descriptor_poke(&d, TMAP_DESC_VERSION, 1);
    tmap_descriptor_poke(&d, TMAP_DESC_RANK, 1);
    tmap_descriptor_poke(&d, TMAP_DESC_TYPE, 6);
    tmap_descriptor_poke(&d, TMAP_DESC_STRIDE_0, 16);
    tmap_descriptor_poke(&d, TMAP_DESC_DIM_0, 63);
    tmap_descriptor_poke(&d, TMAP_DESC_DIM_1, 63);
    tmap_descriptor_poke(&d, TMAP_DESC_BOX_0, 63);
    tmap_descriptor_poke(&d, TMAP_DESC_BOX_1, 63);
    return d;
}

static void put_bits(tmap_descriptor *d, int lo, int width, unsigned value) {
    for (int i = 0; i < width; i++) {
        int bit = lo + i;
        uint8_t mask = (uint8_t)(1u << bit % 8);
        if (value >> i & 1)
            d->bytes[bit / 8] = (uint8_t)(d->bytes[bit / 8] | mask);
        else
            d->bytes[bit / 8] = (uint8_t)(d->bytes[bit / 8] & ~mask);
    }
}

/* Bits as numbered in NVIDIA's published encoder and by ptxas's code for tensormap.replace. */
static const bits_row descriptor_rows[] = {
    {"desc-type-code", TMAP_ERROR, {{71, 4, 14}}},
    {"desc-type-code", TMAP_ERROR, {{71, 4, 15}}},
    {"desc-interleave-code", TMAP_ERROR, {{75, 2, 3}}},
    {"desc-rank-code", TMAP_ERROR, {{68, 3, 5}}},
    {"desc-im2col-rank", TMAP_ERROR, {{64, 1, 1}, {448, 8, 0}}},
    {"desc-version-code", TMAP_WARNING, {{65, 3, 2}}},
    {"desc-swizzle-code", TMAP_ERROR, {{86, 1, 1}, {77, 2, 3}}},
    {"desc-tf32-stale", TMAP_WARNING, {{80, 1, 1}}},
    {"desc-stride-overwritten", TMAP_WARNING, {{240, 16, 0x1000}}},
    {"desc-stride-overwritten", TMAP_WARNING, {{240, 16, 0x0010}}},
    {"desc-unknown-bits", TMAP_WARNING, {{87, 1, 1}}},
    {"desc-unknown-bits", TMAP_WARNING, {{608, 8, 0x80}}},
    {"desc-unknown-bits", TMAP_WARNING, {{544, 1, 1}}},
    {"desc-upper-half", TMAP_WARNING, {{512, 32, 8191}}},
    {"desc-upper-half", TMAP_WARNING, {{576, 32, 0x100}}},
    {"desc-unknown-bits", TMAP_WARNING, {{1023, 1, 1}}},
    {"desc-small-allocation", TMAP_WARNING, {{85, 1, 1}}},
};

TEST(descriptor_rules) {
    findings f;
    for (size_t i = 0; i < COUNT(descriptor_rows); i++) {
        const bits_row *r = &descriptor_rows[i];
        tmap_descriptor d = descriptor_of_64x64();
        for (int p = 0; p < 3; p++) put_bits(&d, r->bad[p].lo, r->bad[p].width, r->bad[p].value);
        begin(&f);
        tmap_status status = tmap_check_descriptor(&d, NULL, &f.list);
        assert_int_equal(status, r->severity == TMAP_ERROR ? TMAP_REFUSED : TMAP_OK);
        expect_one(&f, r->slug, r->severity, -1, -1);
    }
}

static bool is_swizzle_code(uint64_t mode, uint64_t atomicity) {
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get(i);
        if ((uint64_t)swizzle->ptx_mode == mode && (uint64_t)swizzle->ptx_atomicity == atomicity) return true;
    }
    return false;
}

/* test_replace.c has the codes of the documents. */
TEST(swizzle_codes_without_a_row_are_refused) {
    findings f;
    for (unsigned code = 0; code < 32; code++) {
        tmap_descriptor d = descriptor_of_64x64();
        put_bits(&d, 77, 2, code % 4);
        put_bits(&d, 86, 1, code / 4 % 2);
        put_bits(&d, 83, 2, code / 8);
        begin(&f);
        tmap_check_descriptor(&d, NULL, &f.list);
        if (is_swizzle_code(code % 8, code / 8))
            assert_int_equal(times(&f, "desc-swizzle-code"), 0);
        else
            expect_one(&f, "desc-swizzle-code", TMAP_ERROR, -1, -1);
    }
}

TEST(unknown_bits_are_listed) {
    findings f;
    tmap_descriptor d = descriptor_of_64x64();
    put_bits(&d, 1020, 4, 0xb);
    begin(&f);
    assert_int_equal(tmap_check_descriptor(&d, NULL, &f.list), TMAP_OK);
    expect_one(&f, "desc-unknown-bits", TMAP_WARNING, -1, -1);
    assert_string_equal(f.items[0].given, "1020, 1021, 1023");
    assert_string_equal(f.items[0].message, "bits outside the known fields are set: 1020, 1021, 1023");

    put_bits(&d, 610, 16, 0xffff); /* 16 numbers of 3 digits and 1020 leave space for ", 1021" and ", ..." */
    begin(&f);
    assert_int_equal(tmap_check_descriptor(&d, NULL, &f.list), TMAP_OK);
    assert_string_equal(f.items[0].given, "610, 611, 612, 613, 614, 615, 616, 617, 618, 619, 620, 621, 622, 623, 624, "
                                          "625, 1020, 1021, ...");
    assert_int_equal(strlen(f.items[0].given) + 1, sizeof f.items[0].given);
}

/* The neighbours of the rows above: descriptors and combinations that are valid. */
TEST(descriptors_without_findings) {
    static const struct {
        int lo, width;
        unsigned value;
    } good[][2] = {
        {{65, 3, 0}, {0, 0, 0}},  {{71, 4, 13}, {0, 0, 0}},  {{80, 1, 1}, {71, 4, 7}},
        {{80, 1, 1}, {71, 4, 8}}, {{77, 2, 3}, {83, 2, 3}},  {{86, 1, 1}, {0, 0, 0}},
        {{64, 1, 1}, {68, 3, 2}}, {{85, 1, 1}, {96, 32, 8}}, {{224, 16, 0xffff}, {0, 0, 0}},
    };
    findings f;
    for (size_t i = 0; i < COUNT(good); i++) {
        tmap_descriptor d = descriptor_of_64x64();
        for (int p = 0; p < 2; p++) put_bits(&d, good[i][p].lo, good[i][p].width, good[i][p].value);
        begin(&f);
        assert_int_equal(tmap_check_descriptor(&d, NULL, &f.list), TMAP_OK);
        if (f.list.count) fail_msg("row %zu: %s", i, all(&f));
    }
}

/* ---- cuTensorMapReplaceAddress ---- */

TEST(replaced_addresses) {
    static const struct {
        base from;
        uint64_t address, stride_B, rows;
        const char *slug; /* NULL: no finding */
        bool refused;
    } rows[] = {
        {TILE, 0x1000, 8192, 4096, NULL, false},
        {TILE, 0x1008, 8192, 4096, "replace-address-align", true},
        {SIXES, 0x1010, 192, 64, "replace-address-align", true},
        {SIXES, 0x1020, 192, 64, NULL, false},
        {TILE, 0, 8192, 4096, "address-null", false},
        {TILE, 0x1000, 8208, 8, "replace-address-allocation", false},
        {TILE, 0x1000, 8208, 17, NULL, false},
    };
    findings f;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = map_of(rows[i].from);
        map.strides_B[0] = rows[i].stride_B;
        map.dims_el[1] = rows[i].rows;
        begin(&f);
        tmap_status status = tmap_check_replace_address(&map, rows[i].address, NULL, &f.list);
        assert_int_equal(status, rows[i].refused ? TMAP_REFUSED : TMAP_OK);
        assert_int_equal(f.list.count, rows[i].slug ? 1 : 0);
        if (rows[i].slug) assert_string_equal(f.items[0].rule, rows[i].slug);
    }
}

/* ---- How findings are made ---- */

TEST(one_mistake_is_one_finding) {
    findings f;
    tmap_map_params map = map_of(TILE);
    map.box_el[0] = 100000; /* too large, not a multiple of 16 B, wider than the swizzle, larger than the tensor … */
    map.swizzle = TMAP_SWIZZLE_128B;
    map.strides_B[0] = UINT64_MAX; /* … and a stride that is neither aligned nor in range nor in the address space */
    begin(&f);
    assert_int_equal(tmap_check_map(&map, NULL, &f.list), TMAP_REFUSED);
    assert_int_equal(f.list.count, 2);
    assert_int_equal(times(&f, "box-extent"), 1);
    assert_int_equal(times(&f, "stride-limit"), 1);
}

TEST(mistakes_in_other_dimensions_are_found) {
    findings f;
    tmap_map_params map = map_of(TILE);
    map.box_el[0] = 12;
    map.box_el[1] = 257;
    map.dims_el[0] = 0;
    map.strides_B[0] = 8;
    map.interleave = (tmap_interleave)7;
    begin(&f);
    assert_int_equal(tmap_check_map(&map, NULL, &f.list), TMAP_REFUSED);
    assert_int_equal(times(&f, "box-extent"), 1);
    assert_int_equal(times(&f, "dim-extent"), 1);
    assert_int_equal(times(&f, "interleave-code"), 1);
    assert_int_equal(times(&f, "box-inner-align"), 0); /* requires a valid interleave; so does stride-align */
    assert_int_equal(times(&f, "stride-align"), 0);
    assert_int_equal(f.list.count, 3);
}

TEST(no_mode_keeps_the_rules_of_the_tensor) {
    findings f;
    tmap_map_params map = map_of(TILE);
    map.mode = (tmap_mode)TMAP_MODE_COUNT;
    map.box_el[0] = map.box_el[1] = 0;
    map.strides_B[0] = 8200;
    begin(&f);
    assert_int_equal(tmap_check_map(&map, NULL, &f.list), TMAP_REFUSED);
    assert_int_equal(f.list.count, 2);
    assert_int_equal(times(&f, "mode-code"), 1);
    assert_int_equal(times(&f, "stride-align"), 1);
}

TEST(architectures) {
    static const struct {
        tmap_archs chosen;
        tmap_status status;
        size_t findings;
        tmap_severity severity;
        tmap_archs archs;
    } rows[] = {
        {NO_ARCH, TMAP_OK, 1, TMAP_WARNING, TMAP_ARCHS_90},
        {SM_90A, TMAP_REFUSED, 1, TMAP_ERROR, SM_90A},
        {SM_100A, TMAP_OK, 0, TMAP_ADVICE, 0},
        {SM_90A | SM_100A, TMAP_REFUSED, 1, TMAP_ERROR, SM_90A},
    };
    tmap_map_params map = map_of(FOURS);
    findings f;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_judge judge = {.archs = rows[i].chosen};
        begin(&f);
        assert_int_equal(tmap_check_map(&map, &judge, &f.list), rows[i].status);
        assert_int_equal(f.list.count, rows[i].findings);
        if (!rows[i].findings) continue;
        assert_int_equal(f.items[0].severity, rows[i].severity);
        assert_int_equal(f.items[0].archs, rows[i].archs);
    }
    begin(&f);
    tmap_check_map(&map, NULL, &f.list);
    assert_string_equal(f.items[0].message, "type b4x16 does not exist on sm_90, sm_90a");
}

/* A warning at every level, an error, which no level can lower, and all warnings as errors. */
TEST(levels) {
    static const struct {
        uint64_t stride_B;
        const char *slug;
        tmap_level level;
        bool warnings_are_errors;
        int severity; /* -1: no finding */
    } rows[] = {
        {0, "stride-zero", TMAP_LEVEL_DEFAULT, false, TMAP_WARNING},
        {0, "stride-zero", TMAP_LEVEL_OFF, false, -1},
        {0, "stride-zero", TMAP_LEVEL_OFF, true, -1},
        {0, "stride-zero", TMAP_LEVEL_WARN, false, TMAP_WARNING},
        {0, "stride-zero", TMAP_LEVEL_ERROR, false, TMAP_ERROR},
        {0, "stride-zero", TMAP_LEVEL_DEFAULT, true, TMAP_ERROR},
        {8200, "stride-align", TMAP_LEVEL_OFF, false, TMAP_ERROR},
        {8200, "stride-align", TMAP_LEVEL_WARN, false, TMAP_ERROR},
    };
    findings f;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = map_of(TILE);
        map.strides_B[0] = rows[i].stride_B;
        tmap_judge judge = {.warnings_are_errors = rows[i].warnings_are_errors};
        judge.levels[tmap_rule_find(rows[i].slug)] = (uint8_t)rows[i].level;
        begin(&f);
        tmap_status status = tmap_check_map(&map, &judge, &f.list);
        assert_int_equal(status, rows[i].severity == TMAP_ERROR ? TMAP_REFUSED : TMAP_OK);
        assert_int_equal(f.list.count, rows[i].severity < 0 ? 0 : 1);
        if (rows[i].severity >= 0) assert_int_equal((int)f.items[0].severity, rows[i].severity);
    }
}

TEST(advice_can_be_raised) {
    tmap_map_params map = map_of(TILE);
    map.element_strides[0] = 2;
    tmap_judge judge = {.warnings_are_errors = true};
    assert_int_equal(tmap_check_map(&map, &judge, NULL), TMAP_OK);
    judge.levels[tmap_rule_find("element-stride-ignored")] = TMAP_LEVEL_WARN;
    assert_int_equal(tmap_check_map(&map, &judge, NULL), TMAP_REFUSED);
}

TEST(texts_name_place_value_and_fix) {
    static const char *const axes[] = {"k", "m"};
    tmap_judge judge = {.axes = axes, .subject = "gemm_a", .path = "a.yaml"};
    tmap_map_params map = map_of(TILE);
    map.box_el[0] = 128;
    map.swizzle = TMAP_SWIZZLE_128B;
    findings f;
    begin(&f);
    tmap_check_map(&map, &judge, &f.list);
    expect_one(&f, "box-inner-span", TMAP_ERROR, TMAP_FIELD_BOX, 0);
    const tmap_diag *d = &f.items[0];
    assert_string_equal(d->message, "box[0] (k) spans 256 B; swizzle 128B accepts at most 128 B");
    assert_string_equal(d->given, "128 x f16 = 256 B");
    assert_string_equal(d->allowed, "at most 128 B");
    char fix[TMAP_FIX_TEXT_MAX];
    assert_string_equal(tmap_fix_text(d, fix, sizeof fix), "box[0]: 64, or swizzle: none");
    assert_int_equal(d->notes_n, 2);
    assert_int_equal(d->notes[0].field, TMAP_FIELD_SWIZZLE);
    assert_string_equal(d->notes[0].text, "swizzle is set here");
    assert_int_equal(d->notes[1].field, TMAP_FIELD_BOX);
    assert_int_equal(d->notes[1].dim, 1);
    assert_string_equal(d->notes[1].text, "the box fits if box[0] and box[1] are exchanged: 64 x f16 = 128 B");
    assert_string_equal(d->key, "box");
    assert_string_equal(d->subject, "gemm_a");
    assert_string_equal(d->path, "a.yaml");
    assert_string_equal(tmap_diag_evidence(d), "documented");
    assert_int_equal(d->enforced_by, TMAP_BY_DRIVER);
    assert_null(d->symptom);
}

TEST(long_texts_are_cut_with_dots) {
    static char name[300];
    memset(name, 'a', sizeof name - 1);
    const char *const axes[] = {name, name};
    tmap_judge judge = {.axes = axes};
    tmap_map_params map = map_of(TILE);
    map.box_el[1] = 1000;
    findings f;
    begin(&f);
    tmap_check_map(&map, &judge, &f.list);
    assert_int_equal(f.list.count, 1);
    assert_non_null(strstr(f.items[0].message, "aaa... is 1000"));
}

TEST(a_full_list_still_refuses) {
    tmap_map_params map = map_of(TILE);
    map.box_el[0] = map.box_el[1] = 0;
    tmap_diag one;
    tmap_diags list = {.items = &one, .capacity = 1, .fixed = true};
    assert_int_equal(tmap_check_map(&map, NULL, &list), TMAP_REFUSED);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.dropped, 1);
    assert_int_equal(list.by_severity[TMAP_ERROR], 2);
    assert_int_equal(tmap_check_map(&map, NULL, NULL), TMAP_REFUSED);
}

TEST(null_subjects_are_bad_arguments) {
    tmap_map_params map = map_of(TILE);
    tmap_copy_params copy = copy_of(2);
    assert_int_equal(tmap_check_map(NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_check_copy(&map, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_check_copy(NULL, &copy, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_check_descriptor(NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_check_replace_address(NULL, 0, NULL, NULL), TMAP_BAD_ARGUMENT);
}

/* A capture has the maps that a driver refused for one rule: no other rule may refuse them. A warning refuses no map.
 */
TEST(maps_that_break_one_rule) {
    static const struct {
        const char *rule;
        bool only;
        uint64_t rank, box[2], stride_B;
        tmap_swizzle swizzle;
        tmap_interleave interleave;
    } rows[] = {
        {"box-extent", true, 2, {64, 257}, 8192, 0, 0},
        {"stride-align", false, 2, {64, 257}, 8192, 0, 0},
        {"box-extent", false, 2, {64, 257}, 8200, 0, 0},
        {"box-extent", true, 2, {64, 257}, 0, 0, 0}, /* a broadcast is a warning */
        {"box-extent", true, 2, {512, 64}, 8192, 0, 0},
        {"box-extent", false, 2, {512, 64}, 8192, TMAP_SWIZZLE_128B, 0}, /* box-inner-span too */
        {"rank-range", true, 0, {64, 64}, 8192, 0, 0},
        {"rank-range", true, 6, {64, 64}, 8192, 0, 0},
        {"rank-range", false, 0, {64, 64}, 8192, 0, TMAP_INTERLEAVE_16B}, /* judged as rank 1: interleave-rank */
        {"box-extent", false, 6, {64, 257}, 8192, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = map_of(TILE);
        for (int dim = 2; dim < TMAP_RANK_MAX; dim++) map.dims_el[dim] = map.box_el[dim] = map.element_strides[dim] = 1;
        map.rank = rows[i].rank;
        map.strides_B[0] = rows[i].stride_B;
        memcpy(map.box_el, rows[i].box, sizeof rows[i].box);
        map.swizzle = rows[i].swizzle;
        map.interleave = rows[i].interleave;
        if (tmap_map_breaks_only(&map, NULL, tmap_rule_find(rows[i].rule)) != rows[i].only)
            fail_msg("row %zu: %s", i, rows[i].rule);
    }
}

/* ---- The table ---- */

/* check_rules.py tries the examples of the rules; every judged rule without examples has a row here. */
TEST(every_judging_rule_is_tested) {
    const tmap_rule_info *info;
    for (int n = 0; (info = tmap_rule_get(n)) != NULL; n++) {
        bool judged =
            info->about == TMAP_ABOUT_MAP || info->about == TMAP_ABOUT_COPY || info->about == TMAP_ABOUT_DESCRIPTOR;
        bool tested = info->bad || !judged;
        for (size_t i = 0; i < COUNT(map_rows); i++) tested |= strcmp(map_rows[i].slug, info->slug) == 0;
        for (size_t i = 0; i < COUNT(copy_rows); i++) tested |= strcmp(copy_rows[i].slug, info->slug) == 0;
        for (size_t i = 0; i < COUNT(descriptor_rows); i++) tested |= strcmp(descriptor_rows[i].slug, info->slug) == 0;
        if (!tested) fail_msg("%s has no row in this file", info->slug);
    }
}
