/* Where the tiles of a grid lie. */
#pragma once

#include "tmap/unstable/sweep.h"

/* Coordinates of a tile below grid->tiles_n, of boxes, rows and columns alike; what else is in *operands stays. */
void tmap_grid_place(const tmap_grid *grid, const tmap_map_params *map, uint64_t tile, tmap_copy_params *operands);
