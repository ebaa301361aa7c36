/* Parts of blocks that tiles and im2col columns share. */
#pragma once

#include "walk/blocks.h"

void tmap_each_block_of_pixels(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use,
                               void *context);

/* The units in `values` values along dimension 0. A unit has 1, 2 or 16 values; a shift replaces a division, which
 * takes longer than copying a row. */
static inline uint32_t tmap_block_units(const tmap_copy *copy, uint32_t values) {
    return values >> __builtin_ctz(copy->unit.values);
}

/* The number of elements in one step along dimension 0: for an interleaved map, the elements of a slice. */
static inline uint64_t tmap_block_elements(const tmap_copy *copy) {
    return copy->map.params.interleave == TMAP_INTERLEAVE_NONE ? 1
                                                               : copy->unit.value_bits / (uint32_t)copy->map.type->bits;
}

/* Sets global_B and index of the block from tensor coordinates. Dims are at most 2^32, slices 256 bits. */
static inline void tmap_block_place(const tmap_copy *copy, const int64_t at[TMAP_RANK_MAX],
                                    const tmap_block_choice *choice, tmap_block *block) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t elements = params->dims_el[0], index = (uint64_t)at[0],
             offset = (uint64_t)at[0] * copy->unit.value_bits / 8;
    int rank = (int)params->rank;
    for (int i = 1; i < rank; i++) offset += (uint64_t)at[i] * params->strides_B[i - 1];
    block->global_B = offset - choice->origin_B;
    block->index = 0;
    if (!choice->indices) return;
    for (int i = 1; i < rank; i++) {
        index += (uint64_t)at[i] * elements;
        elements *= params->dims_el[i];
    }
    block->index = index * tmap_block_elements(copy);
}

/* Sets a block to columns first .. first + n - 1 of one row of data. The caller sets the place in the tensor and the
 * loops above the first: clearing the whole struct takes as long as copying a row. */
static inline void tmap_block_columns(const tmap_copy *copy, uint32_t first, uint32_t n, uint32_t row,
                                      tmap_block *block) {
    block->kind = TMAP_RUN_DATA;
    block->units_n = tmap_block_units(copy, n);
    block->at = row * copy->pitch_B + tmap_block_units(copy, first) * copy->unit.pitch_B;
    block->before_B = block->after_B = 0;
    block->named = NULL;
    block->loops_n = 1;
    block->loops[0] = (tmap_loop){.n = 1, .at_step = copy->pitch_B};
}

/* Between these two calls, loops are added to a block of one row, the innermost first. */
static inline void tmap_block_begin_loops(const tmap_copy *copy, tmap_block *block) {
    block->loops_n = 0;
    block->loops[0] = (tmap_loop){.n = 1, .at_step = copy->pitch_B};
}

static inline void tmap_block_end_loops(tmap_block *block) {
    if (block->loops_n == 0) block->loops_n = 1;
}

/* Adds a loop around the others. A loop that continues where the last one ends is joined with it. */
static inline void tmap_block_add_loop(tmap_block *block, tmap_loop loop) {
    tmap_loop *last = &block->loops[block->loops_n > 0 ? block->loops_n - 1 : 0];
    if (loop.n == 1) return;
    bool on = block->loops_n > 0 && last->n * last->at_step == loop.at_step &&
              last->n * last->global_step == loop.global_step && last->n * last->index_step == loop.index_step;
    if (on)
        last->n *= loop.n;
    else
        block->loops[block->loops_n++] = loop;
}

/* Adds the rest of the box's rows, which is fill. */
static inline void tmap_block_edges(const tmap_copy *copy, tmap_block *block) {
    block->before_B = tmap_block_units(copy, copy->inside_first[0]) * copy->unit.pitch_B;
    block->after_B = tmap_block_units(copy, copy->counts[0] - copy->inside_end[0]) * copy->unit.pitch_B;
}

/* Uses a block of whole rows of fill. */
static inline void tmap_fill_rows(const tmap_copy *copy, uint32_t row, uint32_t rows_n, tmap_use_block *use,
                                  void *context) {
    tmap_block block;
    if (rows_n == 0) return;
    tmap_block_columns(copy, 0, copy->counts[0], row, &block);
    block.kind = TMAP_RUN_FILL;
    block.global_B = block.index = 0;
    block.loops[0].n = rows_n;
    use(context, &block);
}
