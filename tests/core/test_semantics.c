/*
 * Copies with expected bytes by hand: the bytes that a load writes to shared memory and a store to global memory.
 * Sources: PTX ISA 5.5, and published measurements (an RTX 5080, sm_120; a GB10, sm_121; H100 and B200 in Triton's
 * tests).
 */
#include "copy_fixture.h"
#include "tmap/unstable/walk.h"

/* ---- Rows, pitch, element strides ----------------------------------------------------------------------------- */

/*
 * Measured on sm_120: box {8,5} of u32, element strides {1,2}, swizzle 128B: rows at 0, 128, 256; 96 bytes arrive.
 * Row k holds tensor row 2k and is in line k, so its 16-byte cells 0, 1 are at cells 0, 1 | 1, 0 | 2, 3.
 */
TEST(strided_rows_in_128B_lines) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(8, 5), DIMS(8, 5));
    map.element_strides[1] = 2;
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    count_u32(global_bytes, 0, 100, 40);
    count_u32(expected_bytes, 0, 100, 8);
    count_u32(expected_bytes, 128 + 16, 116, 4);
    count_u32(expected_bytes, 128 + 0, 120, 4);
    count_u32(expected_bytes, 256 + 32, 132, 4);
    count_u32(expected_bytes, 256 + 48, 136, 4);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 96, 96, 0, 384 - 96);
}

/* Every third of 7 planes from plane 1 on: 1, 4 and 7. Plane p begins at element 4 x 2 x p. */
TEST(strided_planes) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 3, DIMS(4, 2, 8), DIMS(4, 2, 7));
    map.element_strides[2] = 3;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0, 1), 0);
    count_u32(global_bytes, 0, 0, 64);
    count_u32(expected_bytes, 0, 8, 8);
    count_u32(expected_bytes, 32, 32, 8);
    count_u32(expected_bytes, 64, 56, 8);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 96, 96, 0, 0);
}

/* Without interleave the element stride of dimension 0 has no effect. */
TEST(element_stride_0_is_ignored) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 1, DIMS(16), DIMS(8));
    map.element_strides[0] = 2;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(4), 0);
    count_u32(global_bytes, 0, 0, 16);
    count_u32(expected_bytes, 0, 4, 8);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 32, 32, 0, 0);
}

/*
 * Rows of 32 bytes with swizzle 64B have a pitch of 64 bytes; the gaps are not written. Rows 0 and 1 are in line 0,
 * rows 2 and 3 in line 1, where the swizzle exchanges adjacent cells.
 */
TEST(gaps_after_short_rows_are_kept) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(8, 4), DIMS(8, 4));
    map.swizzle = TMAP_SWIZZLE_64B;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    count_u32(global_bytes, 0, 0, 32);
    count_u32(expected_bytes, 0, 0, 8);
    count_u32(expected_bytes, 64, 8, 8);
    count_u32(expected_bytes, 128 + 16, 16, 4);
    count_u32(expected_bytes, 128 + 0, 20, 4);
    count_u32(expected_bytes, 192 + 16, 24, 4);
    count_u32(expected_bytes, 192 + 0, 28, 4);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 128);
}

/* The same box stored from shared memory with other bytes in the gaps: the store reads only the rows. */
TEST(stores_read_rows_at_the_same_pitch) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(8, 4), DIMS(8, 4));
    map.swizzle = TMAP_SWIZZLE_64B;
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(0, 0), 0);
    count_u32(shared_bytes, 0, 0, 8);
    count_u32(shared_bytes, 64, 8, 8);
    count_u32(shared_bytes, 128 + 16, 16, 4);
    count_u32(shared_bytes, 128 + 0, 20, 4);
    count_u32(shared_bytes, 192 + 16, 24, 4);
    count_u32(shared_bytes, 192 + 0, 28, 4);
    count_u32(expected_bytes, 0, 0, 32);
    tmap_copy_result result = store(&copy);
    expect_global();
    assert_int_equal(result.tx_B, 128);
    assert_int_equal(result.written_B, 128);
}

/* ---- Out of bounds -------------------------------------------------------------------------------------------- */

/* f32 64 x 96 (rows x columns), the integer 1000 row + column in place of a float: a load only moves bits. */
static tmap_map_params gb10_map(tmap_oob_fill fill) {
    tmap_map_params map = tiled(TMAP_TYPE_F32, 2, DIMS(96, 64), DIMS(16, 8));
    map.oob_fill = fill;
    for (uint32_t row = 0; row < 64; row++) count_u32(global_bytes, row * 384, row * 1000, 96);
    return map;
}

/* Of the 16 x 8 elements of the box, columns [from, from + 8) and rows [first, first + 4) are in the tensor. */
static void expect_gb10(size_t from, size_t first, uint32_t corner, uint32_t fill) {
    for (size_t i = 0; i < 128; i++) put_u32(expected_bytes, 4 * i, fill);
    for (size_t row = 0; row < 4; row++)
        count_u32(expected_bytes, (first + row) * 64 + from * 4, corner + (uint32_t)row * 1000, 8);
    expect_shared();
}

/* Measured on sm_121: 96 elements of a box of 128 out of bounds; 512 bytes are counted. */
TEST(box_over_the_far_edges) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(88, 60), 0);
    tmap_copy_result result = load(&copy);
    expect_gb10(0, 0, 60088, 0);
    expect_counts(&result, 512, 512, 384, 0);
}

TEST(box_over_the_far_edges_with_nan) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_NAN);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(88, 60), 0);
    tmap_copy_result result = load(&copy);
    expect_gb10(0, 0, 60088, 0x7FF77FF7);
    expect_counts(&result, 512, 512, 384, 0);
}

TEST(box_at_negative_coordinates) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(-8, -4), 0);
    tmap_copy_result result = load(&copy);
    expect_gb10(8, 4, 0, 0);
    expect_counts(&result, 512, 512, 384, 0);
}

TEST(box_fully_outside) {
    static const int64_t places[][2] = {{96, 0},       {0, 64}, {-16, 0}, {0, -8}, {INT32_MAX - 3, INT32_MAX},
                                        {0, INT32_MIN}};
    for (size_t i = 0; i < COUNT(places); i++) {
        fresh_memories(NULL);
        tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
        tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, places[i], 0);
        tmap_copy_result result = load(&copy);
        memset(expected_bytes, 0, 512);
        expect_shared();
        expect_counts(&result, 512, 512, 512, 0);
        tmap_extent extent = tmap_copy_extent(&copy);
        assert_int_equal(extent.first_B, extent.end_B);
        assert_int_equal(extent.data_B, 0);
    }
}

/* 60 x 384 + 88 x 4 is the first byte, 63 x 384 + 96 x 4 one past the last; 32 elements are inside. */
TEST(extent_of_a_box_over_the_edges) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(88, 60), 0);
    tmap_extent extent = tmap_copy_extent(&copy);
    assert_int_equal(extent.first_B, 23392);
    assert_int_equal(extent.end_B, 24576);
    assert_int_equal(extent.data_B, 128);
}

TEST(walk_of_a_box_over_the_edges) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(88, 60), 0);
    uint64_t elements[2] = {0, 0};
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, &copy); tmap_walk_next(&walk, &run);)
        elements[run.kind == TMAP_RUN_FILL] += (uint64_t)run.units_n * run.rows_n;
    assert_int_equal(elements[0], 32);
    assert_int_equal(elements[1], 96);
}

/* The last byte that the copy reads is 24575: memory that ends there suffices, one byte less does not. */
TEST(memory_too_small_is_refused) {
    tmap_map_params map = gb10_map(TMAP_OOB_FILL_ZERO);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(88, 60), 0);
    tmap_memory memory = {.size_B = 24575, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(tmap_emulate_load(&copy, &memory, shared_bytes, MEMORY_B, &result), TMAP_REFUSED);
    expect_shared();
    memory.size_B = 24576;
    assert_int_equal(tmap_emulate_load(&copy, &memory, shared_bytes, MEMORY_B, &result), TMAP_OK);
}

/* Measured on sm_120 for every float type: each 16 bits of the fill are 0x7ff7. TF32 does not round it. */
TEST(nan_fill_by_type) {
    static const tmap_type floats[] = {TMAP_TYPE_F16,     TMAP_TYPE_BF16, TMAP_TYPE_F32,     TMAP_TYPE_F64,
                                       TMAP_TYPE_F32_FTZ, TMAP_TYPE_TF32, TMAP_TYPE_TF32_FTZ};
    for (size_t i = 0; i < COUNT(floats); i++) {
        fresh_memories(NULL);
        tmap_map_params map = tiled(floats[i], 1, DIMS(16), DIMS(16));
        map.oob_fill = TMAP_OOB_FILL_NAN;
        tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(16), 0);
        tmap_copy_result result = load(&copy);
        for (size_t at = 0; at < result.tx_B; at += 2) put_u16(expected_bytes, at, 0x7FF7);
        expect_shared();
        assert_true(result.tx_B == 32 || result.tx_B == 64 || result.tx_B == 128);
        assert_int_equal(result.filled_B, result.tx_B);
    }
}

/* ---- Data ----------------------------------------------------------------------------------------------------- */

/* Measured on sm_120, the three below by the same rule (nearest, ties to even, 10 fraction bits). */
static const uint32_t tf32_vectors[][2] = {
    {0x3f803000, 0x3f804000},                           /* a tie, to the even neighbour above */
    {0x3f805000, 0x3f804000},                           /* a tie, to the even neighbour below */
    {0x3fffffff, 0x40000000},                           /* up into the next binade */
    {0x007fffff, 0x00800000},                           /* up from the largest subnormal */
    {0x00000001, 0x00000000}, {0x00002000, 0x00002000}, /* a subnormal is kept */
    {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000}, {0x7f800001, 0x7fffe000},
    {0x7fc00000, 0x7fffe000}, {0xffc12345, 0x7fffe000}, /* a NaN's sign is dropped */
    {0x3f801000, 0x3f800000},                           /* the lowest tie */
    {0x3f801001, 0x3f802000},                           /* just above it */
    {0xbf803000, 0xbf804000},                           /* sign and magnitude */
};

enum { VECTORS_N = COUNT(tf32_vectors) };

static void put_vectors(uint8_t *memory, int side) {
    for (size_t i = 0; i < VECTORS_N; i++) put_u32(memory, 4 * i, tf32_vectors[i][side]);
}

static tmap_copy vectors_copy(tmap_op op, tmap_type type) {
    tmap_map_params map = tiled(type, 1, DIMS(16), DIMS(16));
    return box_copy(op, &map, AT(0), 0);
}

TEST(tf32_loads_round) {
    static const tmap_type types[] = {TMAP_TYPE_TF32, TMAP_TYPE_TF32_FTZ};
    for (int i = 0; i < 2; i++) {
        fresh_memories(NULL);
        memset(global_bytes, 0, 64);
        memset(expected_bytes, 0, 64);
        put_vectors(global_bytes, 0);
        put_vectors(expected_bytes, 1);
        tmap_copy copy = vectors_copy(TMAP_OP_LOAD, types[i]);
        load(&copy);
        expect_shared();
    }
}

TEST(tf32_rounding) {
    for (size_t i = 0; i < VECTORS_N; i++) assert_int_equal(tmap_tf32_round(tf32_vectors[i][0]), tf32_vectors[i][1]);
}

TEST(f32_loads_keep_bits) {
    static const tmap_type types[] = {TMAP_TYPE_F32, TMAP_TYPE_F32_FTZ, TMAP_TYPE_U32, TMAP_TYPE_S32};
    for (int i = 0; i < 4; i++) {
        fresh_memories(NULL);
        put_vectors(global_bytes, 0);
        put_vectors(expected_bytes, 0);
        tmap_copy copy = vectors_copy(TMAP_OP_LOAD, types[i]);
        load(&copy);
        expect_shared();
    }
}

TEST(tf32_stores_keep_bits) {
    put_vectors(shared_bytes, 0);
    put_vectors(expected_bytes, 0);
    tmap_copy copy = vectors_copy(TMAP_OP_STORE, TMAP_TYPE_TF32);
    store(&copy);
    expect_global();
}

/* ---- Swizzle and the address of the box ----------------------------------------------------------------------- */

enum { ROW_CELLS = 8 };

/* Two rows of 128 bytes; each cell holds its number: 0x00.. in row 0, 0x10.. in row 1. */
static tmap_map_params cells_map(tmap_swizzle swizzle) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 2, DIMS(128, 2), DIMS(128, 2));
    map.swizzle = swizzle;
    for (int cell = 0; cell < 2 * ROW_CELLS; cell++)
        memset(global_bytes + cell * 16, cell / ROW_CELLS * 16 + cell % ROW_CELLS, 16);
    return map;
}

static void expect_cells(size_t at_B, const char *digits, uint8_t high) {
    for (size_t i = 0; i < ROW_CELLS; i++) memset(expected_bytes + at_B + i * 16, digits[i] - '0' + high, 16);
}

/*
 * 0x480 is 128 modulo 1024: the swizzle base offset is (0x480 / 128) % 8 = 1, so the rows are in lines 1 and 2 of the
 * printed pattern. Measured for such a base on sm_120.
 */
TEST(box_that_begins_inside_the_pattern) {
    tmap_map_params map = cells_map(TMAP_SWIZZLE_128B);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x480);
    expect_cells(0, "10325476", 0);
    expect_cells(128, "23016745", 16);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 256, 256, 0, 0);
}

/* Element (19, 1): byte 3 of cell 1 of row 1, which is in cell 3 of the line at 0x500. 0x533 / 4 % 32 is bank 12. */
TEST(place_of_one_element) {
    tmap_map_params map = cells_map(TMAP_SWIZZLE_128B);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x480);
    tmap_place place;
    tmap_copy_locate(&copy, (const uint32_t[TMAP_RANK_MAX]){19, 1}, &place);
    assert_int_equal(place.at[0], 19);
    assert_int_equal(place.at[1], 1);
    assert_true(place.inside);
    assert_int_equal(place.global_B, 147);
    assert_int_equal(place.box_B, 147);
    assert_int_equal(place.shared, 0x533);
    assert_int_equal(place.line, 10);
    assert_int_equal(place.unit, 3);
    assert_int_equal(place.bank, 12);
}

/* The second row's line of the 32-byte atoms is 2 3 0 1 6 7 4 5, and the halves of its cells are exchanged. */
TEST(flipped_halves_in_every_other_line) {
    tmap_map_params map = cells_map(TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    memset(global_bytes + 128 + 8, 0x99, 8); /* the upper half of row 1's cell 0 */
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    expect_cells(0, "01234567", 0);
    expect_cells(128, "23016745", 16);
    memset(expected_bytes + 128 + 32, 0x99, 8);
    memset(expected_bytes + 128 + 40, 0x10, 8);
    load(&copy);
    expect_shared();
}

/*
 * Rows of 96 bytes are packed: cells 0..7 are in line 0 unchanged, 8..15 in line 1 exchanged in pairs, 16 and 17 in
 * line 2.
 */
TEST(rows_of_96_bytes_are_packed) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 2, DIMS(96, 3), DIMS(96, 3));
    map.swizzle = TMAP_SWIZZLE_96B;
    for (int cell = 0; cell < 18; cell++) memset(global_bytes + cell * 16, cell, 16);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    for (int cell = 0; cell < 18; cell++) memset(expected_bytes + (cell / 8 == 1 ? cell ^ 1 : cell) * 16, cell, 16);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 288, 288, 0, 0);
}

/* ---- gather4 and scatter4 ------------------------------------------------------------------------------------- */

/* u32 {16, 4}, element (c, r) is 100 r + c. */
static tmap_map_params rows_map(void) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(16, 4), DIMS(8, 1));
    for (uint32_t row = 0; row < 4; row++) count_u32(global_bytes, row * 64, row * 100, 16);
    return map;
}

/* Measured on sm_120: column 4, rows 2, 0, 3, 1 arrive in that order. */
TEST(gather4_loads_rows_in_order) {
    tmap_map_params map = rows_map();
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 4, AT(2, 0, 3, 1));
    count_u32(expected_bytes, 0, 204, 8);
    count_u32(expected_bytes, 32, 4, 8);
    count_u32(expected_bytes, 64, 304, 8);
    count_u32(expected_bytes, 96, 104, 8);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 0);
    tmap_index_fill fill; /* element (c, r) is 16 r + c */
    const tmap_memory numbers = tmap_memory_index(&fill, &copy.map);
    for (uint32_t i = 0; i < 4; i++) count_u32(expected_bytes, i * 32, 16 * (uint32_t)copy.params.rows[i] + 4, 8);
    assert_int_equal(tmap_emulate_load(&copy, &numbers, shared_bytes, MEMORY_B, &result), TMAP_OK);
    expect_shared();
}

/* A row given twice is loaded twice; of 32 elements 24 are filled: 16 in rows -1 and 4, 8 in columns outside. */
TEST(gather4_repeats_and_fills) {
    tmap_map_params map = rows_map();
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 12, AT(1, -1, 1, 4));
    memset(expected_bytes, 0, 128);
    count_u32(expected_bytes, 0, 112, 4);
    count_u32(expected_bytes, 64, 112, 4);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 96, 0);
}

/* All rows are inside, all columns outside. */
TEST(gather4_outside_the_tensor_fills) {
    tmap_map_params map = rows_map();
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 16, AT(0, 1, 2, 3));
    memset(expected_bytes, 0, 128);
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 128, 0);
}

/* Each of the four rows is as wide as the span of the swizzle: row i is in line i. */
TEST(gather4_rows_have_the_pitch_of_a_box) {
    tmap_map_params map = rows_map();
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 0, AT(3, 2, 1, 0));
    for (size_t i = 0; i < 4; i++) {
        uint32_t first = 300 - 100 * (uint32_t)i;
        count_u32(expected_bytes, i * 128 + (0 ^ i) * 16, first, 4);
        count_u32(expected_bytes, i * 128 + (1 ^ i) * 16, first + 4, 4);
    }
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 512 - 128);
}

/* Measured in Triton's tests: rows and columns out of range are dropped. Column 12 of 16 leaves 4 of 8 elements. */
TEST(scatter4_drops_what_is_outside) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(16, 4), DIMS(8, 1));
    tmap_copy copy = rows_copy(TMAP_OP_SCATTER4, &map, 12, AT(3, 9, 0, 4));
    count_u32(shared_bytes, 0, 1000, 32);
    count_u32(expected_bytes, 3 * 64 + 48, 1000, 4);
    count_u32(expected_bytes, 0 * 64 + 48, 1016, 4);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 128, 32, 0, 96);
}

/* Rows of 112 B that are 16 B apart, so that each covers most of the next: the last operand remains, in either order.
 */
TEST(scatter4_writes_rows_in_order) {
    static const int64_t orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 1, 0, 0}};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        fresh_memories(state);
        tmap_map_params map = tiled(TMAP_TYPE_U8, 2, DIMS(112, 4), DIMS(112, 1));
        map.strides_B[0] = 16, map.swizzle = TMAP_SWIZZLE_128B;
        tmap_copy copy = rows_copy(TMAP_OP_SCATTER4, &map, 0, orders[o]);
        for (size_t i = 0; i < 512; i++) shared_bytes[i] = (uint8_t)(i / 128 * 40 + (i % 128 / 16 ^ i / 128));
        for (size_t row = 0; row < 4; row++)
            for (size_t i = 0; i < 112; i++)
                expected_bytes[16 * (size_t)orders[o][row] + i] = (uint8_t)(40 * row + i / 16);
        store(&copy);
        expect_global();
    }
}

/* ---- Stores --------------------------------------------------------------------------------------------------- */

/* Dimension 0 ends inside a 16-byte unit: of 16 bytes from 16 on the tensor has 5, in each of its 2 rows. */
TEST(store_is_clipped_to_the_byte) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, 2);
    map.dims_el[0] = 21, map.dims_el[1] = 2;
    map.strides_B[0] = 32;
    map.box_el[0] = 16, map.box_el[1] = 3;
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(16, 0), 0);
    for (int i = 0; i < 48; i++) shared_bytes[i] = (uint8_t)(0x80 + i);
    for (int i = 0; i < 5; i++) expected_bytes[16 + i] = (uint8_t)(0x80 + i);
    for (int i = 0; i < 5; i++) expected_bytes[48 + i] = (uint8_t)(0x90 + i);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 48, 10, 0, 38);
    tmap_extent extent = tmap_copy_extent(&copy);
    assert_int_equal(extent.first_B, 16);
    assert_int_equal(extent.end_B, 53);
    assert_int_equal(extent.data_B, 10);
}

/* Rows between those that a strided box visits keep their bytes: rows 1 and 3 are written. */
TEST(strided_store_skips_rows) {
    tmap_map_params map = tiled(TMAP_TYPE_U16, 2, DIMS(8, 5), DIMS(8, 4));
    map.element_strides[1] = 2;
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(0, 1), 0);
    memset(shared_bytes, 1, 16);
    memset(shared_bytes + 16, 2, 16);
    memset(expected_bytes + 16, 1, 16);
    memset(expected_bytes + 48, 2, 16);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 32, 32, 0, 0);
}

TEST(store_outside_writes_nothing) {
    tmap_map_params map = tiled(TMAP_TYPE_U16, 2, DIMS(8, 5), DIMS(8, 4));
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(0, 5), 0);
    tmap_copy_result result = store(&copy);
    expect_global();
    expect_counts(&result, 64, 0, 0, 64);
}

/* ---- Ranks ---------------------------------------------------------------------------------------------------- */

/* 300 bytes, a box of 256 at 256: 44 inside. */
TEST(rank_1) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 1, DIMS(300), DIMS(256));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(256), 0);
    for (int i = 0; i < 300; i++) global_bytes[i] = (uint8_t)i;
    memset(expected_bytes, 0, 256);
    for (int i = 0; i < 44; i++) expected_bytes[i] = (uint8_t)i;
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 256, 256, 212, 0);
}

/*
 * u64 {2, 3, 2, 2, 2} dense: element strides of the dimensions 1, 2, 6, 12, 24. The box {2, 2, 1, 2, 2} at (0, 1, 1, 0,
 * 0) reads pairs from 2 y + 6 + 12 w + 24 v for y = 1, 2: 8, 10, 20, 22, 32, 34, 44, 46.
 */
TEST(rank_5) {
    tmap_map_params map = tiled(TMAP_TYPE_U64, 5, DIMS(2, 3, 2, 2, 2), DIMS(2, 2, 1, 2, 2));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 1, 1, 0, 0), 0x80);
    static const uint8_t pairs[] = {8, 10, 20, 22, 32, 34, 44, 46};
    for (size_t i = 0; i < 48; i++) memset(global_bytes + 8 * i, (int)i, 8);
    for (size_t i = 0; i < 8; i++) {
        memset(expected_bytes + 16 * i, pairs[i], 8);
        memset(expected_bytes + 16 * i + 8, pairs[i] + 1, 8);
    }
    tmap_copy_result result = load(&copy);
    expect_shared();
    expect_counts(&result, 128, 128, 0, 0);
}

/* Every thread block that the mask names receives the same image; each barrier counts all bytes of the image. */
TEST(multicasts_name_their_thread_blocks) {
    tmap_map_params map = tiled(TMAP_TYPE_U64, 1, DIMS(64), DIMS(8));
    tmap_copy_params params = {.op = TMAP_OP_LOAD, .at_n = 1, .dst = TMAP_DST_CLUSTER, .cta_mask = 0xA};
    tmap_copy copy = freeze(&map, &params), alone = box_copy(TMAP_OP_LOAD, &map, AT(0), 0);
    tmap_copy_result result = load(&copy);
    assert_int_equal(result.ctas, 0xA);
    expect_counts(&result, 64, 64, 0, 0);
    result = load(&alone);
    assert_int_equal(result.ctas, 0);
}

BEFORE_EACH(fresh_memories)
