/*
 * Point: 5
 * Proves: tmap_map_init, tmap_copy_init, tmap_map_locate, tmap_copy_locate, tmap_walk_begin and tmap_walk_next have
 *     no undefined behaviour except in the listed alarms, for tiled maps of rank 1 to 5 and im2col maps of rank 3 to
 *     5.
 * Assumes: the numbers of the map are in the ranges that the rules accept (a test checks this): those of
 *     `addresses`, corners of 16 bits, 1 to 256 channels, 1 to 1024 pixels. Coordinates have 32 bits, offsets 16
 *     bits, the shared address is below 2^32. No rule checks anything else. Integers of 128 bits have 64 bits, and
 *     alignment is not part of the proof (tests/proofs/eva.h). pixels.c, division by zero: a rule rejects an im2col
 *     map with an empty image row.
 * Bounds: only the operation load.
 * Tool: eva
 * Sources: src/walk/walk.c src/base/memory.c src/map/copy.c src/map/map.c src/map/locate.c src/map/pixels.c
 *     src/params/derive.c src/hw/tables.c src/hw/swizzle.c src/hw/qualifiers.c
 * Alarms: src/map/pixels.c: division by zero: 2
 */
#include <stdlib.h>

#include "accepted.h"
#define READING (any_i32 & 1)
#include "no_rules.h"
#include "tmap/unstable/walk.h"

/* ---- What is called --------------------------------------------------------------------------------------------- */

static tmap_map made, map;
static tmap_copy copy;
static tmap_copy_params params;
static tmap_place place;
static tmap_walk walk;
static tmap_run run;

static void choose_index(uint32_t index[TMAP_RANK_MAX]) {
    for (int i = 0; i < TMAP_RANK_MAX; i++) index[i] = (uint32_t)between(0, i == 1 ? 1023 : 255);
}

static void all_of(tmap_mode mode, uint64_t rank) {
    uint32_t index[TMAP_RANK_MAX];
    make_map(&made, mode, rank);
    made.params.has_address = true, made.params.address = any_u64;
    if (tmap_map_init(&map, &made.params, NULL, NULL) != TMAP_OK) return;
    params.op = TMAP_OP_LOAD, params.shared = between(0, UINT32_MAX);
    for (int i = 0; i < TMAP_RANK_MAX; i++) params.at[i] = any_i32;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) params.offsets[i] = (uint16_t)between(0, UINT16_MAX);
    choose_index(index);
    tmap_map_locate(&map, params.at, params.shared, index, &place);
    if (tmap_copy_init(&copy, &map, &params, NULL, NULL) != TMAP_OK) return;
    tmap_copy_locate(&copy, index, &place);
    tmap_walk_begin(&walk, &copy);
    while (tmap_walk_next(&walk, &run)) continue;
}

int main(void) {
    all_of(TMAP_MODE_TILED, 1), all_of(TMAP_MODE_TILED, 2), all_of(TMAP_MODE_TILED, 3);
    all_of(TMAP_MODE_TILED, 4), all_of(TMAP_MODE_TILED, 5);
    all_of(TMAP_MODE_IM2COL, 3), all_of(TMAP_MODE_IM2COL, 4), all_of(TMAP_MODE_IM2COL, 5);
    return 0;
}
