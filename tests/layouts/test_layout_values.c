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

TEST(grids_come_from_the_documents_expressions) {
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

#define ONES_31 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"

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
    {"register_layout([1], [], [-4611686018427387904], [])",
     "RegisterLayout(shape=[1], mode_shape=[], spatial_modes=[-4611686018427387904], local_modes=[])"},
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
    {"as_layout(cute((4,2):(1,8)))", "S[(4,2):(1,8)]"},
    {"as_layout(shared_column_major(4, 2))", "S[(4,2):(1,4)]"},
    {"as_cute(swizzle(3,3,3) o S[(64,4,64):(64,4096,1)], (64, 256))",
     "cute(\"Sw<3,3,3> o 0 o (64,(64,4)):(64,(1,4096))\")"},
    {"as_layout(cute((64,(64,4)):(64,(1,4096)))) == S[(64,4,64):(64,4096,1)]", "true"},
    {"size(cute((4,(2,3))))", "24"},
    {"cosize(cute((4,2):(1,8)))", "12"},
    {"rank(cute((4,(2,3))))", "2"},
    {"mode(cute((4,(2,3)):(1,(8,4))), 1)", "cute(\"(2,3):(8,4)\")"},
    {"mode(cute(\"Sw<3,4,3> o 5 o (8,64):(64,1)\"), 1)", "cute(\"Sw<3,4,3> o 5 o 64:1\")"},
    {"compatible(cute(8), cute((4,2)))", "true"},
    {"compatible(cute((4,2)), cute(8))", "false"},
    {"right_inverse(cute((4,8):(8,1)))", "cute(\"(8,4):(4,1)\")"},
    {"left_inverse(cute((4,8):(8,1)))", "cute(\"(8,4):(4,1)\")"},
    {"cute(8) == cute((4,2))", "true"},
    {"numbers(local_function(local(2, 2)), (1, 1))", "(3,)"},
    {"local_function(register_layout([8], [2, 2, 2], [1, 0], [2])) == local_function(register_layout([8], [4, 2], [0], "
     "[1]))",
     "true"},
    {"permute(shared_row_major(2, 4), [1, 0])",
     "SharedLayout(shape=[4, 2], mode_shape=[4, 2], mode_strides=[1, 4], swizzle=None)"},
    {"reshape(shared_row_major(2, 4), [4, 2])",
     "SharedLayout(shape=[4, 2], mode_shape=[4, 2], mode_strides=[2, 1], swizzle=None)"},
    {"conflicts(S[(32,32):(32,1)], f32, column).histogram",
     "({passes: 32, phases: 32},)"}, /* every lane in the same bank */
    {"7 % 4", "3"},
    {"7 != 4", "true"},
    {"S[8:1] != S[(2,4):(4,1)]", "false"},
    {"3@laneid", "3@laneid"},
    {"-(3@laneid)", "-3@laneid"},
    {"3@laneid == 3@laneid", "true"},
    {"3@laneid == 4@laneid", "false"},
    {"3@laneid == 3@m", "false"},
    {"swizzle(3,3,3) o S[(8388608,8):(8,1)] == swizzle(3,3,3) o S[67108864:1]", "true"}, /* too many to compare */
    {"swizzle(3,3,3) o S[(8388608,8):(8,1)] == swizzle(3,3,3) o S[(8,8388608):(1,8)]", "false"},
    {"is_tile_inner(S[2:1], S[4:1], (" ONES_31 ",4), (" ONES_31 ",2))", "S[2:1]"},
    {"is_tile_outer(S[2:1], S[4:1], (" ONES_31 ",4), (" ONES_31 ",2))", "S[2:1]"},
    {"pack(S[8:1], 2)", "S[4:1]"},
    {"lanes(S[8:1], f32, []).accesses", "()"},
    /* A swizzle that moves the elements from 256 on, from 512 on, or none up to 287. */
    {"swizzle(0,1,8) o S[256:1] == S[256:1]", "true"},
    {"swizzle(0,1,8) o S[257:1] == S[257:1]", "false"},
    {"swizzle(0,1,9) o S[300:1] == S[300:1]", "true"},
    {"swizzle(0,1,8) o S[300:1] == S[300:1]", "false"},
    {"swizzle(0,1,8) o S[(3,128):(96,0)] == S[(3,128):(96,0)]", "true"},
    /* Replicas by axis, by longest stride, by largest extent. */
    {"canonical(S[4:1] + R[(3,2):(64,256)])", "S[4:1] + R[(2,3):(256,64)]"},
    {"canonical(S[4:1] + R[(2,3):(64,64)])", "S[4:1] + R[(3,2):(64,64)]"},
    {"canonical(S[4:1] + R[(2,3,5):(256@m,1@laneid,512@m)])", "S[4:1] + R[(3,5,2):(1@laneid,512,256)]"},
    {"local(2, 3, 4) * spatial(5, 6) == local(2, 3, 4) * spatial(1, 5, 6)", "true"},
    {"spatial(5, 6) * local(2, 3, 4) == spatial(1, 5, 6) * local(2, 3, 4)", "true"},
    {"shared_compose(shared_row_major(5, 6), shared_row_major(2, 3, 4)) == "
     "shared_compose(shared_row_major(1, 5, 6), shared_row_major(2, 3, 4))",
     "true"},
    {"local(4) == local(4, 1)", "false"},
    {"local(4, 1) == local(4)", "false"},
    {"shared_row_major(4) == shared_row_major(4, 1)", "false"},
    {"multi_function([4], [4], [0]) == multi_function([4, 1], [4], [0])", "false"},
    {"as_layout(local(1))", "S[1:1]"},
    {"as_layout(shared_row_major(1))", "S[1:1]"},
    {"(1:2, 3:-4)", "(1:2, 3:-4)"},
    {"x = 5; [x:x][0][1]", "5"},
    /* The widest access of up to 16 bytes, sectors of 32 bytes: 32 lanes 16 bytes apart have 16. */
    {"coalescing(S[(4,64):(64,1)], f32, row).widest", "4"},
    {"coalescing(S[(4,6):(6,1)], f32, row).widest", "2"},
    {"coalescing(S[(4,5):(5,1)], f32, row).widest", "1"},
    {"coalescing(S[(32,32):(1,32)], f32, row).widest", "1"},
    {"coalescing(S[(4,64):(64,1)], f16, row).widest", "8"},
    {"coalescing(S[(4,64):(64,1)], u8, row).widest", "16"},
    {"coalescing(S[(4,64):(64,1)] + 2, f32, row).widest", "2"},
    {"coalescing(S[(4,64):(64,1)], f32, row, 2).widest", "4"},
    {"coalescing(S[(4,64):(64,1)], 128, row).widest", "1"},
    {"coalescing(S[64:1], f32, S[(32,2):(1@laneid,1)]).widest", "2"},
    {"coalescing(S[64:1], f32, S[(16,4):(1@laneid,1)]).widest", "4"},
    {"coalescing(S[64:1], f32, S[(2,32):(1,1@laneid)]).widest", "1"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).sectors", "64"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).better_order", "(1, 0)"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).better_sectors", "16"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).l2_sectors", "16"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).least", "16"},
    {"coalescing(S[(4,32):(32,1)], f32, S[(4,32):(1,1@laneid)]).better_order", "none"},
    {"coalescing(S[(2,3,32):(1,64,2)], f32, S[(6,32):(1,1@laneid)]).better_order", "(1, 2, 0)"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).worst", "16"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).requests", "4"},
    {"coalescing(S[(4,32):(1,4)], f32, S[(4,32):(1,1@laneid)]).used_bytes", "512"},
    {"coalescing(S[(4,32):(1,4)], f32, [[0, 1, none, 0]]).used_bytes", "8"},
    {"conflicts(S[64:1], f32, [[0, 32], [0, 0], [none, 5]]).histogram",
     "({passes: 1, phases: 2}, {passes: 2, phases: 1})"},
    {"conflicts(S[64:1], f32, [[0, 32], [0, 0], [none, 5]]).instructions", "3"},
    {"conflicts(S[(2,32):(32,1)], f32, [[(0, 1), (1, 1)]], shape=(2, 32)).worst", "2"},
    {"conflict_free(S[(32,32):(32,1)], f32, column).swizzle", "swizzle(0,5,5)"},
    {"conflict_free(S[(8,64):(64,1)], f16, ldmatrix).mode", "\"128B\""},
    {"permute_layout(S[(2,32):(32,1)], S[(2,32):(32,1)], f32, threads=64).warps", "2"},
    {"lanes(S[(2,32):(32,1)], f32, row).accesses[1][31]", "63"},
    {"apply(swizzle(3,3,3), 0)", "0"},
    {"bank(0, f16)", "{byte: 0, bank: 0, line: 0}"},
    {"bank(S[4:1], f16, 0)", "{byte: 0, bank: 0, line: 0}"},
    {"bank(63, 4)", "{byte: 31, bank: 7, line: 0}"},
    {"bank(64, f16)", "{byte: 128, bank: 0, line: 1}"},
    {"period(swizzle(0,1,1))", "4"},
    {"period(swizzle(0,0,0))", "1"},
    {"mode(swizzle(0,0,0), f16)", "\"none\""},
    {"mode(swizzle(f16, 32B), f16)", "\"32B\""},
    {"size(S[(8,4):(4@laneid,1)], laneid)", "8"},
    {"size(S[(8,4):(4@laneid,1)], tx)", "1"},
    {"span(S[(8,4):(4@laneid,1)], laneid)", "29"},
    {"fitting_mode(f16, 64)", "\"128B\""},
    {"fitting_mode(f16, 32)", "\"64B\""},
    {"fitting_mode(f16, 16)", "\"32B\""},
    {"fitting_mode(f16, 8)", "\"none\""},
    {"atom(f16, 64B)", "swizzle(3,2,3) o S[(8,32):(32,1)]"},
    {"swizzle_between(S[64:1], S[64:1])", "{swizzle: swizzle(0,0,0), bits: ()}"},
    {"wg_local_layout(1, 1)", "S[(1,1):(1@tid_in_wg,1)]"},
    {"trainium(FP, (512, 128))", "S[(512,128):(1@F,1@P)]"},
    {"tmemory_row_major([2, 32, 8])", "S[(2,32,8):(8@TCol,1@TLane,1@TCol)]"},
    {"tmemory_slice(tmemory_row_major([2, 64, 8]), 16, [0, 1, 2], [2, 32, 4])",
     "S[(2,32,4):(8@TCol,1@TLane,1@TCol)] + 16@TLane"},
    {"global_slice(global_row_major(4, 6), [1, 2], [0], [2])", "S[2:6] + 8"},
    {"global_strides([4, 6], [1, 4])", "S[(4,6):(1,4)]"},
    {"then(multi_function([4,6],[2,2,3,2],[0,2]), multi_function([6],[2,3],[1,0]))",
     "MultiFunction(shape=[4, 6], mode_shape=[2, 2, 3, 2], modes=[2, 0])"},
    {"collapse(multi_function([4,6],[2,2,3,2],[0,2,3]), [0])",
     "MultiFunction(shape=[4, 6], mode_shape=[4, 6], modes=[1])"},
    {"named(wgmma_d, 8).as_layout(tid_in_wg)", "S[(4,2,8,4,2):(32@tid_in_wg,2,4@tid_in_wg,1@tid_in_wg,1)]"},
    {"scopes(S[(4,8):(8@laneid,1@laneid)])", "{unit: \"thread\", scope: \"warp\"}"},
    {"fuse(S[(4,2):(1@laneid,1@warpid)])", "S[(4,2):(1@tx,32@tx)]"},
    {"conflict_free(S[(64,8):(8,1)], f16, ldmatrix).mode", "\"none\""},
    {"conflict_free(S[(32,32):(32,1)], f32, column).mode", "none"},
    /* rows of 32 columns: of the tensor's own shape, and 16 bytes apart */
    {"conflicts(global_row_major(2, 2, 32), f32, row).worst", "1"},
    {"coalescing(global_column_major(4, 32), f32, row).sectors", "64"},
    {"none == none", "true"},
    {"true == false", "false"},
    {"bank(S[8:1], f16, 3) == bank(S[8:1], f16, 3)", "true"},
    {"bank(S[8:1], f16, 3) == bank(S[8:1], f16, 4)", "false"},
    /* CuTe's documentation of the algebra, "Divide 2-D" */
    {"tiled_divide(cute((9,(4,8)):(59,(13,1))), [3:3, (2,4):(1,8)])",
     "cute(\"((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))\")"},
    {"flat_divide(cute((9,(4,8)):(59,(13,1))), [3:3, (2,4):(1,8)])",
     "cute(\"(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))\")"},
};

TEST(values_are) {
    for (size_t i = 0; i < COUNT(values); i++) expect_printed(values[i][0], values[i][1]);
}

/* A printed value is an expression with the same value. */
TEST(prints_are_expressions) {
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
    {"apply(S[(8,4):(4,1)], [8, 0], [1])", 22, 6, "at has a list where an integer is required"},
    {"apply(S[(8,4):(4,1)], (0, 0), shape=(32, 0))", 36, 7, "dimension 1 of the shape is 0"},
    {"tmem_mma_operand_layout(B, (128, 64), f16, 128, 1)", 24, 1, "tensor memory has no operand B"},
    {"local(3, 0)", 0, 11, "local: dimension 1 is 0"},
    {"local(3, 4).spatial(2, 3", 24, 1, "found the end of the expression"},
    {"named( @laneid )", 7, 7, "named: name is of kind term"},
    {"local(3, 4).spatal(2, 3)", 12, 6, "function spatal does not exist"},
    {"local(3, -1)", 6, 5, "shape has -1, below 0"},
    {"local(3, 4) / spatial(2, 3)", 14, 13, "dimension 0: 2 does not divide 3"},
    {"spatial(3, 4).reduce([2])", 21, 3, "reduce: dimension 2 does not exist: the shape has 2"},
    {"local(3, 4).permute([0, 0])", 20, 6, "permute: dimension 0 is named twice"},
    {"local(3, 4).get_local(1)", 22, 1, "1 coordinate for 2 dimensions"},
    {"local(3, 4).get_local(1, 4)", 22, 4, "coordinate 4 of dimension 1, whose size is 4"},
    {"register_layout([4], [2], [0], [])", 0, 34, "register_layout: no mode covers a factor of 2 of dimension 0"},
    {"spatial(3, 4, ranks=[0])", 20, 3, "1 rank for 2 dimensions"},
    {"cute(\"(2,4):(1,x)\")", 15, 1, "expected an integer"},
    {"cute((2,4):(1,2,3))", 11, 7, "the numbers of strides and shapes differ"},
    {"logical_product(cute(4), [2, 3])", 25, 6, "2 tilers; the layout's rank is 1"},
    {"logical_divide(cute((4,6)), [2, none])", 32, 4, "a tiler is a layout, a number"},
    {"as_register(cute((4,8):(1,4)), (8, 2))", 0, 38, "exceeds the shape"},
    {"as_register(cute((4,2):(1,0)), (4, 1))", 0, 38, "several values of one thread"},
    {"as_register(cute((4,4):(1,2)), (4, 4))", 0, 38, "counts elements that another leaf counts"},
    {"as_register(cute((4,4):(1,1)), (4, 1))", 0, 38, "4:1 counts elements that another leaf counts"},
    {"as_register(cute((6,2):(1,6)), (4, 3))", 0, 38, "does not end where a dimension ends"},
    {"as_register(cute((2,2,2)), (8))", 0, 31, "the layout has 3 modes"},
    {"cute((2,4):1)", 11, 1, "shape and stride are not nested alike"},
    {"cute((2,0):(1,2))", 8, 1, "a shape must be 1 or more"},
    {"shared_row_major(2, 2).visualize(3)", 33, 1, "visualize: tablefmt is of kind integer"},
    {"shared_row_major(2, 2).visualize(grid, 3)", 39, 1, "visualize does not accept 3 arguments"},
    {"as_register(S[(8,4):(8,1)] + 3, (8, 4))", 0, 39, "as_register: the layout has an offset or a swizzle"},
    {"as_register(S[(8,4):(8,1)], (8, 4))", 0, 35, "as_register: no iter steps through the registers by 4"},
    {"as_shared(S[4:1@laneid], 4)", 0, 27, "as_shared: the layout has an axis other than m: laneid"},
    {"S[0:1]", 2, 1, "an extent of less than 1"},
    {"S[8:1] + S[4:1]", 9, 6, "a second S[…] in a sum"},
    {"swizzle(3, 3, 2)", 0, 16, "a swizzle with M = 3, B = 3, S = 2 does not exist"},
    {"Swizzle<3,3,2>", 0, 14, "a swizzle with M = 3, B = 3, S = 2 does not exist"},
    {"swizzle(-1, 3, 3)", 8, 2, "m is -1; it must be 0 to 62"},
    {"broadcast(S[8:1], 2, 5)", 21, 1, "position is 5; it must be -2 to 1"},
    {"pack(S[(8,4):(3,1)], 3)", 21, 1, "does not hold whole groups of 3"},
    {"pack(S[(8,4):(3,1)], 2)", 5, 14, "3@m is not a multiple of 2"},
    {"unpack(S[8:1], 0)", 15, 1, "one element cannot become 0"},
    {"apply(S[(8,4):(4,1)], 3, shape=(2, 16))", 22, 1, "1 coordinate for 2 dimensions"},
    {"tile(S[8:1], S[4:1], (4, 1), (8))", 29, 3, "the shapes have ranks 2 and 1"},
    {"tile(S[8:1], swizzle(3,3,3) o S[4:1], (4), (8))", 13, 23, "the outer layout has a swizzle"},
    {"tile_to(S[8:1], (12), (8))", 22, 3, "8 does not divide 12"},
    {"slice(S[(8,4):(4,1)], (8, 4), (0:9, 0:4))", 30, 10, "the box is 0:9 in dimension 0"},
    {"slice(S[(8,4):(4,1)], (8, 5), (0:8, 0:4))", 22, 6, "dimension 1 of the shape cannot be 5"},
    {"inverse(S[8:1@laneid], m)", 23, 1, "axis laneid is not among the axes"},
    {"swizzle(f64, 4B)", 13, 2, "4B"},
    {"concat(local(2), 3)", 17, 1, "right is of kind integer"},
    {"as_shared(S[4:1] + R[2:4], 4)", 0, 29, "the layout has copies of its elements"},
    {"as_register(S[4:1@laneid] + R[2:4@warpid], 4)", 0, 45, "no iter steps through the threads by 4"},
    {"as_register(S[(2,2):(1@laneid,1@tid_in_wg)], 4)", 12, 31, "laneid counts threads of a warp"},
    {"replicated(4, num_workers=0)", 26, 1, "num_workers is 0; it must be"},
    {"reduce_to(local(4, 4), (4, 4, 4))", 23, 9, "the result has 3 dimensions, but the layout has 2"},
    {"unsqueeze(local(4), [5])", 20, 3, "dimension 5 does not exist: the shape has 2"},
    {"permute(shared_row_major(2, 4), [0, 0])", 32, 6, "dimension 0 is named twice"},
    {"prepend_dim(shared_row_major(2, 4), 0)", 36, 1, "extent is 0; it must be"},
    {"conflicts(S[64:1], f16, row, 4, (8, 9))", 32, 6, "a shape of 72 elements for a layout of 64"},
    {"phases(S[(8,4):(8,1)], f16, diagonal)", 28, 8, "access diagonal does not exist"},
    {"conflicts(S[(8,4):(8,1)], f16, row, 3)", 0, 38, "a lane touches 48 bits"},
    {"bank(-5, f16)", 5, 2, "address is -5; it must be"},
    {"bank(7, f17)", 8, 3, "type f17 does not exist"},
    {"size(S[8:1], lanid)", 13, 5, "axis lanid does not exist"},
    {"get_global(spatial(4), 0)", 0, 25, "local is missing"},
    {"register_layout([4], [4], [0], [0])", 0, 35, "mode 0 of local_modes is listed twice"},
    {"divide(local(3), 2)", 17, 1, "inner is of kind integer"},
    {"multi_function([4], [3], [0])", 0, 29, "mode 0, of size 3, does not divide"},
    {"flatten(local(2, 2), 2, 3)", 21, 1, "start_dim is 2; it must be -2 to 1"},
    {"squeeze(local(2, 1), [0])", 21, 3, "dimension 0 is 2"},
    {"reshape(local(4), (3))", 18, 3, "a shape of 3 elements for a layout of 4"},
    {"zipped_divide(cute((4,6)), [2, 3, 4])", 27, 9, "3 tilers; the layout's rank is 2"},
    {"fitting_mode(3, 4)", 13, 1, "the elements have 3 bits, which is not a power of two"},
    {"permute(S[(8,4):(4,1)], [1, 0], (8, 5))", 32, 6, "dimension 1 of the shape cannot be 5"},
    {"group_many(S[8:1], (3, 3))", 19, 6, "a shape of 9 elements for a layout of 8"},
    {"conflicts(S[32:1], f16, [[0, -1]])", 24, 9, "element -1"},
    {"conflicts(S[32:1], f16, S[(2,16):(1@laneid,1@tx)])", 24, 25, "laneid counts threads of a warp"},
    {"conflicts(S[32:1], f16, [true])", 24, 6, "access 0 is not a list"},
    {"conflicts(S[(8,4):(8,1)], f16, S[16:1])", 31, 7, "the layout has no threads"},
    {"conflicts(S[64:1], f16, S[32:1@laneid])", 24, 14, "the layout of threads has 32 elements, the other layout 64"},
    {"apply(cute((4,2)), 8)", 19, 1, "coordinate is 8; it must be 0 to 7"},
    {"apply(cute((4,2)), (0, 0, 0))", 19, 9, "3 coordinates for 2 modes"},
    {"apply(cute((4,2)), (0, 2))", 19, 6, "coordinate is 2; it must be 0 or 1"},
    {"slice(S[(8,4):(4,1)], (8, 4), (0:8))", 30, 5, "1 range for 2 dimensions"},
    {"mode(cute((4,2)), 2)", 18, 1, "mode is 2; it must be 0 or 1"},
    {"mode(cute((4,2)), -1)", 18, 2, "mode is -1; it must be"},
    {"complement(cute(4), -1)", 20, 2, "cotarget is -1; it must be 1 to "},
    {"numbers(multi_function([4], [4], [0]), 4)", 39, 1, "coordinate 4 of dimension 0, whose size is 4"},
    {"shared_layout([4], [4], [1], 3)", 29, 1, "swizzle is of kind integer, not none or swizzle"},
    {"shared_layout([4], [4], [1, 2])", 24, 6, "2 strides for 1 mode"},
    {"slice(shared_row_major(4, 4), [0, 0], [4])", 38, 3, "1 extent for 2 dimensions"},
    {"slice(shared_row_major(4, 4), [0], [4, 4])", 30, 3, "1 coordinate for 2 dimensions"},
    {"S[8:1] - S[8:1]", 9, 6, "right is of kind S/R/O layout"},
    {"7 / 2", 4, 1, "7 is not divisible by 2"},
    {"S[8:true]", 4, 4, "this is not a stride"},
    {"owners(S[8:1], S[8:1])", 15, 6, "a layout is not a place"},
    {"owners(S[8:1@laneid], (1@laneid, 1@laneid))", 22, 20, "axis laneid appears twice"},
    {"apply(S[(8,4):(4,1)], 9, (3, 4))", 25, 6, "where an integer is required"},
    {"apply(S[(8,4):(4,1)], 1, 2, 3)", 22, 7, "3 coordinates for a layout of 2 iters"},
    {"fitting_mode(f16, 0)", 18, 1, "columns is 0; it must be 1 or more"},
    {"trainium(PX, (128, 64))", 9, 2, "'PX' does not give P or F for each dimension of a shape of rank 2"},
    {"permute(S[(8,4):(4,1)], [0, 0])", 24, 6, "entry 1 of the order is 0"},
    {"group(S[8:1], (3, 3))", 14, 6, "dimension 0 of the shape cannot be 3"},
    {"local(99999999999999999999)", 6, 20, "a number above 2^63 - 1"},
    {"spatial(2, 2).get_global(4, 0)", 25, 1, "thread is 4; it must be 0 to 3"},
    {"spatial(2, 2).get_global(0, 1)", 28, 1, "local is 1; it must be 0"},
    {"permute_layout(S[(8,4):(4,1)], S[(8,4):(1,8)], f16, box=(0:8))", 56, 5, "1 range for 2 dimensions"},
    {"permute_layout(S[(8,4):(4,1)], S[(8,4):(1,8)], f16, scope=block)", 58, 5,
     "scope=block with 32 threads is not supported"},
    {"permute_layout(S[(8,4):(4,1)], S[(8,4):(1,8)], f16, threads=64)", 0, 63, "32 elements for 64 threads"},
};

TEST(errors_have_places) {
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const wrong *w = &wrongs[i];
        tmap_result *result = NULL;
        tmap_diag error;
        assert_int_equal(tmap_evaluate(w->expression, strlen(w->expression), NULL, NULL, &result, &error),
                         TMAP_REFUSED);
        if (!strstr(error.message, w->says)) fail_msg("%s: %s", w->expression, error.message);
        if (error.fix.words[0] == '\0') fail_msg("%s: '%s' has no fix", w->expression, error.message);
        assert_true(error.operand >= -1);
        if (error.at != w->at || error.length != w->length)
            fail_msg("%s: %zu, %zu: %s", w->expression, error.at, error.length, error.message);
    }
}

/* ---- Conversions, by every element ---- */

TEST(register_layouts_as_sro) {
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
    assert_true(tmap_register_same(&back, &layout));
    assert_int_equal(tmap_register_to_layout(&layout, tmap_axis_find("m"), &sro, NULL), TMAP_REFUSED);
}

TEST(shared_layouts_as_sro) {
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
    assert_memory_equal(&back.modes, &layout.modes, sizeof back.modes);
    assert_memory_equal(back.strides, layout.strides, sizeof back.strides);
}

TEST(cute_layouts_as_sro) {
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
TEST(fragments_as_threads_and_values) {
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
        assert_true(tmap_register_same(layout, &back));
        tmap_result_free(result);
    }
}

TEST(new_axes_are_not_axes_of_the_library) {
    tmap_layout layout;
    tmap_diag error;
    assert_int_equal(tmap_layout_parse("S[4:1@memory.q]", 15, &layout, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "axis memory.q is not in the table of axes");
    assert_int_equal(error.operand, -1);
    assert_int_equal(tmap_layout_parse("3 + 4", 5, &layout, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "the value is of kind integer, not layout");
}

TEST(signatures_fit) {
    char text[200], part[200];
    assert_string_equal(tmap_function_signature(0, text, sizeof text), text);
    assert_non_null(strchr(text, '('));
    for (size_t size = 1; size <= strlen(text) + 1; size++) {
        memset(part, 'x', sizeof part);
        tmap_function_signature(0, part, size);
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, text, size - 1);
    }
}
