/* The comparisons and residues on which the verdict of each rule depends: see rules.def. */
#include <string.h>

#include "params/allocation.h"
#include "params/derive.h"
#include "rule/rules.h"
#include "size/sized.h"

/* The data from which a rule's cuts are made. */
typedef struct maker {
    const tmap_sized *sized;
    tmap_cuts *cuts;
    const tmap_map_params *map;
    const tmap_copy_params *copy;
    const tmap_type_info *type;
    const tmap_interleave_info *interleave;
    const tmap_mode_info *mode;
    const tmap_rule *rule;
    int dim;
} maker;

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

static const tmap_expr *number(const maker *m, int64_t value) {
    return tmap_expr_number(m->cuts->arena, value);
}

static const tmap_expr *sum(const maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_ADD, a, b);
}

static const tmap_expr *difference(const maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_SUBTRACT, a, b);
}

static const tmap_expr *product(const maker *m, const tmap_expr *a, const tmap_expr *b) {
    return tmap_expr_make(m->cuts->arena, TMAP_EXPR_MULTIPLY, a, b);
}

static const tmap_expr *scaled(const maker *m, int64_t factor, const tmap_expr *expr) {
    return factor == 1 ? expr : product(m, number(m, factor), expr);
}

/* A number of the map as an expression. Numbers from 2^63 on occur only as parameters without sizes, and only their
 * sign matters in comparisons, so they are clamped. */
static const tmap_expr *of_number(const maker *m, uint64_t value) {
    return number(m, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static const tmap_expr *expr_of(const maker *m, int of_slot) {
    const tmap_expr *expr = tmap_slot_expr(m->sized, of_slot);
    if (expr) m->cuts->slots |= (uint32_t)1 << of_slot;
    return expr;
}

static const tmap_expr *slot(const maker *m, int of_slot, uint64_t value) {
    const tmap_expr *expr = expr_of(m, of_slot);
    return expr ? expr : of_number(m, value);
}

static const tmap_expr *dim_size(const maker *m, int dim) {
    return slot(m, TMAP_SLOT_DIMS + dim, m->map->dims_el[dim]);
}

static const tmap_expr *stride(const maker *m, int dim) {
    return slot(m, TMAP_SLOT_STRIDES + dim - 1, m->map->strides_B[dim - 1]);
}

static const tmap_expr *box(const maker *m, int dim) {
    return slot(m, TMAP_SLOT_BOX + dim, m->map->box_el[dim]);
}

static const tmap_expr *coordinate(const maker *m, int of_slot, int64_t value) {
    const tmap_expr *expr = expr_of(m, of_slot);
    return expr ? expr : number(m, value);
}

/* ---- Cuts ----------------------------------------------------------------------------------------------------- */

static void add(const maker *m, tmap_cut_kind kind, const tmap_expr *expr, tmap_i128 bound) {
    tmap_cuts *cuts = m->cuts;
    if (!expr || cuts->n == (int)(sizeof cuts->items / sizeof *cuts->items)) {
        cuts->failed = true;
        return;
    }
    if (expr->sizes) cuts->items[cuts->n++] = (tmap_cut){.kind = kind, .expr = expr, .bound = bound};
}

static void at_least(const maker *m, const tmap_expr *expr, tmap_i128 bound) {
    add(m, TMAP_CUT_AT_LEAST, expr, bound);
}

/* The cuts from number `first` on matter only where the cut before them is reached, or is not reached. */
static void follow_from(const maker *m, int first, bool reached) {
    for (int i = first; i < m->cuts->n && first > 0; i++) {
        tmap_cut *cut = &m->cuts->items[i];
        if (cut->needs) continue;
        cut->needs = first;
        cut->needs_reached = reached;
    }
}

static void multiple(const maker *m, const tmap_expr *expr, int64_t of) {
    if (of > 1) add(m, TMAP_CUT_MULTIPLE, expr, of);
}

static void each_value(const maker *m, const tmap_expr *expr) {
    add(m, TMAP_CUT_VALUES, expr, TMAP_EXPR_LIMIT);
}

static int rank_of(const maker *m) {
    return m->map->rank < TMAP_RANK_MAX ? (int)m->map->rank : TMAP_RANK_MAX;
}

/* ---- Rules of the tensor -------------------------------------------------------------------------------------- */

static void cut_bounds(const maker *m) {
    const tmap_expr *expr = m->rule->field == TMAP_FIELD_DIMS  ? dim_size(m, m->dim)
                            : m->rule->field == TMAP_FIELD_BOX ? box(m, m->dim)
                                                               : stride(m, m->dim);
    at_least(m, expr, m->rule->min);
    at_least(m, expr, (tmap_i128)m->rule->max + 1);
}

static void cut_dim_coordinate(const maker *m) {
    at_least(m, dim_size(m, m->dim), ((tmap_i128)1 << 31) + 1);
    at_least(m, dim_size(m, m->dim), ((tmap_i128)1 << 32) + 1);
}

static void cut_dim_packed_multiple(const maker *m) {
    multiple(m, dim_size(m, 0), m->type->dim0_multiple);
}

static void cut_address_align(const maker *m) {
    multiple(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address),
             m->type->align_B > m->interleave->align_B ? m->type->align_B : m->interleave->align_B);
}

static void cut_address_null(const maker *m) {
    at_least(m, slot(m, TMAP_SLOT_ADDRESS, m->map->address), 1);
}

static void cut_stride_align(const maker *m) {
    uint32_t of_type = m->type->align_B, of_interleave = m->interleave->align_B;
    multiple(m, stride(m, m->dim), of_type > of_interleave ? of_type : of_interleave);
    at_least(m, dim_size(m, m->dim), 1);
}

static void cut_stride_zero(const maker *m) {
    at_least(m, stride(m, m->dim), 1);
    at_least(m, dim_size(m, m->dim), 2);
}

/* The bits of a row of dimension 0. */
static const tmap_expr *row_bits(const maker *m) {
    return scaled(m, tmap_unit_of(m->map, false).value_bits, dim_size(m, 0));
}

static bool contains(const tmap_expr *expr, const tmap_expr *part) {
    return expr && (expr == part || contains(expr->left, part) || contains(expr->right, part));
}

/* Whether the stride is that of a dense tensor, which contains the expression of dimension 0: tmap_slots_dense. */
static bool is_dense(const maker *m) {
    const tmap_expr *row = tmap_slot_expr(m->sized, TMAP_SLOT_DIMS);
    return row && contains(tmap_slot_expr(m->sized, TMAP_SLOT_STRIDES + m->dim - 1), row);
}

/* stride >= floor(bits / 8) is the same as 8 stride >= bits - 7. A dense stride of at least 1 is a multiple of the row.
 */
static void cut_stride_below_row(const maker *m) {
    at_least(m, stride(m, m->dim), 1);
    at_least(m, dim_size(m, m->dim), 2);
    if (!is_dense(m)) at_least(m, difference(m, scaled(m, 8, stride(m, m->dim)), row_bits(m)), -7);
}

/* The span of a tensor whose dimensions are all at least 1; also adds the cuts for this condition. */
static const tmap_expr *span_of(const maker *m) {
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
static bool has_clamped(const maker *m) {
    bool moves = tmap_slot_expr(m->sized, TMAP_SLOT_ADDRESS) != NULL;
    bool clamped = m->map->has_address && !moves && m->map->address > INT64_MAX;
    for (int i = 0; i + 1 < rank_of(m); i++)
        clamped |= !tmap_slot_expr(m->sized, TMAP_SLOT_STRIDES + i) && m->map->strides_B[i] > INT64_MAX;
    return clamped;
}

static void cut_each_of_span(const maker *m) {
    for (int dim = 0; dim < rank_of(m); dim++) {
        each_value(m, dim_size(m, dim));
        if (dim > 0) each_value(m, stride(m, dim));
    }
}

static void cut_tensor_span(const maker *m) {
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

static void cut_span_at(const maker *m, uint64_t bound) {
    if (has_clamped(m))
        cut_each_of_span(m);
    else
        at_least(m, span_of(m), bound);
}

static void cut_allocation_span(const maker *m) {
    if (m->map->allocation_B != 0) cut_span_at(m, tmap_add_saturate(m->map->allocation_B, 1));
}

static void cut_allocation_class_unknown(const maker *m) {
    bool asks = m->map->allocation_class == TMAP_ALLOCATION_LARGE && m->map->allocation_B == 0;
    if (asks) cut_span_at(m, TMAP_LARGE_REGION_B);
}

/* A tensor of rank 5 has more subsets of dimensions than the cuts have room for. */
#define SUBSETS_RANK 4

static bool has_subsets(const maker *m) {
    return rank_of(m) <= SUBSETS_RANK && !has_clamped(m);
}

static const tmap_expr *row_bytes(const maker *m) {
    int64_t bits = m->type->bits;
    if (m->interleave->slice_B) return scaled(m, m->interleave->slice_B, dim_size(m, 0));
    if (bits % 8 == 0) return scaled(m, bits / 8, dim_size(m, 0));
    return tmap_expr_divide(m->cuts->arena, TMAP_EXPR_FLOOR, scaled(m, bits, dim_size(m, 0)), 8);
}

/* Cuts for the dimensions with several entries, and for the order of their strides. */
static void cut_order(const maker *m) {
    for (int i = 1; i < rank_of(m); i++) {
        at_least(m, dim_size(m, i), 2);
        for (int j = i + 1; j < rank_of(m); j++) at_least(m, difference(m, stride(m, i), stride(m, j)), 1);
    }
}

/* The bytes that the row and a subset of the outer dimensions fill, or reach. Bit i: dimension i + 1. */
static const tmap_expr *subset_bytes(const maker *m, unsigned subset, bool reach) {
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
static void cut_coverage(const maker *m) {
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

/* Cuts for covered_B and is_wider_than_memory of params/allocation.c. What a tensor covers is at most its span. */
static void cut_allocation_class_small(const maker *m) {
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
static void cut_density(const maker *m) {
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

static void cut_small_allocation(const maker *m) {
    uint64_t allocation = m->map->allocation_B;
    bool asks = allocation != 0 && allocation < TMAP_LARGE_REGION_B;
    if (!asks || m->map->allocation_class != TMAP_ALLOCATION_AUTO) return;
    if (has_subsets(m))
        cut_density(m);
    else
        cut_each_of_span(m);
}

/* ---- Rules of the box ----------------------------------------------------------------------------------------- */

static void cut_box_packed_exact(const maker *m) {
    uint64_t exact = m->type->box0_exact;
    for (uint64_t width = exact; exact && width >= exact / 2; width -= exact / 2) {
        at_least(m, box(m, 0), width);
        at_least(m, box(m, 0), width + 1);
    }
}

static void cut_box_inner_align(const maker *m) {
    if (!m->interleave->slice_B && !m->type->box0_exact) multiple(m, box(m, 0), 128 / m->type->bits);
}

/* ceil(box / values) pitch <= span is the same as box <= floor(span / pitch) values. */
static void cut_box_inner_span(const maker *m) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)m->map->swizzle);
    tmap_unit unit = tmap_unit_of(m->map, false);
    if (swizzle->span_B) at_least(m, box(m, 0), (tmap_i128)(swizzle->span_B / unit.pitch_B) * unit.values + 1);
}

static void cut_element_stride_holes(const maker *m) {
    uint64_t step = m->map->element_strides[m->dim];
    if (step <= 1 || step > TMAP_BOX_MAX) return; /* such a step is an error for all values */
    at_least(m, box(m, m->dim), (tmap_i128)step + 1);
    multiple(m, box(m, m->dim), (int64_t)step);
    at_least(m, difference(m, box(m, m->dim), dim_size(m, m->dim)), 0);
}

static void cut_box_within_tensor(const maker *m) {
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
static const tmap_expr *rows_along(const maker *m, int dim) {
    const tmap_op_info *op = m->copy ? tmap_op_get((int)m->copy->op) : NULL;
    uint64_t step = m->map->element_strides[dim];
    if (op && op->four_rows && dim == 1) return number(m, 4);
    if (m->interleave->slice_B && dim > 0 && dim == rank_of(m) - 2) return number(m, 1);
    if (step == 0) return number(m, 0);
    return tmap_expr_divide(m->cuts->arena, TMAP_EXPR_CEIL, box(m, dim), step > INT64_MAX ? INT64_MAX : (int64_t)step);
}

/* The bytes of a box: rows x pitch. A sliced box fills whole swizzle spans; in other boxes the pitch is at least the
 * span, so rows x pitch reaches a bound if rows x bytes of a row or rows x span does. */
static void cut_footprint(const maker *m, uint64_t start) {
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
static void cut_largest(const maker *m) {
    for (int i = 1; i < rank_of(m); i++)
        for (int j = i + 1; j < rank_of(m); j++) at_least(m, difference(m, rows_along(m, j), rows_along(m, i)), 1);
}

static void cut_each_box(const maker *m) {
    m->cuts->legal_box = true;
    if (m->mode->im2col) return;
    cut_footprint(m, m->copy ? m->copy->shared : TMAP_SHARED_RESERVED_B);
    cut_largest(m);
}

static void cut_four_rows_box(const maker *m) {
    if (rank_of(m) != 2) return;
    at_least(m, box(m, 1), 1);
    at_least(m, box(m, 1), 2);
}

static void cut_corner_area(const maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    for (int i = 0; i < dims.walked_n; i++)
        at_least(m, dim_size(m, dims.first_spatial + i),
                 (tmap_i128)m->map->lower_corner[i] - m->map->upper_corner[i] + 1);
}

/* ---- Rules of copies ------------------------------------------------------------------------------------------ */

typedef struct coordinates {
    const tmap_expr *at[TMAP_RANK_MAX];
    int dims[TMAP_RANK_MAX]; /* the dimension of each coordinate */
    int n;
} coordinates;

static coordinates coordinates_of(const maker *m) {
    coordinates all = {.n = 0};
    const tmap_op_info *op = tmap_op_get((int)m->copy->op);
    if (!op || op->on_map) return all;
    all.n = op->four_rows ? 5 : rank_of(m);
    for (int i = 0; i < all.n; i++) {
        all.dims[i] = op->four_rows ? i > 0 : i;
        if (!op->four_rows)
            all.at[i] = coordinate(m, TMAP_SLOT_AT + i, m->copy->at[i]);
        else if (i == 0)
            all.at[i] = coordinate(m, TMAP_SLOT_COLUMN, m->copy->column);
        else
            all.at[i] = coordinate(m, TMAP_SLOT_ROWS + i - 1, m->copy->rows[i - 1]);
    }
    return all;
}

static void cut_coordinate_range(const maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) {
        at_least(m, all.at[i], INT32_MIN);
        at_least(m, all.at[i], (tmap_i128)INT32_MAX + 1);
    }
}

static void cut_inner_coordinate(const maker *m) {
    coordinates all = coordinates_of(m);
    int64_t step = m->type->box0_exact ? (int64_t)m->type->box0_exact : 128 / m->type->bits;
    if (all.n > 0) multiple(m, all.at[0], step);
}

static void cut_store_negative(const maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) at_least(m, all.at[i], 0);
}

static void cut_override_sizes(const maker *m) {
    coordinates all = coordinates_of(m);
    if (!(m->copy->qualifiers & (TMAP_QUALIFIER_BIT(OVERRIDE_DIM) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)))) return;
    for (int i = 0; i < all.n; i++) {
        at_least(m, all.at[i], 0);
        at_least(m, all.at[i], 1);
    }
}

static const tmap_expr *reach_of(const maker *m, int dim) {
    if (!m->mode->im2col) return box(m, dim);
    return of_number(m, dim == tmap_image_dims_of(m->map).channel ? m->map->channels_per_pixel : 1);
}

/* Cuts for whether a coordinate is before, in or after the tensor, and whether its box, unless empty, reaches the
 * tensor. */
static void cut_place(const maker *m, const tmap_expr *at, int dim) {
    at_least(m, at, 0);
    at_least(m, difference(m, at, dim_size(m, dim)), 0);
    at_least(m, sum(m, at, reach_of(m, dim)), 1);
    at_least(m, reach_of(m, dim), 1);
}

/* A slice reaches one entry, and the cut at 0 decides that case too. */
static void cut_outside(const maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) cut_place(m, all.at[i], all.dims[i]);
}

static void cut_store_whole_units(const maker *m) {
    coordinates all = coordinates_of(m);
    if (all.n == 0 || m->interleave->slice_B) return;
    int before = m->cuts->n;
    multiple(m, row_bytes(m), 16);
    int end = m->cuts->n;
    at_least(m, all.at[0], 0);
    at_least(m, difference(m, all.at[0], dim_size(m, 0)), 0);
    at_least(m, difference(m, sum(m, all.at[0], reach_of(m, 0)), dim_size(m, 0)), 1);
    if (end > before) follow_from(m, end, false);
}

static void cut_repeated_rows(const maker *m) {
    coordinates all = coordinates_of(m);
    if (m->copy->op != TMAP_OP_SCATTER4) return;
    for (int i = 1; i < all.n; i++) {
        cut_place(m, all.at[i], 1);
        for (int j = 1; j < i; j++) {
            at_least(m, difference(m, all.at[i], all.at[j]), 0);
            at_least(m, difference(m, all.at[i], all.at[j]), 1);
        }
    }
}

static void cut_start(const maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    coordinates all = coordinates_of(m);
    for (int i = 0; i < dims.walked_n && dims.first_spatial + i < all.n; i++) {
        int dim = dims.first_spatial + i;
        at_least(m, all.at[dim], m->map->lower_corner[i]);
        at_least(m, difference(m, all.at[dim], dim_size(m, dim)), m->map->upper_corner[i]);
    }
}

static void cut_start_step(const maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    coordinates all = coordinates_of(m);
    for (int i = 0; i < dims.walked_n && dims.first_spatial + i < all.n; i++) {
        uint64_t step = m->map->element_strides[dims.first_spatial + i];
        if (step > TMAP_BOX_MAX) continue; /* an error for all values */
        multiple(m, difference(m, all.at[dims.first_spatial + i], number(m, m->map->lower_corner[i])), (int64_t)step);
    }
}

/* ---- Rules of copies without a tensor map ---- */

static const tmap_expr *linear_offset(const maker *m) {
    return scaled(m, m->type->bits / 8, coordinate(m, TMAP_SLOT_AT, m->copy->at[0]));
}

static const tmap_expr *linear_address(const maker *m) {
    uint64_t base = m->map->has_address ? m->map->address : 0;
    return sum(m, slot(m, TMAP_SLOT_ADDRESS, base), linear_offset(m));
}

static void cut_linear_align(const maker *m) {
    multiple(m, linear_address(m), TMAP_LINEAR_ALIGN_B);
}

static void cut_linear_range(const maker *m) {
    const tmap_expr *past = difference(m, linear_offset(m), scaled(m, m->type->bits / 8, dim_size(m, 0)));
    at_least(m, linear_offset(m), 0 - (tmap_i128)m->copy->ignore_left_B);
    at_least(m, past, (tmap_i128)m->copy->ignore_right_B - m->copy->size_B + 1);
}

static void cut_linear_remote(const maker *m) {
    const tmap_arch_info *arch;
    for (int i = 0; (arch = tmap_arch_get(i)) != NULL; i++)
        if (arch->shared_window_B)
            at_least(m, linear_address(m), (tmap_i128)arch->shared_window_B - m->copy->size_B + 1);
}

/* ---- The table ------------------------------------------------------------------------------------------------ */

static const struct row {
    const char *rule;
    void (*cut)(const maker *m); /* NULL: the verdict depends on no slot */
    bool for_all;
} rows[] = {
#define SIZED(rule, cut)         {rule, cut, false},
#define SIZED_FOR_ALL(rule, cut) {rule, cut, true},
#define UNSIZED(rule)            {rule, NULL, false},
#include "size/rules.def"
#undef SIZED
#undef SIZED_FOR_ALL
#undef UNSIZED
};

static const struct row *row_of(const char *rule) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].rule, rule) == 0) return &rows[i];
    return NULL;
}

bool tmap_cuts_know(const char *rule) {
    return row_of(rule) != NULL;
}

bool tmap_cuts_for_all(const char *rule) {
    const struct row *row = row_of(rule);
    return row && row->for_all;
}

void tmap_cuts_of(const tmap_sized *sized, int rule, int dim, tmap_cuts *cuts) {
    maker m = {.sized = sized, .cuts = cuts, .map = sized->map, .copy = sized->copy, .dim = dim};
    m.type = tmap_type_get((int)sized->map->type);
    m.interleave = tmap_interleave_get((int)sized->map->interleave);
    m.mode = tmap_mode_get((int)sized->map->mode);
    m.rule = tmap_rule_row(rule);
    const struct row *row = row_of(m.rule->info.slug);
    if (row && row->cut) row->cut(&m);
}
