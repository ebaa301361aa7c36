/* language: the accesses of a warp in a call, from its arguments layout, type, access, width and shape. */
#pragma once

#include "language/eval.h"
#include "tmap/unstable/banks.h"

/* The accesses of a call: a pattern over a matrix, or single accesses. */
typedef struct tmap_given_accesses {
    const tmap_layout *layout; /* the layout of the addresses */
    int bits, width;
    bool by_pattern;
    tmap_pattern pattern;
    int64_t rows, columns; /* of a pattern's matrix */
    const int64_t (*lanes)[TMAP_LANES];
    uint64_t n;
    const struct tmap_thread_owners *owners; /* for a layout of threads, else NULL */
} tmap_given_accesses;

/* Reads the arguments into *given, and spends the evaluation steps that `rounds` passes over all accesses cost. Returns
 * false after noting a refusal. */
bool tmap_take_accesses(tmap_call *call, uint64_t rounds, tmap_given_accesses *given);
/* For tmap_accesses: `context` is a tmap_given_accesses. */
bool tmap_get_access(const void *context, uint64_t number, tmap_access *access);
/* Whether a layout of threads gives elements x to x + width - 1 to the same threads. */
bool tmap_one_thread(const tmap_given_accesses *given, int64_t x, int width);
/* Adds the width of each lane's access; before it, for a pattern, the sizes of its matrix and of its lanes. */
bool tmap_structure_add_access(tmap_call *call, tmap_structure *s, const tmap_given_accesses *given);
