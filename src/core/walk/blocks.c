/*
 * Blocks of tiles and of four rows. The rows of a tile inside the tensor are one block. A dimension of one step needs
 * no loop; a dimension that continues where the dimension below ends shares its loop. Fill may overlap the data: where
 * rows extend beyond the tensor at their ends, fill first covers all of these rows, unless the caller fills the ends
 * (tmap_block_choice.edges). This is faster than filling parts of rows.
 */
#include "walk/blocks.h"
#include "map/coordinate.h"
#include "walk/block_parts.h"

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

static bool inside(const tmap_copy *copy, int dim) {
    return copy->inside_first[dim] == 0 && copy->inside_end[dim] == copy->counts[dim];
}

/* Whether the whole box is data. */
static bool all_data(const tmap_copy *copy) {
    uint32_t outside = 0;
    for (int i = 0; i < copy->rank; i++) outside |= copy->inside_first[i] | (copy->inside_end[i] ^ copy->counts[i]);
    return outside == 0;
}

static bool no_data(const tmap_copy *copy) {
    bool none = false;
    for (int i = 0; i < copy->rank; i++) none |= copy->inside_first[i] >= copy->inside_end[i];
    return none;
}

/* The outermost dimension with more than one step. The rows of each of its steps are consecutive. */
static int outermost(const tmap_copy *copy) {
    int dim = copy->rank - 1;
    while (dim > 0 && copy->counts[dim] == 1) dim--;
    return dim;
}

/* Whether all rows between the first and the last row of data are data. */
static bool data_together(const tmap_copy *copy, int outer) {
    bool together = true;
    for (int i = 1; i < outer; i++) together &= inside(copy, i);
    return together;
}

/* Whether blocks of data include the fill at the ends of their rows (before_B, after_B). */
static bool has_edges(const tmap_copy *copy, const tmap_block_choice *choice) {
    return choice->edges && !inside(copy, 0) && copy->map.params.element_strides[0] == 1;
}

/* `outside`: only steps of the outermost dimension require fill. */
static void fill_tile(const tmap_copy *copy, bool outside, tmap_use_block *use, void *context) {
    int outer = outermost(copy);
    if (!outside) tmap_fill_rows(copy, 0, copy->rows_n, use, context);
    if (!outside || outer == 0) return;
    uint32_t step = copy->rows_n / copy->counts[outer], end = copy->inside_end[outer];
    tmap_fill_rows(copy, 0, copy->inside_first[outer] * step, use, context);
    tmap_fill_rows(copy, end * step, (copy->counts[outer] - end) * step, use, context);
}

/* Dimension 0 of an interleaved tile also has a traversal stride (PTX ISA 5.5.3.2). With a stride other than 1 its
 * columns are not adjacent in the tensor, and become a loop. */
static void loop_over_columns(const tmap_copy *copy, const tmap_block_choice *choice, tmap_block *block) {
    uint64_t step = copy->map.params.element_strides[0];
    if (step == 1) return;
    tmap_block_add_loop(block, (tmap_loop){.n = block->units_n,
                                           .at_step = copy->unit.pitch_B,
                                           .global_step = step * copy->unit.global_B,
                                           .index_step = choice->indices ? step * tmap_block_elements(copy) : 0});
    block->units_n = 1;
}

static void use_tile(const tmap_copy *copy, const tmap_block_choice *choice, bool edges, tmap_use_block *use,
                     void *context) {
    const tmap_map_params *params = &copy->map.params;
    uint32_t first = copy->inside_first[0], row = 0, rows = 1;
    uint64_t row_el = params->mode == TMAP_MODE_LINEAR ? copy->counts[0] : params->dims_el[0];
    uint64_t elements = choice->indices ? row_el * tmap_block_elements(copy) : 0;
    int64_t at[TMAP_RANK_MAX] = {0};
    tmap_block block;
    for (int i = copy->rank - 1; i >= 1; i--) row = row * copy->counts[i] + copy->inside_first[i];
    for (int i = 0; i < copy->rank; i++) at[i] = tmap_copy_coordinate(copy, i, copy->inside_first[i]);
    tmap_block_columns(copy, first, copy->inside_end[0] - first, row, &block);
    tmap_block_place(copy, at, choice, &block);
    if (edges) tmap_block_edges(copy, &block);
    tmap_block_begin_loops(copy, &block);
    loop_over_columns(copy, choice, &block);
    for (int i = 1; i < copy->rank; i++) {
        uint64_t step = params->element_strides[i];
        tmap_block_add_loop(&block, (tmap_loop){.n = copy->inside_end[i] - copy->inside_first[i],
                                                .at_step = rows * copy->pitch_B,
                                                .global_step = params->strides_B[i - 1] * step,
                                                .index_step = elements * step});
        rows *= copy->counts[i];
        elements *= params->dims_el[i];
    }
    tmap_block_end_loops(&block);
    use(context, &block);
}

/* ---- Four rows -------------------------------------------------------------------------------------------------- */

/* The rows inside the tensor, one bit for each. A negative row is a large number. */
static uint32_t rows_inside(const tmap_copy *copy) {
    uint32_t rows = 0;
    for (int i = 0; i < 4; i++) rows |= (uint32_t)((uint64_t)copy->params.rows[i] < copy->map.params.dims_el[1]) << i;
    return rows;
}

/* The number of rows from the first on, at least one, that are inside and equally far apart, as any two rows are. */
static uint32_t equal_steps(const int64_t *rows, uint32_t inside) {
    uint32_t n = 1;
    while (inside >> n & 1 && rows[n] - rows[n - 1] == rows[1] - rows[0]) n++;
    return n;
}

/* `one` is the loop for rows that are adjacent in the tensor. Other distances may be 0 or, modulo 2^64, negative. */
static void use_steps(const tmap_copy *copy, uint32_t inside, const tmap_loop *one, tmap_block *block,
                      tmap_use_block *use, void *context) {
    uint64_t global_B = block->global_B, index = block->index;
    uint32_t at = block->at;
    for (uint32_t row = 0, n; inside >> row != 0; row += n) {
        const int64_t *rows = copy->params.rows + row;
        n = 1;
        if ((inside >> row & 1) == 0) continue;
        n = equal_steps(rows, inside >> row);
        uint64_t first = (uint64_t)rows[0], step = n > 1 ? (uint64_t)(rows[1] - rows[0]) : 0;
        block->at = at + row * one->at_step;
        block->global_B = global_B + first * one->global_step;
        block->index = index + first * one->index_step;
        block->loops[0] = (tmap_loop){n, one->at_step, step * one->global_step, step * one->index_step};
        use(context, block);
    }
}

static void use_four_rows(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    uint32_t first = copy->inside_first[0], end = copy->inside_end[0], rows = rows_inside(copy);
    bool all = rows == 15 && first < end && (inside(copy, 0) || choice->edges);
    if (!all && choice->fills) tmap_fill_rows(copy, 0, copy->rows_n, use, context);
    if (first >= end) return;
    const int64_t at[TMAP_RANK_MAX] = {copy->params.at[0] + first};
    tmap_loop one = {.at_step = copy->pitch_B, .global_step = copy->map.params.strides_B[0]};
    tmap_block block;
    if (choice->indices) one.index_step = copy->map.params.dims_el[0];
    tmap_block_columns(copy, first, end - first, 0, &block);
    tmap_block_place(copy, at, choice, &block);
    if (choice->edges) tmap_block_edges(copy, &block);
    if (choice->named && copy->inner_B == TMAP_LINE_B && inside(copy, 0)) {
        one.n = (uint32_t)__builtin_popcount(rows);
        block.named = copy->params.rows, block.named_rows = rows, block.loops[0] = one;
        use(context, &block);
    } else {
        use_steps(copy, rows, &one, &block, use, context);
    }
}

void tmap_each_block(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    if (tmap_copy_is_im2col(copy)) {
        tmap_each_block_of_pixels(copy, choice, use, context);
    } else if (copy->op->four_rows) {
        use_four_rows(copy, choice, use, context);
    } else {
        bool all = all_data(copy), none = !all && no_data(copy), edges = !all && !none && has_edges(copy, choice);
        bool outside = !none && (edges || inside(copy, 0)) && data_together(copy, outermost(copy));
        if (!all && choice->fills) fill_tile(copy, outside, use, context);
        if (!none) use_tile(copy, choice, edges, use, context);
    }
}
