/* Containers of packed values. */
#include "emu/containers.h"

#include <string.h>

/* ---- A line of containers --------------------------------------------------------------------------------------- */

#define LINE_UNITS (TMAP_LINE_B / TMAP_CONTAINER_B)

/* In portable C. The sizes are constants, so that a container is one or two moves. */
static void put_line_of_8(uint8_t *line, size_t mask, const uint8_t *from) {
    for (size_t u = 0; u < LINE_UNITS; u++) memcpy(line + (u * TMAP_CONTAINER_B ^ mask), from + 8 * u, 8);
}

/* Writes sixteen bytes at once, including the gap's old bytes: one store per container instead of two. No bytes may be
 * read after the last container. */
typedef uint32_t container __attribute__((vector_size(TMAP_CONTAINER_B)));

static void put_line_of_12(uint8_t *line, size_t mask, const uint8_t *from) {
    const container values = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};
    uint8_t *last = line + ((size_t)(LINE_UNITS - 1) * TMAP_CONTAINER_B ^ mask);
#pragma GCC unroll 8
    for (size_t u = 0; u + 1 < LINE_UNITS; u++) {
        size_t at = u * TMAP_CONTAINER_B ^ mask;
        container read, kept;
        memcpy(&read, from + 12 * u, sizeof read);
        memcpy(&kept, line + at, sizeof kept);
        kept ^= (kept ^ read) & values;
        memcpy(line + at, &kept, sizeof kept);
    }
    memcpy(last, from + (size_t)12 * (LINE_UNITS - 1), 12);
}

static bool begin_on_containers(const tmap_image *image, const tmap_container_rows *rows) {
    const uint64_t inside = 0x0f0f0f0f0f0f0f0f; /* the bits of masks that are below TMAP_CONTAINER_B */
    return (rows->at | rows->at_step) % TMAP_CONTAINER_B == 0 && (image->masks & inside) == 0 &&
           (rows->size == 8 || rows->size == 12);
}

/* One container after the other, a row at a time. */
TMAP_APART static void put_containers(const tmap_image *image, const tmap_container_rows *rows) {
    for (uint32_t i = 0; i < rows->rows_n; i++)
        tmap_image_put(image, &(tmap_rows){.row = (uint8_t *)(uintptr_t)(rows->row + i * rows->row_step),
                                           .row_step = rows->size,
                                           .at = rows->at + i * rows->at_step,
                                           .at_step = TMAP_CONTAINER_B,
                                           .size = rows->size,
                                           .rows_n = rows->units_n});
}

bool tmap_containers_put_lines(const tmap_image *image, const tmap_container_rows *rows) {
    const tmap_image to_image = *image; /* copies, which the stores cannot change */
    const tmap_container_rows here = *rows;
    const uint8_t *from = here.row;
    uint64_t line = here.at / TMAP_LINE_B, step = here.at_step / TMAP_LINE_B;
    bool lines = (here.at | here.at_step) % TMAP_LINE_B == 0 && here.units_n == LINE_UNITS;
    if (!lines || !begin_on_containers(image, rows)) return false;
    for (uint32_t i = 0; i < here.rows_n; i++, line += step, from += here.row_step) {
        uint8_t *to = to_image.bytes + line * TMAP_LINE_B;
        uint32_t mask = tmap_mask_in(to_image.masks, line);
        if (here.size == 8)
            put_line_of_8(to, mask, from);
        else
            put_line_of_12(to, mask, from);
    }
    return true;
}

void tmap_containers_put(const tmap_image *image, const tmap_container_rows *rows) {
    bool whole = begin_on_containers(image, rows);
    for (int blocks = 0; whole && blocks < TMAP_BLOCKS_COUNT; blocks++)
        if (tmap_containers_put_blocks(image, rows, (tmap_blocks)blocks)) return;
    if (!tmap_containers_put_lines(image, rows)) put_containers(image, rows);
}

/* Packs eight values at once: neighbours are joined, then pairs, then fours. */
void tmap_pack_sixes(uint8_t *to, const uint8_t *from, uint32_t count) {
    uint32_t packed = tmap_pack_sixes_at_once(to, from, count);
    for (to += (size_t)packed / 4 * 3; packed < count; packed += 8, to += 6) {
        uint64_t word;
        memcpy(&word, from + packed, sizeof word);
        word = (word & 0x003f003f003f003f) | (word & 0x3f003f003f003f00) >> 2;
        word = (word & 0x00000fff00000fff) | (word & 0x0fff00000fff0000) >> 4;
        word = (word & 0x0000000000ffffff) | (word & 0x00ffffff00000000) >> 8;
        memcpy(to, &word, sizeof word);
    }
}
