/* L2 sectors that a copy touches, and the results of a prefetch. Counted by hand. */
#include "cmocka_all.h"
#include "copy_fixture.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/walk.h"

static tmap_footprint footprint_of(const tmap_copy *copy) {
    tmap_footprint footprint;
    assert_int_equal(tmap_copy_footprint(copy, NULL, &footprint), TMAP_OK);
    assert_int_equal(footprint.sectors_B, footprint.sectors_n * 32);
    return footprint;
}

static tmap_map_params bytes_by_rows(uint64_t columns, uint64_t rows, uint64_t stride_B, uint64_t box_columns,
                                     uint64_t box_rows) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, 2);
    map.dims_el[0] = columns, map.dims_el[1] = rows;
    map.strides_B[0] = stride_B;
    map.box_el[0] = box_columns, map.box_el[1] = box_rows;
    return map;
}

/* Rows of a u8 tensor that starts at `address`. */
static const struct {
    uint64_t columns, rows, stride_B, box[2];
    int64_t at[2];
    uint64_t address, sectors_n, data_B;
} cases[] = {
    {64, 8, 64, {64, 8}, {0, 0}, 0, 16, 512},             /* dense: 512 bytes */
    {64, 8, 64, {32, 4}, {32, 2}, 0, 4, 128},             /* half rows, each a sector */
    {64, 8, 80, {16, 3}, {0, 0}, 0, 3, 48},               /* from 0, 80 and 160: sectors 0, 2 and 5 */
    {48, 4, 48, {48, 2}, {0, 0}, 0, 3, 96},               /* rows 0 .. 47 and 48 .. 95 share sector 1 */
    {64, 8, 64, {64, 1}, {0, 0}, 16, 3, 64},              /* 16 .. 79 of memory */
    {40, 8, 48, {16, 2}, {32, 7}, 0, 1, 8},               /* 8 bytes of the last row: 368 .. 375 */
    {64, 8, 64, {64, 8}, {64, 0}, 0, 0, 0},               /* outside */
    {64, 8, 0, {64, 8}, {0, 0}, 0, 2, 512},               /* one row eight times */
    {256, 8, 1024, {16, 8}, {-16, 0}, 0, 0, 0},           /* before the tensor */
    {24, 2, 16, {32, 2}, {0, 0}, 0, 2, 48},               /* 0 .. 23 and 16 .. 39 overlap */
    {256, 256, 256, {256, 256}, {0, 0}, 16, 2049, 65536}, /* 64 KiB, from half a sector on */
};

TEST(rows_of_bytes) {
    for (size_t i = 0; i < COUNT(cases); i++) {
        tmap_map_params map =
            bytes_by_rows(cases[i].columns, cases[i].rows, cases[i].stride_B, cases[i].box[0], cases[i].box[1]);
        map.has_address = cases[i].address != 0;
        map.address = cases[i].address;
        tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, cases[i].at, 0);
        tmap_footprint footprint = footprint_of(&copy);
        if (footprint.sectors_n != cases[i].sectors_n || footprint.data_B != cases[i].data_B)
            fail_msg("row %d: %llu sectors, %llu bytes", (int)i, (unsigned long long)footprint.sectors_n,
                     (unsigned long long)footprint.data_B);
    }
}

/* Rows 5, 2, 5 and one outside the tensor: two different rows of two sectors each. */
TEST(rows_in_any_order) {
    tmap_map_params map = bytes_by_rows(64, 8, 64, 64, 1);
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 0, (const int64_t[]){5, 2, 5, 9});
    tmap_footprint footprint = footprint_of(&copy);
    assert_int_equal(footprint.sectors_n, 4);
    assert_int_equal(footprint.data_B, 192);
}

/*
 * A prefetch of four rows: columns 48 .. 79 of rows 3, 0 and 7, whose memory starts 16 bytes after a sector boundary.
 * The tensor ends at column 64, so each row touches only the sectors of bytes 64 .. 79 of memory. Rows -1 and 8 are
 * outside.
 */
TEST(rows_prefetched) {
    tmap_map_params map = bytes_by_rows(64, 8, 96, 32, 1);
    map.has_address = true;
    map.address = 16;
    tmap_copy copy = rows_copy(TMAP_OP_PREFETCH_GATHER4, &map, 48, (const int64_t[]){3, 0, 7, -1});
    tmap_footprint footprint = footprint_of(&copy);
    assert_int_equal(footprint.sectors_n, 3);
    assert_int_equal(footprint.data_B, 48);
    assert_int_equal(copy.footprint_B, 0);
    assert_int_equal(copy.payload_B, 0);
    tmap_copy whole = rows_copy(TMAP_OP_PREFETCH_GATHER4, &map, 0, (const int64_t[]){3, 3, 7, 8});
    footprint = footprint_of(&whole); /* 304 .. 335 and 688 .. 719 of memory: two sectors each */
    assert_int_equal(footprint.sectors_n, 4);
    assert_int_equal(footprint.bytes_B, 64);
}

/* Dimension 2 has the smaller stride, so the rows of the planes alternate in memory. */
TEST(strides_in_any_order) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 3, DIMS(16, 4, 4), DIMS(16, 4, 4));
    map.strides_B[0] = 64;
    map.strides_B[1] = 16;
    tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, 0, 0), 0);
    assert_int_equal(footprint_of(&copy).sectors_n, 8);
}

/*
 * The row of 17 bytes starts at (2^30 - 1) * 16 * (2^30 + 1) = 2^64 - 16. Its last byte is byte 0 of memory, in another
 * sector.
 */
TEST(a_row_that_wraps_by_one_byte) {
    tmap_map_params map = bytes_by_rows(17, (uint64_t)1 << 31, 16 * (((uint64_t)1 << 30) + 1), 32, 1);
    tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, ((int64_t)1 << 30) - 1), 0);
    tmap_footprint footprint = footprint_of(&copy);
    assert_int_equal(footprint.sectors_n, 2);
    assert_int_equal(footprint.bytes_B, 17);
}

/* The last 16 bytes of the address space: the end, 2^64, is written as 2^64 - 1. */
TEST(a_row_that_ends_with_the_address_space) {
    tmap_map_params map = bytes_by_rows(16, (uint64_t)1 << 31, 16 * (((uint64_t)1 << 30) + 1), 16, 1);
    tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, ((int64_t)1 << 30) - 1), 0);
    tmap_extent extent = tmap_copy_extent(&copy);
    assert_int_equal(extent.first_B, UINT64_MAX - 15);
    assert_int_equal(extent.end_B, UINT64_MAX);
    assert_int_equal(extent.data_B, 16);
    assert_int_equal(footprint_of(&copy).sectors_n, 1);
    map.dims_el[0] = 17, map.box_el[0] = 32;
    copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, ((int64_t)1 << 30) - 1), 0);
    extent = tmap_copy_extent(&copy);
    assert_int_equal(extent.first_B, 0);
    assert_int_equal(extent.end_B, UINT64_MAX);
}

/* Rows at any distances, also overlapping and in any order: counts the bytes and sectors one by one. */
TEST(unions_of_any_rows) {
    enum { REACH_B = 1 << 15 };
    static uint8_t bytes[REACH_B], sectors[REACH_B / 32];
    for (uint64_t i = 0; i < 600; i++) {
        tmap_random random = {.state = i};
        tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, tmap_random_between(&random, 2, 4));
        map.dims_el[0] = tmap_random_between(&random, 1, 100);
        map.box_el[0] = (map.dims_el[0] + 15) / 16 * 16;
        for (uint64_t d = 1; d < map.rank; d++) {
            map.dims_el[d] = map.box_el[d] = tmap_random_between(&random, 1, 7);
            map.strides_B[d - 1] = 16 * tmap_random_between(&random, 0, 40);
        }
        map.has_address = true;
        map.address = 16 * tmap_random_between(&random, 1, 4);
        memset(bytes, 0, sizeof bytes);
        memset(sectors, 0, sizeof sectors);
        uint64_t rows_n = 1, bytes_n = 0, sectors_n = 0;
        for (uint64_t d = 1; d < map.rank; d++) rows_n *= map.dims_el[d];
        for (uint64_t row = 0; row < rows_n; row++) {
            uint64_t at = map.address, rest = row;
            for (uint64_t d = 1; d < map.rank; rest /= map.dims_el[d], d++)
                at += rest % map.dims_el[d] * map.strides_B[d - 1];
            for (uint64_t end = at + map.dims_el[0]; at < end; at++) bytes[at] = sectors[at / 32] = 1;
        }
        for (size_t b = 0; b < sizeof bytes; b++) bytes_n += bytes[b];
        for (size_t s = 0; s < sizeof sectors; s++) sectors_n += sectors[s];
        tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, 0, 0, 0), 0);
        tmap_footprint footprint = footprint_of(&copy);
        assert_int_equal(footprint.bytes_B, bytes_n);
        assert_int_equal(footprint.sectors_n, sectors_n);
        assert_int_equal(footprint.data_B, rows_n * map.dims_el[0]);
    }
}

static void *no_memory(void *context, void *memory, size_t old_size, size_t new_size) {
    (void)context, (void)memory, (void)old_size, (void)new_size;
    return NULL;
}

TEST(only_unsorted_rows_need_memory) {
    const tmap_allocator none = {.resize = no_memory};
    tmap_map_params map = bytes_by_rows(64, 8, 64, 64, 1);
    tmap_footprint footprint;
    tmap_copy rising = rows_copy(TMAP_OP_GATHER4, &map, 0, (const int64_t[]){1, 2, 5, 9});
    tmap_copy falling = rows_copy(TMAP_OP_GATHER4, &map, 0, (const int64_t[]){2, 1, 5, 9});
    assert_int_equal(tmap_copy_footprint(&rising, &none, &footprint), TMAP_OK);
    assert_int_equal(tmap_copy_footprint(&falling, &none, &footprint), TMAP_NO_MEMORY);
}

TEST(prefetches_change_nothing) {
    tmap_map_params map = bytes_by_rows(64, 8, 64, 64, 8);
    tmap_copy copy = box_copy(TMAP_OP_PREFETCH, &map, AT(0, 0), 0);
    tmap_memory memory = {.size_B = 512, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(copy.footprint_B, 0);
    assert_int_equal(tmap_emulate(&copy, NULL, 0, &memory, &result), TMAP_OK);
    expect_counts(&result, 0, 0, 0, 0);
    expect_global();
    memory.size_B = 511, result.tx_B = 7;
    assert_int_equal(tmap_emulate(&copy, NULL, 0, &memory, &result), TMAP_REFUSED);
    assert_int_equal(result.tx_B, 7);
}

/* The largest possible box has 2^42 bytes. */
TEST(the_largest_boxes_are_not_predicted) {
    tmap_map_params map = tiled(TMAP_TYPE_F32, 5, DIMS(256, 256, 256, 256, 256), DIMS(256, 256, 256, 256, 256));
    tmap_copy_params params = {.op = TMAP_OP_PREFETCH, .at_n = 5};
    tmap_map frozen;
    tmap_copy copy;
    assert_int_equal(tmap_map_init(&frozen, &map, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &frozen, &params, NULL, NULL), TMAP_UNAVAILABLE);
}

BEFORE_EACH(fresh_memories)
