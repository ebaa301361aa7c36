/* Rows of memory whose bytes are generated on reading. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TMAP_RANDOM_BITS 0

/* Adjacent rows of `size` bytes. A row holds the low `bits` bits of value, value + 1, ..., where the value of each row
 * is `step` higher than that of the row before. If `bits` is TMAP_RANDOM_BITS, a row holds the 64-bit words with these
 * numbers of a random fill with seed 0. */
typedef struct tmap_index_rows {
    uint64_t step;
    unsigned bits;
    uint32_t rows_n;
    size_t size;
} tmap_index_rows;

/* Writes the rows, the first from `value` on. May write up to 64 bytes more. */
void tmap_index_write(uint8_t *to, uint64_t value, const tmap_index_rows *rows);

/* As tmap_index_write, by an instruction set, for rows that start at whole bytes. Returns false and does nothing for
 * other rows and on a machine without the instructions. */
bool tmap_index_write_at_once(uint8_t *to, uint64_t value, const tmap_index_rows *rows);
