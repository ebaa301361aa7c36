/* The cuts (cell.h) on which the verdict of each rule depends: its comparisons, evaluated on expressions. */
#include <string.h>

#include "size/expressions.h"

#define TMAP_QUANTITIES_ARE_EXPRESSIONS
#include "rule/comparisons.h"

/* The distance of the first and the last entry of a dimension. */
static quantity reach_of(const tmap_trial *trial, int dim) {
    return product(difference(dim_of(trial, dim), constant(trial, 1)), stride_of(trial, dim));
}

static void each_value(quantity value) {
    add(value, TMAP_CUT_VALUES, TMAP_EXPR_LIMIT);
}

/* The span of a tensor whose dimensions are all at least 1; also makes the cuts for this condition. */
static quantity span_of(const tmap_trial *trial) {
    quantity span = row_B_of(trial);
    at_least(dim_of(trial, 0), 1);
    for (int dim = 1; dim < trial->dims_n; dim++) {
        at_least(dim_of(trial, dim), 1);
        span = sum(span, reach_of(trial, dim));
    }
    return span;
}

/* ---- The box in shared memory --------------------------------------------------------------------------------- */

/* count_tiles of params/derive.c, from dimension 1 on. Element strides of 0 give no row, and those above the largest
 * box one row. */
static quantity rows_along(const tmap_trial *trial, int dim) {
    uint64_t step = trial->map->element_strides[dim];
    if (trial->copy && trial->op && trial->op->four_rows && dim == 1) return constant(trial, 4);
    if (trial->interleave->slice_B && dim > 0 && dim == trial->dims_n - 2) return constant(trial, 1);
    return step == 0 ? constant(trial, 0) : divided_up(box_of(trial, dim), step);
}

/* The bytes of a box: rows x pitch. A sliced box fills whole swizzle spans; in other boxes the pitch is at least the
 * span, so rows x pitch reaches a bound if rows x bytes of a row or rows x span does. */
static void cut_footprint(const tmap_trial *trial, uint64_t start) {
    uint32_t span = trial->swizzle ? trial->swizzle->span_B : 0;
    bool sliced = trial->interleave->slice_B != 0;
    tmap_unit unit = tmap_unit_of(trial->map, false);
    quantity units = sliced ? rows_along(trial, 0) : divided_up(box_of(trial, 0), unit.values);
    quantity rows = constant(trial, 1);
    for (int dim = 1; dim < trial->dims_n; dim++) rows = product(rows, rows_along(trial, dim));
    const quantity of_rows[] = {product(rows, scaled(unit.pitch_B, units)), scaled(span, rows)};
    uint64_t before = 0;
    for (int i = 0; tmap_arch_get(i); i++) {
        uint64_t window = tmap_arch_get(i)->shared_window_B;
        if (window == before || window <= start) continue;
        before = window;
        uint64_t most = window - start;
        if (sliced && span) most -= most % span;
        for (int k = 0; k < 1 + !sliced; k++) at_least(of_rows[k], (tmap_i128)most + 1);
    }
}

/* Also makes cuts for the outer dimension with the most rows, which a finding names. */
static void cut_each_box(const tmap_trial *trial) {
    maker_of(trial)->cuts->legal_box = true;
    if (trial->mode->im2col) return;
    cut_footprint(trial, trial->copy ? trial->copy->shared : TMAP_SHARED_RESERVED_B);
    for (int i = 1; i < trial->dims_n; i++)
        for (int j = i + 1; j < trial->dims_n; j++) at_least(difference(rows_along(trial, j), rows_along(trial, i)), 1);
}

/* ---- The allocation class ------------------------------------------------------------------------------------- */

/* A tensor of rank 5 has more subsets of dimensions than the cuts have room for. */
#define SUBSETS_RANK 4

static void cut_each_of_span(const tmap_trial *trial) {
    for (int dim = 0; dim < trial->dims_n; dim++) {
        each_value(dim_of(trial, dim));
        if (dim > 0) each_value(stride_of(trial, dim));
    }
}

/* Cuts for the dimensions with several entries, and for the order of their strides. */
static void cut_order(const tmap_trial *trial) {
    for (int i = 1; i < trial->dims_n; i++) {
        at_least(dim_of(trial, i), 2);
        for (int j = i + 1; j < trial->dims_n; j++) at_least(difference(stride_of(trial, i), stride_of(trial, j)), 1);
    }
}

/* The bytes that the row and a subset of the outer dimensions fill, or reach. Bit i: dimension i + 1. */
static quantity subset_bytes(const tmap_trial *trial, unsigned subset, bool reach) {
    quantity bytes = row_B_of(trial);
    for (int dim = 1; dim < trial->dims_n; dim++) {
        if (!(subset >> (dim - 1) & 1)) continue;
        bytes = reach ? sum(bytes, reach_of(trial, dim)) : product(bytes, dim_of(trial, dim));
    }
    return bytes;
}

/* Cuts for covered_B of params/allocation.c. */
static void cut_coverage(const tmap_trial *trial) {
    cut_maker *m = maker_of(trial);
    const int needs = m->needs, reached = m->needs_reached;
    cut_order(trial);
    for (unsigned subset = 0; subset + 1 < 1u << (trial->dims_n - 1); subset++) {
        quantity reach = subset_bytes(trial, subset, true);
        at_least(reach, TMAP_LARGE_REGION_B);
        unless_reached(trial);
        for (int dim = 1; dim < trial->dims_n; dim++)
            if (!(subset >> (dim - 1) & 1)) at_least(difference(stride_of(trial, dim), reach), 4096 + 1);
        m->needs = needs, m->needs_reached = reached;
    }
}

/* Cuts for covered_B and is_wider_than_memory of params/allocation.c. A tensor covers at most its span. */
static void cut_allocation_class_small(const tmap_trial *trial) {
    if (trial->map->allocation_class == TMAP_ALLOCATION_LARGE || trial->map->allocation_B != 0) return;
    if (trial->dims_n > SUBSETS_RANK) {
        cut_each_of_span(trial);
        return;
    }
    quantity span = span_of(trial);
    at_least(span, TMAP_LARGE_REGION_B);
    if_reached(trial);
    at_least(span, TMAP_MEMORY_B);
    unless_reached(trial);
    cut_coverage(trial);
}

/* Cuts for tmap_map_fills_memory: whether each stride equals the bytes that the smaller dimensions fill. */
static void cut_density(const tmap_trial *trial) {
    cut_order(trial);
    for (unsigned subset = 0; subset < 1u << (trial->dims_n - 1); subset++) {
        quantity filled = subset_bytes(trial, subset, false);
        for (int dim = 1; dim < trial->dims_n; dim++)
            if (!(subset >> (dim - 1) & 1)) equals(difference(stride_of(trial, dim), filled), 0);
    }
}

static void cut_small_allocation(const tmap_trial *trial) {
    bool small = trial->map->allocation_B != 0 && tmap_allocated_B(trial->map) < TMAP_LARGE_REGION_B;
    if (!small || trial->map->allocation_class != TMAP_ALLOCATION_AUTO) return;
    if (trial->dims_n <= SUBSETS_RANK)
        cut_density(trial);
    else
        cut_each_of_span(trial);
}

/* ---- Other rules ------------------------------------------------------------------------------------------------ */

static void cut_bounds(const tmap_trial *trial) {
    const tmap_rule *rule = trial->rule;
    bool outer = tmap_field_get((int)rule->field)->per == TMAP_PER_OUTER_DIM;
    is_within(quantity_of(trial, rule->field, outer ? trial->dim - 1 : trial->dim), rule->min, rule->max);
}

static void cut_box_packed_exact(const tmap_trial *trial) {
    bool half;
    breaks_box_packed_exact(trial, &half);
}

static void cut_repeated_rows(const tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    int n = trial->copy->op == TMAP_OP_SCATTER4 ? coordinates_of(trial, list) : 0;
    for (int i = 1; i < n; i++) {
        is_outside(trial, &list[i]);
        for (int j = 1; j < i; j++) equals(difference(list[i].value, list[j].value), 0);
    }
}

static void cut_linear_remote(const tmap_trial *trial) {
    const tmap_arch_info *arch;
    for (int i = 0; (arch = tmap_arch_get(i)) != NULL; i++)
        if (arch->shared_window_B)
            at_least(linear_address(trial), (tmap_i128)arch->shared_window_B - trial->copy->size_B + 1);
}

/* ---- The rules ------------------------------------------------------------------------------------------------- */

/* The rules whose verdict depends on numbers that may be expressions. tests/kernel/prop_size.c compares the verdicts
 * with those of every single value. */
static const struct row {
    const char *rule;
    bool (*breaks)(const tmap_trial *);
    bool (*of_coordinate)(const tmap_trial *, const coordinate *); /* each; of_first: the first one */
    bool (*of_first)(const tmap_trial *, const coordinate *);
    bool (*of_corner)(const tmap_trial *, int corner); /* each */
    void (*cut)(const tmap_trial *);
    bool
        for_all; /* has a finding only if all values break it: for some sizes a tensor is always smaller than its box */
} rows[] = {
    {"stride-high-bits", breaks_stride_high_bits},
    {"dim-extent-cuda-13-5", breaks_dim_extent_13_5},
    {"dim-coordinate", breaks_dim_coordinate},
    {"dim-packed-multiple", breaks_dim_packed_multiple},
    {"address-align", breaks_address_align},
    {"address-null", breaks_address_null},
    {"address-canonical", breaks_address_canonical},
    {"stride-align", breaks_stride_align},
    {"stride-zero", breaks_stride_zero},
    {"stride-below-row", breaks_stride_below_row},
    {"tensor-span", breaks_tensor_span},
    {"allocation-span", breaks_allocation_span},
    {"allocation-class-unknown", breaks_allocation_class_unknown},
    {"allocation-class-small", .cut = cut_allocation_class_small},
    {"desc-small-allocation", .cut = cut_small_allocation},
    {"box-packed-exact", .cut = cut_box_packed_exact},
    {"box-inner-align", breaks_box_inner_align},
    {"box-inner-span", breaks_box_inner_span},
    {"element-stride-holes", breaks_element_stride_holes},
    {"box-within-tensor", breaks_box_within_tensor, .for_all = true},
    {"box-fits-shared", .cut = cut_each_box},
    {"four-rows-box", breaks_four_rows_box},
    {"corner-area", .of_corner = breaks_corner_area},
    {"copy-coordinate-range", .of_coordinate = breaks_coordinate_range},
    {"copy-inner-align", .of_first = breaks_first_step},
    {"copy-inner-packed", .of_first = breaks_first_step},
    {"im2col-channel-align", .of_first = breaks_first_step},
    {"copy-store-negative", .of_coordinate = breaks_store_negative},
    {"copy-outside", .of_coordinate = is_outside},
    {"override-sizes", .of_coordinate = breaks_override_sizes},
    {"copy-store-whole-units", .of_first = breaks_store_whole_units},
    {"scatter-repeated-rows", .cut = cut_repeated_rows},
    {"copy-shared-fits", .cut = cut_each_box},
    {"linear-align", breaks_linear_align},
    {"linear-range", breaks_linear_range},
    {"linear-remote", .cut = cut_linear_remote},
    {"im2col-start", .of_corner = breaks_start},
    {"wide-start", .of_corner = breaks_start},
    {"im2col-start-step", .of_corner = breaks_start_step},
};

static const struct row *row_of_rule(const char *rule) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].rule, rule) == 0) return &rows[i];
    return NULL;
}

static bool has_bounds(const tmap_rule *rule) {
    return rule->min < rule->max;
}

bool tmap_cuts_know(const tmap_rule *rule) {
    return has_bounds(rule) || row_of_rule(rule->info.slug) != NULL;
}

bool tmap_cuts_for_all(const char *rule) {
    const struct row *row = row_of_rule(rule);
    return row && row->for_all;
}

static void make_cuts(const struct row *row, const tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    int coordinates_n = row->of_coordinate || row->of_first ? coordinates_of(trial, list) : 0;
    int corners_n = row->of_corner ? tmap_image_dims_of(trial->map).walked_n : 0;
    if (row->breaks) row->breaks(trial);
    for (int i = 0; i < coordinates_n && row->of_coordinate; i++) row->of_coordinate(trial, &list[i]);
    if (row->of_first && coordinates_n > 0) row->of_first(trial, &list[0]);
    for (int i = 0; i < corners_n; i++) row->of_corner(trial, i);
    if (row->cut) row->cut(trial);
}

void tmap_cuts_of(const tmap_sized *sized, const tmap_trial *of, int rule, int dim, tmap_cuts *cuts) {
    cut_maker m = {.trial = *of, .sized = sized, .cuts = cuts};
    m.trial.rule = tmap_rule_row(rule);
    m.trial.dim = dim;
    const struct row *row = row_of_rule(m.trial.rule->info.slug);
    if (row) make_cuts(row, &m.trial);
    if (has_bounds(m.trial.rule)) cut_bounds(&m.trial);
}
