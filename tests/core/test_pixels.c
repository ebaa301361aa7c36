/*
 * im2col, interleaved layouts and packed types, by hand from the PTX ISA's examples (5.5.4, 5.5.5) and from published
 * vectors: those of TIRx, whose tests state that they were checked on SM100, and of Allegro's golden data (sm_120).
 * Each expected number has its derivation beside it.
 */
#include "cmocka_all.h"
#include "copy_fixture.h"
#include "tmap/unstable/walk.h"

/* ---- Maps and copies ------------------------------------------------------------------------------------------ */

typedef struct pixel_box {
    int64_t lower[3], upper[3];
    uint64_t channels, pixels;
} pixel_box;

static tmap_map_params images(tmap_mode mode, tmap_type type, uint64_t rank, const uint64_t *dims, pixel_box box) {
    tmap_map_params params = tmap_map_params_tiled(type, rank);
    params.mode = mode;
    for (uint64_t i = 0; i < rank; i++) params.dims_el[i] = dims[i];
    assert_true(tmap_map_params_dense(&params));
    for (int i = 0; i < 3; i++) params.lower_corner[i] = box.lower[i];
    for (int i = 0; i < 3; i++) params.upper_corner[i] = box.upper[i];
    params.channels_per_pixel = box.channels;
    params.pixels_per_column = box.pixels;
    if (mode != TMAP_MODE_IM2COL) params.swizzle = TMAP_SWIZZLE_128B;
    return params;
}

typedef struct filter {
    int64_t offsets[3];
    uint64_t w_halo, w_offset;
} filter;

static tmap_copy column(tmap_op op, const tmap_map_params *map, const int64_t *at, filter f) {
    tmap_copy_params params = {.op = op, .at_n = (int)map->rank, .w_halo = f.w_halo, .w_offset = f.w_offset};
    for (uint64_t i = 0; i < map->rank; i++) params.at[i] = at[i];
    for (int i = 0; i < 3; i++) params.offsets[i] = f.offsets[i];
    return freeze(map, &params);
}

/* The tensor coordinates of pixel `row` of the column. */
static tmap_place pixel_of(const tmap_copy *copy, uint32_t row) {
    tmap_place place;
    tmap_copy_locate(copy, (const uint32_t[TMAP_RANK_MAX]){0, row}, &place);
    return place;
}

static void expect_pixel(const tmap_copy *copy, uint32_t row, const int64_t *at) {
    tmap_place place = pixel_of(copy, row);
    for (uint64_t i = 0; i < copy->map.params.rank; i++)
        if (place.at[i] != at[i])
            fail_msg("pixel %u: coordinate %d is %lld, not %lld", row, (int)i, (long long)place.at[i],
                     (long long)at[i]);
}

/* Fills the tensor with the u32 numbers 100, 101, … */
static void count_from_100(void) {
    count_u32(global_bytes, 0, 100, MEMORY_B / 4);
}

/* Loads the column and returns the first channel of pixel `row`. */
static uint32_t first_channel(const tmap_copy *copy, uint32_t row) {
    uint64_t at = pixel_of(copy, row).shared - copy->params.shared;
    return (uint32_t)shared_bytes[at] | (uint32_t)shared_bytes[at + 1] << 8 | (uint32_t)shared_bytes[at + 2] << 16 |
           (uint32_t)shared_bytes[at + 3] << 24;
}

static void expect_channels(const tmap_copy *copy, uint32_t first_row, const uint32_t *values, size_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (first_channel(copy, first_row + i) != values[i])
            fail_msg("pixel %u begins with %u, not %u", first_row + i, first_channel(copy, first_row + i), values[i]);
}

#define VALUES(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* ---- The document's examples ---------------------------------------------------------------------------------- */

/*
 * Example 1 (figure 13): w 9, h 14, n 64, corners -1 / -1, so w is -1 to 7 and h is -1 to 12. From (n 7, h 7, w 4):
 * four pixels, w 4..7, of row 7, then rows of nine from w -1 on. Rows 8..12 are five rows, 49 pixels so far. Row 13 is
 * outside the box, so the walk continues in image 8: row -1 (58 pixels so far), then six pixels of row 0.
 */
TEST(example_1) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U16, 4, DIMS(64, 9, 14, 64), (pixel_box){{-1, -1}, {-1, -1}, 8, 64});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 4, 7, 7), (filter){{0, 0}, 0, 0});
    assert_int_equal(copy.rows_n, 64);
    assert_int_equal(copy.payload_B, 64 * 8 * 2);
    expect_pixel(&copy, 0, AT(0, 4, 7, 7));
    expect_pixel(&copy, 3, AT(0, 7, 7, 7));
    expect_pixel(&copy, 4, AT(0, -1, 8, 7));
    expect_pixel(&copy, 48, AT(0, 7, 12, 7));
    expect_pixel(&copy, 49, AT(0, -1, -1, 8));
    expect_pixel(&copy, 58, AT(0, -1, 0, 8));
    expect_pixel(&copy, 63, AT(0, 4, 0, 8));
    assert_false(pixel_of(&copy, 4).inside);
    assert_true(pixel_of(&copy, 5).inside);
}

/* Example 2 (figure 14): corners 0 / -2 and offsets (2, 2): w from 0 to 6, h from 0 to 11, all moved by 2. */
TEST(example_2) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U16, 4, DIMS(64, 9, 14, 64), (pixel_box){{0, 0}, {-2, -2}, 8, 64});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 4, 7, 7), (filter){{2, 2}, 0, 0});
    expect_pixel(&copy, 0, AT(0, 6, 9, 7));
    expect_pixel(&copy, 2, AT(0, 8, 9, 7));
    expect_pixel(&copy, 3, AT(0, 2, 10, 7));
    expect_pixel(&copy, 30, AT(0, 8, 13, 7)); /* 3 + 4 rows of 7 */
    expect_pixel(&copy, 31, AT(0, 2, 2, 8));
    for (uint32_t i = 0; i < 64; i++) assert_true(pixel_of(&copy, i).inside);
}

/*
 * Example 3 (figure 15): w 8, h 14, stride 2, corners -1 / -1, start (n 7, h 7, w 5), offsets (1, 1). w visits 5 (7 is
 * the end), then -1, 1, 3, 5; h 7, 9, 11, then -1 of the next image. With the offsets 6, then 0, 2, 4, 6.
 */
TEST(example_3) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U16, 4, DIMS(64, 8, 14, 64), (pixel_box){{-1, -1}, {-1, -1}, 16, 32});
    map.element_strides[1] = map.element_strides[2] = 2;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 5, 7, 7), (filter){{1, 1}, 0, 0});
    assert_int_equal(copy.rows_n, 32); /* a stride does not change the number of pixels */
    expect_pixel(&copy, 0, AT(0, 6, 8, 7));
    expect_pixel(&copy, 1, AT(0, 0, 10, 7));
    expect_pixel(&copy, 4, AT(0, 6, 10, 7));
    expect_pixel(&copy, 5, AT(0, 0, 12, 7));
    expect_pixel(&copy, 9, AT(0, 0, 0, 8));
    expect_pixel(&copy, 31, AT(0, 4, 10, 8)); /* 9 + 22: row 5 of 4, h = -1 + 2 x 5 + 1, w = -1 + 2 x 2 + 1 */
}

/* The im2col::w example (figure 18): c 128, w 9, h 7, n 64, 128 pixels and a halo of 2; h stays, n counts up. */
TEST(example_w) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL_W, TMAP_TYPE_U16, 4, DIMS(128, 9, 7, 64), (pixel_box){{0}, {0}, 64, 128});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 3, 2, 7), (filter){.w_halo = 2});
    assert_int_equal(copy.rows_n, 130);
    assert_int_equal(copy.payload_B, 130 * 128);
    expect_pixel(&copy, 0, AT(0, 3, 2, 7));
    expect_pixel(&copy, 5, AT(0, 8, 2, 7));
    expect_pixel(&copy, 6, AT(0, 0, 2, 8));
    expect_pixel(&copy, 127, AT(0, 4, 2, 21)); /* 127 - 6 = 121 = 13 x 9 + 4: image 8 + 13 */
    expect_pixel(&copy, 128, AT(0, 5, 2, 21)); /* the walk continues into the halo */
    expect_pixel(&copy, 129, AT(0, 6, 2, 21));
}

/* The im2col::w::128 example (figure 19): the same tensor; halos after pixels 31, 63, 95 and 127. */
TEST(example_w128) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL_W128, TMAP_TYPE_U16, 4, DIMS(128, 9, 7, 64), (pixel_box){{0}, {0}, 64, 128});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 3, 2, 7), (filter){.w_halo = 2});
    assert_int_equal(copy.rows_n, 136);
    expect_pixel(&copy, 31, AT(0, 7, 2, 10)); /* 31 - 6 = 25 = 2 x 9 + 7 */
    expect_pixel(&copy, 32, AT(0, 8, 2, 10)); /* the halo does not change the walk */
    expect_pixel(&copy, 128, AT(0, 8, 2, 10));
    expect_pixel(&copy, 132, AT(0, 0, 2, 11));
    expect_pixel(&copy, 129, AT(0, 4, 2, 14)); /* pixel 64: 58 = 6 x 9 + 4 */
    expect_pixel(&copy, 131, AT(0, 5, 2, 21)); /* pixel 128 */
    expect_pixel(&copy, 135, AT(0, 6, 2, 21));
}

/*
 * wOffset, example 1 (figures 20 and 21): w 9, h 67, corners -1 / 0, stride 2, from w -1: buffer 1 has -1, 1, 3, 5, 7,
 * then -1 of the next image, with a halo of 1; buffer 2, moved by 1, has 0, 2, 4, 6, 8.
 */
TEST(example_w_offset) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL_W, TMAP_TYPE_U16, 4, DIMS(128, 9, 67, 64), (pixel_box){{-1}, {0}, 64, 128});
    map.element_strides[1] = 2;
    tmap_copy first = column(TMAP_OP_LOAD, &map, AT(0, -1, 2, 7), (filter){.w_halo = 1});
    expect_pixel(&first, 0, AT(0, -1, 2, 7));
    expect_pixel(&first, 4, AT(0, 7, 2, 7));
    expect_pixel(&first, 5, AT(0, -1, 2, 8));
    expect_pixel(&first, 128, AT(0, 5, 2, 32)); /* 128 = 25 x 5 + 3: -1 + 6 */
    tmap_copy second = column(TMAP_OP_LOAD, &map, AT(0, -1, 2, 7), (filter){.w_offset = 1});
    expect_pixel(&second, 0, AT(0, 0, 2, 7));
    expect_pixel(&second, 4, AT(0, 8, 2, 7));
    expect_pixel(&second, 5, AT(0, 0, 2, 8));
}

/*
 * wOffset, example 2: w 7, corners -1 / -1, stride 3, from w -1, so that w is -1, 2, 5 and then -1 of the next image;
 * buffers 2 and 3 have the same coordinates plus 1 and plus 2; the last one reaches w 7, which is outside.
 */
TEST(example_w_offsets) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL_W, TMAP_TYPE_U16, 4, DIMS(128, 7, 7, 64), (pixel_box){{-1}, {-1}, 64, 128});
    map.element_strides[1] = 3;
    for (int64_t offset = 0; offset < 3; offset++) {
        tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, -1, 2, 7), (filter){.w_offset = (uint64_t)offset});
        for (int64_t pixel = 0; pixel < 128; pixel++)
            expect_pixel(&copy, (uint32_t)pixel, AT(0, -1 + 3 * (pixel % 3) + offset, 2, 7 + pixel / 3));
    }
}

/* Figure 17: the first pixel is left of the box; the walk continues into the box and wraps to the lower corner. */
TEST(starts_left_of_the_box) {
    tmap_map_params map = images(TMAP_MODE_IM2COL_W, TMAP_TYPE_U16, 3, DIMS(64, 9, 8), (pixel_box){{2}, {-1}, 64, 32});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, -1, 3), (filter){.w_halo = 0});
    expect_pixel(&copy, 0, AT(0, -1, 3));
    expect_pixel(&copy, 8, AT(0, 7, 3));
    expect_pixel(&copy, 9, AT(0, 2, 4));
    expect_pixel(&copy, 15, AT(0, 2, 5));
}

/* ---- Published vectors ---------------------------------------------------------------------------------------- */

/* TIRx, rank 3: dims (8, 4, 2), corners -1 / -1, batch stride 2, start (0, -1, 0), offset 1, 12 pixels. */
TEST(tirx_rank_3) {
    tmap_map_params map = images(TMAP_MODE_IM2COL, TMAP_TYPE_U32, 3, DIMS(8, 4, 2), (pixel_box){{-1}, {-1}, 8, 12});
    map.element_strides[2] = 2;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, -1, 0), (filter){{1}, 0, 0});
    count_from_100();
    tmap_copy_result result = load(&copy);
    expect_channels(&copy, 0, VALUES(100, 108, 116, 124, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_counts(&result, 12 * 32, 12 * 32, 8 * 32, 0);
}

/* Rank 4: dims (8, 4, 4, 2), corners (-1, 0) / (-1, 0), w stride 2: pixels 2 apart, 16 elements, from 100 to 276. */
TEST(tirx_rank_4) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U32, 4, DIMS(8, 4, 4, 2), (pixel_box){{-1, 0}, {-1, 0}, 8, 12});
    map.element_strides[1] = 2;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, -1, 0, 0), (filter){{1, 0}, 0, 0});
    count_from_100();
    load(&copy);
    expect_channels(&copy, 0, VALUES(100, 116, 132, 148, 164, 180, 196, 212, 228, 244, 260, 276));
}

/* Rank 5: dims (8, 4, 4, 2, 2), corners (-1, 0, 0) / (-1, 0, 0), no strides: pixels one after the other. */
TEST(tirx_rank_5) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U32, 5, DIMS(8, 4, 4, 2, 2), (pixel_box){{-1, 0, 0}, {-1, 0, 0}, 8, 12});
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, -1, 0, 0, 0), (filter){{1, 0, 0}, 0, 0});
    count_from_100();
    load(&copy);
    expect_channels(&copy, 0, VALUES(100, 108, 116, 124, 132, 140, 148, 156, 164, 172, 180, 188));
}

static tmap_map_params wide_map(tmap_mode mode) {
    tmap_map_params map = images(mode, TMAP_TYPE_U32, 4, DIMS(16, 4, 2, 160), (pixel_box){{0}, {0}, 16, 5});
    map.swizzle = TMAP_SWIZZLE_64B;
    return map;
}

/*
 * Wide: dims (16, 4, 2, 160), start (0, 0, 1, 40), 5 pixels, halo 1, w_offset 1. Pixel (w, 1, n) begins with
 * 100 + 16 w + 64 + 128 n; 5184 of that is 64 + 128 x 40: w 1, 2, 3, then 4 (outside), then image 41 from w 1 on.
 */
TEST(tirx_wide) {
    tmap_map_params map = wide_map(TMAP_MODE_IM2COL_W);
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 0, 1, 40), (filter){.w_halo = 1, .w_offset = 1});
    count_from_100();
    tmap_copy_result result = load(&copy);
    expect_channels(&copy, 0, VALUES(116 + 5184, 132 + 5184, 148 + 5184, 0, 244 + 5184, 260 + 5184));
    expect_counts(&result, 6 * 64, 6 * 64, 64, 0);
}

/* im2col_w128 from image 80 with halo 2: rows 128 on, 10240 = 128 x 80. */
TEST(tirx_w128) {
    tmap_map_params map = wide_map(TMAP_MODE_IM2COL_W128);
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 0, 0, 80), (filter){.w_halo = 2});
    count_from_100();
    tmap_copy_result result = load(&copy);
    expect_channels(&copy, 128,
                    VALUES(1124 + 10240, 2148 + 10240, 3172 + 10240, 4196 + 10240, 1140 + 10240, 2164 + 10240,
                           3188 + 10240, 4212 + 10240));
    assert_int_equal(result.tx_B, (128 + 4 * 2) * 64);
}

/* Allegro: C 16, W 5, N 8, corners -1 / -1, w stride 2, start w 1, offset 1: w 2, 4, then 0, 2, 4 of the next image. */
TEST(allegro_strided) {
    tmap_map_params map = images(TMAP_MODE_IM2COL, TMAP_TYPE_U8, 3, DIMS(16, 5, 8), (pixel_box){{-1}, {-1}, 16, 5});
    map.element_strides[1] = 2;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 1, 0), (filter){{1}, 0, 0});
    static const int64_t w[] = {2, 4, 0, 2, 4}, n[] = {0, 0, 1, 1, 1};
    for (uint32_t i = 0; i < 5; i++) expect_pixel(&copy, i, AT(0, w[i], n[i]));
}

/* TIRx, store: lower (1, 0), upper (-1, 0) on dims (8, 4, 2, 2): w 1 and 2 of every h and n are written, no others. */
TEST(tirx_store) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_U32, 4, DIMS(8, 4, 2, 2), (pixel_box){{1, 0}, {-1, 0}, 8, 8});
    tmap_copy copy = column(TMAP_OP_STORE, &map, AT(0, 1, 0, 0), (filter){{0}, 0, 0});
    count_u32(shared_bytes, 0, 500, 64);
    for (uint32_t row = 0; row < 4; row++) count_u32(expected_bytes, row * 128 + 32, 500 + 16 * row, 16);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 256, 256, 0, 0);
    assert_true(rests_on(&copy, "im2col-store"));
    copy = column(TMAP_OP_LOAD, &map, AT(0, 1, 0, 0), (filter){{0}, 0, 0});
    assert_false(rests_on(&copy, "im2col-store"));
}

/* Pixels past the last image are filled, with NaN if the map has this fill; the pitch is the swizzle's, gaps keep their
 * bytes. */
TEST(past_the_last_image) {
    tmap_map_params map = images(TMAP_MODE_IM2COL, TMAP_TYPE_F16, 3, DIMS(8, 2, 1), (pixel_box){{0}, {0}, 8, 4});
    map.swizzle = TMAP_SWIZZLE_32B;
    map.oob_fill = TMAP_OOB_FILL_NAN;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(0, 0, 0), (filter){{0}, 0, 0});
    memset(global_bytes, 0x11, 32);
    for (size_t row = 0; row < 4; row++) {
        memset(expected_bytes + row * 32, 0x11, 16);
        for (size_t i = 0; row >= 2 && i < 8; i++) put_u16(expected_bytes, row * 32 + 2 * i, 0x7ff7);
    }
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 64, 64, 32, 64);
}

/* Channels beyond C are filled like the end of a row: of the 16 channels from 8 on, 4 are in the tensor. */
TEST(channels_beyond_the_tensor) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, 3);
    map.mode = TMAP_MODE_IM2COL;
    map.dims_el[0] = 20, map.dims_el[1] = 2, map.dims_el[2] = 1;
    map.strides_B[0] = 32, map.strides_B[1] = 64;
    map.channels_per_pixel = 16, map.pixels_per_column = 2;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(16, 0, 0), (filter){{0}, 0, 0});
    memset(global_bytes, 0x22, 64);
    memset(expected_bytes, 0, 32);
    memset(expected_bytes, 0x22, 4);
    memset(expected_bytes + 16, 0x22, 4);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 32, 32, 24, 0);
}

/* ---- Interleave ----------------------------------------------------------------------------------------------- */

/* (W 8, H 2, slices 3, N 2); dense: 16 B a pixel, 128 a row, 256 a slice, 768 an image. */
static tmap_map_params slices(tmap_interleave interleave, const uint64_t *box) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, 4);
    map.interleave = interleave;
    if (interleave == TMAP_INTERLEAVE_32B) map.swizzle = TMAP_SWIZZLE_32B;
    static const uint64_t dims[4] = {8, 2, 3, 2};
    for (int i = 0; i < 4; i++) map.dims_el[i] = dims[i];
    for (int i = 0; i < 4; i++) map.box_el[i] = box[i];
    assert_true(tmap_map_params_dense(&map));
    return map;
}

/* Writes the number of each pixel's slice into the slice. */
static void number_slices(size_t slice_B) {
    for (size_t i = 0; i < 96; i++) memset(global_bytes + i * slice_B, (int)i, slice_B);
}

/* Allegro: w counts pixels: w 4 begins 64 B later. Slice 1, image 1: pixel 48 + 16 + 4. box[2] of 2 loads one slice.
 */
TEST(interleaved_16B) {
    tmap_map_params map = slices(TMAP_INTERLEAVE_16B, DIMS(4, 2, 2, 1));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(4, 0, 1, 1), 0);
    number_slices(16);
    for (size_t i = 0; i < 8; i++) memset(expected_bytes + 16 * i, (int)(48 + 16 + 4 + (i < 4 ? i : i + 4)), 16);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 0);
}

/*
 * Pixels of 32 bytes; in odd 128-byte lines the swizzle exchanges their halves. The test marks the upper halves,
 * because an exchange of equal halves is invisible. Pixels 4..7 are in the second line.
 */
TEST(interleaved_32B) {
    tmap_map_params map = slices(TMAP_INTERLEAVE_32B, DIMS(8, 1, 1, 1));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0, 0, 0), 0);
    number_slices(32);
    for (size_t i = 0; i < 8; i++) memset(global_bytes + 32 * i + 16, (int)(0x80 + i), 16);
    for (size_t i = 0; i < 8; i++) {
        memset(expected_bytes + 32 * i + (i < 4 ? 0 : 16), (int)i, 16);
        memset(expected_bytes + 32 * i + (i < 4 ? 16 : 0), (int)(0x80 + i), 16);
    }
    load(&copy);
    expect_shared();
}

/*
 * The traversal stride of dimension 0 steps over pixels: 1, 3, 5 of a box of 6; from 7 on, pixel 7 is in the tensor and
 * 9 is filled.
 */
TEST(interleaved_steps) {
    tmap_map_params map = slices(TMAP_INTERLEAVE_16B, DIMS(10, 1, 1, 1));
    map.element_strides[0] = 2;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(1, 0, 0, 0), 0);
    number_slices(16);
    for (size_t i = 0; i < 5; i++) memset(expected_bytes + 16 * i, i < 4 ? (int)(1 + 2 * i) : 0, 16);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 80, 80, 16, 0);
}

TEST(interleaved_store) {
    tmap_map_params map = slices(TMAP_INTERLEAVE_16B, DIMS(4, 1, 1, 1));
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(6, 1, 2, 0), 0); /* pixel 32 + 8 + 6; two of four are inside */
    for (size_t i = 0; i < 4; i++) memset(shared_bytes + 16 * i, (int)(0x50 + i), 16);
    for (size_t i = 0; i < 2; i++) memset(expected_bytes + 16 * (46 + i), (int)(0x50 + i), 16);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 64, 32, 0, 32);
}

/* An interleaved column: w and h change, the slice does not. w 0..7 in steps of 4: h 1 follows (3, 0) and (7, 0). */
TEST(interleaved_column) {
    tmap_map_params map = slices(TMAP_INTERLEAVE_16B, DIMS(0, 0, 0, 0));
    map.mode = TMAP_MODE_IM2COL;
    map.element_strides[0] = 4;
    map.channels_per_pixel = 1, map.pixels_per_column = 5;
    tmap_copy copy = column(TMAP_OP_LOAD, &map, AT(3, 0, 1, 0), (filter){{0}, 0, 0});
    number_slices(16);
    static const int pixels[5] = {16 + 3, 16 + 7, 16 + 8, 16 + 12, 48 + 16};
    for (size_t i = 0; i < 5; i++) memset(expected_bytes + 16 * i, pixels[i], 16);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 80, 80, 0, 0);
}

/* ---- Packed types --------------------------------------------------------------------------------------------- */

/* b4x16: 32 values are 16 bytes in both memories; dims[0] of 34 ends inside a container: one byte, then fill. */
TEST(fours_are_bytes) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_B4X16, 2);
    map.dims_el[0] = 34, map.dims_el[1] = 2, map.strides_B[0] = 32;
    map.box_el[0] = 32, map.box_el[1] = 2;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(32, 0), 0);
    for (int i = 0; i < 64; i++) global_bytes[i] = (uint8_t)(0x80 + i);
    memset(expected_bytes, 0, 32);
    expected_bytes[0] = 0x90, expected_bytes[16] = 0xb0;
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 32, 32, 30, 0);
}

/*
 * b4x16_p64 (figure 5): 8 bytes of values, 8 bytes that are not written; measured on sm_120: 64 transaction bytes a
 * row.
 */
TEST(fours_with_gaps) {
    tmap_map_params map = tiled(TMAP_TYPE_B4X16_P64, 2, DIMS(256, 2), DIMS(128, 2));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(128, 0), 0);
    for (int i = 0; i < 256; i++) global_bytes[i] = (uint8_t)i;
    for (size_t row = 0; row < 2; row++)
        for (size_t unit = 0; unit < 8; unit++)
            for (size_t i = 0; i < 8; i++)
                expected_bytes[row * 128 + unit * 16 + i] = (uint8_t)(row * 128 + 64 + unit * 8 + i);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 128);
}

/*
 * b6x16_p32 (figure 6): 12 bytes of values, 4 bytes that are not written; the swizzle moves the gaps, too: row 1 has
 * unit 1 first.
 */
TEST(sixes_with_gaps) {
    tmap_map_params map = tiled(TMAP_TYPE_B6X16_P32, 2, DIMS(128, 2), DIMS(128, 2));
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    for (int i = 0; i < 192; i++) global_bytes[i] = (uint8_t)i;
    for (size_t row = 0; row < 2; row++)
        for (size_t unit = 0; unit < 8; unit++)
            for (size_t i = 0; i < 12; i++)
                expected_bytes[row * 128 + (unit ^ row) * 16 + i] = (uint8_t)(row * 96 + unit * 12 + i);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 192, 192, 0, 64);
}

/* Containers outside the tensor are zero, their gaps are not written. */
TEST(filled_containers_keep_their_gaps) {
    tmap_map_params map = tiled(TMAP_TYPE_B6X16_P32, 2, DIMS(128, 1), DIMS(128, 1));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(-128, 0), 0);
    for (size_t unit = 0; unit < 8; unit++) memset(expected_bytes + unit * 16, 0, 12);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 96, 96, 96, 32);
}

/*
 * b6p2x16 (figure 7): values 1, 2, 3, 4 with their two high bits set: 0xc1 0xc2 0xc3 0xc4 become 1 | 2 << 6 | 3 << 12 |
 * 4 << 18 = 0x103081, little-endian 81 30 10, and the same for each four of the 128 values.
 */
TEST(sixes_are_stored_from_bytes) {
    tmap_map_params map = tiled(TMAP_TYPE_B6X16_P32, 2, DIMS(128, 1), DIMS(128, 1));
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(0, 0), 0);
    for (int i = 0; i < 128; i++) shared_bytes[i] = (uint8_t)(0xc1 + i % 4);
    for (int i = 0; i < 32; i++) {
        expected_bytes[3 * i] = 0x81;
        expected_bytes[3 * i + 1] = 0x30;
        expected_bytes[3 * i + 2] = 0x10;
    }
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 96, 96, 0, 32);
}

/* Value 18 of row 1 is the third of its container, 12 bits after the start. A store has one byte for each value. */
TEST(places_of_packed_values) {
    tmap_map_params map = tiled(TMAP_TYPE_B6X16_P32, 2, DIMS(128, 2), DIMS(128, 2));
    tmap_copy in = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0), out = box_copy(TMAP_OP_STORE, &map, AT(0, 0), 0);
    tmap_place place;
    tmap_copy_locate(&in, (const uint32_t[TMAP_RANK_MAX]){18, 1}, &place);
    assert_int_equal(place.global_B, 96 + 18 * 6 / 8);
    assert_int_equal(place.box_B, 128 + 16 + 12 / 8);
    tmap_copy_locate(&out, (const uint32_t[TMAP_RANK_MAX]){18, 1}, &place);
    assert_int_equal(place.box_B, 128 + 18);
}

/* ---- Derived numbers ------------------------------------------------------------------------------------------ */

/* c 64, w 9, h 14, n 64 with corners -1 / -1: 9 x 14 positions, 64 images: 8064 pixels in columns of 128 = 63. */
TEST(columns_that_cover) {
    tmap_map_params map =
        images(TMAP_MODE_IM2COL, TMAP_TYPE_F16, 4, DIMS(64, 9, 14, 64), (pixel_box){{-1, -1}, {-1, -1}, 32, 128});
    tmap_derived d = tmap_derive(&map, false);
    assert_int_equal(d.boxes[0], 2);
    assert_int_equal(d.boxes[1], 63);
    assert_int_equal(d.boxes_n, 126);
    assert_int_equal(d.rows_n, 128);
    assert_int_equal(d.inner_shared_B, 64);
    assert_int_equal(d.payload_B, 8192);
}

BEFORE_EACH(fresh_memories)
