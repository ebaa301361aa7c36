/* Rows of containers of packed values whose layouts in shared and in global memory differ. */
#pragma once

#include "emu/permute.h"
#include "tmap/unstable/walk.h"

/* The distance of containers of packed values in shared memory. */
#define TMAP_CONTAINER_B 16

/* Rows of containers, consecutive in memory and TMAP_CONTAINER_B apart in the image. `size` bytes of each container are
 * values, 8 or 12. */
typedef struct tmap_container_rows {
    const uint8_t *row;
    ptrdiff_t row_step;
    uint32_t at, at_step, size, units_n, rows_n;
} tmap_container_rows;

/* Puts rows of containers into the image. Their gaps keep their bytes. */
void tmap_containers_put(const tmap_image *image, const tmap_container_rows *rows);

/* As tmap_containers_put, by an instruction set, for rows of its blocks where the swizzle keeps containers whole.
 * Returns false and does nothing for other rows and on a machine without the instructions. */
bool tmap_containers_put_blocks(const tmap_image *image, const tmap_container_rows *rows, tmap_blocks blocks);
/* The same in portable C, for rows of whole lines. */
bool tmap_containers_put_lines(const tmap_image *image, const tmap_container_rows *rows);

/*
 * Packs `count` six-bit values, one in the low bits of each byte, into consecutive bits: PTX ISA 5.5.1.1.1, type
 * .b6p2x16. `count` is a multiple of 8. May write up to 8 bytes more. `to` may be before `from` in the same memory.
 */
void tmap_pack_sixes(uint8_t *to, const uint8_t *from, uint32_t count);

/* As tmap_pack_sixes, by an instruction set. Returns how many of the values it packed, from the first on, a multiple of
 * 8: none on a machine without the instructions. */
uint32_t tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count);
