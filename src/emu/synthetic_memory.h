/* Rows of memory whose bytes are made as they are read. */
#ifndef TMAP_EMU_SYNTHETIC_MEMORY_H
#define TMAP_EMU_SYNTHETIC_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* The low `bits` bits of value, value + 1, … in `size` bytes, one behind the other; up to 16 bytes more may be written.
 */
void tmap_index_row(uint8_t *to, uint64_t value, unsigned bits, size_t size);

#endif
