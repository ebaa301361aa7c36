/* The slopes of expressions over cells. */
#include <string.h>

#include "size/polynomial.h"

tmap_i128 tmap_expr_extreme(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell, bool up) {
    uint64_t values[TMAP_SIZES_MAX];
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        const tmap_size_range *r = &cell->ranges[i];
        values[i] = slope->of[i] == (up ? 1 : -1) ? tmap_range_last(r) : r->first;
    }
    return tmap_expr_value(expr, values);
}

/* 1: the expression is 0 or more; -1: 0 or less; 0: both signs, or not known. */
static int sign_of(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell) {
    if (!slope->known) return 0;
    if (tmap_expr_extreme(expr, slope, cell, false) >= 0) return 1;
    return tmap_expr_extreme(expr, slope, cell, true) <= 0 ? -1 : 0;
}

static tmap_slope unknown_slope(const tmap_expr *crossing) {
    return (tmap_slope){.known = false, .crossing = crossing};
}

/* Adds `more`, times its sign, to `to`. Returns false if a size then has slopes in both directions. */
static bool join(tmap_slope *to, const tmap_slope *more, int sign) {
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        int way = sign * more->of[i];
        if (way != 0 && to->of[i] == -way) return false;
        if (way != 0) to->of[i] = (signed char)way;
    }
    return true;
}

static tmap_slope slope_of_product(const tmap_expr *expr, const tmap_slope *left, const tmap_slope *right,
                                   const tmap_size_cell *cell) {
    tmap_slope slope = {.known = true};
    int left_sign = sign_of(expr->left, left, cell), right_sign = sign_of(expr->right, right, cell);
    bool moves_left = memcmp(left->of, slope.of, sizeof slope.of) != 0;
    bool moves_right = memcmp(right->of, slope.of, sizeof slope.of) != 0;
    if (moves_right && left_sign == 0) return unknown_slope(expr->left);
    if (moves_left && right_sign == 0) return unknown_slope(expr->right);
    if (!join(&slope, left, moves_left ? right_sign : 1) || !join(&slope, right, moves_right ? left_sign : 1))
        return unknown_slope(NULL);
    return slope;
}

static tmap_slope slope_of(const tmap_expr *expr, const tmap_size_cell *cell) {
    tmap_slope slope = {.known = true};
    if (expr->kind == TMAP_EXPR_NUMBER) return slope;
    if (expr->kind == TMAP_EXPR_SIZE) {
        slope.of[expr->size] = cell->ranges[expr->size].n > 1 ? 1 : 0;
        return slope;
    }
    tmap_slope left = slope_of(expr->left, cell);
    if (!left.known || expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) return left;
    tmap_slope right = slope_of(expr->right, cell);
    if (!right.known) return right;
    if (expr->kind == TMAP_EXPR_MULTIPLY) return slope_of_product(expr, &left, &right, cell);
    slope = left;
    return join(&slope, &right, expr->kind == TMAP_EXPR_ADD ? 1 : -1) ? slope : unknown_slope(NULL);
}

/* The direction in which a polynomial changes with each variable; a quotient changes with its sizes. */
static tmap_slope slope_of_polynomial(const tmap_expr *expr, const tmap_size_cell *cell) {
    tmap_slope slope = {.known = true}, unknown = unknown_slope(NULL);
    tmap_variables v = tmap_variables_of(cell);
    tmap_polynomial p;
    if (!tmap_polynomial_of(expr, &v, &p)) return unknown;
    uint64_t used = 0;
    for (int i = 0; i < p.n; i++) used |= p.terms[i].powers;
    for (int i = 0; i < TMAP_SIZES_MAX + v.quotients_n; i++) {
        int way = used >> 4 * i & 15 ? tmap_polynomial_direction(&p, &v, i) : 2;
        tmap_slope more = {.known = true};
        if (way == 2) continue;
        if (way == 0) return unknown;
        if (i < TMAP_SIZES_MAX)
            more.of[i] = 1;
        else
            more = slope_of(v.quotients[i - TMAP_SIZES_MAX], cell);
        if (!more.known || !join(&slope, &more, way)) return unknown;
    }
    return slope;
}

tmap_slope tmap_expr_slope(const tmap_expr *expr, const tmap_size_cell *cell) {
    tmap_slope slope = slope_of(expr, cell), equal;
    if (slope.known) return slope;
    equal = slope_of_polynomial(expr, cell);
    return equal.known ? equal : slope;
}
