/*
 * language: layouts that the hardware defines, by name: fragments of mma, ldmatrix, wgmma and tcgen05, tensor memory,
 * scale factors, operands in shared memory. Each is an expression of language.h with a few numbers as parameters; in
 * the expression language it is `named(wgmma_d, 64)`.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_LANGUAGE_NAMED_H
#define TMAP_LANGUAGE_NAMED_H

#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_NAMED_PARAMS_MAX 3

typedef struct tmap_named_param {
    const char *name; /* NULL after the last */
    int64_t least, most;
    int64_t multiple; /* the number is a multiple of this; 0: the number is a power of two */
    int64_t bits;     /* not 0: the multiple is bits / the first number, the elements of a swizzle's row */
} tmap_named_param;

typedef struct tmap_named_layout {
    const char *name, *group;
    tmap_named_param params[TMAP_NAMED_PARAMS_MAX];
    const char *text; /* the expression, which contains the parameters' names */
    const char *about, *source;
} tmap_named_layout;

TMAP_API const tmap_named_layout *tmap_named_layout_get(int i); /* NULL after the last */
TMAP_API const tmap_named_layout *tmap_named_layout_find(const char *name) TMAP_NONNULL(1);
/*
 * Writes the expression, preceded by the parameters' values, for tmap_evaluate. Returns TMAP_REFUSED, and writes
 * nothing, if a value is not allowed; error->operand is the parameter's number.
 */
TMAP_API tmap_status tmap_named_layout_write(tmap_sink *sink, const tmap_named_layout *named, const int64_t *values,
                                             int values_n, tmap_diag *error) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
