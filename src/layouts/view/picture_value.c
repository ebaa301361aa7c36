/* view: makes drawable layouts from values of the expression language, and chooses their shapes. */
#include "diag/refuse.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/register_shared.h"
#include "tmap/unstable/triton.h"
#include "view/picture.h"

static void shape_of_modes(tmap_picture *picture, const tmap_modes *modes) {
    if (picture->rank > 0) return;
    picture->rank = modes->rank;
    for (int d = 0; d < modes->rank; d++) picture->shape[d] = (int64_t)modes->shape[d];
}

static void shape_of_cute(tmap_picture *picture, const tmap_cute *layout) {
    int rank = tmap_cute_rank(layout);
    if (picture->rank > 0 || rank > TMAP_PICTURE_RANK_MAX) return;
    for (int i = 0; i < rank; i++) {
        tmap_cute mode;
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK) return;
        picture->shape[i] = (int64_t)tmap_cute_size(&mode);
    }
    picture->rank = rank;
}

/* Combines lanes and warps into one thread number, as Triton draws them. */
static tmap_status layout_of_linear(const tmap_linear *linear, tmap_picture *picture, tmap_layout *layout,
                                    tmap_diag *error) {
    tmap_layout made;
    for (int d = 0; d < linear->rank && picture->rank == 0; d++) picture->shape[d] = (int64_t)1 << linear->size_log2[d];
    if (picture->rank == 0) picture->rank = linear->rank;
    tmap_status status = tmap_linear_to_layout(linear, &made, error);
    return status == TMAP_OK ? tmap_layout_fused(&made, layout, error) : status;
}

static tmap_status layout_of_encoding(const tmap_encoding *encoding, tmap_picture *picture, tmap_layout *layout,
                                      tmap_diag *error) {
    uint64_t shape[TMAP_PICTURE_RANK_MAX];
    tmap_linear linear;
    if (picture->rank == 0)
        return tmap_refuse_with(error, -1,
                                "tensor<64x64xf16, #ttg.…>, linear(ENCODING, (64, 64)), or a shape beside it",
                                "an encoding is a layout only for a tensor of some shape");
    for (int d = 0; d < picture->rank; d++) shape[d] = (uint64_t)picture->shape[d];
    tmap_status status = tmap_encoding_linear(encoding, shape, picture->rank, &linear, error);
    return status == TMAP_OK ? layout_of_linear(&linear, picture, layout, error) : status;
}

static tmap_status layout_of(const tmap_value *value, tmap_picture *picture, tmap_layout *layout, tmap_diag *error) {
    switch ((int)value->kind) {
    case TMAP_VALUE_LAYOUT: *layout = *value->as.layout; return TMAP_OK;
    case TMAP_VALUE_REGISTER: {
        const tmap_register_layout *of = value->as.data;
        shape_of_modes(picture, &of->modes);
        return tmap_register_to_layout(of, tmap_axis_get(TMAP_AXIS_ID_TX), layout, error);
    }
    case TMAP_VALUE_SHARED: {
        const tmap_shared_layout *of = value->as.data;
        shape_of_modes(picture, &of->modes);
        return tmap_shared_to_layout(of, layout, error);
    }
    case TMAP_VALUE_CUTE:
        shape_of_cute(picture, value->as.data);
        return tmap_cute_to_layout(value->as.data, layout, error);
    case TMAP_VALUE_LINEAR: return layout_of_linear(value->as.data, picture, layout, error);
    case TMAP_VALUE_ENCODING: return layout_of_encoding(value->as.data, picture, layout, error);
    default: return tmap_refuse_operand(error, -1, "%s is not drawn: give a layout", tmap_value_kind_name(value->kind));
    }
}

static bool of_registers(const tmap_value *value) {
    const tmap_linear *linear = value->as.data;
    if (value->kind == TMAP_VALUE_LINEAR) return linear->has[TMAP_LINEAR_REGISTER];
    return value->kind == TMAP_VALUE_ENCODING ? !tmap_encoding_shared(value->as.data)
                                              : value->kind == TMAP_VALUE_REGISTER;
}

tmap_status tmap_picture_of(const tmap_value *value, tmap_picture *picture, tmap_layout *layout, tmap_diag *error) {
    tmap_status status = layout_of(value, picture, layout, error);
    picture->registers = of_registers(value);
    if (status == TMAP_OK) tmap_picture_choose_shape(layout, picture);
    return status;
}
