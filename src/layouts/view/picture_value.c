/* view: makes drawable layouts from values of the expression language, and chooses their shapes. */
#include <string.h>

#include "diag/refuse.h"
#include "language/layout_argument.h"
#include "view/picture.h"

static tmap_status linear_of(const tmap_encoding *encoding, const tmap_picture *picture, tmap_linear *linear,
                             tmap_diag *error) {
    uint64_t shape[TMAP_PICTURE_RANK_MAX];
    if (picture->rank == 0)
        return tmap_refuse_with(error, -1,
                                "tensor<64x64xf16, #ttg.…>, linear(ENCODING, (64, 64)), or a shape beside it",
                                "an encoding is a layout only for a tensor of some shape");
    for (int d = 0; d < picture->rank; d++) shape[d] = (uint64_t)picture->shape[d];
    return tmap_encoding_linear(encoding, shape, picture->rank, linear, error);
}

/* Combines lanes and warps into one thread number, as Triton draws them. */
static tmap_status layout_of_linear(const tmap_linear *linear, tmap_layout *layout, tmap_shape *shape,
                                    tmap_diag *error) {
    const tmap_value value = {.kind = TMAP_VALUE_LINEAR, .as.data = linear};
    tmap_status status = tmap_value_layout(&value, layout, shape, error);
    return status == TMAP_OK ? tmap_layout_fused(layout, layout, error) : status;
}

static tmap_status layout_of(const tmap_value *value, const tmap_picture *picture, tmap_layout *layout,
                             tmap_shape *shape, tmap_diag *error) {
    tmap_linear linear;
    tmap_status status;
    switch ((int)value->kind) {
    case TMAP_VALUE_LAYOUT: *layout = *value->as.layout; return TMAP_OK;
    case TMAP_VALUE_REGISTER:
    case TMAP_VALUE_SHARED:
    case TMAP_VALUE_CUTE: return tmap_value_layout(value, layout, shape, error);
    case TMAP_VALUE_LINEAR: return layout_of_linear(value->as.data, layout, shape, error);
    case TMAP_VALUE_ENCODING:
        status = linear_of(value->as.data, picture, &linear, error);
        return status == TMAP_OK ? layout_of_linear(&linear, layout, shape, error) : status;
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
    tmap_shape own = {.rank = 0};
    tmap_status status = layout_of(value, picture, layout, &own, error);
    if (picture->rank == 0 && own.rank <= TMAP_PICTURE_RANK_MAX) {
        picture->rank = own.rank;
        memcpy(picture->shape, own.at, (size_t)own.rank * sizeof own.at[0]);
    }
    picture->registers = of_registers(value);
    if (status == TMAP_OK) tmap_picture_choose_shape(layout, picture);
    return status;
}
