/* view: values of the expression language as layouts that can be drawn, and their shapes. */
#include "diag/refuse.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/register_shared.h"
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
    default: return tmap_refuse_operand(error, -1, "%s is not drawn: give a layout", tmap_value_kind_name(value->kind));
    }
}

tmap_status tmap_picture_of(const tmap_value *value, tmap_picture *picture, tmap_layout *layout, tmap_diag *error) {
    tmap_status status = layout_of(value, picture, layout, error);
    picture->registers = value->kind == TMAP_VALUE_REGISTER;
    if (status == TMAP_OK) tmap_picture_choose_shape(layout, picture);
    return status;
}
