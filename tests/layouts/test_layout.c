/*
 * Layouts: every worked table and example of the documents of TIRx ("Tensor Layout", "Data Layout and Its Notation"),
 * as expressions with the value that the document gives, or that follows from its formulas by hand.
 */
#include "layout_fixture.h"
#include "tmap/unstable/layout_swizzle.h"

/* ---- The documents' tables -------------------------------------------------------------------------------------- */

#define TILE "(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid)"
#define TMEM "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]"

/* Tensor Layout, "Case study: NVIDIA tensor-core tile", the table of elements (i, j). */
TEST(tensor_core_tile) {
    static const value_row rows[] = {
        {TILE ".apply(0,0, shape=(8,16))", "({laneid: 0, warpid: 5, m: 0}, {laneid: 0, warpid: 9, m: 0})"},
        {TILE ".apply(0,1, shape=(8,16))", "({laneid: 0, warpid: 5, m: 1}, {laneid: 0, warpid: 9, m: 1})"},
        {TILE ".apply(0,2, shape=(8,16))", "({laneid: 1, warpid: 5, m: 0}, {laneid: 1, warpid: 9, m: 0})"},
        {TILE ".apply(1,0, shape=(8,16))", "({laneid: 4, warpid: 5, m: 0}, {laneid: 4, warpid: 9, m: 0})"},
        {TILE ".apply(0,8, shape=(8,16))", "({laneid: 0, warpid: 6, m: 0}, {laneid: 0, warpid: 10, m: 0})"},
        {TILE ".apply(7,15, shape=(8,16))", "({laneid: 31, warpid: 6, m: 1}, {laneid: 31, warpid: 10, m: 1})"},
        /* The same elements by number and by digits. */
        {TILE ".apply(127)", "({laneid: 31, warpid: 6, m: 1}, {laneid: 31, warpid: 10, m: 1})"},
        {TILE ".apply(7,1,3,1)", "({laneid: 31, warpid: 6, m: 1}, {laneid: 31, warpid: 10, m: 1})"},
        {TILE ".apply(8)", "({laneid: 0, warpid: 6, m: 0}, {laneid: 0, warpid: 10, m: 0})"},
        {TILE, "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"},
        {TILE ".size()", "128"},
        {TILE ".copies()", "2"},
        {TILE ".size(laneid)", "32"},
        {TILE ".size(warpid)", "2"},
        {TILE ".size(TLane)", "1"},
        /* 1 + (8-1) 4 + (4-1) 1; 1 + 1 + 4 + 5. */
        {TILE ".span(laneid)", "32"},
        {TILE ".span(warpid)", "11"},
        {TILE ".span()", "2"},
        {TILE ".scopes()", "{unit: \"thread\", scope: \"cta\"}"},
        {TILE ".injective()", "true"},
        {TILE ".fuse()", "S[(8,2,4,2):(4@tx,32@tx,1@tx,1)] + R[2:128@tx] + 160@tx"},
        {TILE ".storage()", "S[2:1]"},
        {TILE ".owners(31@laneid + 10@warpid, shape=(8,16))", "((7, 14), (7, 15))"},
        {TILE ".owners((31@laneid, 10@warpid, 1@m), shape=(8,16))", "((7, 15),)"},
        {TILE ".owners((0@laneid, 7@warpid))", "()"},
    };
    CHECK_ROWS(rows);
}

/* "Case study: Blackwell tensor memory": the table, the spans; the scale-factor atom with its router. */
TEST(tensor_memory) {
    static const value_row rows[] = {
        {TMEM ".apply(0,0,0)", "({TCol: 0, TLane: 0},)"},
        {TMEM ".apply(0,5,3)", "({TCol: 3, TLane: 5},)"},
        {TMEM ".apply(1,0,0)", "({TCol: 112, TLane: 0},)"},
        {TMEM ".apply(1,127,111)", "({TCol: 223, TLane: 127},)"},
        {TMEM ".span(TCol)", "224"},
        {TMEM ".span(TLane)", "128"},
        {TMEM ".size()", "28672"},
        {TMEM ".coverage().compact", "true"},
        {"(S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]).apply(5,2)",
         "({TLane: 5, TCol: 2}, {TLane: 37, TCol: 2}, {TLane: 69, TCol: 2}, {TLane: 101, TCol: 2})"},
        {"(S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]).span(TLane)", "128"},
        {"(S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]).owners((101@TLane, 2@TCol), shape=(32,4))", "((5, 2),)"},
        /* Element [m, sf] of 128 x 4 is at lane m mod 32, column (m // 32) 4 + sf. */
        {"a = S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]; a.direct_sum(S[4:4@TCol], (4,1), (32,4))",
         "S[(4,32,4):(4@TCol,1@TLane,1@TCol)] + R[4:32@TLane]"},
        {"a = S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]; a.direct_sum(S[4:4@TCol], (4,1), (32,4)).apply(69,3, "
         "shape=(128,4))",
         "({TCol: 11, TLane: 5}, {TCol: 11, TLane: 37}, {TCol: 11, TLane: 69}, {TCol: 11, TLane: 101})"},
        /*
         * Two groups along K, each shared by two MMAs (stride 0), in two stages: the sum of the atom and an outer
         * layout.
         */
        {"a = S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]; "
         "s = a.direct_sum(S[(2,4,2,2):(32@TCol,4@TCol,16@TCol,0@TCol)], (8,4), (32,4)); "
         "(s.span(TCol), s.apply(1, 2, 37 - 32, 1, 0, 3, shape=(2,4,32,2,2,4))[0])",
         "(64, {TCol: 59, TLane: 5})"},
        /* Four scale factors of 8 bits in a 32-bit column. */
        {"(S[(32,1):(1@TLane,1@TCol)] + R[4:32@TLane]).unpack(4, axis=TCol)",
         "S[(32,1,4):(1@TLane,4@TCol,1@TCol)] + R[4:32@TLane]"},
    };
    CHECK_ROWS(rows);
}

/* Data Layout and Its Notation. */
TEST(notation) {
    static const value_row rows[] = {
        {"S[(4, 4) : (4, 1)].apply(2,3)", "({m: 11},)"},
        {"S[(4,4):(4,1)].permute((1,0))", "S[(4,4):(1,4)]"},
        {"S[(3,4):(4,1)].permute((1,0))", "S[(4,3):(1,4)]"},
        /* (i, j) becomes (i/2, i%2, j/4, j%4). */
        {"S[(4, 2, 2, 4) : (16, 4, 8, 1)].apply(5, 6, shape=(8,8))", "({m: 46},)"},
        {"S[(8, 16) : (16@m, 1@m)]", "S[(8,16):(16,1)]"},
        {"S[(8, 4, 2) : (4@laneid, 1@laneid, 1@reg)].apply(5, 3, shape=(8,8))", "({laneid: 21, reg: 1},)"},
        {"(S[(2, 4, 8) : (1@gpuid_y, 8@m, 1@m)] + R[2 : 1@gpuid_x]).apply(1, 2, 3)",
         "({gpuid_y: 1, m: 19, gpuid_x: 0}, {gpuid_y: 1, m: 19, gpuid_x: 1})"},
        {"S[8]", "S[8:1]"},
        {"S[8:4@laneid]", "S[8:4@laneid]"},
        {"S[8, 4, 2]", "S[(8,4,2):(8,2,1)]"},
        {"S[(8,4)]", "S[(8,4):(4,1)]"},
        {"S[(4,2):(laneid,@warpid)]", "S[(4,2):(1@laneid,1@warpid)]"},
        {"S[4:(8,\"laneid\")]", "S[4:8@laneid]"},
        {"3@laneid + S[4] + 2 + 1@laneid", "S[4:1] + 4@laneid + 2"},
        {"S[4:-1] + 3", "S[4:-1] + 3"},
        {"S[4] - 2@TCol", "S[4:1] - 2@TCol"},
        {"R[2:3] + S[4]", "S[4:1] + R[2:3]"},
        {"S[(2*4, 16/2):(8,1)]", "S[(8,8):(8,1)]"},
        {"S[(2,4):(4@device.node,1@memory.slot)].apply(1,3)", "({device.node: 4, memory.slot: 3},)"},
        {"S[(0x10,4Ki):(2^12,1)]", "S[(16,4096):(4096,1)]"},
    };
    CHECK_ROWS(rows);
}

#define TVM_TILE                                                                                                       \
    "T.TileLayout(T.S[(8, 2, 4, 2):(4 @ Axis.laneid, 1 @ Axis.warpid, 1 @ Axis.laneid, 1)] + T.R[2:4 @ Axis.warpid] "  \
    "+ 5 @ Axis.warpid)"

/* The spellings of TIRx's scripts, read and written. */
TEST(scripts) {
    static const value_row rows[] = {
        {TVM_TILE, "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"},
        {TILE ".as_tirx()", "\"" TVM_TILE "\""},
        {"TileLayout(S[8 : 4@laneid])", "S[8:4@laneid]"},
        {"ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(8,64):(64@m,1@m)]))",
         "swizzle(3,3,3) o S[(8,64):(64,1)]"},
        {"ComposeLayout(per_element=3, swizzle_len=2, atom_len=3, tile_layout=S[64], swizzle_inner=False)",
         "swizzle(3,2,3,outer) o S[64:1]"},
        {"as_tirx(swizzle(3,2,3,outer) o (S[64] + 8))",
         "\"T.ComposeLayout(3, 2, 3, T.TileLayout(T.S[64:1] + 8), swizzle_inner=False)\""},
        {"T.ComposeLayout(3, 2, 3, T.TileLayout(T.S[64:1] + 8), swizzle_inner=False)",
         "swizzle(3,2,3,outer) o (S[64:1] + 8)"},
        {"as_tirx(S[8:4@thread.x] - 2@laneid + 3)",
         "\"T.TileLayout(T.S[8:4 @ Axis.thread.x] + (-2 @ Axis.laneid + 3))\""},
        {"T.TileLayout(T.S[8:4 @ Axis.thread.x] + (-2 @ Axis.laneid + 3))", "S[8:4@thread.x] - 2@laneid + 3"},
        {"as_tirx(R[2:1@warpid] + 3)", "\"T.TileLayout(T.R[2:1 @ Axis.warpid] + 3)\""},
        {"S[8:4@laneid].size(Axis.laneid)", "8"},
        {"T = S[4]; T.size()", "4"},
        {"verify_well_formed(" TILE ")", "true"},
    };
    CHECK_ROWS(rows);
}

/* ---- The algebra, by the examples of its semantics --------------------------------------------------------------- */

TEST(forms) {
    static const value_row rows[] = {
        {"S[(4,8):(8,1)].canonical()", "S[32:1]"},
        {"S[(4,8):(1,4)].canonical()", "S[(4,8):(1,4)]"},
        {"S[(4,1,8):(8,5,1)].canonical()", "S[32:1]"},
        {"S[(1,1):(3@laneid,1)].canonical()", "S[1:1@laneid]"},
        {"S[(4,4):(0,0)].canonical()", "S[16:0]"},
        {"S[(2,3):(-3,-1)].canonical()", "S[6:-1]"},
        {"S[(4,8):(8@m,1@TCol)].canonical()", "S[(4,8):(8,1@TCol)]"},
        {"(S[4] + R[(1,2):(9,4)]).canonical()", "S[4:1] + R[2:4]"},
        {"S[(4,8):(8,1)].trivial()", "true"},
        {"S[(4,8):(1,4)].trivial()", "false"},
        {"S[8:1@laneid].trivial()", "false"},
        {"S[(4,8):(8,1)] == S[32]", "true"},
        {"identical(S[(4,8):(8,1)], S[32])", "false"},
        {"S[(2,2):(1,0)] == S[(2,2):(1,0@laneid)]", "true"},
        {"S[2] + R[4:1] == S[2] + R[(2,2):(2,1)]", "true"},
        {"S[2] + R[2:-4] + 4 == S[2] + R[2:4]", "true"},
        {"S[1] + R[(2^20,2^20):(1,-2^20)] + 2^40 - 2^20 == S[1] + R[2^40:1]", "true"}, /* too many to compare */
        {"S[2] + R[(2,3):(1,1)] == S[2] + R[4]", "true"},
        {"S[2] + R[(2,3):(1,1)] == S[2] + R[5]", "false"},
        {"S[(2,3):(1,2)] == S[(3,2):(1,2)]", "false"},
        {"S[6:1].group((2,1,3))", "{layout: S[(2,1,3):(3,3,1)], starts: (0, 1, 2, 3)}"},
        {"S[6:1].group_many((1,2,1,1,3,1),(2,1,3)).starts",
         "((0, 1, 2, 3, 4, 5, 6), (0, 2, 3, 6))"}, /* an iter for every dimension */
        {"S[(4,8):(8,1)].group((8,4))", "{layout: S[(4,2,4):(8,4,1)], starts: (0, 2, 3)}"},
        {"S[(4,8):(8,1)].try_group((8,4)).starts", "(0, 2, 3)"},
        {"S[(6,4):(4,1)].try_group((8,3))", "none"},
        {"S[30:1].group_many(shapes=30)", "{layout: S[30:1], starts: ((0, 1),)}"}, /* one argument by its name */
        {"S[30:1].group_many((6,5),(2,15))", "{layout: S[(2,3,5):(15,5,1)], starts: ((0, 2, 3), (0, 1, 3))}"},
        {"S[(4,2):(4@laneid,16@warpid)].fuse()", "S[(4,2):(4@tx,512@tx)]"},
        {"S[(4,32):(1@wid_in_wg,1@laneid)].fuse()", "S[128:1@tid_in_wg]"},
        {"S[(2,4):(1@wgid,1@wid_in_wg)].fuse()", "S[8:1@warpid]"},
        {"S[4:1@bx].scopes()", "{unit: \"cta\", scope: \"kernel\"}"},
        {"S[(4,32):(1@bx,1@tx)].scopes()", "{unit: \"thread\", scope: \"kernel\"}"},
        {"S[4].scopes()", "none"},
    };
    CHECK_ROWS(rows);
}

TEST(products) {
    static const value_row rows[] = {
        {"S[(4,4):(8,1)].span()", "28"},
        /* A padded inner tile leaves gaps. */
        {"S[(4,4):(8,1)].tile(S[2], (2,1), (4,4))", "S[(2,4,4):(28,8,1)]"},
        {"S[(8,8):(8,1)].tile_to((16,16), (8,8))", "S[(2,8,2,8):(128,8,64,1)]"},
        {"S[(8,4):(4@laneid,1@laneid)].tile(S[2:1@warpid], (2,1), (8,4))", "S[(2,32):(1@warpid,1@laneid)]"},
        {"S[(8,8):(8,1)].is_tile_inner(S[(2,8,2,8):(128,8,64,1)], (16,16), (8,8))", "S[4:1]"},
        {"S[(2,2):(2,1)].is_tile_outer(S[(2,8,2,8):(128,8,64,1)], (16,16), (2,2))", "S[64:1]"},
        {"S[(8,8):(1,8)].is_tile_inner(S[(2,8,2,8):(128,8,64,1)], (16,16), (8,8))", "none"},
        {"S[4].direct_sum(S[2:100], 2, 4)", "S[(2,4):(100,1)]"},
        {"S[4].is_direct_sum_right(S[(2,4):(100,1)], 8, 4)", "S[2:100]"},
        {"S[2:100].is_direct_sum_left(S[(2,4):(100,1)], 8, 2)", "S[4:1]"},
        /* Replicas and offsets of the outer layout are scaled like its strides. */
        {"S[4].tile(S[2] + R[3:2] + 1, 2, 4)", "S[8:1] + R[3:8] + 4"},
        {"S[4].is_tile_inner(S[8] + R[3:8] + 4, 8, 4)", "S[2:1] + R[3:2] + 1"},
        {"(S[2] + R[3:2] + 1).is_tile_outer(S[8] + R[3:8] + 4, 8, 2)", "S[4:1]"},
        /* The inner layout spans 8 elements with its copies, 4 without: tile scales by 8. */
        {"(S[2] + R[2:2]).is_tile_outer(S[(2,4):(8,1)] + R[2:4] + R[2:16], 8, 2)", "S[4:1] + R[2:4]"},
        {"(S[2] + R[2:2]).is_tile_outer(S[(2,4):(8,1)] + R[2:4] + R[2:16], (1,8), (1,2))", "S[4:1] + R[2:4]"},
        /* the known replicas are a part of a longer one: 0..5 is 3 x 0..1 + 0..2, and 0..7 is 2 x 0..1 + {0, 1, 4, 5}
         */
        {"(S[1] + R[2:1]).is_tile_outer(S[1] + R[6:1], 1, 1)", "S[1:1] + R[3:1]"},
        {"(S[1] + R[3:1]).is_tile_inner(S[1] + R[6:1], 1, 1)", "S[1:1] + R[2:1]"},
        {"(S[1] + R[2:2]).is_direct_sum_right(S[1] + R[8:1], 1, 1)", "S[1:1] + R[(2,2):(4,1)]"},
        {"(S[8:1@laneid] + R[4:8@laneid]).tile(S[2:1@warpid], 2, 8)", "S[(2,8):(1@warpid,1@laneid)] + R[4:8@laneid]"},
    };
    CHECK_ROWS(rows);
}

TEST(parts) {
    static const value_row rows[] = {
        {"S[(8,8):(8,1)].slice((8,8), (2:4, 4:8))", "S[(2,4):(8,1)] + 20"},
        {"S[(8,8):(8,1)].slice((8,8), (3, 0:8))", "S[(1,8):(1,1)] + 24"},
        {"S[(64,4,64):(64,4096,1)].slice((64,256), (0:64, 64:192))", "S[(64,2,64):(64,4096,1)] + 4096"},
        /* Across two column blocks: columns 56 to 71 are two halves, 4096 - 56 apart. */
        {"S[(64,4,64):(64,4096,1)].slice((64,256), (0:64, 56:72))", "S[(64,2,8):(64,4040,1)] + 56"},
        {"S[(64,4,64):(64,4096,1)].slice((64,256), (0:64, 32:160))", "none"},
        {"S[(64,4,64):(64,4096,1)].slice((64,256), (0:64, 60:80))", "none"},
        {"S[(2,4):(8,1)].unpack(2)", "S[(2,4,2):(16,2,1)]"},
        {"(S[(2,4):(1@laneid,1)] + 8).unpack(2)", "S[(2,4,2):(1@laneid,2,1)] + 16"},
        {"S[(2,4,2):(16,2,1)].pack(2)", "S[(2,4,1):(8,1,1)]"},
        {"S[(2,8):(16,1)].pack(4)", "S[(2,2):(4,1)]"},
        {"S[(2,4):(4,1)].broadcast(3, 1)", "S[(2,3,4):(4,0,1)]"},
        {"S[(2,4):(4,1)].broadcast(3)", "S[(2,4,3):(4,1,0)]"},
        {"S[(4,8):(1,4)].inverse()", "S[(8,4):(1,8)]"},
        {"S[(2,4,4):(4@TCol,1@TLane,1@TCol)].inverse(TLane, TCol)", "S[(4,2,4):(4,16,1)]"},
        {"S[(2,3,4):(4,8,1)].permute((1,0), shape=(6,4))", "S[(4,2,3):(1,4,8)]"},
        {"S[(4,4):(4,1)].coverage()", "{injective: true, compact: true, axes: ({axis: \"m\", low: 0, high: 15, "
                                      "distinct: 16, holes: 0, shared: false, self_repeated: false},)}"},
        {"S[(4,4):(8,1)].coverage().axes[0].holes", "12"},
        {"S[(4,4):(2,1)].injective()", "false"},
        {"(S[4] + R[2:2]).injective()", "false"},
        {"(S[4] + R[2:4]).coverage().compact", "true"},
        {"(S[2:4] + R[2:0]).coverage().axes[0].self_repeated", "true"},
        {"S[(4,4):(2,1)].owners(3)", "(3, 5)"},
        {"S[(4,8):(0,1)].owners(3)", "(3, 11, 19, 27)"},
        {"S[(4,4):(8,1)].owners(27)", "(15,)"},
        {"S[(4,4):(8,1)].owners(5)", "()"}, /* a hole */
        {"S[4:2].places((2,2))[3]", "{element: 3, at: (1, 1), m: 6}"},
        {"(S[2:4] + R[3:8]).places()[1]", "{element: 1, m: (4, 12, 20)}"},
    };
    CHECK_ROWS(rows);
}

/* Strides row-major within P and within F; a P of a multiple of 128 continues in F; banks of 512. */
TEST(scratchpads) {
    static const value_row rows[] = {
        {"trainium(PF, (128, 64))", "S[(128,64):(1@P,1@F)]"},
        {"trainium(FPF, (2, 4, 4))", "S[(2,4,4):(4@F,1@P,1@F)]"},
        {"trainium(\"PPF\", (4, 8, 16))", "S[(4,8,16):(8@P,1@P,1@F)]"},
        {"trainium(PF, (256, 64))", "S[(2,128,64):(64@F,1@P,1@F)]"},
        {"trainium(PF, (128, 1024)).psum()", "S[(128,2,512):(1@P,1@Bank,1@F)]"},
        {"S[(128,4,512):(1@P,512@F,1@F)].psum()", "S[(128,4,512):(1@P,1@Bank,1@F)]"},
        {"S[(8,128):(1024@F,4@F)].psum()", "S[(8,128):(2@Bank,4@F)]"},
        {"fitting_mode(f16, 64)", "\"128B\""},
        {"fitting_mode(f16, 96)", "\"64B\""},
        {"fitting_mode(f32, 8)", "\"32B\""},
        {"fitting_mode(u8, 24)", "\"none\""},
    };
    CHECK_ROWS(rows);
}

/* ---- Banks ------------------------------------------------------------------------------------------------------- */

/*
 * Accesses as layouts of threads. Rows of 16 f16 are 32 bytes, so rows that are 4 apart share banks: the 8 rows of a
 * fragment's register require 2 passes. Rows of 64 f32 are 256 bytes, so all rows share banks: the 4 rows that a half
 * warp accesses in parts of 8 bytes require 4 passes.
 */
TEST(accesses_by_threads) {
    static const value_row rows[] = {
        {"c = conflicts(S[(16,16):(16,1)], f16, named(mma_m16n8k16_f16_a), width=2); "
         "(c.instructions, c.phases, c.passes)",
         "(4, 4, 8)"},
        {"c = conflicts(S[(16,16):(16,1)], f16, named(mma_m16n8k16_f16_a).as_layout(laneid), width=2); "
         "(c.instructions, c.phases, c.passes)",
         "(4, 4, 8)"},
        {"c = conflicts(S[(64,64):(64,1)], f32, named(wgmma_d, 64), width=2); (c.instructions, c.phases, c.passes)",
         "(64, 128, 512)"},
        {"c = conflict_free(S[(64,64):(64,1)], f32, named(wgmma_d, 64), width=2); (c.mode, c.passes)",
         "(\"128B\", 128)"},
        /* Eight warps with one row each; three threads that read one word. */
        {"conflicts(S[(8,32):(32,1)], f32, S[(8,32):(1@warpid,1@laneid)]).instructions", "8"},
        {"phases(S[4], f32, reduce(spatial(3, 4), [0]))[0]",
         "{access: 0, phase: 0, lanes: 12, words: 4, passes: 1, bank: 0}"},
        {"conflicts(shared_row_major_swizzle([64, 64], 16), f16, ldmatrix).worst", "1"},
        /*
         * One function in three forms gives the same answer for one matrix. A form without rows and columns requires a
         * shape.
         */
        {"conflicts(S[(128,8,8):(64,8,1)], f16, ldmatrix, shape=(128,64)).conflicts", "896"},
        {"conflicts(S[(128,64):(64,1)], f16, ldmatrix).conflicts", "896"},
        {"conflicts(S[8192], f16, ldmatrix, shape=(128,64)).conflicts", "896"},
        {"conflicts(shaped(S[(2,64,64):(4096,64,1)]), f16, ldmatrix).conflicts", "896"},
        {"conflicts(cute(((16,8),64):((64,1024),1)), f16, ldmatrix).conflicts", "896"},
        {"c = conflicts(S[(128,64):(64,1)], f16, ldmatrix); (c.matrix, c.lanes, c.width)", "((128, 64), (8, 1), 8)"},
        {"c = conflict_free(S[(32,128):(128,1)], f32, column); (c.swizzle, c.mode, c.conflicts)",
         "(swizzle(0,5,7), none, 0)"},
        {"c = conflict_free(S[(32,64):(64,1)], f32, column); (c.swizzle, c.mode, c.conflicts)",
         "(swizzle(0,5,6), none, 0)"},
        {"c = conflict_free(S[(8,1024):(1024,1)], f16, ldmatrix); (c.swizzle, c.conflicts)", "(swizzle(3,3,7), 0)"},
        {"c = conflict_free(S[(8,64):(64,1)], f16, ldmatrix); (c.mode, c.map_mode, c.map_conflicts)",
         "(\"128B\", \"128B\", 0)"},
        /* A transposed 8 x 8 exchanges bits 0-2 and 3-5: this is linear but not a swizzle. */
        {"swizzle_between(S[(8,64):(64,1)], atom(f16, 128B)).swizzle", "swizzle(3,3,3)"},
        {"swizzle_between(atom(f32, 64B), S[(8,16):(16,1)]).swizzle", "swizzle(2,2,3)"},
        {"swizzle_between(S[(8,8):(8,1)], S[(8,8):(1,8)]).swizzle", "none"},
        /* Swizzles with different shifts: undo the first, then apply the second. */
        {"k = swizzle_between(swizzle(3,3,3) o S[(32,64):(64,1)], swizzle(3,3,4) o S[(32,64):(64,1)]); "
         "(k.swizzle, k.second.apply(k.first.apply(swizzle(3,3,3).apply(1672))) == "
         "swizzle(3,3,4).apply(1672))",
         "(none, true)"},
        {"swizzle_between(S[2048], swizzle(5,2,3) o S[2048]).swizzle", "swizzle(5,2,3)"},
        {"k = swizzle_between(swizzle(0,2,5) o S[2048], swizzle(4,3,4) o S[2048]); (k.first, k.second)",
         "(swizzle(0,2,5), swizzle(4,3,4))"},
        {"b = swizzle_between(S[(8,8):(8,1)], S[(8,8):(1,8)]).bits; (b[0].bit, b[0].xor_of, b[5].xor_of)",
         "(0, (3,), (2,))"},
        {"swizzle_between(cute((8,8):(8,1)), S[64]).swizzle", "swizzle(0,0,0)"},
        /*
         * Two swizzles in a row: the same swizzle twice is the identity; adjacent bits with the same shift are one
         * swizzle.
         */
        {"swizzle(3,3,3) o (swizzle(3,3,3) o S[(8,64):(64,1)]) == S[512]", "true"},
        {"swizzle(3,1,3) o (swizzle(4,2,3) o S[(8,64):(64,1)]) == atom(f16, 128B)", "true"},
        /*
         * CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": 4-byte words of a warp in sequence are
         * four 32-byte transactions, every other word is eight, and words in 32 different rows are 32.
         */
        {"c = coalescing(S[(32,32):(32,1)], f32, row); (c.requests, c.sectors, c.least, c.worst)", "(32, 128, 128, 4)"},
        /* 4096 bytes are 128 sectors of L2, no matter how often a warp reads them. */
        {"c = coalescing(S[(32,32):(32,1)], f32, column); (c.sectors, c.l2_sectors)", "(1024, 128)"},
        {"coalescing(S[(4,32):(0,1)], f32, row).l2_sectors", "4"},
        {"c = coalescing(S[(1,32):(64,2)], f32, row); (c.requests, c.sectors, c.least)", "(1, 8, 4)"},
        {"c = coalescing(S[(1,32):(32,1)] + 1, f32, row); (c.sectors, c.least, c.widest)", "(5, 4, 1)"},
        {"c = coalescing(S[(32,32):(32,1)], f32, column); (c.sectors, c.least, c.worst)", "(1024, 128, 32)"},
        {"c = coalescing(S[(8,128):(128,1)], f32, local(8,1).spatial(1,32).local(1,4)); (c.sectors, c.widest)",
         "(512, 4)"},
        {"c = coalescing(S[(8,128):(128,1)], f32, local(8,1).spatial(1,32).local(1,4), width=4); (c.requests, "
         "c.sectors)",
         "(8, 128)"},
        {"c = coalescing(S[(32,32):(1,32)], f32, local(32,1).spatial(1,32)); (c.sectors, c.better_order, "
         "c.better_sectors)",
         "(1024, (1, 0), 128)"},
        {"coalescing(S[(1,32):(0,0)], f32, row).used_bytes", "4"},
        {"places(spatial(2,2))[3].tx", "3"},
        {"places(spatial(2,2))[2].at", "(1, 0)"},
        {"places(cute((2,2):(1,2)))[1].m", "2"},
        {"places(shared_row_major(2,3))[4].m", "4"},
        {"conflicts(cute((8,64):(64,1)), f16, ldmatrix).worst", "8"},
    };
    CHECK_ROWS(rows);
}

/* M = bitlen(128 / bits) - 1, B = 0 to 3, S = 3: "Choosing the parameters". */
TEST(parameters) {
    static const struct { int bits, m; } types[] = {{4, 5}, {8, 4}, {16, 3}, {32, 2}, {64, 1}};
    static const tmap_swizzle modes[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    for (size_t i = 0; i < COUNT(types); i++) {
        for (int b = 0; b < 4; b++) {
            tmap_xor swizzle;
            assert_int_equal(tmap_xor_of_mode(types[i].bits, modes[b], &swizzle, NULL), TMAP_OK);
            assert_int_equal(swizzle.m, types[i].m);
            assert_int_equal(swizzle.b, b);
            assert_int_equal(swizzle.s, 3);
            assert_false(swizzle.outer);
        }
    }
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

TEST(refusals) {
    static const error_row rows[] = {
        {"", 1, 1, "expected a value, found the end of the expression"},
        {"S", 1, 1, "the name S is not defined"},
        {"S[", 3, 1, "expected a value or ']', found the end of the expression"},
        {"S[]", 1, 3, "the brackets are empty"},
        {"S[8,4", 6, 1, "expected ',' or ']', found the end of the expression"},
        {"S[(8,4):(4@laneid,1@warpid,1)]", 28, 1, "the numbers of extents and strides differ: 2 and 3"},
        {"S[(8,4,2):(4,1)]", 8, 1, "the numbers of extents and strides differ: 3 and 2"},
        {"S[(8,4):(4@lanid,1)]", 12, 5, "axis lanid does not exist"},
        {"S[(8,0):(1,1)]", 6, 1, "less than 1"},
        {"S[(8,4:4,1)]", 6, 3, "not an extent"},
        {"S[8,4:4,1]", 5, 3, "without brackets"},
        {"S[4] - S[4]", 8, 4, "right is of kind S/R/O layout, not integer or term (n@axis)"},
        {"S[4] + S[4]", 8, 4, "second S"},
        {"S[4] junk", 6, 4, "expected an operator or the end, found 'junk'"},
        {"S[4] 2", 6, 1, "found '2'"},
        {"S[4611686018427387904:4]", 1, 24, "axis m do not fit"},
        {"S[(2^32,2^31):(1,1)]", 1, 20, "does not fit 64 bits"},
        {"S[9223372036854775808]", 3, 19, "above 2^63 - 1"},
        {"S[010]", 3, 3, "leading zero"},
        {"tile(S[4], S[2])", 1, 16, "outer_shape is missing"},
        {"tile(S[4], S[2], 2, 5)", 6, 4, "tile: dimension 0 of the shape cannot be 5: the extents are"},
        {"tile(S[4], 3, 2, 4)", 12, 1, "outer is of kind integer, not S/R/O layout"},
        {"S[4].tyle(S[2])", 6, 4, "function tyle does not exist"},
        {"apply(S[4], 4)", 13, 1, "element is 4; it must be 0 to 3"},
        {"apply(S[(2,2):(2,1)], 0, 2)", 23, 4, "coordinate 1 is 2; it must be 0 or 1"},
        {"apply(S[(2,2):(2,1)], 0, 0, shape=(4,2))", 35, 5, "8 elements for a layout of 4"},
        {"S[(8,8):(8,1)].group((64,2))", 22, 6, "dimension 1 of the shape cannot be 2"},
        {"S[(8,8):(8,1)].group(8)", 22, 1, "ends before the extents (8,8)"},
        {"S[(6,4):(4,1)].group((8,3))", 22, 5, "dimension 0"},
        {"S[(4,2):(1,2)].group_many((3,3))", 27, 5, "9 elements"},
        {"S[6].group_many((2,3),(3,2))", 17, 11, "neither divides"},
        {"slice(S[(8,8):(8,1)], (8,8), (0:9, 0:8))", 30, 10, "0:9 in dimension 0"},
        {"S[(4,8):(1@tx,1@laneid)].scopes()", 1, 24, "tx counts threads of a cta, and laneid threads of a warp"},
        {"S[(4,8):(1@wgid,1@laneid)].scopes()", 1, 26, "wgid counts warpgroups, and no axis selects the warp"},
        {"swizzle(3,3,3) o S[8:1@laneid]", 18, 13, "this layout has laneid"},
        {"swizzle(3,3,3) o S[8:-1]", 18, 7, "has -7"},
        {"swizzle(3,3,2)", 1, 14, "a swizzle with M = 3, B = 3, S = 2 does not exist"},
        {"swizzle(f16, 256B)", 14, 4, "swizzle 256B does not exist"},
        {"swizzle(f17, 128B)", 9, 3, "type f17 does not exist"},
        {"S[4].pack(3)", 11, 1, "whole groups of 3"},
        {"S[4:2].inverse()", 1, 6, "stride of 2 on axis m where 1"},
        {"atom(f16,128B).inverse()", 1, 14, "has a swizzle"},
        {"S[4].permute((0,1))", 14, 5, "2 numbers for 1"},
        {"trainium(PPF, (64, 4, 2))", 15, 10, "the P dimensions have 256 partitions; the limit is 128"},
        {"trainium(PF, (130, 2))", 14, 8, "130 partitions"},
        {"trainium(PX, (128, 2))", 10, 2, "'PX' does not give P or F for each dimension of a shape of rank 2"},
        {"S[4:96@F].psum()", 1, 9, "crosses a bank of 512"},
        {"nothing", 1, 7, "the name nothing is not defined"},
        {"tile", 1, 4, "tile is the name of a function"},
        {"S[4].apply(0).m", 15, 1, "this list has no field m"},
        {"S[4].apply(0)[0].n", 18, 1, "this structure has no field n"},
        {"S[4].apply(0)[1]", 15, 1, "item 1 does not exist: the list has 1 item"},
        {"S[4]@laneid", 1, 4, "the value before '@' is a layout"},
        {"T.3", 3, 1, "expected S, R or a function, found '3'"},
        {"T.S[8:4 @ Axis.lane]", 11, 9, "axis lane does not exist"},
        {"ComposeLayout(3, 3, 2, S[8])", 1, 28, "ComposeLayout: a swizzle with M = 3, B = 3, S = 2 does not exist"},
        {"verify_well_formed(S[(4,8):(1@tx,1@laneid)])", 20, 24, "tx counts threads of a cta"},
        {"conflicts(S[4], f32, S[4])", 22, 4, "the layout has no threads"},
        {"conflicts(S[(128,8,8):(64,8,1)], f16, ldmatrix)", 11, 21,
         "a layout of 3 iters does not define rows and columns"},
        {"conflicts(S[512], f16, ldmatrix)", 11, 6, "a layout of 1 iter does not define rows and columns"},
        {"swizzle_between(S[(3,5):(5,1)], S[(3,5):(1,3)])", 33, 14, "no linear map over bits: element 3"},
        {"swizzle_between(S[4], S[8])", 23, 4, "the layouts have 4 and 8 elements"},
        {"swizzle_between(S[4:1@laneid], S[4])", 17, 13, "the layout has an axis other than m: laneid"},
        {"swizzle(3,2,4) o (swizzle(3,3,3) o S[(8,128):(128,1)])", 18, 37, "both together are not a single swizzle"},
        {"span(S[8:1@laneid])", 6, 13, "the layout has no axis m"},
        {"conflicts(S[4], f32, spatial(8))", 22, 10, "the layout of threads has 8 elements, the other layout 4"},
        {"conflicts(S[4], f32, spatial(4), width=2)", 22, 10,
         "thread 0 has element 0, but not element 1 of the same access"},
        {"conflicts(S[4], f32, S[4:1@laneid] - 2@laneid)", 22, 24, "element 0 belongs to thread -2"},
        {"bank(S[8:1@laneid], f32, 3)", 6, 13, "this layout has laneid"},
        {"bank(S[8] - 4, f32, 3)", 6, 8, "the element is at -1"},
        {"bank(S[(2,4):(4,1)], f32, 1, 4)", 27, 4, "coordinate 1 is 4; it must be 0 to 3"},
        {"visualize(local(2), nope)", 21, 4, "style nope does not exist"},
        {"\"open", 1, 5, "not closed"},
        {"S[4] ? 3", 6, 1, "not part of an expression"},
        {"m = S[4]; m", 1, 1, "name of an axis"},
        {"places(S[2^40])", 8, 7, "too many for a table"},
        {"a=(1,1);b=((a,a),(a,a));c=((b,b),(b,b));d=((c,c),(c,c));e=((d,d),(d,d));f=((e,e),(e,e));g=((f,f),(f,f));"
         "h=((g,g),(g,g));i=((h,h),(h,h));j=((i,i),(i,i));k=((j,j),(j,j));((k,k),(k,k))",
         156, 5, "deeper than 20"},
        {"a=(1,1,1,1);b=(a,a,a,a,a,a,a,a);c=(b,b,b,b,b,b,b,b);d=(c,c,c,c,c,c,c,c);e=(d,d,d,d,d,d,d,d);"
         "f=(e,e,e,e,e,e,e,e);g=(f,f,f,f,f,f,f,f);h=(g,g,g,g,g,g,g,g);i=(h,h,h,h,h,h,h,h);i",
         0, 0, "too many steps"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]", 25, 1, "nested deeper"},
#define ONES "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"
        {"S[(" ONES "," ONES "," ONES "," ONES ")].unpack(2)", 1, 142, "more than 64 iters"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) check_error(&rows[i]);
}

static const char *find_name(const void *context, const char *name, size_t *size) {
    (void)context;
    static const char *const names[][2] = {
        {"a", "S[(8,8):(8,1)]"}, {"b", "a.tile_to((16,16),(8,8))"}, {"loop", "loop"}, {"bad", "S[4"}, {"deep", "bad"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i][0]) != 0) continue;
        *size = strlen(names[i][1]);
        return names[i][1];
    }
    return NULL;
}

TEST(names) {
    static const tmap_layout_names table = {find_name, NULL, NULL};
    tmap_result *result;
    tmap_diag error;
    assert_int_equal(tmap_evaluate("b == S[(2,8,2,8):(128,8,64,1)]", 30, &table, NULL, &result, &error), TMAP_OK);
    assert_true(tmap_result_value(result)->as.truth);
    tmap_result_free(result);
    assert_int_equal(tmap_evaluate("1 + loop", 8, &table, NULL, &result, &error), TMAP_REFUSED);
    assert_int_equal(error.at, 4);
    assert_non_null(strstr(error.message, "is defined by itself"));
    assert_int_equal(tmap_evaluate("deep.size()", 11, &table, NULL, &result, &error), TMAP_REFUSED);
    assert_int_equal(error.at, 0);
    assert_string_equal(error.message, "in bad: expected ',' or ']', found the end of the expression");
}
