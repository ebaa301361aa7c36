/*
 * The words of TIRx, Tilus and CuTe: each row is an expression as users of the original write it, and the original's
 * answer. The answers were recorded from the Python packages apache-tvm 0.27.0, tilus 0.2.0 and, for tables, tabulate;
 * CuTe's text is from cutlass (bug reports 1559 and 1396).
 */
#include <stdlib.h>

#include "cmocka_all.h"
#include "tmap/unstable/language.h"

typedef struct recorded {
    const char *expression, *answer;
} recorded;

/* Printed by apache-tvm 0.27.0. */
static const recorded tirx[] = {
    {"S[(1,4,1,8):(32,8,9,1)].canonicalize()", "T.TileLayout(T.S[32:1])"},
    {"S[(2,3,4):(12,4,1)].permute_dims([2,0,1])", "T.TileLayout(T.S[(4, 2, 3):(1, 12, 4)])"},
    {"TileLayout.trainium(\"PF\",(256,512)).to_psum()",
     "T.TileLayout(T.S[(2, 128, 1, 512):(1 @ Axis.Bank, 1 @ Axis.P, 1 @ Axis.Bank, 1 @ Axis.F)])"},
    {"T.TileLayout.trainium(\"PF\",(128,1024),is_psum=True)",
     "T.TileLayout(T.S[(128, 2, 512):(1 @ Axis.P, 1 @ Axis.Bank, 1 @ Axis.F)])"},
    {"S[(8,8):(8,1)].unpack(num=4)", "T.TileLayout(T.S[(8, 8, 4):(32, 4, 1)])"},
    {"ComposeLayout(3,3,3,TileLayout(S[(8,64):(64,1)])).unpack(num=2)",
     "T.ComposeLayout(4, 3, 3, T.TileLayout(T.S[(8, 64, 2):(128, 2, 1)]))"},
    {"S[(8,8):(8,1)].slice((8,8),((0,4),(2,6)))", "T.TileLayout(T.S[(4, 4):(8, 1)] + 2)"},
    {"S[(8,8):(8,1)].slice(shape=(8,8), region=[(0,4),(2,6)])", "T.TileLayout(T.S[(4, 4):(8, 1)] + 2)"},
    {"S[(8,8):(8,1)].is_tile_inner(tile_layout=S[(16,8):(8,1)], tiled_shape=(16,8), inner_shape=(8,8))",
     "T.TileLayout(T.S[(2, 1):(1, 8)])"},
    {"S[(8,8):(8,1)].broadcast(3,-2)", "T.TileLayout(T.S[(8, 3, 8):(8, 0, 1)])"},
    {"S[(8,8):(8,1)].broadcast(3,-3)", "T.TileLayout(T.S[(3, 8, 8):(0, 8, 1)])"},
    {"S[(8,8):(8,1)].broadcast(num=3,position=1,axis=\"laneid\")",
     "T.TileLayout(T.S[(8, 3, 8):(8, 0 @ Axis.laneid, 1)])"},
    {"wg_local_layout(64)", "T.TileLayout(T.S[(128, 64):(1 @ Axis.tid_in_wg, 1)])"},
    {"wg_local_layout(64,rows=64)", "T.TileLayout(T.S[(64, 64):(1 @ Axis.tid_in_wg, 1)])"},
    {"tcgen05_atom_layout(\"16x256b\",(128,64),\"float32\")",
     "T.TileLayout(T.S[(4, 2, 2, 8, 8, 4, 2):(1 @ Axis.wid_in_wg, 32, 2, 4 @ Axis.laneid, 4, 1 @ Axis.laneid, 1)])"},
    {"tcgen05_atom_layout(\"32x32b\",(64,64),\"float32\")",
     "T.TileLayout(T.S[(64, 2, 32):(1 @ Axis.tid_in_wg, 64 @ Axis.tid_in_wg, 1)])"},
    {"tcgen05_atom_layout(\"16x64b\",(64,64),\"float16\")",
     "T.TileLayout(T.S[(4, 2, 8, 16, 2, 2):(1 @ Axis.wid_in_wg, 1 @ Axis.laneid, 4 @ Axis.laneid, 2, 2 @ Axis.laneid, "
     "1)])"},
    {"tcgen05_atom_layout(\"16x128b\",(64,256),\"float16\")",
     "T.TileLayout(T.S[(4, 2, 8, 32, 4, 2):(1 @ Axis.wid_in_wg, 2, 4 @ Axis.laneid, 4, 1 @ Axis.laneid, 1)])"},
    {"tcgen05_atom_layout(\"16x128b\",(128,32),\"bfloat16\")",
     "T.TileLayout(T.S[(4, 2, 2, 8, 4, 4, 2):(1 @ Axis.wid_in_wg, 16, 2, 4 @ Axis.laneid, 4, 1 @ Axis.laneid, 1)])"},
    {"tcgen05_atom_layout(\"32x32b\",(128,64),\"float16\")", "T.TileLayout(T.S[(128, 64):(1 @ Axis.tid_in_wg, 1)])"},
    {"tmem_datapath_layout(\"F\",64,32,1)",
     "T.TileLayout(T.S[(4, 16, 32):(32 @ Axis.TLane, 1 @ Axis.TLane, 1 @ Axis.TCol)] + 16 @ Axis.TLane)"},
    {"tmem_datapath_layout(\"G\",32,32)",
     "T.TileLayout(T.S[(32, 4, 8):(1 @ Axis.TLane, 32 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(64,128),\"float32\",M=64,cta_group=1)",
     "T.TileLayout(T.S[(4, 16, 128):(32 @ Axis.TLane, 1 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(64,128),\"float32\",M=64,cta_group=1,ws=True)",
     "T.TileLayout(T.S[(64, 2, 64):(1 @ Axis.TLane, 64 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(128,128),\"float32\",M=256,cta_group=2)",
     "T.TileLayout(T.S[(128, 128):(1 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(64,2,64),\"float32\",M=128,cta_group=2)",
     "T.TileLayout(T.S[(64, 2, 64):(1 @ Axis.TLane, 64 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(64,4,2,16),\"float32\",M=128,cta_group=2)",
     "T.TileLayout(T.S[(64, 4, 2, 16):(1 @ Axis.TLane, 16 @ Axis.TCol, 64 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(2,64,64),\"float32\",M=128,cta_group=2)",
     "T.TileLayout(T.S[(128, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"D\",(64,128),\"float32\",M=64,cta_group=1,ws=True,group=(4,2,16))",
     "T.TileLayout(T.S[(64, 4, 2, 16):(1 @ Axis.TLane, 16 @ Axis.TCol, 64 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"A\",(64,128),\"float16\",M=128,cta_group=2)",
     "T.TileLayout(T.S[(64, 128):(1 @ Axis.TLane, 1 @ Axis.TCol)] + T.R[2:64 @ Axis.TLane])"},
    {"tmem_mma_operand_layout(\"A\",(2,64,128),\"float16\",M=64,cta_group=1,ws=True)",
     "T.TileLayout(T.S[(128, 128):(1 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"tmem_mma_operand_layout(\"A\",(64,32),\"float16\",M=64,cta_group=1)",
     "T.TileLayout(T.S[(64, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)])"},
    {"S[(2,3,4,5):(60,20,5,1)].permute_by_groups([0,2,3,4],[2,0,1])", "T.TileLayout(T.S[(5, 2, 3, 4):(1, 60, 20, 5)])"},
    {"S[()] + 3", "T.TileLayout.from_iters(offset={\"m\": 3})"},
    {"S[4].is_direct_sum_right(S[(2,4):(100,1)], [2,4], [4])", "T.TileLayout(T.S[2:100])"},
    {"S[2:100].is_direct_sum_left(S[(2,4):(100,1)], interleaved_shape=[2,4], left_shape=[2])",
     "T.TileLayout(T.S[4:1])"},
    {"S[(2,4):(4,1)].is_direct_sum_right(sum_layout=S[(2,2,2,4):(100,4,16,1)], interleaved_shape=[2,2,2,4], "
     "right_shape=[2,4])",
     "T.TileLayout(T.S[(2, 2):(100, 16)])"},
    {"S[(2,2):(100,16)].is_direct_sum_left(S[(2,2,2,4):(100,4,16,1)], [2,2,2,4], [2,2])",
     "T.TileLayout(T.S[(2, 4):(4, 1)])"},
    {"S[(2,4):(4,1)].direct_sum(S[(2,2):(100,16)], [2,2], [2,4])", "T.TileLayout(T.S[(2, 2, 2, 4):(100, 4, 16, 1)])"},
    {"TileLayout.from_iters([], [Iter(4, 1, \"m\")], {\"laneid\": 3})", "T.TileLayout(T.R[4:1] + 3 @ Axis.laneid)"},
    {"TileLayout.from_iters([Iter(4, 1, \"m\")], [], {\"m\": 3})", "T.TileLayout(T.S[4:1] + 3)"},
};

/* Printed by tilus 0.2.0; multi_function(…) is also a function of tmap. */
static const recorded tilus[] = {
    {"multi_function([4,6],[2,2,3,2],[0,2]) * multi_function([6],[2,3],[1,0])",
     "multi_function(shape=[4, 6], mode_shape=[2, 2, 3, 2], modes=[2, 0])"},
    {"multi_function([8,6],[8,6],[1,0]) * multi_function([48],[3,2,4,2],[3,1])",
     "multi_function(shape=[8, 6], mode_shape=[4, 2, 3, 2], modes=[1, 3])"},
    {"multi_function([4,6],[4,6],[0,1]) * multi_function([24],[4,6],[1,0])",
     "multi_function(shape=[4, 6], mode_shape=[4, 6], modes=[1, 0])"},
    {"multi_function([4,6],[2,2,3,2],[0,-4,2]) * multi_function([24],[2,2,2,3],[3,1,0])",
     "multi_function(shape=[4, 6], mode_shape=[2, 2, 3, 2], modes=[2, -2, 0])"},
    {"collapse(multi_function([4,6],[2,2,3,2],[0,2,3]), [1])",
     "multi_function(shape=[4, 6], mode_shape=[2, 2, 6], modes=[0])"},
    {"collapse_by_shape(multi_function([4,6],[2,2,3,2],[0,2,3]), [1,6])",
     "multi_function(shape=[4, 6], mode_shape=[2, 2, 6], modes=[2])"},
    {"collapse_by_shape(multi_function([4,6],[2,2,3,2],[0,2,3]), [6])",
     "multi_function(shape=[4, 6], mode_shape=[2, 2, 6], modes=[2])"},
    {"identity([4,6])", "multi_function(shape=[4, 6], mode_shape=[4, 6], modes=[0, 1])"},
    /* A printed text of an original can be pasted. */
    {"tilus.ir.layout.register_layout(shape=[2, 4], mode_shape=[2, 2, 2], spatial_modes=[2], local_modes=[0, 1])",
     "local(2, 2).spatial(1, 2)"},
    {"local(2, 3).spatial(2, 2).size()", "24"},
    {"shared_row_major(2, 12).size()", "24"},
    {"multi_function([4,6],[2,2,3,2],[0,2]).size()", "24"},
    {"concat(lhs=spatial(2), rhs=local(3))", "concat(spatial(2), local(3))"},
    {"divide(lhs=local(2, 2).spatial(1, 2), rhs=spatial(1, 2))", "local(2, 2)"},
    {"left_divide(local(2, 2).spatial(1, 2), lhs_divisor=local(2, 2))", "spatial(1, 2)"},
    {"local(2, 2).spatial(2, 2).get_spatial(global_indices=[1, 1])", "local(2, 2).spatial(2, 2).get_spatial(1, 1)"},
    {"local(2, 2).spatial(2, 2).get_global(spatial_index=1, local_index=1)", "(0, 3)"},
    {"shared_layout(shape=[4, 8], mode_shape=[4, 8], mode_strides=[8, 1], optional_swizzle=None)",
     "shared_row_major(4, 8)"},
    {"shared_row_major(4, 8, 2).slice(retain_dims=[2, 0])", "shared_layout([2, 4], [2, 4], [1, 16])"},
    {"shared_slice(shared_row_major_swizzle([64, 64], 16), [0])", "shared_layout([64], [64], [64], Swizzle(3, 3, 3))"},
    {"shared_row_major_swizzle(shape=[64, 256], dtype_nbytes=2)", "shared_row_major_swizzle([64, 256], 16)"},
    /* The formulas of the docstrings: offsets of GlobalLayout, lanes and columns of TMemoryLayout. */
    {"global_row_major(4, 8)", "S[(4,8):(8,1)]"},
    {"global_column_major(4, 8)", "S[(4,8):(1,4)]"},
    {"global_strides([4, 8], [16, 2])", "S[(4,8):(16,2)]"},
    {"global_compose(global_row_major(2, 2), global_column_major(3, 4))", "S[(2,3,2,4):(24,1,12,3)]"},
    {"global_slice(global_row_major(2, 4, 8), [1, 2, 3], [2], [5])", "S[5:1] + 51"},
    {"tmemory_row_major([2, 128, 32])", "S[(2,128,32):(32@TCol,1@TLane,1@TCol)]"},
    {"tmemory_slice(tmemory_row_major([2, 128, 32]), 32, [1, 2], [32, 16])", "S[(32,16):(1@TLane,1@TCol)] + 32@TLane"},
};

static const recorded cute[] = {
    {"cute(\"Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)\")", "atom(f16, 128B).as_cute((8, 64))"},
    {"cute(\"Sw<3,4,3>_smem_ptr[32b](0x7f0000000400) o (_8,_32):(_32,_1)\")", "atom(f32, 128B).as_cute((8, 32))"},
    {"cute(\"Sw<2,4,3> o smem_ptr[8b](unset) o (_8,_64):(_64,_1)\")", "atom(u8, 64B).as_cute((8, 64))"},
    /* pycute of nvidia-cutlass 4.2.0 */
    {"coalesce(cute((4,8):(1,4)), profile=(1,1))", "cute((4,8):(1,4))"},
    {"complement(cute(4:2))", "cute(2:1)"},
    {"complement(cute(4:1), max_idx=32)", "cute(8:4)"},
    {"logical_divide(layoutA=cute((4,8):(8,1)), layoutB=cute(8:2))", "cute(((2,4),(2,2)):((16,1),(8,4)))"},
    {"composition(layoutA=cute((4,8):(8,1)), layoutB=cute(8:2))", "cute((2,4):(16,1))"},
    {"cute(\"gmem_ptr[32b](0x7f0000000000) o (4,8):(8,_1)\")", "cute((4,8):(8,1))"},
};

/* `expression == answer`. */
static void expect_same(const recorded *row) {
    char text[512];
    tmap_diag error;
    tmap_result *result;
    snprintf(text, sizeof text, "%s == (%s)", row->expression, row->answer);
    if (tmap_evaluate(text, strlen(text), NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s\n%zu: %s", text, error.at, error.message);
    const tmap_value *value = tmap_result_value(result);
    if (value->kind != TMAP_VALUE_BOOL || !value->as.truth) fail_msg("%s is false", text);
    tmap_result_free(result);
}

TEST(answers_equal_those_of_the_originals) {
    for (size_t i = 0; i < sizeof tirx / sizeof *tirx; i++) expect_same(&tirx[i]);
    for (size_t i = 0; i < sizeof tilus / sizeof *tilus; i++) expect_same(&tilus[i]);
    for (size_t i = 0; i < sizeof cute / sizeof *cute; i++) expect_same(&cute[i]);
}

static void expect_shown(const char *expression, const char *expected) {
    tmap_result *result;
    tmap_diag error;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (tmap_evaluate(expression, strlen(expression), NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s\n%s", expression, error.message);
    tmap_value_show(&sink, tmap_result_value(result));
    tmap_result_free(result);
    if (strcmp(text.data, expected) != 0) fail_msg("%s\nis\n%s", expression, text.data);
    tmap_text_free(&text);
}

/* The text is equal to that of apache-tvm 0.27.0, character by character. */
TEST(tirx_prints_the_same) {
    static const char *const texts[] = {
        "T.TileLayout.from_iters()",
        "T.TileLayout.from_iters(offset={\"m\": 3})",
        "T.TileLayout.from_iters(offset={\"laneid\": 3, \"m\": 2})",
        "T.ComposeLayout(3, 3, 3, T.TileLayout.from_iters(offset={\"m\": 3}))",
        "T.TileLayout(T.R[4:1] + 3 @ Axis.laneid)",
        "T.TileLayout(T.S[4:1 @ Axis.laneid] + -3)",
        "T.TileLayout(T.S[4:1] + (3 @ Axis.laneid + 2))",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char expression[128], expected[128];
        snprintf(expression, sizeof expression, "as_tirx(%s)", texts[i]);
        snprintf(expected, sizeof expected, "%s\n", texts[i]);
        expect_shown(expression, expected);
    }
    for (size_t i = 0; i < sizeof tirx / sizeof *tirx; i++) {
        char expression[512], expected[512];
        if (strncmp(tirx[i].expression, "tmem_", 5) != 0) continue; /* others may be split in another way */
        snprintf(expression, sizeof expression, "as_tirx(%s)", tirx[i].expression);
        snprintf(expected, sizeof expected, "%s\n", tirx[i].answer);
        expect_shown(expression, expected);
    }
    expect_shown("S[4].is_direct_sum_right(S[(2,4):(100,2)], [2,4], [4])", "none\n");
}

/* The table is equal to tabulate's table of these cells. */
TEST(plain_tables) {
    expect_shown("visualize_layout(local(2, 2).spatial(1, 2), tablefmt=\"plain\")",
                 "RegisterLayout(shape=[2, 4], mode_shape=[2, 2, 2], spatial_modes=[2], local_modes=[0, 1])\n"
                 "0: 0  1: 0  0: 1  1: 1\n"
                 "0: 2  1: 2  0: 3  1: 3\n");
    expect_shown("visualize_layout(local(1, 2, 1, 2), tablefmt=plain)", /* of rank 4: no dimensions of extent 1 */
                 "RegisterLayout(shape=[1, 2, 1, 2], mode_shape=[2, 2], spatial_modes=[], local_modes=[0, 1])\n"
                 "0: 0  0: 1\n"
                 "0: 2  0: 3\n");
    expect_shown("visualize_layout(shared_row_major(2, 12), tablefmt=plain)",
                 "SharedLayout(shape=[2, 12], mode_shape=[2, 12], mode_strides=[12, 1], swizzle=None)\n"
                 " 0   1   2   3   4   5   6   7   8   9  10  11\n"
                 "12  13  14  15  16  17  18  19  20  21  22  23\n");
}

static const struct {
    const char *expression, *fix;
} unknown[] = {
    {"get_scope(S[4])", "scopes(L)"},
    {"T.make_layout(3)", "cute(shape:stride), as in cute((8,4):(4,1))"},
    {"cute((4,8)).crd2idx(3)", "apply(layout, coordinate)"},
    {"canonicalize_layout(local(3))", "L: register layouts are always canonical"},
};

TEST(refused_words_name_tmaps_function) {
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        tmap_result *result;
        tmap_diag error;
        const char *text = unknown[i].expression;
        assert_int_equal(tmap_evaluate(text, strlen(text), NULL, NULL, &result, &error), TMAP_REFUSED);
        assert_string_equal(error.fix.words, unknown[i].fix);
    }
}

static const char *const refused[] = {
    "tcgen05_atom_layout(\"16x64b\", (32, 64), f32)",
    "tcgen05_atom_layout(\"16x64b\", (64, 6), f32)",
    "tcgen05_atom_layout(\"16x256b\", (64, 512), f32)",
    "tcgen05_atom_layout(\"16x128b\", (64, 17), f32)",
    "tcgen05_atom_layout(\"32x32b\", (64, 64), f16)",
    "tmem_datapath_layout(\"H\", 64, 32)",
    "tmem_datapath_layout(\"D\", 64, 32)",
    "tmem_datapath_layout(\"B\", 64, 31)",
    "tmem_datapath_layout(\"D\", 128, 32, 1)",
    "tmem_mma_operand_layout(\"D\", (64, 64), f32, 96, 1)",
    "tmem_mma_operand_layout(\"A\", (64, 64), f16, 64, 1, ws=True)",
    "tmem_mma_operand_layout(\"D\", (128, 64), f32, 64, 1)",
    "tmem_mma_operand_layout(\"D\", (64, 128), f32, 64, 1, ws=True, group=(4,2,8))",
    "tmem_mma_operand_layout(\"D\", (64, 128), f32, 64, 1, group=(4,2,16))",
    "tmem_mma_operand_layout(\"A\", (64, 128), f16, 128, 2, group=(4,2,16))",
    "tmem_mma_operand_layout(\"D\", (64, 128), f32, 64, 1, sparse=True)",
    "S[(2,3):(3,1)].permute_by_groups([0,1,2], [0,0])",
    "S[(2,3):(3,1)].permute_by_groups([0,1], [0])",
    "S[8].broadcast(2, -3)",
    "from_iters([3])",
    "from_iters(offset={3: 4})",
    "multi_function([4], [4], [0]) * multi_function([6], [6], [0])",
    "multi_function([4,6],[2,2,3,2],[0,2]) * multi_function([6],[3,2],[1])",
    "collapse(identity([4, 6]), [2])",
    "slice(shared_row_major(4, 6), [2])",
    "slice(shared_row_major(4, 6), [1, 1])",
    "coalesce(cute((4,6):(1,4)), (1,1,1))",
    "collapse_by_shape(identity([4, 6]), [3, 6])",
    "TMemoryLayout([2, 100, 32], [32, 0, 1])",
    "TMemoryLayout([128, 32], [1, 1])",
    "global_row_major(2^40, 2^40)",
    "cute(\"Sw<3,4,3> o smem_ptr[12b](unset) o (_8,_64):(_64,_1)\")",
    "cute(\"Sw<1,0,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)\")",
    "cute(\"Sw<3,4,3> (_8,_64):(_64,_1)\")",
};

TEST(nonsense_is_refused) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tmap_result *result = NULL;
        tmap_diag error;
        if (tmap_evaluate(refused[i], strlen(refused[i]), NULL, NULL, &result, &error) != TMAP_REFUSED)
            fail_msg("%s is accepted", refused[i]);
        assert_true(error.message[0] != '\0');
    }
}
