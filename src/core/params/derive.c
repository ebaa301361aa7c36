/* Numbers derived from a map's parameters. The parameters may be invalid. */
#include "params/derive.h"

#include "base/wide.h"

#define W128_GROUPS (TMAP_W128_PIXELS / TMAP_W128_GROUP)

uint64_t tmap_inner_global_B(const tmap_type_info *type, uint64_t count_el) {
    return tmap_u64_saturate((tmap_u128)count_el * (unsigned)type->bits / 8);
}

static uint64_t rank_of(const tmap_map_params *params) {
    return params->rank < TMAP_RANK_MAX ? params->rank : TMAP_RANK_MAX;
}

static uint32_t slice_B_of(const tmap_map_params *params) {
    const tmap_interleave_info *interleave = tmap_interleave_get((int)params->interleave);
    return interleave ? interleave->slice_B : 0;
}

static bool is_im2col(const tmap_map_params *params) {
    const tmap_mode_info *mode = tmap_mode_get((int)params->mode);
    return mode && mode->im2col;
}

/* ---- Units and dimensions ------------------------------------------------------------------------------------- */

tmap_unit tmap_unit_of(const tmap_map_params *params, bool to_global) {
    const tmap_type_info *type = tmap_type_get((int)params->type);
    uint32_t slice_B = slice_B_of(params);
    if (!type) return (tmap_unit){0};
    if (slice_B) return (tmap_unit){1, slice_B, slice_B, slice_B, 8 * slice_B, 8 * slice_B};
    bool respaced = to_global && type->unit_stored_B;
    uint32_t values = (uint32_t)type->unit_values, bits = (uint32_t)type->bits;
    return (tmap_unit){.values = values,
                       .global_B = type->unit_global_B,
                       .shared_B = respaced ? type->unit_stored_B : type->unit_shared_B,
                       .pitch_B = type->unit_pitch_B,
                       .value_bits = bits,
                       .shared_value_bits = respaced ? 8 * type->unit_stored_B / values : bits};
}

tmap_image_dims tmap_image_dims_of(const tmap_map_params *params) {
    if (params->rank < 3 || params->rank > TMAP_RANK_MAX) return (tmap_image_dims){0};
    const tmap_mode_info *mode = tmap_mode_get((int)params->mode);
    int rank = (int)params->rank;
    bool sliced = slice_B_of(params) != 0;
    tmap_image_dims dims = {.batch = rank - 1, .spatial_n = rank - 2};
    dims.channel = sliced ? rank - 2 : 0;
    dims.first_spatial = sliced ? 0 : 1;
    dims.walked_n = mode && mode->wide ? 1 : dims.spatial_n;
    return dims;
}

/* ---- The box -------------------------------------------------------------------------------------------------- */

/* In an interleaved map, dimension 0 is W and has an element stride. A box has one channel slice in dimension rank-2,
 * whatever its size there (measured on sm_120 by the Allegro project). */
static void count_tiles(const tmap_map_params *params, bool interleaved, bool four_rows, uint64_t *counts) {
    uint64_t rank = rank_of(params);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++) {
        counts[i] = i < rank ? params->box_el[i] : 1;
        if (i < rank && (i > 0 || interleaved)) counts[i] = tmap_ceil_div(counts[i], params->element_strides[i]);
    }
    if (interleaved && rank >= 3) counts[rank - 2] = 1;
    if (four_rows) counts[1] = 4;
}

/* PTX ISA 5.5.4.1, 5.5.5.3: the number of pixels does not depend on traversal strides. */
static void count_pixels(const tmap_map_params *params, bool interleaved, uint64_t w_halo, uint64_t *counts) {
    bool w128 = params->mode == TMAP_MODE_IM2COL_W128, wide = w128 || params->mode == TMAP_MODE_IM2COL_W;
    uint64_t pixels = w128 ? TMAP_W128_PIXELS : params->pixels_per_column;
    if (wide) pixels = tmap_add_saturate(pixels, tmap_mul_saturate(w_halo, w128 ? W128_GROUPS : 1));
    counts[0] = interleaved ? 1 : params->channels_per_pixel;
    counts[1] = pixels;
    for (int i = 2; i < TMAP_RANK_MAX; i++) counts[i] = 1;
}

/* A copy without a tensor map moves consecutive bytes. Here these bytes are a box of rows: a row is the largest power
 * of 2 that divides the size, at most TMAP_LINEAR_ROW_B. Rule linear-align judges the alignment of the address. */
static void derive_linear(const tmap_unit *unit, uint64_t size_B, tmap_derived *d) {
    uint64_t row_B = size_B & (0 - size_B);
    if (row_B > TMAP_LINEAR_ROW_B) row_B = TMAP_LINEAR_ROW_B;
    for (int i = 0; i < TMAP_RANK_MAX; i++) d->counts[i] = 1;
    d->shared_align_B = TMAP_LINEAR_ALIGN_B;
    d->rows_n = row_B ? size_B / row_B : 0;
    d->counts[0] = unit->global_B ? row_B / unit->global_B : 0;
    d->counts[1] = d->rows_n;
    d->inner_shared_B = d->pitch_B = row_B;
    d->footprint_B = d->payload_B = size_B;
}

tmap_reduces tmap_reduces_by(const tmap_map_params *params, const tmap_copy_params *copy) {
    if (params->mode != TMAP_MODE_LINEAR) return TMAP_REDUCES_TENSOR;
    return copy && copy->dst == TMAP_DST_CLUSTER ? TMAP_REDUCES_CLUSTER : TMAP_REDUCES_LINEAR;
}

static void derive_rows(const tmap_map_params *params, const tmap_unit *unit, uint32_t slice_B, tmap_derived *d) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    uint64_t units = tmap_ceil_div(d->counts[0], unit->values);
    for (int i = 1; i < TMAP_RANK_MAX; i++) d->rows_n = tmap_mul_saturate(d->rows_n, d->counts[i]);
    d->inner_shared_B = d->pitch_B = tmap_mul_saturate(units, unit->pitch_B);
    if (!slice_B && swizzle && d->pitch_B < swizzle->span_B) d->pitch_B = swizzle->span_B;
    d->footprint_B = tmap_mul_saturate(d->rows_n, d->pitch_B);
    if (slice_B && swizzle && swizzle->span_B) d->footprint_B = tmap_round_up(d->footprint_B, swizzle->span_B);
    d->payload_B = tmap_mul_saturate(d->rows_n, tmap_mul_saturate(units, unit->global_B));
    uint32_t period = swizzle ? tmap_swizzle_period_B(swizzle) : 0;
    d->shared_align_B = period > TMAP_LINE_B ? period : TMAP_LINE_B;
}

/* ---- The tensor ----------------------------------------------------------------------------------------------- */

static uint64_t derive_span(const tmap_map_params *params, const tmap_unit *unit) {
    uint64_t rank = rank_of(params);
    if (rank == 0) return 0;
    for (uint64_t i = 0; i < rank; i++)
        if (params->dims_el[i] == 0) return 0;
    uint64_t span = tmap_u64_saturate((tmap_u128)params->dims_el[0] * unit->value_bits / 8);
    for (uint64_t i = 1; i < rank; i++)
        span = tmap_add_saturate(span, tmap_mul_saturate(params->dims_el[i] - 1, params->strides_B[i - 1]));
    return span;
}

static void cover_with_tiles(const tmap_map_params *params, tmap_derived *d) {
    uint64_t rank = rank_of(params);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++)
        d->boxes[i] = i < rank ? tmap_ceil_div(params->dims_el[i], params->box_el[i]) : 1;
    if (slice_B_of(params) && rank >= 3) d->boxes[rank - 2] = params->dims_el[rank - 2]; /* one slice per copy */
}

/* The number of positions of a walk along a spatial dimension: one per step from the lower corner to below size + upper
 * corner. */
static uint64_t positions_n(const tmap_map_params *params, int dim, int corner) {
    tmap_i128 width = (tmap_i128)params->dims_el[dim] + params->upper_corner[corner] - params->lower_corner[corner];
    return width <= 0 ? 0 : tmap_ceil_div(tmap_u64_saturate((tmap_u128)width), params->element_strides[dim]);
}

static void cover_with_columns(const tmap_map_params *params, uint32_t slice_B, tmap_derived *d) {
    tmap_image_dims dims = tmap_image_dims_of(params);
    for (int i = 0; i < TMAP_RANK_MAX; i++) d->boxes[i] = 1;
    if (dims.spatial_n == 0) return;
    bool w128 = params->mode == TMAP_MODE_IM2COL_W128;
    uint64_t pixels = tmap_ceil_div(params->dims_el[dims.batch], params->element_strides[dims.batch]);
    for (int i = 0; i < dims.walked_n; i++)
        pixels = tmap_mul_saturate(pixels, positions_n(params, dims.first_spatial + i, i));
    d->boxes[0] = tmap_ceil_div(params->dims_el[dims.channel], slice_B ? 1 : params->channels_per_pixel);
    d->boxes[1] = tmap_ceil_div(pixels, w128 ? TMAP_W128_PIXELS : params->pixels_per_column);
    for (int i = dims.walked_n; i < dims.spatial_n; i++) d->boxes[1 + i] = params->dims_el[dims.first_spatial + i];
}

static void cover(const tmap_map_params *params, uint32_t slice_B, tmap_derived *d) {
    if (params->mode == TMAP_MODE_LINEAR)
        for (int i = 0; i < TMAP_RANK_MAX; i++) d->boxes[i] = 1;
    else if (is_im2col(params))
        cover_with_columns(params, slice_B, d);
    else
        cover_with_tiles(params, d);
    for (int i = 0; i < TMAP_RANK_MAX; i++) d->boxes_n = tmap_mul_saturate(d->boxes_n, d->boxes[i]);
}

static void derive_box(const tmap_map_params *params, const tmap_unit *unit, bool four_rows, uint64_t w_halo,
                       tmap_derived *d) {
    uint32_t slice_B = slice_B_of(params);
    d->rows_n = d->boxes_n = 1;
    if (params->mode == TMAP_MODE_LINEAR) return; /* the copy gives the size */
    if (is_im2col(params))
        count_pixels(params, slice_B != 0, w_halo, d->counts);
    else
        count_tiles(params, slice_B != 0, four_rows, d->counts);
    if (unit->values != 0) derive_rows(params, unit, slice_B, d);
}

static void derive_tensor(const tmap_map_params *params, const tmap_unit *unit, tmap_derived *d) {
    if (unit->values == 0) return;
    d->span_B = derive_span(params, unit);
    cover(params, slice_B_of(params), d);
}

tmap_derived tmap_derive(const tmap_map_params *params, bool four_rows) {
    tmap_derived d = {0};
    tmap_unit unit = tmap_unit_of(params, false);
    derive_box(params, &unit, four_rows, 0, &d);
    derive_tensor(params, &unit, &d);
    return d;
}

tmap_unit tmap_derive_box(const tmap_map_params *params, const tmap_copy_params *copy, tmap_derived *d) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool to_global = op && op->to_global;
    tmap_unit unit = tmap_unit_of(params, to_global);
    *d = (tmap_derived){0};
    derive_box(params, &unit, op && op->four_rows, to_global ? 0 : copy->w_halo, d);
    if (params->mode == TMAP_MODE_LINEAR) derive_linear(&unit, copy->size_B, d);
    return unit;
}

tmap_derived tmap_derive_copy(const tmap_map_params *params, const tmap_copy_params *copy) {
    tmap_derived d;
    tmap_unit unit = tmap_derive_box(params, copy, &d);
    derive_tensor(params, &unit, &d);
    return d;
}

/* ---- Overlap -------------------------------------------------------------------------------------------------- */

bool tmap_map_overlaps(const tmap_map_params *params) {
    tmap_unit unit = tmap_unit_of(params, false);
    uint64_t reach_B = tmap_u64_saturate(((tmap_u128)params->dims_el[0] * unit.value_bits + 7) / 8);
    uint32_t placed = 0;
    for (int dim; (dim = tmap_next_dim(params, placed)) > 0; placed |= (uint32_t)1 << dim) {
        uint64_t stride_B = params->strides_B[dim - 1];
        if (stride_B < reach_B || reach_B == UINT64_MAX) return true;
        reach_B = tmap_add_saturate(reach_B, tmap_mul_saturate(stride_B, params->dims_el[dim] - 1));
    }
    return reach_B == UINT64_MAX; /* offsets wrap, so that distant elements may share bytes */
}
