/*
 * cell: a set of values of all sizes, each an arithmetic progression, and what is constant over it. A rule's verdict
 * depends on its cuts alone: on whether numbers reach bounds, and on their residues. Over a cell on which every cut is
 * constant the verdict is that of any one of its points.
 *
 * Over a cell the sizes are first + step t, so that an expression is a polynomial in the t with integer coefficients,
 * as soon as every division in it is: (c0 + c1 t + ...) / d is one where d divides c1 and all that follow.
 */
#ifndef TMAP_SIZE_CELL_H
#define TMAP_SIZE_CELL_H

#include "size/expr.h"

typedef struct tmap_size_range {
    uint64_t first, step, n; /* n >= 1 */
} tmap_size_range;

typedef struct tmap_size_cell {
    tmap_size_range ranges[TMAP_SIZES_MAX];
} tmap_size_cell;

typedef enum tmap_cut_kind {
    TMAP_CUT_AT_LEAST, /* whether expr >= bound */
    TMAP_CUT_MODULO,   /* expr modulo bound */
    TMAP_CUT_VALUES,   /* expr, as long as it is below bound: each value of the sizes in it */
} tmap_cut_kind;

typedef struct tmap_cut {
    tmap_cut_kind kind;
    const tmap_expr *expr;
    tmap_i128 bound;
} tmap_cut;

/* How a cell becomes smaller: the range of one size by residues into `classes`, or in two after its first `head`. */
typedef struct tmap_split {
    int size;
    uint64_t classes; /* 0: by place */
    uint64_t head;
} tmap_split;

typedef enum tmap_decided {
    TMAP_CUT_CONSTANT,
    TMAP_CUT_SPLITS,    /* constant on parts of the cell: *split */
    TMAP_CUT_TOO_LARGE, /* numbers beyond 128 bits, or too many terms */
} tmap_decided;

/* Whether the expression, and all parts of it, keep within TMAP_EXPR_LIMIT over the cell. */
TMAP_PRIVATE_API bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell);
tmap_decided tmap_cut_decide(const tmap_cut *cut, const tmap_size_cell *cell, tmap_split *split);
/* 0 or 1 of AT_LEAST, the residue of MODULO. */
uint64_t tmap_cut_value(const tmap_cut *cut, const uint64_t *values);

#endif
