/* language: the accesses of a warp that a call gives: its arguments layout, type, access, width and shape. */
#ifndef TMAP_LANGUAGE_ACCESSES_H
#define TMAP_LANGUAGE_ACCESSES_H

#include "language/eval.h"
#include "tmap/unstable/banks.h"

/* What a call gives: a pattern over a matrix, or every access by itself. */
typedef struct tmap_given_accesses {
    const tmap_layout *layout; /* that of the addresses */
    int bits, width;
    bool by_pattern;
    tmap_pattern pattern;
    int64_t rows, columns; /* of a pattern's matrix */
    const int64_t (*lanes)[TMAP_LANES];
    uint64_t n;
    const struct tmap_thread_owners *owners; /* of a layout of threads, else NULL */
} tmap_given_accesses;

/* False after a refusal was noted. */
bool tmap_take_accesses(tmap_call *call, tmap_given_accesses *given);
/* For tmap_accesses; `context` is a tmap_given_accesses. */
bool tmap_get_access(const void *context, uint64_t number, tmap_access *access);
/* Steps that all accesses take in so many rounds; false after a refusal was noted. */
bool tmap_spend_accesses(tmap_call *call, const tmap_given_accesses *given, uint64_t rounds);
/* Whether a layout of threads gives elements x to x + width - 1 to the same threads. */
bool tmap_one_thread(const tmap_given_accesses *given, int64_t x, int width);
/* What was accessed: the matrix of a pattern, its lanes and what each of them touches. Three fields. */
bool tmap_structure_add_access(tmap_call *call, tmap_structure_maker *maker, const tmap_given_accesses *given);

#endif
