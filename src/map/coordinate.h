/* The tensor coordinate of a box element along one dimension: the one home of this formula. */
#ifndef TMAP_MAP_COORDINATE_H
#define TMAP_MAP_COORDINATE_H

#include "tmap/map.h"

/* PTX ISA 5.5.3.2: the traversal stride says how many elements are advanced; gather4 and scatter4 (5.5.3.4) name their
 * four rows instead. */
static inline int64_t tmap_copy_coordinate(const tmap_copy *copy, int dim, uint32_t index) {
    if (dim == 1 && copy->op->four_rows) return copy->params.rows[index];
    return copy->params.at[dim] + (int64_t)index * (int64_t)copy->map.params.element_strides[dim];
}

#endif
