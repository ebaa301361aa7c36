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
    BLOCK block = NAME(fill_block)(pattern);
    uint8_t part[BLOCK_B];
    for (; size >= BLOCK_B; size -= BLOCK_B, to += BLOCK_B) WRITE(to, block);
    WRITE(part, block);
    for (; size >= 16; size -= 16, to += 16) memcpy(to, part, 16);
    memcpy(to, part, size);
}

/* Rows of at least a block. Blocks of fill may reach into the data, which is written after them. The pattern is equal
 * at all even places of a row. */
INLINE void NAME(plain_edged_row)(uint8_t *to, const uint8_t *from, uint32_t before_B, uint32_t size, uint32_t width,
                                  BLOCK fill) {
    for (uint32_t at = 0; at < before_B; at += BLOCK_B) WRITE(to + (at < width - BLOCK_B ? at : width - BLOCK_B), fill);
    for (uint32_t done = 0; done < width - before_B - size; done += BLOCK_B)
        WRITE(to + (width > done + BLOCK_B ? width - done - BLOCK_B : 0), fill);
    NAME(copy_row)(to + before_B, from, size);
}

TARGET static void NAME(plain_edges)(const tmap_image *image, uint8_t *bytes, const tmap_block *block,
                                     tmap_edges edges) {
    const tmap_loop *loop = &block->loops[0];
    const BLOCK fill = NAME(fill_block)(edges.pattern);
    uint32_t before_B = block->before_B, size = edges.size, width = before_B + size + block->after_B;
    uint32_t rows_n = tmap_rows_at_place(block), named = block->named_rows, at_step = loop->at_step;
    ptrdiff_t row_step = (ptrdiff_t)loop->global_step;
    tmap_place_of_rows place = tmap_first_rows(block);
    do {
        const uint8_t *row = bytes + (ptrdiff_t)place.global_B;
        uint8_t *to = image->bytes + (place.at - before_B);
        for (uint32_t left = rows_n; left > 0; left--, row += row_step, to += at_step)
            NAME(plain_edged_row)(to, row, before_B, size, width, fill);
    } while (tmap_next_rows(block, named, &place));
}
