/*
 * Room plan: maps for layouts against the worked examples of TIRx's planner (tma_auto: a swizzled operand, heads of an
 * attention query) and numbers derived by hand; every plan of random layouts is proved; matrix descriptors against
 * those of published kernels; the layout of a box against tmap_copy_locate.
 */
#include "layout_fixture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/plan.h"

/* "2048,32,128" */
static tmap_shape shape_of(const char *text) {
    tmap_shape shape = {.rank = 0};
    for (char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) shape.at[shape.rank++] = strtoll(text, &end, 10);
    return shape;
}

static tmap_plan_request request_of(tmap_type type, const char *shape, const char *begin, const char *tile,
                                    const char *layout) {
    tmap_plan_request r = {
        .type = type, .op = TMAP_OP_LOAD, .shape = shape_of(shape), .begin = shape_of(begin), .tile = shape_of(tile)};
    int64_t stride = 1;
    for (int d = r.shape.rank - 1; d >= 0; d--) {
        r.strides_el[d] = stride;
        stride *= r.shape.at[d];
    }
    r.shared = layout_of(layout);
    return r;
}

static void expect_list(const char *what, const uint64_t *seen, const char *wanted) {
    tmap_shape list = shape_of(wanted);
    for (int i = 0; i < list.rank; i++)
        if (seen[i] != (uint64_t)list.at[i])
            fail_msg("%s[%d] is %" PRIu64 ", not %" PRId64, what, i, seen[i], list.at[i]);
}

/* ---- Plans ------------------------------------------------------------------------------------------------------ */

static const struct {
    tmap_type type;
    const char *shape, *begin, *tile, *layout;
    /* Of the map innermost first; `at` of the first copy. */
    const char *dims, *strides, *box, *at;
    uint64_t copies;
} examples[] = {
    /* TIRx: an f16 operand of one instruction, blocks of 64 columns. */
    {TMAP_TYPE_F16, "64,256", "0,0", "64,256", "swizzle(f16,128B) o S[(64,4,64):(64,4096,1)]", "64,64,4", "512,128",
     "64,64,4", "0,0,0", 1},
    /* TIRx: 4 of 32 heads of a query, rows by heads, two blocks of 64 columns. */
    {TMAP_TYPE_F16, "2048,32,128", "0,0,0", "32,4,128", "swizzle(f16,128B) o S[(32,4,2,64):(256,64,8192,1)]",
     "64,32,2048,2", "256,8192,128", "64,4,32,2", "0,0,0,0", 1},
    /* A K-major tile of a GEMM operand. */
    {TMAP_TYPE_BF16, "8192,4096", "256,64", "128,64", "swizzle(bf16,128B) o S[(128,64):(64,1)]", "4096,8192", "8192",
     "64,128", "64,256", 1},
    /* Two blocks of K: one copy if 64 divides the size; otherwise one copy per block. */
    {TMAP_TYPE_BF16, "8192,4096", "256,128", "128,128", "swizzle(bf16,128B) o S[(128,2,64):(64,8192,1)]", "64,8192,64",
     "8192,128", "64,128,2", "0,256,2", 1},
    {TMAP_TYPE_BF16, "8192,4104", "256,128", "128,128", "swizzle(bf16,128B) o S[(128,2,64):(64,8192,1)]", "4104,8192",
     "8208", "64,128", "128,256", 2},
    /* MN-major: the contiguous dimension is M. */
    {TMAP_TYPE_F16, "4096,8192", "64,128", "64,128", "swizzle(f16,128B) o S[(64,2,64):(64,4096,1)]", "64,4096,128",
     "16384,128", "64,64,2", "0,64,2", 1},
    /* 512 rows are two boxes of 256 with one more dimension, */
    {TMAP_TYPE_F16, "1024,64", "0,0", "512,64", "swizzle(f16,128B) o S[(512,64):(64,1)]", "64,256,4", "128,32768",
     "64,256,2", "0,0,0", 1},
    /* or two copies where 256 does not divide the rows. */
    {TMAP_TYPE_F16, "1000,64", "0,0", "512,64", "swizzle(f16,128B) o S[(512,64):(64,1)]", "64,1000", "128", "64,256",
     "0,0", 2},
    /* Stages of a pipeline: a loop if there is a gap between two stages. */
    {TMAP_TYPE_F16, "4,128,64", "0,0,0", "4,128,64", "swizzle(f16,128B) o S[(4,128,64):(16384,64,1)]", "64,128,4",
     "128,16384", "64,128", "0,0,0", 4},
    /* Rows narrower than the span of the swizzle. */
    {TMAP_TYPE_F16, "64,128", "8,8", "16,48", "swizzle(f16,128B) o S[(16,48):(64,1)]", "128,64", "256", "48,16", "8,8",
     1},
    /* Over the edge of the tensor. */
    {TMAP_TYPE_F32, "100,20", "96,16", "8,8", "S[(8,8):(8,1)]", "20,100", "80", "8,8", "16,96", 1},
    {TMAP_TYPE_F32, "100,20", "-4,-8", "8,16", "S[(8,16):(16,1)]", "20,100", "80", "16,8", "-8,-4", 1},
    /* A whole contiguous block is a vector of at most 256 elements. */
    {TMAP_TYPE_U8, "16,16", "0,0", "16,16", "S[256]", "256", "", "256", "0", 1},
    /* Dense rows that are not a multiple of 16 bytes: a vector of 512, cut at 256; */
    {TMAP_TYPE_U8, "64,8", "0,0", "64,8", "S[(64,8):(8,1)]", "256,2", "256", "256,2", "0,0", 1},
    /* 8000 = 160 x 50, the largest divisor up to 256 whose bytes are a multiple of 16; */
    {TMAP_TYPE_U8, "1000,8", "0,0", "1000,8", "S[(1000,8):(8,1)]", "160,50", "160", "160,50", "0,0", 1},
    /* some of the rows, from the second block of 16 on; */
    {TMAP_TYPE_F32, "3,64,3", "1,16,0", "1,16,3", "S[(16,3):(3,1)]", "192,3", "768", "48,1", "48,1", 1},
    /* rows over the edge are beyond the end of the vector. */
    {TMAP_TYPE_U8, "30,8", "16,0", "16,8", "S[(16,8):(8,1)]", "240", "", "128", "128", 1},
    /* A 32B swizzle splits rows of 64 bytes into pieces. */
    {TMAP_TYPE_U8, "8,64", "0,0", "8,64", "swizzle(u8,32B) o S[(8,2,32):(32,256,1)]", "32,8,2", "64,32", "32,8,2",
     "0,0,0", 1},
};

TEST(layouts_get_their_maps) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        tmap_plan_request r =
            request_of(examples[i].type, examples[i].shape, examples[i].begin, examples[i].tile, examples[i].layout);
        tmap_plan plan;
        tmap_diag why;
        if (tmap_plan_make(&r, &plan, &why) != TMAP_OK) fail_msg("%s: %s", examples[i].layout, why.message);
        assert_int_equal(plan.map.rank, shape_of(examples[i].dims).rank);
        expect_list("dims", plan.map.dims_el, examples[i].dims);
        expect_list("strides", plan.map.strides_B, examples[i].strides);
        expect_list("box", plan.map.box_el, examples[i].box);
        expect_list("at", (const uint64_t *)plan.first.at, examples[i].at);
        assert_int_equal(plan.copies_n, examples[i].copies);
        if (tmap_plan_prove(&plan, &r, NULL, &why) != TMAP_OK) fail_msg("%s: %s", examples[i].layout, why.message);
    }
}

static const struct {
    const char *rule, *shape, *tile, *layout;
} refused[] = {
    {"plan-swizzle", "64,64", "64,64", "swizzle(4,3,3) o S[(64,64):(64,1)]"},
    {"plan-memory", "64,64", "64,64", "S[(64,64):(64@TLane,1@TCol)]"},
    {"plan-memory", "64,64", "64,64", "S[(64,64):(64,1)] + R[2:4096]"},
    {"plan-memory", "64,64", "64,64", "S[(64,64):(64,1)] + -64"},
    {"plan-memory", "64,64", "64,64", "S[(64,64):(1,0)]"},
    {"plan-domain", "64,64", "64,64", "S[(64,32):(32,1)]"},
    {"copy-shared-align", "64,64", "64,64", "S[(64,64):(64,1)] + 5"},
    {"copy-shared-fits", "4096,4096", "4096,4096", "swizzle(f16,128B) o S[(4096,64,64):(64,262144,1)]"},
    {"copy-shared-fits", "1028,128", "1028,128", "S[(1028,128):(128,1)]"},
    {"plan-domain", "8,3", "8,3", "S[(6,4):(1,6)]"},
    {"plan-dense", "64,64", "64,64", "S[(64,64):(128,2)]"},
    {"inner-contiguous", "64,64", "64,64", "S[(64,64):(1,64)]"},
    {"plan-request", "64,64", "64", "S[(64,64):(64,1)]"},
    {"plan-request", "64,0", "64,64", "S[(64,64):(64,1)]"},
    {"stride-align", "64,60", "8,8", "S[(8,8):(8,1)]"},
    {"box-inner-align", "64,64", "8,4", "S[(8,4):(4,1)]"},
};

TEST(the_obstacle_is_named) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *begin = shape_of(refused[i].tile).rank == 1 ? "0" : "0,0";
        tmap_plan_request r = request_of(TMAP_TYPE_F16, refused[i].shape, begin, refused[i].tile, refused[i].layout);
        tmap_plan plan;
        tmap_diag why;
        assert_int_not_equal(tmap_plan_make(&r, &plan, &why), TMAP_OK);
        assert_string_equal(why.rule, refused[i].rule);
        assert_true(tmap_rule_find(why.rule) >= 0);
        assert_true(why.message[0] != '\0');
    }
}

TEST(the_nearest_layout_can_be_filled) {
    tmap_plan_request r = request_of(TMAP_TYPE_F16, "64,64", "0,0", "64,64", "S[(64,64):(1,64)]");
    tmap_plan plan;
    tmap_diag why;
    assert_int_equal(tmap_plan_make(&r, &plan, &why), TMAP_REFUSED);
    tmap_layout nearest;
    assert_true(tmap_plan_nearest(&r, &nearest));
    tmap_layout wanted = layout_of("swizzle(f16,128B) o S[(64,64):(64,1)]");
    bool equal = false;
    assert_int_equal(tmap_layout_equal(&nearest, &wanted, &equal, NULL), TMAP_OK);
    assert_true(equal);
}

TEST(the_swizzle_phase_is_checked) {
    tmap_plan_request r = request_of(TMAP_TYPE_F16, "64,64", "0,0", "8,64", "swizzle(f16,128B) o S[(8,64):(64,1)]");
    tmap_plan plan;
    tmap_diag why;
    r.shared_address = 0x400;
    assert_int_equal(tmap_plan_make(&r, &plan, &why), TMAP_OK);
    assert_int_equal(tmap_plan_prove(&plan, &r, NULL, &why), TMAP_OK);
    assert_int_equal(plan.first.shared, 0x400);
    r.shared_address = 0x480;
    assert_int_equal(tmap_plan_make(&r, &plan, &why), TMAP_REFUSED);
    assert_string_equal(why.rule, "plan-phase");
}

/* The proof rejects a plan for another request. */
TEST(proofs_can_fail) {
    tmap_plan_request r = request_of(TMAP_TYPE_F16, "64,64", "0,0", "8,64", "swizzle(f16,128B) o S[(8,64):(64,1)]");
    tmap_plan plan, other;
    tmap_diag why;
    assert_int_equal(tmap_plan_make(&r, &plan, &why), TMAP_OK);
    other = plan, other.first.at[1] = 1;
    assert_int_equal(tmap_plan_prove(&other, &r, NULL, &why), TMAP_REFUSED);
    assert_string_equal(why.rule, "plan-proof");
    other = plan, other.map.swizzle = TMAP_SWIZZLE_NONE;
    assert_int_equal(tmap_plan_prove(&other, &r, NULL, &why), TMAP_REFUSED);
    other = plan, other.map.box_el[1] = 7;
    assert_int_equal(tmap_plan_prove(&other, &r, NULL, &why), TMAP_REFUSED);
    other = plan, other.map.box_el[1] = 9;
    assert_int_equal(tmap_plan_prove(&other, &r, NULL, &why), TMAP_REFUSED);
}

/* ---- Random layouts --------------------------------------------------------------------------------------------- */

static uint64_t below(tmap_random *random, uint64_t n) {
    return tmap_random_between(random, 0, n - 1);
}

/*
 * A random tile in shared memory with its dimensions in a random order, sometimes with gaps; the innermost dimension is
 * usually contiguous.
 */
static tmap_plan_request random_request(tmap_random *random) {
    static const tmap_type types[] = {TMAP_TYPE_U8, TMAP_TYPE_F16, TMAP_TYPE_F32, TMAP_TYPE_TF32, TMAP_TYPE_F64};
    static const tmap_swizzle modes[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    tmap_plan_request r = {.op = TMAP_OP_LOAD, .type = types[below(random, 5)]};
    const tmap_type_info *type = tmap_type_get((int)r.type);
    tmap_swizzle mode = modes[below(random, 4)];
    int rank = 1 + (int)below(random, 3), digits = 0, order[16];
    int64_t stride = 1;
    r.shape.rank = r.begin.rank = r.tile.rank = rank;
    for (int d = 0; d < rank; d++) {
        r.tile.at[d] = 1;
        for (int k = 1 + (int)below(random, 2); k > 0; k--) {
            int64_t extent = d == rank - 1 && k == 1 ? (int64_t)16 << below(random, 3) : 1 + (int64_t)below(random, 5);
            r.shared.shard.at[digits] = (tmap_iter){extent, 0, tmap_axis_get(TMAP_AXIS_ID_M)};
            r.tile.at[d] *= extent;
            order[digits] = digits, digits++;
        }
    }
    r.shared.shard.n = digits;
    for (int i = digits - 2; i > 0; i--) {
        int k = (int)below(random, (uint64_t)i + 1), one = order[i];
        order[i] = order[k], order[k] = one;
    }
    int64_t span = (int64_t)tmap_swizzle_get((int)mode)->span_B / (int64_t)type->unit_shared_B;
    for (int i = digits - 1; i >= 0; i--) {
        tmap_iter *iter = &r.shared.shard.at[order[i]];
        iter->stride = stride;
        stride *= iter->extent;
        if (i == digits - 1 && span > stride && span % stride == 0) stride = span;
        if (below(random, 8) == 0) stride *= 2;
    }
    if (mode != TMAP_SWIZZLE_NONE)
        r.shared.has_swizzle = tmap_xor_of_mode(type->bits, mode, &r.shared.swizzle, NULL) == TMAP_OK;
    stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        r.shape.at[d] = r.tile.at[d] * (1 + (int64_t)below(random, 3)) + (int64_t)below(random, 4) / 3 * 16;
        r.begin.at[d] = (int64_t)below(random, 3) * r.tile.at[d] - (int64_t)below(random, 5) / 4 * 16;
        r.strides_el[d] = stride;
        stride *= r.shape.at[d];
    }
    return r;
}

TEST(every_plan_is_proved) {
    const char *times = getenv("TMAP_TIMES");
    uint64_t cases = (uint64_t)(5000 * (times ? strtod(times, NULL) : 1)), planned = 0, looped = 0;
    for (uint64_t seed = 0; seed < cases; seed++) {
        tmap_random random = {seed};
        tmap_plan_request r = random_request(&random);
        tmap_plan plan;
        tmap_diag why;
        if (tmap_layout_check(&r.shared, NULL) != TMAP_OK || tmap_plan_make(&r, &plan, &why) != TMAP_OK) continue;
        if (tmap_plan_prove(&plan, &r, NULL, &why) != TMAP_OK) fail_msg("seed %" PRIu64 ": %s", seed, why.message);
        planned++;
        looped += plan.copies_n > 1;
    }
    print_message("%" PRIu64 " random layouts: %" PRIu64 " planned and proved, %" PRIu64 " of them in several copies\n",
                  cases, planned, looped);
    assert_true(planned > cases / 10);
    assert_true(looped > cases / 100);
}

/* ---- Matrix descriptors ----------------------------------------------------------------------------------------- */

static const struct {
    tmap_matrix_consumer consumer;
    tmap_type type;
    const char *shape, *layout;
    uint64_t address, bits;
    bool mn_major;
} descriptors[] = {
    /* fast.cu and DeepGEMM for a K-major operand, 128B: leading 1 (not used), stride 64 (1024 B), layout type 1. */
    {TMAP_WGMMA, TMAP_TYPE_BF16, "64,64", "swizzle(bf16,128B) o S[(64,64):(64,1)]", 0x400, 0x4000004000010040, false},
    /* PTX ISA, matrix base offset: (pattern start address >> 7) & 7 where 128B does not begin at a multiple of 1024 B.
     */
    {TMAP_WGMMA, TMAP_TYPE_BF16, "64,64", "swizzle(bf16,128B) o S[(64,64):(64,1)]", 0x680, 0x400a004000010068, false},
    {TMAP_WGMMA, TMAP_TYPE_BF16, "64,32", "swizzle(bf16,64B) o S[(64,32):(32,1)]", 0, 0x8000002000010000, false},
    {TMAP_WGMMA, TMAP_TYPE_BF16, "64,16", "swizzle(bf16,32B) o S[(64,16):(16,1)]", 0, 0xc000001000010000, false},
    /*
     * MN-major, 128 of M by 16 of K: the stride offset leads to the next 8 of K (1024 B), the leading offset to the
     * next 64 of M (64 x 16 x 2 = 2048 B).
     */
    {TMAP_WGMMA, TMAP_TYPE_F16, "128,16", "swizzle(f16,128B) o S[(2,64,16):(1024,1,64)]", 0, 0x4000004000800000, true},
    /*
     * No swizzle, K-major core matrices of 8 x 16 B: the next 8 rows are 128 B further, the next 16 B of K follow all
     * rows.
     */
    {TMAP_WGMMA, TMAP_TYPE_F16, "64,16", "S[(64,2,8):(8,512,1)]", 0, 0x0000000800400000, false},
    /* tcgen05: the constant 1 in bits 46-48, codes 2, 4 and 6. */
    {TMAP_TCGEN05, TMAP_TYPE_BF16, "128,64", "swizzle(bf16,128B) o S[(128,64):(64,1)]", 0, 0x4000404000010000, false},
    {TMAP_TCGEN05, TMAP_TYPE_BF16, "128,32", "swizzle(bf16,64B) o S[(128,32):(32,1)]", 0, 0x8000402000010000, false},
    {TMAP_TCGEN05, TMAP_TYPE_U8, "128,128", "swizzle(u8,128B) o S[(128,128):(128,1)]", 0, 0x4000404000010000, false},
    /*
     * CUTLASS, B128_BASE32B (code 1): the stride offset leads to the next 4 of K (512 B), the leading offset to the
     * next 32 of M (32 x 8 x 4 = 1024 B).
     */
    {TMAP_TCGEN05, TMAP_TYPE_TF32, "64,8", "swizzle(tf32,128B_atom32B) o S[(2,32,8):(256,1,32)]", 0, 0x2000402000400000,
     true},
};

TEST(operands_are_described) {
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        tmap_layout layout = layout_of(descriptors[i].layout);
        tmap_shape shape = shape_of(descriptors[i].shape);
        tmap_matrix_descriptor d;
        tmap_diag why;
        const tmap_type_info *type = tmap_type_get((int)descriptors[i].type);
        if (tmap_matrix_describe(descriptors[i].consumer, &layout, &shape, type, descriptors[i].address, &d, &why) !=
            TMAP_OK)
            fail_msg("%s: %s", descriptors[i].layout, why.message);
        if (d.bits != descriptors[i].bits) fail_msg("%s: 0x%016" PRIx64, descriptors[i].layout, d.bits);
        assert_int_equal(d.mn_major, descriptors[i].mn_major);
    }
}

TEST(operands_without_a_descriptor_are_refused) {
    static const struct {
        tmap_matrix_consumer consumer;
        tmap_type type;
        const char *shape, *layout;
    } rows[] = {
        {TMAP_WGMMA, TMAP_TYPE_F16, "64,64", "S[(64,64):(64,1)]"},                             /* plain rows */
        {TMAP_WGMMA, TMAP_TYPE_U8, "128,16", "swizzle(u8,128B) o S[(128,16):(1,128)]"},        /* MN-major bytes */
        {TMAP_WGMMA, TMAP_TYPE_F16, "60,64", "swizzle(f16,128B) o S[(60,64):(64,1)]"},         /* not whole atoms */
        {TMAP_WGMMA, TMAP_TYPE_F32, "64,32", "swizzle(f32,128B_atom32B) o S[(64,32):(32,1)]"}, /* a mode of tcgen05 */
        {TMAP_WGMMA, TMAP_TYPE_F16, "64,64", "swizzle(4,3,3) o S[(64,64):(64,1)]"},            /* not a mode */
        {TMAP_TCGEN05, TMAP_TYPE_F32, "8,4", "S[(8,4):(4,1)] + 4611686018427387000"}, /* beyond the address space */
        {TMAP_WGMMA, TMAP_TYPE_F16, "64,64", "S[(64,64):(1099511627776,1)]"},
        {TMAP_TCGEN05, TMAP_TYPE_F32, "64,8",
         "swizzle(f32,128B) o S[(2,32,8):(256,1,32)]"}, /* MN-major, atoms of 16 B */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_shape shape = shape_of(rows[i].shape);
        tmap_matrix_descriptor d;
        tmap_diag why;
        assert_int_equal(
            tmap_matrix_describe(rows[i].consumer, &layout, &shape, tmap_type_get((int)rows[i].type), 0, &d, &why),
            TMAP_REFUSED);
        assert_true(why.message[0] != '\0');
    }
}

/* ---- Layouts of boxes ------------------------------------------------------------------------------------------- */

/* The layout of the box of generated copies; every_plan_is_proved tests the other direction. */
TEST(boxes_are_at_the_places_of_their_layout) {
    int held = 0, of_pixels = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        tmap_random random = {seed};
        tmap_map_params params;
        tmap_map map;
        tmap_copy copy;
        tmap_layout layout;
        tmap_random_map(&random, false, &params);
        tmap_copy_params at = {.op = TMAP_OP_LOAD, .at_n = (int)params.rank, .shared = 1024 * below(&random, 3)};
        if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK ||
            tmap_copy_init(&copy, &map, &at, NULL, NULL) != TMAP_OK ||
            tmap_layout_of_copy(&copy, &layout, NULL) != TMAP_OK)
            continue;
        held++;
        of_pixels += params.mode != TMAP_MODE_TILED;
        for (int k = 0; k < 64; k++) {
            uint32_t index[TMAP_RANK_MAX] = {0};
            int64_t element = 0, offset;
            tmap_place place;
            for (int d = copy.rank - 1; d >= 0; d--) {
                index[d] = (uint32_t)below(&random, copy.counts[d]);
                element = element * copy.counts[d] + index[d];
            }
            tmap_copy_locate(&copy, index, &place);
            tmap_layout_offsets(&layout, tmap_axis_get(TMAP_AXIS_ID_M), element, 1, &offset);
            assert_int_equal(offset * (int64_t)copy.map.type->unit_shared_B, place.shared);
        }
    }
    assert_true(held > 500 && of_pixels > 100);
}

TEST(rows_get_the_largest_atom) {
    static const struct {
        tmap_type type;
        const char *tile, *layout;
    } rows[] = {
        {TMAP_TYPE_F16, "64,256", "swizzle(f16,128B) o S[(64,4,64):(64,4096,1)]"},
        {TMAP_TYPE_F16, "64,32", "swizzle(f16,64B) o S[(64,32):(32,1)]"},
        {TMAP_TYPE_F16, "64,48", "swizzle(f16,32B) o S[(64,3,16):(16,1024,1)]"},
        {TMAP_TYPE_F16, "64,8", "S[(64,8):(8,1)]"},
        {TMAP_TYPE_U8, "3,64,128", "swizzle(u8,128B) o S[(3,64,128):(8192,128,1)]"},
        /* One head: its rows follow the rows of the head before. */
        {TMAP_TYPE_F16, "1,128,1,128", "swizzle(f16,128B) o S[(128,2,64):(64,8192,1)]"},
        {TMAP_TYPE_F16, "1,1,64", "swizzle(f16,128B) o S[64]"},
        /* Without a swizzle, in boxes of at most 256. */
        {TMAP_TYPE_U8, "4,528", "S[(4,3,176):(176,704,1)]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_shape tile = shape_of(rows[i].tile);
        tmap_layout made, wanted = layout_of(rows[i].layout);
        bool equal = false;
        assert_int_equal(tmap_layout_for_columns(tmap_type_get((int)rows[i].type), &tile, &made, NULL), TMAP_OK);
        assert_int_equal(tmap_layout_equal(&made, &wanted, &equal, NULL), TMAP_OK);
        assert_true(equal);
    }
}

TEST(blocks_have_the_requested_width) {
    static const struct {
        tmap_swizzle swizzle;
        const char *tile, *layout; /* NULL: refused */
        uint64_t stage_B;
    } rows[] = {
        {TMAP_SWIZZLE_64B, "16,128", "swizzle(f16,64B) o S[(16,4,32):(32,512,1)]", 4096},
        {TMAP_SWIZZLE_128B, "10,48", "swizzle(f16,128B) o S[(10,48):(64,1)]", 2048}, /* whole patterns of 1024 B */
        {TMAP_SWIZZLE_NONE, "10,24", "S[(10,24):(24,1)]", 512},
        {TMAP_SWIZZLE_128B, "10,96", NULL, 0},
        {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, "8,64", NULL, 0},
        {TMAP_SWIZZLE_128B, "64", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tmap_type_info *type = tmap_type_get(TMAP_TYPE_F16);
        tmap_shape tile = shape_of(rows[i].tile);
        tmap_layout made, wanted;
        tmap_diag error;
        bool equal = false;
        tmap_status status = tmap_layout_in_blocks(type, &tile, rows[i].swizzle, &made, &error);
        assert_int_equal(status, rows[i].layout ? TMAP_OK : TMAP_REFUSED);
        if (!rows[i].layout) continue;
        wanted = layout_of(rows[i].layout);
        assert_int_equal(tmap_layout_equal(&made, &wanted, &equal, NULL), TMAP_OK);
        assert_true(equal);
        assert_int_equal(tmap_plan_stage_B(&made, TMAP_TYPE_F16), rows[i].stage_B);
    }
    tmap_layout huge = layout_of("S[(2,8):(1000000000,1)]");
    assert_int_equal(tmap_plan_stage_B(&huge, TMAP_TYPE_F16), 0);
}
