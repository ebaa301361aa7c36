/* Rows to and from swizzled lines. */
#include "emu/permute.h"

#include <stdbool.h>
#include <string.h>

#define LINE_B 128
#define UNIT_B 16

/* Direction is a constant where these are called, so each call compiles to one of the two moves. */
static inline void move(uint8_t *line, uint8_t *row, size_t size, bool put) {
    memcpy(put ? line : row, put ? row : line, size);
}

/* A part of a line of whole 16-byte units that the mask keeps whole. */
static inline void move_units(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    for (uint32_t i = 0; i < size; i += UNIT_B) move(line + ((first + i) ^ mask), row + i, UNIT_B, put);
}

/* Any part: in pieces that end where a bit of the mask may change. */
static void move_pieces(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
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
    else if (mask % UNIT_B == 0 && first % UNIT_B == 0 && size == LINE_B)
        move_units(line, 0, row, LINE_B, mask, put);
    else if (mask % UNIT_B == 0 && first % UNIT_B == 0 && size % UNIT_B == 0)
        move_units(line, first, row, size, mask, put);
    else
        move_pieces(line, first, row, size, mask, put);
}

static inline void move_row(const tmap_image *image, uint32_t at, uint8_t *row, size_t size, bool put) {
    while (size > 0) {
        uint32_t first = at % LINE_B;
        uint32_t part = LINE_B - first < size ? LINE_B - first : (uint32_t)size;
        uint32_t mask = image->line_masks[(image->first_line + at / LINE_B) % 8];
        move_in_line(image->bytes + (at - first), first, row, part, mask, put);
        at += part;
        row += part;
        size -= part;
    }
}

void tmap_image_put(const tmap_image *image, uint32_t at, const uint8_t *row, size_t size) {
    move_row(image, at, (uint8_t *)(uintptr_t)row, size, true);
}

void tmap_image_get(const tmap_image *image, uint32_t at, uint8_t *row, size_t size) {
    move_row(image, at, row, size, false);
}
