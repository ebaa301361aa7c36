/* Functions of the expression language on layouts of Triton, and their values. */
#include "language/fn_triton.h"

#include <inttypes.h>
#include <string.h>

#include "language/fn_banks.h"
#include "language/fn_swizzle.h"
#include "language/functions.h"
#include "language/kinds.h"
#include "language/values.h"
#include "tmap/unstable/triton.h"

/* ---- Values ----------------------------------------------------------------------------------------------------- */

void tmap_encoding_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_encoding_print(sink, value->as.data);
}

static tmap_status put_encoding(tmap_sink *sink, const void *of) {
    tmap_encoding_print(sink, of);
    return TMAP_OK;
}

bool tmap_encoding_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    return tmap_structure_begin(eval, &maker, 1) &&
           tmap_give_written(&call, tmap_structure_add(&maker, "encoding"), put_encoding, value->as.data) &&
           tmap_structure_end(&maker, result);
}

bool tmap_encoding_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_encoding_same(a->as.data, b->as.data);
    return true;
}

void tmap_linear_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_linear_print(sink, value->as.data);
}

static bool give_coordinates(tmap_call *call, const tmap_linear *linear, uint64_t element, tmap_value *result) {
    int64_t at[TMAP_LINEAR_RANK_MAX];
    for (int d = linear->rank - 1; d >= 0; element >>= linear->size_log2[d--])
        at[d] = (int64_t)(element & (((uint64_t)1 << linear->size_log2[d]) - 1));
    return tmap_give_ints(call, result, at, (size_t)linear->rank);
}

static bool give_paddings(tmap_eval *eval, const tmap_linear *linear, tmap_value *result) {
    tmap_call call = {.eval = eval};
    tmap_value *items = tmap_give_list(eval, result, (size_t)linear->paddings_n);
    for (int i = 0; items && i < linear->paddings_n; i++) {
        const int64_t pair[] = {(int64_t)linear->paddings[i].interval, (int64_t)linear->paddings[i].padding};
        if (!tmap_give_ints(&call, &items[i], pair, 2)) return false;
    }
    return items != NULL;
}

/* {shape, type, padding, register, lane, …}: of every input dimension its bases. */
bool tmap_linear_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_linear *linear = value->as.data;
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    int64_t shape[TMAP_LINEAR_RANK_MAX];
    if (!tmap_structure_begin(eval, &maker, TMAP_LINEAR_IN_COUNT + 3)) return false;
    for (int d = 0; d < linear->rank; d++) shape[d] = (int64_t)1 << linear->size_log2[d];
    if (!tmap_give_ints(&call, tmap_structure_add(&maker, "shape"), shape, (size_t)linear->rank)) return false;
    if (linear->type[0]) tmap_structure_text(&maker, "type", linear->type);
    if (linear->paddings_n > 0 && !give_paddings(eval, linear, tmap_structure_add(&maker, "padding"))) return false;
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        if (!linear->has[in]) continue;
        tmap_value *bases = tmap_structure_add(&maker, tmap_linear_in_name(in));
        tmap_value *items = tmap_give_list(eval, bases, (size_t)linear->bases_n[in]);
        if (!items) return false;
        for (int i = 0; i < linear->bases_n[in]; i++)
            if (!give_coordinates(&call, linear, linear->bases[in][i], &items[i])) return false;
    }
    return tmap_structure_end(&maker, result);
}

bool tmap_linear_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_linear_same(a->as.data, b->as.data);
    return true;
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* The argument with that name; -1 where the function has none, or it was left out. */
static int arg_named(const tmap_call *call, const char *name) {
    for (int i = 0; i < TMAP_PARAMS_MAX && call->function->params[i].name; i++)
        if (strcmp(call->function->params[i].name, name) == 0) return call->args[i] ? i : -1;
    return -1;
}

/* A linear layout as it is, or that of an encoding for the argument `shape`. */
static bool linear_of(tmap_call *call, int arg, tmap_linear *linear) {
    const tmap_value *value = call->args[arg];
    int at = arg_named(call, "shape");
    tmap_number_list shape;
    if (value->kind == TMAP_VALUE_LINEAR) {
        *linear = *(const tmap_linear *)value->as.data;
        return true;
    }
    if (at < 0)
        return tmap_call_refuse_with(call, arg, "tensor<64x64xf16, #ttg.…>, or linear(ENCODING, (64, 64))",
                                     "an encoding is a layout only for a tensor of some shape");
    if (!tmap_arg_numbers(call, at, &shape)) return false;
    tmap_status status = tmap_encoding_linear(value->as.data, shape.at, shape.n, linear, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = call->eval->error->operand == 1 ? at : arg;
    return tmap_call_went(call, status);
}

bool tmap_arg_triton_layout(tmap_call *call, int arg, tmap_layout *layout, tmap_shape *shape) {
    tmap_linear linear;
    if (!linear_of(call, arg, &linear)) return false;
    shape->rank = linear.rank;
    for (int d = 0; d < linear.rank; d++) shape->at[d] = (int64_t)1 << linear.size_log2[d];
    tmap_status status = tmap_linear_to_layout(&linear, layout, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = arg;
    return tmap_call_went(call, status);
}

/* A layout of any kind as a linear one: argument 0, for the shape of argument 1 or its own. */
static bool any_linear(tmap_call *call, tmap_linear *linear) {
    const tmap_layout *layout;
    tmap_shape own;
    uint64_t shape[TMAP_ITERS_MAX];
    if (((uint32_t)1 << call->args[0]->kind) & TMAP_TAKES_TRITON) return linear_of(call, 0, linear);
    if (!tmap_arg_layout(call, 0, &layout, &own) || !tmap_arg_shape(call, 1, &own)) return false;
    if (own.rank == 0)
        return tmap_call_refuse_with(call, -1, "shape=(64, 64): the sizes of the tensor", "the shape is missing");
    for (int d = 0; d < own.rank; d++) {
        if (own.at[d] < 1)
            return tmap_call_refuse_with(call, 1, "1, 2, 4, 8, …", "dimension %d has %" PRId64 " elements", d,
                                         own.at[d]);
        shape[d] = (uint64_t)own.at[d];
    }
    if (!tmap_eval_spend(call->eval, (uint64_t)1 << 18)) return false;
    return tmap_call_went(call, tmap_linear_of_layout(layout, shape, own.rank, linear, call->eval->error));
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
    if (!linear_of(call, 0, &made)) return false;
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
        return tmap_give_written(call, result, put_encoding, call->args[0]->as.data);
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
    if (!tmap_eval_spend(call->eval, (uint64_t)1 << 20)) return false;
    tmap_status status = tmap_linear_conflicts(shared, registers, bits, &total, &width, call->eval->error);
    if (!tmap_call_went(call, status) || !tmap_structure_begin(call->eval, &maker, 8)) return false;
    tmap_structure_int(&maker, "width", width);
    return tmap_structure_add_conflicts(&maker, &total) && tmap_structure_end(&maker, result);
}
