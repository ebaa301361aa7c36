/*
 * The grid of tiles that covers a tensor.
 *
 * Boxes are one box apart, starting at coordinate 0. Along a dimension, all boxes but the last are inside; of the last
 * box, the elements whose coordinate is below the dimension's size are inside.
 *
 * Columns of im2col follow each other along the walk from the lower corners of the first image through all images (PTX
 * ISA 5.5.4), so that every position of the walk is in one column. The grid has the channels in dimension 0 and the
 * pixels in dimension 1. In the wide modes, whose walk does not change h and d, the grid also has h and d.
 */
#include "sweep/tile_grid.h"
#include "base/wide.h"
#include "map/coordinate.h"

static bool is_im2col(const tmap_map_params *map) {
    const tmap_mode_info *mode = tmap_mode_get((int)map->mode);
    return mode && mode->im2col;
}

/* ---- Boxes ---------------------------------------------------------------------------------------------------- */

/* The extent of a box. A box of gather4 has four rows and a box of interleaved data has one channel slice, whatever the
 * box's size is. */
static uint64_t step_of(const tmap_map_params *map, const tmap_derived *derived, bool four_rows, int dim) {
    bool slices = map->interleave != TMAP_INTERLEAVE_NONE && map->rank >= 3 && dim == (int)map->rank - 2;
    if ((uint64_t)dim >= map->rank) return 1;
    if ((four_rows && dim == 1) || slices) return derived->counts[dim];
    return map->box_el[dim];
}

/* The number of elements inside, for `tiles` boxes `step` apart, each with `count` elements that are `stride` apart. */
static uint64_t inside_of(uint64_t size, uint64_t tiles, uint64_t step, uint64_t count, uint64_t stride) {
    if (tiles == 0) return 0;
    uint64_t before = tiles - 1;
    return before * count + tmap_steps_below((int64_t)size, (int64_t)(before * step), (int64_t)stride, count);
}

/* Returns the number of elements inside. */
static uint64_t cover_with_boxes(const tmap_map_params *map, const tmap_derived *derived, bool four_rows,
                                 tmap_grid *grid) {
    uint64_t inside_el = 1;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        uint64_t size = (uint64_t)i < map->rank ? map->dims_el[i] : 1, count = derived->counts[i];
        uint64_t step = grid->step_el[i] = step_of(map, derived, four_rows, i);
        uint64_t tiles = grid->tiles[i] = tmap_ceil_div(size, step);
        uint64_t stride = count < step ? map->element_strides[i] : 1; /* dimension 0 may ignore the stride */
        inside_el = tmap_mul_saturate(inside_el, inside_of(size, tiles, step, count, stride));
    }
    return inside_el;
}

static void place_box(const tmap_grid *grid, const uint64_t index[TMAP_RANK_MAX], tmap_copy_params *operands) {
    for (int i = 0; i < TMAP_RANK_MAX; i++) operands->at[i] = (int64_t)(index[i] * grid->step_el[i]);
    operands->column = operands->at[0];
    for (int i = 0; i < 4; i++) operands->rows[i] = operands->at[1] + i;
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

/* The number of steps of the walk along one dimension whose coordinates are inside: the steps with coordinates below
 * the size, minus those with coordinates below 0. */
static uint64_t inside_walked(const tmap_walked *w, uint64_t size) {
    uint64_t before = tmap_steps_below(0, w->lower, w->step, UINT64_MAX);
    uint64_t end = tmap_steps_below((int64_t)size, w->lower, w->step, w->n);
    return end > before ? end - before : 0;
}

static uint64_t cover_with_columns(const tmap_map_params *map, const tmap_derived *derived, tmap_grid *grid) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    if (dims.spatial_n == 0) return 0;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        grid->tiles[i] = derived->boxes[i];
        grid->step_el[i] = i < 2 ? derived->counts[i] : 1;
    }
    tmap_pixel_walk walk = tmap_pixel_walk_whole(map);
    uint64_t inside_el = tmap_mul_saturate(map->dims_el[dims.channel],
                                           tmap_ceil_div(map->dims_el[dims.batch], (uint64_t)walk.batch_step));
    for (int i = 0; i < dims.spatial_n; i++) {
        uint64_t size = map->dims_el[dims.first_spatial + i];
        inside_el = tmap_mul_saturate(inside_el, i < walk.walked_n ? inside_walked(&walk.walked[i], size) : size);
    }
    return inside_el;
}

static void place_column(const tmap_grid *grid, const tmap_map_params *map, const uint64_t index[TMAP_RANK_MAX],
                         tmap_copy_params *operands) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    tmap_pixel_walk walk = tmap_pixel_walk_whole(map);
    operands->at[dims.channel] = (int64_t)(index[0] * grid->step_el[0]);
    for (int i = dims.walked_n; i < dims.spatial_n; i++) operands->at[dims.first_spatial + i] = (int64_t)index[1 + i];
    tmap_pixel_of_images(&walk, index[1] * grid->step_el[1], operands->at);
}

/* ---- Both ----------------------------------------------------------------------------------------------------- */

void tmap_grid_place(const tmap_grid *grid, const tmap_map_params *map, uint64_t tile, tmap_copy_params *operands) {
    uint64_t index[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        index[i] = tile % grid->tiles[i];
        tile /= grid->tiles[i];
    }
    operands->at_n = (int)map->rank;
    if (is_im2col(map))
        place_column(grid, map, index, operands);
    else
        place_box(grid, index, operands);
}

/* Whether the walk may have an end: a walk of a map that no rule has checked may be endless. */
static bool may_walk(const tmap_map_params *map) {
    for (uint64_t i = 0; i < TMAP_RANK_MAX && i < map->rank; i++)
        if (map->element_strides[i] == 0 || map->element_strides[i] > INT32_MAX || map->dims_el[i] > UINT32_MAX + 1ull)
            return false;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++)
        if (map->lower_corner[i] < INT32_MIN || map->lower_corner[i] > INT32_MAX || map->upper_corner[i] < INT32_MIN ||
            map->upper_corner[i] > INT32_MAX)
            return false;
    return true;
}

tmap_grid tmap_grid_of(const tmap_map_params *map, bool four_rows) {
    tmap_derived derived = tmap_derive(map, four_rows);
    tmap_unit unit = tmap_unit_of(map, false);
    tmap_grid grid = {.tiles_n = 0};
    if (map->rank > TMAP_RANK_MAX || (is_im2col(map) && !may_walk(map))) return grid;
    uint64_t inside_el =
        is_im2col(map) ? cover_with_columns(map, &derived, &grid) : cover_with_boxes(map, &derived, four_rows, &grid);
    grid.tiles_n = 1;
    for (int i = 0; i < TMAP_RANK_MAX; i++) grid.tiles_n = tmap_mul_saturate(grid.tiles_n, grid.tiles[i]);
    grid.loaded_B = tmap_mul_saturate(grid.tiles_n, derived.payload_B);
    grid.inside_B = tmap_u64_saturate((tmap_u128)inside_el * unit.value_bits / 8);
    return grid;
}
