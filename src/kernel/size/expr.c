/* Makes, evaluates and prints expressions over sizes. */
#include "size/expr.h"

#include <inttypes.h>

#include "text/print.h"

const tmap_expr *tmap_expr_number(tmap_arena *arena, int64_t number) {
    tmap_expr *expr = tmap_arena_take(arena, sizeof *expr);
    if (expr) *expr = (tmap_expr){.kind = TMAP_EXPR_NUMBER, .number = number, .nodes = 1, .terms = 1, .work = 8};
    return expr;
}

const tmap_expr *tmap_expr_size(tmap_arena *arena, int size) {
    tmap_expr *expr = tmap_arena_take(arena, sizeof *expr);
    if (!expr) return NULL;
    *expr = (tmap_expr){.kind = TMAP_EXPR_SIZE, .size = size, .sizes = (uint32_t)1 << size};
    expr->nodes = 1;
    expr->terms = 2;
    expr->work = 8;
    return expr;
}

static int at_most_terms(int terms) {
    return terms < TMAP_TERMS_MAX + 1 ? terms : TMAP_TERMS_MAX + 1;
}

/* A sum adds each term of one polynomial to the other polynomial. A product adds each product of two terms. An added
 * term is compared with all earlier terms. The slope of a product requires the values of both factors. */
static void count_work(tmap_expr *expr) {
    const tmap_expr *left = expr->left, *right = expr->right;
    bool product = expr->kind == TMAP_EXPR_MULTIPLY;
    int adds = product ? left->terms * right->terms : right->terms;
    expr->nodes = 1 + left->nodes + right->nodes;
    expr->terms = at_most_terms(product ? adds : left->terms + adds);
    expr->work = 8 + left->work + right->work + (int64_t)adds * expr->terms / 2 + (product ? 2 * expr->nodes : 0);
}

const tmap_expr *tmap_expr_make(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, const tmap_expr *right) {
    tmap_expr *expr = left && right ? tmap_arena_take(arena, sizeof *expr) : NULL;
    if (!expr) return NULL;
    *expr = (tmap_expr){.kind = kind, .left = left, .right = right, .sizes = left->sizes | right->sizes};
    count_work(expr);
    return expr;
}

const tmap_expr *tmap_expr_divide(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, int64_t divisor) {
    tmap_expr *expr = left ? tmap_arena_take(arena, sizeof *expr) : NULL;
    if (!expr) return NULL;
    *expr = (tmap_expr){.kind = kind, .left = left, .number = divisor, .sizes = left->sizes};
    expr->nodes = 1 + left->nodes;
    expr->terms = at_most_terms(left->terms + 1);
    expr->work = 16 + left->nodes + left->work;
    return expr;
}

static tmap_i128 clamp(tmap_i128 value) {
    if (value > TMAP_EXPR_LIMIT) return TMAP_EXPR_LIMIT;
    return value < -TMAP_EXPR_LIMIT ? -TMAP_EXPR_LIMIT : value;
}

static tmap_i128 multiply(tmap_i128 a, tmap_i128 b) {
    tmap_i128 product;
    if (!__builtin_mul_overflow(a, b, &product)) return clamp(product);
    return (a < 0) == (b < 0) ? TMAP_EXPR_LIMIT : -TMAP_EXPR_LIMIT;
}

static tmap_i128 divide_down(tmap_i128 a, int64_t b) {
    return a / b - (a % b < 0);
}

tmap_i128 tmap_expr_value(const tmap_expr *expr, const uint64_t *values) {
    if (expr->kind == TMAP_EXPR_NUMBER) return expr->number;
    if (expr->kind == TMAP_EXPR_SIZE) return (tmap_i128)values[expr->size];
    if (expr->kind == TMAP_EXPR_FLOOR) return divide_down(tmap_expr_value(expr->left, values), expr->number);
    if (expr->kind == TMAP_EXPR_CEIL) return -divide_down(-tmap_expr_value(expr->left, values), expr->number);
    tmap_i128 left = tmap_expr_value(expr->left, values), right = tmap_expr_value(expr->right, values);
    if (expr->kind == TMAP_EXPR_MULTIPLY) return multiply(left, right);
    return clamp(expr->kind == TMAP_EXPR_ADD ? left + right : left - right);
}

bool tmap_expr_equal(const tmap_expr *a, const tmap_expr *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->number != b->number || a->size != b->size) return false;
    return tmap_expr_equal(a->left, b->left) && tmap_expr_equal(a->right, b->right);
}

/* ---- Text ----------------------------------------------------------------------------------------------------- */

static void print_number(tmap_sink *sink, int64_t number, bool c) {
    tmap_printf(sink, c ? "(tmap_wide)%" PRId64 : "%" PRId64, number);
}

/* In C, a size with one value is printed as a number. */
static void print_size(tmap_sink *sink, const tmap_size *size, bool c) {
    if (c && size->min == size->max)
        tmap_printf(sink, "(tmap_wide)%" PRIu64, size->min);
    else
        tmap_printf(sink, c ? "(tmap_wide)%s" : "%s", size->name);
}

static bool is_sum(const tmap_expr *expr) {
    return expr->kind == TMAP_EXPR_ADD || expr->kind == TMAP_EXPR_SUBTRACT;
}

static void print_operand(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool parentheses, bool c) {
    if (parentheses) tmap_puts(sink, "(");
    tmap_expr_print(sink, expr, sizes, c);
    if (parentheses) tmap_puts(sink, ")");
}

/* In C, '/' rounds towards 0: the text calls tmap_floor or tmap_ceil, which the generated file defines. */
static void print_division(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c) {
    const char *name = expr->kind == TMAP_EXPR_FLOOR ? "floor" : "ceil";
    tmap_printf(sink, "%s%s(", c ? "tmap_" : "", name);
    print_operand(sink, expr->left, sizes, !c && is_sum(expr->left), c);
    tmap_printf(sink, c ? ", %" PRId64 ")" : "/%" PRId64 ")", expr->number);
}

void tmap_expr_print(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c) {
    bool product = expr->kind == TMAP_EXPR_MULTIPLY;
    if (expr->kind == TMAP_EXPR_NUMBER) {
        print_number(sink, expr->number, c);
    } else if (expr->kind == TMAP_EXPR_SIZE) {
        print_size(sink, &sizes[expr->size], c);
    } else if (expr->kind == TMAP_EXPR_FLOOR || expr->kind == TMAP_EXPR_CEIL) {
        print_division(sink, expr, sizes, c);
    } else {
        print_operand(sink, expr->left, sizes, product && is_sum(expr->left), c);
        tmap_puts(sink, product && !c ? "*" : product ? " * " : expr->kind == TMAP_EXPR_ADD ? " + " : " - ");
        print_operand(sink, expr->right, sizes, is_sum(expr->right) && expr->kind != TMAP_EXPR_ADD, c);
    }
}
