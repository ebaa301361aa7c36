/* The tensor coordinates of a box element: the one home of these formulas. */
#pragma once

#include "params/derive.h"
#include "tmap/map.h"
#include "tmap/unstable/evidence.h"

/* Of tiled copies, along one dimension. PTX ISA 5.5.3.2: the traversal stride says how many elements are advanced;
 * gather4 and scatter4 (5.5.3.4) name their four rows instead. */
static inline int64_t tmap_copy_coordinate(const tmap_copy *copy, int dim, uint32_t index) {
    if (dim == 1 && copy->op->four_rows) return copy->params.rows[index];
    return copy->params.at[dim] + (int64_t)index * (int64_t)copy->map.params.element_strides[dim];
}

static inline bool tmap_copy_is_im2col(const tmap_copy *copy) {
    return copy->pixels.walked_n > 0;
}

/* That of a reduction; NULL where there is none. Sums that flush subnormals are those of the ftz type. */
static inline const tmap_reduction_info *tmap_copy_reduction(const tmap_copy *copy) {
    tmap_type type = copy->map.params.type;
    if (copy->readings[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS])
        type = type == TMAP_TYPE_F32 ? TMAP_TYPE_F32_FTZ : TMAP_TYPE_TF32_FTZ;
    return tmap_reduction_by(tmap_reduces_by(&copy->map.params, &copy->params), copy->params.op, type);
}

/* Whether it writes to the shared memory of another CTA, which then takes the place of global memory. */
static inline bool tmap_copy_is_remote(const tmap_copy *copy) {
    return copy->op->to_global && copy->map.params.mode == TMAP_MODE_LINEAR && copy->params.dst == TMAP_DST_CLUSTER;
}

/* The next element of the box, innermost first; false after the last, and `index` is then the first again. */
static inline bool tmap_next_index(const tmap_copy *copy, uint32_t index[TMAP_RANK_MAX]) {
    for (int dim = 0; dim < copy->rank; dim++) {
        if (++index[dim] < copy->counts[dim]) return true;
        index[dim] = 0;
    }
    return false;
}

/* The walk of a copy through `map`; none for a tiled map. */
tmap_pixel_walk tmap_pixel_walk_of(const tmap_map_params *map, const tmap_copy_params *copy);

/* Coordinates of the first channel of a pixel of the column; `start` are the copy's. */
void tmap_pixel_at(const tmap_pixel_walk *walk, const int64_t start[TMAP_RANK_MAX], uint32_t pixel,
                   int64_t at[TMAP_RANK_MAX]);

/* The walk through all images, from the lower corners of the first. */
tmap_pixel_walk tmap_pixel_walk_whole(const tmap_map_params *map);

/* Where that walk stands at its step number `pixel`: fills in the walked dimensions and the batch of `at`. */
void tmap_pixel_of_images(const tmap_pixel_walk *whole, uint64_t pixel, int64_t at[TMAP_RANK_MAX]);

/* How many pixels from this one on, at least 1, lie one behind the other in the column and a step apart along w. */
uint32_t tmap_pixels_in_row(const tmap_pixel_walk *walk, uint32_t pixel, uint32_t pixels_n);

/* tmap_copy_move in place: the copy's own coordinates become those of `params`, which are not the copy's own. */
void tmap_copy_restart(tmap_copy *copy, const tmap_copy_params *params);

/* All tensor coordinates of box element index[0..]. */
void tmap_copy_at(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], int64_t at[TMAP_RANK_MAX]);
