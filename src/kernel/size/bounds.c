/*
 * Bounds of expressions over cells: by interval arithmetic, and by a polynomial that approximates the expression, in
 * which equal terms cancel. A quotient floor(x / d) is between (x - d + 1) / d and x / d.
 */
#include "size/polynomial.h"

/* ---- Polynomials near an expression --------------------------------------------------------------------------- */

/* scale x expression = polynomial + a number within the bounds `past`. */
typedef struct near {
    tmap_polynomial polynomial;
    tmap_i128 scale;
    tmap_bounds past;
} near;

static bool near_of(const tmap_expr *expr, const tmap_size_cell *cell, near *out);

static bool is_exact(const near *of) {
    return of->past.least == 0 && of->past.most == 0;
}

static bool scale_bounds(tmap_bounds *of, tmap_i128 factor) {
    tmap_bounds by = {factor, factor}, before = *of;
    return tmap_bounds_multiply(&before, &by, of);
}

static bool rescale(near *of, tmap_i128 factor) {
    for (int i = 0; i < of->polynomial.n; i++)
        if (!tmap_multiply_small(of->polynomial.terms[i].factor, factor, &of->polynomial.terms[i].factor)) return false;
    return scale_bounds(&of->past, factor) && tmap_multiply_small(of->scale, factor, &of->scale);
}

static bool add_near(near *to, near *more, int sign) {
    tmap_i128 scale = to->scale;
    if (scale != more->scale && (!rescale(to, more->scale) || !rescale(more, scale))) return false;
    tmap_bounds past = more->past;
    if (sign < 0) past = (tmap_bounds){-more->past.most, -more->past.least};
    to->past.least += past.least;
    to->past.most += past.most;
    return tmap_is_small(to->past.least) && tmap_is_small(to->past.most) &&
           tmap_polynomial_add(&to->polynomial, &more->polynomial, sign);
}

static bool polynomial_bounds(const tmap_polynomial *p, const tmap_size_cell *cell, tmap_bounds *out) {
    tmap_variables variables = tmap_variables_of(cell);
    return tmap_polynomial_bounds(p, &variables, out);
}

/* Adds the bounds of the product of the polynomial of `a` and a number within the bounds `past` of `b`. */
static bool add_past(const near *a, const near *b, const tmap_size_cell *cell, tmap_bounds *past) {
    tmap_bounds values, more;
    if (is_exact(b)) return true;
    if (!polynomial_bounds(&a->polynomial, cell, &values) || !tmap_bounds_multiply(&values, &b->past, &more))
        return false;
    past->least += more.least;
    past->most += more.most;
    return true;
}

/* (p + e) (q + f) = p q + p f + q e + e f */
static bool multiply_near(const near *a, const near *b, const tmap_size_cell *cell, near *out) {
    if (!tmap_bounds_multiply(&a->past, &b->past, &out->past)) return false;
    return tmap_multiply_small(a->scale, b->scale, &out->scale) && add_past(a, b, cell, &out->past) &&
           add_past(b, a, cell, &out->past) && tmap_is_small(out->past.least) && tmap_is_small(out->past.most) &&
           tmap_polynomial_multiply(&a->polynomial, &b->polynomial, &out->polynomial);
}

/* Whether the division is exact up to the constant term. */
static bool divides_terms(const near *of, tmap_i128 divisor) {
    return of->scale == 1 && is_exact(of) && !tmap_polynomial_undivided(&of->polynomial, divisor);
}

static bool divide_near(near *of, tmap_i128 divisor, bool up) {
    tmap_i128 scale, rest;
    if (!divides_terms(of, divisor)) {
        if (!tmap_multiply_small(of->scale, divisor, &scale)) return false;
        rest = scale - of->scale;
        of->scale = scale;
        *(up ? &of->past.most : &of->past.least) += up ? rest : -rest;
        return tmap_is_small(of->past.least) && tmap_is_small(of->past.most);
    }
    if (up && !tmap_polynomial_add_term(&of->polynomial, 0, divisor - 1)) return false;
    tmap_polynomial_divide(&of->polynomial, divisor);
    return true;
}

static bool near_of(const tmap_expr *expr, const tmap_size_cell *cell, near *out) {
    out->past = (tmap_bounds){0, 0};
    out->scale = 1;
    out->polynomial.n = 0;
    if (expr->kind == TMAP_EXPR_NUMBER) return tmap_polynomial_add_term(&out->polynomial, 0, expr->number);
    if (expr->kind == TMAP_EXPR_SIZE) return tmap_polynomial_of_size(cell, expr->size, &out->polynomial);
    near left, right;
    if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL)
        return near_of(expr->left, cell, out) && divide_near(out, expr->number, expr->kind == TMAP_EXPR_CEIL);
    if (!near_of(expr->right, cell, &right)) return false;
    if (expr->kind != TMAP_EXPR_MULTIPLY)
        return near_of(expr->left, cell, out) && add_near(out, &right, expr->kind == TMAP_EXPR_ADD ? 1 : -1);
    return near_of(expr->left, cell, &left) && multiply_near(&left, &right, cell, out);
}

/* Narrows the bounds by those of the polynomial. */
static void narrow(const near *of, const tmap_size_cell *cell, tmap_bounds *bounds) {
    tmap_bounds b;
    if (!polynomial_bounds(&of->polynomial, cell, &b)) return;
    b.least = -tmap_divide_down(-(b.least + of->past.least), of->scale);
    b.most = tmap_divide_down(b.most + of->past.most, of->scale);
    if (b.least > bounds->least) bounds->least = b.least;
    if (b.most < bounds->most) bounds->most = b.most;
}

bool tmap_expr_bounds(const tmap_expr *expr, const tmap_size_cell *cell, tmap_bounds *out) {
    near of;
    if (!tmap_expr_interval(expr, cell, out)) return false;
    if (near_of(expr, cell, &of)) narrow(&of, cell, out);
    return true;
}
