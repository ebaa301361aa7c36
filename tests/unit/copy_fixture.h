/*
 * For tests of single copies: a map, a copy through the map, global and shared memory filled with untouched bytes, and
 * the expected contents of one of the two afterwards.
 */
#ifndef TMAP_TESTS_COPY_FIXTURE_H
#define TMAP_TESTS_COPY_FIXTURE_H

#include "assert_bytes.h"
#include "tmap/emu.h"

enum { UNTOUCHED = 0xCD, MEMORY_B = 64 << 10 };

static inline tmap_map_params tiled(tmap_type type, uint64_t rank, const uint64_t *dims, const uint64_t *box) {
    tmap_map_params params = tmap_map_params_tiled(type, rank);
    for (uint64_t i = 0; i < rank; i++) params.dims_el[i] = dims[i];
    for (uint64_t i = 0; i < rank; i++) params.box_el[i] = box[i];
    assert_true(tmap_map_params_dense(&params));
    return params;
}

#define DIMS(...) ((const uint64_t[]){__VA_ARGS__})

static inline tmap_copy freeze(const tmap_map_params *map_params, const tmap_copy_params *params) {
    tmap_map map;
    tmap_copy copy;
    assert_int_equal(tmap_map_init(&map, map_params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, params, NULL, NULL), TMAP_OK);
    return copy;
}

static inline tmap_copy box_copy(tmap_op op, const tmap_map_params *map, const int64_t *at, uint64_t shared) {
    tmap_copy_params params = {.op = op, .at_n = (int)map->rank, .shared = shared};
    for (uint64_t i = 0; i < map->rank; i++) params.at[i] = at[i];
    return freeze(map, &params);
}

static inline tmap_copy rows_copy(tmap_op op, const tmap_map_params *map, int64_t column, const int64_t rows[4]) {
    tmap_copy_params params = {.op = op, .column = column};
    for (int i = 0; i < 4; i++) params.rows[i] = rows[i];
    return freeze(map, &params);
}

#define AT(...) ((const int64_t[]){__VA_ARGS__})

static uint8_t global_bytes[MEMORY_B], shared_bytes[MEMORY_B], expected_bytes[MEMORY_B];

static inline int fresh_memories(void **state) {
    (void)state;
    memset(global_bytes, UNTOUCHED, MEMORY_B);
    memset(shared_bytes, UNTOUCHED, MEMORY_B);
    memset(expected_bytes, UNTOUCHED, MEMORY_B);
    return 0;
}

static inline tmap_copy_result load(const tmap_copy *copy) {
    tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(tmap_emulate_load(copy, &memory, shared_bytes, MEMORY_B, &result), TMAP_OK);
    return result;
}

static inline tmap_copy_result store(const tmap_copy *copy) {
    tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(tmap_emulate_store(copy, shared_bytes, MEMORY_B, &memory, &result), TMAP_OK);
    return result;
}

static inline void put_u16(uint8_t *memory, size_t at_B, uint16_t value) {
    memory[at_B] = (uint8_t)value;
    memory[at_B + 1] = (uint8_t)(value >> 8);
}

static inline void put_u32(uint8_t *memory, size_t at_B, uint32_t value) {
    put_u16(memory, at_B, (uint16_t)value);
    put_u16(memory, at_B + 2, (uint16_t)(value >> 16));
}

/* Writes the `n` 32-bit numbers first, first + 1, … to `memory` at `at_B`. */
static inline void count_u32(uint8_t *memory, size_t at_B, uint32_t first, size_t n) {
    for (size_t i = 0; i < n; i++) put_u32(memory, at_B + 4 * i, first + (uint32_t)i);
}

static inline void expect_counts(const tmap_copy_result *result, uint64_t tx_B, uint64_t written_B, uint64_t filled_B,
                                 uint64_t untouched_B) {
    assert_int_equal(result->tx_B, tx_B);
    assert_int_equal(result->written_B, written_B);
    assert_int_equal(result->filled_B, filled_B);
    assert_int_equal(result->untouched_B, untouched_B);
    assert_int_equal(result->footprint_B, written_B + untouched_B);
}

static inline void expect_shared(void) {
    assert_bytes_equal(shared_bytes, expected_bytes, MEMORY_B);
}

static inline void expect_global(void) {
    assert_bytes_equal(global_bytes, expected_bytes, MEMORY_B);
}

static inline bool rests_on(const tmap_copy *copy, const char *fact) {
    const char *facts[64];
    size_t n = tmap_copy_facts(copy, facts, COUNT(facts));
    for (size_t i = 0; i < n; i++)
        if (strcmp(facts[i], fact) == 0) return true;
    return false;
}

#endif
