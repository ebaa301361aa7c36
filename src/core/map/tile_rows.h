/*
 * Rows of a copy in nested loops. tmap_copy_init and tmap_copy_move compute the rows of tiles and of four rows, so that
 * an executor does not compute them again in each run.
 */
#pragma once

#include "map/coordinate.h"

#define TMAP_UNIT_B    16
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
    bool fill;
    uint8_t named_rows; /* 0: rows at equal distances */
    uint32_t units_n;
    uint32_t at; /* offset in the box of the first row, before the swizzle */
    uint32_t before_B, after_B;
    int loops_n;
    uint64_t global_B; /* offset in the memory, modulo 2^64 */
    uint64_t index;    /* number of the first element, see tmap_index_fill */
    int64_t named[4];
    tmap_loop loops[TMAP_LOOPS_MAX];
} tmap_block;

/* Rows of `size` bytes. In memory they start at `row`, row_step apart; in the image at offset `at`, at_step apart.
 * Callers change `row` and `at` from block to block: compilers read at_step and size in one load, which would have
 * to wait for a recent write to one of them. */
typedef struct tmap_rows {
    uint8_t *row;
    ptrdiff_t row_step;
    uint32_t at_step, size, rows_n, at;
} tmap_rows;

typedef enum tmap_way {
    TMAP_WAY_PASSES,     /* one loop after the other, perhaps in passes over columns */
    TMAP_WAY_CONTAINERS, /* containers with gaps: emu/containers.h */
    TMAP_WAY_ROWS,       /* the rows of one loop, or of two whose inner rows are one row, by one function */
    TMAP_WAY_LOOPS       /* the rows of all loops, or named rows, by one function */
} tmap_way;

/* How the rows of a block are moved between memory and the image. */
typedef struct tmap_moves {
    tmap_rows rows;   /* of the innermost loop; without a swizzle, consecutive rows are one row. `row` is not set. */
    uint32_t granule; /* all at_step combined by OR: a power of two that divides this number divides each of them */
    uint32_t places;  /* granule, `at` and `size` combined by OR */
    bool in_lines;    /* there is no swizzle, or each row is inside one line */
    tmap_way way;
} tmap_moves;

/* Sets the moves of rows of `size` bytes each; plain: no swizzle. */
void tmap_moves_set(tmap_moves *moves, const tmap_block *block, uint32_t size, bool plain);

/*
 * The data of a tile inside the tensor; of gather4 and scatter4, named rows. `data` has before_B and after_B, and no
 * `index`. An im2col column has a tile if it is moved. In tmap_copy.reserved.
 */
typedef struct __attribute__((may_alias)) tmap_tile {
    tmap_block data;
    bool some;          /* part of the box is data */
    bool all;           /* the whole box is data in one block */
    bool moved;         /* the copy moves the rows of `data`, by `moves`, combines or rounds them; the rest is fill */
    uint8_t arithmetic; /* of any reduction: tmap_arithmetic */
    uint32_t data_B;    /* of a moved tile */
    /* Rows before first_row and from end_row on are fill; the others have data, perhaps with fill at their ends. Both
     * are rows_n if rows of fill are also elsewhere. */
    uint32_t first_row, end_row;
    tmap_moves moves;
} tmap_tile;

_Static_assert(sizeof(tmap_tile) <= sizeof((tmap_copy *)0)->reserved, "a copy has room for its tile");

static inline const tmap_tile *tmap_tile_of(const tmap_copy *copy) {
    return (const tmap_tile *)(const void *)copy->reserved;
}

/*
 * Whether rows may share bytes in the tensor. Such rows are written in the order of the box. Rows of a scatter4 with
 * falling addresses do not need this order: passes start at the first column, so a later pass of a row overlaps only
 * bytes of the next row that the same or a later pass writes.
 */
static inline bool tmap_rows_overlap(const tmap_block *block, uint64_t size) {
    for (int i = 0; i < block->loops_n; i++) {
        const tmap_loop *loop = &block->loops[i];
        if (loop->n > 1 && loop->global_step < size) return true;
        size += loop->global_step * (loop->n - 1);
    }
    return false;
}

/* The number of rows of all loops together. */
static inline uint64_t tmap_block_rows(const tmap_block *block) {
    uint64_t rows = 1;
    for (int i = 0; i < block->loops_n; i++) rows *= block->loops[i].n;
    return rows;
}

/* Computes the tile of a copy whose other members are set, or of an im2col column in one image row. */
void tmap_settle_tile(tmap_copy *copy);

/* Writes `data` of a tile with `some`; indices: with `index` and index_step. */
void tmap_tile_block(const tmap_copy *copy, bool indices, tmap_block *block);

/* Whether no step along a dimension of the box is outside. */
static inline bool tmap_tile_inside(const tmap_copy *copy, int dim) {
    return copy->inside_first[dim] == 0 && copy->inside_end[dim] == copy->counts[dim];
}

/* Of containers of packed values, in shared memory. */
static inline bool tmap_units_have_gaps(const tmap_unit *unit) {
    return unit->pitch_B != unit->shared_B;
}

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
static inline void tmap_block_place(const tmap_copy *copy, const int64_t at[TMAP_RANK_MAX], uint64_t origin_B,
                                    bool indices, tmap_block *block) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t elements = params->dims_el[0], index = (uint64_t)at[0],
             offset = (uint64_t)at[0] * copy->unit.value_bits / 8;
    int rank = (int)params->rank;
    for (int i = 1; i < rank; i++) offset += (uint64_t)at[i] * params->strides_B[i - 1];
    block->global_B = offset - origin_B;
    block->index = 0;
    if (!indices) return;
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
    block->fill = false;
    block->units_n = tmap_block_units(copy, n);
    block->at = row * copy->pitch_B + tmap_block_units(copy, first) * copy->unit.pitch_B;
    block->before_B = block->after_B = 0;
    block->named_rows = 0;
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
