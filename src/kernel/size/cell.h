/*
 * cell: a set of values of all sizes, each an arithmetic progression, and the expressions that are constant over the
 * set. A rule's verdict depends only on its cuts: on whether numbers reach bounds, and on their residues. Over a cell
 * on which every cut is constant, the verdict is the same for all points.
 *
 * Over a cell the sizes are first + step t. An expression is then a polynomial in the t with integer coefficients, if
 * every division in the expression gives such a polynomial: (c0 + c1 t + ...) / d does if d divides c1 and all later
 * coefficients.
 */
#pragma once

#include "size/expr.h"

typedef struct tmap_size_range {
    uint64_t first, step, n; /* n >= 1 */
} tmap_size_range;

static inline uint64_t tmap_range_last(const tmap_size_range *range) {
    return range->first + (range->n - 1) * range->step;
}

/* The points in the ranges at which each assumed cut has its value. A comparison of several sizes cuts the ranges
 * diagonally, so dividing the ranges is not enough. */
typedef struct tmap_size_cell {
    tmap_size_range ranges[TMAP_SIZES_MAX];
    uint64_t assumed;  /* bit i: cut i of the rule, of kind AT_LEAST or MULTIPLE */
    uint64_t constant; /* bit i: cut i is constant or does not matter, on the whole cell and so on each part */
    uint64_t reached;  /* bit i: the value of cut i, if it is assumed or constant */
    uint64_t ignored;  /* bit i: the constant cut i does not matter */
} tmap_size_cell;

typedef enum tmap_cut_kind {
    TMAP_CUT_AT_LEAST, /* whether expr >= bound */
    TMAP_CUT_MULTIPLE, /* whether expr is a multiple of bound */
    TMAP_CUT_VALUES,   /* expr, from 0 to bound - 1: each value of the sizes in expr */
} tmap_cut_kind;

/* The value that a comparison must have so that a number fits its parameter. */
typedef enum tmap_fit { TMAP_FIT_ANY, TMAP_FIT_REACHED, TMAP_FIT_NOT_REACHED } tmap_fit;

typedef struct tmap_cut {
    tmap_cut_kind kind;
    const tmap_expr *expr;
    tmap_i128 bound;
    /* 1 + the number of an earlier cut, or 0. This cut does not matter where that cut does not matter, or its value is
     * not `needs_reached`. */
    int needs;
    bool needs_reached;
    tmap_fit fit; /* cells without this value are omitted */
} tmap_cut;

/* A way to make a cell smaller: divides the range of one size into `classes` residue classes, or into two parts after
 * its first `head` values; or, with `assumes`, divides the cell by the values of the cut. */
typedef struct tmap_split {
    bool assumes;
    int size;
    uint64_t classes; /* 0: divides after `head` values */
    uint64_t head;
} tmap_split;

typedef enum tmap_decided {
    TMAP_CUT_CONSTANT,
    TMAP_CUT_SPLITS,    /* constant on parts of the cell, which *split makes */
    TMAP_CUT_TOO_LARGE, /* numbers beyond 128 bits, or too many terms */
} tmap_decided;

typedef struct tmap_bounds {
    tmap_i128 least, most;
} tmap_bounds;

/* Bounds of the expression over the cell, from those of its parts. Returns false for values beyond TMAP_EXPR_LIMIT. */
bool tmap_expr_interval(const tmap_expr *expr, const tmap_size_cell *cell, tmap_bounds *out);
/* The same, narrowed where equal terms cancel. */
bool tmap_expr_bounds(const tmap_expr *expr, const tmap_size_cell *cell, tmap_bounds *out);
/* Whether the expression and all its parts are within TMAP_EXPR_LIMIT over the cell. */
TMAP_PRIVATE_API bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell);
/* Reduces *work, as all functions with this operand: a limit of the time, in operations on terms of polynomials. */
tmap_decided tmap_cut_decide(const tmap_cut *cut, const tmap_size_cell *cell, int64_t *work, tmap_split *split);
/* The value of a cut of kind MULTIPLE, 0 or 1, if residues show that it is constant over the cell; otherwise -1. */
int tmap_cut_constant(const tmap_cut *cut, const tmap_size_cell *cell);

/* The direction in which an expression changes with each size over a cell. */
typedef struct tmap_slope {
    signed char of[TMAP_SIZES_MAX]; /* 1: does not fall; -1: does not rise; 0: does not depend on the size */
    bool known;
    const tmap_expr *crossing; /* if not known: a factor that changes its sign, or NULL */
} tmap_slope;

tmap_slope tmap_expr_slope(const tmap_expr *expr, const tmap_size_cell *cell);
/* The largest (`up`) or smallest value of the expression; its slope is known. */
tmap_i128 tmap_expr_extreme(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell, bool up);

/* Splits the range of a size where a factor changes its sign. Returns false if this is not possible. */
bool tmap_cell_split_at_sign(const tmap_expr *factor, const tmap_size_cell *cell, tmap_split *split);

typedef enum tmap_least {
    TMAP_LEAST_FOUND,
    TMAP_LEAST_EMPTY,   /* the cell has no point */
    TMAP_LEAST_UNKNOWN, /* the search reached its bound */
} tmap_least;

/* Narrows the ranges of the cell to those of its points, as far as each assumed cut alone shows them. Returns false if
 * the cell has no point. */
bool tmap_cell_narrow(const tmap_cut *cuts, tmap_size_cell *cell, int64_t *work);

/* Finds the least point of a cell; the first size counts most. */
tmap_least tmap_cell_least(const tmap_cut *cuts, const tmap_size_cell *cell, int64_t *work,
                           uint64_t values[TMAP_SIZES_MAX]);

/* Whether the cut is reached, or the expression is a multiple of the bound. */
bool tmap_cut_value(const tmap_cut *cut, const uint64_t *values);
