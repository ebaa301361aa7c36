/*
 * Blocks of im2col columns: one block for the pixels of each image row. The walk (map/pixels.c) is advanced from row to
 * row, because computing its position anew requires divisions.
 */
#include "map/coordinate.h"
#include "walk/block_parts.h"

#define SHORT_ROW_B 1024 /* for image rows below that, filling the whole box first is faster than filling their ends   \
                          */

/* The position of the walk: the coordinates of a pixel, and the steps left along each walked dimension, including the
 * current step. */
typedef struct pixel_cursor {
    const tmap_copy *copy;
    const tmap_block_choice *choice;
    int64_t at[TMAP_RANK_MAX];
    uint32_t left[TMAP_RANK_MAX - 2];
} pixel_cursor;

/* tmap_pixel_at for pixel 0, which may already be beyond `start` at the end of a row. */
static pixel_cursor first_pixel(const tmap_copy *copy, const tmap_block_choice *choice) {
    pixel_cursor c = {.copy = copy, .choice = choice};
    uint32_t steps = 0;
    tmap_pixel_at(&copy->pixels, copy->params.at, 0, c.at);
    for (int i = 0; i < copy->pixels.walked_n; i++) {
        const tmap_walked *w = &copy->pixels.walked[i];
        bool first = steps < w->first_n;
        uint32_t past = first ? 0 : steps - w->first_n;
        c.left[i] = first ? w->first_n - steps : w->n - past % w->n;
        steps = first ? 0 : 1 + past / w->n;
    }
    return c;
}

/* Advances to the next image row. */
static void next_row(pixel_cursor *c) {
    const tmap_pixel_walk *walk = &c->copy->pixels;
    for (int i = 0; i < walk->walked_n; i++) {
        const tmap_walked *w = &walk->walked[i];
        if (i > 0 && --c->left[i] > 0) {
            c->at[w->dim] += w->step;
            return;
        }
        c->at[w->dim] = w->lower;
        c->left[i] = w->n;
    }
    c->at[walk->batch] += walk->batch_step;
}

/* The smallest number of steps that reaches `bound`, at most `rows_n`. */
static uint32_t rows_before(int64_t bound, int64_t start, int64_t step, uint32_t rows_n) {
    if (start >= bound) return 0;
    if (start + (int64_t)(rows_n - 1) * step < bound) return rows_n;
    return (uint32_t)((uint64_t)(bound - start + step - 1) / (uint64_t)step);
}

/* Whether the row has data: all coordinates are inside, not counting those of its pixels and channels. */
static bool row_inside(const pixel_cursor *c) {
    const tmap_copy *copy = c->copy;
    bool in = true;
    for (int i = 0; i < (int)copy->map.params.rank; i++)
        if (i != copy->pixels.walked[0].dim && i != copy->pixels.channel)
            in &= c->at[i] >= 0 && (uint64_t)c->at[i] < copy->map.params.dims_el[i];
    return in;
}

static void use_data(const pixel_cursor *c, uint32_t first, uint32_t end, uint32_t pixel, tmap_use_block *use,
                     void *context) {
    const tmap_copy *copy = c->copy;
    const tmap_map_params *params = &copy->map.params;
    const tmap_walked *w = &copy->pixels.walked[0];
    uint64_t step = (uint64_t)w->step, elements = c->choice->indices ? tmap_block_elements(copy) : 0;
    uint32_t column = copy->inside_first[0];
    tmap_block block;
    tmap_block_columns(copy, column, copy->inside_end[0] - column, pixel + first, &block);
    int64_t at[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) at[i] = c->at[i];
    at[w->dim] += first * w->step;
    at[copy->pixels.channel] += column;
    tmap_block_place(copy, at, c->choice, &block);
    for (int i = 0; i < w->dim; i++) elements *= params->dims_el[i];
    block.loops[0].n = end - first;
    block.loops[0].global_step = step * (w->dim == 0 ? copy->unit.global_B : params->strides_B[w->dim - 1]);
    block.loops[0].index_step = step * elements;
    use(context, &block);
}

/* Uses pixels pixel .. pixel + rows_n - 1 of the column, which belong to one image row. */
static void use_row(const pixel_cursor *c, uint32_t pixel, uint32_t rows_n, bool fills, tmap_use_block *use,
                    void *context) {
    const tmap_copy *copy = c->copy;
    const tmap_walked *w = &copy->pixels.walked[0];
    uint32_t first = rows_before(0, c->at[w->dim], w->step, rows_n);
    uint32_t end = rows_before((int64_t)copy->map.params.dims_el[w->dim], c->at[w->dim], w->step, rows_n);
    if (first >= end || !row_inside(c)) first = end = rows_n;
    if (fills) tmap_fill_rows(copy, pixel, first, use, context);
    if (first < end) use_data(c, first, end, pixel, use, context);
    if (fills) tmap_fill_rows(copy, pixel + end, rows_n - end, use, context);
}

/* Uses the halos of im2col::w::128 (map/pixels.c), one pixel at a time. */
static void use_halos(pixel_cursor *c, bool fills, tmap_use_block *use, void *context) {
    const tmap_copy *copy = c->copy;
    uint32_t pixel = copy->pixels.main_n ? copy->pixels.main_n : copy->counts[1];
    for (; pixel < copy->counts[1]; pixel++) {
        tmap_pixel_at(&copy->pixels, copy->params.at, pixel, c->at);
        use_row(c, pixel, 1, fills, use, context);
    }
}

/* Whether every pixel and every channel is inside. */
static bool all_inside(const tmap_copy *copy, const pixel_cursor *first) {
    bool in = copy->inside_first[0] == 0 && copy->inside_end[0] == copy->counts[0] && copy->pixels.main_n == 0 &&
              row_inside(first);
    for (int i = 0; i < copy->pixels.walked_n; i++) {
        const tmap_walked *w = &copy->pixels.walked[i];
        int64_t dim = (int64_t)copy->map.params.dims_el[w->dim];
        in &= w->lower >= 0 && w->start >= 0 && w->lower + (int64_t)(w->n - 1) * w->step < dim &&
              w->start + (int64_t)w->first_n * w->step < dim + w->step;
    }
    int64_t last[TMAP_RANK_MAX];
    if (!in) return false;
    tmap_pixel_at(&copy->pixels, copy->params.at, copy->counts[1] - 1, last);
    return last[copy->pixels.batch] < (int64_t)copy->map.params.dims_el[copy->pixels.batch];
}

void tmap_each_block_of_pixels(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use,
                               void *context) {
    bool fills = choice->fills;
    pixel_cursor c = first_pixel(copy, choice);
    uint32_t pixels_n = copy->counts[1],
             main_n = copy->pixels.main_n && copy->pixels.main_n < pixels_n ? copy->pixels.main_n : pixels_n;
    bool channels = copy->inside_first[0] == 0 && copy->inside_end[0] == copy->counts[0];
    bool rows_short = copy->pixels.walked[0].n < SHORT_ROW_B / copy->inner_B;
    if (fills && (!channels || rows_short)) {
        if (!all_inside(copy, &c)) tmap_fill_rows(copy, 0, pixels_n, use, context);
        fills = false;
    }
    if (copy->inside_first[0] >= copy->inside_end[0]) return;
    for (uint32_t pixel = 0; pixel < main_n; next_row(&c)) {
        uint32_t rows_n = c.left[0] < main_n - pixel ? c.left[0] : main_n - pixel;
        use_row(&c, pixel, rows_n, fills, use, context);
        pixel += rows_n;
    }
    use_halos(&c, fills, use, context);
}
