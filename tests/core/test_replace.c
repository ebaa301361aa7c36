/*
 * tensormap.replace on descriptors and on maps. Bits are from the table that was measured with ptxas: byte positions,
 * subtractions and shifts, and the bits that keep their value.
 */
#include "cmocka_all.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#include <tmap/codec.h>

static tmap_map_params tile(tmap_type type) {
    tmap_map_params map = tmap_map_params_tiled(type, 2);
    map.dims_el[0] = map.dims_el[1] = 4096;
    map.strides_B[0] = 16384;
    map.box_el[0] = 32, map.box_el[1] = 64;
    map.swizzle = TMAP_SWIZZLE_128B;
    return map;
}

#define REPLACE(what, n, number)                                                                                       \
    ((tmap_copy_params){                                                                                               \
        .op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_##what, .ordinal = (n), .value = (uint64_t)(number)})

static uint64_t bits_of(const tmap_descriptor *d, unsigned lo, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) value |= (uint64_t)(d->bytes[(lo + i) / 8] >> ((lo + i) % 8) & 1) << i;
    return value;
}

/*
 * The replacement is applied to a descriptor of all ones, so that a field that is too wide or too narrow shows: exactly
 * these bits change.
 */
static const struct {
    tmap_copy_params replace;
    unsigned lo, width;
    uint64_t stored;
} effects[] = {
    {REPLACE(RANK, 0, 3), 68, 3, 2},
    {REPLACE(RANK, 1, 3), 68, 3, 2}, /* the rank has no ordinal */
    {REPLACE(TYPE, 0, TMAP_TYPE_F16), 71, 4, 6},
    {REPLACE(TYPE, 0, TMAP_TYPE_F64), 71, 4, 9},
    {REPLACE(TYPE, 0, TMAP_TYPE_BF16), 71, 4, 10},
    {REPLACE(TYPE, 0, TMAP_TYPE_F32_FTZ), 71, 4, 8},
    {REPLACE(TYPE, 0, TMAP_TYPE_B6X16_P32), 71, 4, 13},
    {REPLACE(INTERLEAVE, 0, TMAP_INTERLEAVE_16B), 75, 2, 1},
    {REPLACE(OOB_FILL, 0, 0), 79, 1, 0},
    {REPLACE(ATOMICITY, 0, 2), 83, 2, 2},
    {REPLACE(DIMS, 0, 1), 256, 32, 0},
    {REPLACE(DIMS, 4, 4096), 384, 32, 4095},
    {REPLACE(ELEMENT_STRIDES, 0, 1), 416, 3, 0},
    {REPLACE(ELEMENT_STRIDES, 4, 3), 428, 3, 2},
    {REPLACE(BOX, 0, 64), 440, 8, 63},
    {REPLACE(BOX, 4, 1), 472, 8, 0},
};

TEST(changes_only_these_bits) {
    for (size_t i = 0; i < COUNT(effects); i++) {
        tmap_descriptor d;
        memset(&d, 0xff, sizeof d);
        tmap_descriptor_replace(&d, &effects[i].replace);
        assert_int_equal(bits_of(&d, effects[i].lo, effects[i].width), effects[i].stored);
        for (unsigned bit = 0; bit < 1024; bit++) {
            bool own = bit >= effects[i].lo && bit < effects[i].lo + effects[i].width;
            if (!own && bits_of(&d, bit, 1) != 1) fail_msg("row %d clears bit %u", (int)i, bit);
        }
    }
}

/*
 * Measured with ptxas 12.3.107 to 13.5.37 (tests/tool), one row per first release of a change: the bits below 128 that
 * are clear after a replacement in a descriptor of all ones.
 */
static const struct {
    tmap_copy_params replace;
    int toolkit;
    uint64_t low, high;
} by_toolkit[] = {
    {REPLACE(ADDRESS, 0, UINT64_MAX), 0, 0, 1u << 21}, /* the newest: bit 85, LARGE, becomes SMALL */
    {REPLACE(ADDRESS, 0, UINT64_MAX), 13050, 0, 1u << 21},
    {REPLACE(ADDRESS, 0, UINT64_MAX), 13040, 0, 0},
    {REPLACE(ADDRESS, 0, UINT64_MAX - 15), 13000, 15, 0},
    {REPLACE(ATOMICITY, 0, 3), 13040, 0, 0},
    {REPLACE(ATOMICITY, 0, 3), 13030, 0, 1u << 21},
    {REPLACE(ATOMICITY, 0, 0), 13000, 0, 7u << 19},
    {REPLACE(SWIZZLE, 0, 1), 12080, 0, 1u << 22 | 1u << 14},
    {REPLACE(SWIZZLE, 0, 1), 12060, 0, 1u << 14}, /* bit 86 keeps its value */
    {REPLACE(SWIZZLE, 0, 2), 12060, 0, 1u << 13},
};

TEST(toolkits_differ) {
    for (size_t i = 0; i < COUNT(by_toolkit); i++) {
        tmap_descriptor d;
        memset(&d, 0xff, sizeof d);
        tmap_copy_params replace = by_toolkit[i].replace;
        replace.toolkit = by_toolkit[i].toolkit;
        tmap_descriptor_replace(&d, &replace);
        assert_int_equal(bits_of(&d, 0, 64), ~by_toolkit[i].low);
        assert_int_equal(bits_of(&d, 64, 64), ~by_toolkit[i].high);
    }
    tmap_descriptor d = {{0}};
    tmap_copy_params units = REPLACE(STRIDES, 0, 0x123);
    units.toolkit = 12040; /* in units of 16 bytes */
    tmap_descriptor_replace(&d, &units);
    assert_int_equal(bits_of(&d, 96, 32), 0x123);
}

/* The toolkit of the judge replaces that of the replacement. With a judge without a toolkit, it does not change. */
TEST(judges_choose_the_toolkit) {
    tmap_map map;
    tmap_map_params params = tile(TMAP_TYPE_F32);
    tmap_copy_params replace = REPLACE(ADDRESS, 0, 4096);
    tmap_judge judge = {.toolkit = 13040};
    tmap_replacement made;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_replacement_init(&made, &map, &replace, &judge, NULL), TMAP_OK);
    assert_int_equal(made.params.toolkit, 13040);
    assert_int_equal(tmap_replacement_init(&made, &map, &replace, NULL, NULL), TMAP_OK);
    assert_int_equal(made.params.toolkit, 0);
    judge.toolkit = 0, replace.toolkit = 13010;
    assert_int_equal(tmap_replacement_init(&made, &map, &replace, &judge, NULL), TMAP_OK);
    assert_int_equal(made.params.toolkit, 13010);
}

/* Low 32 bits of stride / 16 in a dword of its own, the next 4 in a nibble of byte 28 and 29. */
TEST(strides_are_in_two_parts) {
    for (unsigned i = 0; i < 4; i++) {
        tmap_descriptor d = {{0}};
        tmap_copy_params replace = REPLACE(STRIDES, i, 0xABCDEF0120);
        tmap_descriptor_replace(&d, &replace);
        assert_int_equal(bits_of(&d, 96 + 32 * i, 32), 0xBCDEF012);
        assert_int_equal(bits_of(&d, 224 + 4 * i, 4), 0xA);
        assert_int_equal(bits_of(&d, 0, 64) | bits_of(&d, 240, 64), 0);
    }
    tmap_descriptor d;
    memset(&d, 0xff, sizeof d);
    tmap_copy_params fourth = REPLACE(STRIDES, 4, 0x120);
    tmap_descriptor_replace(&d, &fourth);
    assert_int_equal(bits_of(&d, 224, 32), 0x12); /* overwrites the high bits of all strides */
    assert_int_equal(bits_of(&d, 192, 32), 0xFFFFFFFF);
    fourth.value = 0xABCDEF0120; /* and the nibble of the dword at bit 240 */
    tmap_descriptor_replace(&d, &fourth);
    assert_int_equal(bits_of(&d, 224, 32), 0xBCDAF012);
}

/* Mode 4 is bit 86 with the low two clear; the others clear bit 86 (ptxas 13.0). */
TEST(swizzle_modes_have_three_bits) {
    for (uint64_t mode = 0; mode < 5; mode++) {
        tmap_descriptor d;
        memset(&d, 0xff, sizeof d);
        tmap_copy_params replace = REPLACE(SWIZZLE, 0, mode);
        tmap_descriptor_replace(&d, &replace);
        assert_int_equal(bits_of(&d, 77, 2), mode % 4);
        assert_int_equal(bits_of(&d, 86, 1), mode / 4);
        assert_int_equal(bits_of(&d, 83, 3), 7);
    }
}

TEST(the_rounding_bit_is_set_and_never_cleared) {
    tmap_descriptor d = {{0}};
    tmap_copy_params tf32 = REPLACE(TYPE, 0, TMAP_TYPE_TF32), f32 = REPLACE(TYPE, 0, TMAP_TYPE_F32);
    tmap_descriptor_replace(&d, &f32);
    assert_int_equal(bits_of(&d, 80, 1), 0);
    tmap_descriptor_replace(&d, &tf32);
    assert_int_equal(bits_of(&d, 71, 4), 7);
    assert_int_equal(bits_of(&d, 80, 1), 1);
    tmap_descriptor_replace(&d, &f32);
    assert_int_equal(bits_of(&d, 80, 1), 1);
}

/* The operands of the instruction: it has its own codes of types, and the rank is encoded as rank - 1. */
TEST(operands) {
    static const struct {
        tmap_copy_params replace;
        const char *text;
    } rows[] = {
        {REPLACE(RANK, 0, 5), "rank.global.b1024.b32 [tm], 4;"},
        {REPLACE(TYPE, 0, TMAP_TYPE_BF16), "elemtype.global.b1024.b32 [tm], 10;"},
        {REPLACE(TYPE, 0, TMAP_TYPE_F64), "elemtype.global.b1024.b32 [tm], 9;"},
        {REPLACE(DIMS, 1, (uint64_t)1 << 32), "global_dim.global.b1024.b32 [tm], 1, 0;"},
        {REPLACE(STRIDES, 0, 8192), "global_stride.global.b1024.b64 [tm], 0, 8192;"},
        {REPLACE(ATOMICITY, 0, 1), "swizzle_atomicity.global.b1024.b32 [tm], 1;"},
        {{.op = TMAP_OP_REPLACE, .map_space = (tmap_space)UINT32_MAX}, "global_address.global.b1024.b64 [tm], 0;"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_replace_print(&sink, &rows[i].replace, "tm", NULL);
        assert_non_null(strstr(text.data, rows[i].text));
        tmap_text_free(&text);
    }
}

TEST(tables_and_words_agree) {
    for (int i = 0; i < TMAP_REPLACEABLE_COUNT; i++) {
        const tmap_replaceable_info *info = tmap_replaceable_get(i);
        assert_int_equal(tmap_replaceable_find(info->name), i);
        assert_int_equal(tmap_replaceable_find(info->ptx), i);
        assert_int_equal(info->immediate, tmap_replace_word((tmap_replaceable)i, 0) != NULL);
        for (uint64_t v = 0; tmap_replace_word((tmap_replaceable)i, v); v++)
            assert_int_equal(tmap_replace_word_find((tmap_replaceable)i, tmap_replace_word((tmap_replaceable)i, v)), v);
        assert_int_equal(tmap_replace_word_find((tmap_replaceable)i, "no such word"), -1);
    }
    assert_null(tmap_replaceable_get(-1));
    assert_int_equal(tmap_replaceable_find("l2_promotion"), -1);
}

/* From ptxas: which replacement assembles for which target. */
TEST(architectures) {
    static const struct {
        tmap_replaceable field;
        uint64_t value;
        const char *arch;
        bool assembles;
    } rows[] = {
        {TMAP_REPLACEABLE_DIMS, 1, "sm_90a", true},       {TMAP_REPLACEABLE_DIMS, 1, "sm_90", false},
        {TMAP_REPLACEABLE_DIMS, 1, "sm_120", false},      {TMAP_REPLACEABLE_DIMS, 1, "sm_121a", true},
        {TMAP_REPLACEABLE_TYPE, 12, "sm_90a", true},      {TMAP_REPLACEABLE_TYPE, 13, "sm_90a", false},
        {TMAP_REPLACEABLE_TYPE, 15, "sm_120a", true},     {TMAP_REPLACEABLE_ATOMICITY, 0, "sm_90a", false},
        {TMAP_REPLACEABLE_ATOMICITY, 3, "sm_110f", true}, {TMAP_REPLACEABLE_SWIZZLE, 4, "sm_103f", false},
        {TMAP_REPLACEABLE_SWIZZLE, 4, "sm_103a", true},   {TMAP_REPLACEABLE_SWIZZLE, 3, "sm_90a", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tmap_replace_archs(rows[i].field, rows[i].value) >> tmap_arch_find(rows[i].arch) & 1,
                         rows[i].assembles);
}

/* ---- Maps ------------------------------------------------------------------------------------------------------- */

static tmap_replacement replace_in(tmap_map_params params, tmap_copy_params replace) {
    tmap_map map;
    tmap_replacement made;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_replacement_init(&made, &map, &replace, NULL, NULL), TMAP_OK);
    return made;
}

TEST(a_changed_map_reports_its_changes) {
    tmap_map_params before = tile(TMAP_TYPE_F32);
    before.allocation_B = 1 << 20;
    before.allocation_offset_B = 64;
    before.ops = TMAP_OP_BIT(LOAD);
    tmap_replacement made = replace_in(before, REPLACE(DIMS, 1, 1000));
    assert_int_equal(made.map.dims_el[1], 1000);
    assert_int_equal(made.map.dims_el[0], 4096);
    assert_int_equal(made.map.strides_B[0], 16384);
    assert_false(made.map.has_address);
    assert_int_equal(made.map.address, 0);
    assert_int_equal(made.map.allocation_B, 1 << 20);
    assert_int_equal(made.map.allocation_offset_B, 64);
    assert_int_equal(made.map.ops, TMAP_OP_BIT(LOAD));
    made = replace_in(before, REPLACE(ADDRESS, 0, 0x1000));
    assert_true(made.map.has_address);
    assert_int_equal(made.map.address, 0x1000);
    assert_int_equal(made.map.allocation_B, 0); /* the allocation of the old address */
    assert_int_equal(made.map.allocation_offset_B, 0);
}

TEST(a_tf32_map_stays_tf32) {
    tmap_replacement made = replace_in(tile(TMAP_TYPE_TF32), REPLACE(TYPE, 0, TMAP_TYPE_F32));
    assert_int_equal(made.map.type, TMAP_TYPE_TF32);
    assert_memory_equal(made.before.bytes, made.after.bytes, TMAP_DESCRIPTOR_B);
}

/* The 64B swizzle requires rows of at most 64 bytes; the next replacement shrinks the box. */
TEST(the_next_replacement_may_make_it_legal) {
    tmap_replacement made = replace_in(tile(TMAP_TYPE_F32), REPLACE(SWIZZLE, 0, 2));
    tmap_copy_params narrower = REPLACE(BOX, 0, 16);
    assert_int_equal(tmap_check_map(&made.map, NULL, NULL), TMAP_REFUSED);
    tmap_descriptor_replace(&made.after, &narrower);
    assert_int_equal(tmap_descriptor_decode(&made.after, &made.map, NULL, NULL), TMAP_OK);
    assert_int_equal(made.map.swizzle, TMAP_SWIZZLE_64B);
    assert_int_equal(tmap_check_map(&made.map, NULL, NULL), TMAP_OK);
}

TEST(maps_that_break_rules_are_not_made) {
    tmap_map_params params = tile(TMAP_TYPE_F32);
    tmap_map map;
    tmap_replacement made = {.params = {.value = 7}};
    tmap_copy_params wrong = REPLACE(BOX, 0, 300), load = {.op = TMAP_OP_LOAD, .at_n = 2};
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_replacement_init(&made, &map, &wrong, NULL, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_replacement_init(&made, &map, &load, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(made.params.value, 7);
}

/* ---- Meanings and differences ------------------------------------------------------------------------------------ */

/* By the encodings that descriptor.def states. */
TEST(raw_numbers_have_meanings) {
    static const struct {
        tmap_descriptor_field field;
        uint64_t raw, rank;
        const char *meaning;
    } rows[] = {
        {TMAP_DESC_KIND, 0, 0, "tiled"},
        {TMAP_DESC_KIND, 1, 0, "im2col"},
        {TMAP_DESC_VERSION, 1, 0, "1"},
        {TMAP_DESC_RANK, 4, 0, "5"},
        {TMAP_DESC_TYPE, 0, 0, "u8"},
        {TMAP_DESC_TYPE, 6, 0, "f16"},
        {TMAP_DESC_TYPE, 16, 0, "?"},
        {TMAP_DESC_INTERLEAVE, 2, 0, "32B"},
        {TMAP_DESC_INTERLEAVE, 3, 0, "?"},
        {TMAP_DESC_SWIZZLE, 4, 0, "96B"},
        {TMAP_DESC_SWIZZLE, 5, 0, "?"},
        {TMAP_DESC_OOB_FILL, 0, 0, "zero"},
        {TMAP_DESC_OOB_FILL, 2, 0, "?"},
        {TMAP_DESC_TF32, 0, 0, "as it is"},
        {TMAP_DESC_TF32, 1, 0, "rounded"},
        {TMAP_DESC_L2_PROMOTION, 0, 0, "none"},
        {TMAP_DESC_L2_PROMOTION, 1, 0, "64B"},
        {TMAP_DESC_L2_PROMOTION, 3, 0, "256B"},
        {TMAP_DESC_L2_PROMOTION, 4, 0, "?"},
        {TMAP_DESC_L2_PROMOTION, 256, 0, "?"},
        {TMAP_DESC_ATOMICITY, 1, 0, "32B"},
        {TMAP_DESC_ATOMICITY, 3, 0, "64B"},
        {TMAP_DESC_ATOMICITY, 4, 0, "?"},
        {TMAP_DESC_ALLOCATION_CLASS, 0, 0, "SMALL"},
        {TMAP_DESC_ALLOCATION_CLASS, 1, 0, "LARGE"},
        {TMAP_DESC_ADDRESS, 4096, 0, "0x1000"},
        {TMAP_DESC_STRIDE_0, 1024, 0, "16384 B"},
        {TMAP_DESC_STRIDE_3, 1, 0, "16 B"},
        {TMAP_DESC_DIM_0, UINT32_MAX, 0, "4294967296"},
        {TMAP_DESC_ELEMENT_STRIDE_4, 2, 0, "3"},
        {TMAP_DESC_BOX_4, 255, 0, "256"},
        {TMAP_DESC_PIXELS_PER_COLUMN, 31, 0, "32"},
        {TMAP_DESC_LOWER_CORNER, 0xffff, 0, "0xffff"},
        {TMAP_DESC_LOWER_CORNER, 0xffff, 2, "0xffff"},
        {TMAP_DESC_UPPER_CORNER, 0xffff, 6, "0xffff"},
        {TMAP_DESC_LOWER_CORNER, 0xffff, 3, "[-1]"},
        {TMAP_DESC_UPPER_CORNER, 0xff02, 4, "[2, -1]"},
        {TMAP_DESC_UPPER_CORNER, 1 | 31 << 5 | 16 << 10, 5, "[1, -1, -16]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];
        assert_string_equal(tmap_descriptor_meaning(rows[i].field, rows[i].raw, rows[i].rank, text, sizeof text),
                            rows[i].meaning);
    }
}

static void flip(tmap_descriptor *d, unsigned lo, unsigned width) {
    for (unsigned bit = lo; bit < lo + width; bit++) d->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void expect_diffs(const tmap_descriptor *a, const tmap_descriptor *b, const tmap_field_diff *expected,
                         size_t n) {
    tmap_field_diff found[8] = {{0}};
    for (size_t capacity = 0; capacity <= n; capacity++) {
        memset(found, 0, sizeof found);
        assert_int_equal(tmap_descriptor_diff(a, b, found, capacity), n);
        for (size_t i = 0; i < COUNT(found); i++) {
            const tmap_field_diff *e = i < capacity ? &expected[i] : &(tmap_field_diff){0};
            assert_int_equal(found[i].field, e->field);
            assert_true(found[i].a == e->a && found[i].b == e->b);
            if (e->field != -1) continue;
            assert_int_equal(found[i].bits.lo, e->bits.lo);
            assert_int_equal(found[i].bits.width, e->bits.width);
        }
    }
}

/* Fields first, then bits without a field, in runs of at most 64. For maps of two kinds: the fields that both
 * kinds have. */
TEST(differences_are_fields_then_runs) {
    tmap_descriptor a = {{0}}, b = {{0}};
    flip(&b, 68, 2);
    flip(&a, 224, 4); /* the high bits of strides[0] */
    flip(&b, 610, 3);
    flip(&a, 615, 1);
    flip(&a, 800, 70);
    flip(&b, 1023, 1);
    const tmap_field_diff runs[] = {{TMAP_DESC_RANK, {0, 0}, 0, 3}, {TMAP_DESC_STRIDE_0, {0, 0}, UINT64_C(15) << 32, 0},
                                    {-1, {610, 3}, 0, 7},           {-1, {615, 1}, 1, 0},
                                    {-1, {800, 64}, UINT64_MAX, 0}, {-1, {864, 6}, 63, 0},
                                    {-1, {1023, 1}, 0, 1}};
    expect_diffs(&a, &b, runs, COUNT(runs));
    tmap_descriptor tiled = {{0}}, im2col = {{0}};
    flip(&im2col, 64, 1);
    flip(&tiled, 440, 8); /* box[0] is the number of channels of im2col maps */
    flip(&tiled, 448, 2); /* box[1] or the lower corner */
    const tmap_field_diff of_kinds[] = {
        {TMAP_DESC_KIND, {0, 0}, 0, 1}, {TMAP_DESC_BOX_0, {0, 0}, 255, 0}, {-1, {448, 2}, 3, 0}};
    expect_diffs(&tiled, &im2col, of_kinds, COUNT(of_kinds));
}

/* Any other operation, and a field that no replacement has, change nothing. */
TEST(nothing_else_replaces) {
    const tmap_copy_params others[] = {
        {.op = TMAP_OP_LOAD, .field = TMAP_REPLACEABLE_RANK, .value = 3},
        {.op = TMAP_OP_REPLACE, .field = (tmap_replaceable)TMAP_REPLACEABLE_COUNT, .value = 3},
        {.op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_TYPE, .value = TMAP_TYPE_COUNT},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        tmap_descriptor d = {{1, 2, 3}}, before = d;
        tmap_descriptor_replace(&d, &others[i]);
        assert_memory_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

/* PTX ISA 5.5.6, swizzle_mode and swizzle_atomicity: 32 B, 64 B with and without the exchange of 8 bytes belong to 128B
 * alone. A code without a meaning becomes the swizzle of its mode, or none. */
TEST(every_swizzle_code_is_decoded) {
    static const tmap_swizzle of_modes[8] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B,
                                             TMAP_SWIZZLE_96B};
    static const tmap_swizzle of_128B[4] = {TMAP_SWIZZLE_128B, TMAP_SWIZZLE_128B_ATOM_32B,
                                            TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, TMAP_SWIZZLE_128B_ATOM_64B};
    for (uint64_t code = 0; code < 32; code++) {
        tmap_descriptor d = {{0}};
        tmap_map_params params;
        tmap_descriptor_poke(&d, TMAP_DESC_SWIZZLE, code / 4);
        tmap_descriptor_poke(&d, TMAP_DESC_ATOMICITY, code % 4);
        (void)tmap_descriptor_decode(&d, &params, NULL, NULL);
        assert_int_equal(params.swizzle, code / 4 == 3 ? of_128B[code % 4] : of_modes[code / 4]);
    }
}
