/*
 * Blocks of tiles and of four rows. The rows of a tile inside the tensor are one block. Fill may overlap the data:
 * where rows extend beyond the tensor at their ends, fill first covers all of these rows, unless the caller fills the
 * ends (tmap_block_choice.edges). This is faster than filling parts of rows.
 */
#include "walk/blocks.h"

/* `edges`: the ends of the rows are filled with the data. */
static void fill_tile(const tmap_copy *copy, bool edges, tmap_use_block *use, void *context) {
    const tmap_tile *tile = tmap_tile_of(copy);
    bool whole = edges || tmap_tile_inside(copy, 0);
    uint32_t rows_n = copy->rows_n, first = whole ? tile->first_row : rows_n, end = whole ? tile->end_row : rows_n;
    tmap_fill_rows(copy, 0, first, use, context);
    tmap_fill_rows(copy, end, rows_n - end, use, context);
}

/* The rows that the copy keeps (tmap_tile), or a copy of them in `own` with the changes of `choice`. */
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

/* The number of rows from the first on, at least one, that are inside and equally far apart. */
static uint32_t equal_steps(const int64_t *rows, uint32_t inside) {
    uint32_t n = 1;
    while (inside >> n & 1 && rows[n] - rows[n - 1] == rows[1] - rows[0]) n++;
    return n;
}

/* Uses the named rows as loops of equally distant rows. A distance may be 0 or, modulo 2^64, negative. */
static void use_steps(const tmap_block *kept, tmap_use_block *use, void *context) {
    tmap_block block = *kept;
    const tmap_loop *one = &kept->loops[0];
    uint32_t inside = kept->named_rows;
    block.named_rows = 0;
    for (uint32_t row = 0, n; inside >> row != 0; row += n) {
        const int64_t *rows = kept->named + row;
        n = 1;
        if ((inside >> row & 1) == 0) continue;
        n = equal_steps(rows, inside >> row);
        uint64_t first = (uint64_t)rows[0], step = n > 1 ? (uint64_t)(rows[1] - rows[0]) : 0;
        block.at = kept->at + row * one->at_step;
        block.global_B = kept->global_B + first * one->global_step;
        block.index = kept->index + first * one->index_step;
        block.loops[0] = (tmap_loop){n, one->at_step, step * one->global_step, step * one->index_step};
        use(context, &block);
    }
}

static void use_tile(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    const tmap_tile *tile = tmap_tile_of(copy);
    if (!tile->all && choice->fills) fill_tile(copy, choice->edges, use, context);
    if (!tile->some) return;
    tmap_block own;
    const tmap_block *block = block_of(copy, choice, &own);
    if (copy->op->four_rows && !choice->named)
        use_steps(block, use, context);
    else
        use(context, block);
}

void tmap_each_block(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context) {
    if (tmap_copy_is_im2col(copy))
        tmap_each_block_of_pixels(copy, choice, use, context);
    else
        use_tile(copy, choice, use, context);
}
