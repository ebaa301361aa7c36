/*
 * Divides a copy into a few blocks of rows; executors move one block at once. Runs (tmap/unstable/walk.h) are smaller
 * and have more details. The blocks of a copy write the same bytes as its runs.
 */
#pragma once

#include "tmap/unstable/walk.h"

#define TMAP_LOOPS_MAX TMAP_RANK_MAX /* columns of an interleaved tile, then dimensions 1 to 4 */

/* Steps of a loop: n places. Consecutive places are at_step bytes apart in the box; in the tensor the distance is given
 * in bytes and in elements. */
typedef struct tmap_loop {
    uint32_t n, at_step;
    uint64_t global_step, index_step;
} tmap_loop;

/*
 * Rows of units_n units in nested loops, the innermost first. There is at least one loop. Rows of fill have the width
 * of the box; their global_B and their steps in the tensor are 0. before_B and after_B are the bytes of the box before
 * and after each row of data that are fill and are in no block of fill.
 * A block of named rows (tmap_block_choice.named) has one loop. Row i of the box is named[i] steps from global_B, if
 * bit i of named_rows is set.
 */
typedef struct tmap_block {
    tmap_run_kind kind;
    uint32_t units_n;
    uint32_t at; /* offset in the box of the first row, before the swizzle */
    uint32_t before_B, after_B;
    uint64_t global_B;    /* offset in the memory, modulo 2^64 */
    uint64_t index;       /* number of the first element, see tmap_index_fill */
    const int64_t *named; /* NULL: rows at equal distances */
    uint32_t named_rows;
    int loops_n;
    tmap_loop loops[TMAP_LOOPS_MAX];
} tmap_block;

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

/* The number of rows of all loops together. */
static inline uint64_t tmap_block_rows(const tmap_block *block) {
    uint64_t rows = 1;
    for (int i = 0; i < block->loops_n; i++) rows *= block->loops[i].n;
    return rows;
}
