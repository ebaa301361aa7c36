/* Functions on shared layouts: register_functions.def. */
#include "language/functions.h"
#include "language/values.h"

#define CELLS_MAX ((uint64_t)1 << 14)

bool tmap_rf_shared_layout(tmap_call *call, tmap_value *result) {
    tmap_number_list shape, sizes, strides;
    tmap_shared_layout parts = {.swizzle.bits = 0}, made;
    if (!tmap_arg_numbers(call, 0, &shape) || !tmap_arg_numbers(call, 1, &sizes) ||
        !tmap_arg_numbers(call, 2, &strides))
        return false;
    if (shape.n > TMAP_MODE_RANK_MAX)
        return tmap_call_refuse_with(call, 0, "merge dimensions", "%d dimensions; the limit is %d", shape.n,
                                     TMAP_MODE_RANK_MAX);
    if (strides.n != sizes.n)
        return tmap_call_refuse_with(call, 2, "one stride for each mode", "%d stride%s for %d mode%s", strides.n,
                                     TMAP_PLURAL(strides.n), sizes.n, TMAP_PLURAL(sizes.n));
    parts.modes.rank = shape.n;
    parts.modes.n = sizes.n;
    for (int d = 0; d < shape.n; d++) parts.modes.shape[d] = shape.at[d];
    for (int k = 0; k < sizes.n; k++) {
        parts.modes.size[k] = sizes.at[k];
        parts.strides[k] = strides.at[k];
    }
    if (call->args[3] && call->args[3]->kind == TMAP_VALUE_SWIZZLE) {
        const tmap_xor *swizzle = &call->args[3]->as.swizzle;
        if (swizzle->outer)
            return tmap_call_refuse_with(call, 3, "Swizzle(bits, base, shift) with a shift of 0 or more",
                                         "shared layouts have no outer swizzles");
        parts.swizzle = (tmap_shared_swizzle){.base = swizzle->m, .bits = swizzle->b, .shift = swizzle->s};
    }
    return tmap_give_shared(call, tmap_shared_make(&parts, &made, call->eval->error), &made, result);
}

typedef tmap_status (*make_function)(const uint64_t *shape, int rank, tmap_shared_layout *layout, tmap_diag *error);

static bool make(tmap_call *call, make_function make_it, tmap_value *result) {
    tmap_number_list shape;
    tmap_shared_layout made;
    return tmap_arg_numbers(call, 0, &shape) &&
           tmap_give_shared(call, make_it(shape.at, shape.n, &made, call->eval->error), &made, result);
}

FORWARD(tmap_rf_shared_row_major, make, tmap_shared_row_major)
FORWARD(tmap_rf_shared_column_major, make, tmap_shared_column_major)

bool tmap_rf_shared_swizzle(tmap_call *call, tmap_value *result) {
    tmap_number_list shape;
    int64_t bits = 0;
    tmap_shared_layout made;
    if (!tmap_arg_numbers(call, 0, &shape)) return false;
    if (!tmap_arg_int(call, 1, 4, 128, &bits)) {
        tmap_say_fix(call->eval->error, "4, 8, 16, 32, 64 or 128");
        return false;
    }
    tmap_status status = tmap_shared_row_major_swizzle(shape.at, shape.n, (uint64_t)bits, &made, call->eval->error);
    return tmap_give_shared(call, status, &made, result);
}

OF_VALUES(tmap_rf_shared_compose, tmap_arg_shared(call, 0), tmap_shared_compose, tmap_arg_shared(call, 1),
          tmap_shared_layout, tmap_give_shared)

#define IN_SHAPE(name, of, operation) OF_NUMBERS(name, of, operation, tmap_shared_layout, tmap_give_shared)
#define IN_DIMS(name, operation)                                                                                       \
    OF_DIMS(name, tmap_arg_shared(call, 0), operation, tmap_shared_layout, tmap_give_shared)
IN_SHAPE(tmap_rf_shared_reshape, tmap_arg_shared(call, 0), tmap_shared_reshape)
IN_SHAPE(tmap_rf_as_shared, call->args[0]->as.layout, tmap_shared_of_layout)
IN_DIMS(tmap_rf_shared_permute, tmap_shared_permute)
IN_DIMS(tmap_rf_shared_unsqueeze, tmap_shared_unsqueeze)

bool tmap_rf_shared_prepend(tmap_call *call, tmap_value *result) {
    int64_t extent = 1;
    tmap_shared_layout made;
    if (!tmap_arg_int(call, 1, 1, INT64_MAX, &extent)) return false;
    tmap_status status = tmap_shared_prepend(tmap_arg_shared(call, 0), (uint64_t)extent, &made, call->eval->error);
    return tmap_give_shared(call, status, &made, result);
}

bool tmap_rf_shared_slice(tmap_call *call, tmap_value *result) {
    const tmap_shared_layout *layout = tmap_arg_shared(call, 0);
    tmap_number_list begin, extent;
    tmap_shared_layout made;
    tmap_structure_maker maker;
    uint64_t offset;
    if (!tmap_arg_index(call, 1, &layout->modes, &begin) || !tmap_arg_numbers(call, 2, &extent)) return false;
    if (extent.n != begin.n)
        return tmap_call_refuse_with(call, 2, "one extent for each dimension", "%d extent%s for %d dimension%s",
                                     extent.n, TMAP_PLURAL(extent.n), begin.n, TMAP_PLURAL(begin.n));
    tmap_status status = tmap_shared_slice(layout, begin.at, extent.at, &made, &offset, call->eval->error);
    if (!tmap_call_succeeded(call, status) || !tmap_structure_begin(call->eval, &maker, 2)) return false;
    tmap_structure_int(&maker, "offset", (int64_t)offset);
    return tmap_give_shared(call, TMAP_OK, &made, tmap_structure_add(&maker, "layout")) &&
           tmap_structure_end(&maker, result);
}

bool tmap_rf_shared_offset(tmap_call *call, tmap_value *result) {
    const tmap_shared_layout *layout = tmap_arg_shared(call, 0);
    tmap_number_list index;
    return tmap_arg_index(call, 1, &layout->modes, &index) &&
           tmap_give_int(result, (int64_t)tmap_shared_offset(layout, index.at));
}

bool tmap_rf_shared_span(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, (int64_t)tmap_shared_span(tmap_arg_shared(call, 0)));
}

typedef struct shared_grid {
    const tmap_shared_layout *layout;
    int style;
} shared_grid;

static tmap_status put_grid(tmap_sink *sink, const void *of) {
    const shared_grid *d = (const shared_grid *)of;
    return tmap_shared_grid(sink, d->layout, CELLS_MAX, d->style);
}

bool tmap_rf_shared_visualize(tmap_call *call, tmap_value *result) {
    shared_grid d = {.layout = tmap_arg_shared(call, 0)};
    return tmap_arg_table_style(call, 1, &d.style) && tmap_eval_spend(call->eval, CELLS_MAX) &&
           tmap_give_written(call, result, put_grid, &d);
}

bool tmap_rf_shared_as_layout(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    return tmap_call_succeeded(call, tmap_shared_to_layout(tmap_arg_shared(call, 0), &made, call->eval->error)) &&
           tmap_give_layout(call, result, &made);
}
