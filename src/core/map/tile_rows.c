/*
 * The rows of tiles. The rows inside the tensor are one block: a dimension of one step needs no loop; a dimension that
 * continues where the dimension below ends shares its loop.
 */
#include "map/tile_rows.h"

#include "base/wide.h"

/* Dimension 0 of an interleaved tile also has a traversal stride (PTX ISA 5.5.3.2). With a stride other than 1 its
 * columns are not adjacent in the tensor, and become a loop. */
static void loop_over_columns(const tmap_copy *copy, bool indices, tmap_block *block) {
    uint64_t step = copy->map.params.element_strides[0];
    if (step == 1) return;
    tmap_block_add_loop(block, (tmap_loop){.n = block->units_n,
                                           .at_step = copy->unit.pitch_B,
                                           .global_step = step * copy->unit.global_B,
                                           .index_step = indices ? step * tmap_block_elements(copy) : 0});
    block->units_n = 1;
}

static void loop_over_rows(const tmap_copy *copy, bool indices, tmap_block *block) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t row_el = params->mode == TMAP_MODE_LINEAR ? copy->counts[0] : params->dims_el[0];
    uint64_t elements = indices ? row_el * tmap_block_elements(copy) : 0;
    uint32_t rows = 1;
    for (int i = 1; i < copy->rank; i++) {
        uint64_t step = params->element_strides[i];
        tmap_block_add_loop(block, (tmap_loop){.n = copy->inside_end[i] - copy->inside_first[i],
                                               .at_step = rows * copy->pitch_B,
                                               .global_step = params->strides_B[i - 1] * step,
                                               .index_step = elements * step});
        rows *= copy->counts[i];
        elements *= params->dims_el[i];
    }
}

/* The rows inside the tensor. As an unsigned number, a negative row is too large. */
static void name_rows(const tmap_copy *copy, bool indices, tmap_block *block) {
    const tmap_map_params *params = &copy->map.params;
    uint32_t n = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t inside = (uint64_t)copy->params.rows[i] < params->dims_el[1];
        block->named[i] = copy->params.rows[i];
        block->named_rows |= (uint8_t)(inside << i), n += inside;
    }
    block->loops[0] = (tmap_loop){.n = n,
                                  .at_step = copy->pitch_B,
                                  .global_step = params->strides_B[0],
                                  .index_step = indices ? params->dims_el[0] : 0};
}

void tmap_tile_block(const tmap_copy *copy, bool indices, tmap_block *block) {
    bool four_rows = copy->op->four_rows;
    uint32_t first = copy->inside_first[0], row = 0;
    int64_t at[TMAP_RANK_MAX] = {copy->params.at[0] + first};
    for (int i = copy->rank - 1; i >= 1; i--) row = four_rows ? 0 : row * copy->counts[i] + copy->inside_first[i];
    for (int i = 0; i < copy->rank && !four_rows; i++) at[i] = tmap_copy_coordinate(copy, i, copy->inside_first[i]);
    tmap_block_columns(copy, first, copy->inside_end[0] - first, row, block);
    tmap_block_place(copy, at, 0, indices, block);
    if (copy->map.params.element_strides[0] == 1) tmap_block_edges(copy, block);
    if (four_rows) {
        name_rows(copy, indices, block);
        return;
    }
    tmap_block_begin_loops(copy, block);
    loop_over_columns(copy, indices, block);
    loop_over_rows(copy, indices, block);
    tmap_block_end_loops(block);
}

#define SHORT_LOOP 8 /* longer loops have faster functions of their own */

/* Whether one function can find and move each row of all loops: every row consists of units and, with a swizzle, is
 * inside one line. */
static bool moves_each(const tmap_block *block, const tmap_moves *moves) {
    bool loops = block->named_rows || block->loops[0].n == 1 || (block->loops_n > 1 && block->loops[0].n < SHORT_LOOP);
    return loops && moves->places % TMAP_UNIT_B == 0 && moves->in_lines;
}

void tmap_moves_set(tmap_moves *moves, const tmap_block *block, uint32_t size, bool plain) {
    const tmap_loop *loop = &block->loops[0];
    uint32_t n = block->named_rows ? 1 : loop->n, granule = loop->at_step;
    bool one = plain && n > 1 && loop->at_step == size && loop->global_step == size, two = one && block->loops_n == 2;
    for (int i = 1; i < block->loops_n; i++) granule |= block->loops[i].at_step;
    uint32_t steps = granule | TMAP_LINE_B, slot = steps & -steps;
    if (one) size *= n, n = two ? loop[1].n : 1, loop += two;
    moves->rows = (tmap_rows){
        .row_step = (ptrdiff_t)loop->global_step, .at_step = loop->at_step, .size = size, .rows_n = n, .at = block->at};
    moves->granule = granule, moves->places = granule | size | block->at;
    moves->in_lines = plain || (block->at & (slot - 1)) + size <= slot;
    moves->way = TMAP_WAY_PASSES;
    if (!one && moves_each(block, moves))
        moves->way = TMAP_WAY_LOOPS;
    else if (two || (block->loops_n == 1 && !block->named_rows && (plain || moves->places % TMAP_UNIT_B == 0)))
        moves->way = TMAP_WAY_ROWS;
}

/* Whether a load to TF32 can round the box after it has moved the rows: the box has no gaps, and rounding does not
 * change the fill. Zeros stay zeros. Of other fill only whole rows can be left out: a swizzle must exchange no bytes of
 * these rows and others. */
static bool rounds_in_box(const tmap_copy *copy, const tmap_tile *tile) {
    uint32_t span_B = copy->map.swizzle->span_B, ends_B = (tile->first_row | tile->end_row) * copy->pitch_B;
    bool rows_apart = tile->first_row < tile->end_row && (tile->data.before_B | tile->data.after_B) == 0 &&
                      (span_B == 0 || ends_B % span_B == 0);
    return copy->payload_B == copy->footprint_B && (rows_apart || copy->map.params.oob_fill == TMAP_OOB_FILL_ZERO);
}

/* Whether the copy only moves the bytes of its rows, or of the containers of a whole box. By one reading, a store also
 * writes bytes after them. */
static bool only_moves(const tmap_copy *copy, const tmap_tile *tile) {
    const tmap_copy_params *params = &copy->params;
    const tmap_unit *unit = &copy->unit;
    bool masked = params->byte_mask || params->ignore_left_B || params->ignore_right_B; /* emu/masked_bulk.h */
    bool whole = tile->all && copy->op->to_shared && !copy->op->four_rows;
    bool rounds = copy->map.type->tf32 && copy->op->to_shared && !rounds_in_box(copy, tile);
    return !masked && !rounds && (!tmap_units_have_gaps(unit) || whole) &&
           unit->shared_value_bits == unit->value_bits && !copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT];
}

static void settle_moves(const tmap_copy *copy, tmap_tile *tile) {
    const tmap_block *data = &tile->data;
    uint32_t size = data->units_n * copy->unit.global_B;
    tile->data_B = 0;
    tile->moved = copy->op->reduces ||
                  (only_moves(copy, tile) && !(tile->some && copy->op->to_global && tmap_rows_overlap(data, size)));
    if (!tile->moved || !tile->some) return;
    tile->data_B = (uint32_t)tmap_block_rows(data) * size;
    if (tmap_units_have_gaps(&copy->unit))
        tile->moves.way = TMAP_WAY_CONTAINERS;
    else
        tmap_moves_set(&tile->moves, data, size, copy->map.swizzle->span_B == 0);
}

/* The outermost dimension with more than one step. The rows of each of its steps are consecutive. */
static int outermost(const tmap_copy *copy) {
    int dim = copy->rank - 1;
    while (dim > 0 && copy->counts[dim] == 1) dim--;
    return dim;
}

/* `outer`: the dimension whose steps outside are rows of fill; 0: all rows have data. `together`: no other rows are
 * fill. */
static void settle_rows(const tmap_copy *copy, int outer, bool together, tmap_tile *tile) {
    tile->first_row = together ? 0 : copy->rows_n, tile->end_row = copy->rows_n;
    if (!together || outer == 0) return;
    uint32_t step = copy->rows_n / copy->counts[outer];
    tile->first_row = copy->inside_first[outer] * step, tile->end_row = copy->inside_end[outer] * step;
}

static void settle_tile(const tmap_copy *copy, tmap_tile *tile) {
    bool some = true, all = true, together = true;
    int outer = copy->op->four_rows ? 0 : outermost(copy), judged_n = copy->op->four_rows ? 1 : copy->rank;
    for (int i = 0; i < judged_n; i++) {
        bool inside = tmap_tile_inside(copy, i);
        some &= copy->inside_first[i] < copy->inside_end[i];
        all &= inside;
        together &= inside || (i == 0 && copy->map.params.element_strides[0] == 1) || (i > 0 && i >= outer);
    }
    if (some) tmap_tile_block(copy, false, &tile->data);
    if (some && copy->op->four_rows) {
        uint32_t inside = tile->data.named_rows;
        some = inside != 0, all &= inside == 15, together = inside == 15;
    }
    tile->some = some, tile->all = all;
    settle_rows(copy, outer, some && together, tile);
}

/* The place of pixel 0, without the offset of the first channel. Returns whether all coordinates are inside, not
 * counting w and the channels. */
static bool first_pixel(const tmap_copy *copy, int64_t at[TMAP_RANK_MAX]) {
    bool in = true;
    tmap_pixel_at(&copy->pixels, copy->params.at, 0, at);
    for (int i = 0; i < (int)copy->map.params.rank; i++)
        in &= i == copy->pixels.channel || i == copy->pixels.walked[0].dim ||
              (uint64_t)at[i] < copy->map.params.dims_el[i];
    return in;
}

/* The pixels are steps along w. */
static void settle_image_row(const tmap_copy *copy, tmap_tile *tile) {
    const tmap_map_params *params = &copy->map.params;
    const tmap_walked *w = &copy->pixels.walked[0];
    uint32_t column = copy->inside_first[0], end_column = copy->inside_end[0], n = copy->counts[1];
    uint64_t step = (uint64_t)w->step, stride = w->dim == 0 ? copy->unit.global_B : params->strides_B[w->dim - 1];
    int64_t at[TMAP_RANK_MAX];
    bool in = first_pixel(copy, at) && column < end_column;
    uint32_t first = (uint32_t)tmap_steps_below(0, at[w->dim], w->step, n);
    uint32_t end = (uint32_t)tmap_steps_below((int64_t)params->dims_el[w->dim], at[w->dim], w->step, n);
    tile->some = in && first < end;
    tile->all = tile->some && end - first == n && tmap_tile_inside(copy, 0);
    tile->first_row = tile->some ? first : n, tile->end_row = tile->some ? end : n;
    if (!tile->some) return;
    at[copy->pixels.channel] += column, at[w->dim] += (int64_t)(first * step);
    tmap_block_columns(copy, column, end_column - column, first, &tile->data);
    tmap_block_place(copy, at, 0, false, &tile->data);
    tmap_block_edges(copy, &tile->data);
    tile->data.loops[0].n = end - first, tile->data.loops[0].global_step = step * stride;
}

void tmap_settle_tile(tmap_copy *copy) {
    tmap_tile *tile = (tmap_tile *)(void *)copy->reserved;
    const tmap_pixel_walk *walk = &copy->pixels;
    tile->moved = false;
    if (!tmap_copy_is_im2col(copy))
        settle_tile(copy, tile);
    else if (walk->main_n == 0 && copy->counts[1] <= walk->walked[0].first_n)
        settle_image_row(copy, tile);
    else
        return;
    settle_moves(copy, tile);
}
