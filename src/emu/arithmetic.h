/* Reductions of rows of elements, by operation and number. */
#pragma once

#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#define TMAP_VECTOR_B_MAX 64

/* to[i] = to[i] op from[i] for the elements in `size` bytes, little-endian and at any address. */
typedef void tmap_reduce_row(uint8_t *to, const uint8_t *from, size_t size);

/* A function for every number that a row of reductions.def gives the operation. */
typedef struct tmap_reductions {
    tmap_reduce_row *round_tf32; /* of f32 operands; what was there is not used */
    tmap_reduce_row *rows[TMAP_OP_COUNT][TMAP_ARITHMETIC_F64 + 1];
} tmap_reductions;

/* Vectors of an instruction set; the machine's own floats in the vectors that every such machine has; floats in
 * integers. All but the last need tmap_float_begin. */
typedef enum tmap_vectors {
    TMAP_VECTORS_AVX512,
    TMAP_VECTORS_AVX2,
    TMAP_VECTORS_OF_MACHINE,
    TMAP_VECTORS_PORTABLE,
    TMAP_VECTORS_COUNT
} tmap_vectors;

/* NULL where the machine does not have them. */
const tmap_reductions *tmap_reductions_get(tmap_vectors vectors);
const tmap_reductions *tmap_reductions_native(tmap_vectors vectors);

/* Of the first vectors that the machine has. */
const tmap_reductions *tmap_reductions_best(void);
tmap_reduce_row *tmap_reduce_row_of(const tmap_reduction_info *reduction);

/* Sets the machine's floats to nearest even, subnormal numbers kept, no traps, until tmap_float_end; the answer is what
 * they were set to, and the flags that were up. */
uint64_t tmap_float_begin(void);
void tmap_float_end(uint64_t before);
