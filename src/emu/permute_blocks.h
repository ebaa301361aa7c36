/*
 * The body of a block kernel, once for each instruction set that the including file gives by
 *   TARGET    the function attribute
 *   BLOCK_B   bytes of a block, a power of two of at most 128
 *   NAME(x)   a name of its own
 *   BLOCK     the type of a block, also of an order of its pieces
 *   READ(from), WRITE(to, block)   a block from and to memory, aligned or not
 *   ORDER(mask)                    the order that the bits of `mask` below BLOCK_B make of the pieces
 *   PERMUTE(block, order)          the pieces in that order
 * Bits of the mask below BLOCK_B permute inside a block, the ones above choose the block, so one kernel serves every
 * swizzle.
 */

#define HIGH(mask) ((mask) & ~(uint32_t)(BLOCK_B - 1))

/* One block of a row at byte `first` of its line. */
TARGET static inline void NAME(move)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t high, BLOCK order,
                                     bool put) {
    uint8_t *swizzled = line + (first ^ high);
    WRITE(put ? swizzled : row, PERMUTE(READ(put ? row : swizzled), order));
}

/* What the loop needs is in variables: behind the pointers, stores through bytes might have changed it. */
TARGET static inline void NAME(any_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *bytes = image->bytes;
    const uint8_t *masks = image->line_masks;
    uint64_t first_line = image->first_line, row_step = rows->row_step;
    uint32_t at = rows->at, at_step = rows->at_step, size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        for (uint32_t done = 0; done < size; done += BLOCK_B) {
            uint32_t offset = at + done, first = offset % TMAP_LINE_B;
            uint32_t mask = masks[(first_line + offset / TMAP_LINE_B) % TMAP_MASKS];
            NAME(move)(bytes + (offset - first), first, row + done, HIGH(mask), ORDER(mask), put);
        }
    }
}

TARGET static inline void NAME(line)(uint8_t *line, uint8_t *row, uint32_t high, BLOCK order, bool put) {
    for (uint32_t first = 0; first < TMAP_LINE_B; first += BLOCK_B)
        NAME(move)(line, first, row + first, high, order, put);
}

#define MOVE_LINE(k) NAME(line)(line + (size_t)(k)*TMAP_LINE_B, row + (k)*step, high[k], order[k], put)

/*
 * Rows that are one line each: the usual box of a 128-byte swizzle. The orders of eight lines stay in registers: a
 * table in memory has to wait for stores whose addresses end in the same twelve bits (64 rows of 128 B with AVX-512: 42
 * ns; from a table 52, and 107 where it lies badly).
 */
TARGET static inline void NAME(line_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t number = image->first_line + rows->at / TMAP_LINE_B, step = rows->row_step;
    uint32_t high[TMAP_MASKS], left = rows->rows_n;
    BLOCK order[TMAP_MASKS];
    for (uint32_t k = 0; k < TMAP_MASKS; k++) {
        uint32_t mask = image->line_masks[(number + k) % TMAP_MASKS];
        high[k] = HIGH(mask), order[k] = ORDER(mask);
    }
    for (; left >= TMAP_MASKS; left -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        MOVE_LINE(0);
        MOVE_LINE(1);
        MOVE_LINE(2);
        MOVE_LINE(3);
        MOVE_LINE(4);
        MOVE_LINE(5);
        MOVE_LINE(6);
        MOVE_LINE(7);
    }
    for (uint32_t k = 0; k < left; k++, row += step, line += TMAP_LINE_B) NAME(line)(line, row, high[k], order[k], put);
}

/* Without a swizzle nothing is permuted. `size` is a constant for the usual row (64 rows of 128 B: 32 ns; with a size
 * that is not known 49, with orders that change nothing 42). */
TARGET static inline void NAME(copy_rows)(const tmap_image *image, const tmap_rows *rows, uint32_t size, bool put) {
    uint8_t *row = rows->row, *swizzled = image->bytes + rows->at;
    uint64_t row_step = rows->row_step;
    uint32_t at_step = rows->at_step;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, swizzled += at_step) {
        const uint8_t *from = put ? row : swizzled;
        uint8_t *to = put ? swizzled : row;
        for (uint32_t done = 0; done < size; done += BLOCK_B) WRITE(to + done, READ(from + done));
    }
}

TARGET static inline void NAME(plain_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    if (rows->size == TMAP_LINE_B)
        NAME(copy_rows)(image, rows, TMAP_LINE_B, put);
    else
        NAME(copy_rows)(image, rows, rows->size, put);
}

/* `put` is a constant in each call, so that it costs nothing in the loops. */
TARGET static void NAME(rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    bool lines = rows->size == TMAP_LINE_B && rows->at_step == TMAP_LINE_B && rows->at % TMAP_LINE_B == 0 &&
                 rows->rows_n >= TMAP_MASKS;
    if (is_plain(image))
        put ? NAME(plain_rows)(image, rows, true) : NAME(plain_rows)(image, rows, false);
    else if (lines)
        put ? NAME(line_rows)(image, rows, true) : NAME(line_rows)(image, rows, false);
    else
        put ? NAME(any_rows)(image, rows, true) : NAME(any_rows)(image, rows, false);
}

#undef HIGH
#undef MOVE_LINE
#undef TARGET
#undef BLOCK_B
#undef NAME
#undef BLOCK
#undef READ
#undef WRITE
#undef ORDER
#undef PERMUTE
