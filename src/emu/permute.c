/* Rows to and from swizzled lines, in portable C. */
#include "emu/permute.h"

#include <string.h>

#define UNIT_B 16

/* `put` is a constant where these are called, so each becomes one of the two moves. */
static inline void move(uint8_t *line, uint8_t *row, size_t size, bool put) {
    memcpy(put ? line : row, put ? row : line, size);
}

/* Whole 16-byte units, which the mask keeps whole. */
static inline void move_units(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    for (uint32_t i = 0; i < size; i += UNIT_B) move(line + ((first + i) ^ mask), row + i, UNIT_B, put);
}

/* Anything: in pieces that end where a bit of the mask may change. */
static inline void move_pieces(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    uint32_t atom = mask & -mask;
    for (uint32_t i = first, end = first + size; i < end;) {
        uint32_t to_border = atom - i % atom, piece = to_border < end - i ? to_border : end - i;
        move(line + (i ^ mask), row + (i - first), piece, put);
        i += piece;
    }
}

static inline void move_in_line(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    if (mask == 0)
        move(line + first, row, size, put);
    else if ((mask | first | size) % UNIT_B == 0)
        move_units(line, first, row, size, mask, put);
    else
        move_pieces(line, first, row, size, mask, put);
}

static inline void move_row(const tmap_image *image, uint32_t at, uint8_t *row, uint32_t size, bool put) {
    while (size > 0) {
        uint32_t first = at % TMAP_LINE_B, part = TMAP_LINE_B - first < size ? TMAP_LINE_B - first : size;
        uint32_t mask = image->line_masks[(image->first_line + at / TMAP_LINE_B) % TMAP_MASKS];
        move_in_line(image->bytes + (at - first), first, row, part, mask, put);
        at += part;
        row += part;
        size -= part;
    }
}

static inline void move_rows(const tmap_image *image, const tmap_rows *rows, bool put) {
    for (int blocks = 0; blocks < TMAP_BLOCKS_COUNT; blocks++)
        if (tmap_image_move_blocks(image, rows, (tmap_blocks)blocks, put)) return;
    for (uint32_t i = 0; i < rows->rows_n; i++)
        move_row(image, rows->at + i * rows->at_step, rows->row + i * rows->row_step, rows->size, put);
}

void tmap_image_put(const tmap_image *image, const tmap_rows *rows) {
    move_rows(image, rows, true);
}

void tmap_image_get(const tmap_image *image, const tmap_rows *rows) {
    move_rows(image, rows, false);
}

/* Neighbouring bytes, by one memset or in pieces that double. */
static void fill_plain(uint8_t *to, size_t size, uint16_t pattern) {
    if (pattern >> 8 == (pattern & 0xff)) {
        memset(to, pattern & 0xff, size);
        return;
    }
    size_t done = size < sizeof pattern ? size : sizeof pattern;
    memcpy(to, &pattern, done);
    for (; done < size; done += done < size - done ? done : size - done)
        memcpy(to + done, to, done < size - done ? done : size - done);
}

/* Whole lines are filled as they lie, since a swizzle changes nothing in them; parts of lines by pieces. */
static void fill_row(const tmap_image *image, uint32_t at, uint32_t size, uint16_t pattern) {
    uint8_t line_of_fill[TMAP_LINE_B];
    while (size > 0) {
        uint32_t first = at % TMAP_LINE_B, to_border = TMAP_LINE_B - first < size ? TMAP_LINE_B - first : size;
        bool swizzled =
            image->line_masks[(image->first_line + at / TMAP_LINE_B) % TMAP_MASKS] != 0 && to_border < TMAP_LINE_B;
        uint32_t part = to_border < TMAP_LINE_B ? to_border : size - size % TMAP_LINE_B;
        if (swizzled) {
            fill_plain(line_of_fill, part, pattern);
            move_row(image, at, line_of_fill, part, true);
        } else {
            fill_plain(image->bytes + at, part, pattern);
        }
        at += part;
        size -= part;
    }
}

void tmap_image_fill(const tmap_image *image, const tmap_rows *rows, uint16_t pattern) {
    bool adjoining = rows->at_step == rows->size;
    uint32_t size = adjoining ? rows->size * rows->rows_n : rows->size;
    for (uint32_t i = 0; i < (adjoining ? 1 : rows->rows_n); i++)
        fill_row(image, rows->at + i * rows->at_step, size, pattern);
}
