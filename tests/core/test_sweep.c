/* Sweeps: the grid by hand, tiles against coordinates counted by hand, loads and stores of tiles. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "copy_fixture.h"
#include "tmap/unstable/sweep.h"

static tmap_sweep sweep_of(const tmap_map_params *params, tmap_op op) {
    tmap_map map;
    tmap_sweep sweep;
    tmap_copy_params like = {.op = op};
    assert_int_equal(tmap_map_init(&map, params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_sweep_init(&sweep, &map, &like, NULL, NULL), TMAP_OK);
    return sweep;
}

/* ---- The grid --------------------------------------------------------------------------------------------------- */

/* 20 x 7 in boxes of 8 x 4: 3 x 2 tiles, 24 x 8 elements loaded, 20 x 7 of them inside. */
TEST(tiles_cover_the_tensor) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(20, 7), DIMS(8, 4));
    params.strides_B[0] = 48;
    tmap_grid grid = tmap_grid_of(&params, false);
    assert_int_equal(grid.tiles_n, 6);
    assert_int_equal(grid.tiles[0], 3);
    assert_int_equal(grid.tiles[1], 2);
    assert_int_equal(grid.tiles[2], 1);
    assert_int_equal(grid.loaded_B, 24 * 8 * 2);
    assert_int_equal(grid.inside_B, 20 * 7 * 2);
}

/* 10 rows in boxes of 6 with element stride 4: the first box has rows 0 and 4, the second rows 6 and 10; row 10 is
 * outside. Dimension 0 ignores its element stride. */
TEST(strides_skip_elements) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(16, 10), DIMS(8, 6));
    params.element_strides[0] = 3;
    params.element_strides[1] = 4;
    tmap_grid grid = tmap_grid_of(&params, false);
    assert_int_equal(grid.tiles_n, 4);
    assert_int_equal(grid.step_el[1], 6);
    assert_int_equal(grid.loaded_B, 16 * 4 * 2);
    assert_int_equal(grid.inside_B, 16 * 3 * 2);
}

TEST(four_rows_make_a_tile_of_gather4) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(16, 10), DIMS(16, 1));
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_GATHER4);
    assert_int_equal(sweep.grid.tiles_n, 3);
    assert_int_equal(sweep.grid.inside_B, 320);
    tmap_copy copy;
    tmap_sweep_tile(&sweep, 2, &copy);
    for (int i = 0; i < 4; i++) assert_int_equal(copy.params.rows[i], 8 + i);
}

TEST(grids_do_not_wrap) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 5);
    for (int i = 0; i < 5; i++) params.dims_el[i] = (uint64_t)1 << 32, params.box_el[i] = 1;
    assert_true(tmap_grid_of(&params, false).tiles_n == UINT64_MAX);
    params.box_el[3] = params.element_strides[2] = 0;
    assert_int_equal(tmap_grid_of(&params, false).tiles_n, 0);
}

/* Dimension 0 fastest: tile 7 of 3 x 2 x 2 is (1, 0, 1). */
TEST(tiles_are_numbered_innermost_first) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 3, DIMS(24, 8, 4), DIMS(8, 4, 2));
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    tmap_copy copy;
    tmap_sweep_tile(&sweep, 7, &copy);
    assert_int_equal(copy.params.at[0], 8);
    assert_int_equal(copy.params.at[1], 0);
    assert_int_equal(copy.params.at[2], 2);
}

/* A moved tile is equal to the copy that tmap freezes at the tile's coordinates, including its bounds. */
TEST(moved_tiles_equal_frozen_tiles) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 3, DIMS(20, 7, 3), DIMS(8, 4, 2));
    params.strides_B[0] = 48, params.strides_B[1] = 48 * 7;
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    for (uint64_t i = 0; i < sweep.grid.tiles_n; i++) {
        tmap_copy copy;
        tmap_sweep_tile(&sweep, i, &copy);
        tmap_copy frozen = box_copy(TMAP_OP_LOAD, &params, copy.params.at, 0);
        for (int d = 0; d < TMAP_RANK_MAX; d++) {
            assert_int_equal(copy.inside_first[d], frozen.inside_first[d]);
            assert_int_equal(copy.inside_end[d], frozen.inside_end[d]);
            assert_int_equal(copy.params.at[d], frozen.params.at[d]);
        }
    }
}

/* Coordinates are signed 32-bit, dimensions are not. */
TEST(the_last_tile_is_judged_too) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 1, DIMS((uint64_t)1 << 32), DIMS(256));
    tmap_map map;
    tmap_sweep sweep;
    tmap_diag findings[4];
    tmap_diags diags = {.items = findings, .capacity = 4, .fixed = true};
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_sweep_init(&sweep, &map, &(tmap_copy_params){.op = TMAP_OP_LOAD}, NULL, &diags),
                     TMAP_REFUSED);
    assert_true(diags.count > 0);
    assert_string_equal(findings[0].rule, "copy-coordinate-range");
    assert_int_equal(tmap_sweep_init(&sweep, &map, &(tmap_copy_params){.op = TMAP_OP_PREFETCH}, NULL, NULL),
                     TMAP_BAD_ARGUMENT);
}

/* 2^31 is the start of tile 2^23 of width 256: a range of earlier tiles is valid even if later tiles are not. */
TEST(the_tiles_of_a_range_are_judged) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 2, DIMS((uint64_t)1 << 32, 64), DIMS(256, 32));
    const uint64_t half = (uint64_t)1 << 23, row = (uint64_t)1 << 24;
    const struct {
        uint64_t first, end, refused; /* the tile that breaks the rule; 0: no tile does */
    } ranges[] = {{0, half, 0},
                  {0, half + 1, half},
                  {1000, 1001, 0},
                  {half + 5, half + 5, 0},
                  {half - 1, row, half},
                  {row, row + half, 0},
                  {row - 1, row + 1, row - 1},
                  {row + half - 1, UINT64_MAX, row + half},
                  {5, row + 1, row - 1}};
    tmap_map map;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        tmap_sweep sweep;
        tmap_diag findings[4];
        tmap_diags diags = {.items = findings, .capacity = 4, .fixed = true};
        tmap_status status = tmap_sweep_init_range(&sweep, &map, &(tmap_copy_params){.op = TMAP_OP_LOAD},
                                                   ranges[i].first, ranges[i].end, NULL, &diags);
        assert_int_equal(status, ranges[i].refused != 0 ? TMAP_REFUSED : TMAP_OK);
        if (ranges[i].refused == 0) continue;
        char begin[48];
        snprintf(begin, sizeof begin, "tile %" PRIu64 ": at[0]", ranges[i].refused);
        assert_memory_equal(findings[0].message, begin, strlen(begin));
    }
}

/* tmap does not process tiles that it did not judge. */
TEST(only_the_judged_range_is_processed) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 1, DIMS(256), DIMS(16));
    tmap_map map;
    tmap_sweep sweep;
    uint8_t bytes[256] = {0}, tiles[256];
    tmap_memory global = {.size_B = sizeof bytes, .bytes = bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_sweep_init_range(&sweep, &map, &(tmap_copy_params){.op = TMAP_OP_LOAD}, 3, 6, NULL, NULL),
                     TMAP_OK);
    assert_int_equal(tmap_sweep_load(&sweep, 3, 3, &global, tiles, sizeof tiles, &result), TMAP_OK);
    assert_int_equal(tmap_sweep_load(&sweep, 2, 1, &global, tiles, sizeof tiles, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_load(&sweep, 3, 4, &global, tiles, sizeof tiles, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(result.tiles_n, 3);
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */

/*
 * Images of 5 x 4 pixels with 40 channels, three of them; a pixel box from -1 to 1 below the size along w, from 0 to
 * the size along h; two pixels per step along w and two images per step.
 */
static tmap_map_params images(tmap_mode mode) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 4, DIMS(40, 5, 4, 3), DIMS(1, 1, 1, 1));
    params.mode = mode;
    params.channels_per_pixel = 32;
    params.pixels_per_column = 7;
    params.lower_corner[0] = -1, params.upper_corner[0] = -1;
    params.element_strides[1] = params.element_strides[3] = 2;
    return params;
}

/* w = -1, 1, 3, then the next h; h = 0 .. 3, then the image after next: 3 x 4 x 2 places in columns of 7. */
TEST(columns_follow_the_walk) {
    tmap_map_params params = images(TMAP_MODE_IM2COL);
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    assert_int_equal(sweep.grid.tiles[0], 2);
    assert_int_equal(sweep.grid.tiles[1], 4);
    assert_int_equal(sweep.grid.tiles_n, 8);
    assert_int_equal(sweep.grid.loaded_B, 8 * 7 * 32 * 2);
    assert_int_equal(sweep.grid.inside_B, 2 * 4 * 2 * 40 * 2); /* w = 1 and 3 */
    for (uint64_t tile = 0, step = 0; tile < 8; tile++) {
        tmap_copy copy;
        tmap_sweep_tile(&sweep, tile, &copy);
        if (tile % 2 == 0) step = tile / 2 * 7;
        int64_t w = -1, h = 0, n = 0;
        for (uint64_t i = 0; i < step; i++) {
            if ((w += 2) < 4) continue;
            w = -1;
            if (++h < 4) continue;
            h = 0;
            n += 2;
        }
        assert_int_equal(copy.params.at[0], tile % 2 * 32);
        assert_int_equal(copy.params.at[1], w);
        assert_int_equal(copy.params.at[2], h);
        assert_int_equal(copy.params.at[3], n);
    }
}

/* In the wide modes a column keeps its h: the grid has a row for each h. */
TEST(wide_columns_keep_to_a_row) {
    tmap_map_params params = images(TMAP_MODE_IM2COL_W);
    params.swizzle = TMAP_SWIZZLE_64B;
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    assert_int_equal(sweep.grid.tiles[1], 1); /* 3 x 2 places */
    assert_int_equal(sweep.grid.tiles[2], 4);
    assert_int_equal(sweep.grid.inside_B, 2 * 4 * 2 * 40 * 2);
    tmap_copy copy;
    tmap_sweep_tile(&sweep, 7, &copy);
    assert_int_equal(copy.params.at[0], 32);
    assert_int_equal(copy.params.at[1], -1);
    assert_int_equal(copy.params.at[2], 3);
    assert_int_equal(copy.params.at[3], 0);
}

/* Each column is a slice of 32 channels; w changes first. */
TEST(interleaved_columns_copy_a_slice) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 4, DIMS(5, 4, 3, 2), DIMS(1, 1, 1, 1));
    params.mode = TMAP_MODE_IM2COL;
    params.interleave = TMAP_INTERLEAVE_32B;
    params.swizzle = TMAP_SWIZZLE_32B;
    params.strides_B[0] = 5 * 32, params.strides_B[1] = 4 * 5 * 32, params.strides_B[2] = 3 * 4 * 5 * 32;
    params.channels_per_pixel = 32;
    params.pixels_per_column = 16;
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    assert_int_equal(sweep.grid.tiles[0], 3);
    assert_int_equal(sweep.grid.tiles[1], 3); /* 40 pixels */
    assert_int_equal(sweep.grid.inside_B, 5 * 4 * 3 * 2 * 32);
    tmap_copy copy;
    tmap_sweep_tile(&sweep, 5, &copy);
    assert_int_equal(copy.params.at[0], 16 % 5);
    assert_int_equal(copy.params.at[1], 16 / 5);
    assert_int_equal(copy.params.at[2], 2);
    assert_int_equal(copy.params.at[3], 0);
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

/* 20 x 7 numbers that are their index; outside 0. Tile (i, j) has element (8 i + x, 4 j + y) at 16 y + 2 x. */
TEST(loaded_tiles_are_those_of_the_tensor) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(20, 7), DIMS(8, 4));
    params.strides_B[0] = 48;
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    tmap_index_fill fill;
    tmap_memory global = tmap_memory_index(&fill, &sweep.copy.map);
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_load(&sweep, 0, 2, &global, shared_bytes, 6 * 64, &result), TMAP_OK);
    assert_int_equal(tmap_sweep_load(&sweep, 2, 4, &global, shared_bytes + 2 * 64, 4 * 64, &result), TMAP_OK);
    for (size_t tile = 0; tile < 6; tile++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 8; x++) {
                size_t w = tile % 3 * 8 + x, h = tile / 3 * 4 + y;
                put_u16(expected_bytes, tile * 64 + y * 16 + x * 2, w < 20 && h < 7 ? (uint16_t)(h * 20 + w) : 0);
            }
    expect_shared();
    assert_int_equal(result.tiles_n, 6);
    assert_int_equal(result.payload_B, 6 * 64);
    assert_int_equal(result.filled_B, (24 * 8 - 20 * 7) * 2);
    assert_int_equal(result.untouched_B, 0);
}

TEST(wrong_ranges_are_refused) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(16, 8), DIMS(8, 4));
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_LOAD);
    tmap_memory global = {.size_B = 256, .bytes = global_bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_load(&sweep, 0, 5, &global, shared_bytes, MEMORY_B, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_load(&sweep, 5, 0, &global, shared_bytes, MEMORY_B, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_load(&sweep, 1, UINT64_MAX, &global, shared_bytes, MEMORY_B, &result),
                     TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_load(&sweep, 0, 4, &global, shared_bytes, 4 * 64 - 1, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_check(&sweep, 0, 4, &global, shared_bytes, 64, &result), TMAP_BAD_ARGUMENT);
    expect_shared();
    global.size_B = 255; /* the last tile needs byte 255 */
    assert_int_equal(tmap_sweep_load(&sweep, 0, 4, &global, shared_bytes, 4 * 64, &result), TMAP_REFUSED);
    assert_int_equal(result.tiles_n, 3);
}

/* ---- Loading and storing back ----------------------------------------------------------------------------------- */

static tmap_sweep_result check_all(const tmap_map_params *params, tmap_op op) {
    tmap_sweep sweep = sweep_of(params, op);
    tmap_memory global = {.size_B = sweep.copy.map.derived.span_B, .bytes = global_bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_add_back(&sweep, NULL, NULL), TMAP_OK);
    assert_int_equal(
        tmap_sweep_check(&sweep, 0, sweep.grid.tiles_n, &global, shared_bytes, sweep.copy.footprint_B, &result),
        TMAP_OK);
    assert_int_equal(result.tiles_n, sweep.grid.tiles_n);
    return result;
}

TEST(the_stored_tiles_are_the_tensor) {
    count_u32(global_bytes, 0, 1, 48 * 7 / 4);
    static const tmap_swizzle swizzles[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    for (size_t i = 0; i < COUNT(swizzles); i++) {
        tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(20, 7), DIMS(8, 4));
        params.strides_B[0] = 48;
        params.swizzle = swizzles[i];
        tmap_sweep_result result = check_all(&params, TMAP_OP_LOAD);
        assert_int_equal(result.stored_B, 20 * 7 * 2);
        assert_int_equal(result.differing_B, 0);
    }
}

/* All pixels of all images, with the pixel box as large as an image. */
TEST(columns_are_stored) {
    tmap_map_params params = images(TMAP_MODE_IM2COL);
    params.lower_corner[0] = params.upper_corner[0] = 0;
    params.element_strides[1] = params.element_strides[3] = 1;
    count_u32(global_bytes, 0, 1, 40 * 5 * 4 * 3 / 2);
    tmap_sweep_result result = check_all(&params, TMAP_OP_LOAD);
    assert_int_equal(result.stored_B, 40 * 5 * 4 * 3 * 2);
    assert_int_equal(result.differing_B, 0);
}

/* A filter offset loads other pixels, so the tiles cannot be stored back. */
TEST(layouts_with_offsets_have_no_inverse) {
    tmap_map_params params = images(TMAP_MODE_IM2COL);
    tmap_map map;
    tmap_sweep sweep;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    tmap_copy_params like = {.op = TMAP_OP_LOAD, .offsets = {1, 0}};
    assert_int_equal(tmap_sweep_init(&sweep, &map, &like, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_sweep_add_back(&sweep, NULL, NULL), TMAP_BAD_ARGUMENT);
}

TEST(gathered_rows_can_be_scattered) {
    count_u32(global_bytes, 0, 1, 128);
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(16, 10), DIMS(16, 1));
    tmap_sweep_result result = check_all(&params, TMAP_OP_GATHER4);
    assert_int_equal(result.stored_B, 320);
    assert_int_equal(result.differing_B, 0);
}

/* Loads of tf32 round to ten bits of mantissa: 0x3f803000 becomes 0x3f804000, one byte of which is different. */
TEST(rounded_floats_are_not_the_tensor) {
    memset(global_bytes, 0, 256);
    put_u32(global_bytes, 100, 0x3f803000);
    put_u32(global_bytes, 40, 0x00007fff); /* 0x00008000: both low bytes */
    tmap_map_params params = tiled(TMAP_TYPE_TF32, 2, DIMS(8, 8), DIMS(4, 4));
    tmap_sweep_result result = check_all(&params, TMAP_OP_LOAD);
    assert_int_equal(result.stored_B, 256);
    assert_int_equal(result.differing_B, 3);
    assert_int_equal(result.first_differing_B, 40);
}

/* ---- Storing ---------------------------------------------------------------------------------------------------- */

/*
 * 20 x 7 numbers in 3 x 2 tiles of 8 x 4, each of 64 bytes; element (x, y) of tile (i, j) is 1000 (3 j + i) + 8 y + x.
 * Tiles 4 and 5 are first: ranges can have any order.
 */
TEST(stored_tiles_are_the_tensor) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(20, 7), DIMS(8, 4));
    params.strides_B[0] = 48;
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_STORE);
    for (unsigned i = 0; i < 6 * 32; i++) put_u16(shared_bytes, 2 * i, (uint16_t)(1000 * (i / 32) + i % 32));
    for (unsigned y = 0; y < 7; y++)
        for (unsigned x = 0; x < 20; x++)
            put_u16(expected_bytes, 48 * y + 2 * x, (uint16_t)(1000 * (3 * (y / 4) + x / 8) + 8 * (y % 4) + x % 8));
    tmap_memory global = {.size_B = 48 * 6 + 40, .bytes = global_bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_store(&sweep, 4, 2, shared_bytes + 4 * 64, 2 * 64, &global, &result), TMAP_OK);
    assert_int_equal(tmap_sweep_store(&sweep, 0, 4, shared_bytes, 4 * 64, &global, &result), TMAP_OK);
    expect_global();
    assert_int_equal(result.tiles_n, 6);
    assert_int_equal(result.payload_B, 6 * 64);
    assert_int_equal(result.stored_B, 20 * 7 * 2);
    assert_int_equal(result.untouched_B, 6 * 64 - 20 * 7 * 2);
}

/*
 * All 5 rows of the tensor are the same bytes: the 4 rows of tile 0 add 1 each, and the one row of tile 1 adds 2.
 */
TEST(reductions_go_tile_by_tile) {
    tmap_map_params params = tiled(TMAP_TYPE_U32, 2, DIMS(4, 5), DIMS(4, 4));
    params.strides_B[0] = 0;
    assert_true(tmap_map_overlaps(&params));
    tmap_sweep sweep = sweep_of(&params, TMAP_OP_REDUCE_ADD);
    count_u32(global_bytes, 0, 100, 4);
    count_u32(expected_bytes, 0, 106, 4);
    for (unsigned i = 0; i < 32; i++) put_u32(shared_bytes, 4 * i, i < 16 ? 1 : 2);
    tmap_memory global = {.size_B = 16, .bytes = global_bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_store(&sweep, 0, 2, shared_bytes, 128, &global, &result), TMAP_OK);
    expect_global();
    assert_int_equal(result.stored_B, 5 * 16);
}

TEST(wrong_stores_are_refused) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 2, DIMS(16, 8), DIMS(8, 4));
    tmap_sweep loads = sweep_of(&params, TMAP_OP_LOAD), stores = sweep_of(&params, TMAP_OP_STORE);
    tmap_memory global = {.size_B = 200, .bytes = global_bytes};
    tmap_sweep_result result = {0};
    assert_int_equal(tmap_sweep_store(&loads, 0, 1, shared_bytes, 64, &global, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_load(&stores, 0, 1, &global, shared_bytes, 64, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_add_back(&stores, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_store(&stores, 0, 2, shared_bytes, 127, &global, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_sweep_store(&stores, 3, 2, shared_bytes, 128, &global, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(result.tiles_n, 0);
    expect_global();
    assert_int_equal(tmap_sweep_store(&stores, 0, 4, shared_bytes, 256, &global, &result), TMAP_REFUSED);
    assert_int_equal(result.tiles_n, 2); /* the third has bytes up to 239 */
}

TEST(a_tensor_has_the_store_of_its_load) {
    static const struct {
        uint32_t ops;
        tmap_op load, store;
    } rows[] = {
        {0, TMAP_OP_LOAD, TMAP_OP_STORE},
        {TMAP_OP_BIT(GATHER4), TMAP_OP_GATHER4, TMAP_OP_SCATTER4},
        {TMAP_OP_BIT(GATHER4) | TMAP_OP_BIT(LOAD), TMAP_OP_LOAD, TMAP_OP_STORE},
        {TMAP_OP_BIT(GATHER4) | TMAP_OP_BIT(STORE), TMAP_OP_GATHER4, TMAP_OP_STORE},
        {TMAP_OP_BIT(SCATTER4), TMAP_OP_LOAD, TMAP_OP_SCATTER4},
    };
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 2);
    for (size_t i = 0; i < COUNT(rows); i++) {
        params.ops = rows[i].ops;
        assert_int_equal(tmap_sweep_op(&params, false), rows[i].load);
        assert_int_equal(tmap_sweep_op(&params, true), rows[i].store);
    }
}

/* Rows of 32 bytes, 4 of them a plane, 2 planes. */
TEST(overlap_is_seen) {
    static const struct {
        uint64_t strides_B[2];
        bool overlaps;
    } rows[] = {
        {{32, 128}, false}, {{48, 192}, false}, {{64, 32}, false}, /* the planes are between the rows */
        {{0, 32}, true},    {{16, 64}, true},   {{32, 112}, true}, {{48, 32}, true}, {{64, 16}, true},
    };
    tmap_map_params params = tiled(TMAP_TYPE_U16, 3, DIMS(16, 4, 2), DIMS(16, 4, 2));
    for (size_t i = 0; i < COUNT(rows); i++) {
        memcpy(params.strides_B, rows[i].strides_B, sizeof rows[i].strides_B);
        if (tmap_map_overlaps(&params) != rows[i].overlaps) fail_msg("row %d", (int)i);
    }
    params.dims_el[1] = params.dims_el[2] = 1; /* strides of dimensions of size 1 */
    assert_false(tmap_map_overlaps(&params));
    params.rank = UINT64_MAX;
    for (int i = 0; i < 5; i++) params.dims_el[i] = UINT64_MAX;
    for (int i = 0; i < 4; i++) params.strides_B[i] = UINT64_MAX;
    assert_true(tmap_map_overlaps(&params));
}

TEST(sums_keep_the_first_difference) {
    tmap_sweep_result sum = {0}, none = {.tiles_n = 1}, late = {.differing_B = 2, .first_differing_B = 90},
                      early = {.differing_B = 1, .first_differing_B = 0};
    tmap_sweep_add(&sum, &none);
    tmap_sweep_add(&sum, &late);
    assert_int_equal(sum.first_differing_B, 90);
    tmap_sweep_add(&sum, &early);
    tmap_sweep_add(&sum, &none);
    assert_int_equal(sum.first_differing_B, 0);
    assert_int_equal(sum.differing_B, 3);
    assert_int_equal(sum.tiles_n, 2);
}

BEFORE_EACH(fresh_memories)
