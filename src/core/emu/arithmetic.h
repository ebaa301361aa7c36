/* Reductions of rows of elements, by operation and number type. */
#pragma once

#include "emu/permute.h"
#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#define TMAP_VECTOR_B_MIN 16 /* the shortest vectors of all machines */

/* Rows of `size` bytes of elements and of operands, in their order, to_step and from_step apart. All are little-endian
 * and at any address. If `masks` is not 0, `from` is the start of a line of an image with these masks
 * (emu/permute.h); then each row is inside one line and consists of vectors, at multiples of their size. */
typedef struct tmap_reduced {
    uint8_t *to;
    const uint8_t *from; /* the first row of operands is `at` bytes after */
    ptrdiff_t to_step, from_step;
    size_t size;
    uint32_t rows_n, at;
    uint64_t masks;
} tmap_reduced;

/* Whether these are at least eight consecutive lines of the 128-byte swizzle, from one with mask 0 on. */
static inline bool tmap_have_all_masks(const tmap_reduced *rows) {
    return rows->size == TMAP_LINE_B && rows->rows_n >= TMAP_MASKS && rows->from_step == TMAP_LINE_B &&
           tmap_turned(rows->masks, rows->at / TMAP_LINE_B) == TMAP_MASKS_128B;
}

/* to[i] = to[i] op from[i] for the elements of all rows. */
typedef void tmap_reduce(const tmap_reduced *rows);

/* Rounds f32 numbers to TF32. `to` may be `from`. */
typedef void tmap_round(uint8_t *to, const uint8_t *from, size_t size);

/* One function for every number type that a row of reductions.def has for the operation. */
typedef struct tmap_reductions {
    uint64_t lines; /* the bits that tmap_reduced.masks may have */
    tmap_round *round_tf32;
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
/* The functions of the widest vectors whose size divides `places`; NULL if no size does. halves: half of the size is
 * sufficient. */
const tmap_reductions *tmap_reductions_native_of_places(size_t places, bool halves);
/* The same, or the best functions. */
static inline const tmap_reductions *tmap_reductions_of_places(size_t places, bool halves) {
    const tmap_reductions *reductions = tmap_reductions_native_of_places(places, halves);
    return reductions ? reductions : tmap_reductions_best();
}

/* Sets the machine's float unit to round to nearest even, keep subnormal numbers and not trap, until tmap_float_end.
 * Returns the previous settings and flags. */
uint64_t tmap_float_begin(void);
void tmap_float_end(uint64_t before);
