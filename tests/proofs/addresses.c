/*
 * Point: 3
 * Proves: where tmap_map_locate computes the place of an element of a box, no signed number overflows, no division
 *     has the divisor 0, and no unsigned number wraps except in the listed alarms.
 * Assumes: the map is frozen, and its numbers are in the ranges that the rules accept (a test checks this): dims 1
 *     to 2^32, strides below 2^40, boxes 1 to 256, traversal strides 1 to 8, a row of type, interleave and swizzle.
 *     Coordinates have 32 bits, an index is below 256, a shared address is below 2^32. Integers of 128 bits have 64
 *     bits (tests/proofs/eva.h). Alarms: locate.c, line of the sum: offsets in the tensor are modulo 2^64 on
 *     purpose. locate.c, line of dimension 0: only an element inside the tensor has an offset, so its coordinate is
 *     below 2^32; Eva does not record this relation. wide.h: the saturating sum and product, which have 128 bits in
 *     the real code (`saturation`).
 * Bounds: tiled maps of rank 1 to 5.
 * Tool: eva
 * Sources: src/map/locate.c src/map/pixels.c src/params/derive.c src/hw/tables.c src/hw/swizzle.c
 * Options: -warn-unsigned-overflow
 * Alarms: src/map/locate.c: unsigned overflow: 3; src/base/wide.h: unsigned overflow: 2
 */
#include "accepted.h"

static void locate(uint64_t rank) {
    static tmap_map map;
    static tmap_place place;
    int64_t at[TMAP_RANK_MAX];
    uint32_t index[TMAP_RANK_MAX];
    make_map(&map, TMAP_MODE_TILED, rank);
    for (int i = 0; i < TMAP_RANK_MAX; i++) at[i] = any_i32, index[i] = (uint32_t)between(0, 255);
    tmap_map_locate(&map, at, between(0, UINT32_MAX), index, &place);
}

int main(void) {
    locate(1), locate(2), locate(3), locate(4), locate(5);
    return 0;
}
