/*
 * The part of row_loops.h that only the widest vectors of an instruction set need: rows without a swizzle, fill.
 */

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

TARGET static void NAME(plain_get)(const tmap_image *image, const tmap_rows *rows) {
    NAME(plain_rows)(image, rows, false);
}

TARGET static void NAME(plain_put)(const tmap_image *image, const tmap_rows *rows) {
    NAME(plain_rows)(image, rows, true);
}

TARGET static void NAME(fill)(uint8_t *to, size_t size, uint16_t pattern) {
    uint16_t patterns[BLOCK_B / sizeof pattern];
    for (size_t i = 0; i < BLOCK_B / sizeof pattern; i++) patterns[i] = pattern;
    BLOCK block = READ(patterns);
    for (; size >= BLOCK_B; size -= BLOCK_B, to += BLOCK_B) WRITE(to, block);
    for (; size >= 16; size -= 16, to += 16) memcpy(to, patterns, 16);
    memcpy(to, patterns, size);
}
