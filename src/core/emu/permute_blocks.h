/*
 * The body of a block kernel, once for each instruction set that the including file gives by
 *   TARGET    the function attribute
 *   BLOCK_B   bytes of a block, a power of two of at most 128
 *   NAME(x)   a name of its own
 *   BLOCK     the type of a block
 *   ORDER_TYPE   the type of an order of its pieces; the same, if not given
 *   READ(from), WRITE(to, block)   a block from and to memory, aligned or not
 *   ORDER(mask)                    the order of the pieces for the bits of `mask` below BLOCK_B
 *   PERMUTE(block, order)          the pieces in that order
 *   EXCHANGE(block, mask)          optional: the same for a mask of whole units that is a constant
 * Bits of the mask below BLOCK_B permute inside a block, and higher bits choose the block. So one kernel serves every
 * swizzle.
 */

#ifndef ORDER_TYPE
#define ORDER_TYPE BLOCK
#endif
#define HIGH(mask) ((mask) & ~(uint32_t)(BLOCK_B - 1))

/* Moves one block of a row at byte `first` of its line. */
TARGET static inline void NAME(move)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t high, ORDER_TYPE order,
                                     bool put) {
    uint8_t *swizzled = line + (first ^ high);
    WRITE(put ? swizzled : row, PERMUTE(READ(put ? row : swizzled), order));
}

/* Copies the loop's values to variables: through the pointers, the compiler must assume that byte stores change them.
 * The masks are the bytes of one number: reads of a table in memory would wait for stores, see line_rows. */
TARGET static inline void NAME(any_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *bytes = image->bytes;
    uint64_t masks = tmap_masks_of(image), first_line = image->first_line;
    ptrdiff_t row_step = rows->row_step;
    uint32_t at = rows->at, at_step = rows->at_step, size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        for (uint32_t done = 0; done < size; done += BLOCK_B) {
            uint32_t offset = at + done, first = offset % TMAP_LINE_B;
            uint32_t mask = tmap_mask_in(masks, first_line + offset / TMAP_LINE_B);
            NAME(move)(bytes + (offset - first), first, row + done, HIGH(mask), ORDER(mask), put);
        }
    }
}

TARGET static inline void NAME(line)(uint8_t *line, uint8_t *row, uint32_t high, ORDER_TYPE order, bool put) {
    for (uint32_t first = 0; first < TMAP_LINE_B; first += BLOCK_B)
        NAME(move)(line, first, row + first, high, order, put);
}

#define MOVE_LINE(k) NAME(line)(line + (size_t)(k)*TMAP_LINE_B, row + (k)*step, high[k], order[k], put)

/* Fewer than eight rows that are one line each, such as those of gather4. */
TARGET TMAP_APART static void NAME(few_lines)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t masks = tmap_masks_of(image), number = image->first_line + rows->at / TMAP_LINE_B;
    ptrdiff_t step = rows->row_step;
    for (uint32_t left = rows->rows_n; left > 0; left--, number++, row += step, line += TMAP_LINE_B) {
        uint32_t mask = tmap_mask_in(masks, number);
        NAME(line)(line, row, HIGH(mask), ORDER(mask), put);
    }
}

/*
 * Rows that are one line each: the usual box of a 128-byte swizzle. The orders of eight lines stay in registers. Reads
 * of a table in memory would wait for stores whose addresses end in the same twelve bits (64 rows of 128 B with
 * AVX-512: 42 ns; from a table 52 ns, and 107 ns at an unlucky address).
 */
TARGET static inline void NAME(line_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t number = image->first_line + rows->at / TMAP_LINE_B;
    ptrdiff_t step = rows->row_step;
    uint32_t high[TMAP_MASKS], left = rows->rows_n;
    ORDER_TYPE order[TMAP_MASKS];
    for (uint32_t k = 0; k < TMAP_MASKS; k++) {
        uint32_t mask = image->line_masks[(number + k) % TMAP_MASKS];
        high[k] = HIGH(mask), order[k] = ORDER(mask);
    }
    for (; left >= TMAP_MASKS; left -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(MOVE_LINE);
    }
    for (uint32_t k = 0; k < left; k++, row += step, line += TMAP_LINE_B) NAME(line)(line, row, high[k], order[k], put);
}

#define NEXT_LINE(k) NAME(line)(line + (size_t)(k)*TMAP_LINE_B, tmap_next_row(&rows), high[k], order[k], put)

/* As line_rows, for the rows of all loops of a block; they follow one another in the image. */
TARGET static inline void NAME(block_rows)(const tmap_image *image, uint8_t *bytes, const tmap_block *block, bool put) {
    tmap_row_walk rows = tmap_first_row(block, bytes);
    uint8_t *line = image->bytes + block->at;
    uint64_t number = image->first_line + block->at / TMAP_LINE_B, left = tmap_block_rows(block);
    uint32_t high[TMAP_MASKS];
    ORDER_TYPE order[TMAP_MASKS];
    for (uint32_t k = 0; k < TMAP_MASKS; k++) {
        uint32_t mask = image->line_masks[(number + k) % TMAP_MASKS];
        high[k] = HIGH(mask), order[k] = ORDER(mask);
    }
    for (; left >= TMAP_MASKS; left -= TMAP_MASKS, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(NEXT_LINE);
    }
    for (uint32_t k = 0; k < left; k++) NEXT_LINE(k);
}

#ifdef EXCHANGE

#define MASKS_128B 0x7060504030201000 /* of the 128-byte swizzle, from line 0 on */

/* A line and its row of memory. Reads two blocks at a time, so that reads and writes of neighbours can be joined. */
TARGET static inline void NAME(known_line)(uint8_t *line, uint8_t *row, uint32_t mask, bool put) {
    for (uint32_t at = 0; at < TMAP_LINE_B; at += 2 * BLOCK_B) {
        uint8_t *first = line + (at ^ HIGH(mask)), *second = line + ((at + BLOCK_B) ^ HIGH(mask));
        uint8_t *row_first = row + at, *row_second = row + at + BLOCK_B;
        BLOCK a = READ(put ? row_first : first), b = READ(put ? row_second : second);
        WRITE(put ? first : row_first, EXCHANGE(a, mask));
        WRITE(put ? second : row_second, EXCHANGE(b, mask));
    }
}

#define KNOWN_LINE(k) NAME(known_line)(line + (size_t)(k)*TMAP_LINE_B, row + (k)*step, (k)*16, put)

/* Lines of the 128-byte swizzle from line 0 on, eight at a time. Returns false and does nothing for other lines. */
TARGET static inline bool NAME(known_lines)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t number = image->first_line + rows->at / TMAP_LINE_B;
    ptrdiff_t step = rows->row_step;
    uint32_t left = rows->rows_n;
    if (number % TMAP_MASKS != 0 || tmap_masks_of(image) != MASKS_128B) return false;
    for (; left >= TMAP_MASKS; left -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(KNOWN_LINE);
    }
    for (uint32_t k = 0; k < left; k++, row += step, line += TMAP_LINE_B)
        NAME(line)(line, row, HIGH(k * 16), ORDER(k * 16), put);
    return true;
}

#undef MASKS_128B
#undef KNOWN_LINE

#else

static inline bool NAME(known_lines)(const tmap_image *image, const tmap_rows *rows, bool put) {
    (void)image, (void)rows, (void)put;
    return false;
}

#endif

/* Copies less than a block: two pieces of 32 or 16 bytes that overlap, or one piece of each power of two. */
TARGET static inline void NAME(copy_part)(uint8_t *to, const uint8_t *from, uint32_t size) {
    if (size >= 32) {
        memcpy(to, from, 32);
        if (size > 32) memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        if (size > 16) memcpy(to + size - 16, from + size - 16, 16);
    } else {
        uint32_t done = 0;
        if (size & 8) memcpy(to, from, 8), done = 8;
        if (size & 4) memcpy(to + done, from + done, 4), done += 4;
        if (size & 2) memcpy(to + done, from + done, 2), done += 2;
        if (size & 1) to[done] = from[done];
    }
}

/* The rest of a row of at least one block is a block that overlaps the one before. */
TARGET static inline void NAME(copy_row)(uint8_t *to, const uint8_t *from, uint32_t size) {
    uint32_t done = 0;
    for (; size - done >= BLOCK_B; done += BLOCK_B) WRITE(to + done, READ(from + done));
    if (done == size) return;
    if (done > 0)
        WRITE(to + size - BLOCK_B, READ(from + size - BLOCK_B));
    else
        NAME(copy_part)(to, from, size);
}

/* Without a swizzle there is no permutation. `size` is a constant for usual rows (64 rows of 128 B: 32 ns; with a
 * variable size 49 ns; with orders that change nothing 42 ns). */
TARGET static inline void NAME(copy_rows)(const tmap_image *image, const tmap_rows *rows, uint32_t size, bool put) {
    uint8_t *row = rows->row, *swizzled = image->bytes + rows->at;
    ptrdiff_t row_step = rows->row_step;
    uint32_t at_step = rows->at_step;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, swizzled += at_step)
        NAME(copy_row)(put ? swizzled : row, put ? row : swizzled, size);
}

TARGET static inline void NAME(plain_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    switch (rows->size) {
    case 16: NAME(copy_rows)(image, rows, 16, put); break;
    case 32: NAME(copy_rows)(image, rows, 32, put); break;
    case 64: NAME(copy_rows)(image, rows, 64, put); break;
    case TMAP_LINE_B: NAME(copy_rows)(image, rows, TMAP_LINE_B, put); break;
    case 2 * TMAP_LINE_B: NAME(copy_rows)(image, rows, 2 * TMAP_LINE_B, put); break;
    case 4 * TMAP_LINE_B: NAME(copy_rows)(image, rows, 4 * TMAP_LINE_B, put); break;
    default: NAME(copy_rows)(image, rows, rows->size, put);
    }
}

TARGET static inline void NAME(swizzled_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    bool lines = rows->size == TMAP_LINE_B && rows->at_step == TMAP_LINE_B && rows->at % TMAP_LINE_B == 0;
    if (lines && rows->rows_n < TMAP_MASKS)
        NAME(few_lines)(image, rows, put);
    else if (lines && NAME(known_lines)(image, rows, put))
        return;
    else if (lines)
        NAME(line_rows)(image, rows, put);
    else
        NAME(any_rows)(image, rows, put);
}

/* The direction is a constant in each function, so it costs nothing in the loops. */
TARGET static void NAME(plain_get)(const tmap_image *image, const tmap_rows *rows) {
    NAME(plain_rows)(image, rows, false);
}

TARGET static void NAME(plain_put)(const tmap_image *image, const tmap_rows *rows) {
    NAME(plain_rows)(image, rows, true);
}

TARGET static void NAME(swizzled_get)(const tmap_image *image, const tmap_rows *rows) {
    NAME(swizzled_rows)(image, rows, false);
}

TARGET static void NAME(swizzled_put)(const tmap_image *image, const tmap_rows *rows) {
    NAME(swizzled_rows)(image, rows, true);
}

TARGET static void NAME(block_get)(const tmap_image *image, uint8_t *bytes, const tmap_block *block) {
    NAME(block_rows)(image, bytes, block, false);
}

TARGET static void NAME(block_put)(const tmap_image *image, uint8_t *bytes, const tmap_block *block) {
    NAME(block_rows)(image, bytes, block, true);
}

TARGET static void NAME(fill)(uint8_t *to, size_t size, uint16_t pattern) {
    uint16_t patterns[BLOCK_B / sizeof pattern];
    for (size_t i = 0; i < BLOCK_B / sizeof pattern; i++) patterns[i] = pattern;
    BLOCK block = READ(patterns);
    for (; size >= BLOCK_B; size -= BLOCK_B, to += BLOCK_B) WRITE(to, block);
    for (; size >= 16; size -= 16, to += 16) memcpy(to, patterns, 16);
    memcpy(to, patterns, size);
}

#undef HIGH
#undef MOVE_LINE
#undef NEXT_LINE
#undef TARGET
#undef NAME
#undef ORDER_TYPE
#undef ORDER
#undef PERMUTE
#undef EXCHANGE
