/* Bounds of expressions over cells by interval arithmetic. */
#include "size/polynomial.h"

bool tmap_bounds_multiply(const tmap_bounds *a, const tmap_bounds *b, tmap_bounds *out) {
    tmap_i128 corners[4];
    bool good =
        tmap_multiply_small(a->least, b->least, &corners[0]) && tmap_multiply_small(a->least, b->most, &corners[1]) &&
        tmap_multiply_small(a->most, b->least, &corners[2]) && tmap_multiply_small(a->most, b->most, &corners[3]);
    if (!good) return false;
    *out = (tmap_bounds){corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        if (corners[i] < out->least) out->least = corners[i];
        if (corners[i] > out->most) out->most = corners[i];
    }
    return true;
}

bool tmap_expr_interval(const tmap_expr *expr, const tmap_size_cell *cell, tmap_bounds *out) {
    tmap_bounds left, right;
    if (expr->kind == TMAP_EXPR_NUMBER || expr->kind == TMAP_EXPR_SIZE) {
        *out = expr->kind == TMAP_EXPR_NUMBER
                   ? (tmap_bounds){expr->number, expr->number}
                   : (tmap_bounds){cell->ranges[expr->size].first, tmap_range_last(&cell->ranges[expr->size])};
        return true;
    }
    if (!tmap_expr_interval(expr->left, cell, &left)) return false;
    if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) {
        tmap_i128 up = expr->kind == TMAP_EXPR_CEIL ? expr->number - 1 : 0;
        *out = (tmap_bounds){tmap_divide_down(left.least + up, expr->number),
                             tmap_divide_down(left.most + up, expr->number)};
        return true;
    }
    if (!tmap_expr_interval(expr->right, cell, &right)) return false;
    if (expr->kind == TMAP_EXPR_MULTIPLY) return tmap_bounds_multiply(&left, &right, out);
    bool add = expr->kind == TMAP_EXPR_ADD;
    *out = add ? (tmap_bounds){left.least + right.least, left.most + right.most}
               : (tmap_bounds){left.least - right.most, left.most - right.least};
    return tmap_is_small(out->least) && tmap_is_small(out->most);
}

bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell) {
    tmap_bounds ignored;
    return tmap_expr_interval(expr, cell, &ignored);
}
