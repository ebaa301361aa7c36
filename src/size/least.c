/* Finds the slopes of monotone expressions over cells, and the least point of a cell with assumed cuts. */
#include <string.h>

#include "size/cell.h"

/* ---- Slopes --------------------------------------------------------------------------------------------------- */

static tmap_i128 corner_value(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell, bool up) {
    uint64_t values[TMAP_SIZES_MAX];
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        const tmap_size_range *r = &cell->ranges[i];
        values[i] = slope->of[i] == (up ? 1 : -1) ? r->first + (r->n - 1) * r->step : r->first;
    }
    return tmap_expr_value(expr, values);
}

tmap_i128 tmap_expr_extreme(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell, bool up) {
    return corner_value(expr, slope, cell, up);
}

/* 1: the expression is 0 or more; -1: 0 or less; 0: both signs, or not known. */
static int sign_of(const tmap_expr *expr, const tmap_slope *slope, const tmap_size_cell *cell) {
    if (!slope->known) return 0;
    if (corner_value(expr, slope, cell, false) >= 0) return 1;
    return corner_value(expr, slope, cell, true) <= 0 ? -1 : 0;
}

static tmap_slope unknown_slope(const tmap_expr *crossing) {
    return (tmap_slope){.known = false, .crossing = crossing};
}

/* Adds `more`, times its sign, to `to`. Returns false if the sum rises and falls with a size. */
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

tmap_slope tmap_expr_slope(const tmap_expr *expr, const tmap_size_cell *cell) {
    tmap_slope slope = {.known = true};
    if (expr->kind == TMAP_EXPR_NUMBER) return slope;
    if (expr->kind == TMAP_EXPR_SIZE) {
        slope.of[expr->size] = cell->ranges[expr->size].n > 1;
        return slope;
    }
    tmap_slope left = tmap_expr_slope(expr->left, cell);
    if (!left.known || expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) return left;
    tmap_slope right = tmap_expr_slope(expr->right, cell);
    if (!right.known) return right;
    if (expr->kind == TMAP_EXPR_MULTIPLY) return slope_of_product(expr, &left, &right, cell);
    slope = left;
    return join(&slope, &right, expr->kind == TMAP_EXPR_ADD ? 1 : -1) ? slope : unknown_slope(NULL);
}

/* ---- The least point ------------------------------------------------------------------------------------------ */

/* An assumed cut with its side, and the directions in which the cut's expression changes. */
typedef struct half {
    const tmap_cut *cut;
    bool reached;
    tmap_slope slope;
} half;

typedef struct least_search {
    half halves[64];
    int n;
    tmap_size_cell cell; /* the search reduces this cell to one point, size by size */
} least_search;

static bool may_hold(const half *h, const tmap_size_cell *cell) {
    return (corner_value(h->cut->expr, &h->slope, cell, h->reached) >= h->cut->bound) == h->reached;
}

/* Whether the half may hold if the size has value number `t`. */
static bool may_hold_at(least_search *s, const half *h, int size, uint64_t t) {
    tmap_size_cell cell = s->cell;
    cell.ranges[size] = (tmap_size_range){cell.ranges[size].first + t * cell.ranges[size].step, 1, 1};
    return may_hold(h, &cell);
}

/* 1 if greater values of the size make the half more likely to hold. */
static int way(const half *h, int size) {
    return h->reached ? h->slope.of[size] : -h->slope.of[size];
}

/* Finds the first value of the size from which on the half may hold. Returns false if there is no such value. */
static bool first_value(least_search *s, const half *h, int size, uint64_t *t) {
    uint64_t least = 0, most = s->cell.ranges[size].n - 1;
    if (!may_hold_at(s, h, size, most)) return false;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2;
        if (may_hold_at(s, h, size, middle))
            most = middle;
        else
            least = middle + 1;
    }
    *t = least;
    return true;
}

/* Fixes a size at the least value at which all halves may hold. Returns false if there is no such value. */
static bool fix_size(least_search *s, int size) {
    uint64_t least = 0, t;
    for (int i = 0; i < s->n; i++) {
        if (way(&s->halves[i], size) <= 0) continue;
        if (!first_value(s, &s->halves[i], size, &t)) return false;
        if (t > least) least = t;
    }
    for (int i = 0; i < s->n; i++)
        if (!may_hold_at(s, &s->halves[i], size, least)) return false;
    tmap_size_range *range = &s->cell.ranges[size];
    *range = (tmap_size_range){range->first + least * range->step, 1, 1};
    return true;
}

tmap_least tmap_cell_least(const tmap_cut *cuts, const tmap_size_cell *cell, uint64_t values[TMAP_SIZES_MAX]) {
    least_search s = {.cell = *cell};
    for (uint64_t left = cell->assumed; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        half *h = &s.halves[s.n++];
        *h = (half){&cuts[i], cell->reached >> i & 1, tmap_expr_slope(cuts[i].expr, cell)};
        if (!h->slope.known) return TMAP_LEAST_UNKNOWN;
        if (!may_hold(h, cell)) return TMAP_LEAST_EMPTY;
    }
    bool first = true;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        if (s.cell.ranges[i].n > 1 && s.n > 0) {
            if (!fix_size(&s, i)) return first ? TMAP_LEAST_EMPTY : TMAP_LEAST_UNKNOWN;
            first = false;
        }
        values[i] = s.cell.ranges[i].first;
    }
    return TMAP_LEAST_FOUND;
}
