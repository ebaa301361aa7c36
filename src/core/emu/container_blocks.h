/*
 * The body of a kernel of containers, once for each instruction set and size of containers that the including file
 * gives by
 *   TARGET    the function attribute
 *   BLOCK_B   bytes of a block in the image, 32 or 64
 *   WORDS     words of values in a container, 2 or 3
 *   NAME(x)   a name of its own
 *   BLOCK     the type of a block, also of an order of its words
 *   ORDER(bits)         the order that places container p ^ bits at p
 *   READ_VALUES(from)   the values of a block from memory; reads no byte after them
 *   PERMUTE(block, order)   the words in that order
 *   WRITE_VALUES(to, block)   all but the gaps, which keep their bytes
 * Bits of the mask below BLOCK_B order the containers of a block, and higher bits choose the block.
 */

#define HIGH(mask)     ((mask) & ~(uint32_t)(BLOCK_B - 1))
#define IN_BLOCK(mask) ((mask) % BLOCK_B / TMAP_CONTAINER_B)
#define VALUES_B(part) ((size_t)(part) / TMAP_CONTAINER_B * WORDS * WORD_B) /* values in `part` bytes of the image */

/* Writes one block of a row, `first` bytes after a line. */
TARGET static inline void NAME(put)(uint8_t *line, uint32_t first, const uint8_t *from, uint32_t high, BLOCK order) {
    WRITE_VALUES(line + (first ^ high), PERMUTE(READ_VALUES(from), order));
}

TARGET static inline void NAME(put_any_rows)(const tmap_image *image, const tmap_container_rows *rows) {
    const tmap_image here = *image;
    const uint8_t *row = rows->row;
    ptrdiff_t row_step = rows->row_step;
    uint32_t size = rows->units_n * TMAP_CONTAINER_B, at = rows->at, at_step = rows->at_step;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        for (uint32_t done = 0; done < size; done += BLOCK_B) {
            uint32_t mask = tmap_mask_in(here.masks, (at + done) / TMAP_LINE_B);
            NAME(put)(here.bytes, at + done, row + VALUES_B(done), HIGH(mask), ORDER(IN_BLOCK(mask)));
        }
    }
}

TARGET static inline void NAME(put_line)(uint8_t *line, const uint8_t *row, uint32_t high, BLOCK order) {
    for (uint32_t first = 0; first < TMAP_LINE_B; first += BLOCK_B)
        NAME(put)(line, first, row + VALUES_B(first), high, order);
}

#define PUT_LINE(k) NAME(put_line)(line + (size_t)(k)*TMAP_LINE_B, row + (k)*step, high[k], order[k])

/* Rows that are one line each. TMAP_EACH_MASK keeps their orders in registers. */
TARGET static inline void NAME(put_lines)(const tmap_image *image, const tmap_container_rows *rows) {
    const uint8_t *row = rows->row;
    uint8_t *line = image->bytes + rows->at;
    uint64_t masks = tmap_masks_from(image, rows->at);
    ptrdiff_t step = rows->row_step;
    uint32_t high[TMAP_MASKS], left = rows->rows_n;
    BLOCK order[TMAP_MASKS];
    for (uint32_t k = 0; k < TMAP_MASKS; k++) {
        uint32_t mask = tmap_mask_in(masks, k);
        high[k] = HIGH(mask), order[k] = ORDER(IN_BLOCK(mask));
    }
    for (; left >= TMAP_MASKS; left -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(PUT_LINE);
    }
    for (uint32_t k = 0; k < left; k++, row += step, line += TMAP_LINE_B) NAME(put_line)(line, row, high[k], order[k]);
}

TARGET static void NAME(put_rows)(const tmap_image *image, const tmap_container_rows *rows) {
    bool lines =
        rows->units_n == TMAP_LINE_B / TMAP_CONTAINER_B && rows->at_step == TMAP_LINE_B && rows->at % TMAP_LINE_B == 0;
    if (lines && rows->rows_n >= TMAP_MASKS)
        NAME(put_lines)(image, rows);
    else
        NAME(put_any_rows)(image, rows);
}

#undef HIGH
#undef IN_BLOCK
#undef VALUES_B
#undef PUT_LINE
#undef WORDS
#undef NAME
#undef READ_VALUES
