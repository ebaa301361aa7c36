/* Rows of containers of packed values that do not lie in shared memory as they do in global memory. */
#ifndef TMAP_EMU_UNITS_H
#define TMAP_EMU_UNITS_H

#include "emu/permute.h"
#include "tmap/walk.h"

static inline bool tmap_units_have_gaps(const tmap_unit *unit) {
    return unit->pitch_B != unit->shared_B;
}

/* The units of one row of a run as rows of their own, one behind the other in memory; `row` is left to the caller. */
tmap_rows tmap_units_of_row(const tmap_copy *copy, const tmap_run *run, uint32_t row);

/* Containers of packed values are this far apart in shared memory. */
#define TMAP_CONTAINER_B 16

/* Rows of containers: of the source, and of the image. */
typedef struct tmap_lines_of {
    uint64_t row_step;
    uint32_t at_step, n;
} tmap_lines_of;

/*
 * Puts rows of containers of which each fills a line of the image; their gaps are left alone. `first` is the first row.
 * False, and nothing done, where they do not fill lines, or a swizzle reaches into a container.
 */
bool tmap_units_put_lines(const tmap_image *image, const tmap_rows *first, const tmap_lines_of *rows);

/* `count` values from one a byte (the low bits of it) to one behind the other: PTX ISA 5.5.1.1.1, type .b6p2x16. */
void tmap_pack_values(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t bits);

#endif
