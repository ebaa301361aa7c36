/* params: whether a tensor fills its memory. The allocation class depends on this. */
#pragma once

#include "tmap/params.h"

/* No memory is larger than this. If a tensor spans more bytes, its dims do not show which bytes exist. */
#define TMAP_MEMORY_B ((uint64_t)1 << 48)

/* Whether the rows of dimension 0 fill memory without gaps and without overlap, with the dimensions in any order. False
 * for an invalid type, interleave or rank. */
bool tmap_map_fills_memory(const tmap_map_params *params);

/* The bytes from the map's address to the end of the allocation. 0 for an address outside the allocation, or if its
 * size is not known. */
uint64_t tmap_allocated_B(const tmap_map_params *params);
