/*
 * Blocks of tiles and of four rows. The rows of a tile inside the tensor are one block. Fill may overlap the data:
 * where rows extend beyond the tensor at their ends, fill first covers all of these rows, unless the caller fills the
 * ends (tmap_block_choice.edges). This is faster than filling parts of rows.
 */
#include "walk/blocks.h"

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

/* `outside`: only steps of the outermost dimension require fill. */
static void fill_tile(const tmap_copy *copy, bool outside, tmap_use_block *use, void *context) {
    int outer = tmap_tile_outermost(copy);
    if (!outside) tmap_fill_rows(copy, 0, copy->rows_n, use, context);
    if (!outside || outer == 0) return;
    uint32_t step = copy->rows_n / copy->counts[outer], end = copy->inside_end[outer];
    tmap_fill_rows(copy, 0, copy->inside_first[outer] * step, use, context);
    tmap_fill_rows(copy, end * step, (copy->counts[outer] - end) * step, use, context);
}

/* The kept rows with what the caller requires, in `own` if they differ. */
static const tmap_block *block_of(const tmap_copy *copy, const tmap_block_choice *choice, tmap_block *own) {
    const tmap_block *kept = &tmap_tile_of(copy)->data;
    bool edges = !choice->edges && (kept->before_B | kept->after_B) != 0;
    if (choice->origin_B == 0 && !choice->indices && !edges) return kept;
    *own = *kept;
    if (choice->indices) tmap_tile_block(copy, true, own);
    if (edges) own->before_B = own->after_B = 0;
    own->global_B -= choice->origin_B;
    return own;
}

static void use_tile(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    const tmap_tile *tile = tmap_tile_of(copy);
    if (!tile->all && choice->fills) {
        bool edges = choice->edges && copy->map.params.element_strides[0] == 1;
        bool outside = tile->some && tile->together && (edges || tmap_tile_inside(copy, 0));
        fill_tile(copy, outside, use, context);
    }
    if (!tile->some) return;
    tmap_block own;
    use(context, block_of(copy, choice, &own));
}

/* ---- Four rows -------------------------------------------------------------------------------------------------- */

/* The rows inside the tensor, one bit for each. A negative row is a large number. */
static uint32_t rows_inside(const tmap_copy *copy) {
    uint32_t rows = 0;
    for (int i = 0; i < 4; i++) rows |= (uint32_t)((uint64_t)copy->params.rows[i] < copy->map.params.dims_el[1]) << i;
    return rows;
}

static uint32_t rows_n(uint32_t rows) {
    return (rows & 1) + (rows >> 1 & 1) + (rows >> 2 & 1) + (rows >> 3);
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
    bool some = copy->inside_first[0] < copy->inside_end[0], whole = tmap_tile_inside(copy, 0);
    uint32_t rows = rows_inside(copy);
    if (choice->fills && !(some && rows == 15 && (whole || choice->edges)))
        tmap_fill_rows(copy, 0, copy->rows_n, use, context);
    if (!some) return;
    tmap_block own, block;
    const tmap_block *kept = block_of(copy, choice, &own);
    const tmap_loop one = {.n = rows_n(rows),
                           .at_step = copy->pitch_B,
                           .global_step = copy->map.params.strides_B[0],
                           .index_step = choice->indices ? copy->map.params.dims_el[0] : 0};
    tmap_block_columns(copy, copy->inside_first[0], copy->inside_end[0] - copy->inside_first[0], 0, &block);
    block.before_B = kept->before_B, block.after_B = kept->after_B;
    block.global_B = kept->global_B, block.index = kept->index;
    if (choice->named && whole) {
        block.named = copy->params.rows, block.named_rows = rows, block.loops[0] = one;
        use(context, &block);
    } else {
        use_steps(copy, rows, &one, &block, use, context);
    }
}

void tmap_each_block(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    if (tmap_copy_is_im2col(copy))
        tmap_each_block_of_pixels(copy, choice, use, context);
    else if (copy->op->four_rows)
        use_four_rows(copy, choice, use, context);
    else
        use_tile(copy, choice, use, context);
}
