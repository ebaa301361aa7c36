/* Reductions of rows of elements, by operation and number. */
#ifndef TMAP_EMU_ARITHMETIC_H
#define TMAP_EMU_ARITHMETIC_H

#include "tmap/hw.h"

/* to[i] = to[i] op from[i] for `count` elements, little-endian and at any address. */
typedef void tmap_reduce_row(uint8_t *to, const uint8_t *from, size_t count);

tmap_reduce_row *tmap_reduce_row_of(const tmap_reduction_info *reduction);

#endif
