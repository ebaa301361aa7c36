/* The cuts of the rules of a box. */
#include "size/cut_maker.h"

void tmap_cut_box_packed_exact(const cut_maker *m) {
    uint64_t exact = m->type->box0_exact;
    for (uint64_t width = exact; exact && width >= exact / 2; width -= exact / 2) {
        at_least(m, box(m, 0), width);
        at_least(m, box(m, 0), width + 1);
    }
}

void tmap_cut_box_inner_align(const cut_maker *m) {
    if (!m->interleave->slice_B && !m->type->box0_exact) multiple(m, box(m, 0), 128 / m->type->bits);
}

/* ceil(box / values) pitch <= span is the same as box <= floor(span / pitch) values. */
void tmap_cut_box_inner_span(const cut_maker *m) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)m->map->swizzle);
    tmap_unit unit = tmap_unit_of(m->map, false);
    if (swizzle->span_B) at_least(m, box(m, 0), (tmap_i128)(swizzle->span_B / unit.pitch_B) * unit.values + 1);
}

void tmap_cut_element_stride_holes(const cut_maker *m) {
    uint64_t step = m->map->element_strides[m->dim];
    if (step <= 1 || step > TMAP_BOX_MAX) return; /* such a step is an error for all values */
    at_least(m, box(m, m->dim), (tmap_i128)step + 1);
    multiple(m, box(m, m->dim), (int64_t)step);
    at_least(m, difference(m, box(m, m->dim), dim_size(m, m->dim)), 0);
}

void tmap_cut_box_within_tensor(const cut_maker *m) {
    const tmap_expr *covering = dim_size(m, m->dim);
    if (m->dim == 0 && m->type->box0_exact) covering = of_number(m, m->type->box0_exact);
    if (m->dim == 0 && !m->interleave->slice_B && !m->type->box0_exact) {
        int64_t unit = 128 / m->type->bits;
        covering = scaled(m, unit, tmap_expr_divide(m->cuts->arena, TMAP_EXPR_CEIL, covering, unit));
    }
    at_least(m, difference(m, covering, box(m, m->dim)), 0);
}

/* count_tiles of params/derive.c, from dimension 1 on. Element strides of 0 give no row, and those above the largest
 * box one row. */
static const tmap_expr *rows_along(const cut_maker *m, int dim) {
    const tmap_op_info *op = m->copy ? tmap_op_get((int)m->copy->op) : NULL;
    uint64_t step = m->map->element_strides[dim];
    if (op && op->four_rows && dim == 1) return number(m, 4);
    if (m->interleave->slice_B && dim > 0 && dim == rank_of(m) - 2) return number(m, 1);
    if (step == 0) return number(m, 0);
    return tmap_expr_divide(m->cuts->arena, TMAP_EXPR_CEIL, box(m, dim), step > INT64_MAX ? INT64_MAX : (int64_t)step);
}

/* The bytes of a box: rows x pitch. A sliced box fills whole swizzle spans; in other boxes the pitch is at least the
 * span, so rows x pitch reaches a bound if rows x bytes of a row or rows x span does. */
static void cut_footprint(const cut_maker *m, uint64_t start) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)m->map->swizzle);
    bool sliced = m->interleave->slice_B != 0;
    uint32_t span = swizzle ? swizzle->span_B : 0;
    tmap_unit unit = tmap_unit_of(m->map, false);
    const tmap_expr *units =
        sliced ? rows_along(m, 0) : tmap_expr_divide(m->cuts->arena, TMAP_EXPR_CEIL, box(m, 0), unit.values);
    const tmap_expr *rows = number(m, 1);
    for (int dim = 1; dim < rank_of(m); dim++) rows = product(m, rows, rows_along(m, dim));
    const tmap_expr *of_rows[] = {product(m, rows, scaled(m, unit.pitch_B, units)), scaled(m, span, rows)};
    uint64_t before = 0;
    for (int i = 0; tmap_arch_get(i); i++) {
        uint64_t window = tmap_arch_get(i)->shared_window_B;
        if (window == before || window <= start) continue;
        before = window;
        uint64_t most = window - start;
        if (sliced && span) most -= most % span;
        for (int k = 0; k < 1 + !sliced; k++) at_least(m, of_rows[k], (tmap_i128)most + 1);
    }
}

/* Cuts for the outer dimension with the most rows, which a finding names. */
static void cut_largest(const cut_maker *m) {
    for (int i = 1; i < rank_of(m); i++)
        for (int j = i + 1; j < rank_of(m); j++) at_least(m, difference(m, rows_along(m, j), rows_along(m, i)), 1);
}

void tmap_cut_each_box(const cut_maker *m) {
    m->cuts->legal_box = true;
    if (m->mode->im2col) return;
    cut_footprint(m, m->copy ? m->copy->shared : TMAP_SHARED_RESERVED_B);
    cut_largest(m);
}

void tmap_cut_four_rows_box(const cut_maker *m) {
    if (rank_of(m) != 2) return;
    at_least(m, box(m, 1), 1);
    at_least(m, box(m, 1), 2);
}

void tmap_cut_corner_area(const cut_maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    for (int i = 0; i < dims.walked_n; i++)
        at_least(m, dim_size(m, dims.first_spatial + i),
                 (tmap_i128)m->map->lower_corner[i] - m->map->upper_corner[i] + 1);
}
