#include "size/polynomial.h"

bool tmap_polynomial_add_term(tmap_polynomial *to, uint64_t powers, tmap_i128 factor) {
    int i = 0;
    while (i < to->n && to->terms[i].powers != powers) i++;
    if (i == TMAP_TERMS_MAX) return false;
    if (i == to->n) to->terms[to->n++] = (tmap_term){powers, 0};
    to->terms[i].factor += factor;
    if (!tmap_is_small(to->terms[i].factor)) return false;
    if (to->terms[i].factor == 0) to->terms[i] = to->terms[--to->n];
    return true;
}

bool tmap_polynomial_add(tmap_polynomial *to, const tmap_polynomial *from, tmap_i128 factor) {
    for (int i = 0; i < from->n; i++) {
        tmap_i128 scaled;
        if (!tmap_multiply_small(from->terms[i].factor, factor, &scaled)) return false;
        if (!tmap_polynomial_add_term(to, from->terms[i].powers, scaled)) return false;
    }
    return true;
}

#define POWER_TOPS 0x8888888888888888u /* a power of 8 or more: the sum of two such powers could carry */

bool tmap_polynomial_multiply(const tmap_polynomial *a, const tmap_polynomial *b, tmap_polynomial *out) {
    out->n = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            uint64_t powers = a->terms[i].powers + b->terms[j].powers;
            tmap_i128 factor;
            if (((a->terms[i].powers | b->terms[j].powers) & POWER_TOPS) != 0) return false;
            if (!tmap_multiply_small(a->terms[i].factor, b->terms[j].factor, &factor)) return false;
            if (!tmap_polynomial_add_term(out, powers, factor)) return false;
        }
    return true;
}

void tmap_polynomial_divide(tmap_polynomial *p, tmap_i128 divisor) {
    for (int i = p->n - 1; i >= 0; i--) {
        p->terms[i].factor = tmap_divide_down(p->terms[i].factor, divisor);
        if (p->terms[i].factor == 0) p->terms[i] = p->terms[--p->n];
    }
}

bool tmap_polynomial_of_size(const tmap_size_cell *cell, int size, tmap_polynomial *out) {
    const tmap_size_range *range = &cell->ranges[size];
    out->n = 0;
    if (!tmap_polynomial_add_term(out, 0, range->first)) return false;
    return range->n == 1 || tmap_polynomial_add_term(out, (uint64_t)1 << 4 * size, range->step);
}

tmap_variables tmap_variables_of(const tmap_size_cell *cell) {
    tmap_variables v = {.cell = cell};
    for (int i = 0; i < TMAP_SIZES_MAX; i++) v.n[i] = cell->ranges[i].n;
    return v;
}

bool tmap_term_reach(const tmap_term *of, const tmap_variables *variables, tmap_i128 *reach) {
    *reach = of->factor;
    for (uint64_t powers = of->powers; powers; powers -= (uint64_t)1 << 4 * tmap_first_variable(powers))
        if (!tmap_multiply_small(*reach, variables->n[tmap_first_variable(powers)] - 1, reach)) return false;
    return true;
}

bool tmap_polynomial_bounds(const tmap_polynomial *p, const tmap_variables *variables, tmap_bounds *out) {
    *out = (tmap_bounds){0, 0};
    for (int i = 0; i < p->n; i++) {
        tmap_i128 reach;
        if (!tmap_term_reach(&p->terms[i], variables, &reach)) return false;
        bool constant = p->terms[i].powers == 0;
        if (constant || reach < 0) out->least += reach;
        if (constant || reach > 0) out->most += reach;
    }
    return true;
}

int tmap_polynomial_direction(const tmap_polynomial *p, const tmap_variables *variables, int variable) {
    tmap_polynomial slope = {.n = 0};
    tmap_bounds b;
    for (int i = 0; i < p->n; i++) {
        tmap_i128 factor, power = p->terms[i].powers >> 4 * variable & 15;
        if (power == 0) continue;
        if (!tmap_multiply_small(p->terms[i].factor, power, &factor)) return 0;
        slope.terms[slope.n++] = (tmap_term){p->terms[i].powers - ((uint64_t)1 << 4 * variable), factor};
    }
    if (!tmap_polynomial_bounds(&slope, variables, &b)) return 0;
    return b.least >= 0 ? 1 : b.most <= 0 ? -1 : 0;
}

/* ---- Polynomials of expressions ------------------------------------------------------------------------------- */

const tmap_term *tmap_polynomial_undivided(const tmap_polynomial *p, tmap_i128 divisor) {
    for (int i = 0; i < p->n; i++)
        if (p->terms[i].powers != 0 && p->terms[i].factor % divisor != 0) return &p->terms[i];
    return NULL;
}

static bool add_quotient(tmap_variables *v, const tmap_expr *expr, const tmap_polynomial *of, tmap_polynomial *out) {
    int i = 0;
    tmap_i128 up = expr->kind == TMAP_EXPR_CEIL ? expr->number - 1 : 0;
    while (i < v->quotients_n && !tmap_expr_equal(v->quotients[i], expr)) i++;
    if (i == TMAP_QUOTIENTS_MAX) return false;
    if (i == v->quotients_n) {
        tmap_bounds b, interval;
        if (!tmap_polynomial_bounds(of, v, &b) || !tmap_expr_interval(expr->left, v->cell, &interval)) return false;
        if (interval.least > b.least) b.least = interval.least;
        if (interval.most < b.most) b.most = interval.most;
        v->quotients[i] = expr;
        v->first[i] = tmap_divide_down(b.least + up, expr->number);
        v->n[TMAP_SIZES_MAX + i] = tmap_divide_down(b.most + up, expr->number) - v->first[i] + 1;
        v->quotients_n++;
    }
    out->n = 0;
    return tmap_polynomial_add_term(out, 0, v->first[i]) &&
           (v->n[TMAP_SIZES_MAX + i] == 1 || tmap_polynomial_add_term(out, (uint64_t)1 << 4 * (TMAP_SIZES_MAX + i), 1));
}

static bool polynomial_of_quotient(const tmap_expr *expr, tmap_variables *v, tmap_polynomial *out) {
    tmap_polynomial of;
    if (!tmap_polynomial_of(expr->left, v, &of)) return false;
    const tmap_term *undivided = tmap_polynomial_undivided(&of, expr->number);
    if (undivided && v->exact) {
        v->divisor = (uint64_t)expr->number;
        v->undivided = *undivided;
        return false;
    }
    if (undivided) return add_quotient(v, expr, &of, out);
    *out = of;
    if (expr->kind == TMAP_EXPR_CEIL && !tmap_polynomial_add_term(out, 0, expr->number - 1)) return false;
    tmap_polynomial_divide(out, expr->number);
    return true;
}

bool tmap_polynomial_of(const tmap_expr *expr, tmap_variables *variables, tmap_polynomial *out) {
    out->n = 0;
    if (expr->kind == TMAP_EXPR_NUMBER) return tmap_polynomial_add_term(out, 0, expr->number);
    if (expr->kind == TMAP_EXPR_SIZE) return tmap_polynomial_of_size(variables->cell, expr->size, out);
    if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL)
        return polynomial_of_quotient(expr, variables, out);
    tmap_polynomial left, right;
    bool product = expr->kind == TMAP_EXPR_MULTIPLY;
    if (!tmap_polynomial_of(expr->left, variables, product ? &left : out)) return false;
    if (!tmap_polynomial_of(expr->right, variables, &right)) return false;
    if (product) return tmap_polynomial_multiply(&left, &right, out);
    return tmap_polynomial_add(out, &right, expr->kind == TMAP_EXPR_ADD ? 1 : -1);
}
