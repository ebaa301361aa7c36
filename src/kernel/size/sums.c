/*
 * Sums of assumed cuts. A cut with its side is a polynomial that is 0 or more at each point of the cell. A sum of two
 * such polynomials, each times a positive number, is 0 or more too; in some sums large terms cancel. If one of the sums
 * is below 0 in the whole cell, the cell has no point.
 */
#include "size/search.h"

#define SUMS_MAX 24

typedef struct half_sums {
    tmap_variables variables;
    tmap_polynomial items[SUMS_MAX];
    int n;
} half_sums;

static tmap_i128 divisor_of(tmap_i128 a, tmap_i128 b) {
    while (b != 0) {
        tmap_i128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Divides by the common divisor g of the factors. Each variable is an integer, so
 * g x + c >= 0 is x + floor(c / g) >= 0. */
static void reduce(tmap_polynomial *p) {
    tmap_i128 g = 0;
    for (int i = 0; i < p->n; i++)
        if (p->terms[i].powers) g = divisor_of(p->terms[i].factor, g);
    if (g > 1) tmap_polynomial_divide(p, g);
}

static bool polynomial_of_half(const tmap_half *half, half_sums *s, tmap_polynomial *out) {
    tmap_polynomial of;
    tmap_i128 bound = half->cut->bound;
    *out = (tmap_polynomial){.n = 0};
    bool good = tmap_polynomial_of(half->cut->expr, &s->variables, &of) &&
                tmap_polynomial_add(out, &of, half->reached ? 1 : -1) &&
                tmap_polynomial_add_term(out, 0, half->reached ? -bound : bound - 1);
    if (good) reduce(out);
    return good;
}

/* A term with different signs in both polynomials; returns false if there is no such term. */
static bool find_opposite(const tmap_polynomial *a, const tmap_polynomial *b, tmap_i128 *of_a, tmap_i128 *of_b) {
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            if (a->terms[i].powers == 0 || a->terms[i].powers != b->terms[j].powers) continue;
            *of_a = a->terms[i].factor;
            *of_b = b->terms[j].factor;
            if ((*of_a < 0) != (*of_b < 0)) return true;
        }
    return false;
}

/* The sum in which a term cancels. Returns false if the sum has more terms than both. */
static bool sum_of(const tmap_polynomial *a, const tmap_polynomial *b, tmap_polynomial *out) {
    tmap_i128 of_a, of_b;
    if (!find_opposite(a, b, &of_a, &of_b)) return false;
    tmap_i128 g = divisor_of(of_a, of_b);
    of_a = (of_a < 0 ? -of_a : of_a) / g;
    of_b = (of_b < 0 ? -of_b : of_b) / g;
    *out = (tmap_polynomial){.n = 0};
    if (!tmap_polynomial_add(out, a, of_b) || !tmap_polynomial_add(out, b, of_a)) return false;
    reduce(out);
    return out->n <= (a->n > b->n ? a->n : b->n);
}

static bool is_below(const half_sums *s, const tmap_polynomial *p) {
    tmap_bounds b;
    return tmap_polynomial_bounds(p, &s->variables, &b) && b.most < 0;
}

static bool is_same(const tmap_polynomial *a, const tmap_polynomial *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++) {
        int j = 0;
        while (j < b->n && b->terms[j].powers != a->terms[i].powers) j++;
        if (j == b->n || b->terms[j].factor != a->terms[i].factor) return false;
    }
    return true;
}

/* Adds a polynomial, unless the list has the same one. Returns false if it is below 0 everywhere. */
static bool add(half_sums *s, const tmap_polynomial *p) {
    if (is_below(s, p)) return false;
    for (int i = 0; i < s->n; i++)
        if (is_same(&s->items[i], p)) return true;
    if (s->n < SUMS_MAX) s->items[s->n++] = *p;
    return true;
}

bool tmap_halves_agree(const tmap_half *halves, int n, const tmap_size_cell *cell, int64_t *work) {
    half_sums s = {.variables = tmap_variables_of(cell)};
    tmap_polynomial p;
    for (int i = 0; i < n; i++) *work -= halves[i].cut->expr->work;
    for (int i = 0; i < n; i++)
        if (halves[i].cut->kind == TMAP_CUT_AT_LEAST && polynomial_of_half(&halves[i], &s, &p) && !add(&s, &p))
            return false;
    int halves_n = s.n;
    for (int i = 1; i < s.n; i++)
        for (int j = 0; j < i && j < halves_n; j++) {
            if (*work <= 0) return true;
            *work -= 8 + (int64_t)s.items[i].n * s.items[j].n;
            if (sum_of(&s.items[i], &s.items[j], &p) && !add(&s, &p)) return false;
        }
    return true;
}
