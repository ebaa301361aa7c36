/* The builder for runtimes: descriptors, reasons, and changes to descriptors. */
#include "assert_bytes.h"
#include "hw/archs.h"
#include "runtime_fixture.h"
#include "standin/encode.h"
#include "tmap/unstable/gen.h"

static void assert_names_a_rule(const tmap_diag *refusal) {
    if (!refusal->rule || tmap_rule_find(refusal->rule) < 0) fail_msg("no rule in \"%s\"", line_of(refusal));
}

/* ---- Building --------------------------------------------------------------------------------------------------- */

typedef struct bits {
    unsigned lo, width;
    uint64_t value;
} bits;

/*
 * Every bit that is set, by hand from the published layout of the 128 bytes: version 1 at 65, rank - 1 at 68, type code
 * at 71, interleave 75, swizzle 77, fill 79, tf32 80, promotion 81, atomicity 83, LARGE 85; strides / 16 from 96 (their
 * bits from 36 on from 224), sizes - 1 from 256, element strides - 1 from 416, boxes - 1 from 440.
 */
static const struct {
    tmap_map_params map;
    bits set[28];
} by_hand[] = {
    {{.type = TMAP_TYPE_F16,
      .rank = 2,
      .has_address = true,
      .address = ADDRESS,
      .dims_el = {4096, 8192},
      .strides_B = {8192},
      .box_el = {64, 128},
      .element_strides = {1, 1},
      .swizzle = TMAP_SWIZZLE_128B},
     {{0, 64, ADDRESS},
      {65, 3, 1},
      {68, 3, 1},
      {71, 4, 6},
      {77, 2, 3},
      {85, 1, 1}, /* 64 MiB without gaps */
      {96, 32, 512},
      {256, 32, 4095},
      {288, 32, 8191},
      {440, 8, 63},
      {448, 8, 127}}},
    {{.type = TMAP_TYPE_TF32,
      .rank = 5,
      .has_address = true,
      .address = 0x10,
      .dims_el = {UINT64_C(1) << 32, 2, 3, 4, 5},
      .strides_B = {(UINT64_C(1) << 36) + 16, 0x20, (UINT64_C(1) << 40) - 16, 0x40},
      .box_el = {4, 2, 3, 4, 256},
      .element_strides = {3, 8, 1, 2, 3}, /* the first is ignored */
      .l2_promotion = TMAP_L2_PROMOTION_256B,
      .oob_fill = TMAP_OOB_FILL_NAN},
     {{0, 64, 0x10},
      {65, 3, 1},
      {68, 3, 4},
      {71, 4, 7},
      {79, 1, 1},
      {80, 1, 1},
      {81, 2, 3},
      {85, 1, 1},
      {96, 32, 1},
      {128, 32, 2},
      {160, 32, 0xffffffff},
      {192, 32, 4},
      {224, 4, 1},
      {232, 4, 15},
      {256, 32, 0xffffffff},
      {288, 32, 1},
      {320, 32, 2},
      {352, 32, 3},
      {384, 32, 4},
      {419, 3, 7},
      {425, 3, 1},
      {428, 3, 2},
      {440, 8, 3},
      {448, 8, 1},
      {456, 8, 2},
      {464, 8, 3},
      {472, 8, 255}}},
    {{.type = TMAP_TYPE_B4X16_P64,
      .rank = 1,
      .has_address = true,
      .address = 0x20,
      .dims_el = {256},
      .box_el = {128},
      .element_strides = {1},
      .swizzle = TMAP_SWIZZLE_128B_ATOM_32B},
     {{0, 64, 0x20}, {65, 3, 1}, {71, 4, 12}, {77, 2, 3}, {83, 2, 1}, {256, 32, 255}, {440, 8, 127}}},
    {{.type = TMAP_TYPE_BF16, /* without an address: 0 */
      .rank = 3,
      .address = ADDRESS,
      .dims_el = {8, 8, 2},
      .strides_B = {256, 2048},
      .box_el = {8, 1, 1},
      .element_strides = {2, 1, 1},
      .interleave = TMAP_INTERLEAVE_32B,
      .swizzle = TMAP_SWIZZLE_32B},
     {{65, 3, 1},
      {68, 3, 2},
      {71, 4, 10},
      {75, 2, 2},
      {77, 2, 1},
      {96, 32, 16},
      {128, 32, 128},
      {256, 32, 7},
      {288, 32, 7},
      {320, 32, 1},
      {416, 3, 1},
      {440, 8, 7}}},
};

TEST(descriptors_are_as_published) {
    for (size_t i = 0; i < COUNT(by_hand); i++) {
        uint8_t expected[TMAP_DESCRIPTOR_B] = {0};
        for (size_t k = 0; k < COUNT(by_hand[i].set); k++)
            standin_put(expected, by_hand[i].set[k].lo, by_hand[i].set[k].width, by_hand[i].set[k].value);
        tmap_descriptor d = built(&by_hand[i].map);
        assert_bytes_equal(d.bytes, expected, sizeof expected);
    }
}

TEST(a_refusal_names_field_rule_and_fix) {
    tmap_map_params p = gemm();
    tmap_descriptor d, before;
    tmap_diag refusal;
    p.box_el[0] = 128;
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_build(&p, 0, &d, &refusal), TMAP_REFUSED);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    assert_string_equal(line_of(&refusal),
                        "box_el[0] spans 256 B; swizzle 128B accepts at most 128 B; given: 128 x f16 = 256 B; allowed: "
                        "at most 128 B; fix: box_el[0] = 64, or swizzle = TMAP_SWIZZLE_NONE [box-inner-span]");
    p.dims_el[1] = 0, p.strides_B[0] = 8; /* warnings are not counted if there are errors */
    p.address = 0;
    assert_int_equal(tmap_build_check(&p, 0, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "dims_el[1] is 0");
    expect_in(line_of(&refusal), ", and 1 more [dim-extent]");
}

TEST(the_line_is_always_terminated) {
    tmap_map_params bad = gemm();
    tmap_diag refusal;
    char line[300];
    bad.box_el[0] = 128;
    assert_int_equal(tmap_build_check(&bad, 0, &refusal), TMAP_REFUSED);
    const char *whole = line_of(&refusal);
    for (size_t size = 1; size < sizeof line; size++) {
        memset(line, '?', sizeof line);
        assert_ptr_equal(tmap_diag_line(&refusal, line, size), line);
        size_t length = strlen(whole) < size ? strlen(whole) : size - 1;
        assert_int_equal(strlen(line), length);
        assert_memory_equal(line, whole, length);
        assert_int_equal(line[size], '?');
    }
    line[0] = '?';
    assert_ptr_equal(tmap_diag_line(&refusal, line, 0), line);
    assert_int_equal(line[0], '?');
    assert_int_equal(tmap_build_check(&bad, 0, NULL), TMAP_REFUSED);
}

/* Forgotten strides, and strides in elements, are legal: broadcasts and overlapping rows. */
TEST(the_record_of_a_built_map_has_its_first_warning) {
    static const struct {
        uint64_t stride_B;
        const char *rule, *line;
    } rows[] = {
        {8192, NULL, ""},
        {0, "stride-zero", "strides_B[0] is 0: all"},
        {4096, "stride-below-row", "fix: strides_B[0] = 8192, if these strides count elements"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params p = gemm();
        tmap_descriptor d;
        tmap_prepared prepared;
        p.strides_B[0] = rows[i].stride_B;
        for (int call = 0; call < 3; call++) {
            tmap_diag record;
            memset(&record, '?', sizeof record);
            assert_int_equal(call == 0   ? tmap_build(&p, 0, &d, &record)
                             : call == 1 ? tmap_build_check(&p, 0, &record)
                                         : tmap_prepare(&p, 0, &prepared, &record),
                             TMAP_OK);
            assert_int_equal(record.severity, rows[i].rule ? TMAP_WARNING : TMAP_ADVICE);
            assert_true(rows[i].rule ? strcmp(record.rule, rows[i].rule) == 0 : !record.rule);
            expect_in(line_of(&record), rows[i].line);
            if (!rows[i].rule) assert_string_equal(line_of(&record), "");
        }
        assert_int_equal(tmap_build(&p, 0, &d, NULL), TMAP_OK);
    }
}

TEST(a_member_of_a_later_release_is_named) {
    tmap_map_params p = gemm();
    tmap_descriptor d;
    tmap_diag refusal;
    tmap_diags diags = {.items = &refusal, .capacity = 1, .fixed = true};
    p.reserved[0] = 1;
    memset(&refusal, '?', sizeof refusal);
    assert_int_equal(tmap_build(&p, 0, &d, &refusal), TMAP_BAD_ARGUMENT);
    expect_in(line_of(&refusal), "reserved");
    assert_int_equal(tmap_check_map(&p, NULL, &diags), TMAP_BAD_ARGUMENT);
    assert_int_equal(diags.count, 1);
    expect_in(line_of(&refusal), "reserved");
}

TEST(null_pointers_are_named) {
    tmap_diag refusal;
    tmap_map_params p = gemm();
    tmap_dl_tensor tensor = {0};
    tmap_descriptor d;
    REFUSES_NULL("params", tmap_build(NULL, 0, &d, &refusal));
    REFUSES_NULL("descriptor", tmap_build(&p, 0, NULL, &refusal));
    REFUSES_NULL("params", tmap_build_check(NULL, 0, &refusal));
    REFUSES_NULL("descriptor", tmap_replace_address(NULL, 0, 0, &refusal));
    REFUSES_NULL("descriptor", tmap_replace_tensor(NULL, 2, NULL, NULL, 0, &refusal));
    REFUSES_NULL("descriptor", tmap_set_allocation_class(NULL, TMAP_ALLOCATION_SMALL, NULL, &refusal));
    REFUSES_NULL("tensor", tmap_params_from_dlpack(NULL, NULL, &p, &refusal));
    REFUSES_NULL("params", tmap_params_from_dlpack(&tensor, NULL, NULL, &refusal));
    assert_int_equal(tmap_build(NULL, 0, NULL, NULL), TMAP_BAD_ARGUMENT);
}

TEST(architectures_are_checked) {
    tmap_map_params p = gemm();
    tmap_diag refusal;
    p.swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
    assert_int_equal(tmap_build_check(&p, 0, &refusal), TMAP_OK);
    assert_int_equal(tmap_build_check(&p, TMAP_ARCHS_100, &refusal), TMAP_OK);
    assert_int_equal(tmap_build_check(&p, TMAP_ARCH_BIT(SM_90A), &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "sm_90a");
    assert_names_a_rule(&refusal);
}

/* ---- Changing --------------------------------------------------------------------------------------------------- */

TEST(changes_are_as_if_built_anew) {
    tmap_diag refusal;
    for (uint64_t i = 0; i < 2000; i++) {
        tmap_random random = {i};
        tmap_map_params p, other;
        tmap_random_map(&random, false, &p);
        if (p.mode != TMAP_MODE_TILED) continue;
        other = p;
        other.address ^= UINT64_C(1) << tmap_random_between(&random, 5, 46);
        for (uint64_t k = 0; k < p.rank; k++)
            other.dims_el[k] = (p.dims_el[k] + 1) / 2 + 128 - (p.dims_el[k] + 1) / 2 % 128;
        for (uint64_t k = 1; k < p.rank; k++) other.strides_B[k - 1] = p.strides_B[k - 1] / 64 * 32;
        tmap_descriptor d = built(&p), wanted = built(&other);
        if (tmap_replace_address(&d, other.address, 0, &refusal) != TMAP_OK ||
            tmap_replace_tensor(&d, p.rank, other.dims_el, NULL, 0, &refusal) != TMAP_OK ||
            tmap_replace_tensor(&d, p.rank, NULL, other.strides_B, 0, &refusal) != TMAP_OK)
            fail_msg("map %d: %s", (int)i, refusal.message);
        assert_bytes_equal(d.bytes, wanted.bytes, sizeof d.bytes);
        assert_int_equal(tmap_replace_tensor(&d, p.rank, p.dims_el, p.strides_B, 0, NULL), TMAP_OK);
        assert_int_equal(tmap_replace_address(&d, p.address, 0, NULL), TMAP_OK);
        wanted = built(&p);
        assert_bytes_equal(d.bytes, wanted.bytes, sizeof d.bytes);
    }
}

/*
 * A driver may set bits that no document explains, and may write any value for dimensions that the map does not have.
 */
TEST(other_bits_are_kept) {
    tmap_map_params p = gemm();
    const uint64_t dims[] = {64, 64}, strides[] = {16384};
    for (unsigned bit = 0; bit < 1024; bit++) {
        bool changed = bit < 64 || (bit >= 96 && bit < 128) || (bit >= 224 && bit < 228) || (bit >= 256 && bit < 320);
        tmap_descriptor d = built(&p);
        d.bytes[bit / 8] = (uint8_t)(d.bytes[bit / 8] ^ 1u << bit % 8);
        tmap_descriptor before = d;
        if (changed || tmap_replace_address(&d, 0x7f0000004000, 0, NULL) != TMAP_OK) continue;
        if (tmap_replace_tensor(&d, 2, dims, strides, 0, NULL) != TMAP_OK) continue;
        standin_put(before.bytes, 0, 64, 0x7f0000004000);
        standin_put(before.bytes, 85, 1, 0); /* 128 B of every 16 KiB */
        standin_put(before.bytes, 96, 32, 1024);
        standin_put(before.bytes, 256, 32, 63);
        standin_put(before.bytes, 288, 32, 63);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

/* A map prepared once and moved to other addresses, aligned or not, and to address 0, is equal to a newly built map. */
TEST(prepared_maps_move) {
    tmap_random random = {7};
    unsigned refused = 0;
    for (int i = 0; i < 2000; i++) {
        tmap_map_params p;
        tmap_prepared prepared;
        tmap_descriptor at, wanted;
        tmap_diag reason, why;
        tmap_random_map(&random, true, &p);
        if (i % 2) p.has_address = false, p.address = 0;
        memset(&at, 0, sizeof at), memset(&wanted, 0, sizeof wanted);
        if (tmap_prepare(&p, 0, &prepared, &reason) != TMAP_OK) continue;
        p.has_address = true;
        p.address = i % 16 == 0 ? 0 : tmap_random_next(&random) >> (i % 3 ? 8 : 17) << i % 7;
        tmap_status status = tmap_build(&p, 0, &wanted, &why);
        assert_int_equal(tmap_prepared_at(&prepared, p.address, &at, &reason), status);
        if (status != TMAP_OK) assert_string_equal(reason.message, why.message);
        assert_bytes_equal(at.bytes, wanted.bytes, sizeof at.bytes);
        refused += status != TMAP_OK;
    }
    assert_in_range(refused, 100, 1900);
    tmap_prepared none;
    assert_int_equal(tmap_prepare(NULL, 0, &none, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_prepared_at(NULL, 16, NULL, NULL), TMAP_BAD_ARGUMENT);
}

TEST(another_rank_is_no_change) {
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before = d;
    const uint64_t dims[] = {64, 64, 64}, strides[] = {16384, 16384};
    tmap_diag refusal;
    const uint64_t ranks[] = {0, 1, 3, 6, INT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        assert_int_equal(tmap_replace_tensor(&d, ranks[i], dims, strides, 0, &refusal), TMAP_BAD_ARGUMENT);
        expect_in(line_of(&refusal), "the map has rank 2");
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

typedef struct refused_change {
    const char *rule;
    uint64_t address, dims[2], stride_B;
} refused_change;

TEST(refused_changes_leave_the_descriptor) {
    static const refused_change rows[] = {
        {"address-align", ADDRESS + 8, {4096, 8192}, 8192},
        {"dim-extent", ADDRESS, {0, 8192}, 8192},
        {"dim-extent", ADDRESS, {4096, (UINT64_C(1) << 32) + 1}, 8192},
        {"dim-extent", ADDRESS, {UINT64_MAX, UINT64_MAX}, 8192},
        {"stride-align", ADDRESS, {4096, 8192}, 8200},
        {"stride-limit", ADDRESS, {4096, 2}, UINT64_C(1) << 40},
        {"stride-limit", ADDRESS, {4096, 8192}, UINT64_MAX - 15},
    };
    tmap_map_params p = gemm();
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_diag refusal;
        tmap_descriptor d = built(&p), before = d;
        tmap_status status = tmap_replace_address(&d, rows[i].address, 0, &refusal);
        if (status == TMAP_OK) status = tmap_replace_tensor(&d, 2, rows[i].dims, &rows[i].stride_B, 0, &refusal);
        assert_int_equal(status, TMAP_REFUSED);
        expect_in(line_of(&refusal), rows[i].rule);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

/* The address and sizes of a ragged tensor can change like those of others: addresses are computed modulo 2^64. */
TEST(a_tensor_that_wraps_is_accepted) {
    const uint64_t dims[] = {4096, UINT64_C(1) << 32}, stride_B = (UINT64_C(1) << 40) - 16;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p);
    tmap_diag refusal;
    assert_int_equal(tmap_replace_address(&d, UINT64_MAX - 15, 0, &refusal), TMAP_OK);
    assert_int_equal(tmap_replace_tensor(&d, 2, dims, &stride_B, 0, &refusal), TMAP_OK);
}

/* The new address needs the alignment for which the map was made. */
TEST(a_new_address_keeps_the_alignment) {
    static const size_t wants_32[] = {2, 3}; /* the padded type, the interleaved one */
    for (size_t i = 0; i < COUNT(wants_32); i++) {
        tmap_descriptor d = built(&by_hand[wants_32[i]].map);
        tmap_diag refusal;
        assert_int_equal(tmap_replace_address(&d, ADDRESS + 16, 0, &refusal), TMAP_REFUSED);
        expect_in(line_of(&refusal), "a multiple of 32 B");
        assert_int_equal(tmap_replace_address(&d, ADDRESS + 32, 0, &refusal), TMAP_OK);
    }
}

TEST(other_memory_is_refused) {
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before;
    tmap_diag refusal;
    standin_put(d.bytes, 71, 4, 15); /* no type */
    before = d;
    assert_int_equal(tmap_replace_address(&d, ADDRESS, 0, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[desc-type-code]");
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    for (uint64_t i = 0; i < 2000; i++) { /* garbage: any answer is allowed, but a refusal writes nothing */
        tmap_random random = {i};
        for (size_t k = 0; k < sizeof d.bytes; k++) d.bytes[k] = (uint8_t)tmap_random_next(&random);
        before = d;
        tmap_status status = tmap_replace_address(&d, ADDRESS, 0, &refusal);
        if (status == TMAP_OK) continue;
        assert_int_equal(status, TMAP_REFUSED);
        assert_names_a_rule(&refusal);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

/* LARGE needs 128 KiB = 512 rows of 256 B from the base. The rows are f16; 64 of them are 128 B. */
typedef struct class_row {
    uint64_t dims[2], stride_B;
    bool is_large;
} class_row;
static const class_row class_rows[] = {
    {{64, 32}, 256, false},        {{64, 512}, 256, false}, /* 511 x 256 + 128 B */
    {{64, 513}, 256, true},        {{64, 1023}, 128, false},     {{64, 1024}, 128, true},
    {{128, 32}, 128, false},       {{4096, 8192}, 8192, true},   {{64, 1024}, 128 + 4096, true}, /* gaps of 4 KiB */
    {{64, 1024}, 4240, false},     {{65536, 2}, 16777216, true}, /* the first row alone has 128 KiB */
    {{65535, 2}, 16777216, false}, {{8, 16384}, 0, false},       /* one row again and again */
};

TEST(the_class_is_chosen_by_what_the_tensor_covers) {
    for (size_t i = 0; i < COUNT(class_rows); i++) {
        tmap_map_params p = gemm();
        p.dims_el[0] = class_rows[i].dims[0], p.dims_el[1] = class_rows[i].dims[1];
        p.strides_B[0] = class_rows[i].stride_B;
        tmap_descriptor d = built(&p);
        assert_int_equal(bit_85(&d), class_rows[i].is_large);
        p.allocation_B = 131072;
        d = built(&p);
        assert_true(bit_85(&d));
        p.allocation_B = 131071;
        d = built(&p);
        assert_false(bit_85(&d));
    }
    tmap_map_params p = gemm(); /* 2^30 rows 2^18 bytes apart are 2^48 bytes, more than exist */
    p.dims_el[0] = 131072, p.dims_el[1] = (UINT64_C(1) << 30) + 1;
    p.strides_B[0] = 262144;
    tmap_descriptor d = built(&p);
    assert_false(bit_85(&d));
    p.dims_el[1] -= 2;
    d = built(&p);
    assert_true(bit_85(&d));
}

TEST(bit_85_follows_the_tensor) {
    for (size_t i = 0; i < COUNT(class_rows); i++) {
        tmap_map_params p = gemm();
        tmap_descriptor d = built(&p);
        const class_row *row = &class_rows[i];
        assert_int_equal(tmap_replace_tensor(&d, 2, row->dims, &row->stride_B, 0, NULL), TMAP_OK);
        assert_int_equal(bit_85(&d), row->is_large);
    }
    tmap_map_params p = small_with_gaps();
    tmap_descriptor d = built(&p);
    standin_put(d.bytes, 85, 1, 1); /* a driver older than the fix of nvbug 5736804 */
    assert_int_equal(tmap_replace_address(&d, ADDRESS, 0, NULL), TMAP_OK);
    assert_false(bit_85(&d));
}

/* A class that the native encoder would not choose was set by the caller and is kept. */
TEST(a_class_that_was_set_is_kept) {
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p);
    const uint64_t dims[] = {4096, 4096};
    assert_int_equal(tmap_set_allocation_class(&d, TMAP_ALLOCATION_SMALL, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_replace_tensor(&d, 2, dims, NULL, 0, NULL), TMAP_OK);
    assert_false(bit_85(&d));
    p.dims_el[0] = 64, p.dims_el[1] = 64, p.strides_B[0] = 128;
    d = built(&p);
    assert_int_equal(tmap_set_allocation_class(&d, TMAP_ALLOCATION_LARGE, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_replace_address(&d, ADDRESS, 0, NULL), TMAP_OK);
    assert_true(bit_85(&d));
}

/* By the text of cuTensorMapSetAllocationClass: one bit is read, modified and written. */
TEST(setting_the_class_changes_only_its_bit) {
    static const struct {
        tmap_allocation_class asked;
        bool small_tensor, is_large;
    } rows[] = {{TMAP_ALLOCATION_SMALL, false, false}, {TMAP_ALLOCATION_LARGE, false, true},
                {TMAP_ALLOCATION_AUTO, false, true},   {TMAP_ALLOCATION_SMALL, true, false},
                {TMAP_ALLOCATION_LARGE, true, true},   {TMAP_ALLOCATION_AUTO, true, false}};
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        tmap_map_params p = rows[i / 2].small_tensor ? small_with_gaps() : gemm();
        tmap_allocation_class out = TMAP_ALLOCATION_AUTO;
        tmap_descriptor d = built(&p);
        standin_put(d.bytes, 85, 1, i % 2);
        standin_put(d.bytes, 600, 3, 5); /* bits without a known meaning */
        tmap_descriptor wanted = d;
        standin_put(wanted.bytes, 85, 1, rows[i / 2].is_large);
        assert_int_equal(tmap_set_allocation_class(&d, rows[i / 2].asked, &out, NULL), TMAP_OK);
        assert_bytes_equal(d.bytes, wanted.bytes, sizeof d.bytes);
        assert_int_equal(out, rows[i / 2].is_large ? TMAP_ALLOCATION_LARGE : TMAP_ALLOCATION_SMALL);
    }
}

TEST(numbers_without_a_class_are_refused) {
    tmap_diag refusal;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before = d;
    tmap_allocation_class out = TMAP_ALLOCATION_LARGE;
    assert_int_equal(tmap_set_allocation_class(&d, (tmap_allocation_class)3, &out, &refusal), TMAP_REFUSED);
    assert_names_a_rule(&refusal);
    assert_int_equal(out, TMAP_ALLOCATION_SMALL);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    standin_put(d.bytes, 71, 4, 15); /* no type */
    out = TMAP_ALLOCATION_LARGE;
    before = d;
    assert_int_equal(tmap_set_allocation_class(&d, TMAP_ALLOCATION_SMALL, &out, &refusal), TMAP_REFUSED);
    assert_int_equal(out, TMAP_ALLOCATION_SMALL);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
}
