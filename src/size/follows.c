/* Decides a comparison by an assumed comparison: both become sums of parts, in which equal parts cancel. */
#include "size/cell.h"

#define PARTS_MAX 12

/* constant + sum of factor x part; a part is an expression that is not a sum, such as a product or a quotient. */
typedef struct linear_sum {
    tmap_i128 constant;
    struct {
        const tmap_expr *expr;
        tmap_i128 factor;
    } items[PARTS_MAX];
    int n;
} linear_sum;

static bool is_small(tmap_i128 x) {
    return x <= TMAP_EXPR_LIMIT && x >= -TMAP_EXPR_LIMIT;
}

static bool add_part(linear_sum *to, const tmap_expr *expr, tmap_i128 factor) {
    int i = 0;
    while (i < to->n && !tmap_expr_equal(to->items[i].expr, expr)) i++;
    if (i == PARTS_MAX) return false;
    if (i == to->n) {
        to->n++;
        to->items[i].expr = expr;
        to->items[i].factor = 0;
    }
    to->items[i].factor += factor;
    return is_small(to->items[i].factor);
}

static bool add_expr(linear_sum *to, const tmap_expr *expr, tmap_i128 factor) {
    tmap_i128 product;
    if (expr->kind == TMAP_EXPR_NUMBER) {
        if (__builtin_mul_overflow(factor, (tmap_i128)expr->number, &product) || !is_small(product)) return false;
        to->constant += product;
        return is_small(to->constant);
    }
    if (expr->kind == TMAP_EXPR_ADD || expr->kind == TMAP_EXPR_SUBTRACT)
        return add_expr(to, expr->left, factor) &&
               add_expr(to, expr->right, expr->kind == TMAP_EXPR_ADD ? factor : -factor);
    const tmap_expr *number = expr->kind != TMAP_EXPR_MULTIPLY        ? NULL
                              : expr->left->kind == TMAP_EXPR_NUMBER  ? expr->left
                              : expr->right->kind == TMAP_EXPR_NUMBER ? expr->right
                                                                      : NULL;
    if (!number) return add_part(to, expr, factor);
    if (__builtin_mul_overflow(factor, (tmap_i128)number->number, &product) || !is_small(product)) return false;
    return add_expr(to, number == expr->left ? expr->right : expr->left, product);
}

static tmap_i128 divisor_of(tmap_i128 a, tmap_i128 b) {
    while (b != 0) {
        tmap_i128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Divides by the common divisor g of the factors: parts are integers, so g x + c >= 0 is x + floor(c / g) >= 0. */
static void reduce(linear_sum *of) {
    tmap_i128 g = 0;
    for (int i = 0; i < of->n; i++) g = divisor_of(of->items[i].factor, g);
    if (g <= 1) return;
    for (int i = 0; i < of->n; i++) of->items[i].factor /= g;
    of->constant = of->constant / g - (of->constant % g < 0);
}

/* The sum that is 0 or more if the cut is reached (expr - bound), or if it is not reached (bound - 1 - expr). */
static bool half_of(const tmap_cut *cut, bool reached, linear_sum *out) {
    *out = (linear_sum){.constant = reached ? -cut->bound : cut->bound - 1};
    if (!is_small(cut->bound) || !add_expr(out, cut->expr, reached ? 1 : -1)) return false;
    reduce(out);
    return true;
}

static bool add_scaled(linear_sum *to, const linear_sum *from, tmap_i128 factor) {
    tmap_i128 product;
    if (__builtin_mul_overflow(from->constant, factor, &product) || !is_small(product)) return false;
    to->constant += product;
    for (int i = 0; i < from->n; i++)
        if (__builtin_mul_overflow(from->items[i].factor, factor, &product) || !is_small(product) ||
            !add_part(to, from->items[i].expr, product))
            return false;
    return is_small(to->constant);
}

/* Whether the sum is 0 or more over the whole cell, by the bounds of each part. */
static bool is_above(const linear_sum *of, const tmap_size_cell *cell) {
    tmap_i128 least = of->constant;
    for (int i = 0; i < of->n; i++) {
        tmap_bounds b;
        tmap_i128 product, factor = of->items[i].factor;
        if (factor == 0) continue;
        if (!tmap_expr_interval(of->items[i].expr, cell, &b)) return false;
        if (__builtin_mul_overflow(factor, factor > 0 ? b.least : b.most, &product) || !is_small(product)) return false;
        least += product;
    }
    return least >= 0;
}

/* Whether `then` >= 0 follows from `given` >= 0: x `then` - y `given` >= 0 for some positive x and y. */
static bool implies(const linear_sum *given, const linear_sum *then, const tmap_size_cell *cell) {
    for (int i = 0; i < given->n; i++)
        for (int j = 0; j < then->n; j++) {
            tmap_i128 a = given->items[i].factor, b = then->items[j].factor;
            if (a == 0 || b == 0 || (a < 0) != (b < 0) || !tmap_expr_equal(given->items[i].expr, then->items[j].expr))
                continue;
            linear_sum difference = {0};
            return add_scaled(&difference, then, a < 0 ? -a : a) && add_scaled(&difference, given, b < 0 ? b : -b) &&
                   is_above(&difference, cell);
        }
    return false;
}

int tmap_cut_follows(const tmap_cut *cut, const tmap_cut *assumed, bool reached, const tmap_size_cell *cell) {
    linear_sum given, then;
    if (!half_of(assumed, reached, &given)) return -1;
    if (half_of(cut, true, &then) && implies(&given, &then, cell)) return 1;
    return half_of(cut, false, &then) && implies(&given, &then, cell) ? 0 : -1;
}
