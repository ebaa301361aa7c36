/* The table of fields: the place of each number, its spelling, and the modes and operations that have it. */
#include "cmocka_all.h"
#include "params/fields.h"
#include "rule/field_words.h"

#include <string.h>

typedef struct both {
    tmap_map_params map;
    tmap_copy_params copy;
} both;

/* Setting a number changes 4 or 8 bytes, which no other number changes. */
TEST(every_number_has_its_place) {
    static unsigned char owned[sizeof(both)];
    for (int f = 0; f < TMAP_FIELD_COUNT; f++) {
        tmap_field field = (tmap_field)f;
        for (int i = 0; i < tmap_field_room(field); i++) {
            both before, after;
            memset(&before, 0x55, sizeof before);
            after = before;
            tmap_field_set(&after.map, &after.copy, field, i, UINT64_MAX);
            size_t changed = 0;
            for (size_t at = 0; at < sizeof before; at++) {
                if (((const unsigned char *)&before)[at] == ((const unsigned char *)&after)[at]) continue;
                assert_int_equal(owned[at]++, 0);
                changed++;
            }
            bool small = tmap_field_kind(field) <= TMAP_KIND_SET, negative = tmap_field_kind(field) == TMAP_KIND_SIGNED;
            tmap_i128 value = tmap_field_value(&after.map, &after.copy, field, i);
            assert_int_equal(changed, small ? 4 : 8);
            assert_true(value == (small || negative ? -1 : (tmap_i128)UINT64_MAX));
        }
    }
}

TEST(every_word_is_found) {
    for (int f = 0; f < TMAP_FIELD_COUNT; f++) {
        const tmap_words *words = tmap_field_words((tmap_field)f);
        assert_true((words != NULL) == (tmap_field_kind((tmap_field)f) <= TMAP_KIND_SET));
        for (int i = words ? words->first : 0; words && words->name(i); i++)
            assert_int_equal(words->find(words->name(i)), i);
    }
}

static void expect_text(const both *given, tmap_field field, int n, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_field_put(&sink, &given->map, &given->copy, field, n);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

TEST(values_are_written_in_their_form) {
    const both given = {
        .map = {.type = TMAP_TYPE_BF16,
                .swizzle = (tmap_swizzle)77,
                .address = 0x7f0000001000,
                .dims_el = {4096, UINT64_MAX},
                .lower_corner = {-1, 2},
                .allocation_offset_B = -256,
                .ops = TMAP_OP_BIT(LOAD) | TMAP_OP_BIT(STORE)},
        .copy = {.dst = TMAP_DST_CLUSTER, .cta_mask = 3, .map_space = TMAP_SPACE_CONST, .rows = {2, -1, 0, 7}}};
    expect_text(&given, TMAP_FIELD_TYPE, 1, "bf16");
    expect_text(&given, TMAP_FIELD_SWIZZLE, 1, "77");
    expect_text(&given, TMAP_FIELD_ADDRESS, 1, "0x7f0000001000");
    expect_text(&given, TMAP_FIELD_DIMS, 2, "[4096, 18446744073709551615]");
    expect_text(&given, TMAP_FIELD_DIMS, 0, "[]");
    expect_text(&given, TMAP_FIELD_LOWER_CORNER, 2, "[-1, 2]");
    expect_text(&given, TMAP_FIELD_ALLOCATION_OFFSET, 1, "-256");
    expect_text(&given, TMAP_FIELD_OPS, 1, "[load, store]");
    expect_text(&given, TMAP_FIELD_DST, 1, "cluster");
    expect_text(&given, TMAP_FIELD_CTA_MASK, 1, "0x3");
    expect_text(&given, TMAP_FIELD_MAP_SPACE, 1, "const");
    expect_text(&given, TMAP_FIELD_ROWS, 4, "[2, -1, 0, 7]");
}

/* The arguments of cuTensorMapEncodeTiled, …Im2col and …Im2colWide, and the operands of PTX ISA 9.7.9.27. */
TEST(modes_and_operations_have_their_fields) {
    static const struct {
        tmap_field field;
        tmap_mode mode;
        tmap_op op;
        bool applies;
        int count; /* for rank 4 */
    } rows[] = {
        {TMAP_FIELD_BOX, TMAP_MODE_TILED, TMAP_OP_LOAD, true, 4},
        {TMAP_FIELD_BOX, TMAP_MODE_IM2COL, TMAP_OP_LOAD, false, 4},
        {TMAP_FIELD_BOX, TMAP_MODE_LINEAR, TMAP_OP_LOAD, false, 4},
        {TMAP_FIELD_STRIDES, TMAP_MODE_TILED, TMAP_OP_LOAD, true, 3},
        {TMAP_FIELD_LOWER_CORNER, TMAP_MODE_TILED, TMAP_OP_LOAD, false, 2},
        {TMAP_FIELD_LOWER_CORNER, TMAP_MODE_IM2COL, TMAP_OP_LOAD, true, 2},
        {TMAP_FIELD_UPPER_CORNER, TMAP_MODE_IM2COL_W128, TMAP_OP_LOAD, true, 1},
        {TMAP_FIELD_OFFSETS, TMAP_MODE_IM2COL, TMAP_OP_LOAD, true, 2},
        {TMAP_FIELD_OFFSETS, TMAP_MODE_IM2COL_W, TMAP_OP_LOAD, false, 1},
        {TMAP_FIELD_W_HALO, TMAP_MODE_IM2COL_W, TMAP_OP_LOAD, true, 1},
        {TMAP_FIELD_W_HALO, TMAP_MODE_IM2COL, TMAP_OP_LOAD, false, 1},
        {TMAP_FIELD_AT, TMAP_MODE_TILED, TMAP_OP_STORE, true, 4},
        {TMAP_FIELD_AT, TMAP_MODE_TILED, TMAP_OP_GATHER4, false, 4},
        {TMAP_FIELD_ROWS, TMAP_MODE_TILED, TMAP_OP_GATHER4, true, 4},
        {TMAP_FIELD_ROWS, TMAP_MODE_TILED, TMAP_OP_LOAD, false, 4},
        {TMAP_FIELD_SHARED, TMAP_MODE_TILED, TMAP_OP_PREFETCH, false, 1},
        {TMAP_FIELD_VALUE, TMAP_MODE_TILED, TMAP_OP_REPLACE, true, 1},
        {TMAP_FIELD_VALUE, TMAP_MODE_TILED, TMAP_OP_LOAD, false, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tmap_map_params map = {.mode = rows[i].mode, .rank = 4};
        const tmap_copy_params copy = {.op = rows[i].op};
        assert_int_equal(tmap_field_applies(&map, &copy, rows[i].field), rows[i].applies);
        assert_int_equal(tmap_field_count(&map, &copy, rows[i].field), rows[i].count);
        assert_true(tmap_field_applies(NULL, NULL, rows[i].field));
    }
}
