/*
 * Random sweeps: every tile of a tensor loaded into a stream, and the stream stored or reduced into other memory. The
 * memory afterwards must be that of the oracle, which executes the same tiles one at a time, for any ranges. Stored
 * tiles must load again with the same bytes.
 *
 *   prop_sweep [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/bridge.h"
#include "prop/prop.h"
#include "tmap/unstable/sweep.h"
#include "tmap/unstable/tables.h"

#define SPAN_MAX_B   ((uint64_t)1 << 20)
#define STREAM_MAX_B ((uint64_t)4 << 20)
#define TILES_MAX    512
#define CASES_MAX    50000 /* each case is a whole tensor: these take as long as a million copies */

typedef struct sweep_tally {
    uint64_t stores, reductions, overlapping, reproduced, columns, rows;
} sweep_tally;

/* The memory of a case: the tensor, the destination and the oracle's copy of it, and two streams. */
static uint8_t source[SPAN_MAX_B], actual[SPAN_MAX_B], expected[SPAN_MAX_B];
static uint8_t stream[STREAM_MAX_B], again[STREAM_MAX_B];

static void fill_randomly(tmap_random *random, uint8_t *bytes, uint64_t size) {
    tmap_random_fill fill;
    tmap_memory memory = tmap_memory_random(&fill, tmap_random_next(random), size);
    memory.read(memory.context, 0, bytes, (size_t)size);
}

/* A random reduction of the type, or a store. */
static tmap_op way_back(tmap_random *random, const tmap_sweep *load) {
    if (load->copy.op->four_rows) return TMAP_OP_SCATTER4;
    tmap_op op = (tmap_op)tmap_random_between(random, TMAP_OP_REDUCE_ADD, TMAP_OP_REDUCE_XOR);
    bool reduces = tmap_random_between(random, 0, 1) == 1 && tmap_reduction_of(op, load->copy.map.params.type);
    return reduces ? op : TMAP_OP_STORE;
}

/* ---- By the library --------------------------------------------------------------------------------------------- */

static bool load_all(const tmap_sweep *sweep, const uint8_t *from, uint8_t *to, prop_failure *failure) {
    uint64_t n = sweep->grid.tiles_n;
    tmap_memory global = {.size_B = sweep->copy.map.derived.span_B, .bytes = (uint8_t *)(uintptr_t)from};
    tmap_sweep_result result = {0};
    memset(to, 0xcd, (size_t)(n * sweep->copy.footprint_B));
    if (tmap_sweep_load(sweep, 0, n, &global, to, STREAM_MAX_B, &result) != TMAP_OK)
        return prop_fail(failure, "the tiles are not loaded");
    return true;
}

/* Stores in ranges of random length, from the last to the first unless the order matters. */
static bool store_all(tmap_random *random, const tmap_sweep *sweep, bool forwards, tmap_sweep_result *result) {
    uint64_t tiles_n = sweep->grid.tiles_n, tile_B = sweep->copy.footprint_B;
    tmap_memory global = {.size_B = sweep->copy.map.derived.span_B, .bytes = actual};
    for (uint64_t done = 0, n; done < tiles_n; done += n) {
        n = tmap_random_between(random, 1, tiles_n - done);
        uint64_t first = forwards ? done : tiles_n - done - n;
        if (tmap_sweep_store(sweep, first, n, stream + first * tile_B, n * tile_B, &global, result) != TMAP_OK)
            return false;
    }
    return true;
}

/* ---- By the oracle ---------------------------------------------------------------------------------------------- */

static uint64_t store_by_oracle(const tmap_sweep *sweep) {
    uint64_t tile_B = sweep->copy.footprint_B, written_B = 0;
    oracle_map map = oracle_map_of(&sweep->copy.map.params);
    oracle_window global = {.bytes = expected, .first = 0, .size = sweep->copy.map.derived.span_B};
    for (uint64_t tile = 0; tile < sweep->grid.tiles_n; tile++) {
        tmap_copy copy;
        tmap_sweep_tile(sweep, tile, &copy);
        oracle_copy like = oracle_copy_of(&copy.params);
        oracle_window shared = {.bytes = stream + tile * tile_B, .first = copy.params.shared, .size = tile_B};
        written_B += oracle_run(&map, &like, oracle_window_memory(&global), oracle_window_memory(&shared)).written_B;
    }
    return written_B;
}

/* ---- A case ----------------------------------------------------------------------------------------------------- */

/* Boxes with traversal stride 1 cover the whole tensor. */
static bool covers_all(const tmap_map_params *map) {
    for (uint64_t i = 0; i < map->rank; i++)
        if (map->element_strides[i] != 1) return false;
    return map->mode == TMAP_MODE_TILED;
}

static uint64_t bits_of_tensor(const tmap_map_params *map) {
    oracle_map o = oracle_map_of(map);
    uint64_t bits = oracle_element_bits(&o);
    for (uint64_t i = 0; i < map->rank; i++) bits *= map->dims_el[i];
    return bits;
}

static bool compare(const tmap_sweep *load, const tmap_sweep *back, const tmap_sweep_result *result, uint64_t written_B,
                    sweep_tally *tally, prop_failure *failure) {
    const tmap_map_params *map = &back->copy.map.params;
    bool overlaps = tmap_map_overlaps(map);
    uint64_t span_B = back->copy.map.derived.span_B;
    for (uint64_t i = 0; i < span_B; i++)
        if (actual[i] != expected[i])
            return prop_fail(failure, "byte %" PRIu64 ": 0x%02x, by the oracle 0x%02x", i, actual[i], expected[i]);
    if (result->stored_B != written_B)
        return prop_fail(failure, "stored %" PRIu64 " B, by the oracle %" PRIu64, result->stored_B, written_B);
    if (covers_all(map) && result->stored_B * 8 != bits_of_tensor(map))
        return prop_fail(failure, "stored %" PRIu64 " B, not the whole tensor", result->stored_B);
    bool exact = !back->copy.op->reduces && !overlaps && !back->copy.map.type->tf32 && map->type != TMAP_TYPE_B6X16_P32;
    if (!exact) return true;
    tally->reproduced++;
    if (!load_all(load, actual, again, failure)) return false;
    return memcmp(stream, again, (size_t)(load->grid.tiles_n * load->copy.footprint_B)) == 0 ||
           prop_fail(failure, "the stored tiles load with other bytes");
}

static bool small_enough(const tmap_sweep *sweep) {
    return sweep->grid.tiles_n <= TILES_MAX && sweep->grid.tiles_n * sweep->copy.footprint_B <= STREAM_MAX_B &&
           sweep->copy.map.derived.span_B <= SPAN_MAX_B;
}

/* Returns true and counts nothing if the map has no way back or is too large. */
static bool check(tmap_random *random, const tmap_map *map, const tmap_copy_params *like, sweep_tally *tally,
                  prop_failure *failure) {
    tmap_sweep load, back;
    tmap_sweep_result result = {0};
    if (tmap_sweep_init(&load, map, like, NULL, NULL) != TMAP_OK || !small_enough(&load)) return true;
    tmap_copy_params store = {.op = way_back(random, &load), .shared = like->shared};
    if (tmap_sweep_init(&back, map, &store, NULL, NULL) != TMAP_OK) return true;
    bool overlaps = tmap_map_overlaps(&map->params);
    fill_randomly(random, source, map->derived.span_B);
    fill_randomly(random, actual, map->derived.span_B);
    memcpy(expected, actual, (size_t)map->derived.span_B);
    if (!load_all(&load, source, stream, failure)) return false;
    if (!store_all(random, &back, overlaps, &result)) return prop_fail(failure, "the tiles are not stored");
    uint64_t written_B = store_by_oracle(&back);
    tally->reductions += back.copy.op->reduces;
    tally->stores += !back.copy.op->reduces;
    tally->overlapping += overlaps;
    tally->columns += map->params.mode != TMAP_MODE_TILED;
    tally->rows += back.copy.op->four_rows;
    return compare(&load, &back, &result, written_B, tally, failure);
}

/* Half of the pixel boxes stay inside the image, as stores require. */
static void keep_inside(tmap_random *random, tmap_map_params *map) {
    if (map->mode != TMAP_MODE_IM2COL || tmap_random_between(random, 0, 1) == 0) return;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) map->lower_corner[i] = map->upper_corner[i] = 0;
}

static bool run_case(const prop_options *options, uint64_t number, sweep_tally *tally) {
    tmap_random random = prop_random(options, number);
    tmap_map_params params;
    tmap_map map;
    prop_failure failure = {{0}};
    tmap_random_map(&random, true, &params);
    keep_inside(&random, &params);
    bool rows = params.rank == 2 && params.box_el[1] == 1 && params.interleave == TMAP_INTERLEAVE_NONE;
    tmap_copy_params like = {.op = rows ? TMAP_OP_GATHER4 : TMAP_OP_LOAD,
                             .shared = TMAP_LINE_B * tmap_random_between(&random, 0, 8)};
    if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK) return true;
    if (check(&random, &map, &like, tally, &failure)) return true;
    prop_print_case(options, number, &failure, &params, &like);
    return false;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 2000);
    if (argc < 2 && options.cases > CASES_MAX) options.cases = CASES_MAX;
    sweep_tally tally = {0};
    for (uint64_t i = 0; i < options.cases; i++)
        if (!run_case(&options, i, &tally)) return EXIT_FAILURE;
    uint64_t stored = tally.stores + tally.reductions;
    printf("sweep: seed %" PRIu64 ", %" PRIu64 " cases, %" PRIu64 " stored, %" PRIu64 " of them reduced, %" PRIu64
           " overlapping, %" PRIu64 " of columns, %" PRIu64 " of four rows, %" PRIu64 " reproduced\n",
           options.seed, options.cases, stored, tally.reductions, tally.overlapping, tally.columns, tally.rows,
           tally.reproduced);
    return stored * 8 >= options.cases || options.cases < 100 ? EXIT_SUCCESS : EXIT_FAILURE;
}
