/* Reductions of rows of elements, by operation and number type. */
#pragma once

#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#define TMAP_VECTOR_B_MIN 16 /* the shortest vectors of all machines */

/* Rows of `size` bytes of elements and of operands, in their order, to_step and from_step apart. All are little-endian
 * and at any address. */
typedef struct tmap_reduced {
    uint8_t *to;
    const uint8_t *from;
    ptrdiff_t to_step, from_step;
    size_t size;
    uint32_t rows_n;
    /* of operands that are consecutive swizzled lines, the mask of the first in the lowest byte; 0: no swizzle */
    uint64_t masks;
} tmap_reduced;

/* to[i] = to[i] op from[i] for the elements of all rows. */
typedef void tmap_reduce(const tmap_reduced *rows);

/* One function for every number type that a row of reductions.def has for the operation. */
typedef struct tmap_reductions {
    uint64_t lines;          /* the bits that tmap_reduced.masks may have, for rows of one line each */
    tmap_reduce *round_tf32; /* of f32 operands; ignores the old contents */
    tmap_reduce *functions[TMAP_OP_COUNT][TMAP_ARITHMETIC_F64 + 1];
} tmap_reductions;

/* OF_MACHINE: the machine's own floats, in the vectors that every x86-64 or every aarch64 machine has. PORTABLE: floats
 * in integer arithmetic. All but PORTABLE require tmap_float_begin. */
typedef enum tmap_vectors {
    TMAP_VECTORS_AVX512,
    TMAP_VECTORS_AVX2,
    TMAP_VECTORS_OF_MACHINE,
    TMAP_VECTORS_PORTABLE,
    TMAP_VECTORS_COUNT
} tmap_vectors;

/* NULL on a machine without these vectors. */
const tmap_reductions *tmap_reductions_get(tmap_vectors vectors);
const tmap_reductions *tmap_reductions_native(tmap_vectors vectors);

/* The functions for the first vectors in the list that the machine has. */
const tmap_reductions *tmap_reductions_best(void);
tmap_reduce *tmap_reduce_of(const tmap_reduction_info *reduction);
/* The function for rows of `size` bytes: of the widest vectors that divide `size`, else of the best vectors. */
tmap_reduce *tmap_reduce_rows(const tmap_reduction_info *reduction, size_t size);

/* Sets the machine's float unit to round to nearest even, keep subnormal numbers and not trap, until tmap_float_end.
 * Returns the previous settings and flags. */
uint64_t tmap_float_begin(void);
void tmap_float_end(uint64_t before);
