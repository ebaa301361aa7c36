/*
 * Tilus's and CuTe's layouts in the expression language: the grids of Tilus's document from the document's own
 * expressions, printed values read back, the worked mapping, conversions to S/R/O against the maps, places of errors.
 */
#include <stdlib.h>

#include "cmocka_all.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/register_shared.h"

/* The value's text, printed or as JSON. The caller frees the text. */
static char *shown(const char *expression, bool print) {
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (tmap_evaluate(expression, strlen(expression), NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s\n%zu: %s", expression, error.at, error.message);
    if (print)
        tmap_value_print(&sink, tmap_result_value(result));
    else
        tmap_value_show(&sink, tmap_result_value(result));
    tmap_result_free(result);
    return text.data;
}

static void expect_printed(const char *expression, const char *expected) {
    char *text = shown(expression, true);
    if (strcmp(text, expected) != 0) fail_msg("%s\nis   %s\nnot  %s", expression, text, expected);
    free(text);
}

/* ---- The document's grids ---- */

static void expect_grid(const char *expression, size_t size, const char *expected, size_t expected_size) {
    char call[160];
    snprintf(call, sizeof call, "visualize(%.*s)", (int)size, expression);
    char *text = shown(call, false);
    if (strlen(text) != expected_size || memcmp(text, expected, expected_size) != 0) fail_msg("%s\n%s", call, text);
    free(text);
}

static void grids_come_from_the_documents_expressions(void **state) {
    (void)state;
    static char text[1 << 16];
    FILE *file = fopen(TMAP_SOURCE_DIR "/tests/data/layout/tilus_grids.txt", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    int grids_n = 0;
    for (char *at = text; *at != '\0'; grids_n++) {
        assert_memory_equal(at, ">>> ", 4);
        char *expression = at + 4, *grid = strchr(expression, '\n') + 1, *next = strstr(grid, ">>> ");
        at = next ? next : grid + strlen(grid);
        expect_grid(expression, (size_t)(grid - 1 - expression), grid, (size_t)(at - grid));
    }
    assert_int_equal(grids_n, 11);
}

/* ---- Values ---- */

#define MMA_C "repeat(2, 1).spatial(8, 4).repeat(1, 2)"

static const char *const values[][2] = {
    {"spatial(3, 4, ranks=[1, 0]) == column_spatial(3, 4)", "true"},
    {"local(3, 4) * spatial(2, 3) / spatial(2, 3) == local(3, 4)", "true"},
    {"left_divide(local(3, 4) * spatial(2, 3), local(3, 4)) == spatial(2, 3)", "true"},
    {"(local(2) * spatial(3)) * local(5) == local(2) * (spatial(3) * local(5))", "true"},
    {"spatial(2, 3) * local(3, 4) == local(3, 4) * spatial(2, 3)", "false"},
    {"local([3, 4]) == local(3, 4)", "true"},
    {"reduce(spatial(2, 3), [0, 1]) == reduce(spatial(6), [0])", "true"},
    {"reduce(spatial(3, 4), [0], keepdims=True)",
     "RegisterLayout(shape=[1, 4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])"},
    {"replicated(2, 3, num_workers=4)",
     "RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[-4], local_modes=[0, 1])"},
    {"concat(local(2), spatial(3))",
     "RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[1], local_modes=[0])"},
    {"auto_local_spatial(8, [4, 6]) == local(1, 3).spatial(4, 2)", "true"},
    {"local(3, 4).permute([1, 0]) == column_local(4, 3)", "true"},
    {"local(3, 4).unsqueeze([1]).squeeze([1]) == local(3, 4)", "true"},
    {"local(3, 4).reshape([2, 6]).flatten() == local(12)", "true"},
    {"local(2, 3, 4).flatten(1, 2) == local(2, 12)", "true"},
    {"reduce_to(" MMA_C ", [8]).spatial_size()", "32"},
    {MMA_C ".local_size()", "4"},
    {"reduce(spatial(3, 4), dims=[0]).get_spatial(1)", "(1, 5, 9)"},
    {MMA_C ".get_spatial(9, 3)", "(5,)"},
    {MMA_C ".get_local(9, 3)", "3"},
    {MMA_C ".get_global(5, 3)", "(9, 3)"},
    /* The document's mapping process for (3, 5): thread (i // 2) * 3 + j // 2, local (j % 2) * 2 + i % 2. */
    {"register_layout([4, 6], [2, 2, 3, 2], [0, 2], [3, 1]).steps(3, 5)",
     "{mode_index: (1, 1, 2, 1), spatial_index: (1, 2), spatial_shape: (2, 3), local_index: (1, 1), "
     "local_shape: (2, 2), threads: (5,), local: 3}"},
    {MMA_C ".as_layout(laneid)", "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"},
    {"reduce(spatial(3, 4), [0]).as_layout()", "S[4:1@tx] + R[3:4@tx]"},
    {"as_register(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)], (8, 16)) == "
     "register_layout([8, 16], [8, 2, 4, 2], [1, 0, 2], [3])",
     "true"},
    {"shared_row_major_swizzle([64, 256], 16).as_layout()", "swizzle(3,3,3) o S[(64,4,64):(64,4096,1)]"},
    {"as_shared(swizzle(3,3,3) o S[(64,4,64):(64,4096,1)], (64, 256)) == shared_row_major_swizzle([64, 256], 16)",
     "true"},
    {"shared_row_major(4, 6).slice([1, 2], [2, 3])",
     "{offset: 8, layout: SharedLayout(shape=[2, 3], mode_shape=[2, 3], mode_strides=[6, 1], swizzle=None)}"},
    {"shared_row_major(4, 6).prepend_dim(3).count_size()", "72"},
    {"shared_compose(shared_row_major(2, 2), shared_column_major(2, 2)).offset(3, 2)", "13"},
    {"covers(spatial_function(reduce(spatial(3, 4), [0])), spatial_function(spatial(4)))", "true"},
    {"covers(spatial_function(spatial(4)), spatial_function(reduce(spatial(3, 4), [0])))", "false"},
    {"spatial_function(" MMA_C ").numbers(9, 3)", "(5,)"},
    {"cute((2, (2, 2)))", "cute(\"(2,(2,2)):(1,(2,4))\")"},
    {"cute((6,2):(8,2)) o cute((4,3):(3,1))", "cute(\"((2,2),3):((24,2),8)\")"},
    {"composition(cute((12,(4,8)):(59,(13,1))), [3:4, 8:2])", "cute(\"(3,(2,4)):(236,(26,1))\")"},
    {"composition(cute((12,(4,8)):(59,(13,1))), [3, 8])", "cute(\"(3,(4,2)):(59,(13,1))\")"},
    {"coalesce(cute((2,(1,6)):(1,(6,2))), by_mode=True)", "cute(\"(2,6):(1,2)\")"},
    {"complement(cute((2,2):(1,6)), 24)", "cute(\"(3,2):(2,12)\")"},
    {"logical_divide(cute((4,2,3):(2,1,8)), 4:2)", "cute(\"((2,2),(2,3)):((4,1),(2,8))\")"},
    {"zipped_divide(cute((9,(4,8)):(59,(13,1))), [3:3, (2,4):(1,8)])",
     "cute(\"((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))\")"},
    {"logical_product(cute((2,2):(4,1)), 6:1)", "cute(\"((2,2),(2,3)):((4,1),(2,8))\")"},
    {"zipped_product(cute((2,2):(4,1)), 6)", "cute(\"((2,2),(2,3)):((4,1),(2,8))\")"},
    {"blocked_product(cute((2,5):(5,1)), (3,4):(1,3))", "cute(\"(6,(5,4)):(5,(1,30))\")"},
    {"logical_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"((2,3),(5,4)):((5,10),(1,30))\")"},
    {"zipped_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"((2,5),(3,4)):((5,1),(10,30))\")"},
    {"tiled_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"((2,5),3,4):((5,1),10,30)\")"},
    {"flat_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"(2,5,3,4):(5,1,10,30)\")"},
    {"blocked_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"(6,(5,4)):(5,(1,30))\")"},
    {"raked_product(cute((2,5):(5,1)), [3:5, 4:6])", "cute(\"((3,2),(4,5)):((10,5),(30,1))\")"},
    {"zipped_divide(cute(((4,6),8)), [[2,2],2])", "cute(\"(((2,2),2),((2,3),4)):(((1,4),24),((2,8),48))\")"},
    {"max_common_layout(cute((8,4):(4,1)), cute((8,4):(8,1)))", "cute(\"4:8\")"},
    {"max_common_vector(cute((8,4):(1,16)), cute((8,4):(1,8)))", "8"},
    /* CUTLASS's traits: of SM80_16x8x16 A, C and B (N x K there), SM80_8x4, SM70_8x8_32b in each of its four quad
       pairs. */
    {"named(mma_m16n8k16_f16_a).as_tv()", "cute(\"((4,8),(2,2,2)):((32,1),(16,8,128))\")"},
    {"named(mma_m16n8_c).as_tv()", "cute(\"((4,8),(2,2)):((32,1),(16,8))\")"},
    {"named(mma_m16n8k16_f16_b).permute([1, 0]).as_tv()", "cute(\"((4,8),(2,2)):((16,1),(8,64))\")"},
    {"named(mma_m8n8k4_f64_a).as_tv()", "cute(\"((4,8),1):((8,1),0)\")"},
    {"named(mma_m8n8k4_f32_c).as_tv()", "cute(\"((2,2,4,2),(2,2,2)):((1,64,8,4),(32,2,128))\")"},
    /* SM90's CLayout_64x16 and ALayout_64x16. */
    {"named(wgmma_d, 16).as_tv()", "cute(\"((4,8,4),(2,2,2)):((128,1,16),(64,8,512))\")"},
    {"named(wgmma_a_f16).as_tv()", "cute(\"((4,8,4),(2,2,2)):((128,1,16),(64,8,512))\")"},
    {"reduce(spatial(3, 4), [0]).as_tv()", "cute(\"((4,3),1):((1,0),0)\")"},
    {"as_register(cute(((4,8),(2,2,2)):((32,1),(16,8,128))), (16, 16)) == named(mma_m16n8k16_f16_a)", "true"},
    {"as_register(cute((4,8):(8,1)), (8, 4))",
     "RegisterLayout(shape=[8, 4], mode_shape=[8, 4], spatial_modes=[1], local_modes=[0])"},
    {"as_register(cute((32,1)), (8, 4)) == column_spatial(8, 4)", "true"}, /* a leaf over both dimensions */
    {"cute((2,(2,2)):(4,(2,1))).apply(1, 2)", "5"},
    {"cute((2,(2,2)):(4,(2,1))).apply(5)", "5"},
    {"Swizzle<3,4,3> o cute((8,64):(64,1))", "cute(\"Sw<3,4,3> o 0 o (8,64):(64,1)\")"},
    {"(Swizzle<3,3,3> o cute((8,64):(64,1))).as_layout()", "swizzle(3,3,3) o S[(8,64):(64,1)]"},
    {"as_cute(swizzle(3,3,3) o S[(64,4,64):(64,4096,1)], (64, 256))",
     "cute(\"Sw<3,3,3> o 0 o (64,(64,4)):(64,(1,4096))\")"},
    {"as_layout(cute((64,(64,4)):(64,(1,4096)))) == S[(64,4,64):(64,4096,1)]", "true"},
};

static void values_are(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) expect_printed(values[i][0], values[i][1]);
}

/* A printed value is an expression with the same value. */
static void prints_are_expressions(void **state) {
    (void)state;
    static const char *const expressions[] = {MMA_C,
                                              "reduce(spatial(3, 4), [0])",
                                              "shared_row_major_swizzle([16, 128], 8)",
                                              "shared_column_major(3, 4)",
                                              "spatial_function(" MMA_C ")",
                                              "cute((2,(2,2)):(4,(2,1)))",
                                              "Swizzle<2,4,-3> o 8 o cute(16:1)",
                                              "reduce(local(3), [0])"};
    for (size_t i = 0; i < COUNT(expressions); i++) {
        char *printed = shown(expressions[i], true), *again = shown(printed, true);
        assert_string_equal(printed, again);
        free(printed);
        free(again);
    }
}

/* ---- Errors ---- */

typedef struct wrong {
    const char *expression;
    size_t at, length;
    const char *says;
} wrong;

static const wrong wrongs[] = {
    {"local(3, 0)", 0, 11, "local: dimension 1 is 0"},
    {"local(3, 4).spatial(2, 3", 24, 1, "the expression ends"},
    {"local(3, 4).spatal(2, 3)", 12, 6, "function spatal does not exist"},
    {"local(3, -1)", 6, 5, "shape has -1, below 0"},
    {"local(3, 4) / spatial(2, 3)", 14, 13, "divide: "},
    {"spatial(3, 4).reduce([2])", 21, 3, "reduce: dimension 2 does not exist: the shape has 2"},
    {"local(3, 4).permute([0, 0])", 20, 6, "permute: dimension 0 is named twice"},
    {"local(3, 4).get_local(1)", 22, 1, "1 coordinates for 2 dimensions"},
    {"local(3, 4).get_local(1, 4)", 22, 4, "coordinate 4 of dimension 1, which has 4"},
    {"register_layout([4], [2], [0], [])", 0, 34, "register_layout: the modes leave 2 of dimension 0"},
    {"spatial(3, 4, ranks=[0])", 20, 3, "1 ranks for 2 dimensions"},
    {"cute(\"(2,4):(1,x)\")", 15, 1, "an integer was expected"},
    {"cute((2,4):(1,2,3))", 11, 7, "the numbers of strides and shapes differ"},
    {"logical_product(cute(4), [2, 3])", 25, 6, "2 tilers; the layout's rank is 1"},
    {"logical_divide(cute((4,6)), [2, none])", 32, 4, "a tiler is a layout, a number"},
    {"as_register(cute((4,8):(1,4)), (8, 2))", 0, 38, "leaves the shape"},
    {"as_register(cute((4,2):(1,0)), (4, 1))", 0, 38, "several values of one thread"},
    {"as_register(cute((4,4):(1,2)), (4, 4))", 0, 38, "no mode counts dimension"},
    {"as_register(cute((4,4):(1,1)), (4, 1))", 0, 38, "dimension 0 is counted twice"},
    {"as_register(cute((6,2):(1,6)), (4, 3))", 0, 38, "does not end with a dimension"},
    {"as_register(cute((2,2,2)), (8))", 0, 31, "the layout has 3 modes"},
    {"cute((2,4):1)", 11, 1, "shape and stride are not nested alike"},
    {"cute((2,0):(1,2))", 8, 1, "a shape must be 1 or more"},
    {"shared_row_major(2, 2).visualize(3)", 33, 1, "visualize: tablefmt is of kind integer"},
    {"shared_row_major(2, 2).visualize(grid, 3)", 39, 1, "visualize does not accept 3 arguments"},
    {"as_register(S[(8,4):(8,1)] + 3, (8, 4))", 0, 39, "as_register: the layout has an offset or a swizzle"},
    {"as_register(S[(8,4):(8,1)], (8, 4))", 0, 35, "as_register: no iter counts the registers by 4"},
    {"as_shared(S[4:1@laneid], 4)", 0, 27, "as_shared: the layout has the axis laneid"},
};

static void errors_have_places(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const wrong *w = &wrongs[i];
        tmap_result *result = NULL;
        tmap_diag error;
        assert_int_equal(tmap_evaluate(w->expression, strlen(w->expression), NULL, NULL, &result, &error),
                         TMAP_REFUSED);
        if (!strstr(error.message, w->says)) fail_msg("%s: %s", w->expression, error.message);
        if (error.fix[0] == '\0') fail_msg("%s: '%s' has no fix", w->expression, error.message);
        if (error.at != w->at || error.length != w->length)
            fail_msg("%s: %zu, %zu: %s", w->expression, error.at, error.length, error.message);
    }
}

/* ---- Conversions, by every element ---- */

static void register_layouts_as_sro(void **state) {
    (void)state;
    tmap_register_layout layout = {
        .modes = {2, 4, {8, 12}, {2, 4, 4, 3}}, .spatial = {3, {2, -5, 0}}, .local = {2, {3, 1}}};
    tmap_register_layout back;
    tmap_layout sro;
    assert_int_equal(tmap_register_make(&layout, &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_register_to_layout(&layout, tmap_axis_find("tx"), &sro, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_copies(&sro), 5);
    for (uint64_t e = 0; e < 96; e++) {
        uint64_t index[] = {e / 12, e % 12};
        for (uint64_t r = 0; r < 5; r++) {
            tmap_axis_values place;
            tmap_layout_place(&sro, (int64_t)e, (int64_t)r, &place);
            for (int i = 0; i < place.n; i++) {
                bool thread = place.at[i].axis->kind == TMAP_AXIS_THREAD;
                assert_int_equal(place.at[i].value, thread ? tmap_register_thread(&layout, index, r)
                                                           : tmap_register_local(&layout, index));
            }
        }
    }
    assert_int_equal(tmap_register_of_layout(&sro, layout.modes.shape, 2, &back, NULL), TMAP_OK);
    assert_true(tmap_register_equal(&back, &layout));
    assert_int_equal(tmap_register_to_layout(&layout, tmap_axis_find("m"), &sro, NULL), TMAP_REFUSED);
}

static void shared_layouts_as_sro(void **state) {
    (void)state;
    tmap_shared_layout layout, back;
    tmap_layout sro;
    assert_int_equal(tmap_shared_row_major_swizzle((uint64_t[]){16, 96}, 2, 16, &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_shared_to_layout(&layout, &sro, NULL), TMAP_OK);
    for (uint64_t e = 0; e < 16 * 96; e++) {
        int64_t offset;
        tmap_layout_offsets(&sro, tmap_axis_find("m"), (int64_t)e, 1, &offset);
        assert_int_equal(offset, tmap_shared_offset(&layout, (uint64_t[]){e / 96, e % 96}));
    }
    assert_int_equal(tmap_shared_of_layout(&sro, layout.modes.shape, 2, &back, NULL), TMAP_OK);
    assert_true(tmap_shared_equal(&back, &layout));
}

static void cute_layouts_as_sro(void **state) {
    (void)state;
    static const char text[] = "Sw<2,1,-3> o 6 o ((2,3),(4,2)):((8,20),(1,4))";
    tmap_cute layout, back;
    tmap_layout sro;
    assert_int_equal(tmap_cute_parse(text, strlen(text), &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_cute_to_layout(&layout, &sro, NULL), TMAP_OK);
    for (uint64_t e = 0; e < 48; e++) {
        int64_t offset;
        tmap_layout_offsets(&sro, tmap_axis_find("m"), (int64_t)e, 1, &offset);
        assert_int_equal(offset, tmap_cute_at_modes(&layout, (uint64_t[]){e / 8, e % 8}));
    }
    assert_int_equal(tmap_cute_of_layout(&sro, (uint64_t[]){6, 8}, 2, &back, NULL), TMAP_OK);
    for (uint64_t c = 0; c < 48; c++) assert_int_equal(tmap_cute_at(&back, c), tmap_cute_at(&layout, c));
}

/* Every fragment as a thread-value layout has the same elements, and the conversion back gives the same layout. */
static void fragments_as_threads_and_values(void **state) {
    (void)state;
    static const char *const fragments[] = {"named(mma_m16n8k32_s8_a)",
                                            "named(mma_m8n8k4_f16_b_row)",
                                            "named(mma_m8n8k4_f32_c)",
                                            "named(ldmatrix_m16n16_trans, 2)",
                                            "named(tcgen05_16x64b_wg128, 4)",
                                            "local(3, 2, 2).spatial(1, 5, 2)",
                                            "replicated(4, 6, num_workers=3) * column_spatial(2, 5)"};
    for (size_t f = 0; f < COUNT(fragments); f++) {
        tmap_result *result = NULL;
        assert_int_equal(tmap_evaluate(fragments[f], strlen(fragments[f]), NULL, NULL, &result, NULL), TMAP_OK);
        const tmap_register_layout *layout = tmap_result_value(result)->as.data;
        tmap_cute tv;
        tmap_register_layout back;
        assert_int_equal(tmap_register_to_cute(layout, &tv, NULL), TMAP_OK);
        for (uint64_t t = 0; t < tmap_register_threads_n(layout); t++) {
            for (uint64_t v = 0; v < tmap_register_locals_n(layout); v++) {
                uint64_t index[TMAP_MODE_RANK_MAX], element = 0;
                tmap_register_index(layout, t, v, index);
                for (int d = layout->modes.rank - 1; d >= 0; d--) element = element * layout->modes.shape[d] + index[d];
                assert_int_equal(tmap_cute_at_modes(&tv, (uint64_t[]){t, v}), element);
            }
        }
        assert_int_equal(tmap_register_of_cute(&tv, layout->modes.shape, layout->modes.rank, &back, NULL), TMAP_OK);
        assert_true(tmap_register_equal(layout, &back));
        tmap_result_free(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_come_from_the_documents_expressions),
        cmocka_unit_test(values_are),
        cmocka_unit_test(prints_are_expressions),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(register_layouts_as_sro),
        cmocka_unit_test(shared_layouts_as_sro),
        cmocka_unit_test(cute_layouts_as_sro),
        cmocka_unit_test(fragments_as_threads_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
