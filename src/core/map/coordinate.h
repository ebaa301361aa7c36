/* The tensor coordinates of a box element. */
#pragma once

#include "params/derive.h"
#include "tmap/map.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/tables.h"

/* The coordinate of tiled copies along one dimension. PTX ISA 5.5.3.2: the traversal stride is the number of elements
 * that one step advances. gather4 and scatter4 (5.5.3.4) name their four rows instead. */
static inline int64_t tmap_copy_coordinate(const tmap_copy *copy, int dim, uint32_t index) {
    if (dim == 1 && copy->op->four_rows) return copy->params.rows[index];
    return copy->params.at[dim] + (int64_t)index * (int64_t)copy->map.params.element_strides[dim];
}

/* Whether a stride has bits for which sources contradict each other (rule stride-high-bits). */
static inline bool tmap_has_high_stride(const tmap_map_params *map) {
    for (uint64_t i = 1; i < map->rank && map->mode != TMAP_MODE_LINEAR; i++)
        if (map->strides_B[i - 1] >= TMAP_STRIDE_LOW_B && map->dims_el[i] > 1) return true;
    return false;
}

static inline bool tmap_copy_is_im2col(const tmap_copy *copy) {
    return copy->pixels.walked_n > 0;
}

/* The arithmetic of a reduction; NULL for other copies. A sum that flushes subnormals has that of the ftz type. */
static inline const tmap_reduction_info *tmap_copy_reduction(const tmap_copy *copy) {
    tmap_type type = copy->map.params.type;
    if (copy->readings[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS])
        type = type == TMAP_TYPE_F32 ? TMAP_TYPE_F32_FTZ : TMAP_TYPE_TF32_FTZ;
    return tmap_reduction_by(tmap_reduces_by(&copy->map.params, &copy->params), copy->params.op, type);
}

/* Whether the copy writes to the shared memory of another CTA instead of global memory. */
static inline bool tmap_copy_is_remote(const tmap_copy *copy) {
    return copy->op->to_global && copy->map.params.mode == TMAP_MODE_LINEAR && copy->params.dst == TMAP_DST_CLUSTER;
}

/* Advances `index` to the next element of the box, innermost dimension first. After the last element, returns false and
 * resets `index` to the first. */
static inline bool tmap_next_index(const tmap_copy *copy, uint32_t index[TMAP_RANK_MAX]) {
    for (int dim = 0; dim < copy->rank; dim++) {
        if (++index[dim] < copy->counts[dim]) return true;
        index[dim] = 0;
    }
    return false;
}

/* The walk of a copy through `map`; an empty walk for a tiled map. */
tmap_pixel_walk tmap_pixel_walk_of(const tmap_map_params *map, const tmap_copy_params *copy);

/* Fills in the coordinates of the first channel of a pixel of the column; `start` are the copy's coordinates. */
void tmap_pixel_at(const tmap_pixel_walk *walk, const int64_t start[TMAP_RANK_MAX], uint32_t pixel,
                   int64_t at[TMAP_RANK_MAX]);

/* The walk through all images, from the lower corners of the first image. */
tmap_pixel_walk tmap_pixel_walk_whole(const tmap_map_params *map);

/* Fills in `at` for step `pixel` of the walk through all images: the walked dimensions and the batch. */
void tmap_pixel_of_images(const tmap_pixel_walk *whole, uint64_t pixel, int64_t at[TMAP_RANK_MAX]);

/* The number of pixels from `pixel` on, at least 1, that follow each other in the column and are one step apart along
 * w. */
uint32_t tmap_pixels_in_row(const tmap_pixel_walk *walk, uint32_t pixel, uint32_t pixels_n);

/* As tmap_copy_move, in place: `params` become the copy's coordinates. `params` must not point into *copy. */
void tmap_copy_restart(tmap_copy *copy, const tmap_copy_params *params);

/* Fills in all tensor coordinates of box element index[0..]. */
void tmap_copy_at(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], int64_t at[TMAP_RANK_MAX]);
