/*
 * The pixels of an im2col column (PTX ISA 5.5.4, 5.5.5; order of the walk and wrap to the lower corner: measured on
 * sm_120 by the Allegro project and on sm_90 by Triton's tutorials).
 *
 *   lower           start        size + upper
 *     |...............x==x==x==x==x==|        first_n = ceil((end - start) / step)
 *     x==x==x==x==x==x==x==x==x==x==x|        n       = ceil((end - lower) / step), at the next h
 *
 * Pixel p of the column is p steps along w. Steps beyond the first row carry to h in whole rows, and in the same way to
 * d and to the batch. A traversal stride changes the length of a step, not the number of steps.
 */
#include "base/wide.h"
#include "map/coordinate.h"

/* Rules have judged corners and dims: every sum is far below 2^63, and no row is empty. */
static tmap_walked walked_of(const tmap_map_params *map, const tmap_copy_params *copy, int dim, int corner,
                             int64_t offset) {
    int64_t lower = map->lower_corner[corner], end = (int64_t)map->dims_el[dim] + map->upper_corner[corner];
    int64_t start = copy->at[dim], step = (int64_t)map->element_strides[dim];
    return (tmap_walked){.dim = dim,
                         .start = start + offset,
                         .lower = lower + offset,
                         .step = step,
                         .first_n = (uint32_t)tmap_steps_below(end, start, step, UINT32_MAX),
                         .n = (uint32_t)tmap_steps_below(end, lower, step, UINT32_MAX)};
}

tmap_pixel_walk tmap_pixel_walk_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    const tmap_mode_info *mode = tmap_mode_get((int)map->mode);
    tmap_image_dims dims = tmap_image_dims_of(map);
    tmap_pixel_walk walk = {.channel = dims.channel, .batch = dims.batch};
    if (!mode->im2col) return walk;
    walk.walked_n = dims.walked_n;
    walk.batch_step = (int64_t)map->element_strides[dims.batch];
    for (int i = 0; i < dims.walked_n; i++) {
        int64_t offset = mode->wide ? (int64_t)copy->w_offset : copy->offsets[i];
        walk.walked[i] = walked_of(map, copy, dims.first_spatial + i, i, offset);
    }
    if (map->mode == TMAP_MODE_IM2COL_W128) {
        walk.main_n = TMAP_W128_PIXELS;
        walk.group_n = TMAP_W128_GROUP;
    }
    return walk;
}

/*
 * The steps of the walk to a pixel of the column. The halos of im2col::w::128 follow the 128 pixels: the first pixel of
 * each of the four halos, then the second pixel of each. Source: TIRx, whose tests report that they were checked on
 * SM100. A halo continues where its group of 32 pixels ends.
 */
static uint32_t steps_of(const tmap_pixel_walk *walk, uint32_t pixel) {
    if (walk->main_n == 0 || pixel < walk->main_n) return pixel;
    uint32_t groups = walk->main_n / walk->group_n, halo = pixel - walk->main_n;
    if (walk->halo_n > 0) return walk->group_n * (halo / walk->halo_n + 1) + halo % walk->halo_n;
    return walk->group_n * (halo % groups + 1) + halo / groups;
}

void tmap_pixel_at(const tmap_pixel_walk *walk, const int64_t start[TMAP_RANK_MAX], uint32_t pixel,
                   int64_t at[TMAP_RANK_MAX]) {
    uint32_t steps = steps_of(walk, pixel);
    for (int i = 0; i < TMAP_RANK_MAX; i++) at[i] = start[i];
    for (int i = 0; i < walk->walked_n; i++) {
        const tmap_walked *w = &walk->walked[i];
        bool first = steps < w->first_n;
        uint32_t past = first ? 0 : steps - w->first_n;
        at[w->dim] = first ? w->start + steps * w->step : w->lower + past % w->n * w->step;
        steps = first ? 0 : 1 + past / w->n;
    }
    at[walk->batch] += steps * walk->batch_step;
}

tmap_pixel_walk tmap_pixel_walk_whole(const tmap_map_params *map) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    tmap_copy_params first = {0};
    for (int i = 0; i < dims.walked_n; i++) first.at[dims.first_spatial + i] = map->lower_corner[i];
    return tmap_pixel_walk_of(map, &first);
}

void tmap_pixel_of_images(const tmap_pixel_walk *whole, uint64_t pixel, int64_t at[TMAP_RANK_MAX]) {
    for (int i = 0; i < whole->walked_n; i++) {
        const tmap_walked *w = &whole->walked[i];
        at[w->dim] = w->lower + (int64_t)(pixel % w->n) * w->step;
        pixel /= w->n;
    }
    at[whole->batch] = (int64_t)pixel * whole->batch_step;
}

uint32_t tmap_pixels_in_row(const tmap_pixel_walk *walk, uint32_t pixel, uint32_t pixels_n) {
    const tmap_walked *w = &walk->walked[0];
    uint32_t steps = steps_of(walk, pixel), end = walk->main_n ? walk->main_n : pixels_n;
    if (pixel >= end) return 1;
    uint32_t in_row = steps < w->first_n ? w->first_n - steps : w->n - (steps - w->first_n) % w->n;
    return in_row < end - pixel ? in_row : end - pixel;
}

void tmap_copy_at(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], int64_t at[TMAP_RANK_MAX]) {
    if (tmap_copy_is_im2col(copy)) {
        tmap_pixel_at(&copy->pixels, copy->params.at, index[1], at);
        at[copy->pixels.channel] += index[0];
        return;
    }
    for (int i = 0; i < TMAP_RANK_MAX; i++) at[i] = tmap_copy_coordinate(copy, i, index[i]);
    if (copy->map.params.mode != TMAP_MODE_LINEAR) return;
    at[0] += at[1] * (int64_t)copy->counts[0];
    at[1] = 0;
}
