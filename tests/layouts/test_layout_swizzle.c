/* Swizzles of layouts: the worked examples of the documents, and every swizzle of the hardware for every type. */
#include "layout/iter_lists.h"
#include "layout_fixture.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/tables.h"

#define ATOM "(swizzle(f16, 128B) o S[(8,64):(64@m,1@m)])"

/* "Worked example: 128B swizzle, float16, (8, 64) tile": addr(i, j) = 64 i + 8 (j/8 ^ i) + j % 8. */
TEST(swizzles) {
    static const value_row rows[] = {
        {"swizzle(f16, 128B)", "swizzle(3,3,3)"},
        {"swizzle(4, 128B)", "swizzle(5,3,3)"},
        {"swizzle(u8, 64B)", "swizzle(4,2,3)"},
        {"swizzle(f32, 32B)", "swizzle(2,1,3)"},
        {"swizzle(f64, 128B)", "swizzle(1,3,3)"},
        {"swizzle(f16, none)", "swizzle(3,0,3)"},
        {ATOM, "swizzle(3,3,3) o S[(8,64):(64,1)]"},
        {ATOM " == atom(f16, 128B)", "true"},
        {ATOM ".apply(3, 13)", "({m: 213},)"}, /* 192 + 8 (1 ^ 3) + 5 */
        /* bankword = address * bytes / 4: 213 is at byte 426, word 106. */
        {"bank(213, f16)", "{byte: 426, bank: 10, line: 3}"},
        {"bank(72, f16)", "{byte: 144, bank: 4, line: 1}"},
        {"bank(5, 4)", "{byte: 2, bank: 0, line: 0}"},
        {"bank(33, f64)", "{byte: 264, bank: 2, line: 2}"},
        /* The notation's small example, 8 x 8 in 8 banks: (i, j) moves to 8 i + (j ^ i). */
        {"s = swizzle(0,3,3) o S[(8,8):(8,1)]; (s.apply(3,5)[0].m, s.apply(7,0)[0].m, s.apply(0,6)[0].m)",
         "(30, 63, 6)"},
        /* Atoms of 8 rows of 16, 32, 64 and 128 bytes. */
        {"(atom(f32, none), atom(f32, 32B), atom(u8, 64B), atom(f64, 128B))",
         "(swizzle(2,0,3) o S[(8,4):(4,1)], swizzle(2,1,3) o S[(8,8):(8,1)], swizzle(4,2,3) o S[(8,64):(64,1)], "
         "swizzle(1,3,3) o S[(8,16):(16,1)])"},
        {"c = " ATOM "; (c.bank(f16,0,0).bank, c.bank(f16,1,0).bank, c.bank(f16,2,0).bank, c.bank(f16,3,0).bank, "
         "c.bank(f16,4,0).bank, c.bank(f16,5,0).bank, c.bank(f16,6,0).bank, c.bank(f16,7,0).bank)",
         "(0, 4, 8, 12, 16, 20, 24, 28)"},
        {"c = S[(8,64):(64,1)]; (c.bank(f16, 0, 6).bank, c.bank(f16, 3, 6, shape=(8,64)).bank, bank(c, f16, 454).bank)",
         "(3, 3, 3)"},
        {"bank(" ATOM ", f16, 3, 13)", "{byte: 426, bank: 10, line: 3}"},
        {"(S[4] + R[2:64]).bank(f32, 1)", "({byte: 4, bank: 1, line: 0}, {byte: 260, bank: 1, line: 2})"},
        {ATOM ".owners(213, shape=(8,64))", "((3, 13),)"},
        {"swizzle(3,3,3) o (S[(8,64):(64,1)] + 64)", "swizzle(3,3,3) o (S[(8,64):(64,1)] + 64)"},
        {"(swizzle(3,3,3) o S[(8,64):(64,1)] + 64).apply(0)", "({m: 72},)"},
        {"Swizzle<3,4,3> == swizzle(u8, 128B)", "true"},
        {"as_cute(swizzle(f16, 64B))", "\"Swizzle<2,3,3>\""},
        {"Swizzle<2,3,-3>", "swizzle(3,2,3,outer)"},
        {"as_cute(swizzle(3,2,3,outer))", "\"Swizzle<2,3,-3>\""},
        {"mode(swizzle(3,2,3), bf16)", "\"64B\""},
        /* 1024, 512 and 256 bytes. */
        {"(period(swizzle(f16, 128B)), period(atom(f32, 64B)), period(swizzle(u8, 32B)), period(S[8]))",
         "(512, 128, 256, 1)"},
        {"mode(swizzle(3,2,3), f32)", "none"},
        {"swizzle(0,1,1).apply(2)", "3"},
        {"swizzle(0,1,1,outer).apply(1)", "3"},
        {"swizzle(3,0,3) o S[64] == S[64]", "true"},
        {"swizzle(3,3,3) o S[64] == S[64]", "true"}, /* the first row is not moved */
        {"swizzle(3,3,3) o S[512] == swizzle(3,2,3) o S[512]", "false"},
        {"atom(f16, 128B).tile_to((64,64), (8,64))", "swizzle(3,3,3) o S[4096:1]"},
        {"atom(f16, 128B).tile_to((64,256), (8,64)).slice((64,256), (8:16, 64:128))",
         "swizzle(3,3,3) o (S[(8,64):(64,1)] + 2560)"},
        {"atom(f16, 128B).coverage().compact", "true"},
        {"atom(f16, 128B).unpack(2) == atom(8, 128B)", "true"},
        {"atom(f16, 128B).pack(2) == atom(f32, 128B)", "true"},
    };
    CHECK_ROWS(rows);
}

/*
 * Every mode for every type: bit b of element e is at bit e x bits + b. The hardware's swizzle moves the byte and
 * TIRx's swizzle moves the element; both must give the same bit.
 */
static void check_mode(const tmap_swizzle_info *mode, int number, int bits) {
    tmap_xor swizzle;
    int b, m, s;
    tmap_status status = tmap_xor_of_mode(bits, (tmap_swizzle)number, &swizzle, NULL);
    bool one_xor = tmap_swizzle_cute(mode, &b, &m, &s),
         whole = bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    if ((status == TMAP_OK) != (one_xor && whole)) fail_msg("%s for %d bits: %d", mode->name, bits, (int)status);
    if (status != TMAP_OK) return;
    int64_t n = 2 * tmap_xor_period(&swizzle);
    for (int64_t e = 0; e < n; e++) {
        uint64_t bit = (uint64_t)e * (uint64_t)bits, byte = bit / 8;
        uint64_t moved = (byte ^ tmap_swizzle_mask(mode, byte)) * 8 + bit % 8;
        if ((uint64_t)tmap_xor_apply(&swizzle, e) * (uint64_t)bits != moved)
            fail_msg("%s for %d bits: element %d", mode->name, bits, (int)e);
        assert_int_equal(tmap_xor_apply(&swizzle, tmap_xor_apply(&swizzle, e)), e);
    }
    int back = tmap_xor_mode(&swizzle, bits); /* 96B has the taps of 32B */
    assert_true(back == number || (back >= 0 && back < number && tmap_swizzle_get(back)->taps_n == mode->taps_n));
}

TEST(hardware_swizzles) {
    for (int mode = 0; tmap_swizzle_get(mode); mode++)
        for (int type = 0; tmap_type_get(type); type++)
            check_mode(tmap_swizzle_get(mode), mode, tmap_type_get(type)->bits);
}

TEST(refusals_name_the_operand) {
    tmap_xor swizzle;
    tmap_diag error;
    assert_int_equal(tmap_xor_of_mode(6, TMAP_SWIZZLE_128B, &swizzle, &error), TMAP_REFUSED);
    assert_int_equal(error.operand, 0);
    assert_int_equal(tmap_xor_of_mode(16, (tmap_swizzle)99, &swizzle, &error), TMAP_REFUSED);
    assert_int_equal(error.operand, 1);
    assert_int_equal(tmap_xor_mode(&(tmap_xor){.m = 1, .b = 5, .s = 5}, 16), -1);
}

/* CuTe's Swizzle<3,4,3> of bytes is Swizzle<3,0,3> of 16-byte elements. */
TEST(elements_may_be_whole_units) {
    tmap_xor swizzle;
    assert_int_equal(tmap_xor_of_mode(128, TMAP_SWIZZLE_128B, &swizzle, NULL), TMAP_OK);
    assert_int_equal(swizzle.b, 3);
    assert_int_equal(swizzle.m, 0);
    assert_int_equal(swizzle.s, 3);
}

/* An offset is sorted by the names of its axes and has no zeros. */
TEST(offsets_are_sorted) {
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M), *lane = tmap_axis_get(TMAP_AXIS_ID_LANEID);
    const struct {
        tmap_axis_value at[2];
        tmap_status status;
    } rows[] = {{{{lane, 1}, {m, 1}}, TMAP_OK},
                {{{m, 1}, {lane, 1}}, TMAP_REFUSED},
                {{{m, 1}, {m, 1}}, TMAP_REFUSED},
                {{{lane, 0}, {m, 1}}, TMAP_REFUSED},
                {{{lane, 1}, {m, 0}}, TMAP_REFUSED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = {.shard = {.n = 1, .at = {{4, 1, m}}}, .offset = {.n = 2}};
        memcpy(layout.offset.at, rows[i].at, sizeof rows[i].at);
        assert_int_equal(tmap_layout_check(&layout, NULL), rows[i].status);
    }
}

/* The sum of opposite values leaves the list, which is full, and nothing after it changes. */
TEST(values_can_be_removed_from_a_full_list) {
    struct {
        tmap_axis_values values;
        unsigned char after[64], expected[64];
    } list = {.values = {.n = 0}};
    const tmap_axis *axes[TMAP_AXES_MAX];
    for (size_t i = 0; i < sizeof list.after; i++) list.after[i] = list.expected[i] = (unsigned char)i;
    for (int i = 0; i < TMAP_AXES_MAX; i++) {
        axes[i] = tmap_axis_get(i);
        assert_true(tmap_values_add(&list.values, axes[i], i + 1));
    }
    assert_int_equal(list.values.n, TMAP_AXES_MAX);
    for (int i = 0; i < TMAP_AXES_MAX; i++) {
        assert_int_equal(tmap_values_get(&list.values, axes[i]), i + 1);
        assert_true(tmap_values_add(&list.values, axes[i], -i - 1));
        assert_int_equal(list.values.n, TMAP_AXES_MAX - 1 - i);
        assert_memory_equal(list.after, list.expected, sizeof list.after);
    }
}

/* Inner: the B bits from M + S on are XORed into those from M on; outer: the reverse. */
TEST(every_small_swizzle) {
    for (int m = 0; m < 4; m++)
        for (int b = 0; b < 4; b++)
            for (int s = b; s < b + 3; s++)
                for (int outer = 0; outer < 2; outer++) {
                    tmap_xor swizzle = {.m = m, .b = b, .s = s, .outer = outer == 1};
                    tmap_layout layout = {.shard = {.n = 1, .at = {{2048, 1, tmap_axis_get(TMAP_AXIS_ID_M)}}}};
                    assert_int_equal(tmap_layout_compose(&swizzle, &layout, &layout, NULL), TMAP_OK);
                    for (int64_t a = 0; a < 2048; a++) {
                        int64_t ones = (1 << b) - 1,
                                moved = outer ? (a >> m & ones) << (m + s) : (a >> (m + s) & ones) << m;
                        tmap_axis_values place;
                        tmap_layout_place(&layout, a, 0, &place);
                        assert_int_equal(place.n > 0 ? place.at[0].value : 0, a ^ moved);
                    }
                }
}
