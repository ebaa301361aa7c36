/* hw: fields of the matrix descriptors of wgmma and tcgen05. An address or a distance has 18 bits, of which the field
 * omits the last 4; bits 0 to 13 of the descriptor are the field of its start address. The highest bits, from 62 on for
 * wgmma and from 61 on for tcgen05, are the code of the swizzle (PTX ISA 9.1, "Matrix descriptor format"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tmap/hw.h"

static inline uint64_t tmap_matrix_field(uint64_t value_B) {
    return (value_B & 0x3ffff) >> 4;
}

static inline uint32_t tmap_matrix_address(uint64_t descriptor) {
    return (uint32_t)(descriptor & 0x3fff) << 4;
}

static inline unsigned tmap_matrix_swizzle_bit(bool wgmma) {
    return wgmma ? 62 : 61;
}

/* -1: the descriptor has no code for the swizzle. */
static inline int tmap_matrix_code(const tmap_swizzle_info *swizzle, bool wgmma) {
    return wgmma ? swizzle->wgmma : swizzle->tcgen05;
}
