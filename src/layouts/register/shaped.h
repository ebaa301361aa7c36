/* Tilus's layouts as S/R/O over the row-major elements of their shape, and back: the operations work on S/R/O. */
#pragma once

#include "layout/iter_lists.h"
#include "tmap/unstable/register_shared.h"

/* Axes of the numbers of the two lists. */
#define TMAP_THREADS   tmap_axis_get(TMAP_AXIS_ID_TX)
#define TMAP_REGISTERS tmap_axis_get(TMAP_AXIS_ID_M)

typedef struct tmap_shaped {
    tmap_layout layout;
    tmap_shape shape;
} tmap_shaped;

tmap_shape tmap_modes_shape(const tmap_modes *modes);
/* In a multi-function, a mode that is not in the list has stride 0. */
tmap_shaped tmap_shaped_of_register(const tmap_register_layout *layout);
tmap_shaped tmap_shaped_of_multi(const tmap_multi_function *function);
tmap_shaped tmap_shaped_of_shared(const tmap_shared_layout *layout);
/* Write the canonical form. A list has the entries of its axis, the longest stride first. Refuse a shape that splits an
 * iter unevenly, and numbers that are not dense. */
tmap_status tmap_register_of_shaped(const tmap_shaped *shaped, tmap_register_layout *layout, tmap_diag *error);
tmap_status tmap_multi_of_shaped(const tmap_shaped *shaped, tmap_multi_function *function, tmap_diag *error);
tmap_status tmap_shared_of_shaped(const tmap_shaped *shaped, tmap_shared_layout *layout, tmap_diag *error);

/* Refuses a shape with a dimension of 0, or with too many elements. */
tmap_status tmap_shaped_make(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_shaped *shaped,
                             tmap_diag *error);
/* Adds leading dimensions of 1 until there are `rank` dimensions. */
void tmap_shape_pad(tmap_shape *shape, int rank);
/* Replaces every element of `outer` by `inner`. */
tmap_status tmap_shaped_compose(const tmap_shaped *outer, const tmap_shaped *inner, tmap_shaped *both,
                                tmap_diag *error);
/* Dimension i of the result is dimension dims[i]. */
tmap_status tmap_shaped_permute(const tmap_shaped *shaped, const int *dims, int dims_n, tmap_shaped *permuted,
                                tmap_diag *error);

/* Refuses a shape with another number of elements. */
tmap_status tmap_shaped_reshape(tmap_shaped *shaped, const uint64_t *shape, int rank, tmap_diag *error);

/* Adds an iter on m. */
void tmap_shard_add(tmap_layout *made, uint64_t extent, int64_t stride);

/* Gives an empty layout the iter of one element, then checks the layout. */
tmap_status tmap_convert_put(tmap_layout *made, tmap_layout *out, tmap_diag *error);
