/* Functions of the expression language on CuTe layouts: cute_functions.def. */
#include "cute/build.h"
#include "language/functions.h"
#include "language/values.h"

#include <inttypes.h>
#include <string.h>

/* ---- Shape:stride as values ---- */

static bool refuse_place(const tmap_call *call, int arg, const tmap_value *value, const char *message,
                         const char *fix) {
    tmap_call_refuse_with(call, arg, fix, "%s", message);
    return tmap_refuse_place(call->eval->error, value->at, value->length);
}

/* Appends the tuples of `shape` and `stride` (NULL: all 0 at first), which must have the same nesting. */
static bool append_tuple(const tmap_call *call, int arg, const tmap_value *shape, const tmap_value *stride,
                         tmap_cute_build *build) {
    bool list = shape->kind == TMAP_VALUE_LIST;
    if (shape->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, shape);
    if (stride && stride->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, stride);
    if (!list && shape->kind != TMAP_VALUE_INT)
        return refuse_place(call, arg, shape, "a shape is a number or a list of shapes", "as in (4,(2,3)):(1,(8,4))");
    if (stride && stride->kind != shape->kind)
        return refuse_place(call, arg, stride, "shape and stride are not nested alike",
                            "a stride for every number of the shape, in the same brackets");
    if (!list) {
        if (shape->as.integer < 1)
            return refuse_place(call, arg, shape, "a shape must be 1 or more", "an integer of 1 or more");
        tmap_cute_leaf(build, (uint64_t)shape->as.integer, stride ? stride->as.integer : 0);
        return true;
    }
    if (stride && stride->as.list.n != shape->as.list.n)
        return refuse_place(call, arg, stride, "the numbers of strides and shapes differ",
                            "a stride for every number of the shape");
    int open = tmap_cute_open(build);
    for (size_t i = 0; i < shape->as.list.n; i++)
        if (!append_tuple(call, arg, &shape->as.list.items[i], stride ? &stride->as.list.items[i] : NULL, build))
            return false;
    tmap_cute_close(build, open);
    return true;
}

static bool value_tuple(const tmap_call *call, int arg, const tmap_value *value, tmap_cute *layout) {
    bool pair = value->kind == TMAP_VALUE_PAIR;
    const tmap_value *shape = pair ? &value->as.list.items[0] : value, *stride = pair ? &shape[1] : NULL;
    tmap_cute_build build = {0};
    if (!append_tuple(call, arg, shape, stride, &build)) return false;
    if (!pair) tmap_cute_fill_strides(&build);
    return tmap_call_succeeded(call, tmap_cute_built(&build, NULL, TMAP_OPERATION("cute"), layout, call->eval->error));
}

bool tmap_cf_cute(tmap_call *call, tmap_value *result) {
    tmap_cute made;
    const tmap_value *value = call->args[0];
    if (value->kind != TMAP_VALUE_TEXT)
        return value_tuple(call, 0, value, &made) && tmap_give_cute(call, TMAP_OK, &made, result);
    tmap_diag *error = call->eval->error;
    if (tmap_cute_parse(value->as.text, strlen(value->as.text), &made, error) == TMAP_OK)
        return tmap_give_cute(call, TMAP_OK, &made, result);
    error->at += value->at + 1; /* the text starts after the quote */
    return false;
}

/* ---- Swizzles and offsets in front ---- */

bool tmap_cf_swizzled(tmap_call *call, tmap_value *result) {
    tmap_cute made = *tmap_arg_cute(call, 1);
    const tmap_xor *swizzle = &call->args[0]->as.swizzle;
    if (made.swizzle.bits != 0)
        return tmap_call_refuse_with(call, 1, "compose the layout without its swizzle",
                                     "the layout has a swizzle already");
    made.swizzle = (tmap_cute_swizzle){swizzle->b, swizzle->m, swizzle->outer ? -swizzle->s : swizzle->s};
    return tmap_give_cute(call, TMAP_OK, &made, result);
}

bool tmap_cf_moved(tmap_call *call, tmap_value *result) {
    tmap_cute made = *tmap_arg_cute(call, 1);
    int64_t most = (int64_t)(TMAP_CUTE_REACH_MAX / 2);
    if (made.swizzle.bits != 0 || made.offset != 0)
        return tmap_call_refuse_with(call, 1,
                                     made.swizzle.bits != 0
                                         ? "swizzle o (offset o layout), if the swizzle may be the last function"
                                         : "add the offsets, and compose once",
                                     "the layout has a swizzle or an offset already");
    return tmap_arg_int(call, 0, -most, most, &made.offset) && tmap_give_cute(call, TMAP_OK, &made, result);
}

/* ---- Tilers ---- */

/* A list contains a tiler for every mode; other values are layouts. The parser bounds the nesting of lists. */
static bool take_tiler(const tmap_call *call, int arg, const tmap_value *value, tmap_cute_tiler *tiler) {
    if (value->kind == TMAP_VALUE_LIST) {
        size_t n = value->as.list.n;
        if (n > TMAP_CUTE_NODES_MAX)
            return refuse_place(call, arg, value, "more tilers than a layout has modes", "a tiler for every mode");
        tmap_cute_tiler *modes = tmap_eval_take(call->eval, n ? n : 1, sizeof *modes);
        if (!modes) return false;
        tiler->modes = modes;
        tiler->modes_n = (int)n;
        for (size_t i = 0; i < n; i++)
            if (!take_tiler(call, arg, &value->as.list.items[i], &modes[i])) return false;
        return true;
    }
    if (value->kind == TMAP_VALUE_CUTE) {
        tiler->layout = (const tmap_cute *)value->as.data;
        return true;
    }
    if (value->kind != TMAP_VALUE_INT && value->kind != TMAP_VALUE_PAIR)
        return refuse_place(call, arg, value, "a tiler is a layout, a number, shape:stride or a list of tilers",
                            "n, n:stride, (shape):(stride), cute(…), or a list of them");
    tmap_cute *layout = tmap_eval_take(call->eval, 1, sizeof *layout);
    if (!layout || !value_tuple(call, arg, value, layout)) return false;
    tiler->layout = layout;
    return true;
}

typedef tmap_status (*with_tiler)(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                  tmap_diag *error);
typedef tmap_status (*in_form)(tmap_cute_nesting form, const tmap_cute *a, const tmap_cute_tiler *tiler,
                               tmap_cute *result, tmap_diag *error);

static bool tile(tmap_call *call, with_tiler operation, tmap_value *result) {
    tmap_cute_tiler tiler = {0};
    tmap_cute made;
    if (!take_tiler(call, 1, call->args[1], &tiler)) return false;
    return tmap_give_cute(call, operation(tmap_arg_cute(call, 0), &tiler, &made, call->eval->error), &made, result);
}

static bool tile_as(tmap_call *call, in_form operation, tmap_cute_nesting form, tmap_value *result) {
    tmap_cute_tiler tiler = {0};
    tmap_cute made;
    if (!take_tiler(call, 1, call->args[1], &tiler)) return false;
    tmap_status status = operation(form, tmap_arg_cute(call, 0), &tiler, &made, call->eval->error);
    return tmap_give_cute(call, status, &made, result);
}

FORWARD(tmap_cf_composition, tile, tmap_cute_compose_by)
FORWARD(tmap_cf_logical_divide, tile_as, tmap_cute_divide, TMAP_CUTE_LOGICAL)
FORWARD(tmap_cf_zipped_divide, tile_as, tmap_cute_divide, TMAP_CUTE_ZIPPED)
FORWARD(tmap_cf_tiled_divide, tile_as, tmap_cute_divide, TMAP_CUTE_TILED)
FORWARD(tmap_cf_flat_divide, tile_as, tmap_cute_divide, TMAP_CUTE_FLAT)
FORWARD(tmap_cf_logical_product, tile_as, tmap_cute_product, TMAP_CUTE_LOGICAL)
FORWARD(tmap_cf_zipped_product, tile_as, tmap_cute_product, TMAP_CUTE_ZIPPED)
FORWARD(tmap_cf_tiled_product, tile_as, tmap_cute_product, TMAP_CUTE_TILED)
FORWARD(tmap_cf_flat_product, tile_as, tmap_cute_product, TMAP_CUTE_FLAT)
FORWARD(tmap_cf_blocked_product, tile, tmap_cute_blocked_product)
FORWARD(tmap_cf_raked_product, tile, tmap_cute_raked_product)

/* ---- Of two layouts ---- */

OF_VALUES(tmap_cf_common, tmap_arg_cute(call, 0), tmap_cute_common, tmap_arg_cute(call, 1), tmap_cute, tmap_give_cute)

bool tmap_cf_common_n(tmap_call *call, tmap_value *result) {
    tmap_cute made;
    tmap_status status = tmap_cute_common(tmap_arg_cute(call, 0), tmap_arg_cute(call, 1), &made, call->eval->error);
    return tmap_call_succeeded(call, status) && tmap_give_int(result, (int64_t)tmap_cute_size(&made));
}

/* ---- Of one layout ---- */

typedef tmap_status (*unary)(const tmap_cute *layout, tmap_cute *result, tmap_diag *error);

static bool transform(tmap_call *call, unary operation, tmap_value *result) {
    tmap_cute made;
    return tmap_give_cute(call, operation(tmap_arg_cute(call, 0), &made, call->eval->error), &made, result);
}

/* by_mode may be a profile of pycute with one number for each mode: (1, 1). */
bool tmap_cf_coalesce(tmap_call *call, tmap_value *result) {
    const tmap_value *by_mode = call->args[1];
    bool profile = by_mode && by_mode->kind == TMAP_VALUE_LIST;
    tmap_number_list numbers = {0};
    if (profile && !tmap_arg_numbers(call, 1, &numbers)) return false;
    if (profile && numbers.n != tmap_cute_rank(tmap_arg_cute(call, 0)))
        return tmap_call_refuse_with(call, 1, "one number for each mode", "a profile of %d number%s for %d mode%s",
                                     numbers.n, TMAP_PLURAL(numbers.n), tmap_cute_rank(tmap_arg_cute(call, 0)),
                                     TMAP_PLURAL(tmap_cute_rank(tmap_arg_cute(call, 0))));
    bool modes = profile || (by_mode && by_mode->kind == TMAP_VALUE_BOOL && by_mode->as.truth);
    return transform(call, modes ? tmap_cute_coalesce_modes : tmap_cute_coalesce, result);
}

FORWARD(tmap_cf_right_inverse, transform, tmap_cute_right_inverse)
FORWARD(tmap_cf_left_inverse, transform, tmap_cute_left_inverse)

bool tmap_cf_complement(tmap_call *call, tmap_value *result) {
    int64_t cotarget = 1;
    tmap_cute made;
    if (call->args[1] && !tmap_arg_int(call, 1, 1, (int64_t)TMAP_CUTE_REACH_MAX, &cotarget)) return false;
    tmap_status status = tmap_cute_complement(tmap_arg_cute(call, 0), (uint64_t)cotarget, &made, call->eval->error);
    return tmap_give_cute(call, status, &made, result);
}

bool tmap_cf_mode(tmap_call *call, tmap_value *result) {
    int64_t mode = 0;
    tmap_cute made;
    if (!tmap_arg_int(call, 1, 0, tmap_cute_rank(tmap_arg_cute(call, 0)) - 1, &mode)) return false;
    tmap_status status = tmap_cute_mode(tmap_arg_cute(call, 0), (int)mode, &made, call->eval->error);
    return tmap_give_cute(call, status, &made, result);
}

bool tmap_cf_size(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, (int64_t)tmap_cute_size(tmap_arg_cute(call, 0)));
}

bool tmap_cf_cosize(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, tmap_cute_cosize(tmap_arg_cute(call, 0)));
}

bool tmap_cf_rank(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, tmap_cute_rank(tmap_arg_cute(call, 0)));
}

static bool check_coordinate(const tmap_call *call, uint64_t at, uint64_t size) {
    if (at < size) return true;
    return tmap_call_refuse_with(call, 1, "a number in that range", "coordinate %" PRIu64 " is outside 0..%" PRIu64, at,
                                 size - 1);
}

bool tmap_cf_apply(tmap_call *call, tmap_value *result) {
    const tmap_cute *layout = tmap_arg_cute(call, 0);
    tmap_number_list at;
    int rank = tmap_cute_rank(layout);
    if (!tmap_arg_numbers(call, 1, &at)) return false;
    if (at.n == 1)
        return check_coordinate(call, at.at[0], tmap_cute_size(layout)) &&
               tmap_give_int(result, tmap_cute_at(layout, at.at[0]));
    if (at.n != rank)
        return tmap_call_refuse_with(call, 1, "one number, or one number for each mode", "%d coordinates for %d mode%s",
                                     at.n, rank, TMAP_PLURAL(rank));
    for (int i = 0; i < rank; i++) {
        tmap_cute mode;
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK)
            return tmap_call_refuse_with(call, 1, "modes are numbered from 0", "mode %d does not exist", i);
        if (!check_coordinate(call, at.at[i], tmap_cute_size(&mode))) return false;
    }
    return tmap_give_int(result, tmap_cute_at_modes(layout, at.at));
}

bool tmap_cf_compatible(tmap_call *call, tmap_value *result) {
    return tmap_give_bool(result, tmap_cute_compatible(tmap_arg_cute(call, 0), tmap_arg_cute(call, 1)));
}

bool tmap_cf_as_layout(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    return tmap_call_succeeded(call, tmap_cute_to_layout(tmap_arg_cute(call, 0), &made, call->eval->error)) &&
           tmap_give_layout(call, result, &made);
}

OF_NUMBERS(tmap_cf_as_cute, call->args[0]->as.layout, tmap_cute_of_layout, tmap_cute, tmap_give_cute)

/* ---- Register layouts ---- */

bool tmap_cf_as_tv(tmap_call *call, tmap_value *result) {
    tmap_cute made;
    tmap_status status = tmap_register_to_cute(tmap_arg_register(call, 0), &made, call->eval->error);
    return tmap_give_cute(call, status, &made, result);
}
