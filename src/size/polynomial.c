#include "size/polynomial.h"

bool tmap_polynomial_add_term(tmap_polynomial *to, uint32_t powers, tmap_i128 factor) {
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

#define POWER_TOPS 0x88888888u /* a power of 8 or more: the sum of two such powers could carry */

bool tmap_polynomial_multiply(const tmap_polynomial *a, const tmap_polynomial *b, tmap_polynomial *out) {
    out->n = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            uint32_t powers = a->terms[i].powers + b->terms[j].powers;
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
    return range->n == 1 || tmap_polynomial_add_term(out, (uint32_t)1 << 4 * size, range->step);
}

bool tmap_term_reach(const tmap_term *of, const tmap_size_cell *cell, tmap_i128 *reach) {
    *reach = of->factor;
    for (uint32_t powers = of->powers; powers; powers -= (uint32_t)1 << 4 * tmap_first_size(powers))
        if (!tmap_multiply_small(*reach, (tmap_i128)cell->ranges[tmap_first_size(powers)].n - 1, reach)) return false;
    return true;
}

bool tmap_polynomial_bounds(const tmap_polynomial *p, const tmap_size_cell *cell, tmap_bounds *out) {
    *out = (tmap_bounds){0, 0};
    for (int i = 0; i < p->n; i++) {
        tmap_i128 reach;
        if (!tmap_term_reach(&p->terms[i], cell, &reach)) return false;
        bool constant = p->terms[i].powers == 0;
        if (constant || reach < 0) out->least += reach;
        if (constant || reach > 0) out->most += reach;
    }
    return true;
}
