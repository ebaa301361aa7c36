/* Functions on CuTe layouts. */
#include "cute/tuples.h"
#include "language/functions.h"
#include "language/layout_argument.h"
#include "rule/finding.h"

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

bool tmap_cf_cute(tmap_call *call, const tmap_value *value, tmap_value *result) {
    tmap_cute made;
    tmap_diag *error = call->eval->error;
    if (value->kind != TMAP_VALUE_TEXT)
        return value_tuple(call, 0, value, &made) && GIVE_MADE(call, TMAP_OK, CUTE, &made, result);
    if (tmap_cute_parse(value->as.text, strlen(value->as.text), &made, error) == TMAP_OK)
        return GIVE_MADE(call, TMAP_OK, CUTE, &made, result);
    error->at += value->at + 1; /* the text starts after the quote */
    return false;
}

/* ---- Swizzles and offsets in front ---- */

tmap_status tmap_cf_swizzled(const tmap_xor *swizzle, const tmap_cute *layout, tmap_cute *made, tmap_diag *error) {
    if (layout->swizzle.b != 0)
        return tmap_refuse_with(error, 1, "compose the layout without its swizzle", "the layout has a swizzle already");
    *made = *layout;
    made->swizzle = *swizzle;
    return TMAP_OK;
}

tmap_status tmap_cf_moved(int64_t offset, const tmap_cute *layout, tmap_cute *made, tmap_diag *error) {
    if (layout->swizzle.b != 0 || layout->offset != 0)
        return tmap_refuse_with(error, 1,
                                layout->swizzle.b != 0
                                    ? "swizzle o (offset o layout), if the swizzle may be the last function"
                                    : "add the offsets, and compose once",
                                "the layout has a swizzle or an offset already");
    *made = *layout;
    made->offset = offset;
    return TMAP_OK;
}

/* ---- Tilers ---- */

/* A list contains a tiler for every mode; other values are layouts. The parser bounds the nesting of lists. */
static bool take_tiler(tmap_call *call, int arg, const tmap_value *value, tmap_cute_tiler *tiler) {
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

bool tmap_arg_tiler(tmap_call *call, int arg, tmap_read_value *out) {
    out->as.tiler = (tmap_cute_tiler){0};
    return take_tiler(call, arg, call->args[arg], &out->as.tiler);
}

/* The function `name` of the language: a division or a product in the form of its name. */
#define IN_FORM(name, operation, form)                                                                                 \
    tmap_status name(const tmap_cute *layout, const tmap_cute_tiler *tiler, tmap_cute *made, tmap_diag *error) {       \
        return operation(form, layout, tiler, made, error);                                                            \
    }
IN_FORM(tmap_cf_logical_divide, tmap_cute_divide, TMAP_CUTE_LOGICAL)
IN_FORM(tmap_cf_zipped_divide, tmap_cute_divide, TMAP_CUTE_ZIPPED)
IN_FORM(tmap_cf_tiled_divide, tmap_cute_divide, TMAP_CUTE_TILED)
IN_FORM(tmap_cf_flat_divide, tmap_cute_divide, TMAP_CUTE_FLAT)
IN_FORM(tmap_cf_logical_product, tmap_cute_product, TMAP_CUTE_LOGICAL)
IN_FORM(tmap_cf_zipped_product, tmap_cute_product, TMAP_CUTE_ZIPPED)
IN_FORM(tmap_cf_tiled_product, tmap_cute_product, TMAP_CUTE_TILED)
IN_FORM(tmap_cf_flat_product, tmap_cute_product, TMAP_CUTE_FLAT)

/* ---- Layouts ---- */

bool tmap_cf_common_n(tmap_call *call, const tmap_cute *a, const tmap_cute *b, tmap_value *result) {
    tmap_cute made;
    return tmap_call_succeeded(call, tmap_cute_common(a, b, &made, call->eval->error)) &&
           tmap_give_int(result, (int64_t)tmap_cute_size(&made));
}

/* by_mode may be a profile of pycute with one number for each mode: (1, 1). */
bool tmap_cf_coalesce(tmap_call *call, const tmap_cute *layout, const tmap_value *by_mode, tmap_value *result) {
    bool profile = by_mode && by_mode->kind == TMAP_VALUE_LIST;
    tmap_shape numbers = {.rank = 0};
    tmap_cute made;
    if (profile && !tmap_arg_numbers(call, 1, "0 or more", &numbers)) return false;
    if (profile && !tmap_call_count(call, 1, numbers.rank, "number", tmap_cute_rank(layout), "mode")) return false;
    bool modes = profile || (by_mode && by_mode->kind == TMAP_VALUE_BOOL && by_mode->as.truth);
    tmap_status status = (modes ? tmap_cute_coalesce_modes : tmap_cute_coalesce)(layout, &made, call->eval->error);
    return GIVE_MADE(call, status, CUTE, &made, result);
}

tmap_status tmap_cf_mode(const tmap_cute *layout, int64_t mode, tmap_cute *made, tmap_diag *error) {
    tmap_status status = tmap_check_range(error, 1, "mode", mode, 0, tmap_cute_rank(layout) - 1);
    if (status == TMAP_OK) status = tmap_cute_mode(layout, (int)mode, made, error);
    made->swizzle = layout->swizzle, made->offset = layout->offset; /* as CuTe's get<I> of a composed layout */
    return status;
}

static bool check_coordinate(const tmap_call *call, uint64_t at, uint64_t size) {
    if (at < size) return true;
    return tmap_call_refuse_with(call, 1, "a number in that range", "coordinate is %" PRIu64 "; it must be %s", at,
                                 tmap_range(0, size - 1).text);
}

bool tmap_cf_apply(tmap_call *call, const tmap_cute *layout, const uint64_t *at, int n, tmap_value *result) {
    int rank = tmap_cute_rank(layout);
    if (n == 1)
        return check_coordinate(call, at[0], tmap_cute_size(layout)) &&
               tmap_give_int(result, tmap_cute_at(layout, at[0]));
    if (n != rank)
        return tmap_call_refuse_with(call, 1, "one number, or one number for each mode", "%d coordinates for %d mode%s",
                                     n, rank, TMAP_PLURAL(rank));
    for (int i = 0; i < rank; i++) {
        tmap_cute mode;
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK)
            return tmap_call_refuse_with(call, 1, "modes are numbered from 0", "mode %d does not exist", i);
        if (!check_coordinate(call, at[i], tmap_cute_size(&mode))) return false;
    }
    return tmap_give_int(result, tmap_cute_at_modes(layout, at));
}
