/*
 * Point: 5
 * Proves: tmap_map_init, tmap_copy_init, tmap_copy_move, tmap_copy_facts, tmap_copy_shared_byte and
 *     tmap_copy_global_byte have no undefined behaviour except in the listed alarms. `addresses` proves the same of the
 *     other functions of the rooms map and walk.
 * Assumes: the assumptions of `addresses`. The alarms are false alarms of Eva, which does not record relations
 *     between two values. copy_facts.c: a rule rejects a reduction that has no row. pixels.c: a rule rejects an im2col map
 *     with an empty image row. byte_contents.c: a value has at least 4 bits, so a byte has parts of at most 2 values; a
 *     box that contains the byte is not empty; `order` contains dimensions from 1 on; after `steps` has reached its
 *     bound, each of the 5 levels of the search adds at most 1 to `steps`. coordinate.h: the four rows of gather4 and
 *     scatter4 have the indices 0 to 3. walk.c: a plane has 5 pieces. tile_rows.c: the box has at least one step in each
 *     dimension.
 * Bounds: those of `addresses`.
 * Tool: eva
 * Sources: src/core/walk/byte_contents.c src/core/walk/walk.c src/core/map/copy_facts.c src/core/map/copy.c src/core/map/tile_rows.c src/core/map/map.c src/core/map/locate.c
 *     src/core/map/pixels.c src/core/base/memory.c src/core/params/derive.c src/core/params/dim_order.c src/core/hw/tables.c src/core/hw/swizzle.c
 *     src/core/hw/qualifiers.c src/core/hw/reductions.c
 * Options: -eva-split-return auto -eva-unroll-recursive-calls 8
 * Alarms: src/core/map/coordinate.h: accessing out of bounds index: 2; src/core/map/copy_facts.c: out of bounds read: 1;
 *     src/core/map/pixels.c: division by zero: 2; src/core/walk/byte_contents.c: accessing out of bounds index: 3; src/core/walk/byte_contents.c:
 *     division by zero: 2; src/core/walk/byte_contents.c: signed overflow: 1; src/core/walk/byte_contents.c: precondition of memcpy: 1;
 *     src/core/walk/walk.c: signed overflow: 3; src/core/map/tile_rows.c: division by zero: 1
 */
#include "copies.h"
#include "tmap/unstable/walk.h"

static void use(void) {
    static tmap_copy moved;
    static const char *ids[8];
    tmap_copy_move(&moved, &copy, &params);
    (void)tmap_copy_shared_byte(&copy, any_u64), (void)tmap_copy_global_byte(&copy, any_u64);
    (void)tmap_copy_facts(&copy, ids, 8);
}

int main(void) {
    each_copy(use);
    return 0;
}
