/* Functions on layouts of Triton. */
#include <inttypes.h>
#include <string.h>

#include "language/fn_banks.h"
#include "language/fn_swizzle.h"
#include "language/functions.h"
#include "language/triton_argument.h"
#include "language/values.h"

#define LINEAR_STEPS    ((uint64_t)1 << 18)
#define CONFLICTS_STEPS ((uint64_t)1 << 20)

/* A layout of any kind as a linear layout: argument 0, for the shape in argument 1 or its own shape. */
static bool any_linear(tmap_call *call, tmap_linear *linear) {
    const tmap_layout *layout;
    tmap_shape own;
    uint64_t shape[TMAP_ITERS_MAX];
    if (((uint32_t)1 << call->args[0]->kind) & TMAP_TAKES_TRITON) return tmap_arg_linear(call, 0, linear);
    if (!tmap_arg_layout(call, 0, &layout, &own) || !tmap_arg_shape(call, 1, &own)) return false;
    if (own.rank == 0)
        return tmap_call_refuse_with(call, -1, "shape=(64, 64): the sizes of the tensor", "the shape is missing");
    for (int d = 0; d < own.rank; d++) {
        if (own.at[d] < 1)
            return tmap_call_refuse_with(call, 1, "1, 2, 4, 8, …", "dimension %d has %" PRId64 " elements", d,
                                         own.at[d]);
        shape[d] = (uint64_t)own.at[d];
    }
    if (!tmap_eval_spend(call->eval, LINEAR_STEPS)) return false;
    return tmap_call_succeeded(call, tmap_linear_of_layout(layout, shape, own.rank, linear, call->eval->error));
}

static bool give_linear(tmap_call *call, const tmap_linear *linear, tmap_value *result) {
    tmap_linear *made = tmap_eval_take(call->eval, 1, sizeof *made);
    if (!made) return false;
    *made = *linear;
    *result = (tmap_value){.kind = TMAP_VALUE_LINEAR, .as.data = made};
    return true;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

bool tmap_tf_linear(tmap_call *call, tmap_value *result) {
    tmap_linear made;
    const char *type = tmap_arg_name(call, 2);
    if (!tmap_arg_linear(call, 0, &made)) return false;
    if (type && strlen(type) >= sizeof made.type)
        return tmap_call_refuse_with(call, 2, "f16, bf16, f32, i8, …", "the name of the type is too long");
    if (type) memcpy(made.type, type, strlen(type) + 1);
    return give_linear(call, &made, result);
}

bool tmap_tf_linear_of(tmap_call *call, tmap_value *result) {
    tmap_linear made;
    return any_linear(call, &made) && give_linear(call, &made, result);
}

static tmap_status put_triton(tmap_sink *sink, const void *of) {
    tmap_linear_print_encoding(sink, of);
    return TMAP_OK;
}

bool tmap_tf_triton(tmap_call *call, tmap_value *result) {
    tmap_linear made;
    if (call->args[0]->kind == TMAP_VALUE_ENCODING && !call->args[1])
        return tmap_give_written(call, result, tmap_put_encoding, call->args[0]->as.data);
    return any_linear(call, &made) && tmap_give_written(call, result, put_triton, &made);
}

static tmap_status put_bases(tmap_sink *sink, const void *of) {
    tmap_linear_print_bases(sink, of);
    return TMAP_OK;
}

bool tmap_tf_bases(tmap_call *call, tmap_value *result) {
    tmap_linear made;
    return any_linear(call, &made) && tmap_give_written(call, result, put_bases, &made);
}

bool tmap_tf_as_layout(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    tmap_shape shape;
    return tmap_arg_triton_layout(call, 0, &made, &shape) && tmap_give_layout(call, result, &made);
}

bool tmap_tf_conflicts(tmap_call *call, tmap_value *result) {
    const tmap_linear *shared = call->args[0]->as.data, *registers = call->args[1]->as.data;
    int bits = tmap_linear_type_bits(shared), width;
    tmap_conflicts total;
    tmap_structure_maker maker;
    if (bits == 0) bits = tmap_linear_type_bits(registers);
    if (call->args[2] && !tmap_arg_bits(call, 2, &bits)) return false;
    if (bits == 0)
        return tmap_call_refuse_with(call, -1, "memdesc<64x64xf16, …>, or type=f16",
                                     "the type of the elements is missing");
    if (!tmap_eval_spend(call->eval, CONFLICTS_STEPS)) return false;
    tmap_status status = tmap_linear_conflicts(shared, registers, bits, &total, &width, call->eval->error);
    if (!tmap_call_succeeded(call, status) || !tmap_structure_begin(call->eval, &maker, 8)) return false;
    tmap_structure_int(&maker, "width", width);
    return tmap_structure_add_conflicts(&maker, &total) && tmap_structure_end(&maker, result);
}
