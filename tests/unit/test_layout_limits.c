/* Layouts: the refusals with their positions, the limits, and full lists. */
#include "layout_fixture.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"

#define M tmap_axis_get(TMAP_AXIS_ID_M)

static void refusals(void **state) {
    (void)state;
    static const error_row rows[] = {
        {"swizzle_between(S[4] + R[2:8], S[4])", 17, 13,
         "swizzle_between: swizzles permute addresses on m, one address for each element"},
        {"swizzle_between(S[4], S[4:1@laneid])", 23, 13,
         "swizzle_between: swizzles permute addresses on m, one address for each element"},
        {"swizzle_between(S[4], S[(2,2):(1,1@laneid)])", 23, 21,
         "swizzle_between: swizzles permute addresses on m, one address for each element"},
        {"swizzle_between(S[4] - 1, S[4])", 17, 8, "swizzle_between: element 0 is at -1 and 0"},
        {"swizzle_between(S[4], S[4] - 1)", 23, 8, "swizzle_between: element 0 is at 0 and -1"},
        {"swizzle_between(S[2:2^62], S[2])", 17, 9, "swizzle_between: element 1 is at 4611686018427387904 and 1"},
        {"swizzle_between(S[2], S[2:2^62])", 23, 9, "swizzle_between: element 1 is at 1 and 4611686018427387904"},
        {"(swizzle(3,1,3) o (S[256] + R[2:256])) == (swizzle(3,2,3) o S[256])", 1, 67,
         "two swizzles with replicas are not compared"},
        {"(swizzle(3,2,3) o S[256]) == (swizzle(3,1,3) o (S[256] + R[2:256]))", 1, 67,
         "two swizzles with replicas are not compared"},
        {"(swizzle(3,1,3) o S[16777217]) == (swizzle(3,2,3) o S[16777217])", 1, 64,
         "16777217 elements under two swizzles are too many to compare"},
        {"S[2^21:0].coverage()", 1, 9, "coverage: axis m has too many combinations to compare (more than 1048576)"},
        {"(S[2] + R[1048577:0]).coverage()", 1, 21,
         "coverage: axis m has too many combinations to compare (more than 1048576)"},
        {"S[2] + R[(2^20,3):(1,1)] == S[2] + R[(2^20,3):(1,2)]", 1, 24,
         "axis m has too many combinations to compare (more than 1048576)"},
        {"(swizzle(0,1,1) o S[(1048577,2):(0,0)]).coverage()", 1, 39,
         "coverage: axis m has too many combinations to compare (more than 1048576)"},
        {"S[(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,"
         "2,2,2)].group(3)",
         124, 1,
         "group: dimension 0 of the shape, 3, ends where none of the extents "
         "(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2) can be "
         "split"},
        {"S[2:9223372036854775807]", 1, 24, "the coordinates on axis m do not fit 64 bits"},
        {"S[2:-9223372036854775807]", 1, 25, "the coordinates on axis m do not fit 64 bits"},
        {"S[2:9223372036854775805] + 2", 1, 28, "the coordinates on axis m do not fit 64 bits"},
        {"S[2:9223372036854775805] + R[2:2]", 1, 33, "the coordinates on axis m do not fit 64 bits"},
        {"S[2] - 9223372036854775807", 1, 26, "the coordinates on axis m do not fit 64 bits"},
        {"S[2:9223372036854775805@TCol] - 2@TCol", 1, 38, "the coordinates on axis TCol do not fit 64 bits"},
        {"S[4] + 2^62 + 2^62", 1, 18, "the offset does not fit 64 bits"},
        {"R[(2^32,2^31):(0,0)]", 1, 20, "the product of the extents of the replica does not fit 64 bits"},
        {"S[4:0] + R[0:1]", 12, 1, "an extent of less than 1"},
        {"tile(S[4], S[2], (2,1), 4)", 25, 1, "tile: shapes of rank 2 and 1"},
        {"tile(S[4], atom(f16,128B), 512, 4)", 12, 14, "tile: the outer layout has a swizzle"},
        {"tile(S[4], S[2:2^62], 2, 4)", 1, 27, "tile: the product has strides beyond 64 bits, or more than 64 iters"},
        {"tile(S[4], S[2] + R[2:2^61], 2, 4)", 1, 34,
         "tile: the product has strides beyond 64 bits, or more than 64 iters"},
        {"tile(S[4], S[2] + 2^61, 2, 4)", 1, 29, "tile: the product has strides beyond 64 bits, or more than 64 iters"},
        {"tile(S[4], S[2], 0, 4)", 12, 4, "tile: dimension 0 of the shape is 0"},
        {"tile_to(S[4], (8,8), 4)", 22, 1, "tile_to: shapes of rank 2 and 1"},
        {"tile_to(S[4], 6, 4)", 18, 1, "tile_to: dimension 0: 4 does not divide 6"},
        {"tile_to(S[4], 8, 0)", 18, 1, "tile_to: dimension 0 of the shape is 0"},
        {"tile_to(S[4], 0, 4)", 15, 1, "tile_to: dimension 0 of the shape is 0"},
        {"is_tile_inner(S[4], S[8], 16, 4)", 27, 2, "is_tile_inner: a shape of 16 elements for a layout of 8"},
        {"is_tile_inner(S[4], S[8], 8, 3)", 30, 1, "is_tile_inner: dimension 0: 3 does not divide 8"},
        {"is_tile_inner(S[4], S[8], 8, 2)", 15, 4, "is_tile_inner: the shape ends before the extents (4)"},
        {"is_tile_outer(S[4], S[8], 8, 2)", 15, 4, "is_tile_outer: the shape ends before the extents (4)"},
        {"S[(2,2,2):(4,2,1)].permute((0,1,3))", 28, 7, "permute: number 2 of the order is 3"},
        {"S[(2,2,2):(4,2,1)].permute((0,1,1))", 28, 7, "permute: number 2 of the order is 1"},
        {"S[(2,2,2):(4,2,1)].permute((0,-1,1))", 28, 8, "permute: number 1 of the order is -1"},
        {"S[(2,2,2):(4,2,1)].permute((0,1,2,3))", 28, 9, "permute: an order of 4 numbers for 3 dimensions"},
        {"S[(2,2,2):(4,2,1)].permute((1,0), shape=(2,2,2))", 28, 5, "permute: an order of 2 numbers for 3 dimensions"},
        {"S[(2,2,2):(4,2,1)].permute((1,0), shape=(4,3))", 41, 5,
         "permute: dimension 1 of the shape, 3, ends where none of the extents (2,2,2) can be split"},
        {"S[2:2^61].unpack(8)", 1, 19, "unpack: a stride does not fit 64 bits"},
        {"(S[2] + R[2:2^61]).unpack(8)", 1, 28, "unpack: a stride does not fit 64 bits"},
        {"(S[2] + 2^61).unpack(8)", 1, 23, "unpack: a stride does not fit 64 bits"},
        {"S[4].unpack(0)", 13, 1, "unpack: elements cannot become 0 each"},
        {"S[()].pack(2)", 12, 1, "pack: the last iter is 1:1@m, which does not hold whole groups of 2 neighbours"},
        {"S[4].pack(0)", 11, 1, "pack: 0 elements cannot become one element"},
        {"atom(f16,128B).unpack(3)", 23, 1,
         "unpack: the swizzle keeps 2^3 elements together, and 3 does not divide this number"},
        {"atom(f16,128B).pack(16)", 21, 2,
         "pack: the swizzle keeps 2^3 elements together, and 16 does not divide this number"},
        {"S[4:2].pack(2)", 13, 1, "pack: the last iter is 4:2@m, which does not hold whole groups of 2 neighbours"},
        {"S[4:1@laneid].pack(2)", 20, 1,
         "pack: the last iter is 4:1@laneid, which does not hold whole groups of 2 neighbours"},
        {"S[(3,4):(3,1)].pack(2)", 1, 14, "pack: 3@m is not a multiple of 2"},
        {"(S[4] + R[2:3]).pack(2)", 1, 15, "pack: 3@m is not a multiple of 2"},
        {"(S[4] + 3).pack(2)", 1, 10, "pack: 3@m is not a multiple of 2"},
        {"S[4].broadcast(2, 2)", 19, 1, "broadcast: position 2 does not exist: the layout has 1 iters"},
        {"S[4].broadcast(0)", 1, 17, "broadcast: extent 1 of the shard is 0"},
        {"(S[4] + R[2:4]).inverse()", 1, 15,
         "inverse: the layout has replicas, so it does not map elements one to one to places from 0 on"},
        {"(S[4] + 4).inverse()", 1, 10,
         "inverse: the layout has an offset, so it does not map elements one to one to places from 0 on"},
        {"S[4].inverse(TCol)", 14, 4, "inverse: axis m is not among the axes"},
        {"S[(2,2):(2@TCol,1)].inverse(TCol, m)", 1, 19,
         "inverse: a stride of 2 on axis TCol where 1 would continue without gap or overlap"},
        {"S[(4,4):(4,2)].inverse()", 1, 14,
         "inverse: a stride of 2 on axis m where 1 would continue without gap or overlap"},
        {"S[(4,4):(3,1)].inverse()", 1, 14,
         "inverse: a stride of 3 on axis m where 4 would continue without gap or overlap"},
        {"slice(S[(8,8):(8,1)], (8,8), (0:8))", 30, 5, "slice: a box of rank 1 in a shape of rank 2"},
        {"slice(S[(8,8):(8,1)], (8,8), (4:4, 0:8))", 30, 10, "slice: the box is 4:4 in dimension 0 of extent 8"},
        {"slice(S[(8,8):(8,1)], (8,8), (0:8, -1:8))", 30, 11, "slice: the box is -1:8 in dimension 1 of extent 8"},
        {"slice(S[(8,8):(8,1)], (8,8), (0:8, 0:9))", 30, 10, "slice: the box is 0:9 in dimension 1 of extent 8"},
        {"slice(S[(8,8):(8,1)], (8,7), (0:8, 0:7))", 23, 5,
         "slice: dimension 1 of the shape, 7, ends where none of the extents (64) can be split"},
        {"swizzle(-1,3,3)", 9, 2, "swizzle: m is -1, outside 0..62"},
        {"swizzle(3,-1,3)", 11, 2, "swizzle: b is -1, outside 0..62"},
        {"swizzle(3,3,-3)", 13, 2, "swizzle: s is -3, outside 0..62"},
        {"swizzle(63,0,0)", 9, 2, "swizzle: m is 63, outside 0..62"},
        {"swizzle(20,21,22)", 1, 17, "swizzle: a swizzle with M = 20, B = 21, S = 22 does not exist"},
        {"ComposeLayout(63, 0, 0, S[8])", 15, 2, "ComposeLayout: per_element is 63, outside 0..62"},
        {"ComposeLayout(3, -1, 0, S[8])", 18, 2, "ComposeLayout: swizzle_len is -1, outside 0..62"},
        {"ComposeLayout(-1, 0, 0, S[8])", 15, 2, "ComposeLayout: per_element is -1, outside 0..62"},
        {"ComposeLayout(20, 21, 22, S[8])", 1, 31,
         "ComposeLayout: a swizzle with M = 20, B = 21, S = 22 does not exist"},
        {"swizzle(3,3,3) o S[(2,8):(8@TCol,1)]", 18, 19,
         "a swizzle permutes addresses on the axis m, but this layout has TCol"},
        {"swizzle(3,3,3) o (S[8] - 1)", 18, 10, "a swizzle requires addresses of 0 or more, but this layout has -1"},
        {"swizzle(6, 128B)", 9, 1, "swizzle: elements of 6 bits: not a power of two"},
        {"swizzle(256, 128B)", 9, 3, "swizzle: type is 256, outside 1..128"},
        {"swizzle(f16, 128B_atom32B_flip8B)", 14, 19,
         "swizzle: 128B_atom32B_flip8B is not an XOR of neighbouring bits"},
        {"swizzle(128, 16B)", 14, 3, "swizzle: swizzle 16B does not exist"},
        {"trainium(P, 129)", 13, 3, "trainium: 129 partitions, of 128"},
        {"trainium(PFF, (256, 2^40, 2^23))", 15, 17, "trainium: the shape's size does not fit 64 bits"},
        {"trainium(P, 0)", 13, 1, "trainium: dimension 0 of the shape is 0"},
        {"S[(2,3):(1,256@F)].psum()", 1, 18, "psum: iter 1, 3:256@F, crosses a bank of 512"},
        {"S[(2,2):(1,768@F)].psum()", 1, 18, "psum: iter 1, 2:768@F, crosses a bank of 512"},
        {"S[(2,2):(1,-1@F)].psum()", 1, 17, "psum: iter 1, 2:-1@F, crosses a bank of 512"},
        {"S[(2^31,2^31,4):(1,1,1)]", 1, 24, "the product of the extents of the shard does not fit 64 bits"},
        {"S[(2^31,2^31,2):(0,0,0)]", 1, 24, "the product of the extents of the shard does not fit 64 bits"},
        {"S[(2,2):(2^60@warpid,1@laneid)].fuse()", 1, 38, "fuse: a fused stride does not fit 64 bits"},
        {"(S[(2,2):(1@warpid,1@laneid)] + 2^60@warpid).fuse()", 1, 51, "fuse: a fused stride does not fit 64 bits"},
        {"(S[(2,2):(1@warpid,1@laneid)] + R[2:2^60@warpid]).fuse()", 1, 56,
         "fuse: a fused stride does not fit 64 bits"},
        {"S[(4,32):(1@wgid,1@laneid)].fuse()", 1, 27, "fuse: wgid counts warpgroups, and no axis selects the warp"},
        {"S[4].apply(4)", 12, 1, "apply: element 4, of elements 0..3"},
        {"S[4].apply(-1)", 12, 2, "apply: element -1, of elements 0..3"},
        {"S[4].apply(0,0)", 12, 3, "apply: 2 coordinates for a layout of 1 iters"},
        {"S[4].apply(4, shape=4)", 12, 1, "apply: coordinate 0 is 4, outside 0..3"},
        {"S[4].apply(0, shape=0)", 21, 1, "apply: dimension 0 of the shape is 0"},
        {"S[4].apply(0,0, shape=(2^32,2^32))", 23, 11, "apply: dimension 1 of the shape is 4294967296"},
        {"S[(2^20,2^20):(0,0)].owners(0)", 29, 1,
         "owners: too many elements at this place, or too many combinations to search"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) check_error(&rows[i]);
}

/* The values next to the refused ones. */
static void limits(void **state) {
    (void)state;
    static const value_row rows[] = {
        {"S[2:9223372036854775806]", "S[2:9223372036854775806]"},
        {"S[2:-9223372036854775806]", "S[2:-9223372036854775806]"},
        {"S[2:9223372036854775805] + 1", "S[2:9223372036854775805] + 1"},
        {"S[2:9223372036854775805@TCol] - 1@TCol", "S[2:9223372036854775805@TCol] - 1@TCol"},
        {"S[2:9223372036854775804] + R[2:2]", "S[2:9223372036854775804] + R[2:2]"},
        {"S[(2^31,2^31):(0,0)].size()", "4611686018427387904"},
        {"k = swizzle_between(S[2:2305843009213693952], S[2]); k.bits[0].xor_of", "(0, 61)"},
        {"swizzle_between(S[1], S[1]).bits", "()"},
        {"(swizzle(3,1,3) o S[16777216]) == (swizzle(3,2,3) o S[16777216])", "false"},
        {"(swizzle(3,3,6) o S[512]) == (swizzle(3,3,7) o S[512])", "true"}, /* both move nothing */
        {"(swizzle(3,1,3) o (S[16] + R[2:64])) == (swizzle(3,1,3) o (S[16] + R[2:64]))", "true"},
        {"S[4:1@laneid] == (swizzle(0,1,1) o S[4])", "false"},
        {"(swizzle(0,1,1) o S[4]) == S[4:1@laneid]", "false"},
        {"S[4] == S[(2,2):(2,1@TCol)]", "false"},
        {"S[1048576:0].coverage().axes[0].distinct", "1"},
        {"S[2^40].coverage().compact", "true"}, /* one run has no limit */
        {"S[2^15, 2^15].owners(5@TCol)", "()"}, /* an axis that does not occur is 0 */
        {"S[2^15, 2^15].owners(0@TCol + 32769@m)", "(32769,)"},
        {"S[(64,2,64):(64,4096,1)].slice((64,128), (0:64, 56:72))", "S[(64,2,8):(64,4040,1)] + 56"},
        {"S[(4,8):(32,2)].slice((32), (9:11))", "S[2:2] + 34"},
        {"S[(4,8):(32,2)].slice((32), (7:9))", "S[(2,1):(18,2)] + 14"},
        {"S[(4,8):(32,2)].slice((32), (23:25))", "S[(2,1):(18,2)] + 78"},
        {"S[(4,8):(32,2)].slice((32), (8:24))", "S[(2,8):(32,2)] + 32"},
        {"S[(4,8):(32,2)].slice((32), (8:20))", "none"},
        {"S[(4,8):(32,2)].slice((32), (7:10))", "none"},
        {"S[(4,8):(32@TCol,2)].slice((32), (7:9))", "none"},
        {"(S[4] + 4).pack(2)", "S[2:1] + 2"},
        {"(S[(3,4):(8,1)] + R[2:16] + 3@laneid).pack(4)", "S[(3,1):(2,1)] + R[2:4] + 3@laneid"},
        {"S[(3,4):(1@laneid,1)].pack(2)", "S[(3,2):(1@laneid,1)]"},
        {"S[(1,4):(3,1)].pack(2)", "S[(1,2):(1,1)]"}, /* one element does not step */
        {"S[()].pack(1)", "S[()]"},
        {"S[4:2].pack(1)", "S[4:2]"},
        {"atom(f16,128B).pack(8)", "swizzle(0,3,3) o S[(8,8):(8,1)]"},
        {"S[4].broadcast(2, 0)", "S[(2,4):(0,1)]"},
        {"S[4].broadcast(2, 1)", "S[(4,2):(1,0)]"},
        {"S[(2,2,3):(1@laneid,3,1)].storage()", "S[(2,3):(3,1)]"},
        {"(S[(2,3):(3,1@laneid)] + R[(2,2):(8,1@warpid)] + 2@laneid + 5).storage()", "S[2:3] + R[2:8] + 5"},
        {"S[(2,2,2):(4,2,1)].permute((2,0,1))", "S[(2,2,2):(1,4,2)]"},
        {"(S[2] + R[(2,2):(1@warpid,4@laneid)]).canonical()", "S[2:1] + R[(2,2):(4@laneid,1@warpid)]"},
        {"(S[2] + R[(2,1,2,3,2):(4,9,8,8,16)]).canonical()", "S[2:1] + R[(2,3,2,2):(16,8,8,4)]"},
        {"identical(S[2] + R[(2,2):(4,4)], S[2] + R[(2,2):(4,8)])", "false"},
        {"identical(S[2] + R[(2,2):(4,8)], S[2] + R[(2,2):(8,4)])", "true"},
        {"identical(S[2] + R[(2,2):(4,8)], S[2] + R[2:4])", "false"},
        {"identical(S[2] + R[2:4], S[2] + R[(2,2):(4,8)])", "false"},
        {"identical(S[2], S[2:1@laneid])", "false"},
        {"identical(S[2] + 1, S[2] + 2)", "false"},
        {"identical(S[2] + 1@laneid, S[2] + 1)", "false"},
        {"identical(S[2] + 1@laneid, S[2] + 1@laneid + 1)", "false"},
        {"identical(S[2] + 1@laneid + 1, S[2] + 1@laneid)", "false"},
        {"identical(swizzle(3,1,3) o S[8], swizzle(3,1,4) o S[8])", "false"},
        {"identical(swizzle(3,1,3) o S[8], swizzle(2,1,3) o S[8])", "false"},
        {"identical(swizzle(3,1,3) o S[8], swizzle(3,2,3) o S[8])", "false"},
        {"identical(swizzle(3,1,3) o S[8], swizzle(3,1,3,outer) o S[8])", "false"},
        {"identical(swizzle(3,1,3) o S[8], S[8])", "false"},
        {"S[()].group_many((1,1))", "{layout: S[(1,1):(1,1)], starts: ((0, 1, 2),)}"},
        {"S[(2,3):(1,2)].inverse()", "S[(3,2):(1,3)]"},
        {"S[(2,3,4):(1@TCol,1,3)].inverse(TCol, m)", "S[(2,4,3):(12,1,4)]"},
        {"S[(2,3,4):(1@TCol,1,3)].inverse(m, TCol)", "S[(4,3,2):(1,4,12)]"},
        {"S[1:5].inverse()", "S[1:1]"},
    };
    CHECK_ROWS(rows);
}

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
static void lists_may_be_full(void **state) {
    (void)state;
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
static void axes_may_be_full(void **state) {
    (void)state;
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
    more.offset.n = TMAP_AXES_MAX + 1;
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
    more.offset.n = -1;
    assert_int_equal(tmap_layout_check(&more, NULL), TMAP_REFUSED);
}

/* ---- Searches --------------------------------------------------------------------------------------------------- */

/* A search of three iters whose strides do not overlap takes four steps, in any order of the iters. */
static void searches_do_not_go_back(void **state) {
    (void)state;
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
static void scratchpads_may_be_full(void **state) {
    (void)state;
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

/* An axis that the place does not name is searched last: the first two iters show that nothing is at 2. */
static void free_axes_are_the_last(void **state) {
    (void)state;
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

/* A product has an iter for every dimension of both shapes, and the copies of both layouts. */
static void products_may_be_full(void **state) {
    (void)state;
    tmap_layout one = many(1, 0), copies = one, out;
    tmap_shape ones = {.rank = TMAP_ITERS_MAX / 2};
    for (int i = 0; i < TMAP_ITERS_MAX; i++) ones.at[i] = 1;
    assert_int_equal(tmap_layout_tile(&one, &one, &ones, &ones, &out, NULL), TMAP_OK);
    ones.rank++;
    assert_int_equal(tmap_layout_tile(&one, &one, &ones, &ones, &out, NULL), TMAP_REFUSED);
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
static void the_smallest_owners_are_stored(void **state) {
    (void)state;
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

static void words_and_numbers(void **state) {
    (void)state;
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
                {8, -128, TMAP_SWIZZLE_NONE}, {8, 1, TMAP_SWIZZLE_NONE},    {32, INT64_MAX - 31, TMAP_SWIZZLE_128B}};
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
static void maps_between_swizzles(void **state) {
    (void)state;
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
}

/* Repeated, so that a leak leaves more blocks than one. */
static void sums_are_freed(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(limits),
        cmocka_unit_test(lists_may_be_full),
        cmocka_unit_test(axes_may_be_full),
        cmocka_unit_test(searches_do_not_go_back),
        cmocka_unit_test(scratchpads_may_be_full),
        cmocka_unit_test(free_axes_are_the_last),
        cmocka_unit_test(products_may_be_full),
        cmocka_unit_test(the_smallest_owners_are_stored),
        cmocka_unit_test(words_and_numbers),
        cmocka_unit_test(maps_between_swizzles),
        cmocka_unit_test(sums_are_freed),
    };
    return cmocka_run_group_tests_name("layout_limits", tests, NULL, NULL) != 0;
}
