/* cut_maker: expressions and cuts of a rule; files cuts_*.c make the cuts of the rules of rules.def. */
#pragma once

#include "params/derive.h"
#include "rule/rules.h"
#include "size/sized.h"

/* The data from which a rule's cuts are made. */
typedef struct cut_maker {
    const tmap_sized *sized;
    tmap_cuts *cuts;
    const tmap_map_params *map;
    const tmap_copy_params *copy;
    const tmap_type_info *type;
    const tmap_interleave_info *interleave;
    const tmap_mode_info *mode;
    const tmap_rule *rule;
    int dim;
} cut_maker;

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

static inline const tmap_expr *number(const cut_maker *m, int64_t value) {
    return tmap_expr_number(m->cuts->arena, value);
}

static inline const tmap_expr *sum(const cut_maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_ADD, a, b);
}

static inline const tmap_expr *difference(const cut_maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_SUBTRACT, a, b);
}

static inline const tmap_expr *product(const cut_maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_MULTIPLY, a, b);
}

static inline const tmap_expr *scaled(const cut_maker *m, int64_t factor, const tmap_expr *expr) {
    return factor == 1 ? expr : product(m, number(m, factor), expr);
}

/* A number of the map as an expression. Numbers from 2^63 on occur only as parameters without sizes, and only their
 * sign matters in comparisons, so they are clamped. */
static inline const tmap_expr *of_number(const cut_maker *m, uint64_t value) {
    return number(m, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static inline const tmap_expr *expr_of(const cut_maker *m, int of_slot) {
    const tmap_expr *expr = tmap_slot_expr(m->sized, of_slot);
    if (expr) m->cuts->slots |= (uint32_t)1 << of_slot;
    return expr;
}

static inline const tmap_expr *slot(const cut_maker *m, int of_slot, uint64_t value) {
    const tmap_expr *expr = expr_of(m, of_slot);
    return expr ? expr : of_number(m, value);
}

static inline const tmap_expr *dim_size(const cut_maker *m, int dim) {
    return slot(m, TMAP_SLOT_DIMS + dim, m->map->dims_el[dim]);
}

static inline const tmap_expr *stride(const cut_maker *m, int dim) {
    return slot(m, TMAP_SLOT_STRIDES + dim - 1, m->map->strides_B[dim - 1]);
}

static inline const tmap_expr *box(const cut_maker *m, int dim) {
    return slot(m, TMAP_SLOT_BOX + dim, m->map->box_el[dim]);
}

static inline const tmap_expr *coordinate(const cut_maker *m, int of_slot, int64_t value) {
    const tmap_expr *expr = expr_of(m, of_slot);
    return expr ? expr : number(m, value);
}

/* ---- Cuts ----------------------------------------------------------------------------------------------------- */

static inline void add(const cut_maker *m, tmap_cut_kind kind, const tmap_expr *expr, tmap_i128 bound) {
    tmap_cuts *cuts = m->cuts;
    if (!expr || cuts->n == (int)(sizeof cuts->items / sizeof *cuts->items)) {
        cuts->failed = true;
        return;
    }
    if (expr->sizes) cuts->items[cuts->n++] = (tmap_cut){.kind = kind, .expr = expr, .bound = bound};
}

static inline void at_least(const cut_maker *m, const tmap_expr *expr, tmap_i128 bound) {
    add(m, TMAP_CUT_AT_LEAST, expr, bound);
}

/* The cuts from number `first` on matter only where the cut before them is reached, or is not reached. */
static inline void follow_from(const cut_maker *m, int first, bool reached) {
    for (int i = first; i < m->cuts->n && first > 0; i++) {
        tmap_cut *cut = &m->cuts->items[i];
        if (cut->needs) continue;
        cut->needs = first;
        cut->needs_reached = reached;
    }
}

static inline void multiple(const cut_maker *m, const tmap_expr *expr, int64_t of) {
    if (of > 1) add(m, TMAP_CUT_MULTIPLE, expr, of);
}

static inline void each_value(const cut_maker *m, const tmap_expr *expr) {
    add(m, TMAP_CUT_VALUES, expr, TMAP_EXPR_LIMIT);
}

static inline int rank_of(const cut_maker *m) {
    return m->map->rank < TMAP_RANK_MAX ? (int)m->map->rank : TMAP_RANK_MAX;
}

static inline const tmap_expr *row_bytes(const cut_maker *m) {
    int64_t bits = m->type->bits;
    if (m->interleave->slice_B) return scaled(m, m->interleave->slice_B, dim_size(m, 0));
    if (bits % 8 == 0) return scaled(m, bits / 8, dim_size(m, 0));
    return tmap_expr_divide(m->cuts->arena, TMAP_EXPR_FLOOR, scaled(m, bits, dim_size(m, 0)), 8);
}

/* ---- The functions of rules.def ------------------------------------------------------------------------------- */

#define SIZED(rule, cut)              void tmap_##cut(const cut_maker *m);
#define SIZED_IF_ALL_BREAK(rule, cut) void tmap_##cut(const cut_maker *m);
#define UNSIZED(rule)
#include "size/rules.def"
#undef SIZED
#undef SIZED_IF_ALL_BREAK
#undef UNSIZED
