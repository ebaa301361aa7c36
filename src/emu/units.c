/* Containers of packed values. */
#include "emu/units.h"

#include <string.h>

tmap_rows tmap_units_of_row(const tmap_copy *copy, const tmap_run *run, uint32_t row) {
    return (tmap_rows){.row_step = copy->unit.shared_B,
                       .at = run->box_B + row * run->box_step_B,
                       .at_step = copy->unit.pitch_B,
                       .size = copy->unit.shared_B,
                       .rows_n = run->units_n};
}

/* ---- A line of containers --------------------------------------------------------------------------------------- */

#define LINE_UNITS (TMAP_LINE_B / TMAP_CONTAINER_B)

/* In portable C; the sizes are constants, so that a container is one or two moves. */
static void put_line_of_8(uint8_t *line, uint32_t mask, const uint8_t *from) {
    for (uint32_t u = 0; u < LINE_UNITS; u++) memcpy(line + (u * TMAP_CONTAINER_B ^ mask), from + (size_t)8 * u, 8);
}

/* Sixteen bytes at once, the gap's own among them: one store a container instead of two. The last container has nothing
 * behind it that may be read. */
typedef uint32_t container __attribute__((vector_size(TMAP_CONTAINER_B)));

static void put_line_of_12(uint8_t *line, uint32_t mask, const uint8_t *from) {
    const container values = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};
    uint8_t *last = line + ((LINE_UNITS - 1) * TMAP_CONTAINER_B ^ mask);
    for (uint32_t u = 0; u + 1 < LINE_UNITS; u++) {
        uint8_t *to = line + (u * TMAP_CONTAINER_B ^ mask);
        container read, kept;
        memcpy(&read, from + (size_t)12 * u, sizeof read);
        memcpy(&kept, to, sizeof kept);
        kept = (read & values) | (kept & ~values);
        memcpy(to, &kept, sizeof kept);
    }
    memcpy(last, from + (size_t)12 * (LINE_UNITS - 1), 12);
}

static void put_lines(const tmap_image *image, const tmap_container_rows *rows) {
    const uint8_t *from = rows->row;
    uint64_t line = rows->at / TMAP_LINE_B, step = rows->at_step / TMAP_LINE_B;
    for (uint32_t i = 0; i < rows->rows_n; i++, line += step, from += rows->row_step) {
        uint8_t *to = image->bytes + line * TMAP_LINE_B;
        uint32_t mask = image->line_masks[(image->first_line + line) % TMAP_MASKS];
        if (rows->size == 8)
            put_line_of_8(to, mask, from);
        else
            put_line_of_12(to, mask, from);
    }
}

static bool begin_on_containers(const tmap_image *image, const tmap_container_rows *rows) {
    uint32_t granule = rows->at | rows->at_step;
    for (int line = 0; line < TMAP_MASKS; line++) granule |= image->line_masks[line];
    return granule % TMAP_CONTAINER_B == 0 && (rows->size == 8 || rows->size == 12);
}

bool tmap_containers_put(const tmap_image *image, const tmap_container_rows *rows) {
    if (!begin_on_containers(image, rows)) return false;
    for (int blocks = 0; blocks < TMAP_BLOCKS_COUNT; blocks++)
        if (tmap_containers_put_blocks(image, rows, (tmap_blocks)blocks)) return true;
    bool lines = (rows->at | rows->at_step) % TMAP_LINE_B == 0 && rows->units_n == LINE_UNITS;
    if (lines) put_lines(image, rows);
    return lines;
}

void tmap_pack_values(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t bits) {
    memset(to, 0, (size_t)count * bits / 8);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i * bits, value = (from[i] & ((1u << bits) - 1)) << at % 8;
        to[at / 8] |= (uint8_t)value;
        if (value >> 8) to[at / 8 + 1] |= (uint8_t)(value >> 8);
    }
}
