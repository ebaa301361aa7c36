/*
 * Room plan, convolutions: corners, strides and offsets against the formulas of CUTLASS (compute_lower_corner_whd,
 * compute_upper_corner_whd, compute_lower_srt of include/cutlass/conv/collective/detail.hpp) and the examples of PTX
 * ISA 5.5.4 and of Triton's convolutions; convolutions that cannot be planned, each with the nearest one that can;
 * proofs that find planted errors. tests/layouts/prop_conv.c tests random convolutions.
 */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tmap/unstable/language.h"
#include "tmap/unstable/plan_conv.h"

/* Reads "2048,32,128", outermost first; returns the number of dimensions. */
static int list_of(const char *text, int64_t *at) {
    int n = 0;
    for (char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) at[n++] = strtoll(text, &end, 10);
    return n;
}

typedef struct conv_row {
    tmap_conv_op op;
    tmap_type type;
    const char *shape, *filter, *padding, *after, *stride, *dilation; /* n, h, w, c; k, r, s; "" for the plain layout */
    const char *tile;
} conv_row;

static tmap_conv_request request_of(const conv_row *row) {
    int64_t shape[8], filter[8];
    int spatial_n = list_of(row->shape, shape) - 2;
    tmap_conv_request r = {.conv = tmap_conv_plain(spatial_n), .type = row->type, .tile = {.rank = 2}};
    r.conv.op = row->op;
    r.conv.batch = shape[0], r.conv.channels = shape[spatial_n + 1];
    assert_int_equal(list_of(row->filter, filter), spatial_n + 1);
    r.conv.filters = filter[0];
    memcpy(r.conv.size, shape + 1, (size_t)spatial_n * sizeof shape[0]);
    memcpy(r.conv.filter, filter + 1, (size_t)spatial_n * sizeof filter[0]);
    list_of(row->padding, r.conv.pad_lower);
    list_of(row->after ? row->after : row->padding, r.conv.pad_upper);
    list_of(row->stride, r.conv.stride);
    list_of(row->dilation, r.conv.dilation);
    assert_int_equal(list_of(row->tile, r.tile.at), 2);
    assert_int_equal(tmap_layout_for_columns(tmap_type_get((int)row->type), &r.tile, &r.shared, NULL), TMAP_OK);
    return r;
}

static tmap_conv_plan planned(const tmap_conv_request *r, const char *what) {
    tmap_conv_plan plan;
    tmap_conv_proof proof;
    tmap_diag why;
    if (tmap_conv_plan_make(r, &plan, &why) != TMAP_OK) fail_msg("%s: %s", what, why.message);
    if (tmap_conv_plan_prove(&plan, r, NULL, &proof, &why) != TMAP_OK) fail_msg("%s: %s", what, why.message);
    assert_int_equal(proof.tiles_n, plan.pixel_tiles_n * plan.steps_n);
    assert_true(proof.proved_n > 0 && proof.proved_n <= proof.tiles_n);
    return plan;
}

/* ---- Maps ------------------------------------------------------------------------------------------------------- */

static const struct {
    conv_row conv;
    const char *dims, *lower, *upper, *element_strides; /* innermost first */
    uint64_t channels, pixels, pixels_n, copies;
    tmap_swizzle swizzle;
} maps[] = {
    /* ResNet's 3 x 3, padding 1: the corners of PTX ISA figure 13, -1 and 1 - 2. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "32,56,56,64", "64,3,3", "1,1", NULL, "", "", "128,64"},
     "64,56,56,32",
     "-1,-1",
     "-1,-1",
     "1,1,1,1",
     64,
     128,
     32 * 56 * 56,
     1,
     TMAP_SWIZZLE_128B},
    /* Without padding, figure 14: 0 and -2. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "64,9,14,64", "64,3,3", "0,0", NULL, "", "", "64,8"},
     "64,14,9,64",
     "0,0",
     "-2,-2",
     "1,1,1,1",
     8,
     64,
     64 * 7 * 12,
     1,
     TMAP_SWIZZLE_NONE},
    /* 1 x 1. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_BF16, "8,28,28,256", "64,1,1", "0,0", NULL, "", "", "128,128"},
     "256,28,28,8",
     "0,0",
     "0,0",
     "1,1,1,1",
     64,
     128,
     8 * 28 * 28,
     2,
     TMAP_SWIZZLE_128B},
    /* Triton's strided convolution: 56 x 56 to 28 x 28. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "32,56,56,64", "64,3,3", "1,1", NULL, "2,2", "", "128,64"},
     "64,56,56,32",
     "-1,-1",
     "-1,-1",
     "1,2,2,1",
     64,
     128,
     32 * 28 * 28,
     1,
     TMAP_SWIZZLE_128B},
    /* specs/cutlass_conv.yaml: dilation 2, padding 2: -2, and 2 - 4; and the gradient without padding: -2, and 0. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_BF16, "8,28,28,128", "64,3,3", "2,2", NULL, "", "2,2", "64,64"},
     "128,28,28,8",
     "-2,-2",
     "-2,-2",
     "1,1,1,1",
     64,
     64,
     8 * 28 * 28,
     1,
     TMAP_SWIZZLE_128B},
    {{TMAP_CONV_DGRAD, TMAP_TYPE_BF16, "8,14,14,64", "128,3,3", "0,0", NULL, "", "", "64,64"},
     "128,12,12,8",
     "-2,-2",
     "0,0",
     "1,1,1,1",
     64,
     64,
     8 * 14 * 14,
     1,
     TMAP_SWIZZLE_128B},
    /* dgrad: padding - (filter - 1) x dilation, and lower + size of dx - size of dy: 1 - 4, and -3 + 14 - 13. */
    {{TMAP_CONV_DGRAD, TMAP_TYPE_F16, "2,14,14,64", "64,3,3", "1,1", "2,2", "", "2,2", "64,64"},
     "64,13,13,2",
     "-3,-3",
     "-2,-2",
     "1,1,1,1",
     64,
     64,
     2 * 14 * 14,
     1,
     TMAP_SWIZZLE_128B},
    /* Each dimension with its own numbers, w first in the map: h 0 and 3 - 4, w -2 and 1 - 3 x 2. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,20,30,64", "64,5,4", "0,2", "3,1", "1,3", "1,2", "32,64"},
     "64,30,20,2",
     "-2,0",
     "-5,-1",
     "1,3,1,1",
     64,
     32,
     2 * 19 * 9,
     1,
     TMAP_SWIZZLE_128B},
    /* specs/cutlass_conv3d.yaml. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,16,16,32", "32,3,3,3", "1,1,1", NULL, "", "", "128,32"},
     "32,16,16,8,2",
     "-1,-1,-1",
     "-1,-1,-1",
     "1,1,1,1,1",
     32,
     128,
     2 * 8 * 16 * 16,
     1,
     TMAP_SWIZZLE_64B},
    /* One dimension, causal: padding of 4 before and 0 after. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F32, "4,1000,64", "64,5", "4", "0", "", "", "128,32"},
     "64,1000,4",
     "-4",
     "-4",
     "1,1,1",
     32,
     128,
     4 * 1000,
     1,
     TMAP_SWIZZLE_128B},
    /* The gradient of the filters unfolds the same input. */
    {{TMAP_CONV_WGRAD, TMAP_TYPE_BF16, "8,14,14,128", "64,3,3", "1,1", NULL, "2,2", "", "64,128"},
     "128,14,14,8",
     "-1,-1",
     "-1,-1",
     "1,2,2,1",
     64,
     64,
     8 * 7 * 7,
     2,
     TMAP_SWIZZLE_128B},
    /* 2048 pixels are two columns of 1024; the 512 bytes of a pixel are four blocks of 128. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_U8, "8,30,30,512", "64,3,3", "0,0", NULL, "", "", "2048,32"},
     "512,30,30,8",
     "0,0",
     "-2,-2",
     "1,1,1,1",
     32,
     1024,
     8 * 28 * 28,
     2,
     TMAP_SWIZZLE_32B},
    {{TMAP_CONV_FPROP, TMAP_TYPE_U8, "8,30,30,512", "64,3,3", "0,0", NULL, "", "", "96,512"},
     "512,30,30,8",
     "0,0",
     "-2,-2",
     "1,1,1,1",
     128,
     96,
     8 * 28 * 28,
     4,
     TMAP_SWIZZLE_128B},
    /* A tile wider than the tensor's channels. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "3,5,5,8", "64,3,3", "1,1", NULL, "", "", "32,64"},
     "8,5,5,3",
     "-1,-1",
     "-1,-1",
     "1,1,1,1",
     64,
     32,
     3 * 5 * 5,
     1,
     TMAP_SWIZZLE_128B},
};

static void expect_list(const char *what, const int64_t *seen, const char *wanted) {
    int64_t at[8];
    int n = list_of(wanted, at);
    for (int i = 0; i < n; i++)
        if (seen[i] != at[i]) fail_msg("%s[%d] is %" PRId64 ", not %" PRId64, what, i, seen[i], at[i]);
}

TEST(convolutions_get_their_maps) {
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        tmap_conv_request r = request_of(&maps[i].conv);
        tmap_conv_plan plan = planned(&r, maps[i].conv.shape);
        assert_int_equal(plan.map.mode, TMAP_MODE_IM2COL);
        assert_int_equal(plan.map.interleave, TMAP_INTERLEAVE_NONE);
        expect_list("dims", (const int64_t *)plan.map.dims_el, maps[i].dims);
        expect_list("lower_corner", plan.map.lower_corner, maps[i].lower);
        expect_list("upper_corner", plan.map.upper_corner, maps[i].upper);
        expect_list("element_strides", (const int64_t *)plan.map.element_strides, maps[i].element_strides);
        assert_int_equal(plan.map.channels_per_pixel, maps[i].channels);
        assert_int_equal(plan.map.pixels_per_column, maps[i].pixels);
        assert_int_equal(plan.map.swizzle, maps[i].swizzle);
        assert_int_equal(plan.pixels_n, maps[i].pixels_n);
        assert_int_equal(plan.copies_n, maps[i].copies);
        assert_int_equal(plan.tx_B, maps[i].channels * maps[i].pixels * tmap_type_get((int)r.type)->unit_shared_B);
    }
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

static const struct {
    conv_row conv;
    uint64_t pixel, channel;
    const char *tap;          /* outermost first */
    const char *at, *offsets; /* innermost first */
} copies[] = {
    /* PTX ISA 5.5.4.1, example 1: image 7, (h, w) = (7, 4), which with padding 1 is pixel (8, 5) of the result. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "64,9,14,64", "8,3,3", "1,1", NULL, "", "", "64,8"},
     (7 * 9 + 8) * 14 + 5,
     0,
     "0,0",
     "0,4,7,7",
     "0,0"},
    /* Triton: outputs from 128 on are (4, 16) of 28 x 28, stride 2: (h, w) = (7, 31), the filter's middle. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "32,56,56,64", "64,3,3", "1,1", NULL, "2,2", "", "128,64"},
     128,
     0,
     "1,1",
     "0,31,7,0",
     "1,1"},
    /* specs/cutlass_conv.yaml: the last tap of the second block of channels, and a gradient's first one. */
    {{TMAP_CONV_FPROP, TMAP_TYPE_BF16, "8,28,28,128", "64,3,3", "2,2", NULL, "", "2,2", "64,64"},
     0,
     64,
     "2,2",
     "64,-2,-2,0",
     "4,4"},
    {{TMAP_CONV_DGRAD, TMAP_TYPE_BF16, "8,14,14,64", "128,3,3", "0,0", NULL, "", "", "64,64"},
     0,
     0,
     "0,0",
     "0,-2,-2,0",
     "2,2"},
    {{TMAP_CONV_DGRAD, TMAP_TYPE_BF16, "8,14,14,64", "128,3,3", "0,0", NULL, "", "", "64,64"},
     14 * 14 + 15,
     64,
     "0,2",
     "64,-1,-1,1",
     "0,2"},
    /* specs/cutlass_conv3d.yaml: plane 2 begins at (d, h, w) = (1, -1, -1). */
    {{TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,16,16,32", "32,3,3,3", "1,1,1", NULL, "", "", "128,32"},
     2 * 256,
     0,
     "0,1,2",
     "0,-1,-1,1,0",
     "2,1,0"},
};

TEST(tiles_get_their_copies) {
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        tmap_conv_request r = request_of(&copies[i].conv);
        tmap_conv_plan plan = planned(&r, copies[i].conv.shape);
        tmap_conv_tile tile = {.pixel = copies[i].pixel, .channel = copies[i].channel};
        list_of(copies[i].tap, tile.tap);
        tmap_copy_params copy = tmap_conv_plan_copy(&plan, &tile, 0);
        expect_list("at", copy.at, copies[i].at);
        expect_list("offsets", copy.offsets, copies[i].offsets);
        assert_int_equal(copy.at_n, plan.map.rank);
    }
}

/* 9 taps with two blocks of channels, each with two copies: channels change fastest, then taps; a ring of 3 stages. */
TEST(steps_use_the_stages_in_turn) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,8,256", "64,3,3", "1,1", NULL, "", "", "64,128"};
    tmap_conv_request r = request_of(&row);
    r.stages = 3, r.shared_address = 0x400;
    tmap_conv_plan plan = planned(&r, "stages");
    assert_int_equal(plan.steps_n, 18);
    assert_int_equal(plan.channel_tiles_n, 2);
    assert_int_equal(plan.stage_B, 64 * 128 * 2);
    tmap_conv_tile tile = tmap_conv_plan_tile(&plan, 1, 11);
    assert_int_equal(tile.pixel, 64);
    assert_int_equal(tile.channel, 128);
    assert_int_equal(tile.tap[0], 1);
    assert_int_equal(tile.tap[1], 2);
    assert_int_equal(tile.stage, 2);
    tmap_copy_params copy = tmap_conv_plan_copy(&plan, &tile, 1);
    assert_int_equal(copy.shared, 0x400 + 2 * 16384 + 8192);
    assert_int_equal(copy.at[0], 192);
}

/* Rows of 24 channels with the pitch of the 64B swizzle, and a tensor with gaps after its pixels and rows. */
TEST(gaps_are_planned_around) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,7,7,24", "8,3,3", "1,1", NULL, "2,2", "", "16,24"};
    tmap_conv_request r = request_of(&row);
    assert_int_equal(tmap_layout_in_blocks(tmap_type_get((int)r.type), &r.tile, TMAP_SWIZZLE_64B, &r.shared, NULL),
                     TMAP_OK);
    r.has_strides = true;
    memcpy(r.strides_el, (int64_t[]){2560, 320, 40, 1}, 4 * sizeof(int64_t));
    tmap_conv_plan plan = planned(&r, "gaps");
    assert_int_equal(plan.map.strides_B[0], 80);
    assert_int_equal(plan.map.strides_B[2], 5120);
    assert_int_equal(plan.map.channels_per_pixel, 24);
    assert_int_equal(plan.tx_B, 16 * 24 * 2);
}

/* ---- Convolutions that cannot be planned ------------------------------------------------------------------------ */

static const struct {
    const char *rule, *fix; /* a part of the fix */
    conv_row bad, good;     /* the nearest valid convolution; none if there is no shape */
} refused[] = {
    {"corner-range",
     "a padding of 128, 1 more as zeros",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,300,300,64", "8,3,3", "129,0", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,300,300,64", "8,3,3", "128,0", NULL, "", "", "64,64"}},
    {"corner-range",
     "(filter - 1) x dilation of 128 along w; or h,",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,4,300,64", "8,1,130", "0,0", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,4,300,64", "8,1,129", "0,0", NULL, "", "", "64,64"}},
    {"corner-range",
     "(filter - 1) x dilation of 16 along d",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "1,40,4,4,64", "8,18,3,3", "0,1,1", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "1,40,4,4,64", "8,17,3,3", "0,1,1", NULL, "", "", "64,64"}},
    {"corner-range",
     "(filter - 1) x dilation of 129 along h",
     {TMAP_CONV_DGRAD, TMAP_TYPE_F16, "1,200,4,64", "64,132,3", "1,1", NULL, "", "", "64,64"},
     {TMAP_CONV_DGRAD, TMAP_TYPE_F16, "1,200,4,64", "64,130,3", "1,1", NULL, "", "", "64,64"}},
    {"offset-range",
     "256 taps",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "1,200,4,64", "8,257,3", "128,1", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "1,200,4,64", "8,256,3", "128,1", "127,1", "", "", "64,64"}},
    {"element-stride-range",
     "a stride of 8 along h",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,64", "8,3,3", "1,1", NULL, "9,1", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,64", "8,3,3", "1,1", NULL, "8,1", "", "64,64"}},
    {"element-stride-range",
     "--shape 2,4,16,4,1024",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,64", "8,16,16", "0,0", NULL, "16,16", "", "64,64"},
     {.shape = NULL}},
    {"stride-align",
     "8 channels in memory, with zeros after the first 3",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,3", "8,3,3", "1,1", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,8", "8,3,3", "1,1", NULL, "", "", "64,64"}},
    {"box-inner-align",
     "a tile of 16 channels",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,64", "8,3,3", "1,1", NULL, "", "", "64,12"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,64,64,64", "8,3,3", "1,1", NULL, "", "", "64,16"}},
    {"corner-area",
     "paddings of 2 more in total",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,5,64,64", "8,7,3", "0,0", NULL, "", "", "64,64"},
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,5,64,64", "8,7,3", "1,0", NULL, "", "", "64,64"}},
    {"plan-dgrad-stride",
     "remainder of w",
     {TMAP_CONV_DGRAD, TMAP_TYPE_F16, "2,16,16,64", "64,3,3", "1,1", NULL, "1,2", "", "64,64"},
     {TMAP_CONV_DGRAD, TMAP_TYPE_F16, "2,16,16,64", "64,3,3", "1,1", NULL, "1,1", "", "64,64"}},
    {"pixels-range",
     "a tile of 2048 pixels",
     {TMAP_CONV_FPROP, TMAP_TYPE_U8, "2,64,64,16", "8,3,3", "1,1", NULL, "", "", "1031,16"},
     {TMAP_CONV_FPROP, TMAP_TYPE_U8, "2,64,64,16", "8,3,3", "1,1", NULL, "", "", "2048,16"}},
    {"plan-request",
     "",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,0,64,64", "8,3,3", "1,1", NULL, "", "", "64,64"},
     {.shape = NULL}},
    {"plan-request",
     "",
     {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,8,64", "8,3,3", "1,1", NULL, "0,1", "", "64,64"},
     {.shape = NULL}},
};

TEST(the_obstacle_is_named) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tmap_conv_request r = request_of(&refused[i].bad);
        tmap_conv_plan plan;
        tmap_diag why;
        if (tmap_conv_plan_make(&r, &plan, &why) == TMAP_OK) fail_msg("row %zu is planned", i);
        if (strcmp(why.rule, refused[i].rule) != 0 || !strstr(why.fix.words, refused[i].fix))
            fail_msg("row %zu: %s: %s; fix: %s", i, why.rule, why.message, why.fix.words);
        assert_true(tmap_rule_find(why.rule) >= 0);
        assert_true(why.message[0] != '\0');
        if (!refused[i].good.shape) continue;
        r = request_of(&refused[i].good);
        (void)planned(&r, why.fix.words);
    }
}

static const struct {
    const char *rule, *layout;
} layouts[] = {
    {"inner-contiguous", "S[(64,64):(1,64)]"},
    {"plan-pitch", "S[(64,64):(72,1)]"},
    {"plan-dense", "S[(64,64):(128,2)]"},
    {"plan-swizzle", "swizzle(4,3,3) o S[(64,64):(64,1)]"},
    {"plan-domain", "S[(64,32):(32,1)]"},
    {"plan-memory", "S[(64,64):(64,1)] + R[2:4096]"},
    {"plan-pitch", "swizzle(f16,32B) o S[(64,64):(64,1)]"},
};

TEST(layouts_that_no_column_can_fill_are_refused) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,8,64", "8,3,3", "1,1", NULL, "", "", "64,64"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        tmap_conv_request r = request_of(&row);
        tmap_layout wanted = r.shared;
        tmap_conv_plan plan;
        tmap_diag why;
        bool equal = false;
        assert_int_equal(tmap_layout_parse(layouts[i].layout, strlen(layouts[i].layout), &r.shared, NULL), TMAP_OK);
        assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_REFUSED);
        if (strcmp(why.rule, layouts[i].rule) != 0) fail_msg("%s: %s: %s", layouts[i].layout, why.rule, why.message);
        tmap_layout nearest;
        assert_true(tmap_conv_plan_nearest(&r, &nearest));
        assert_int_equal(tmap_layout_equal(&nearest, &wanted, &equal, NULL), TMAP_OK);
        assert_true(equal);
    }
}

TEST(requests_that_are_inconsistent_are_reported) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,8,8,64", "8,3,3", "1,1", NULL, "", "", "64,64"};
    const tmap_conv_request good = request_of(&row);
    tmap_conv_plan plan;
    tmap_diag why;
    for (int i = 0; i < 8; i++) {
        tmap_conv_request r = good;
        switch (i) {
        case 0: r.conv.spatial_n = 4; break;
        case 1: r.conv.op = TMAP_CONV_OP_COUNT; break;
        case 2: r.type = TMAP_TYPE_B4X16; break;
        case 3: r.tile.rank = 3; break;
        case 4: r.stages = UINT64_MAX; break;
        case 5: r.shared_address = UINT64_MAX; break;
        case 6: r.conv.pad_lower[1] = INT64_MIN; break;
        default: r.has_strides = true, r.strides_el[1] = -64; break;
        }
        assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_BAD_ARGUMENT);
        assert_string_equal(why.rule, "plan-request");
    }
    tmap_conv_request r = good;
    r.type = TMAP_TYPE_B4X16;
    plan = (tmap_conv_plan){.stages = 1};
    assert_int_equal(tmap_conv_plan_prove(&plan, &r, NULL, NULL, &why), TMAP_BAD_ARGUMENT);
    assert_string_equal(why.message, "the plan belongs to another request");
    r = good;
    r.shared_address = 0x200;
    assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_REFUSED);
    assert_string_equal(why.rule, "plan-phase");
    r = good, r.stages = 64;
    assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_REFUSED);
    assert_string_equal(why.rule, "copy-shared-fits");
    assert_string_equal(why.fix.words, "28 stages, or a smaller tile"); /* stages of 8 KiB in 228 KiB less 1 KiB */
}

/* The coordinates of every pixel fit in 32 bits, not only those of the first and the last tile. */
TEST(all_pixels_can_be_reached) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_U8, "4,2147483648,4,16", "8,1,1", "1,0", "1,0", "", "", "16,16"};
    tmap_conv_request r = request_of(&row);
    tmap_conv_plan plan;
    tmap_diag why;
    for (int64_t size = (int64_t)1 << 31; size <= (int64_t)1 << 32; size *= 2) {
        r.conv.size[0] = size;
        assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_REFUSED);
        assert_string_equal(why.rule, "copy-coordinate-range");
    }
    r.conv.size[0] = INT32_MAX - 2;
    (void)planned(&r, "2^31 - 1 pixels");
}

/* The largest numbers: any answer is allowed, but nothing overflows. */
TEST(large_numbers_are_judged) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F64, "2,8,8,64", "8,3,3", "1,1", NULL, "", "", "64,16"};
    tmap_conv_request r = request_of(&row);
    tmap_conv_plan plan;
    tmap_diag why;
    r.conv.batch = r.conv.channels = r.conv.filters = (int64_t)1 << 32;
    for (int i = 0; i < 2; i++) {
        r.conv.size[i] = (int64_t)1 << 32;
        r.conv.filter[i] = r.conv.dilation[i] = r.conv.pad_lower[i] = r.conv.pad_upper[i] = INT32_MAX;
    }
    assert_int_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_REFUSED);
    for (int i = 0; i < 2; i++) r.conv.filter[i] = 1;
    assert_int_not_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_OK);
    r.conv.op = TMAP_CONV_DGRAD;
    assert_int_not_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_OK);
    r = request_of(&row);
    r.tile = (tmap_shape){.rank = 2, .at = {INT32_MAX, INT32_MAX}};
    assert_int_not_equal(tmap_conv_plan_make(&r, &plan, &why), TMAP_OK);
}

/* ---- Proofs ----------------------------------------------------------------------------------------------------- */

/* For each number of a plan, the proof finds a wrong number and names its place. */
TEST(proofs_can_fail) {
    conv_row row = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,9,9,64", "8,3,3", "1,1", NULL, "2,2", "2,2", "16,64"};
    tmap_conv_request r = request_of(&row);
    tmap_conv_plan plan = planned(&r, "good");
    for (int i = 0; i < 10; i++) {
        tmap_conv_plan wrong = plan;
        tmap_diag why;
        switch (i) {
        case 0: wrong.map.lower_corner[0]++; break;
        case 1: wrong.map.upper_corner[1] -= 3; break;
        case 2: wrong.map.element_strides[1] = 1; break;
        case 3: wrong.map.swizzle = TMAP_SWIZZLE_64B, wrong.map.channels_per_pixel = 32; break;
        case 4: wrong.map.pixels_per_column--; break;
        case 5: wrong.conv.dilation[0] = 1; break;
        case 6: wrong.map.strides_B[1] += 128; break;
        case 7: wrong.map.dims_el[3] = 1; break;
        case 8: wrong.shared_address += 128; break;
        default: wrong.conv.op = TMAP_CONV_DGRAD; break;
        }
        if (tmap_conv_plan_prove(&wrong, &r, NULL, NULL, &why) != TMAP_REFUSED) fail_msg("mistake %d is proved", i);
        assert_string_equal(why.rule, "plan-proof");
    }
}

TEST(proofs_report_their_coverage) {
    conv_row small = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "2,9,9,64", "8,3,3", "1,1", NULL, "", "", "32,64"};
    conv_row large = {TMAP_CONV_FPROP, TMAP_TYPE_F16, "64,112,112,64", "8,3,3", "1,1", NULL, "", "", "128,64"};
    tmap_conv_request r = request_of(&small);
    tmap_conv_plan plan = planned(&r, "small");
    tmap_conv_proof proof;
    assert_int_equal(tmap_conv_plan_prove(&plan, &r, NULL, &proof, NULL), TMAP_OK);
    assert_int_equal(proof.tiles_n, 6 * 9);
    assert_int_equal(proof.proved_n, proof.tiles_n);
    r = request_of(&large);
    plan = planned(&r, "large");
    assert_int_equal(tmap_conv_plan_prove(&plan, &r, NULL, &proof, NULL), TMAP_OK);
    assert_int_equal(proof.tiles_n, 64 * 112 * 112 / 128 * 9);
    assert_true(proof.proved_n >= 2 * 9 && proof.proved_n < proof.tiles_n);
}
