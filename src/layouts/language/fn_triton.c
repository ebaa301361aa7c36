/* Functions on layouts of Triton. */
#include <inttypes.h>
#include <string.h>

#include "language/fn_banks.h"
#include "language/functions.h"
#include "language/layout_argument.h"

#define LINEAR_STEPS    ((uint64_t)1 << 18)
#define CONFLICTS_STEPS ((uint64_t)1 << 20)

/* A layout of any kind as a linear layout, for the given shape or its own shape. */
static bool any_linear(tmap_call *call, const tmap_value *layout, const tmap_value *shape, tmap_linear *linear) {
    tmap_read_value any;
    tmap_shape *of = &any.as.shape;
    uint64_t sizes[TMAP_ITERS_MAX];
    if (((uint32_t)1 << layout->kind) & TMAP_TAKES_TRITON) return tmap_arg_linear(call, 0, linear);
    if (!tmap_arg_any_layout(call, 0, &any) || (shape && !tmap_value_shape(call, 1, shape, of))) return false;
    if (of->rank == 0)
        return tmap_call_refuse_with(call, -1, "shape=(64, 64): the sizes of the tensor", "the shape is missing");
    for (int d = 0; d < of->rank; d++) {
        if (of->at[d] < 1)
            return tmap_call_refuse_with(call, 1, "1, 2, 4, 8, …", "dimension %d has %" PRId64 " elements", d,
                                         of->at[d]);
        sizes[d] = (uint64_t)of->at[d];
    }
    if (!tmap_eval_spend(call->eval, LINEAR_STEPS)) return false;
    return tmap_call_succeeded(call, tmap_linear_of_layout(any.data, sizes, of->rank, linear, call->eval->error));
}

bool tmap_tf_linear(tmap_call *call, const tmap_value *encoding, const tmap_value *shape, const char *type,
                    tmap_value *result) {
    tmap_linear made;
    (void)encoding, (void)shape;
    if (!tmap_arg_linear(call, 0, &made)) return false;
    if (type && strlen(type) >= sizeof made.type)
        return tmap_call_refuse_with(call, 2, "f16, bf16, f32, i8, …", "the name of the type is too long");
    if (type) memcpy(made.type, type, strlen(type) + 1);
    return GIVE_MADE(call, TMAP_OK, LINEAR, &made, result);
}

bool tmap_tf_linear_of(tmap_call *call, const tmap_value *layout, const tmap_value *shape, tmap_value *result) {
    tmap_linear made;
    return any_linear(call, layout, shape, &made) && GIVE_MADE(call, TMAP_OK, LINEAR, &made, result);
}

bool tmap_tf_triton(tmap_call *call, const tmap_value *layout, const tmap_value *shape, tmap_value *result) {
    tmap_linear made;
    tmap_text text;
    bool as_it_is = layout->kind == TMAP_VALUE_ENCODING && !shape;
    if (!as_it_is && !any_linear(call, layout, shape, &made)) return false;
    tmap_sink sink = tmap_give_begin(call->eval, &text);
    if (as_it_is)
        tmap_encoding_print(&sink, layout->as.data);
    else
        tmap_linear_print_encoding(&sink, &made);
    return tmap_give_end(call->eval, &text, &sink, result);
}

bool tmap_tf_bases(tmap_call *call, const tmap_value *layout, const tmap_value *shape, tmap_value *result) {
    tmap_linear made;
    tmap_text text;
    if (!any_linear(call, layout, shape, &made)) return false;
    tmap_sink sink = tmap_give_begin(call->eval, &text);
    tmap_linear_print_bases(&sink, &made);
    return tmap_give_end(call->eval, &text, &sink, result);
}

bool tmap_tf_conflicts(tmap_call *call, const tmap_linear *shared, const tmap_linear *registers, int bits,
                       tmap_value *result) {
    int width;
    tmap_conflicts total;
    TMAP_STRUCTURE(s);
    if (bits == 0) bits = tmap_linear_type_bits(shared);
    if (bits == 0) bits = tmap_linear_type_bits(registers);
    if (bits == 0)
        return tmap_call_refuse_with(call, -1, "memdesc<64x64xf16, …>, or type=f16",
                                     "the type of the elements is missing");
    if (!tmap_eval_spend(call->eval, CONFLICTS_STEPS)) return false;
    tmap_status status = tmap_linear_conflicts(shared, registers, bits, &total, &width, call->eval->error);
    if (!tmap_call_succeeded(call, status)) return false;
    tmap_structure_int(&s, "width", width);
    return tmap_structure_add_conflicts(call->eval, &s, &total) && tmap_structure_give(call->eval, &s, result);
}
