/* hw: an address or a distance in a matrix descriptor: 18 bits, of which the field omits the last 4. Bits 0 to 13 of
 * the descriptor are the field of its start address (PTX ISA 9.1, "Matrix descriptor format"). */
#pragma once

#include <stdint.h>

static inline uint64_t tmap_matrix_field(uint64_t value_B) {
    return (value_B & 0x3ffff) >> 4;
}

static inline uint32_t tmap_matrix_address(uint64_t descriptor) {
    return (uint32_t)(descriptor & 0x3fff) << 4;
}
