/* The coordinates of the tiles of a grid. */
#pragma once

#include "tmap/unstable/sweep.h"

/* Sets the coordinates of a tile below grid->tiles_n in *operands, for boxes, rows and columns. Keeps everything else
 * in *operands. */
void tmap_grid_place(const tmap_grid *grid, const tmap_map_params *map, uint64_t tile, tmap_copy_params *operands);
