/* Rows of containers of packed values that do not lie in shared memory as they do in global memory. */
#pragma once

#include "emu/permute.h"
#include "tmap/unstable/walk.h"

static inline bool tmap_units_have_gaps(const tmap_unit *unit) {
    return unit->pitch_B != unit->shared_B;
}

/* Containers of packed values are this far apart in shared memory. */
#define TMAP_CONTAINER_B 16

/* Rows of containers, which lie one behind the other in memory and TMAP_CONTAINER_B apart in the image; `size` bytes
 * of each are values, 8 or 12. */
typedef struct tmap_container_rows {
    const uint8_t *row;
    uint64_t row_step;
    uint32_t at, at_step, size, units_n, rows_n;
} tmap_container_rows;

/* Puts rows of containers into the image; their gaps are left alone. */
void tmap_containers_put(const tmap_image *image, const tmap_container_rows *rows);

/* The same by an instruction set, for rows of its blocks where the swizzle keeps containers whole; false, and nothing
 * done, where that does not apply or the machine does not have it. */
bool tmap_containers_put_blocks(const tmap_image *image, const tmap_container_rows *rows, tmap_blocks blocks);

/* `count` six-bit values from one a byte (the low bits of it) to one behind the other: PTX ISA 5.5.1.1.1, type
 * .b6p2x16. `count` is a multiple of 8; up to 8 bytes more may be written, and `to` may be
 * before `from` in the same memory. */
void tmap_pack_sixes(uint8_t *to, const uint8_t *from, uint32_t count);

/* The same by an instruction set; false, and nothing done, where the machine does not have it. */
bool tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count);
