/*
 * Register layouts: the grids of Tilus's document character for character, its mapping process, its lists; operations
 * by their effect on each element, written out here from the document's four steps.
 */
#include "cmocka_all.h"

#include "register/print.h"
#include "register_fixture.h"
#include "tmap/unstable/register_shared.h"

#include <stdlib.h>

/* ---- The document's grids ---- */

typedef struct named {
    const char *expression;
    tmap_register_layout (*make)(void);
} named;

static tmap_register_layout local_3x4(void) {
    return reg_local(2, 3, 4);
}
static tmap_register_layout spatial_3x2(void) {
    return reg_spatial(2, 3, 2);
}
static tmap_register_layout local_of_spatial(void) {
    return reg_compose(reg_local(2, 3, 4), reg_spatial(2, 2, 3));
}
static tmap_register_layout spatial_of_local(void) {
    return reg_compose(reg_spatial(2, 2, 3), reg_local(2, 3, 4));
}
static tmap_register_layout mma_c(void) {
    return reg_compose(reg_compose(reg_local(2, 2, 1), reg_spatial(2, 8, 4)), reg_local(2, 1, 2));
}
static tmap_register_layout spatial_3x4(void) {
    return reg_spatial(2, 3, 4);
}
static tmap_register_layout reduced(void) {
    tmap_register_layout layout = reg_spatial(2, 3, 4);
    static const int dims[] = {0};
    assert_int_equal(tmap_register_reduce(&layout, dims, 1, false, &layout, NULL), TMAP_OK);
    return layout;
}
static tmap_register_layout local_2x3(void) {
    return reg_local(2, 2, 3);
}
static tmap_register_layout column_local_2x3(void) {
    return reg_column(TMAP_REGISTER_LOCAL, 2, 2, 3);
}
static tmap_register_layout spatial_2x3(void) {
    return reg_spatial(2, 2, 3);
}
static tmap_register_layout column_spatial_2x3(void) {
    return reg_column(TMAP_REGISTER_SPATIAL, 2, 2, 3);
}

static const named in_document[] = {
    {"local(3, 4)", local_3x4},
    {"spatial(3, 2)", spatial_3x2},
    {"local(3, 4).spatial(2, 3)", local_of_spatial},
    {"spatial(2, 3).local(3, 4)", spatial_of_local},
    {"repeat(2, 1).spatial(8, 4).repeat(1, 2)", mma_c},
    {"spatial(3, 4)", spatial_3x4},
    {"reduce(spatial(3, 4), dims=[0])", reduced},
    {"local(2, 3)", local_2x3},
    {"column_local(2, 3)", column_local_2x3},
    {"spatial(2, 3)", spatial_2x3},
    {"column_spatial(2, 3)", column_spatial_2x3},
};

static char *read_grids(void) {
    FILE *file = fopen(TMAP_SOURCE_DIR "/tests/data/layout/tilus_grids.txt", "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

TEST(grids_are_the_documents) {
    char *text = read_grids(), *at = text;
    for (size_t i = 0; i < COUNT(in_document); i++) {
        char heading[80];
        snprintf(heading, sizeof heading, ">>> %s\n", in_document[i].expression);
        assert_memory_equal(at, heading, strlen(heading));
        at += strlen(heading);
        char *next = strstr(at, ">>> ");
        size_t size = next ? (size_t)(next - at) : strlen(at);
        tmap_text grid = {0};
        tmap_sink sink = tmap_text_sink(&grid);
        tmap_register_layout layout = in_document[i].make();
        assert_int_equal(tmap_register_grid(&sink, &layout, 4096, 0), TMAP_OK);
        assert_int_equal(grid.size, size);
        assert_memory_equal(grid.data, at, size);
        tmap_text_free(&grid);
        at += size;
    }
    assert_int_equal(*at, '\0');
    free(text);
}

TEST(more_dimensions_are_more_tables) {
    tmap_register_layout layout = reg_compose(reg_local(3, 2, 1, 1), reg_spatial(3, 1, 1, 2));
    tmap_text grid = {0};
    tmap_sink sink = tmap_text_sink(&grid);
    assert_int_equal(tmap_register_grid(&sink, &layout, 4, 0), TMAP_OK);
    assert_string_equal(grid.data,
                        "RegisterLayout(shape=[2, 1, 2], mode_shape=[2, 2], spatial_modes=[1], local_modes=[0])\n"
                        "┌──────┬──────┐\n│ 0: 0 │ 1: 0 │\n└──────┴──────┘\n"
                        "┌──────┬──────┐\n│ 0: 1 │ 1: 1 │\n└──────┴──────┘\n");
    tmap_text_free(&grid);
    assert_int_equal(tmap_register_grid(&sink, &layout, 3, 0), TMAP_BAD_ARGUMENT);
    assert_null(grid.data);
}

TEST(tables_have_styles) {
    static const char head[] =
        "RegisterLayout(shape=[3, 2], mode_shape=[3, 2], spatial_modes=[0, 1], local_modes=[])\n";
    static const char *const expected[][2] = {
        {"simple_grid",
         "┌──────┬──────┐\n│ 0: 0 │ 1: 0 │\n├──────┼──────┤\n│ 2: 0 │ 3: 0 │\n├──────┼──────┤\n│ 4: 0 │ 5: 0 "
         "│\n└──────┴──────┘\n"},
        {"grid",
         "+------+------+\n| 0: 0 | 1: 0 |\n+------+------+\n| 2: 0 | 3: 0 |\n+------+------+\n| 4: 0 | 5: 0 |\n"
         "+------+------+\n"},
        {"simple_outline", "┌──────┬──────┐\n│ 0: 0 │ 1: 0 │\n│ 2: 0 │ 3: 0 │\n│ 4: 0 │ 5: 0 │\n└──────┴──────┘\n"},
        {"github", "| 0: 0 | 1: 0 |\n|------|------|\n| 2: 0 | 3: 0 |\n| 4: 0 | 5: 0 |\n"},
        {"plain", "0: 0  1: 0\n2: 0  3: 0\n4: 0  5: 0\n"},
    };
    tmap_register_layout layout = spatial_3x2();
    for (size_t i = 0; i < COUNT(expected); i++) {
        tmap_text grid = {0};
        tmap_sink sink = tmap_text_sink(&grid);
        int style = tmap_table_style_find(expected[i][0]);
        assert_int_equal(tmap_register_grid(&sink, &layout, 6, style), TMAP_OK);
        assert_memory_equal(grid.data, head, strlen(head));
        assert_string_equal(grid.data + strlen(head), expected[i][1]);
        tmap_text_free(&grid);
    }
    int n = 0;
    for (; tmap_table_style_name(n); n++) assert_int_equal(tmap_table_style_find(tmap_table_style_name(n)), n);
    tmap_text nothing = {0};
    tmap_sink sink = tmap_text_sink(&nothing);
    assert_int_equal(tmap_table_style_find("none"), -1);
    assert_int_equal(tmap_register_grid(&sink, &layout, 6, n), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_register_grid(&sink, &layout, 6, -1), TMAP_BAD_ARGUMENT);
    assert_null(nothing.data);
}

/* ---- The mapping process ---- */

TEST(the_worked_mapping) {
    tmap_register_layout layout = reg_make(
        (tmap_register_layout){.modes = {2, 4, {4, 6}, {2, 2, 3, 2}}, .spatial = {2, {0, 2}}, .local = {2, {3, 1}}});
    assert_int_equal(tmap_register_threads_n(&layout), 6);
    assert_int_equal(tmap_register_locals_n(&layout), 4);
    for (uint64_t i = 0; i < 4; i++) {
        for (uint64_t j = 0; j < 6; j++) {
            uint64_t index[] = {i, j}, back[2];
            assert_int_equal(tmap_register_thread(&layout, index, 0), i / 2 * 3 + j / 2);
            assert_int_equal(tmap_register_local(&layout, index), j % 2 * 2 + i % 2);
            tmap_register_index(&layout, i / 2 * 3 + j / 2, j % 2 * 2 + i % 2, back);
            assert_true(back[0] == i && back[1] == j);
        }
    }
}

TEST(replicas_are_found_from_every_thread) {
    tmap_register_layout layout = reduced();
    for (uint64_t thread = 0; thread < 12; thread++) {
        uint64_t index[1];
        tmap_register_index(&layout, thread, 0, index);
        assert_int_equal(index[0], thread % 4);
        assert_int_equal(tmap_register_thread(&layout, index, thread / 4), thread);
    }
}

/* ---- The four lists ---- */

typedef struct wrong {
    tmap_register_layout parts;
    const char *says;
} wrong;

static const wrong wrong_parts[] = {
    {{.modes = {2, 2, {3, 0}, {3, 1}}, .local = {1, {0}}}, "dimension 1 is 0"},
    {{.modes = {17}}, "17 dimensions"},
    {{.modes = {1, 1, {6}, {4}}, .local = {1, {0}}},
     "mode 0, of size 4, does not divide the remaining part of dimension 0: 6"},
    {{.modes = {1, 1, {6}, {3}}, .local = {1, {0}}}, "a factor of 2 of dimension 0"},
    {{.modes = {2, 2, {4, 3}, {6, 2}}, .local = {2, {0, 1}}}, "mode 0, of size 6"},
    {{.modes = {1, 2, {6}, {6, 2}}, .local = {2, {0, 1}}}, "after the last dimension"},
    {{.modes = {1, 1, {6}, {0}}, .local = {1, {0}}}, "mode 0 is 0"},
    {{.modes = {1, 2, {6}, {3, 2}}, .spatial = {1, {2}}, .local = {1, {0}}},
     "spatial_modes has the entry 2; the layout has 2 modes"},
    {{.modes = {1, 2, {6}, {3, 2}}, .spatial = {1, {0}}, .local = {1, {-2}}}, "local_modes has the entry -2"},
    {{.modes = {1, 2, {6}, {3, 2}}, .spatial = {1, {1}}, .local = {2, {0, 1}}}, "listed twice"},
    {{.modes = {1, 2, {6}, {3, 2}}, .spatial = {1, {1}}}, "mode 0, of size 3, is in neither of the two lists"},
    {{.modes = {1, 1, {6}, {6}}, .spatial = {1, {INT64_MIN}}, .local = {1, {0}}}, "more than 2^62"},
    {{.modes = {1, 1, {6}, {6}}, .spatial = {2, {-((int64_t)1 << 40), -((int64_t)1 << 30)}}, .local = {1, {0}}},
     "counts more than 2^62"},
    {{.modes = {1, 1, {6}, {6}}, .spatial = {2, {-((int64_t)1 << 40) - 1, -((int64_t)1 << 30) - 1}}, .local = {1, {0}}},
     "counts more than 2^62"}, /* not 0 modulo 2^64 */
    {{.modes = {3, 0, {(uint64_t)1 << 31, (uint64_t)1 << 31, 2}}}, "more than 2^62 elements"},
};

TEST(wrong_lists_are_refused) {
    for (size_t i = 0; i < COUNT(wrong_parts); i++) {
        tmap_register_layout layout = {.modes.rank = 99};
        tmap_diag error = {0};
        assert_int_equal(tmap_register_make(&wrong_parts[i].parts, &layout, &error), TMAP_REFUSED);
        assert_int_equal(layout.modes.rank, 99);
        if (!strstr(error.message, wrong_parts[i].says)) fail_msg("%zu: %s", i, error.message);
        assert_true(error.fix.words[0] != '\0');
    }
}

TEST(lists_become_canonical) {
    tmap_register_layout layout = reg_make((tmap_register_layout){.modes = {3, 7, {12, 1, 6}, {3, 1, 2, 2, 1, 2, 3}},
                                                                  .spatial = {6, {-1, 0, -1, 2, -1, 5}},
                                                                  .local = {3, {3, 4, 6}}});
    expect_text(&layout, "RegisterLayout(shape=[12, 1, 6], mode_shape=[6, 2, 2, 3], spatial_modes=[0, 2], "
                         "local_modes=[1, 3])");
    layout = reg_make((tmap_register_layout){.modes = {1, 1, {4}, {4}}, .spatial = {2, {0, -1}}});
    expect_text(&layout, "RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[0], local_modes=[])");
}

/* ---- Creation ---- */

TEST(creators) {
    static const uint64_t shape[] = {2, 3, 4};
    static const int ranks[] = {1, 2, 0};
    tmap_register_layout layout;
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_SPATIAL, shape, 3, ranks, &layout, NULL), TMAP_OK);
    expect_text(&layout, "RegisterLayout(shape=[2, 3, 4], mode_shape=[2, 3, 4], spatial_modes=[2, 0, 1], "
                         "local_modes=[])");
    assert_int_equal(tmap_register_replicated(shape, 2, 5, &layout, NULL), TMAP_OK);
    expect_text(&layout, "RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[-5], local_modes=[0, 1])");
    assert_int_equal(tmap_register_auto(8, (uint64_t[]){4, 6}, 2, &layout, NULL), TMAP_OK);
    expect_text(&layout, "RegisterLayout(shape=[4, 6], mode_shape=[4, 3, 2], spatial_modes=[0, 2], local_modes=[1])");
    assert_int_equal(tmap_register_auto(24, (uint64_t[]){3, 4}, 2, &layout, NULL), TMAP_OK);
    expect_text(&layout, "RegisterLayout(shape=[3, 4], mode_shape=[3, 4], spatial_modes=[-2, 0, 1], local_modes=[])");
    assert_int_equal(tmap_register_auto(5, shape, 3, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_auto(0, shape, 3, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, shape, 3, (int[]){0, 0, 1}, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, shape, 3, (int[]){0, 3, 1}, &layout, NULL), TMAP_REFUSED);
}

/* ---- Operations, by every element ---- */

/* The document's definition of composition: each element of outer is replaced by a tensor with the layout inner. */
static void expect_composed(const tmap_register_layout *outer, const tmap_register_layout *inner) {
    tmap_register_layout both = reg_compose(*outer, *inner);
    uint64_t inner_threads = tmap_register_threads_n(inner), inner_locals = tmap_register_locals_n(inner);
    for (uint64_t i = 0; i < both.modes.shape[0]; i++) {
        for (uint64_t j = 0; j < both.modes.shape[1]; j++) {
            uint64_t m = inner->modes.shape[0], n = inner->modes.shape[1], at[] = {i, j};
            uint64_t in_outer[] = {i / m, j / n}, in_inner[] = {i % m, j % n};
            assert_int_equal(tmap_register_thread(&both, at, 0),
                             tmap_register_thread(outer, in_outer, 0) * inner_threads +
                                 tmap_register_thread(inner, in_inner, 0));
            assert_int_equal(tmap_register_local(&both, at), tmap_register_local(outer, in_outer) * inner_locals +
                                                                 tmap_register_local(inner, in_inner));
        }
    }
}

TEST(composition_replaces_elements) {
    tmap_register_layout a = local_of_spatial(), b = mma_c(), c = column_spatial_2x3();
    expect_composed(&a, &c);
    expect_composed(&c, &b);
    expect_composed(&b, &a);
}

TEST(a_narrower_layout_is_padded) {
    tmap_register_layout layout = reg_compose(reg_local(2, 3, 4), reg_spatial(1, 5));
    expect_text(&layout, "RegisterLayout(shape=[3, 20], mode_shape=[3, 4, 5], spatial_modes=[2], local_modes=[0, 1])");
}

TEST(concatenation) {
    tmap_register_layout left = reg_local(1, 4), right = reduced(), both;
    assert_int_equal(tmap_register_concat(&left, &right, &both, NULL), TMAP_OK);
    expect_text(&both, "RegisterLayout(shape=[4, 4], mode_shape=[4, 4], spatial_modes=[-3, 1], local_modes=[0])");
}

TEST(division) {
    tmap_register_layout a = mma_c(), b = column_local_2x3(), product = reg_compose(a, b), q;
    assert_int_equal(tmap_register_divide(&product, &b, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &a));
    assert_int_equal(tmap_register_left_divide(&product, &a, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &b));
}

/* Composition merges modes at the seam, on the left and on the right; both divisions must split them again. */
TEST(division_splits_what_composition_merged) {
    tmap_register_layout a = reg_local(1, 6), b = reg_local(1, 4), ab = reg_compose(a, b), q;
    expect_text(&ab, "RegisterLayout(shape=[24], mode_shape=[24], spatial_modes=[], local_modes=[0])");
    assert_int_equal(tmap_register_divide(&ab, &b, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &a));
    tmap_register_layout outer = reg_compose(reg_spatial(1, 2), reg_local(1, 3));
    tmap_register_layout inner = reg_compose(reg_local(1, 2), reg_spatial(1, 5)), whole = reg_compose(outer, inner);
    assert_int_equal(tmap_register_left_divide(&whole, &outer, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &inner));
}

TEST(divisions_that_are_refused) {
    tmap_register_layout whole = local_of_spatial(), q;
    tmap_register_layout wrong_order = reg_column(TMAP_REGISTER_SPATIAL, 2, 2, 3), wrong_size = reg_spatial(2, 4, 3);
    tmap_register_layout wide = reg_local(3, 1, 1, 1);
    assert_int_equal(tmap_register_divide(&whole, &wrong_order, &q, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_divide(&whole, &wrong_size, &q, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_divide(&whole, &wide, &q, NULL), TMAP_REFUSED);
}

TEST(reductions) {
    tmap_register_layout layout = mma_c(), r;
    assert_int_equal(tmap_register_reduce(&layout, (int[]){1}, 1, true, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[16, 1], mode_shape=[2, 8], spatial_modes=[1, -4], local_modes=[0])");
    assert_int_equal(tmap_register_reduce_to(&layout, (uint64_t[]){8}, 1, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[8], mode_shape=[4, 2], spatial_modes=[-8, 0], local_modes=[1])");
    assert_int_equal(tmap_register_reduce(&layout, (int[]){0, 1}, 2, false, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[], mode_shape=[], spatial_modes=[-8, -4], local_modes=[])");
    tmap_register_layout merged = reg_make((tmap_register_layout){.spatial = {1, {-32}}});
    assert_true(tmap_register_same(&r, &merged));
    assert_int_equal(tmap_register_reduce_to(&layout, (uint64_t[]){4}, 1, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_reduce(&layout, (int[]){2}, 1, true, &r, NULL), TMAP_REFUSED);
}

TEST(dimensions_move) {
    tmap_register_layout layout = reg_make(
        (tmap_register_layout){.modes = {2, 4, {4, 6}, {2, 2, 3, 2}}, .spatial = {2, {0, 2}}, .local = {2, {3, 1}}});
    tmap_register_layout r, s;
    assert_int_equal(tmap_register_permute(&layout, (int[]){1, 0}, 2, &r, NULL), TMAP_OK);
    for (uint64_t i = 0; i < 24; i++) {
        uint64_t at[] = {i / 6, i % 6}, turned[] = {i % 6, i / 6};
        assert_int_equal(tmap_register_thread(&r, turned, 0), tmap_register_thread(&layout, at, 0));
        assert_int_equal(tmap_register_local(&r, turned), tmap_register_local(&layout, at));
    }
    assert_int_equal(tmap_register_unsqueeze(&r, (int[]){0, 2}, 2, &s, NULL), TMAP_OK);
    expect_text(&s, "RegisterLayout(shape=[1, 6, 1, 4], mode_shape=[3, 2, 2, 2], spatial_modes=[2, 0], "
                    "local_modes=[1, 3])");
    assert_int_equal(tmap_register_squeeze(&s, (int[]){2, 0}, 2, &s, NULL), TMAP_OK);
    assert_true(tmap_register_same(&s, &r));
    assert_int_equal(tmap_register_squeeze(&s, (int[]){0}, 1, &s, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_permute(&r, (int[]){0}, 1, &s, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_permute(&r, (int[]){0, 0}, 2, &s, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_permute(&r, (int[]){1, 1}, 2, &s, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_permute(&r, (int[]){-1, 0}, 2, &s, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_permute(&r, (int[]){0, 2}, 2, &s, NULL), TMAP_REFUSED);
}

TEST(reshapes) {
    tmap_register_layout layout = spatial_of_local(), r, back;
    assert_int_equal(tmap_register_reshape(&layout, (uint64_t[]){2, 3, 4, 3}, 4, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_reshape(&layout, (uint64_t[]){2, 3, 3, 4}, 4, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[2, 3, 3, 4], mode_shape=[2, 3, 3, 4], spatial_modes=[0, 2], "
                    "local_modes=[1, 3])");
    assert_int_equal(tmap_register_reshape(&r, (uint64_t[]){6, 12}, 2, &back, NULL), TMAP_OK);
    assert_true(tmap_register_same(&back, &layout));
    assert_int_equal(tmap_register_reshape(&layout, (uint64_t[]){71}, 1, &r, NULL), TMAP_REFUSED);
    tmap_register_layout plain = spatial_3x4(), rows = local_3x4();
    assert_int_equal(tmap_register_reshape(&rows, (uint64_t[]){2, 6}, 2, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[2, 6], mode_shape=[2, 6], spatial_modes=[], local_modes=[0, 1])");
    assert_int_equal(tmap_register_flatten(&plain, 0, -1, &r, NULL), TMAP_OK);
    expect_text(&r, "RegisterLayout(shape=[12], mode_shape=[12], spatial_modes=[0], local_modes=[])");
    assert_int_equal(tmap_register_reshape(&r, (uint64_t[]){3, 4}, 2, &back, NULL), TMAP_OK);
    assert_true(tmap_register_same(&back, &plain));
    assert_int_equal(tmap_register_flatten(&plain, 1, 0, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_flatten(&plain, 0, 2, &r, NULL), TMAP_REFUSED);
}

/* The last entry of a list of more than half of the most modes is split in two. */
TEST(a_long_list_is_reshaped) {
    tmap_register_layout parts = {.modes = {2, 42, {(uint64_t)1 << 42, 3}, {4}}, .spatial.n = 41, .local = {1, {41}}};
    tmap_register_layout expected = {.modes = {3, 43, {2, (uint64_t)1 << 41, 3}}, .spatial.n = 42, .local = {1, {42}}};
    for (int k = 1; k < 41; k++) parts.modes.size[k] = 2;
    for (int i = 0; i < 41; i++) parts.spatial.at[i] = 40 - i;
    parts.modes.size[41] = 3;
    for (int k = 0; k < 42; k++) expected.modes.size[k] = 2;
    for (int i = 0; i < 40; i++) expected.spatial.at[i] = 41 - i;
    expected.spatial.at[40] = 0, expected.spatial.at[41] = 1, expected.modes.size[42] = 3;
    tmap_register_layout layout = reg_make(parts), r;
    assert_int_equal(tmap_register_reshape(&layout, expected.modes.shape, 3, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &expected));
}

TEST(sizes_have_a_limit) {
    tmap_register_layout big = reg_spatial(1, (int)1 << 30), bigger = reg_compose(big, big), r;
    assert_int_equal(tmap_register_threads_n(&bigger), (uint64_t)1 << 60);
    assert_int_equal(tmap_register_compose(&bigger, &big, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_concat(&bigger, &big, &r, NULL), TMAP_REFUSED);
    tmap_register_layout four = reg_spatial(1, 4), two = reg_spatial(1, 2), most = reg_compose(bigger, four), q;
    assert_int_equal(tmap_register_threads_n(&most), (uint64_t)1 << 62);
    assert_int_equal(tmap_register_compose(&most, &two, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_concat(&most, &two, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_divide(&most, &four, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &bigger));
    const uint64_t shape[] = {2, (uint64_t)1 << 61}, larger[] = {2, ((uint64_t)1 << 61) + 1};
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, shape, 2, NULL, &r, NULL), TMAP_OK);
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, larger, 2, NULL, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_replicated(shape, 1, (uint64_t)1 << 62, &r, NULL), TMAP_OK);
    assert_int_equal(tmap_register_replicated(shape, 1, ((uint64_t)1 << 62) + 1, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_auto((uint64_t)1 << 62, shape, 2, &r, NULL), TMAP_OK);
    assert_int_equal(tmap_register_auto((uint64_t)1 << 63, shape, 2, &r, NULL), TMAP_REFUSED);
    uint64_t last = ((uint64_t)1 << 60) - 1;
    assert_int_equal(tmap_register_thread(&bigger, &last, 0), last);
}

/* 64 modes of size 2 in 16 dimensions would be 2^64 elements; modes of size 1 fill the list. */
TEST(as_many_modes_as_possible) {
    tmap_register_layout parts = {.modes = {1, TMAP_MODES_MAX, {4}, {2, 2}}, .spatial = {2, {1, 0}}}, layout;
    for (int k = 2; k < TMAP_MODES_MAX; k++) parts.modes.size[k] = 1;
    layout = reg_make(parts);
    expect_text(&layout, "RegisterLayout(shape=[4], mode_shape=[2, 2], spatial_modes=[1, 0], local_modes=[])");
    parts.spatial.n = TMAP_MODES_MAX;
    for (int i = 0; i < TMAP_MODES_MAX; i++) parts.spatial.at[i] = TMAP_MODES_MAX - 1 - i;
    layout = reg_make(parts);
    expect_text(&layout, "RegisterLayout(shape=[4], mode_shape=[2, 2], spatial_modes=[1, 0], local_modes=[])");
    parts.modes.n++;
    assert_int_equal(tmap_register_make(&parts, &layout, NULL), TMAP_REFUSED);
    parts.modes.n--, parts.spatial.n++;
    assert_int_equal(tmap_register_make(&parts, &layout, NULL), TMAP_REFUSED);
}

/* Tables of one element, of a row, and of as many columns as possible. */
TEST(tables_of_all_ranks) {
    static const char *const expected[] = {"\n0: 0\n", "\n0: 0  0: 1  0: 2\n", "\n0: 0  0: 1\n0: 2  0: 3\n",
                                           "\n0: 0  0: 1\n0: 2  0: 3\n0: 4  0: 5\n0: 6  0: 7\n",
                                           "\n0: 0  0: 1\n0: 2  0: 3\n0: 4  0: 5\n0: 6  0: 7\n"};
    static const uint64_t shapes[][4] = {{0}, {3}, {2, 2}, {2, 2, 2}, {2, 2, 2, 1}};
    int plain = tmap_table_style_find("plain");
    tmap_text grid = {0};
    tmap_sink sink = tmap_text_sink(&grid);
    tmap_register_layout layout;
    for (int rank = 0; rank <= 4; rank++) {
        assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, shapes[rank], rank, NULL, &layout, NULL), TMAP_OK);
        assert_int_equal(tmap_register_grid(&sink, &layout, 8, plain), TMAP_OK);
        assert_string_equal(strchr(grid.data, '\n'), expected[rank]);
        tmap_text_free(&grid);
        sink = tmap_text_sink(&grid);
    }
    for (int columns = TMAP_GRID_COLUMNS_MAX; columns <= TMAP_GRID_COLUMNS_MAX + 1; columns++) {
        tmap_status status = columns > TMAP_GRID_COLUMNS_MAX ? TMAP_BAD_ARGUMENT : TMAP_OK;
        const uint64_t row[] = {1, (uint64_t)columns};
        tmap_shared_layout shared;
        assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, row, 2, NULL, &layout, NULL), TMAP_OK);
        assert_int_equal(tmap_shared_row_major(row, 2, &shared, NULL), TMAP_OK);
        assert_int_equal(tmap_register_grid(&sink, &layout, (uint64_t)columns, plain), status);
        assert_int_equal(tmap_shared_grid(&sink, &shared, (uint64_t)columns, plain), status);
        assert_int_equal(tmap_shared_grid(&sink, &shared, (uint64_t)columns - 1, plain), TMAP_BAD_ARGUMENT);
    }
    tmap_text_free(&grid);
}

/* 16 dimensions, the first and the last of size 2: element (i, j) is in thread i and register j. */
TEST(the_most_dimensions) {
    enum { LAST = TMAP_MODE_RANK_MAX - 1 };
    uint64_t shape[TMAP_MODE_RANK_MAX], ones[TMAP_MODE_RANK_MAX];
    int dims[TMAP_MODE_RANK_MAX];
    for (int d = 0; d < TMAP_MODE_RANK_MAX; d++) shape[d] = ones[d] = 1, dims[d] = LAST - d;
    shape[0] = shape[LAST] = 2;
    tmap_register_layout parts = {
        .modes = {TMAP_MODE_RANK_MAX, 2, {0}, {2, 2}}, .spatial = {1, {0}}, .local = {1, {1}}};
    memcpy(parts.modes.shape, shape, sizeof shape);
    tmap_register_layout layout = reg_make(parts), unit, r, q,
                         pair = reg_make((tmap_register_layout){
                             .modes = {2, 2, {2, 2}, {2, 2}}, .spatial = {1, {0}}, .local = {1, {1}}});
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_LOCAL, ones, TMAP_MODE_RANK_MAX, NULL, &unit, NULL), TMAP_OK);
    for (uint64_t e = 0; e < 4; e++) {
        uint64_t index[TMAP_MODE_RANK_MAX] = {0}, back[TMAP_MODE_RANK_MAX];
        index[0] = e / 2, index[LAST] = e % 2;
        assert_int_equal(tmap_register_thread(&layout, index, 0), e / 2);
        assert_int_equal(tmap_register_local(&layout, index), e % 2);
        tmap_register_index(&layout, e / 2, e % 2, back);
        assert_memory_equal(back, index, sizeof index);
    }
    assert_int_equal(tmap_register_compose(&layout, &unit, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &layout));
    assert_int_equal(tmap_register_compose(&unit, &layout, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &layout));
    assert_int_equal(tmap_register_divide(&layout, &layout, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &unit));
    assert_int_equal(tmap_register_left_divide(&layout, &layout, &q, NULL), TMAP_OK);
    assert_true(tmap_register_same(&q, &unit));
    assert_true(tmap_register_same(&layout, &layout));
    assert_int_equal(tmap_register_permute(&layout, dims, TMAP_MODE_RANK_MAX, &r, NULL), TMAP_OK);
    assert_int_equal(r.spatial.at[0], 1);
    assert_int_equal(tmap_register_reduce(&layout, (int[]){LAST}, 1, true, &r, NULL), TMAP_OK);
    assert_int_equal(r.modes.shape[LAST], 1);
    assert_int_equal(r.modes.n, 1);
    assert_int_equal(tmap_register_reduce_to(&layout, ones, TMAP_MODE_RANK_MAX, &r, NULL), TMAP_OK);
    assert_int_equal(r.modes.n, 0);
    assert_int_equal(tmap_register_reshape(&pair, shape, TMAP_MODE_RANK_MAX, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &layout));
    assert_int_equal(tmap_register_flatten(&layout, 0, LAST - 1, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &pair));
    for (int d = 1; d < LAST; d++) dims[d - 1] = d;
    assert_int_equal(tmap_register_squeeze(&layout, dims, LAST - 1, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &pair));
    assert_int_equal(tmap_register_unsqueeze(&pair, dims, LAST - 1, &r, NULL), TMAP_OK);
    assert_true(tmap_register_same(&r, &layout));
    assert_int_equal(tmap_register_unsqueeze(&layout, dims, 1, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_register_concat(&layout, &pair, &r, NULL), TMAP_REFUSED);
    tmap_text grid = {0};
    tmap_sink sink = tmap_text_sink(&grid);
    assert_int_equal(tmap_register_grid(&sink, &layout, 4, tmap_table_style_find("plain")), TMAP_OK);
    assert_string_equal(strchr(grid.data, '\n'), "\n0: 0  0: 1\n1: 0  1: 1\n"); /* units are left out */
    tmap_text_free(&grid);
}
