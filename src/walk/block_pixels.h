/* Blocks of im2col columns, and what they share with tiles. */
#ifndef TMAP_WALK_BLOCK_PIXELS_H
#define TMAP_WALK_BLOCK_PIXELS_H

#include "walk/blocks.h"

void tmap_each_block_of_pixels(const tmap_copy *copy, bool fills, tmap_use_block *use, void *context);

/* How many elements one step along dimension 0 is. */
uint64_t tmap_block_elements(const tmap_copy *copy);

/* Where tensor coordinates are: global_B and index of the block. */
void tmap_block_place(const tmap_copy *copy, const int64_t at[TMAP_RANK_MAX], tmap_block *block);

/* One row of data: columns first .. first + n - 1 of that row of the box; the place in the tensor is left to the
 * caller. */
tmap_block tmap_block_of_columns(const tmap_copy *copy, uint32_t first, uint32_t n, uint32_t row);

/* A block of fill for whole rows. */
void tmap_fill_rows(const tmap_copy *copy, uint32_t row, uint32_t rows_n, tmap_use_block *use, void *context);

#endif
