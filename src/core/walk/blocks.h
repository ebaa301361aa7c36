/*
 * Divides a copy into a few blocks of rows; executors move one block at once. Runs (tmap/unstable/walk.h) are smaller
 * and have more details. The blocks of a copy write the same bytes as its runs.
 */
#pragma once

#include "map/tile_rows.h"
#include "tmap/unstable/walk.h"

typedef void tmap_use_block(void *context, const tmap_block *block);

/* The blocks that a caller requires. */
typedef struct tmap_block_choice {
    uint64_t origin_B; /* the memory starts this many bytes after the tensor's address */
    bool fills;        /* also blocks of fill */
    bool edges;        /* and before_B and after_B, which are 0 otherwise */
    bool named;        /* the rows of gather4 and scatter4 may be one block */
    bool indices;      /* also `index` and index_step, which are 0 otherwise */
} tmap_block_choice;

/* Calls `use` with the blocks of a copy in the order of the box. Fill covers at least the part of the box outside the
 * tensor. Fill that overlaps data comes before the data. */
void tmap_each_block(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use, void *context);

void tmap_each_block_of_pixels(const tmap_copy *copy, const tmap_block_choice *choice, tmap_use_block *use,
                               void *context);

/* Uses a block of whole rows of fill. */
static inline void tmap_fill_rows(const tmap_copy *copy, uint32_t row, uint32_t rows_n, tmap_use_block *use,
                                  void *context) {
    tmap_block block;
    if (rows_n == 0) return;
    tmap_block_columns(copy, 0, copy->counts[0], row, &block);
    block.fill = true;
    block.global_B = block.index = 0;
    block.loops[0].n = rows_n;
    use(context, &block);
}

/* The start of the innermost loop, for each combination of the loops above. At the beginning, global_B, index and at
 * are the block's and everything else is 0. */
typedef struct tmap_place_of_rows {
    uint64_t global_B, index;
    uint32_t at;
    uint32_t done[TMAP_LOOPS_MAX];
} tmap_place_of_rows;

static inline tmap_place_of_rows tmap_first_place(const tmap_block *block) {
    return (tmap_place_of_rows){.global_B = block->global_B, .index = block->index, .at = block->at};
}

/* Advances to the next place; returns false after the last. */
static inline bool tmap_next_place(const tmap_block *block, tmap_place_of_rows *place) {
    for (int i = 1; i < block->loops_n; i++) {
        const tmap_loop *loop = &block->loops[i];
        place->at += loop->at_step, place->global_B += loop->global_step, place->index += loop->index_step;
        if (++place->done[i] < loop->n) return true;
        place->done[i] = 0;
        place->at -= loop->n * loop->at_step;
        place->global_B -= loop->n * loop->global_step, place->index -= loop->n * loop->index_step;
    }
    return false;
}

/* Finds the next named row, beginning with row `i` of the box. Returns false if no named row is left. */
static inline bool tmap_go_to_named(const tmap_block *block, uint32_t i, tmap_place_of_rows *place) {
    const tmap_loop *rows = &block->loops[0];
    while (i < 4 && (block->named_rows >> i & 1) == 0) i++;
    if (i == 4) return false;
    place->done[0] = i, place->at = block->at + i * rows->at_step;
    place->global_B = block->global_B + (uint64_t)block->named[i] * rows->global_step;
    return true;
}

/* The same places; of a block of named rows, the place of each row. */
static inline tmap_place_of_rows tmap_first_rows(const tmap_block *block) {
    tmap_place_of_rows place = tmap_first_place(block);
    if (block->named_rows) (void)tmap_go_to_named(block, 0, &place);
    return place;
}

/* `named` is block->named_rows, which callers keep in a register. */
static inline bool tmap_next_rows(const tmap_block *block, uint32_t named, tmap_place_of_rows *place) {
    return named ? tmap_go_to_named(block, place->done[0] + 1, place) : tmap_next_place(block, place);
}

static inline uint32_t tmap_rows_at_place(const tmap_block *block) {
    return block->named_rows ? 1 : block->loops[0].n;
}
