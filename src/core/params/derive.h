/* The derived numbers of a copy: those of its box. */
#pragma once

#include "tmap/params.h"

/* Fills in *derived as tmap_derive_copy, without the numbers of the tensor: span_B and boxes are 0, boxes_n is 1.
 * Returns the unit of the copy. */
tmap_unit tmap_derive_box(const tmap_map_params *params, const tmap_copy_params *copy, tmap_derived *derived);

/* The alignment of the addresses and of the size of a copy without a tensor map (PTX ISA, cp.async.bulk). */
#define TMAP_LINEAR_ALIGN_B 16

/* The kind of instruction for the copy's reduction. `copy` NULL: the kind for a copy of the map to global memory. */
tmap_reduces tmap_reduces_by(const tmap_map_params *params, const tmap_copy_params *copy);

/* The dimension with the smallest stride among the dimensions from 1 on that have more than one entry and are not in
 * `placed`, a set of dimensions; of equal strides the first. -1: none. */
int tmap_next_dim(const tmap_map_params *params, uint32_t placed);
