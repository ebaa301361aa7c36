/*
 * Kernels of swizzled rows, once for each width of vectors and instruction set that the including file gives by
 *   TARGET    the function attribute
 *   BLOCK_B   bytes of a block: 16, 32 or 64
 *   NAME(x)   a name of its own
 *   BLOCK     the type of a block
 *   READ(from), WRITE(to, block)   a block from and to memory, aligned or not
 *   ORDER(mask)                    the order of the pieces for the bits of `mask` below BLOCK_B
 *   PERMUTE(block, order)          the pieces in that order
 *   READ_DATA(from, data, fill)    a block: the bytes that `data` selects from memory, fill in its other bytes
 * and optionally
 *   ORDER_TYPE                     the type of an order, BLOCK if not given
 *   EXCHANGE(block, mask)          PERMUTE for a constant mask that exchanges whole units
 *   DATA, BETWEEN(first, end)      the type of `data`, and the data that has bytes first to end - 1, both at any place;
 *                                  if not given, a block with 0xff in these bytes
 *   WIDEST                         also the functions of plain_rows.h
 * Bits of the mask below BLOCK_B permute inside a block, and higher bits choose the block. So one kernel serves every
 * swizzle. Sizes, directions and edges are constants of each function, so that they cost nothing in the loops.
 */

#define HIGH(mask) ((mask) & ~(uint32_t)(BLOCK_B - 1))
#define INLINE     TARGET TMAP_ALWAYS_INLINE
#ifndef ORDER_TYPE
#define ORDER_TYPE BLOCK
#endif
#ifndef BETWEEN
#define DATA                BLOCK
#define BETWEEN(first, end) NAME(between)(first, end)

/* 0xff from byte `first` on. */
INLINE BLOCK NAME(from)(int first) {
    return READ(tmap_zeros_ff_zeros + 64 - (first < 0 ? 0 : first > BLOCK_B ? BLOCK_B : first));
}

INLINE BLOCK NAME(between)(int first, int end) {
    return READ_DATA(tmap_zeros_ff_zeros, NAME(from)(end), NAME(from)(first));
}
#endif

/* For rows with fill at their ends: the bytes of each block that are data, and the fill. */
typedef struct NAME(edges) {
    DATA data[TMAP_LINE_B / BLOCK_B];
    BLOCK fill;
} NAME(edges);

/* Moves a row that is at byte `first` of a line. */
INLINE void NAME(move)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, ORDER_TYPE order,
                       const NAME(edges) * edges, bool put) {
    for (uint32_t i = 0; i < size / BLOCK_B; i++) {
        uint8_t *swizzled = line + ((first + i * BLOCK_B) ^ HIGH(mask)), *plain = row + (size_t)i * BLOCK_B;
        if (!put)
            WRITE(plain, PERMUTE(READ(swizzled), order));
        else if (edges)
            WRITE(swizzled, PERMUTE(READ_DATA(plain, edges->data[i], edges->fill), order));
        else
            WRITE(swizzled, PERMUTE(READ(plain), order));
    }
}

#ifdef EXCHANGE

/* As move, for a constant mask. Reads the row before it writes, so that adjacent reads and writes can be joined. */
INLINE void NAME(move_known)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    BLOCK blocks[TMAP_LINE_B / BLOCK_B];
#pragma GCC unroll 8
    for (uint32_t at = 0, i = 0; at < size; at += BLOCK_B, i++)
        blocks[i] = EXCHANGE(READ(put ? row + at : line + ((first + at) ^ HIGH(mask))), mask);
#pragma GCC unroll 8
    for (uint32_t at = 0, i = 0; at < size; at += BLOCK_B, i++)
        WRITE(put ? line + ((first + at) ^ HIGH(mask)) : row + at, blocks[i]);
}

/* The sizes of rows that have code for eight lines at once. */
#define IS_USUAL(size) ((size) == BLOCK_B || (BLOCK_B > TMAP_UNIT_B && (size) % 64 == 0))
#define KNOWN(k)       NAME(move_known)(line + (size_t)(k)*TMAP_LINE_B, first, row + (k)*step, size, (k)*16, put)

#endif

/* Rows at the same place of slots of at_step bytes, 1, 2, 4 or 8 in a line. */
INLINE void NAME(slots)(const tmap_image *image, const tmap_rows *rows, uint32_t at_step, uint32_t size,
                        const NAME(edges) * edges, bool put) {
    const uint32_t all = TMAP_LINE_B / at_step;
    uint8_t *row = rows->row;
    ptrdiff_t step = rows->row_step;
    uint32_t left = rows->rows_n, at = rows->at, first = size < at_step ? at % at_step : 0,
             slot = at % TMAP_LINE_B / at_step, n;
    uint8_t *line = image->bytes + (at - at % TMAP_LINE_B);
    uint64_t masks = tmap_masks_from(image, at);
    for (; left > 0; left -= n, slot = 0, line += TMAP_LINE_B, masks = tmap_next_mask(masks)) {
#ifdef EXCHANGE
        if (all == 1 && IS_USUAL(size) && !edges && masks == TMAP_MASKS_128B && left >= TMAP_MASKS) {
            for (; left >= TMAP_MASKS;
                 left -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
                TMAP_EACH_MASK(KNOWN);
            }
            if (left == 0) return;
        }
#endif
        uint32_t mask = masks & 0xff;
        ORDER_TYPE order = ORDER(mask);
        n = all - slot < left ? all - slot : left;
        if (n == all)
#pragma GCC unroll 8
            for (uint32_t i = 0; i < all; i++, row += step)
                NAME(move)(line, first + i * at_step, row, size, mask, order, edges, put);
        else
            for (uint32_t i = slot; i < slot + n; i++, row += step)
                NAME(move)(line, first + i * at_step, row, size, mask, order, edges, put);
    }
}

/* Rows of whole blocks at any place. Copies the loop's values to variables: through the pointers, the compiler must
 * assume that byte stores change them. */
TARGET static inline void NAME(any_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *bytes = image->bytes;
    uint64_t masks = image->masks;
    ptrdiff_t row_step = rows->row_step;
    uint32_t at = rows->at, at_step = rows->at_step, size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        for (uint32_t done = 0, part; done < size; done += part) {
            uint32_t offset = at + done, mask = tmap_mask_in(masks, offset / TMAP_LINE_B);
            uint32_t to_line = TMAP_LINE_B - offset % TMAP_LINE_B;
            part = to_line < size - done ? to_line : size - done;
            if (part == TMAP_LINE_B)
                NAME(move)(bytes, offset, row + done, TMAP_LINE_B, mask, ORDER(mask), NULL, put);
            else
                NAME(move)(bytes, offset, row + done, part, mask, ORDER(mask), NULL, put);
        }
    }
}

#define SHAPE(at_step, size) ((at_step) << 8 | (size))
#define SLOTS(at_step, size)                                                                                           \
    case SHAPE(at_step, size):                                                                                         \
        if ((size) % BLOCK_B != 0 || at % (at_step) + (size) > (at_step)) break;                                       \
        NAME(slots)(image, rows, at_step, size, NULL, put);                                                            \
        return

INLINE void NAME(swizzled_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint32_t at = rows->at;
    switch (rows->size <= TMAP_LINE_B ? SHAPE(rows->at_step, rows->size) : 0) {
        SLOTS(128, 128);
        SLOTS(128, 112);
        SLOTS(128, 96);
        SLOTS(128, 80);
        SLOTS(128, 64);
        SLOTS(128, 48);
        SLOTS(128, 32);
        SLOTS(128, 16);
        SLOTS(64, 64);
        SLOTS(64, 48);
        SLOTS(64, 32);
        SLOTS(64, 16);
        SLOTS(32, 32);
        SLOTS(32, 16);
    default: break;
    }
    NAME(any_rows)(image, rows, put);
}

TARGET static void NAME(swizzled_get)(const tmap_image *image, const tmap_rows *rows) {
    NAME(swizzled_rows)(image, rows, false);
}

TARGET static void NAME(swizzled_put)(const tmap_image *image, const tmap_rows *rows) {
    NAME(swizzled_rows)(image, rows, true);
}

/* A row inside one line. */
INLINE void NAME(move_at)(const tmap_image *image, uint32_t at, uint8_t *row, uint32_t size, const NAME(edges) * edges,
                          bool put) {
    uint32_t mask = tmap_mask_in(image->masks, at / TMAP_LINE_B);
    NAME(move)(image->bytes, at, row, size, mask, ORDER(mask), edges, put);
}

/* Rows that start before_B bytes before the data. */
INLINE void NAME(named)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t before_B,
                        uint32_t size, const NAME(edges) * edges, bool put) {
    const tmap_image here = *image;
    uint32_t at = block->at - before_B, at_step = block->loops[0].at_step, rows = block->named_rows;
    uint64_t step = block->loops[0].global_step;
    for (int i = 0; i < 4; i++, at += at_step) {
        uint8_t *row = bytes + (ptrdiff_t)(block->global_B - before_B + (uint64_t)block->named[i] * step);
        if (rows >> i & 1) NAME(move_at)(&here, at, row, size, edges, put);
    }
}

/* Named rows, or the rows of all loops, one loop after the other. */
INLINE void NAME(loops)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size, bool put) {
    const tmap_image here = *image;
    const tmap_loop rows = block->loops[0];
    if (block->named_rows) {
        NAME(named)(image, bytes, block, 0, size, NULL, put);
        return;
    }
    tmap_place_of_rows place = tmap_first_place(block);
    do {
        uint8_t *row = bytes + place.global_B;
        uint32_t at = place.at;
        for (uint32_t left = rows.n; left > 0; left--, row += rows.global_step, at += rows.at_step)
            NAME(move_at)(&here, at, row, size, NULL, put);
    } while (tmap_next_place(block, &place));
}

TARGET static inline void NAME(loops_of)(const tmap_image *image, uint8_t *bytes, const tmap_block *block,
                                         uint32_t size, bool put) {
    if (size == BLOCK_B && image->masks == 0)
        NAME(loops)(&(const tmap_image){.bytes = image->bytes}, bytes, block, BLOCK_B, put);
    else if (size == BLOCK_B)
        NAME(loops)(image, bytes, block, BLOCK_B, put);
    else if (size == TMAP_LINE_B)
        NAME(loops)(image, bytes, block, TMAP_LINE_B, put);
    else
        NAME(loops)(image, bytes, block, size, put);
}

TARGET static void NAME(loops_get)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size) {
    NAME(loops_of)(image, bytes, block, size, false);
}

TARGET static void NAME(loops_put)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size) {
    NAME(loops_of)(image, bytes, block, size, true);
}

/* Rows of one place of a block, of `size` bytes, fill included, each inside one line. */
INLINE void NAME(edged_place)(const tmap_image *image, const tmap_rows *rows, const NAME(edges) * edges) {
    const tmap_image here = *image;
    uint8_t *row = rows->row;
    ptrdiff_t row_step = rows->row_step;
    uint32_t at = rows->at, at_step = rows->at_step, size = rows->size;
    if (at_step == size && rows->rows_n > 1) {
        NAME(slots)(&here, rows, size, size, edges, true);
        return;
    }
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step)
        NAME(move_at)(&here, at, row, size, edges, true);
}

INLINE void NAME(edged_rows)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size,
                             const NAME(edges) * edges) {
    const tmap_loop *loop = &block->loops[0];
    uint32_t before_B = block->before_B;
    if (block->named_rows) {
        NAME(named)(image, bytes, block, before_B, size, edges, true);
        return;
    }
    tmap_rows rows = {.row = bytes + (ptrdiff_t)(block->global_B - before_B),
                      .row_step = (ptrdiff_t)loop->global_step,
                      .at_step = loop->at_step,
                      .size = size,
                      .rows_n = loop->n,
                      .at = block->at - before_B};
    if (block->loops_n == 1) {
        NAME(edged_place)(image, &rows, edges);
        return;
    }
    tmap_place_of_rows place = tmap_first_place(block);
    do {
        rows.row = bytes + (ptrdiff_t)(place.global_B - before_B), rows.at = place.at - before_B;
        NAME(edged_place)(image, &rows, edges);
    } while (tmap_next_place(block, &place));
}

TARGET static BLOCK NAME(fill_block)(uint16_t pattern) {
    uint16_t fill[BLOCK_B / sizeof pattern];
    for (size_t i = 0; i < BLOCK_B / sizeof pattern; i++) fill[i] = pattern;
    return READ(fill);
}

/* Rows with fill: 16, 32, 64 or 128 bytes in all. */
TARGET static void NAME(edged_put)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, tmap_edges edges) {
    int first = (int)block->before_B, end = first + (int)edges.size, width = end + (int)block->after_B;
    NAME(edges) e;
    for (int i = 0; i < width / BLOCK_B; i++) e.data[i] = BETWEEN(first - i * BLOCK_B, end - i * BLOCK_B);
    e.fill = NAME(fill_block)(edges.pattern);
    switch (width) {
    case 16: NAME(edged_rows)(image, bytes, block, 16, &e); break;
    case 32: NAME(edged_rows)(image, bytes, block, 32, &e); break;
    case 64: NAME(edged_rows)(image, bytes, block, 64, &e); break;
    default: NAME(edged_rows)(image, bytes, block, TMAP_LINE_B, &e);
    }
}

#ifdef WIDEST
#include "emu/plain_rows.h"
#endif

#undef HIGH
#undef INLINE
#undef KNOWN
#undef IS_USUAL
#undef SHAPE
#undef SLOTS
#undef TARGET
#undef BLOCK_B
#undef NAME
#undef BLOCK
#undef ORDER_TYPE
#undef READ
#undef WRITE
#undef ORDER
#undef PERMUTE
#undef EXCHANGE
#undef DATA
#undef BETWEEN
#undef READ_DATA
#undef WIDEST
