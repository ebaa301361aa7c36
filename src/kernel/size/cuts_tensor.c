/* The cuts of the rules of a tensor. */
#include "params/allocation.h"
#include "size/cut_maker.h"

void tmap_cut_bounds(const cut_maker *m) {
    const tmap_expr *expr = m->rule->field == TMAP_FIELD_DIMS  ? dim_size(m, m->dim)
                            : m->rule->field == TMAP_FIELD_BOX ? box(m, m->dim)
                                                               : stride(m, m->dim);
    at_least(m, expr, m->rule->min);
    at_least(m, expr, (tmap_i128)m->rule->max + 1);
}

void tmap_cut_dim_coordinate(const cut_maker *m) {
    at_least(m, dim_size(m, m->dim), ((tmap_i128)1 << 31) + 1);
    at_least(m, dim_size(m, m->dim), ((tmap_i128)1 << 32) + 1);
}

void tmap_cut_dim_packed_multiple(const cut_maker *m) {
    multiple(m, dim_size(m, 0), m->type->dim0_multiple);
}

void tmap_cut_address_align(const cut_maker *m) {
    multiple(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address),
             m->type->align_B > m->interleave->align_B ? m->type->align_B : m->interleave->align_B);
}

void tmap_cut_address_null(const cut_maker *m) {
    at_least(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address), 1);
}

void tmap_cut_address_canonical(const cut_maker *m) {
    at_least(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address), (tmap_i128)1 << 48);
    multiple(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address), 16);
    tmap_cut_tensor_span(m);
}

void tmap_cut_stride_high_bits(const cut_maker *m) {
    at_least(m, stride(m, m->dim), TMAP_STRIDE_LOW_B);
    at_least(m, stride(m, m->dim), TMAP_STRIDE_LIMIT_B);
    multiple(m, stride(m, m->dim), 16);
    at_least(m, dim_size(m, m->dim), 2);
}

void tmap_cut_stride_align(const cut_maker *m) {
    uint32_t of_type = m->type->align_B, of_interleave = m->interleave->align_B;
    multiple(m, stride(m, m->dim), of_type > of_interleave ? of_type : of_interleave);
    at_least(m, dim_size(m, m->dim), 1);
}

void tmap_cut_stride_zero(const cut_maker *m) {
    at_least(m, stride(m, m->dim), 1);
    at_least(m, dim_size(m, m->dim), 2);
}

/* The bits of a row of dimension 0. */
static const tmap_expr *row_bits(const cut_maker *m) {
    return scaled(m, tmap_unit_of(m->map, false).value_bits, dim_size(m, 0));
}

static bool contains(const tmap_expr *expr, const tmap_expr *part) {
    return expr && (expr == part || contains(expr->left, part) || contains(expr->right, part));
}

/* Whether the stride is that of a dense tensor: tmap_slots_dense makes it from the expression of dimension 0. */
static bool is_dense(const cut_maker *m) {
    const tmap_expr *row = tmap_slot_expr(m->sized, TMAP_SLOT_DIMS);
    return row && contains(tmap_slot_expr(m->sized, TMAP_SLOT_STRIDES + m->dim - 1), row);
}

/* stride >= floor(bits / 8) is the same as 8 stride >= bits - 7. A dense stride of at least 1 is a multiple of the row.
 */
void tmap_cut_stride_below_row(const cut_maker *m) {
    at_least(m, stride(m, m->dim), 1);
    at_least(m, dim_size(m, m->dim), 2);
    if (!is_dense(m)) at_least(m, difference(m, scaled(m, 8, stride(m, m->dim)), row_bits(m)), -7);
}

/* The span of a tensor whose dimensions are all at least 1; also adds the cuts for this condition. */
static const tmap_expr *span_of(const cut_maker *m) {
    const tmap_expr *span = tmap_expr_divide(m->cuts->arena, TMAP_EXPR_FLOOR, row_bits(m), 8);
    uint32_t bits = tmap_unit_of(m->map, false).value_bits;
    if (bits % 8 == 0) span = scaled(m, bits / 8, dim_size(m, 0));
    at_least(m, dim_size(m, 0), 1);
    for (int dim = 1; dim < rank_of(m); dim++) {
        at_least(m, dim_size(m, dim), 1);
        span = sum(m, span, product(m, difference(m, dim_size(m, dim), number(m, 1)), stride(m, dim)));
    }
    return span;
}

/* Strides and an address without sizes may be up to 2^64 - 1, and of_number clamps them. */
static bool has_clamped(const cut_maker *m) {
    bool moves = tmap_slot_expr(m->sized, TMAP_SLOT_ADDRESS) != NULL;
    bool clamped = m->map->has_address && !moves && m->map->address > INT64_MAX;
    for (int i = 0; i + 1 < rank_of(m); i++)
        clamped |= !tmap_slot_expr(m->sized, TMAP_SLOT_STRIDES + i) && m->map->strides_B[i] > INT64_MAX;
    return clamped;
}

static void cut_each_of_span(const cut_maker *m) {
    for (int dim = 0; dim < rank_of(m); dim++) {
        each_value(m, dim_size(m, dim));
        if (dim > 0) each_value(m, stride(m, dim));
    }
}

void tmap_cut_tensor_span(const cut_maker *m) {
    if (has_clamped(m)) {
        cut_each_of_span(m);
        each_value(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address));
        return;
    }
    const tmap_expr *span = span_of(m);
    int before = m->cuts->n;
    if (m->map->has_address)
        at_least(m, sum(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address), span), ((tmap_i128)1 << 64) + 1);
    int end = m->cuts->n;
    at_least(m, span, UINT64_MAX);
    if (end > before) follow_from(m, end, false);
}

static void cut_span_at(const cut_maker *m, uint64_t bound) {
    if (has_clamped(m))
        cut_each_of_span(m);
    else
        at_least(m, span_of(m), bound);
}

void tmap_cut_allocation_span(const cut_maker *m) {
    if (m->map->allocation_B != 0) cut_span_at(m, tmap_add_saturate(m->map->allocation_B, 1));
}

void tmap_cut_allocation_class_unknown(const cut_maker *m) {
    bool asks = m->map->allocation_class == TMAP_ALLOCATION_LARGE && m->map->allocation_B == 0;
    if (asks) cut_span_at(m, TMAP_LARGE_REGION_B);
}

/* A tensor of rank 5 has more subsets of dimensions than the cuts have room for. */
#define SUBSETS_RANK 4

static bool has_subsets(const cut_maker *m) {
    return rank_of(m) <= SUBSETS_RANK && !has_clamped(m);
}

/* Cuts for the dimensions with several entries, and for the order of their strides. */
static void cut_order(const cut_maker *m) {
    for (int i = 1; i < rank_of(m); i++) {
        at_least(m, dim_size(m, i), 2);
        for (int j = i + 1; j < rank_of(m); j++) at_least(m, difference(m, stride(m, i), stride(m, j)), 1);
    }
}

/* The bytes that the row and a subset of the outer dimensions fill, or reach. Bit i: dimension i + 1. */
static const tmap_expr *subset_bytes(const cut_maker *m, unsigned subset, bool reach) {
    const tmap_expr *bytes = row_bytes(m);
    for (int dim = 1; dim < rank_of(m); dim++) {
        if (!(subset >> (dim - 1) & 1)) continue;
        const tmap_expr *size = dim_size(m, dim);
        bytes = reach ? sum(m, bytes, product(m, difference(m, size, number(m, 1)), stride(m, dim)))
                      : product(m, bytes, size);
    }
    return bytes;
}

/* Cuts for covered_B of params/allocation.c. */
static void cut_coverage(const cut_maker *m) {
    cut_order(m);
    for (unsigned subset = 0; subset + 1 < 1u << (rank_of(m) - 1); subset++) {
        const tmap_expr *reach = subset_bytes(m, subset, true);
        int before = m->cuts->n;
        at_least(m, reach, TMAP_LARGE_REGION_B);
        int end = m->cuts->n;
        for (int dim = 1; dim < rank_of(m); dim++)
            if (!(subset >> (dim - 1) & 1)) at_least(m, difference(m, stride(m, dim), reach), 4096 + 1);
        if (end > before) follow_from(m, end, false);
    }
}

/* Cuts for covered_B and is_wider_than_memory of params/allocation.c. A tensor covers at most its span. */
void tmap_cut_allocation_class_small(const cut_maker *m) {
    if (m->map->allocation_class == TMAP_ALLOCATION_LARGE || m->map->allocation_B != 0) return;
    if (!has_subsets(m)) {
        cut_each_of_span(m);
        return;
    }
    const tmap_expr *span = span_of(m);
    int region = m->cuts->n;
    at_least(m, span, TMAP_LARGE_REGION_B);
    int memory = m->cuts->n;
    at_least(m, span, TMAP_MEMORY_B);
    int end = m->cuts->n;
    cut_coverage(m);
    if (end > memory) follow_from(m, end, false);
    if (memory > region) follow_from(m, memory, true);
}

/* Cuts for tmap_map_is_dense: whether each stride equals the bytes that the smaller dimensions fill. */
static void cut_density(const cut_maker *m) {
    cut_order(m);
    for (unsigned subset = 0; subset < 1u << (rank_of(m) - 1); subset++) {
        const tmap_expr *filled = subset_bytes(m, subset, false);
        for (int dim = 1; dim < rank_of(m); dim++) {
            if (subset >> (dim - 1) & 1) continue;
            at_least(m, difference(m, stride(m, dim), filled), 0);
            at_least(m, difference(m, stride(m, dim), filled), 1);
        }
    }
}

void tmap_cut_small_allocation(const cut_maker *m) {
    uint64_t allocation = m->map->allocation_B;
    bool asks = allocation != 0 && allocation < TMAP_LARGE_REGION_B;
    if (!asks || m->map->allocation_class != TMAP_ALLOCATION_AUTO) return;
    if (has_subsets(m))
        cut_density(m);
    else
        cut_each_of_span(m);
}
