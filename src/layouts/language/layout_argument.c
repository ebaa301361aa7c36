/* language: arguments that are layouts of any kind. */
#include "language/layout_argument.h"

#include <string.h>

#include "layout/iter_lists.h"
#include "register/shaped.h"

static void shape_of_cute(const tmap_cute *layout, tmap_shape *shape) {
    int rank = tmap_cute_rank(layout);
    tmap_cute mode;
    for (int i = 0; i < rank && i < TMAP_ITERS_MAX; i++) {
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK) return;
        shape->at[i] = (int64_t)tmap_cute_size(&mode);
        shape->rank = i + 1;
    }
}

static void shape_of_linear(const tmap_linear *linear, tmap_shape *shape) {
    shape->rank = linear->rank;
    for (int d = 0; d < linear->rank; d++) shape->at[d] = (int64_t)1 << linear->size_log2[d];
}

tmap_status tmap_value_layout(const tmap_value *value, tmap_layout *layout, tmap_shape *shape, tmap_diag *error) {
    const void *data = value->as.data;
    switch ((int)value->kind) {
    case TMAP_VALUE_REGISTER:
        *shape = tmap_modes_shape(&((const tmap_register_layout *)data)->modes);
        return tmap_register_to_layout(data, tmap_axis_get(TMAP_AXIS_ID_TX), layout, error);
    case TMAP_VALUE_SHARED:
        *shape = tmap_modes_shape(&((const tmap_shared_layout *)data)->modes);
        return tmap_shared_to_layout(data, layout, error);
    case TMAP_VALUE_CUTE: shape_of_cute(data, shape); return tmap_cute_to_layout(data, layout, error);
    case TMAP_VALUE_LINEAR: shape_of_linear(data, shape); return tmap_linear_to_layout(data, layout, error);
    default:
        *layout = *value->as.layout;
        *shape = tmap_iters_extents(&layout->shard);
        return TMAP_OK;
    }
}

/* The number of the argument with that name; -1 if the function does not have it or it is omitted. */
static int arg_named(const tmap_call *call, const char *name) {
    for (int i = 0; call->function->params[i].name; i++)
        if (strcmp(call->function->params[i].name, name) == 0) return call->args[i] ? i : -1;
    return -1;
}

/* A linear layout unchanged, or the linear layout of an encoding for the argument `shape`. */
bool tmap_arg_linear(tmap_call *call, int arg, tmap_linear *linear) {
    const tmap_value *value = call->args[arg];
    int at = arg_named(call, "shape");
    if (value->kind == TMAP_VALUE_LINEAR) {
        *linear = *(const tmap_linear *)value->as.data;
        return true;
    }
    if (at < 0)
        return tmap_call_refuse_with(call, arg, "tensor<64x64xf16, #ttg.…>, or linear(ENCODING, (64, 64))",
                                     "an encoding is a layout only with the shape of a tensor");
    tmap_shape shape;
    uint64_t sizes[TMAP_ITERS_MAX];
    if (!tmap_arg_numbers(call, at, "1 or more", &shape)) return false;
    for (int d = 0; d < shape.rank; d++) sizes[d] = (uint64_t)shape.at[d];
    tmap_status status = tmap_encoding_linear(value->as.data, sizes, shape.rank, linear, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = call->eval->error->operand == 1 ? at : arg;
    return tmap_call_succeeded(call, status);
}

bool tmap_arg_any_layout(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_value *value = call->args[arg];
    tmap_shape *shape = &out->as.shape;
    tmap_linear linear = {0};
    const tmap_value triton = {.kind = TMAP_VALUE_LINEAR, .as.data = &linear};
    shape->rank = 0;
    if (value->kind == TMAP_VALUE_LAYOUT) {
        out->data = value->as.layout;
        if (value->shaped) *shape = tmap_iters_extents(&value->as.layout->shard);
        return true;
    }
    tmap_layout *made = tmap_eval_take(call->eval, 1, sizeof *made);
    out->data = made;
    bool is_triton = (uint32_t)1 << value->kind & TMAP_TAKES_TRITON;
    if (!made || (is_triton && !tmap_arg_linear(call, arg, &linear))) return false;
    tmap_status status = tmap_value_layout(is_triton ? &triton : value, made, shape, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = arg;
    return tmap_call_succeeded(call, status);
}
