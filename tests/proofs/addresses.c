/*
 * Point: 3
 * Proves: where the library computes the place of an element of a box (tmap_map_locate, tmap_copy_locate), the runs and
 *     the lines of a walk, the blocks of an executor, and the extent of a copy, no number overflows, signed or
 *     unsigned, no division has the divisor 0, and there is no other undefined behaviour, except in the listed alarms.
 * Assumes: the map is frozen, and its numbers are in the ranges that the rules accept (a test checks this): dims 1 to
 *     2^32, strides below 2^40, boxes 1 to 256, element strides 1 to 8, corners of 16 bits, 1 to 256 channels, 1 to
 *     1024 pixels, a row of type, interleave and swizzle; without a tensor map, dims up to 2^48. Coordinates have 32
 *     bits, offsets 16 bits, halos 9 bits (5 bits for im2col_w128), a shared address is below 2^32. The proof
 *     executes no rule. Integers of 64 bits replace those of 128 bits, and alignment is not part of the proof
 *     (tests/proofs/eva.h). In these alarms the numbers wrap modulo 2^64 on purpose: offsets in the tensor and in the
 *     memory of an executor (the lines with strides_B, global_B, global_step or origin_B), distances of named rows,
 *     numbers of elements (index, elements), the lowest bit of a granule, the differences of wide.h and derive.c. In
 *     these alarms the numbers have 128 bits in the real code, or `saturation` or `lines` proves that they do not
 *     wrap: wide.h, extent.c, lines.c.
 *     All other alarms are false alarms of Eva, which does not record relations between two values. An element or a
 *     run of data is inside the tensor or its last 16-byte unit, so its coordinates are below 2^49. The number of a
 *     row is below rows_n, and rows_n x pitch_B is the footprint, which tmap_copy_init bounds by 2^32. A part of a
 *     box, plane, column, row or line is at most the whole (all differences of two numbers of 32 bits). A plane has 5
 *     pieces. A block has at most 5 loops, and the code reads only loops that it wrote; tmap_copy_init writes the
 *     tile of a copy. Loops over pixels advance a coordinate at most 1,535 times by at most 8. The four rows of
 *     gather4 and scatter4 have the indices 0 to 3. block_pixels.c uses only the entries of walked dimensions, which
 *     are written and whose steps are 1 to 8. Divisions by zero: a rule rejects an im2col map with an empty image
 *     row.
 * Bounds: tiled maps of rank 1 to 5; im2col, im2col_w and im2col_w128 of rank 3 to 5; gather4, scatter4; copies without
 *     a tensor map. Loads, stores, reductions, prefetches.
 * Tool: eva
 * Sources: src/core/walk/walk.c src/core/walk/lines.c src/core/walk/blocks.c src/core/walk/block_pixels.c src/core/walk/extent.c
 *     src/core/base/memory.c src/core/map/copy.c src/core/map/tile_rows.c src/core/map/map.c src/core/map/locate.c src/core/map/pixels.c src/core/params/derive.c
 *     src/core/hw/tables.c src/core/hw/swizzle.c src/core/hw/qualifiers.c src/core/hw/reductions.c
 * Options: -warn-unsigned-overflow -eva-split-return auto
 * Alarms: src/core/base/wide.h: unsigned overflow: 6; src/core/map/coordinate.h: accessing out of bounds index: 1;
 *     src/core/map/locate.c: unsigned overflow: 3; src/core/map/pixels.c: division by zero: 2;
 *     src/core/map/pixels.c: unsigned overflow: 5; src/core/map/tile_rows.c: unsigned overflow: 8; src/core/map/tile_rows.h:
 *     accessing uninitialized left-value: 2; src/core/map/tile_rows.h: unsigned overflow: 32; src/core/params/derive.c:
 *     unsigned overflow: 1; src/core/walk/block_pixels.c: accessing uninitialized left-value: 4; src/core/walk/block_pixels.c: division by zero: 3;
 *     src/core/walk/block_pixels.c: signed overflow: 3; src/core/walk/block_pixels.c: unsigned overflow: 16;
 *     src/core/walk/blocks.c: accessing uninitialized left-value: 13; src/core/walk/blocks.c: unsigned overflow:
 *     8; src/core/walk/blocks.h: accessing uninitialized left-value: 8; src/core/walk/blocks.h: unsigned
 *     overflow: 10; src/core/walk/extent.c: unsigned overflow: 13; src/core/walk/lines.c: unsigned overflow: 4;
 *     src/core/walk/walk.c: signed overflow: 3; src/core/walk/walk.c: unsigned overflow: 16
 */
#include "copies.h"
#include "tmap/unstable/walk.h"
#include "walk/blocks.h"
#include "walk/extent.h"

static void locate(void) {
    static tmap_place place;
    tmap_map_locate(&map, params.at, params.shared, element, &place);
    tmap_copy_locate(&copy, element, &place);
}

static void walk_runs(void) {
    static tmap_walk walk;
    static tmap_run run;
    static tmap_lines lines;
    static tmap_line line;
    tmap_walk_begin(&walk, &copy);
    while (tmap_walk_next(&walk, &run)) {
        tmap_lines_begin(&lines, &copy, &run);
        while (tmap_lines_next(&lines, &line)) continue;
    }
}

static void use_block(void *context, const tmap_block *block) {
    tmap_place_of_rows rows = tmap_first_place(block);
    (void)context, (void)tmap_block_rows(block);
    while (tmap_next_place(block, &rows)) continue;
}

static void compute(void) {
    const tmap_block_choice choice = {any_u64, any_i32 & 1, any_i32 & 1, any_i32 & 1, any_i32 & 1};
    locate();
    walk_runs();
    tmap_each_block(&copy, &choice, use_block, NULL);
    (void)tmap_copy_extent(&copy), (void)tmap_copy_extent_from(&copy, any_u64);
}

int main(void) {
    each_copy(compute);
    return 0;
}
