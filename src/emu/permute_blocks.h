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

/* Moves one block of a row at byte `first` of its line. */
TARGET static inline void NAME(move)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t high, BLOCK order,
                                     bool put) {
    uint8_t *swizzled = line + (first ^ high);
    WRITE(put ? swizzled : row, PERMUTE(READ(put ? row : swizzled), order));
}

/* Copies the loop's values to variables: through the pointers, the compiler must assume that byte stores change them.
 * The masks are the bytes of one number: a table in memory has to wait for stores, see below. */
TARGET static inline void NAME(any_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *bytes = image->bytes;
    uint64_t masks = 0;
    for (uint32_t k = 0; k < TMAP_MASKS; k++) masks |= (uint64_t)image->line_masks[k] << 8 * k;
    uint64_t first_line = image->first_line, row_step = rows->row_step;
    uint32_t at = rows->at, at_step = rows->at_step, size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        for (uint32_t done = 0; done < size; done += BLOCK_B) {
            uint32_t offset = at + done, first = offset % TMAP_LINE_B;
            uint32_t mask = (uint8_t)(masks >> (first_line + offset / TMAP_LINE_B) % TMAP_MASKS * 8);
            NAME(move)(bytes + (offset - first), first, row + done, HIGH(mask), ORDER(mask), put);
        }
    }
}

TARGET static inline void NAME(line)(uint8_t *line, uint8_t *row, uint32_t high, BLOCK order, bool put) {
    for (uint32_t first = 0; first < TMAP_LINE_B; first += BLOCK_B)
        NAME(move)(line, first, row + first, high, order, put);
}

/* Rows that are one line each: the usual box of a 128-byte swizzle. */
TARGET static inline void NAME(line_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t number = image->first_line + rows->at / TMAP_LINE_B, step = rows->row_step, masks = 0;
    for (uint32_t k = 0; k < TMAP_MASKS; k++) masks |= (uint64_t)image->line_masks[(number + k) % TMAP_MASKS] << 8 * k;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += step, line += TMAP_LINE_B) {
        uint32_t mask = (uint8_t)masks;
        masks = masks >> 8 | masks << 56;
        NAME(line)(line, row, HIGH(mask), ORDER(mask), put);
    }
}

/* Copies less than a block: two pieces of 32 or 16 bytes that overlap, or one piece of each power of two. */
TARGET static inline void NAME(copy_part)(uint8_t *to, const uint8_t *from, uint32_t size) {
    if (size >= 32) {
        memcpy(to, from, 32);
        memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        memcpy(to + size - 16, from + size - 16, 16);
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
    uint64_t row_step = rows->row_step;
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
    /* one comparison detects few rows: compilers load `at` and at_step together, which has to wait for their stores */
    bool lines = rows->rows_n >= TMAP_MASKS && rows->size == TMAP_LINE_B && rows->at_step == TMAP_LINE_B &&
                 rows->at % TMAP_LINE_B == 0;
    if (lines)
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

TARGET static void NAME(fill)(uint8_t *to, size_t size, uint16_t pattern) {
    uint16_t patterns[BLOCK_B / sizeof pattern];
    for (size_t i = 0; i < BLOCK_B / sizeof pattern; i++) patterns[i] = pattern;
    BLOCK block = READ(patterns);
    for (; size >= BLOCK_B; size -= BLOCK_B, to += BLOCK_B) WRITE(to, block);
    for (; size >= 16; size -= 16, to += 16) memcpy(to, patterns, 16);
    memcpy(to, patterns, size);
}

#undef HIGH
#undef TARGET
#undef NAME
#undef ORDER
#undef PERMUTE
