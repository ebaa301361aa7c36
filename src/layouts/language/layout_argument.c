/* language: arguments that are layouts of any kind. */
#include "language/layout_argument.h"

#include "language/triton_argument.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/register_shared.h"

static void shape_of_modes(const tmap_modes *modes, tmap_shape *shape) {
    shape->rank = modes->rank;
    for (int d = 0; d < modes->rank; d++) shape->at[d] = (int64_t)modes->shape[d];
}

static void shape_of_cute(const tmap_cute *layout, tmap_shape *shape) {
    int rank = tmap_cute_rank(layout);
    tmap_cute mode;
    for (int i = 0; i < rank && i < TMAP_ITERS_MAX; i++) {
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK) return;
        shape->at[i] = (int64_t)tmap_cute_size(&mode);
        shape->rank = i + 1;
    }
}

static tmap_status convert(const tmap_value *value, tmap_layout *made, tmap_shape *shape, tmap_diag *error) {
    if (value->kind == TMAP_VALUE_CUTE) {
        shape_of_cute(value->as.data, shape);
        return tmap_cute_to_layout(value->as.data, made, error);
    }
    if (value->kind == TMAP_VALUE_SHARED) {
        shape_of_modes(&((const tmap_shared_layout *)value->as.data)->modes, shape);
        return tmap_shared_to_layout(value->as.data, made, error);
    }
    shape_of_modes(&((const tmap_register_layout *)value->as.data)->modes, shape);
    return tmap_register_to_layout(value->as.data, tmap_axis_get(TMAP_AXIS_ID_TX), made, error);
}

bool tmap_arg_layout(tmap_call *call, int arg, const tmap_layout **layout, tmap_shape *shape) {
    const tmap_value *value = call->args[arg];
    *shape = (tmap_shape){0};
    if (value->kind == TMAP_VALUE_LAYOUT) {
        *layout = value->as.layout;
        shape->rank = value->shaped ? (*layout)->shard.n : 0;
        for (int i = 0; i < shape->rank; i++) shape->at[i] = (*layout)->shard.at[i].extent;
        return true;
    }
    tmap_layout *made = tmap_eval_take(call->eval, 1, sizeof *made);
    *layout = made;
    if (made && ((uint32_t)1 << value->kind & TMAP_TAKES_TRITON)) return tmap_arg_triton_layout(call, arg, made, shape);
    return made && tmap_call_succeeded(call, convert(value, made, shape, call->eval->error));
}
