/* Rows of containers of packed values that do not lie in shared memory as they do in global memory. */
#ifndef TMAP_EMU_UNITS_H
#define TMAP_EMU_UNITS_H

#include "emu/permute.h"
#include "tmap/unstable/walk.h"

static inline bool tmap_units_have_gaps(const tmap_unit *unit) {
    return unit->pitch_B != unit->shared_B;
}

/* The units of one row of a run as rows of their own, one behind the other in memory; `row` is left to the caller. */
tmap_rows tmap_units_of_row(const tmap_copy *copy, const tmap_run *run, uint32_t row);

/* Containers of packed values are this far apart in shared memory. */
#define TMAP_CONTAINER_B 16

/* Rows of containers, which lie one behind the other in memory and TMAP_CONTAINER_B apart in the image; `size` bytes
 * of each are values, 8 or 12. */
typedef struct tmap_container_rows {
    const uint8_t *row;
    uint64_t row_step;
    uint32_t at, at_step, size, units_n, rows_n;
} tmap_container_rows;

/*
 * Puts rows of containers into the image; their gaps are left alone. False, and nothing done, where a swizzle reaches
 * into a container, rows begin inside one, or no kernel takes rows of that length.
 */
bool tmap_containers_put(const tmap_image *image, const tmap_container_rows *rows);

/* The same by an instruction set, for rows of its blocks; false where the machine does not have it, too. */
bool tmap_containers_put_blocks(const tmap_image *image, const tmap_container_rows *rows, tmap_blocks blocks);

/* `count` values from one a byte (the low bits of it) to one behind the other: PTX ISA 5.5.1.1.1, type .b6p2x16. */
void tmap_pack_values(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t bits);

#endif
