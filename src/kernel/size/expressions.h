/* expressions: the numbers of a map and a copy as expressions, and the cuts that the comparisons of
 * src/core/rule/comparisons.h make of them. */
#pragma once

#include "params/allocation.h"
#include "params/derive.h"
#include "rule/rules.h"
#include "size/sized.h"

/* A rule whose cuts are made. */
typedef struct cut_maker {
    tmap_trial trial; /* first: comparisons receive a pointer to the trial */
    const tmap_sized *sized;
    tmap_cuts *cuts;
    int last;  /* 1 + the number of the cut that the last comparison made; 0: it made none */
    int needs; /* of later cuts (tmap_cut) */
    bool needs_reached;
} cut_maker;

typedef struct quantity {
    cut_maker *by;
    const tmap_expr *expr;
} quantity;

static inline cut_maker *maker_of(const tmap_trial *trial) {
    return (cut_maker *)trial;
}

/* ---- Quantities ------------------------------------------------------------------------------------------------ */

static inline quantity constant(const tmap_trial *trial, tmap_i128 value) {
    cut_maker *by = maker_of(trial);
    return (quantity){by, tmap_expr_number(by->cuts->arena, (int64_t)value)};
}

static inline quantity binary(tmap_expr_kind kind, quantity a, quantity b) {
    return (quantity){a.by, tmap_expr_make(a.by->cuts->arena, kind, a.expr, b.expr)};
}

static inline quantity sum(quantity a, quantity b) {
    return binary(TMAP_EXPR_ADD, a, b);
}

static inline quantity difference(quantity a, quantity b) {
    return binary(TMAP_EXPR_SUBTRACT, a, b);
}

static inline quantity product(quantity a, quantity b) {
    return binary(TMAP_EXPR_MULTIPLY, a, b);
}

static inline quantity scaled(int64_t factor, quantity of) {
    return factor == 1 ? of : product(constant(&of.by->trial, factor), of);
}

/* Rounded down. */
static inline quantity divided(quantity of, int64_t divisor) {
    return (quantity){of.by, tmap_expr_divide(of.by->cuts->arena, TMAP_EXPR_FLOOR, of.expr, divisor)};
}

static inline quantity divided_up(quantity of, uint64_t divisor) {
    int64_t by = divisor > INT64_MAX ? INT64_MAX : (int64_t)divisor;
    return (quantity){of.by, tmap_expr_divide(of.by->cuts->arena, TMAP_EXPR_CEIL, of.expr, by)};
}

static inline quantity rounded_up(quantity of, uint64_t step) {
    return scaled((int64_t)step, divided_up(of, step));
}

/* Number `entry` of a field. */
static inline quantity quantity_of(const tmap_trial *trial, tmap_field field, int entry) {
    cut_maker *by = maker_of(trial);
    int slot = tmap_slot_of((int)field, entry);
    const tmap_expr *expr = slot < 0 ? NULL : tmap_slot_expr(by->sized, slot);
    if (expr) by->cuts->slots |= (uint32_t)1 << slot;
    if (expr) return (quantity){by, expr};
    tmap_i128 value = tmap_field_value(trial->map, trial->copy, field, entry);
    if (value <= INT64_MAX) return constant(trial, value);
    return sum(constant(trial, INT64_MAX), sum(constant(trial, value - INT64_MAX - 1), constant(trial, 1)));
}

static inline bool contains(const tmap_expr *expr, const tmap_expr *part) {
    return expr && (expr == part || contains(expr->left, part) || contains(expr->right, part));
}

/* A dense stride of at least 1 is a multiple of the row: tmap_slots_dense makes it from the expression of dimension 0.
 */
static inline bool is_dense_stride(const tmap_trial *trial) {
    const tmap_sized *sized = maker_of(trial)->sized;
    const tmap_expr *row = tmap_slot_expr(sized, TMAP_SLOT_DIMS);
    return row && contains(tmap_slot_expr(sized, TMAP_SLOT_STRIDES + trial->dim - 1), row);
}

/* ---- Cuts ------------------------------------------------------------------------------------------------------ */

static inline bool add(quantity of, tmap_cut_kind kind, tmap_i128 bound) {
    tmap_cuts *cuts = of.by->cuts;
    of.by->last = 0;
    if (!of.expr || cuts->n == (int)(sizeof cuts->items / sizeof *cuts->items)) {
        cuts->failed = true;
    } else if (of.expr->sizes) {
        cuts->items[cuts->n] = (tmap_cut){.kind = kind, .expr = of.expr, .bound = bound};
        cuts->items[cuts->n].needs = of.by->needs;
        cuts->items[cuts->n].needs_reached = of.by->needs_reached;
        of.by->last = ++cuts->n;
    }
    return true;
}

/* Returns true if some values reach the bound and others may not. */
static inline bool at_least(quantity value, tmap_i128 bound) {
    bool known = value.expr && value.expr->sizes == 0;
    return add(value, TMAP_CUT_AT_LEAST, bound) && (!known || tmap_expr_value(value.expr, NULL) >= bound);
}

static inline bool is_multiple(quantity value, int64_t of) {
    return of <= 1 || add(value, TMAP_CUT_MULTIPLE, of);
}

/* Later cuts matter only where the last one is reached, or is not reached. */
static inline void follow(const tmap_trial *trial, bool reached) {
    cut_maker *m = maker_of(trial);
    if (m->last == 0) return;
    m->needs = m->last;
    m->needs_reached = reached;
}

static inline void if_reached(const tmap_trial *trial) {
    follow(trial, true);
}

static inline void unless_reached(const tmap_trial *trial) {
    follow(trial, false);
}

static quantity span_of(const tmap_trial *trial); /* cuts.c */
