/* Numbers that follow from a map's parameters, for any parameters. */
#include "base/wide.h"
#include "tmap/params.h"

uint64_t tmap_inner_global_B(const tmap_type_info *type, uint64_t count_el) {
    return tmap_u64_saturate((tmap_u128)count_el * (unsigned)type->bits / 8);
}

static uint64_t rank_of(const tmap_map_params *params) {
    return params->rank < TMAP_RANK_MAX ? params->rank : TMAP_RANK_MAX;
}

/* Interleaved: dimension 0 is W with its own stride, and dimension rank-2 gives one channel slice whatever the box says
 * (measured on sm_120 by the Allegro project). */
static void derive_counts(const tmap_map_params *params, bool interleaved, bool four_rows, uint64_t *counts) {
    uint64_t rank = rank_of(params);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++) {
        counts[i] = i < rank ? params->box_el[i] : 1;
        if (i < rank && (i > 0 || interleaved)) counts[i] = tmap_ceil_div(counts[i], params->element_strides[i]);
    }
    if (interleaved && rank >= 3) counts[rank - 2] = 1;
    if (four_rows) counts[1] = 4;
}

/* One row of the box: `units` of them, what is sent and how far it reaches in shared memory. */
static void derive_row(const tmap_map_params *params, const tmap_type_info *type, uint32_t slice_B, tmap_derived *d,
                       uint64_t *row_payload_B) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    if (slice_B) {
        d->inner_shared_B = *row_payload_B = tmap_mul_saturate(d->counts[0], slice_B);
    } else {
        uint64_t units = tmap_ceil_div(d->counts[0], (uint64_t)type->unit_values);
        d->inner_shared_B = tmap_mul_saturate(units, type->unit_pitch_B);
        *row_payload_B = tmap_mul_saturate(units, type->unit_shared_B);
    }
    d->pitch_B = d->inner_shared_B;
    if (!slice_B && swizzle && d->pitch_B < swizzle->span_B) d->pitch_B = swizzle->span_B;
    uint32_t period = swizzle ? tmap_swizzle_period_B(swizzle) : 0;
    d->shared_align_B = period > TMAP_LINE_B ? period : TMAP_LINE_B;
}

static uint64_t derive_span(const tmap_map_params *params, const tmap_type_info *type, uint32_t slice_B) {
    uint64_t rank = rank_of(params);
    if (rank == 0) return 0;
    for (uint64_t i = 0; i < rank; i++)
        if (params->dims_el[i] == 0) return 0;
    uint64_t span =
        slice_B ? tmap_mul_saturate(params->dims_el[0], slice_B) : tmap_inner_global_B(type, params->dims_el[0]);
    for (uint64_t i = 1; i < rank; i++)
        span = tmap_add_saturate(span, tmap_mul_saturate(params->dims_el[i] - 1, params->strides_B[i - 1]));
    return span;
}

tmap_derived tmap_derive(const tmap_map_params *params, bool four_rows) {
    tmap_derived d = {.rows_n = 1, .boxes_n = 1};
    const tmap_type_info *type = tmap_type_get((int)params->type);
    const tmap_interleave_info *interleave = tmap_interleave_get((int)params->interleave);
    uint32_t slice_B = interleave ? interleave->slice_B : 0;
    uint64_t row_payload_B = 0;
    derive_counts(params, slice_B != 0, four_rows, d.counts);
    if (!type) return d;
    derive_row(params, type, slice_B, &d, &row_payload_B);
    for (int i = 1; i < TMAP_RANK_MAX; i++) d.rows_n = tmap_mul_saturate(d.rows_n, d.counts[i]);
    d.footprint_B = tmap_mul_saturate(d.rows_n, d.pitch_B);
    d.payload_B = tmap_mul_saturate(d.rows_n, row_payload_B);
    d.span_B = derive_span(params, type, slice_B);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++) {
        d.boxes[i] = i < rank_of(params) ? tmap_ceil_div(params->dims_el[i], params->box_el[i]) : 1;
        d.boxes_n = tmap_mul_saturate(d.boxes_n, d.boxes[i]);
    }
    return d;
}
