/*
 * The body of a block kernel, once for each instruction set that the including file gives by
 *   TARGET    the function attribute
 *   BLOCK_B   bytes of a block, a power of two of at most 128
 *   NAME(x)   a name of its own
 *   MOVE_BLOCK(to, from, mask)   moves a block, its pieces permuted by the bits of `mask` below BLOCK_B
 * Bits of the mask below BLOCK_B permute inside a block, the ones above choose the block, so one kernel serves every
 * swizzle.
 */

TARGET static inline void NAME(move)(uint8_t *line, uint32_t first, uint8_t *row, uint32_t mask, bool put) {
    uint8_t *swizzled = line + (first ^ (mask & ~(uint32_t)(BLOCK_B - 1)));
    MOVE_BLOCK(put ? swizzled : row, put ? row : swizzled, mask % BLOCK_B);
}

TARGET static inline void NAME(any_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row;
    uint32_t at = rows->at;
    for (uint32_t i = 0; i < rows->rows_n; i++, row += rows->row_step, at += rows->at_step) {
        for (uint32_t done = 0; done < rows->size; done += BLOCK_B) {
            uint32_t offset = at + done, first = offset % LINE_B;
            uint32_t mask = image->line_masks[(image->first_line + offset / LINE_B) % 8];
            NAME(move)(image->bytes + (offset - first), first, row + done, mask, put);
        }
    }
}

/* Rows that are one line each: the usual box of a 128-byte swizzle. */
TARGET static inline void NAME(line_rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row, *line = image->bytes + rows->at;
    uint64_t number = image->first_line + rows->at / LINE_B;
    for (uint32_t i = 0; i < rows->rows_n; i++, row += rows->row_step, line += LINE_B, number++) {
        uint32_t mask = image->line_masks[number % 8];
        for (uint32_t first = 0; first < LINE_B; first += BLOCK_B) NAME(move)(line, first, row + first, mask, put);
    }
}

/* `put` is a constant in each call, so that it costs nothing in the loops. */
TARGET static void NAME(rows)(const tmap_image *image, const tmap_rows *rows, bool put) {
    bool lines = rows->size == LINE_B && rows->at_step == LINE_B && rows->at % LINE_B == 0;
    if (lines)
        put ? NAME(line_rows)(image, rows, true) : NAME(line_rows)(image, rows, false);
    else
        put ? NAME(any_rows)(image, rows, true) : NAME(any_rows)(image, rows, false);
}
