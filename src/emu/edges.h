/* Rows of data with fill at their ends, both written in one pass. */
#pragma once

#include "emu/permute.h"

/* The fill before and after the data of each row. The pattern, little-endian, repeats from the first byte of the row,
 * fill included. */
typedef struct tmap_edges {
    uint32_t before_B, after_B;
    uint16_t pattern;
} tmap_edges;

/* Puts rows of data, as tmap_image_put, and the fill around them. */
typedef void tmap_put_edges(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges);

/* The function for rows of `width` bytes, fill included, whose first bytes are at multiples of `at_step`. NULL if the
 * machine has none. */
tmap_put_edges *tmap_put_edges_of(const tmap_image *image, uint32_t width, uint32_t at_step);

/*
 * For x86-64 with AVX-512 (narrow_x86.c): rows of 16, 32 or 64 bytes, fill included; at_step, and `at` of the fill, are
 * multiples of their size. Rows that follow one another are moved a line at a time. tmap_narrow_put and _get are the
 * kernels for rows without fill.
 */
void tmap_narrow_put_edges(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges);
void tmap_narrow_put(const tmap_image *image, const tmap_rows *rows);
void tmap_narrow_get(const tmap_image *image, const tmap_rows *rows);
