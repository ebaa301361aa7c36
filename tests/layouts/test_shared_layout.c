/*
 * Shared layouts and multi-functions: offsets against written-out sums, swizzled tiles against the hardware's tables in
 * room hw, slices and reshapes against their source layout; cover against explicit sets.
 */
#include "cmocka_all.h"

#include "register_fixture.h"

#include <limits.h>

#include "hash/splitmix.h"
#include "register/modes.h"
#include "register/multi.h"
#include "tmap/hw.h"

static tmap_shared_layout shared_make(tmap_shared_layout parts) {
    tmap_shared_layout layout;
    assert_int_equal(tmap_shared_make(&parts, &layout, NULL), TMAP_OK);
    return layout;
}

static void expect_shared(const tmap_shared_layout *layout, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_shared_print(&sink, layout);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

static uint64_t offset_at(const tmap_shared_layout *layout, uint64_t i, uint64_t j) {
    return tmap_shared_offset(layout, (uint64_t[]){i, j});
}

static uint64_t below(uint64_t *seed, uint64_t n) {
    return tmap_splitmix64((*seed)++) % n;
}

/* Splits the dimensions of a shape into random modes. */
static tmap_modes random_modes(uint64_t *seed, const uint64_t *shape, int rank) {
    tmap_modes modes = {.rank = rank};
    for (int d = 0; d < rank; d++) {
        modes.shape[d] = shape[d];
        for (uint64_t left = shape[d], size; left > 1; left /= size) {
            do size = 1 + below(seed, left);
            while (size == 1 || left % size != 0);
            modes.size[modes.n++] = size;
        }
    }
    return modes;
}

TEST(dense_layouts) {
    tmap_shared_layout row, column;
    assert_int_equal(tmap_shared_row_major((uint64_t[]){3, 4}, 2, &row, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_column_major((uint64_t[]){3, 4}, 2, &column, NULL), TMAP_OK);
    for (uint64_t i = 0; i < 3; i++) {
        for (uint64_t j = 0; j < 4; j++) {
            assert_int_equal(offset_at(&row, i, j), 4 * i + j);
            assert_int_equal(offset_at(&column, i, j), i + 3 * j);
        }
    }
    expect_shared(&column, "SharedLayout(shape=[3, 4], mode_shape=[3, 4], mode_strides=[1, 3], swizzle=None)");
}

TEST(the_table_is_right_aligned) {
    tmap_shared_layout layout;
    assert_int_equal(tmap_shared_row_major((uint64_t[]){2, 6}, 2, &layout, NULL), TMAP_OK);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    assert_int_equal(tmap_shared_grid(&sink, &layout, 12, 0), TMAP_OK);
    assert_string_equal(text.data, "SharedLayout(shape=[2, 6], mode_shape=[2, 6], mode_strides=[6, 1], swizzle=None)\n"
                                   "┌───┬───┬───┬───┬────┬────┐\n│ 0 │ 1 │ 2 │ 3 │  4 │  5 │\n"
                                   "├───┼───┼───┼───┼────┼────┤\n│ 6 │ 7 │ 8 │ 9 │ 10 │ 11 │\n"
                                   "└───┴───┴───┴───┴────┴────┘\n");
    tmap_text_free(&text);
    assert_int_equal(tmap_shared_grid(&sink, &layout, 11, 0), TMAP_BAD_ARGUMENT);
}

/* A block of adjacent rows of at most 128 bytes must have the offsets of the hardware's swizzle with that span. */
static void expect_hardware_swizzle(uint64_t columns, uint64_t bits, tmap_swizzle swizzle, uint64_t span) {
    tmap_shared_layout layout;
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){16, columns}, 2, bits, &layout, NULL), TMAP_OK);
    for (uint64_t i = 0; i < 16; i++) {
        for (uint64_t j = 0; j < columns; j++) {
            uint64_t plain_bits = (j / span * 16 * span + i * span + j % span) * bits, byte = plain_bits / 8;
            uint64_t expected = (byte ^ tmap_swizzle_mask(tmap_swizzle_get((int)swizzle), byte)) * 8 + plain_bits % 8;
            assert_int_equal(offset_at(&layout, i, j) * bits, expected);
        }
    }
}

TEST(swizzled_rows_are_the_hardwares) {
    expect_hardware_swizzle(64, 16, TMAP_SWIZZLE_128B, 64);
    expect_hardware_swizzle(256, 16, TMAP_SWIZZLE_128B, 64);
    expect_hardware_swizzle(96, 16, TMAP_SWIZZLE_64B, 32);
    expect_hardware_swizzle(32, 8, TMAP_SWIZZLE_32B, 32);
    expect_hardware_swizzle(24, 16, TMAP_SWIZZLE_NONE, 8);
    expect_hardware_swizzle(32, 32, TMAP_SWIZZLE_128B, 32);
    expect_hardware_swizzle(256, 4, TMAP_SWIZZLE_128B, 256);
    tmap_shared_layout layout;
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){64, 256}, 2, 16, &layout, NULL), TMAP_OK);
    expect_shared(&layout, "SharedLayout(shape=[64, 256], mode_shape=[64, 4, 64], mode_strides=[64, 4096, 1], "
                           "swizzle=Swizzle(base=3, bits=3, shift=3))");
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){12, 64}, 2, 16, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){8, 12}, 2, 16, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){8, 64}, 2, 6, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){64}, 1, 16, &layout, NULL), TMAP_REFUSED);
    static const uint64_t bits[] = {2, 5, 12, 256, 4, 128};
    for (size_t i = 0; i < COUNT(bits); i++) {
        assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){8, 256}, 2, bits[i], &layout, NULL),
                         i < 4 ? TMAP_REFUSED : TMAP_OK);
    }
}

TEST(canonical_form) {
    tmap_shared_layout layout = shared_make((tmap_shared_layout){
        .modes = {2, 5, {8, 6}, {2, 1, 4, 2, 3}}, .strides = {12, 99, 3, 96, 1}, .swizzle = {3, 0, 9}});
    expect_shared(&layout, "SharedLayout(shape=[8, 6], mode_shape=[8, 2, 3], mode_strides=[3, 96, 1], swizzle=None)");
    assert_int_equal(tmap_shared_span(&layout), 1 + 7 * 3 + 96 + 2);
    tmap_shared_layout units = shared_make((tmap_shared_layout){.modes = {1, 3, {4}, {1, 4, 1}}, .strides = {7, 2, 5}});
    expect_shared(&units, "SharedLayout(shape=[4], mode_shape=[4], mode_strides=[2], swizzle=None)");
    tmap_shared_layout runs =
        shared_make((tmap_shared_layout){.modes = {2, 4, {6, 6}, {2, 3, 3, 2}}, .strides = {3, 1, 12, 6}});
    expect_shared(&runs, "SharedLayout(shape=[6, 6], mode_shape=[6, 6], mode_strides=[1, 6], swizzle=None)");
}

TEST(wrong_parts_are_refused) {
    tmap_shared_layout layout, huge = {.modes = {1, 1, {3}, {3}}, .strides = {(uint64_t)1 << 62}};
    tmap_shared_layout swizzled = {.modes = {1, 1, {4}, {4}}, .strides = {1}, .swizzle = {0, 3, 2}};
    tmap_shared_layout uneven = {.modes = {1, 1, {4}, {3}}, .strides = {1}};
    assert_int_equal(tmap_shared_make(&huge, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_shared_make(&swizzled, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_shared_make(&uneven, &layout, NULL), TMAP_REFUSED);
    static const struct {
        tmap_xor swizzle;
        bool fits;
    } rows[] = {{{58, 2, 2}, true},  {{59, 2, 2}, false},  {{0, 1, 61}, true},       {{0, 1, 62}, false},
                {{0, 31, 31}, true}, {{0, 31, 30}, false}, {{0, 1, INT_MAX}, false}, {{61, 0, 99}, true},
                {{62, 0, 0}, false}, {{-1, 1, 3}, false},  {{0, -1, 3}, false},      {{0, 62, 62}, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_shared_layout parts = {.modes = {1, 1, {4}, {4}}, .strides = {1}, .swizzle = rows[i].swizzle};
        assert_int_equal(tmap_shared_make(&parts, &layout, NULL), rows[i].fits ? TMAP_OK : TMAP_REFUSED);
    }
}

TEST(composition_and_stages) {
    tmap_shared_layout outer,
        inner = shared_make((tmap_shared_layout){.modes = {2, 2, {2, 3}, {2, 3}}, .strides = {4, 1}});
    tmap_shared_layout both, stages;
    assert_int_equal(tmap_shared_column_major((uint64_t[]){2, 2}, 2, &outer, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_compose(&outer, &inner, &both, NULL), TMAP_OK);
    for (uint64_t i = 0; i < 4; i++)
        for (uint64_t j = 0; j < 6; j++)
            assert_int_equal(offset_at(&both, i, j), 7 * (i / 2 + 2 * (j / 3)) + 4 * (i % 2) + j % 3);
    assert_int_equal(tmap_shared_prepend(&inner, 5, &stages, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_offset(&stages, (uint64_t[]){3, 1, 2}), 3 * 7 + 4 + 2);
    tmap_shared_layout swizzled;
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){8, 64}, 2, 16, &swizzled, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_compose(&outer, &swizzled, &both, NULL), TMAP_REFUSED);
}

TEST(permuted_and_reshaped) {
    tmap_shared_layout layout, turned, wide, flat;
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){16, 128}, 2, 16, &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_permute(&layout, (int[]){1, 0}, 2, &turned, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_unsqueeze(&layout, (int[]){1}, 1, &wide, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_reshape(&layout, (uint64_t[]){4, 4, 2, 4, 16}, 5, &flat, NULL), TMAP_OK);
    for (uint64_t i = 0; i < 16; i++) {
        for (uint64_t j = 0; j < 128; j++) {
            uint64_t expected = offset_at(&layout, i, j);
            assert_int_equal(offset_at(&turned, j, i), expected);
            assert_int_equal(tmap_shared_offset(&wide, (uint64_t[]){i, 0, j}), expected);
            assert_int_equal(tmap_shared_offset(&flat, (uint64_t[]){i / 4, i % 4, j / 64, j / 16 % 4, j % 16}),
                             expected);
        }
    }
    assert_int_equal(tmap_shared_reshape(&layout, (uint64_t[]){3, 5}, 2, &flat, NULL), TMAP_REFUSED);
}

static void expect_slice(const tmap_shared_layout *layout, uint64_t i0, uint64_t j0, uint64_t rows, uint64_t columns) {
    tmap_shared_layout slice;
    uint64_t offset;
    assert_int_equal(
        tmap_shared_slice(layout, (uint64_t[]){i0, j0}, (uint64_t[]){rows, columns}, &slice, &offset, NULL), TMAP_OK);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++)
            assert_int_equal(offset + offset_at(&slice, i, j), offset_at(layout, i0 + i, j0 + j));
}

TEST(slices) {
    tmap_shared_layout plain, swizzled, slice;
    uint64_t offset;
    assert_int_equal(tmap_shared_row_major((uint64_t[]){6, 10}, 2, &plain, NULL), TMAP_OK);
    expect_slice(&plain, 1, 3, 4, 5);
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){16, 256}, 2, 16, &swizzled, NULL), TMAP_OK);
    expect_slice(&swizzled, 8, 128, 8, 128);
    expect_slice(&swizzled, 0, 64, 16, 17);
    assert_int_equal(tmap_shared_slice(&swizzled, (uint64_t[]){0, 32}, (uint64_t[]){8, 64}, &slice, &offset, NULL),
                     TMAP_REFUSED);
    assert_int_equal(tmap_shared_slice(&swizzled, (uint64_t[]){4, 0}, (uint64_t[]){8, 64}, &slice, &offset, NULL),
                     TMAP_REFUSED);
    assert_int_equal(tmap_shared_slice(&plain, (uint64_t[]){4, 0}, (uint64_t[]){3, 1}, &slice, &offset, NULL),
                     TMAP_REFUSED);
}

/* Whether the range cuts at most one mode: it has whole modes inside this mode, and one index of each mode outside.
 * Such boxes, and a few others, have a layout. */
static bool cuts_one_mode(const uint64_t *sizes, int n, uint64_t first, uint64_t count) {
    for (uint64_t inner = 1; n >= 0; inner *= sizes[n]) {
        bool whole = first % inner == 0 && count % inner == 0;
        n--;
        if (count == 1 || (whole && (n < 0 || first / (inner * sizes[n]) == (first + count - 1) / (inner * sizes[n]))))
            return true;
        if (n < 0) return false;
    }
    return false;
}

static tmap_shared_layout random_shared(uint64_t *seed) {
    const uint64_t shape[] = {1 + below(seed, 12), 24};
    tmap_shared_layout parts = {.modes = random_modes(seed, shape, 2)};
    for (int k = 0; k < parts.modes.n; k++) parts.strides[k] = below(seed, 60);
    return parts;
}

static int modes_of_rows(const tmap_modes *modes) {
    uint64_t product = 1;
    int n = 0;
    while (product < modes->shape[0]) product *= modes->size[n++];
    return n;
}

TEST(random_slices) {
    uint64_t seed = 1, fitted = 0;
    for (int i = 0; i < 20000; i++) {
        tmap_shared_layout parts = random_shared(&seed), layout = shared_make(parts), slice;
        const uint64_t *shape = layout.modes.shape;
        uint64_t begin[2], extent[2], offset;
        for (int d = 0; d < 2; d++)
            begin[d] = below(&seed, shape[d]), extent[d] = 1 + below(&seed, shape[d] - begin[d]);
        int rows = modes_of_rows(&layout.modes);
        bool fits = cuts_one_mode(layout.modes.size, rows, begin[0], extent[0]) &&
                    cuts_one_mode(layout.modes.size + rows, layout.modes.n - rows, begin[1], extent[1]);
        tmap_status status = tmap_shared_slice(&layout, begin, extent, &slice, &offset, NULL);
        if (fits) assert_int_equal(status, TMAP_OK);
        if (status != TMAP_OK) continue;
        fitted++;
        expect_slice(&layout, begin[0], begin[1], extent[0], extent[1]);
    }
    assert_true(fitted > 5000);
}

/* The offsets of the parts, by the definition, before and after a reshape. */
TEST(random_reshapes) {
    uint64_t seed = 1, reshaped_n = 0;
    for (int i = 0; i < 20000; i++) {
        tmap_shared_layout parts = random_shared(&seed), layout = shared_make(parts), reshaped;
        uint64_t elements = tmap_modes_elements_n(&layout.modes), columns;
        do columns = 1 + below(&seed, elements);
        while (elements % columns != 0);
        const uint64_t shape[] = {elements / columns, columns};
        bool went = tmap_shared_reshape(&layout, shape, 2, &reshaped, NULL) == TMAP_OK;
        reshaped_n += went;
        for (uint64_t e = 0; e < elements; e++) {
            uint64_t expected = 0, left = e;
            for (int k = parts.modes.n - 1; k >= 0; left /= parts.modes.size[k--])
                expected += left % parts.modes.size[k] * parts.strides[k];
            assert_int_equal(offset_at(&layout, e / 24, e % 24), expected);
            if (went) assert_int_equal(offset_at(&reshaped, e / columns, e % columns), expected);
        }
        if (columns == 24) assert_true(went);
    }
    assert_true(reshaped_n > 5000);
}

TEST(the_most_dimensions) {
    enum { LAST = TMAP_MODE_RANK_MAX - 1 };
    uint64_t shape[TMAP_MODE_RANK_MAX], index[TMAP_MODE_RANK_MAX] = {0}, ones[TMAP_MODE_RANK_MAX], offset;
    int dims[TMAP_MODE_RANK_MAX];
    for (int d = 0; d < TMAP_MODE_RANK_MAX; d++) shape[d] = ones[d] = 1, dims[d] = LAST - d;
    shape[0] = shape[LAST] = 2;
    tmap_shared_layout layout, unit, r;
    assert_int_equal(tmap_shared_column_major(shape, TMAP_MODE_RANK_MAX, &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_row_major(ones, TMAP_MODE_RANK_MAX, &unit, NULL), TMAP_OK);
    assert_int_equal(layout.modes.n, 2);
    assert_int_equal(tmap_shared_compose(&layout, &unit, &r, NULL), TMAP_OK);
    assert_memory_equal(&r.modes, &layout.modes, sizeof r.modes);
    assert_int_equal(tmap_shared_permute(&layout, dims, TMAP_MODE_RANK_MAX, &r, NULL), TMAP_OK);
    index[LAST] = 1;
    assert_int_equal(tmap_shared_offset(&layout, index), 2);
    assert_int_equal(tmap_shared_offset(&r, index), 1);
    assert_int_equal(tmap_shared_slice(&layout, index, ones, &r, &offset, NULL), TMAP_OK);
    assert_int_equal(offset, 2);
    tmap_diag error;
    assert_int_equal(tmap_shared_prepend(&layout, 2, &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "prepend: the shape has 17 dimensions; the limit is 16");
    assert_int_equal(tmap_shared_reshape(&layout, (uint64_t[]){4}, 1, &r, NULL), TMAP_OK);
    index[0] = 3;
    assert_int_equal(tmap_shared_offset(&r, index), 3);
}

/* ---- Multi-functions ---- */

TEST(threads_of_a_register_layout) {
    tmap_register_layout layout =
        reg_compose(reg_local(2, 2, 1), reg_compose(reg_spatial(2, 8, 4), reg_local(2, 1, 2)));
    tmap_multi_function threads = tmap_register_threads(&layout), locals = tmap_register_locals(&layout);
    for (uint64_t e = 0; e < 128; e++) {
        uint64_t index[] = {e / 8, e % 8};
        assert_int_equal(tmap_multi_number(&threads, index, 0), e / 8 % 8 * 4 + e % 8 / 2);
        assert_int_equal(tmap_multi_number(&locals, index, 0), e / 64 * 2 + e % 2);
    }
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_multi_print(&sink, &threads);
    assert_string_equal(text.data, "MultiFunction(shape=[16, 8], mode_shape=[2, 8, 4, 2], modes=[1, 2])");
    tmap_text_free(&text);
}

static bool has_number(const tmap_multi_function *f, const uint64_t *index, uint64_t number) {
    for (uint64_t r = 0; r < tmap_multi_replicas_n(f); r++)
        if (tmap_multi_number(f, index, r) == number) return true;
    return false;
}

static bool covers_by_sets(const tmap_multi_function *a, const tmap_multi_function *b) {
    for (uint64_t e = 0; e < tmap_modes_elements_n(&a->modes); e++) {
        uint64_t index[] = {e / a->modes.shape[1], e % a->modes.shape[1]};
        for (uint64_t r = 0; r < tmap_multi_replicas_n(b); r++)
            if (!has_number(a, index, tmap_multi_number(b, index, r))) return false;
    }
    return true;
}

/* A random list of some modes of a shape and of replications. */
static tmap_multi_function random_function(uint64_t *seed, const uint64_t *shape, int rank) {
    static const int64_t replicas[] = {-2, -3, -4, -6, -5};
    tmap_multi_function parts = {.modes = random_modes(seed, shape, rank)}, made;
    int64_t entries[TMAP_MODES_MAX];
    int n = 0;
    for (int k = 0; k < parts.modes.n; k++)
        if (below(seed, 3) == 0) entries[n++] = k;
    for (uint64_t i = below(seed, 3); i > 0; i--) entries[n++] = replicas[below(seed, COUNT(replicas))];
    while (n > 0) {
        int pick = (int)below(seed, (uint64_t)n);
        parts.list.at[parts.list.n++] = entries[pick];
        entries[pick] = entries[--n];
    }
    assert_int_equal(tmap_multi_make(&parts, &made, NULL), TMAP_OK);
    return made;
}

TEST(cover_is_inclusion_of_sets) {
    int covered = 0;
    for (uint64_t seed = 1, i = 0; i < 40000; i++) {
        const uint64_t shape[] = {4, 6};
        tmap_multi_function a = random_function(&seed, shape, 2), b = random_function(&seed, shape, 2);
        bool expected = covers_by_sets(&a, &b);
        covered += expected;
        if (tmap_multi_covers(&a, &b) == expected) continue;
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_multi_print(&sink, &a);
        tmap_puts(&sink, expected ? " covers " : " does not cover ");
        tmap_multi_print(&sink, &b);
        fail_msg("%s", text.data);
    }
    assert_true(covered > 1000);
}

TEST(functions_of_other_shapes_are_not_covered) {
    const uint64_t shape[] = {4, 6}, others[][2] = {{4, 3}, {2, 6}, {6, 4}};
    uint64_t seed = 1;
    for (int i = 0; i < 300; i++) {
        tmap_multi_function a = random_function(&seed, shape, 2), b = random_function(&seed, others[i % 3], 2);
        assert_false(tmap_multi_covers(&a, &b));
    }
}

static void expect_numbers(const tmap_multi_function *f, const uint64_t *index, const bool *expected, uint64_t n) {
    uint64_t found = 0, wanted = 0, before = 0;
    for (uint64_t r = 0; r < tmap_multi_replicas_n(f); r++) {
        uint64_t number = tmap_multi_number(f, index, r);
        assert_true(number < n && expected[number] && (r == 0 || number > before));
        before = number;
        found++;
    }
    for (uint64_t number = 0; number < n; number++) wanted += expected[number];
    assert_int_equal(found, wanted);
}

enum { NUMBERS_MAX = 2000 };

/* f * g of Tilus: g of every number of f. The numbers of f are the elements of g in row-major order. */
TEST(functions_compose) {
    int went = 0;
    for (uint64_t seed = 1, i = 0; i < 5000; i++) {
        tmap_multi_function f = random_function(&seed, (uint64_t[]){4, 6}, 2), g, h;
        uint64_t numbers = tmap_list_size(&f.modes, &f.list), rows;
        do rows = 1 + below(&seed, numbers);
        while (numbers % rows != 0);
        const uint64_t shape[] = {rows, numbers / rows};
        g = random_function(&seed, shape, 2);
        uint64_t limit = tmap_list_size(&g.modes, &g.list);
        if (limit > NUMBERS_MAX || tmap_multi_then(&f, &g, &h, NULL) != TMAP_OK) continue;
        went++;
        for (uint64_t e = 0; e < 24; e++) {
            const uint64_t index[] = {e / 6, e % 6};
            bool expected[NUMBERS_MAX] = {false};
            for (uint64_t r = 0; r < tmap_multi_replicas_n(&f); r++) {
                uint64_t number = tmap_multi_number(&f, index, r);
                const uint64_t in_g[] = {number / shape[1], number % shape[1]};
                for (uint64_t s = 0; s < tmap_multi_replicas_n(&g); s++)
                    expected[tmap_multi_number(&g, in_g, s)] = true;
            }
            expect_numbers(&h, index, expected, limit);
        }
    }
    assert_true(went > 1000);
}

TEST(functions_of_other_sizes_do_not_compose) {
    tmap_register_layout a = reg_spatial(1, 6), b = reg_spatial(1, 5), c = reg_spatial(2, 4, 9), d = reg_spatial(1, 36);
    tmap_multi_function f = tmap_register_threads(&a), g = tmap_register_threads(&b), h;
    tmap_diag error = {0};
    assert_int_equal(tmap_multi_then(&f, &g, &h, &error), TMAP_REFUSED);
    assert_int_equal(error.operand, 1);
    assert_string_equal(error.message, "the left function returns 6 numbers, the right has 5 elements");
    f = tmap_register_threads(&c), g = tmap_register_threads(&d);
    assert_int_equal(tmap_multi_then(&f, &g, &h, NULL), TMAP_OK);
    tmap_multi_function rows = tmap_register_threads(&d);
    tmap_register_layout row_major = reg_spatial(2, 6, 6), column_major = reg_column(TMAP_REGISTER_SPATIAL, 2, 6, 6);
    f = tmap_register_threads(&c), g = tmap_register_threads(&row_major);
    assert_int_equal(tmap_multi_then(&f, &g, &h, NULL), TMAP_OK); /* the modes of g continue each other */
    g = tmap_register_threads(&column_major);
    assert_int_equal(tmap_multi_then(&f, &g, &h, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_multi_then(&rows, &g, &h, NULL), TMAP_OK);
}

/* The modes of a collapsed dimension leave the number; the digits of the other modes stay in their order. */
TEST(collapsed_functions) {
    for (uint64_t seed = 1, i = 0; i < 5000; i++) {
        tmap_multi_function f = random_function(&seed, (uint64_t[]){4, 6}, 2), h;
        uint32_t dims = (uint32_t)below(&seed, 4);
        int rows = modes_of_rows(&f.modes);
        assert_int_equal(tmap_multi_collapse(&f, dims, &h, NULL), TMAP_OK);
        for (uint64_t e = 0; e < 24; e++) {
            const uint64_t index[] = {e / 6, e % 6};
            bool expected[NUMBERS_MAX] = {false};
            for (uint64_t r = 0; r < tmap_multi_replicas_n(&f); r++) {
                uint64_t number = tmap_multi_number(&f, index, r), kept = 0, scale = 1;
                for (int k = f.list.n - 1; k >= 0; k--) {
                    int64_t entry = f.list.at[k];
                    uint64_t size = tmap_entry_size(&f.modes, entry), digit = number % size;
                    number /= size;
                    if (entry >= 0 && (dims >> (entry >= rows) & 1)) continue;
                    kept += digit * scale;
                    scale *= size;
                }
                expected[kept] = true;
            }
            expect_numbers(&h, index, expected, NUMBERS_MAX);
        }
    }
}

TEST(composed_functions) {
    tmap_register_layout a = reg_spatial(2, 2, 3), b = reg_compose(reg_local(2, 3, 1), reg_spatial(2, 2, 2));
    tmap_register_layout both = reg_compose(a, b);
    tmap_multi_function f = tmap_register_threads(&a), g = tmap_register_threads(&b), h;
    assert_int_equal(tmap_multi_compose(&f, &g, &h, NULL), TMAP_OK);
    for (uint64_t e = 0; e < 12 * 6; e++) {
        uint64_t index[] = {e / 6, e % 6};
        assert_int_equal(tmap_multi_number(&h, index, 0), tmap_register_thread(&both, index, 0));
    }
}
