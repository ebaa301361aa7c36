/*
 * Blocks of im2col columns: one block for the pixels of consecutive image rows, if the whole box is filled first or
 * has no fill; else one block for the pixels of each image row. The walk (map/pixels.c) is advanced from row to row,
 * because computing its position anew requires divisions.
 */
#include "walk/blocks.h"

/* If image rows are shorter, filling the whole box first is faster than filling their ends. */
#define SHORT_ROW_B 1024

/*
 * The position of the walk: the coordinates of a pixel, and the steps left along each walked dimension, including the
 * current step. Consecutive image rows advance along h (walked dimension 1).
 */
typedef struct pixel_cursor {
    const tmap_copy *copy;
    const tmap_block_choice *choice;
    tmap_use_block *use;
    void *context;
    bool fills;
    int along_n;    /* 1 if the walk has no h, else 2 */
    uint32_t along; /* bits of the dimensions of w, h and the channels */
    int64_t at[TMAP_RANK_MAX];
    uint32_t left[TMAP_RANK_MAX - 2];
    tmap_loop steps[2]; /* one step further along w and h: bytes and elements */
    tmap_block row;     /* data of an image row; its place and its loops are set for each block */
    uint32_t first_at;  /* row.at for pixel 0 */
} pixel_cursor;

/* ---- The walk --------------------------------------------------------------------------------------------------- */

static void go_to(pixel_cursor *c, uint32_t pixel) {
    tmap_pixel_at(&c->copy->pixels, c->copy->params.at, pixel, c->at);
    c->at[c->copy->pixels.channel] += c->copy->inside_first[0];
}

/* Sets the members one by one: the copy of a new struct waits for the writes of its members. */
static void step_along(const pixel_cursor *c, const tmap_walked *w, tmap_loop *step) {
    const tmap_map_params *params = &c->copy->map.params;
    uint64_t elements = c->choice->indices ? (uint64_t)w->step * tmap_block_elements(c->copy) : 0;
    for (int i = 0; i < w->dim && elements; i++) elements *= params->dims_el[i];
    step->global_step = (uint64_t)w->step * (w->dim == 0 ? c->copy->unit.global_B : params->strides_B[w->dim - 1]);
    step->index_step = elements;
}

/* Goes to pixel 0, by the formula of tmap_pixel_at. A start at the end of a row may put pixel 0 in a later row. */
static void begin(pixel_cursor *c) {
    const tmap_copy *copy = c->copy;
    uint32_t steps = 0, column = copy->inside_first[0];
    c->along_n = copy->pixels.walked_n > 1 ? 2 : 1, c->along = 1u << copy->pixels.channel;
    go_to(c, 0);
    for (int i = 0; i < copy->pixels.walked_n; i++) {
        const tmap_walked *w = &copy->pixels.walked[i];
        bool first = steps < w->first_n;
        uint32_t past = first ? 0 : steps - w->first_n;
        c->left[i] = first ? w->first_n - steps : w->n - past % w->n;
        steps = first ? 0 : 1 + past / w->n;
        if (i < c->along_n) step_along(c, w, &c->steps[i]), c->along |= 1u << w->dim;
    }
    tmap_block_columns(copy, column, copy->inside_end[0] - column, 0, &c->row);
    c->first_at = c->row.at;
}

/* Advances by image rows that are consecutive along h, to the next image row after them. */
static void next_row(pixel_cursor *c, uint32_t rows_n) {
    const tmap_pixel_walk *walk = &c->copy->pixels;
    c->at[walk->walked[0].dim] = walk->walked[0].lower;
    c->left[0] = walk->walked[0].n;
    for (int i = 1; i < walk->walked_n; i++) {
        const tmap_walked *w = &walk->walked[i];
        uint32_t steps = i == 1 ? rows_n : 1;
        if (c->left[i] > steps) {
            c->left[i] -= steps;
            c->at[w->dim] += steps * w->step;
            return;
        }
        c->at[w->dim] = w->lower;
        c->left[i] = w->n;
    }
    c->at[walk->batch] += walk->batch_step;
}

/* ---- Inside ----------------------------------------------------------------------------------------------------- */

/* Steps `first` to `end` - 1 are inside the tensor. */
typedef struct steps_inside {
    uint32_t first, end;
} steps_inside;

/* The smallest number of steps that reaches `bound`, at most `steps_n`. */
static uint32_t steps_before(int64_t bound, int64_t start, int64_t step, uint32_t steps_n) {
    if (start >= bound) return 0;
    if (start + (int64_t)(steps_n - 1) * step < bound) return steps_n;
    return (uint32_t)((uint64_t)(bound - start + step - 1) / (uint64_t)step);
}

static steps_inside inside_along(const pixel_cursor *c, int i, uint32_t steps_n) {
    const tmap_walked *w = &c->copy->pixels.walked[i];
    int64_t start = c->at[w->dim], end = (int64_t)c->copy->map.params.dims_el[w->dim];
    return (steps_inside){steps_before(0, start, w->step, steps_n), steps_before(end, start, w->step, steps_n)};
}

/* Whether all coordinates are inside, not counting those along w and h and of the channels. */
static bool others_inside(const pixel_cursor *c) {
    const tmap_copy *copy = c->copy;
    bool in = true;
    for (int i = 0; i < (int)copy->map.params.rank; i++)
        in &= (c->along >> i & 1) != 0 || (uint64_t)c->at[i] < copy->map.params.dims_el[i];
    return in;
}

/* Whether every pixel and every channel is inside. */
static bool all_inside(const pixel_cursor *first) {
    const tmap_copy *copy = first->copy;
    bool in = copy->inside_first[0] == 0 && copy->inside_end[0] == copy->counts[0] && copy->pixels.main_n == 0 &&
              others_inside(first);
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

/* ---- Rows of pixels --------------------------------------------------------------------------------------------- */

/* Moves the block by `first` steps, and adds a loop over the steps inside. */
static inline void add_steps(const tmap_loop *one, steps_inside in, uint32_t at_step, tmap_block *row) {
    row->at += in.first * at_step;
    row->global_B += in.first * one->global_step, row->index += in.first * one->index_step;
    tmap_block_add_loop(row, (tmap_loop){in.end - in.first, at_step, one->global_step, one->index_step});
}

/* Uses rows_n image rows of pixels_n pixels each, from `pixel` on. With fill, there is one row. */
static void use_rows(pixel_cursor *c, uint32_t pixel, uint32_t pixels_n, uint32_t rows_n) {
    const tmap_copy *copy = c->copy;
    tmap_block *row = &c->row;
    steps_inside w = inside_along(c, 0, pixels_n), h = {0, 1};
    if (c->along_n > 1) h = inside_along(c, 1, rows_n);
    if (w.first >= w.end || h.first >= h.end || !others_inside(c)) w.first = w.end = pixels_n;
    if (c->fills) tmap_fill_rows(copy, pixel, w.first, c->use, c->context);
    if (w.first < w.end) {
        c->at[copy->pixels.walked[0].dim] += w.first * copy->pixels.walked[0].step; /* a place is not negative */
        tmap_block_place(copy, c->at, c->choice->origin_B, c->choice->indices, row);
        row->at = c->first_at + (pixel + w.first) * copy->pitch_B;
        tmap_block_begin_loops(copy, row);
        add_steps(&c->steps[0], (steps_inside){0, w.end - w.first}, copy->pitch_B, row);
        if (rows_n > 1) add_steps(&c->steps[1], h, pixels_n * copy->pitch_B, row);
        tmap_block_end_loops(row);
        c->use(c->context, row);
    }
    if (c->fills) tmap_fill_rows(copy, pixel + w.end, pixels_n - w.end, c->use, c->context);
}

/* Uses the halos of im2col::w::128 (map/pixels.c), one pixel at a time. */
static void use_halos(pixel_cursor *c) {
    const tmap_copy *copy = c->copy;
    uint32_t pixel = copy->pixels.main_n ? copy->pixels.main_n : copy->counts[1];
    for (; pixel < copy->counts[1]; pixel++) {
        go_to(c, pixel);
        use_rows(c, pixel, 1, 1);
    }
}

/* The number of image rows from here on, at least 1, that are consecutive along h and have all of their pixels among
 * the next pixels_n. The first row of the walk may start after the others do. */
static uint32_t whole_rows(const pixel_cursor *c, uint32_t pixels_n) {
    const tmap_walked *w = &c->copy->pixels.walked[0];
    if (c->fills || c->along_n == 1 || c->at[w->dim] != w->lower || pixels_n / 2 < w->n) return 1;
    return pixels_n / w->n < c->left[1] ? pixels_n / w->n : c->left[1];
}

/* Whether to fill the whole box before its data, which is faster for short image rows. If the walk has h, the data is
 * then one block, which pays for rows up to twice as long. For at most two image rows, filling their ends is faster. */
static bool fill_first(const pixel_cursor *c) {
    uint32_t row_n = c->copy->pixels.walked[0].n, short_n = SHORT_ROW_B / c->copy->inner_B;
    return row_n < short_n * (uint32_t)c->along_n && row_n < c->copy->counts[1] / 2;
}

void tmap_each_block_of_pixels(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use,
                               void *context) {
    pixel_cursor c;
    uint32_t pixels_n = copy->counts[1],
             main_n = copy->pixels.main_n && copy->pixels.main_n < pixels_n ? copy->pixels.main_n : pixels_n;
    bool some = copy->inside_first[0] < copy->inside_end[0],
         whole = copy->inside_first[0] == 0 && copy->inside_end[0] == copy->counts[0],
         edges = choice->edges && some && !whole;
    c.copy = copy, c.choice = choice, c.use = use, c.context = context, c.fills = choice->fills;
    begin(&c);
    if (edges) tmap_block_edges(copy, &c.row);
    if (c.fills && (!(whole || edges) || fill_first(&c))) {
        if (!all_inside(&c)) tmap_fill_rows(copy, 0, pixels_n, use, context);
        c.fills = false;
    }
    if (!some) return;
    for (uint32_t pixel = 0; pixel < main_n;) {
        uint32_t row_n = c.left[0] < main_n - pixel ? c.left[0] : main_n - pixel;
        uint32_t rows_n = whole_rows(&c, main_n - pixel);
        use_rows(&c, pixel, row_n, rows_n);
        next_row(&c, rows_n);
        pixel += row_n * rows_n;
    }
    use_halos(&c);
}
