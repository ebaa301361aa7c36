/* language: layouts of Triton as values and as arguments. */
#include "language/triton_argument.h"

#include <string.h>

#include "language/kinds.h"
#include "language/values.h"

/* ---- Values ----------------------------------------------------------------------------------------------------- */

void tmap_encoding_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_encoding_print(sink, value->as.data);
}

tmap_status tmap_put_encoding(tmap_sink *sink, const void *of) {
    tmap_encoding_print(sink, of);
    return TMAP_OK;
}

bool tmap_encoding_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    return tmap_structure_begin(eval, &maker, 1) &&
           tmap_give_written(&call, tmap_structure_add(&maker, "encoding"), tmap_put_encoding, value->as.data) &&
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
    int64_t at[TMAP_LINEAR_RANK_MAX] = {0};
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

/* {shape, type, padding, register, lane, ...}: for every input dimension its bases. */
bool tmap_linear_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_linear *linear = value->as.data;
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    int64_t shape[TMAP_LINEAR_RANK_MAX] = {0};
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

/* The number of the argument with that name; -1 if the function does not have it or it is omitted. */
static int arg_named(const tmap_call *call, const char *name) {
    for (int i = 0; i < TMAP_PARAMS_MAX && call->function->params[i].name; i++)
        if (strcmp(call->function->params[i].name, name) == 0) return call->args[i] ? i : -1;
    return -1;
}

/* A linear layout unchanged, or the linear layout of an encoding for the argument `shape`. */
bool tmap_arg_linear(tmap_call *call, int arg, tmap_linear *linear) {
    const tmap_value *value = call->args[arg];
    int at = arg_named(call, "shape");
    tmap_number_list shape;
    if (value->kind == TMAP_VALUE_LINEAR) {
        *linear = *(const tmap_linear *)value->as.data;
        return true;
    }
    if (at < 0)
        return tmap_call_refuse_with(call, arg, "tensor<64x64xf16, #ttg.…>, or linear(ENCODING, (64, 64))",
                                     "an encoding is a layout only with the shape of a tensor");
    if (!tmap_arg_numbers(call, at, &shape)) return false;
    tmap_status status = tmap_encoding_linear(value->as.data, shape.at, shape.n, linear, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = call->eval->error->operand == 1 ? at : arg;
    return tmap_call_succeeded(call, status);
}

bool tmap_arg_triton_layout(tmap_call *call, int arg, tmap_layout *layout, tmap_shape *shape) {
    tmap_linear linear = {0};
    if (!tmap_arg_linear(call, arg, &linear)) return false;
    shape->rank = linear.rank;
    for (int d = 0; d < linear.rank; d++) shape->at[d] = (int64_t)1 << linear.size_log2[d];
    tmap_status status = tmap_linear_to_layout(&linear, layout, call->eval->error);
    if (status == TMAP_REFUSED) call->eval->error->operand = arg;
    return tmap_call_succeeded(call, status);
}
