/* Decides cuts over cells: first by interval arithmetic on the expression, then on its polynomial, in which equal terms
 * cancel. */
#include "size/cell.h"

#define TERMS_MAX 24

typedef struct term {
    uint32_t powers; /* 4 bits for each size */
    tmap_i128 factor;
} term;

typedef struct polynomial {
    int n;
    term terms[TERMS_MAX]; /* terms with different powers */
} polynomial;

typedef struct bounds {
    tmap_i128 least, most;
} bounds;

/* A computation over a cell. If it fails, *split is the split that it needs. */
typedef struct attempt {
    const tmap_size_cell *cell;
    tmap_split *split; /* size -1: no split helps */
} attempt;

static tmap_i128 divide_down(tmap_i128 a, tmap_i128 b) {
    return a / b - (a % b < 0);
}

/* ---- Intervals ------------------------------------------------------------------------------------------------ */

static bool is_small(tmap_i128 x) {
    return x <= TMAP_EXPR_LIMIT && x >= -TMAP_EXPR_LIMIT;
}

static bool multiply(tmap_i128 a, tmap_i128 b, tmap_i128 *product) {
    return !__builtin_mul_overflow(a, b, product) && is_small(*product);
}

static bool multiply_bounds(const bounds *a, const bounds *b, bounds *out) {
    tmap_i128 corners[4];
    bool good = multiply(a->least, b->least, &corners[0]) && multiply(a->least, b->most, &corners[1]) &&
                multiply(a->most, b->least, &corners[2]) && multiply(a->most, b->most, &corners[3]);
    if (!good) return false;
    *out = (bounds){corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        if (corners[i] < out->least) out->least = corners[i];
        if (corners[i] > out->most) out->most = corners[i];
    }
    return true;
}

static bounds bounds_of_range(const tmap_size_range *range) {
    return (bounds){range->first, (tmap_i128)range->first + (tmap_i128)range->step * (range->n - 1)};
}

/* Returns false for values beyond TMAP_EXPR_LIMIT. */
static bool bounds_of(const tmap_expr *expr, const tmap_size_cell *cell, bounds *out) {
    bounds left, right;
    if (expr->kind == TMAP_EXPR_NUMBER || expr->kind == TMAP_EXPR_SIZE) {
        *out = expr->kind == TMAP_EXPR_NUMBER ? (bounds){expr->number, expr->number}
                                              : bounds_of_range(&cell->ranges[expr->size]);
        return true;
    }
    if (!bounds_of(expr->left, cell, &left)) return false;
    if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) {
        tmap_i128 up = expr->kind == TMAP_EXPR_CEIL ? expr->number - 1 : 0;
        *out = (bounds){divide_down(left.least + up, expr->number), divide_down(left.most + up, expr->number)};
        return true;
    }
    if (!bounds_of(expr->right, cell, &right)) return false;
    if (expr->kind == TMAP_EXPR_MULTIPLY) return multiply_bounds(&left, &right, out);
    bool add = expr->kind == TMAP_EXPR_ADD;
    *out = add ? (bounds){left.least + right.least, left.most + right.most}
               : (bounds){left.least - right.most, left.most - right.least};
    return is_small(out->least) && is_small(out->most);
}

bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell) {
    bounds ignored;
    return bounds_of(expr, cell, &ignored);
}

bool tmap_expr_bounds(const tmap_expr *expr, const tmap_size_cell *cell, tmap_i128 *least, tmap_i128 *most) {
    bounds found;
    if (!bounds_of(expr, cell, &found)) return false;
    *least = found.least;
    *most = found.most;
    return true;
}

/* ---- Polynomials ---------------------------------------------------------------------------------------------- */

static bool add_term(polynomial *p, uint32_t powers, tmap_i128 factor) {
    int i = 0;
    while (i < p->n && p->terms[i].powers != powers) i++;
    if (i == TERMS_MAX) return false;
    if (i == p->n) p->terms[p->n++] = (term){powers, 0};
    p->terms[i].factor += factor;
    if (!is_small(p->terms[i].factor)) return false;
    if (p->terms[i].factor == 0) p->terms[i] = p->terms[--p->n];
    return true;
}

static bool add_scaled(polynomial *to, const polynomial *from, int sign) {
    for (int i = 0; i < from->n; i++)
        if (!add_term(to, from->terms[i].powers, sign * from->terms[i].factor)) return false;
    return true;
}

#define POWER_TOPS 0x88888888u /* a power of 8 or more: the sum of two such powers could carry */

static bool multiply_polynomials(const polynomial *a, const polynomial *b, polynomial *out) {
    out->n = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            uint32_t powers = a->terms[i].powers + b->terms[j].powers;
            tmap_i128 factor;
            if (((a->terms[i].powers | b->terms[j].powers) & POWER_TOPS) != 0) return false;
            if (!multiply(a->terms[i].factor, b->terms[j].factor, &factor)) return false;
            if (!add_term(out, powers, factor)) return false;
        }
    return true;
}

static int first_size(uint32_t powers) {
    return __builtin_ctz(powers) / 4;
}

/* Splits so that the factor of a term becomes a multiple of `modulus`, or the size gets a single value. */
static void ask_for_classes(const attempt *a, const term *of, uint64_t modulus) {
    tmap_i128 factor = of->factor < 0 ? -of->factor : of->factor;
    uint64_t classes = modulus / tmap_gcd((uint64_t)(factor % modulus), modulus);
    a->split->size = first_size(of->powers);
    uint64_t n = a->cell->ranges[a->split->size].n;
    a->split->classes = classes < n ? classes : n;
}

/* Divides in place. Returns false if the remainder of the division is not the same over the whole cell. */
static bool divide_polynomial(const attempt *a, polynomial *p, int64_t divisor, bool up) {
    if (up && !add_term(p, 0, divisor - 1)) return false;
    for (int i = 0; i < p->n; i++) {
        if (p->terms[i].powers == 0 || p->terms[i].factor % divisor == 0) continue;
        ask_for_classes(a, &p->terms[i], (uint64_t)divisor);
        return false;
    }
    for (int i = p->n - 1; i >= 0; i--) {
        p->terms[i].factor = divide_down(p->terms[i].factor, divisor);
        if (p->terms[i].factor == 0) p->terms[i] = p->terms[--p->n];
    }
    return true;
}

static bool polynomial_of_size(const attempt *a, int size, polynomial *out) {
    const tmap_size_range *range = &a->cell->ranges[size];
    out->n = 0;
    if (!add_term(out, 0, range->first)) return false;
    return range->n == 1 || add_term(out, (uint32_t)1 << 4 * size, range->step);
}

static bool polynomial_of(const attempt *a, const tmap_expr *expr, polynomial *out) {
    if (expr->kind == TMAP_EXPR_SIZE) return polynomial_of_size(a, expr->size, out);
    out->n = 0;
    if (expr->kind == TMAP_EXPR_NUMBER) return add_term(out, 0, expr->number);
    polynomial left, right;
    if (!polynomial_of(a, expr->left, &left)) return false;
    if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) {
        *out = left;
        return divide_polynomial(a, out, expr->number, expr->kind == TMAP_EXPR_CEIL);
    }
    if (!polynomial_of(a, expr->right, &right)) return false;
    if (expr->kind == TMAP_EXPR_MULTIPLY) return multiply_polynomials(&left, &right, out);
    *out = left;
    return add_scaled(out, &right, expr->kind == TMAP_EXPR_ADD ? 1 : -1);
}

/* The term's largest value, or for a negative factor its smallest: each t has its largest value. */
static bool reach_of(const term *of, const tmap_size_cell *cell, tmap_i128 *reach) {
    *reach = of->factor;
    for (uint32_t powers = of->powers; powers; powers -= (uint32_t)1 << 4 * first_size(powers))
        if (!multiply(*reach, (tmap_i128)cell->ranges[first_size(powers)].n - 1, reach)) return false;
    return true;
}

static bool bounds_of_polynomial(const polynomial *p, const tmap_size_cell *cell, bounds *out) {
    *out = (bounds){0, 0};
    for (int i = 0; i < p->n; i++) {
        tmap_i128 reach;
        if (!reach_of(&p->terms[i], cell, &reach)) return false;
        bool constant = p->terms[i].powers == 0;
        if (constant || reach < 0) out->least += reach;
        if (constant || reach > 0) out->most += reach;
    }
    return true;
}

/* ---- Cuts ----------------------------------------------------------------------------------------------------- */

static tmap_decided split_or_fail(const tmap_split *split) {
    return split->size >= 0 ? TMAP_CUT_SPLITS : TMAP_CUT_TOO_LARGE;
}

static tmap_decided decide_modulo(const tmap_cut *cut, const attempt *a) {
    polynomial p;
    if (!polynomial_of(a, cut->expr, &p)) return split_or_fail(a->split);
    for (int i = 0; i < p.n; i++) {
        if (p.terms[i].powers == 0 || p.terms[i].factor % cut->bound == 0) continue;
        ask_for_classes(a, &p.terms[i], (uint64_t)cut->bound);
        return TMAP_CUT_SPLITS;
    }
    return TMAP_CUT_CONSTANT;
}

static uint64_t least_prime(uint64_t of) {
    uint64_t prime = 2;
    while (of % prime != 0) prime++;
    return prime;
}

/*
 * If g divides the bound and every factor of a size, c0 + g (...) is a multiple of the bound only if g divides c0, and
 * then if (...) + c0 / g is a multiple of bound / g. So one prime of the bound is enough for each split: K M is a
 * multiple of 128 in few cases, although K and M have many residues.
 */
static tmap_decided decide_multiple(const tmap_cut *cut, const attempt *a) {
    polynomial p;
    if (!polynomial_of(a, cut->expr, &p)) return split_or_fail(a->split);
    uint64_t bound = (uint64_t)cut->bound, common = bound, constant = 0;
    for (int i = 0; i < p.n; i++) {
        tmap_i128 rest = p.terms[i].factor % cut->bound;
        uint64_t residue = (uint64_t)(rest < 0 ? rest + cut->bound : rest);
        if (p.terms[i].powers == 0) constant = residue;
        if (p.terms[i].powers != 0) common = tmap_gcd(residue, common);
    }
    if (common == bound || constant % common != 0) return TMAP_CUT_CONSTANT;
    uint64_t prime = least_prime(bound / common);
    for (int i = 0; i < p.n; i++) {
        if (p.terms[i].powers == 0 || p.terms[i].factor / (tmap_i128)common % (tmap_i128)prime == 0) continue;
        ask_for_classes(a, &p.terms[i], common * prime);
        return TMAP_CUT_SPLITS;
    }
    return TMAP_CUT_TOO_LARGE; /* not reached: a prime of all factors would be in `common` */
}

/* c0 + c1 t reaches the bound from some t on, or up to some t. */
static tmap_decided split_line(const polynomial *p, tmap_i128 bound, tmap_split *split) {
    tmap_i128 slope = 0, start = 0;
    for (int i = 0; i < p->n; i++) *(p->terms[i].powers ? &slope : &start) = p->terms[i].factor;
    tmap_i128 head = slope > 0 ? -divide_down(start - bound, slope) : divide_down(start - bound, -slope) + 1;
    split->head = (uint64_t)head;
    return TMAP_CUT_SPLITS;
}

static bool is_line(const polynomial *p, int size) {
    for (int i = 0; i < p->n; i++)
        if (p->terms[i].powers != 0 && p->terms[i].powers != (uint32_t)1 << 4 * size) return false;
    return true;
}

/* Splits at the root of a line. Otherwise splits the range of the size that changes the value most in the middle. */
static tmap_decided split_by_place(const polynomial *p, const attempt *a, tmap_i128 bound) {
    tmap_i128 most = -1;
    for (int i = 0; i < p->n; i++) {
        tmap_i128 reach;
        if (p->terms[i].powers == 0 || !reach_of(&p->terms[i], a->cell, &reach)) continue;
        if (reach < 0) reach = -reach;
        for (uint32_t powers = p->terms[i].powers; reach > most && powers; powers &= powers - 1)
            if (a->cell->ranges[first_size(powers)].n > 1) a->split->size = first_size(powers);
        if (reach > most) most = reach;
    }
    if (a->split->size < 0) return TMAP_CUT_TOO_LARGE;
    if (is_line(p, a->split->size)) return split_line(p, bound, a->split);
    a->split->head = a->cell->ranges[a->split->size].n / 2;
    return TMAP_CUT_SPLITS;
}

static bool decides(const bounds *b, tmap_i128 bound) {
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
    uint64_t before = tmap_cut_value(cut, values), least = 1, most = range->n - 1;
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

/* Splits where a factor of one size changes its sign, if it changes. */
static bool split_at_sign(const tmap_expr *factor, const attempt *a) {
    tmap_cut sign = {TMAP_CUT_AT_LEAST, factor, 0};
    tmap_slope slope = tmap_expr_slope(factor, a->cell);
    if (!slope.known || count_sizes(&slope) != 1) return false;
    return decide_monotone(&sign, &slope, a) == TMAP_CUT_SPLITS;
}

static tmap_decided decide_at_least(const tmap_cut *cut, const attempt *a) {
    bounds b;
    polynomial p;
    if (bounds_of(cut->expr, a->cell, &b) && decides(&b, cut->bound)) return TMAP_CUT_CONSTANT;
    tmap_slope slope = tmap_expr_slope(cut->expr, a->cell);
    if (slope.known) return decide_monotone(cut, &slope, a);
    if (slope.crossing && split_at_sign(slope.crossing, a)) return TMAP_CUT_SPLITS;
    if (!polynomial_of(a, cut->expr, &p)) return split_or_fail(a->split);
    if (bounds_of_polynomial(&p, a->cell, &b) && decides(&b, cut->bound)) return TMAP_CUT_CONSTANT;
    return split_by_place(&p, a, cut->bound);
}

/* Splits the values of a monotone expression of one size at 0, at the bound, or in the middle of both. */
static bool split_values(const tmap_cut *cut, const bounds *b, const attempt *a) {
    tmap_i128 least = b->least < 0 ? 0 : b->least, most = b->most < cut->bound ? b->most : cut->bound;
    tmap_cut half = {TMAP_CUT_AT_LEAST, cut->expr, b->least < 0 ? 0 : most - (most - least) / 2};
    tmap_slope slope = tmap_expr_slope(cut->expr, a->cell);
    return slope.known && count_sizes(&slope) == 1 && decide_monotone(&half, &slope, a) == TMAP_CUT_SPLITS;
}

static tmap_decided decide_values(const tmap_cut *cut, const attempt *a) {
    bounds b;
    bool known = bounds_of(cut->expr, a->cell, &b);
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

tmap_decided tmap_cut_decide(const tmap_cut *cut, const tmap_size_cell *cell, tmap_split *split) {
    *split = (tmap_split){.size = -1};
    attempt a = {cell, split};
    if (cut->kind == TMAP_CUT_MODULO) return decide_modulo(cut, &a);
    if (cut->kind == TMAP_CUT_MULTIPLE) return decide_multiple(cut, &a);
    return cut->kind == TMAP_CUT_AT_LEAST ? decide_at_least(cut, &a) : decide_values(cut, &a);
}

uint64_t tmap_cut_value(const tmap_cut *cut, const uint64_t *values) {
    tmap_i128 value = tmap_expr_value(cut->expr, values);
    if (cut->kind == TMAP_CUT_AT_LEAST || cut->kind == TMAP_CUT_VALUES) return value >= cut->bound;
    tmap_i128 rest = value % cut->bound;
    if (cut->kind == TMAP_CUT_MULTIPLE) return rest == 0;
    return (uint64_t)(rest < 0 ? rest + cut->bound : rest);
}
