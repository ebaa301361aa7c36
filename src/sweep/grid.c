/*
 * The grid of tiles that covers a tensor. Tiles lie one box apart, from coordinate 0 on: along a dimension all but the
 * last lie inside, and of the last, those elements whose coordinate is below the dimension's size.
 */
#include "base/wide.h"
#include "tmap/sweep.h"

/* How far a tile reaches. A box of gather4 has four rows, one of interleaved data one channel slice, whatever the
 * box's size says. */
static uint64_t step_of(const tmap_map_params *params, const tmap_derived *derived, bool four_rows, int dim) {
    bool slices = params->interleave != TMAP_INTERLEAVE_NONE && params->rank >= 3 && dim == (int)params->rank - 2;
    if ((four_rows && dim == 1) || slices) return derived->counts[dim];
    return params->box_el[dim];
}

/* Elements inside of `tiles` that are `step` apart, with `count` elements `stride` apart each. */
static uint64_t inside_of(uint64_t size, uint64_t tiles, uint64_t step, uint64_t count, uint64_t stride) {
    if (tiles == 0) return 0;
    uint64_t last = tmap_ceil_div(size - (tiles - 1) * step, stride);
    return (tiles - 1) * count + (last < count ? last : count);
}

tmap_grid tmap_grid_of(const tmap_map_params *params, bool four_rows) {
    tmap_derived derived = tmap_derive(params, four_rows);
    const tmap_type_info *type = tmap_type_get((int)params->type);
    tmap_grid grid = {.tiles_n = 1};
    uint64_t loaded_el = 1, inside_el = 1;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        bool used = (uint64_t)i < params->rank;
        uint64_t count = derived.counts[i], step = grid.step_el[i] = used ? step_of(params, &derived, four_rows, i) : 1;
        uint64_t size = used ? params->dims_el[i] : 1, tiles = grid.tiles[i] = tmap_ceil_div(size, step);
        uint64_t stride = count < step ? params->element_strides[i] : 1; /* dimension 0 may ignore it */
        grid.tiles_n = tmap_mul_saturate(grid.tiles_n, tiles);
        loaded_el = tmap_mul_saturate(loaded_el, tmap_mul_saturate(tiles, count));
        inside_el = tmap_mul_saturate(inside_el, inside_of(size, tiles, step, count, stride));
    }
    if (!type) return grid;
    grid.loaded_B = tmap_inner_global_B(type, loaded_el);
    grid.inside_B = tmap_inner_global_B(type, inside_el);
    return grid;
}
