/* Layouts: full lists, searches, and functions without an expression. */
#include "cmocka_all.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"

#define M tmap_axis_get(TMAP_AXIS_ID_M)

/* ---- Full lists ------------------------------------------------------------------------------------------------- */

/* n iters: the first `twos` have extent 2, the others 1; row-major. */
static tmap_layout many(int n, int twos) {
    tmap_layout layout = {.shard = {.n = n}};
    for (int i = 0; i < n; i++) {
        int behind = twos - i - 1;
        layout.shard.at[i] = (tmap_iter){i < twos ? 2 : 1, (int64_t)1 << (behind > 0 ? behind : 0), M};
    }
    return layout;
}

/* Layouts of the most iters, 64, and the most axes, 16, go through the functions; one more is refused. */
TEST(lists_may_be_full) {
    enum { MOST = TMAP_ITERS_MAX };
    tmap_layout full = many(MOST, 62), less = many(MOST - 1, 62), out, again;
    int order[MOST + 1], starts[MOST + 1];
    int64_t digits[MOST], index;
    full.replica = full.shard;
    for (int i = 0; i < MOST; i++) full.replica.at[i].stride = 0;
    assert_int_equal(tmap_layout_check(&full, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_size(&full), (int64_t)1 << 62);
    assert_int_equal(tmap_layout_copies(&full), (int64_t)1 << 62);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print(&sink, &full);
    assert_int_equal(tmap_layout_parse(text.data, text.size, &again, NULL), TMAP_OK);
    assert_true(tmap_layout_identical(&full, &again));
    tmap_text_free(&text);
    tmap_layout_canonical(&full, &out);
    assert_int_equal(out.shard.n, 1);
    assert_int_equal(out.replica.n, 62);
    for (int i = 0; i < MOST; i++) order[i] = MOST - 1 - i;
    assert_int_equal(tmap_layout_permute(&full, order, MOST, &out, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_permute(&out, order, MOST, &again, NULL), TMAP_OK);
    assert_true(tmap_layout_identical(&full, &again));
    order[0] = MOST;
    assert_int_equal(tmap_layout_permute(&full, order, MOST, &out, NULL), TMAP_REFUSED);
    tmap_iters_digits(&full.shard, 0x123456789abcdef, digits);
    assert_int_equal(tmap_layout_index_of_digits(&full, digits, MOST, &index, NULL), TMAP_OK);
    assert_int_equal(index, 0x123456789abcdef);
    tmap_axis_values place;
    tmap_layout_place(&full, index, 5, &place);
    assert_int_equal(place.at[0].value, index);
    uint64_t found;
    assert_int_equal(tmap_layout_owners(&full, &place, 63, &index, 1, &found, NULL), TMAP_OK);
    assert_int_equal(found, 1);
    assert_int_equal(index, 0x123456789abcdef);
    tmap_shape shape = {.rank = MOST};
    for (int i = 0; i < MOST; i++) shape.at[i] = full.shard.at[i].extent;
    assert_int_equal(tmap_layout_group(&full, &shape, &out, starts, NULL), TMAP_OK);
    for (int i = 0; i <= MOST; i++) assert_int_equal(starts[i], i);
    assert_true(tmap_layout_identical(&full, &out));
    assert_int_equal(tmap_layout_group_many(&full, &shape, 1, &out, &starts, NULL), TMAP_OK);
    for (int i = 0; i <= MOST; i++) assert_int_equal(starts[i], i);
    /* One iter more. */
    assert_int_equal(tmap_layout_broadcast(&less, 1, -1, M, &out, NULL), TMAP_OK);
    assert_int_equal(out.shard.n, MOST);
    assert_int_equal(tmap_layout_broadcast(&out, 1, -1, M, &again, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_layout_unpack(&less, 1, M, &out, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_unpack(&out, 1, M, &again, NULL), TMAP_REFUSED);
    tmap_shape others = {.rank = MOST};
    for (int i = 0; i < MOST; i++) others.at[i] = i == 0 ? (int64_t)1 << 62 : 1;
    assert_int_equal(tmap_layout_group_many(&full, &others, 1, &out, &starts, NULL), TMAP_REFUSED);
    shape = (tmap_shape){.rank = 3, .at = {(int64_t)1 << 62, 1, 1}};
    assert_int_equal(tmap_layout_group_many(&less, &shape, 1, &out, &starts, NULL), TMAP_OK);
    shape = (tmap_shape){.rank = 4, .at = {(int64_t)1 << 62, 1, 1, 1}};
    assert_int_equal(tmap_layout_group_many(&less, &shape, 1, &out, &starts, NULL), TMAP_REFUSED);
    tmap_diag error;
    shape = (tmap_shape){.rank = 2, .at = {3, 2}};
    tmap_layout six = {.shard = {.n = 2, .at = {{2, 3, M}, {3, 1, M}}}};
    assert_int_equal(tmap_layout_group_many(&six, &shape, 1, &out, &starts, &error), TMAP_REFUSED);
    assert_int_equal(error.operand, 1);
    int64_t extents[MOST + 1];
    for (int i = 0; i <= MOST; i++) extents[i] = 1;
    assert_int_equal(tmap_layout_row_major(extents, MOST, &out, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_row_major(extents, MOST + 1, &out, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_layout_row_major(extents, -1, &out, NULL), TMAP_REFUSED);
    full.shard.n = MOST + 1;
    assert_int_equal(tmap_layout_check(&full, NULL), TMAP_REFUSED);
    full.shard.n = -1;
    assert_int_equal(tmap_layout_check(&full, NULL), TMAP_REFUSED);
    full = less, full.replica.n = MOST + 1;
    assert_int_equal(tmap_layout_check(&full, NULL), TMAP_REFUSED);
}

/* An axis more than fit, as the last of the shard, the first of the replica or in the offset. */
TEST(axes_may_be_full) {
    tmap_layout full = {.shard = {.n = TMAP_AXES_MAX}}, more;
    const tmap_axis *axes[TMAP_AXES_MAX], *last = tmap_axis_get(TMAP_AXES_MAX);
    for (int i = 0; i < TMAP_AXES_MAX; i++) full.shard.at[i] = (tmap_iter){2, i + 1, tmap_axis_get(i)};
    assert_int_equal(tmap_layout_check(&full, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_axes(&full, axes), TMAP_AXES_MAX);
    for (int i = 0; i < TMAP_AXES_MAX; i++) {
        assert_ptr_equal(axes[i], tmap_axis_get(i));
        assert_int_equal(tmap_layout_span(&full, axes[i]), i + 2);
        assert_int_equal(tmap_layout_size_on(&full, axes[i]), 2);
    }
    tmap_coverage coverage;
    assert_int_equal(tmap_layout_coverage(&full, &coverage, NULL), TMAP_OK);
    assert_int_equal(coverage.axes_n, TMAP_AXES_MAX);
    tmap_axis_values place;
    tmap_layout_place(&full, (1 << TMAP_AXES_MAX) - 1, 0, &place);
    for (int i = 0; i < TMAP_AXES_MAX; i++) assert_int_equal(place.at[i].value, i + 1);
    int64_t index;
    uint64_t found;
    assert_int_equal(tmap_layout_owners(&full, &place, 0, &index, 1, &found, NULL), TMAP_OK);
    assert_int_equal(found, 1);
    assert_int_equal(index, (1 << TMAP_AXES_MAX) - 1);
    more = full;
    more.shard.at[more.shard.n++] = (tmap_iter){2, 1, last};
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
    more = full;
    more.replica = (tmap_iters){.n = 1, .at = {{2, 1, last}}};
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
    more = full;
    more.offset = (tmap_axis_values){.n = 1, .at = {{last, 1}}};
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
    more.offset.at[0].axis = M;
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_OK);
    more = (tmap_layout){.shard = many(1, 0).shard, .offset = {.n = TMAP_AXES_MAX}};
    for (int i = 0; i < TMAP_AXES_MAX; i++) {
        int at = 0; /* the number of axes whose names are before its name */
        for (int k = 0; k < TMAP_AXES_MAX; k++) at += strcmp(tmap_axis_get(k)->name, tmap_axis_get(i)->name) < 0;
        more.offset.at[at] = (tmap_axis_value){tmap_axis_get(i), 1};
    }
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_OK);
    more.offset.n = TMAP_AXES_MAX + 1;
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
    more.offset.n = -1;
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
}

/* Many offsets at once go through several outer iters; each is the place of its element. */
TEST(offsets_are_the_places) {
    static const int64_t extents[][5] = {{3, 2, 3, 2, 1021}, {2, 3, 2, 2, 2048}, {2, 2, 2, 1500, 3}, {5, 4, 3, 2, 700}};
    static int64_t offsets[1 << 17];
    for (size_t i = 0; i < COUNT(extents); i++) {
        tmap_layout layout = {.shard = {.n = 5}, .offset = {.n = 1, .at = {{M, 7}}}};
        for (int k = 0; k < 5; k++) layout.shard.at[k] = (tmap_iter){extents[i][k], k % 2 ? 5 - 1000 * k : 90 + k, M};
        int64_t size = tmap_layout_size(&layout);
        for (int64_t first = 0; first < 6000; first += 1999) {
            tmap_layout_offsets(&layout, M, first, (size_t)(size - first), offsets);
            for (int64_t x = first; x < size; x++) {
                tmap_axis_values place;
                tmap_layout_place(&layout, x, 0, &place);
                if (offsets[x - first] != place.at[0].value) fail_msg("element %lld", (long long)x);
            }
        }
    }
}

/* ---- Searches --------------------------------------------------------------------------------------------------- */

/* A search of three iters whose strides do not overlap takes four steps, in any order of the iters. */
TEST(searches_do_not_go_back) {
    static const int64_t strides[3] = {1, -1024, 1048576};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < 6; i++) {
        tmap_layout layout = {.shard = {.n = 3}};
        for (int k = 0; k < 3; k++) layout.shard.at[k] = (tmap_iter){1024, strides[orders[i][k]], M};
        for (int64_t number = 0; number < 1 << 30; number += 123456789) {
            tmap_axis_values place;
            int64_t index = -1;
            uint64_t found = 0;
            tmap_layout_place(&layout, number, 0, &place);
            assert_int_equal(tmap_layout_owners(&layout, &place, 4, &index, 1, &found, NULL), TMAP_OK);
            assert_int_equal(found, 1);
            assert_int_equal(index, number);
            assert_int_equal(tmap_layout_owners(&layout, &place, 3, &index, 1, &found, NULL), TMAP_REFUSED);
        }
    }
}

/* A single P of 256 partitions becomes two iters, and so does an iter of two banks. */
TEST(scratchpads_may_be_full) {
    char kinds[TMAP_ITERS_MAX + 1] = "P";
    tmap_shape shape = {.rank = TMAP_ITERS_MAX - 1, .at = {256}};
    for (int i = 1; i < TMAP_ITERS_MAX; i++) shape.at[i] = 1;
    memset(kinds + 1, 'F', TMAP_ITERS_MAX - 2);
    tmap_layout out, banks;
    assert_int_equal(tmap_layout_trainium(kinds, &shape, &out, NULL), TMAP_OK);
    assert_int_equal(out.shard.n, TMAP_ITERS_MAX);
    kinds[TMAP_ITERS_MAX - 1] = 'F';
    shape.rank++;
    assert_int_equal(tmap_layout_trainium(kinds, &shape, &out, NULL), TMAP_REFUSED);
    shape.at[0] = 128;
    shape.at[1] = 512;
    assert_int_equal(tmap_layout_trainium(kinds, &shape, &out, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_psum(&out, &banks, NULL), TMAP_OK);
    shape.at[1] = 1024;
    assert_int_equal(tmap_layout_trainium(kinds, &shape, &out, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_psum(&out, &banks, NULL), TMAP_REFUSED);
    out.shard.n--;
    assert_int_equal(tmap_layout_psum(&out, &banks, NULL), TMAP_OK);
    assert_int_equal(banks.shard.n, TMAP_ITERS_MAX);
}

/* An axis that the place does not name is searched last: the first two iters show that no element is at 2. */
TEST(free_axes_are_the_last) {
    tmap_layout layout = {
        .shard = {.n = 3, .at = {{4, 4, M}, {2, 1, M}, {1024, 1 << 20, tmap_axis_get(TMAP_AXIS_ID_TCOL)}}}};
    tmap_axis_values place = {.n = 1, .at = {{M, 2}}};
    uint64_t found;
    assert_int_equal(tmap_layout_owners(&layout, &place, 2, NULL, 0, &found, NULL), TMAP_OK);
    assert_int_equal(found, 0);
    place.at[0].value = 5;
    assert_int_equal(tmap_layout_owners(&layout, &place, 2000, NULL, 0, &found, NULL), TMAP_OK);
    assert_int_equal(found, 1024);
}

/* A product has the iters of both layouts, none for a dimension of 1, and the copies of both layouts. */
TEST(products_may_be_full) {
    tmap_layout one = many(1, 0), copies = one, out;
    tmap_shape ones = {.rank = TMAP_ITERS_MAX};
    for (int i = 0; i < TMAP_ITERS_MAX; i++) ones.at[i] = 1;
    assert_int_equal(tmap_layout_tile(&one, &one, &ones, &ones, &out, NULL), TMAP_OK);
    tmap_layout long_run = many(62, 62);
    for (int i = 0; i < 62; i++) long_run.shard.at[i].stride = 1; /* these do not merge */
    tmap_shape of_run = {2, {(int64_t)1 << 62, 1}}, pair = {2, {1, 1}};
    assert_int_equal(tmap_layout_tile(&long_run, &one, &pair, &of_run, &out, NULL), TMAP_OK);
    assert_true(tmap_layout_identical(&out, &long_run));
    tmap_shape line = {1, {1}};
    copies.replica.n = 31;
    for (int i = 0; i < TMAP_ITERS_MAX; i++) copies.replica.at[i] = (tmap_iter){2, 0, M};
    assert_int_equal(tmap_layout_tile(&copies, &copies, &line, &line, &out, NULL), TMAP_OK);
    assert_int_equal(out.replica.n, 62);
    copies.replica.n = 32;
    assert_int_equal(tmap_layout_tile(&copies, &copies, &line, &line, &out, NULL), TMAP_REFUSED);
    copies.replica.n = 33;
    assert_int_equal(tmap_layout_tile(&copies, &copies, &line, &line, &out, NULL), TMAP_REFUSED);
    bool found = true;
    ones.rank = TMAP_ITERS_MAX / 2;
    assert_int_equal(tmap_layout_tile_outer_of(&one, &one, &ones, &ones, &out, &found, NULL), TMAP_OK);
    assert_true(found);
    ones.rank++;
    assert_int_equal(tmap_layout_tile_outer_of(&one, &one, &ones, &ones, &out, &found, NULL), TMAP_REFUSED);
}

/* Elements 0, 2, 4 and 6 are at 0 on m; of fewer than four, the smallest are stored. */
TEST(the_smallest_owners_are_stored) {
    tmap_layout layout = {.shard = {.n = 3, .at = {{2, 0, M}, {2, 0, M}, {2, 1, M}}}};
    tmap_axis_values place = {.n = 1, .at = {{M, 0}}};
    for (size_t capacity = 0; capacity < 6; capacity++) {
        int64_t indices[6] = {-1, -1, -1, -1, -1, -1};
        uint64_t found;
        assert_int_equal(tmap_layout_owners(&layout, &place, 0, indices, capacity, &found, NULL), TMAP_OK);
        assert_int_equal(found, 4);
        for (size_t i = 0; i < 6; i++) assert_int_equal(indices[i], i < capacity && i < 4 ? 2 * (int64_t)i : -1);
    }
}

/* ---- Other functions -------------------------------------------------------------------------------------------- */

TEST(words_and_numbers) {
    for (int i = 0; i < TMAP_AXIS_ID_COUNT; i++)
        assert_ptr_equal(tmap_axis_find(tmap_axis_get(i)->name), tmap_axis_get(i));
    assert_null(tmap_axis_find("lane"));
    assert_null(tmap_axis_get(TMAP_AXIS_ID_COUNT));
    assert_null(tmap_axis_get(-1));
    assert_string_equal(tmap_axis_kind_name(TMAP_AXIS_MEMORY), "memory");
    assert_string_equal(tmap_axis_kind_name(TMAP_AXIS_DEVICE), "device");
    assert_string_equal(tmap_axis_kind_name(TMAP_AXIS_KIND_COUNT), "unknown");
    assert_string_equal(tmap_scope_name(TMAP_SCOPE_NONE), "none");
    assert_string_equal(tmap_scope_name(TMAP_SCOPE_KERNEL), "kernel");
    assert_string_equal(tmap_scope_name(TMAP_SCOPE_COUNT), "unknown");
    /* The widest of 128, 64 and 32 bytes that divides the row. */
    static const struct {
        int bits;
        int64_t columns;
        tmap_swizzle swizzle;
    } rows[] = {{16, 64, TMAP_SWIZZLE_128B},  {16, 192, TMAP_SWIZZLE_128B}, {16, 32, TMAP_SWIZZLE_64B},
                {16, 96, TMAP_SWIZZLE_64B},   {16, 16, TMAP_SWIZZLE_32B},   {16, 8, TMAP_SWIZZLE_NONE},
                {4, 64, TMAP_SWIZZLE_32B},    {1, 1024, TMAP_SWIZZLE_128B}, {8, 0, TMAP_SWIZZLE_NONE},
                {8, -128, TMAP_SWIZZLE_NONE}, {8, 1, TMAP_SWIZZLE_NONE},    {32, INT64_MAX - 31, TMAP_SWIZZLE_128B},
                {256, 1, TMAP_SWIZZLE_32B}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tmap_swizzle_fitting(rows[i].bits, rows[i].columns), rows[i].swizzle);
    static const struct {
        int64_t address;
        int bits;
        tmap_bank bank;
    } banks[] = {{0, 8, {0, 0, 0}},     {127, 8, {127, 31, 0}},
                 {128, 8, {128, 0, 1}}, {255, 4, {127, 31, 0}},
                 {65, 64, {520, 2, 4}}, {(int64_t)1 << 58, 64, {(int64_t)1 << 61, 0, (int64_t)1 << 54}}};
    for (size_t i = 0; i < COUNT(banks); i++) {
        tmap_bank bank = tmap_bank_of(banks[i].address, banks[i].bits);
        assert_int_equal(bank.byte, banks[i].bank.byte);
        assert_int_equal(bank.bank, banks[i].bank.bank);
        assert_int_equal(bank.line, banks[i].bank.line);
    }
}

/* ---- Maps between swizzles -------------------------------------------------------------------------------------- */

static int64_t mapped(const tmap_bit_map *map, int64_t address) {
    int64_t image = 0;
    for (int k = 0; k < map->bits_n; k++)
        if (__builtin_parityll(map->of[k] & (uint64_t)address)) image |= (int64_t)1 << k;
    return image;
}

/* From any small swizzle to any other: the map over bits, and the one or two swizzles, have the addresses of b. */
TEST(maps_between_swizzles) {
    enum { SIZE = 512, SWIZZLES = 24 };
    tmap_layout layouts[SWIZZLES];
    int n = 0, two_n = 0;
    tmap_layout rows = {.shard = {.n = 1, .at = {{SIZE, 1, M}}}};
    for (int outer = 0; outer < 2; outer++)
        for (int b = 1; b <= 2; b++)
            for (int m = 0; m < 2; m++)
                for (int s = b; s < b + 3; s++) {
                    tmap_xor swizzle = {.m = m, .b = b, .s = s, .outer = outer == 1};
                    assert_int_equal(tmap_layout_compose(&swizzle, &rows, &layouts[n++], NULL), TMAP_OK);
                }
    assert_int_equal(n, SWIZZLES);
    for (int i = 0; i < n * n; i++) {
        const tmap_layout *a = &layouts[i / n], *b = &layouts[i % n];
        tmap_bit_map map;
        tmap_xor both;
        assert_int_equal(tmap_xor_between(a, b, &map, NULL), TMAP_OK);
        assert_int_equal(map.bits_n, 9);
        bool one = tmap_xor_combine(&b->swizzle, &a->swizzle, &both);
        assert_int_equal(map.is_swizzle, one);
        assert_true(map.is_swizzle != map.is_two); /* the inverse of the first, then the second, are two at most */
        two_n += map.is_two;
        for (int64_t x = 0; x < SIZE; x++) {
            int64_t from = tmap_xor_apply(&a->swizzle, x), to = tmap_xor_apply(&b->swizzle, x);
            assert_int_equal(mapped(&map, from), to);
            int64_t moved = tmap_xor_apply(&map.swizzle, from);
            assert_int_equal(map.is_two ? tmap_xor_apply(&map.second, moved) : moved, to);
            if (one) assert_int_equal(tmap_xor_apply(&both, x), tmap_xor_apply(&b->swizzle, from));
        }
    }
    assert_true(two_n > 0);
    tmap_layout one = many(1, 0);
    tmap_bit_map map;
    assert_int_equal(tmap_xor_between(&one, &one, &map, NULL), TMAP_OK);
    assert_int_equal(map.bits_n, 0);
    /* Elements at 0 and 4 move to 0 and 8: bits 0, 1 and 3 are unchanged. */
    tmap_layout from = {.shard = {.n = 1, .at = {{2, 4, M}}}}, to = {.shard = {.n = 1, .at = {{2, 8, M}}}};
    assert_int_equal(tmap_xor_between(&from, &to, &map, NULL), TMAP_OK);
    assert_int_equal(map.bits_n, 4);
    static const uint64_t of[] = {1, 2, 0, 4 | 8};
    for (int k = 0; k < 4; k++) assert_int_equal(map.of[k], of[k]);
}

/* Repeated, so that a leak leaves more blocks than one. */
TEST(sums_are_freed) {
    tmap_layout layout = {.shard = {.n = 2, .at = {{4, 3, M}, {4, 2, M}}},
                          .replica = {.n = 2, .at = {{2, 1, M}, {2, 1, M}}}};
    tmap_layout other = layout;
    other.replica.at[1].stride = 2;
    for (int i = 0; i < 20; i++) {
        tmap_coverage coverage;
        bool equal;
        assert_int_equal(tmap_layout_coverage(&layout, &coverage, NULL), TMAP_OK);
        assert_int_equal(tmap_layout_equal(&layout, &other, &equal, NULL), TMAP_OK);
        assert_false(equal);
        tmap_layout swizzled = layout;
        swizzled.has_swizzle = true;
        swizzled.swizzle = (tmap_xor){.b = 1, .s = 1};
        assert_int_equal(tmap_layout_coverage(&swizzled, &coverage, NULL), TMAP_OK);
    }
}
