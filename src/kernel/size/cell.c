/* Decides cuts over cells: whether a cut is constant, and otherwise how to make the cell smaller. */
#include "size/polynomial.h"

/* A computation over a cell. If it fails, *split is the split that it needs. */
typedef struct attempt {
    const tmap_size_cell *cell;
    tmap_split *split; /* size -1: no split helps */
} attempt;

/* ---- Exact polynomials ---------------------------------------------------------------------------------------- */

/* Splits so that the factor of a term becomes a multiple of `modulus`, or the size gets a single value. */
static void ask_for_classes(const attempt *a, const tmap_term *of, uint64_t modulus) {
    tmap_i128 factor = of->factor < 0 ? -of->factor : of->factor;
    uint64_t classes = modulus / tmap_gcd((uint64_t)(factor % modulus), modulus);
    a->split->size = tmap_first_variable(of->powers);
    uint64_t n = a->cell->ranges[a->split->size].n;
    a->split->classes = classes < n ? classes : n;
}

static bool polynomial_of(const attempt *a, const tmap_expr *expr, tmap_polynomial *out) {
    tmap_variables v = tmap_variables_of(a->cell);
    v.exact = true;
    if (tmap_polynomial_of(expr, &v, out)) return true;
    if (v.divisor) ask_for_classes(a, &v.undivided, v.divisor);
    return false;
}

/* ---- Residues ------------------------------------------------------------------------------------------------- */

static tmap_decided split_or_fail(const tmap_split *split) {
    return split->size >= 0 ? TMAP_CUT_SPLITS : TMAP_CUT_TOO_LARGE;
}

static uint64_t least_prime(uint64_t of) {
    uint64_t prime = 2;
    while (of % prime != 0) prime++;
    return prime;
}

/* The residues of a polynomial: that of its constant term, and the common divisor of the bound and all other factors.
 */
typedef struct remainders {
    uint64_t constant, common;
} remainders;

static remainders residues_of(const tmap_polynomial *p, uint64_t bound) {
    remainders r = {0, bound};
    for (int i = 0; i < p->n; i++) {
        tmap_i128 rest = p->terms[i].factor % (tmap_i128)bound;
        uint64_t residue = (uint64_t)(rest < 0 ? rest + (tmap_i128)bound : rest);
        if (p->terms[i].powers == 0) r.constant = residue;
        if (p->terms[i].powers != 0) r.common = tmap_gcd(residue, r.common);
    }
    return r;
}

/*
 * If g divides the bound and every factor of a size, c0 + g (...) is a multiple of the bound only if g divides c0, and
 * then if (...) + c0 / g is a multiple of bound / g. So one prime of the bound is enough for each split: K M is a
 * multiple of 128 in few cases, although K and M have many residues.
 */
static tmap_decided decide_multiple(const tmap_cut *cut, const attempt *a) {
    tmap_polynomial p;
    uint64_t bound = (uint64_t)cut->bound;
    if (tmap_cut_constant(cut, a->cell) >= 0) return TMAP_CUT_CONSTANT;
    if (!polynomial_of(a, cut->expr, &p)) return split_or_fail(a->split);
    remainders r = residues_of(&p, bound);
    if (r.common == bound || r.constant % r.common != 0) return TMAP_CUT_CONSTANT;
    uint64_t prime = least_prime(bound / r.common);
    for (int i = 0; i < p.n; i++) {
        if (p.terms[i].powers == 0 || p.terms[i].factor / (tmap_i128)r.common % (tmap_i128)prime == 0) continue;
        ask_for_classes(a, &p.terms[i], r.common * prime);
        return TMAP_CUT_SPLITS;
    }
    return TMAP_CUT_TOO_LARGE; /* not reached: a prime of all factors would be in `common` */
}

int tmap_cut_constant(const tmap_cut *cut, const tmap_size_cell *cell) {
    tmap_polynomial p;
    tmap_variables variables = tmap_variables_of(cell);
    uint64_t bound = (uint64_t)cut->bound;
    if (!tmap_polynomial_of(cut->expr, &variables, &p)) return -1;
    remainders r = residues_of(&p, bound);
    if (r.common == bound) return r.constant == 0;
    return r.constant % r.common != 0 ? 0 : -1;
}

/* ---- Comparisons ---------------------------------------------------------------------------------------------- */

/* c0 + c1 t reaches the bound from some t on, or up to some t. */
static tmap_decided split_line(const tmap_polynomial *p, tmap_i128 bound, tmap_split *split) {
    tmap_i128 slope = 0, start = 0;
    for (int i = 0; i < p->n; i++) *(p->terms[i].powers ? &slope : &start) = p->terms[i].factor;
    if (slope == 0) return TMAP_CUT_TOO_LARGE; /* not reached: the line has a term of the size */
    tmap_i128 head = slope > 0 ? -tmap_divide_down(start - bound, slope) : tmap_divide_down(start - bound, -slope) + 1;
    split->head = (uint64_t)head;
    return TMAP_CUT_SPLITS;
}

static bool is_line(const tmap_polynomial *p, int size) {
    for (int i = 0; i < p->n; i++)
        if (p->terms[i].powers != 0 && p->terms[i].powers != (uint64_t)1 << 4 * size) return false;
    return true;
}

/* Splits at the root of a line. Otherwise splits, in the middle, the range of the size that changes the value most. */
static tmap_decided split_by_place(const tmap_polynomial *p, const attempt *a, tmap_i128 bound) {
    tmap_i128 most = -1;
    tmap_variables variables = tmap_variables_of(a->cell);
    for (int i = 0; i < p->n; i++) {
        tmap_i128 reach;
        if (p->terms[i].powers == 0 || !tmap_term_reach(&p->terms[i], &variables, &reach)) continue;
        if (reach < 0) reach = -reach;
        for (uint64_t powers = p->terms[i].powers; reach > most && powers; powers &= powers - 1)
            if (a->cell->ranges[tmap_first_variable(powers)].n > 1) a->split->size = tmap_first_variable(powers);
        if (reach > most) most = reach;
    }
    if (a->split->size < 0) return TMAP_CUT_TOO_LARGE;
    if (is_line(p, a->split->size)) return split_line(p, bound, a->split);
    a->split->head = a->cell->ranges[a->split->size].n / 2;
    return TMAP_CUT_SPLITS;
}

static bool decides(const tmap_bounds *b, tmap_i128 bound) {
    return b->least >= bound || b->most < bound;
}

static int count_sizes(const tmap_slope *slope) {
    int n = 0;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) n += slope->of[i] != 0;
    return n;
}

/* For a monotone expression of one size: splits after the values of the size that are before the bound is crossed. */
static tmap_decided split_at_root(const tmap_cut *cut, const tmap_slope *slope, const attempt *a) {
    uint64_t values[TMAP_SIZES_MAX];
    int size = 0;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) values[i] = a->cell->ranges[i].first;
    while (slope->of[size] == 0) size++;
    const tmap_size_range *range = &a->cell->ranges[size];
    bool before = tmap_cut_value(cut, values);
    uint64_t least = 1, most = range->n - 1;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2;
        values[size] = range->first + middle * range->step;
        if (tmap_cut_value(cut, values) == before)
            least = middle + 1;
        else
            most = middle;
    }
    a->split->size = size;
    a->split->head = least;
    return TMAP_CUT_SPLITS;
}

static tmap_decided decide_monotone(const tmap_cut *cut, const tmap_slope *slope, const attempt *a) {
    if (tmap_expr_extreme(cut->expr, slope, a->cell, true) < cut->bound ||
        tmap_expr_extreme(cut->expr, slope, a->cell, false) >= cut->bound)
        return TMAP_CUT_CONSTANT;
    if (count_sizes(slope) == 1) return split_at_root(cut, slope, a);
    a->split->assumes = true;
    return TMAP_CUT_SPLITS;
}

bool tmap_cell_split_at_sign(const tmap_expr *factor, const tmap_size_cell *cell, tmap_split *split) {
    tmap_cut sign = {.kind = TMAP_CUT_AT_LEAST, .expr = factor};
    tmap_slope slope = tmap_expr_slope(factor, cell);
    attempt a = {cell, split};
    if (!slope.known || count_sizes(&slope) != 1) return false;
    return decide_monotone(&sign, &slope, &a) == TMAP_CUT_SPLITS;
}

static int count_ranges(const tmap_expr *expr, const tmap_size_cell *cell) {
    int n = 0;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) n += (expr->sizes >> i & 1) && cell->ranges[i].n > 1;
    return n;
}

static tmap_decided decide_at_least(const tmap_cut *cut, const attempt *a) {
    tmap_bounds b;
    tmap_polynomial p;
    if (tmap_expr_bounds(cut->expr, a->cell, &b) && decides(&b, cut->bound)) return TMAP_CUT_CONSTANT;
    tmap_slope slope = tmap_expr_slope(cut->expr, a->cell);
    if (slope.known) return decide_monotone(cut, &slope, a);
    if (count_ranges(cut->expr, a->cell) > 1) {
        a->split->assumes = true;
        return TMAP_CUT_SPLITS;
    }
    if (slope.crossing && tmap_cell_split_at_sign(slope.crossing, a->cell, a->split)) return TMAP_CUT_SPLITS;
    if (!polynomial_of(a, cut->expr, &p)) return split_or_fail(a->split);
    return split_by_place(&p, a, cut->bound);
}

/* Splits the values of a monotone expression of one size at 0, at the bound, or in the middle of both. */
static bool split_values(const tmap_cut *cut, const tmap_bounds *b, const attempt *a) {
    tmap_i128 least = b->least < 0 ? 0 : b->least, most = b->most < cut->bound ? b->most : cut->bound;
    tmap_cut half = {.kind = TMAP_CUT_AT_LEAST, .expr = cut->expr};
    if (b->least >= 0) half.bound = most - (most - least) / 2;
    tmap_slope slope = tmap_expr_slope(cut->expr, a->cell);
    return slope.known && count_sizes(&slope) == 1 && decide_monotone(&half, &slope, a) == TMAP_CUT_SPLITS;
}

static tmap_decided decide_values(const tmap_cut *cut, const attempt *a) {
    tmap_bounds b;
    bool known = tmap_expr_bounds(cut->expr, a->cell, &b);
    if (known && (b.least == b.most || b.least >= cut->bound || b.most < 0)) return TMAP_CUT_CONSTANT;
    if (known && split_values(cut, &b, a)) return TMAP_CUT_SPLITS;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        if (!(cut->expr->sizes >> i & 1) || a->cell->ranges[i].n == 1) continue;
        a->split->size = i;
        a->split->head = a->cell->ranges[i].n / 2;
        return TMAP_CUT_SPLITS;
    }
    return TMAP_CUT_CONSTANT;
}

tmap_decided tmap_cut_decide(const tmap_cut *cut, const tmap_size_cell *cell, int64_t *work, tmap_split *split) {
    *work -= cut->expr->work;
    *split = (tmap_split){.size = -1};
    attempt a = {cell, split};
    if (cut->kind == TMAP_CUT_MULTIPLE) return decide_multiple(cut, &a);
    return cut->kind == TMAP_CUT_AT_LEAST ? decide_at_least(cut, &a) : decide_values(cut, &a);
}

bool tmap_cut_value(const tmap_cut *cut, const uint64_t *values) {
    tmap_i128 value = tmap_expr_value(cut->expr, values);
    return cut->kind == TMAP_CUT_MULTIPLE ? value % cut->bound == 0 : value >= cut->bound;
}
