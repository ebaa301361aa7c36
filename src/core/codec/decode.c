/* Decodes descriptors. Every bit pattern decodes to the nearest parameters; the rules judge the bits. */
#include "diag/refuse.h"
#include "hw/descriptor_bits.h"
#include "tmap/codec.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

/* Ignores the rounding bit if no type with this code has it. */
static tmap_type type_of(uint64_t code, bool tf32) {
    int type = tmap_type_of_code(code, tf32);
    if (type < 0) type = tmap_type_of_code(code, false);
    return type < 0 ? TMAP_TYPE_U8 : (tmap_type)type;
}

static tmap_swizzle swizzle_of(uint64_t mode, uint64_t atomicity) {
    tmap_swizzle nearest = TMAP_SWIZZLE_NONE;
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get(i);
        if ((uint64_t)swizzle->ptx_mode != mode) continue;
        if ((uint64_t)swizzle->ptx_atomicity == atomicity) return (tmap_swizzle)i;
        if (swizzle->ptx_atomicity == 0) nearest = (tmap_swizzle)i;
    }
    return nearest;
}

static void peek_each(const tmap_descriptor *descriptor, tmap_descriptor_field first, uint64_t count, uint64_t more,
                      uint64_t *values) {
    for (uint64_t i = 0; i < count; i++)
        values[i] = tmap_descriptor_peek(descriptor, (tmap_descriptor_field)(first + i)) + more;
}

static void peek_corner(const tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t spatial_n,
                        int64_t *corner) {
    uint64_t raw = tmap_descriptor_peek(descriptor, field);
    for (unsigned i = 0; i < spatial_n; i++) corner[i] = tmap_corner_entry(raw, i, (unsigned)spatial_n);
}

static void peek_box(const tmap_descriptor *descriptor, tmap_map_params *params) {
    if (tmap_descriptor_peek(descriptor, TMAP_DESC_KIND) == 0) {
        params->box_el[0] = tmap_descriptor_peek(descriptor, TMAP_DESC_BOX_0) + 1;
        peek_each(descriptor, TMAP_DESC_BOX_1, params->rank - 1, 1, params->box_el + 1);
        return;
    }
    params->mode = TMAP_MODE_IM2COL;
    params->channels_per_pixel = tmap_descriptor_peek(descriptor, TMAP_DESC_BOX_0) + 1;
    params->pixels_per_column = tmap_descriptor_peek(descriptor, TMAP_DESC_PIXELS_PER_COLUMN) + 1;
    if (params->rank < 3) return;
    peek_corner(descriptor, TMAP_DESC_LOWER_CORNER, params->rank - 2, params->lower_corner);
    peek_corner(descriptor, TMAP_DESC_UPPER_CORNER, params->rank - 2, params->upper_corner);
}

/* AUTO if the native encoder would choose the stored class. */
static tmap_allocation_class class_of(const tmap_descriptor *descriptor, const tmap_map_params *params) {
    tmap_allocation_class stored = tmap_descriptor_peek(descriptor, TMAP_DESC_ALLOCATION_CLASS) != 0
                                       ? TMAP_ALLOCATION_LARGE
                                       : TMAP_ALLOCATION_SMALL;
    return tmap_allocation_class_of(params) == stored ? TMAP_ALLOCATION_AUTO : stored;
}

static tmap_map_params params_of(const tmap_descriptor *descriptor) {
    uint64_t rank = tmap_descriptor_peek(descriptor, TMAP_DESC_RANK) + 1;
    uint64_t interleave = tmap_descriptor_peek(descriptor, TMAP_DESC_INTERLEAVE);
    tmap_type type = type_of(tmap_descriptor_peek(descriptor, TMAP_DESC_TYPE),
                             tmap_descriptor_peek(descriptor, TMAP_DESC_TF32) != 0);
    tmap_map_params params = tmap_map_params_tiled(type, rank < TMAP_RANK_MAX ? rank : TMAP_RANK_MAX);
    params.has_address = true;
    params.address = tmap_descriptor_peek(descriptor, TMAP_DESC_ADDRESS);
    if (interleave < TMAP_INTERLEAVE_COUNT) params.interleave = (tmap_interleave)interleave;
    params.swizzle = swizzle_of(tmap_descriptor_peek(descriptor, TMAP_DESC_SWIZZLE),
                                tmap_descriptor_peek(descriptor, TMAP_DESC_ATOMICITY));
    params.oob_fill = (tmap_oob_fill)tmap_descriptor_peek(descriptor, TMAP_DESC_OOB_FILL);
    params.l2_promotion = (tmap_l2_promotion)tmap_descriptor_peek(descriptor, TMAP_DESC_L2_PROMOTION);
    peek_each(descriptor, TMAP_DESC_STRIDE_0, params.rank - 1, 0, params.strides_B);
    for (uint64_t i = 0; i + 1 < params.rank; i++) params.strides_B[i] *= 16;
    peek_each(descriptor, TMAP_DESC_DIM_0, params.rank, 1, params.dims_el);
    peek_each(descriptor, TMAP_DESC_ELEMENT_STRIDE_0, params.rank, 1, params.element_strides);
    peek_box(descriptor, &params);
    params.allocation_class = class_of(descriptor, &params);
    return params;
}

tmap_status tmap_descriptor_decode(const tmap_descriptor *descriptor, tmap_map_params *params, const tmap_judge *judge,
                                   tmap_diags *diags) {
    if (!descriptor || !params) return tmap_bad_argument(diags, "descriptor or params is null");
    *params = params_of(descriptor);
    return tmap_check_descriptor(descriptor, judge, diags);
}
