/* params: whether a tensor fills its memory, on which the allocation class depends. */
#pragma once

#include "tmap/params.h"

/* Whether a row of dimension 0 after another fills memory without gaps and without overlap, dimensions in any order.
 * False for a type, an interleave or a rank that is none. */
bool tmap_map_is_dense(const tmap_map_params *params);

/* Bytes of the allocation from the map's address on, where its size is known: 0 for an address outside. */
uint64_t tmap_allocated_B(const tmap_map_params *params);
