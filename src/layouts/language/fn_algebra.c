/* language: functions that make layouts from layouts. */
#include <inttypes.h>

#include "language/functions.h"

tmap_status tmap_fn_copy(const tmap_layout *layout, tmap_layout *made, tmap_diag *error) {
    (void)error;
    *made = *layout;
    return TMAP_OK;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

static bool give_starts(tmap_call *call, const int *starts, int n, tmap_value *result) {
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (int i = 0; items && i < n; i++) tmap_give_int(&items[i], starts[i]);
    return items != NULL;
}

static bool give_group(tmap_call *call, const tmap_layout *layout, const int *starts, int rank, tmap_value *result) {
    TMAP_STRUCTURE(s);
    return tmap_give_layout(call->eval, tmap_structure_add(&s, "layout"), layout) &&
           give_starts(call, starts, rank + 1, tmap_structure_add(&s, "starts")) &&
           tmap_structure_give(call->eval, &s, result);
}

bool tmap_fn_group(tmap_call *call, const tmap_layout *layout, const tmap_shape *shape, tmap_value *result) {
    tmap_layout made;
    int starts[TMAP_ITERS_MAX + 1];
    return tmap_call_succeeded(call, tmap_layout_group(layout, shape, &made, starts, call->eval->error)) &&
           give_group(call, &made, starts, shape->rank, result);
}

bool tmap_fn_try_group(tmap_call *call, const tmap_layout *layout, const tmap_shape *shape, tmap_value *result) {
    tmap_layout made;
    int starts[TMAP_ITERS_MAX + 1];
    if (tmap_layout_group(layout, shape, &made, starts, NULL) != TMAP_OK) return tmap_give_none(result);
    return give_group(call, &made, starts, shape->rank, result);
}

bool tmap_fn_group_many(tmap_call *call, const tmap_layout *layout, const tmap_value *list, tmap_value *result) {
    enum { SHAPES_MAX = 16 };
    tmap_shape shapes[SHAPES_MAX];
    int starts[SHAPES_MAX][TMAP_ITERS_MAX + 1], n = (int)list->as.list.n;
    tmap_layout made;
    TMAP_STRUCTURE(s);
    if (list->as.list.n > SHAPES_MAX)
        return tmap_call_refuse_with(call, 1, "fewer shapes", "more than %d shapes", SHAPES_MAX);
    for (int i = 0; i < n; i++)
        if (!tmap_value_shape(call, 1, &list->as.list.items[i], &shapes[i])) return false;
    tmap_status status = tmap_layout_group_many(layout, shapes, n, &made, starts, call->eval->error);
    if (status != TMAP_OK) call->eval->error->operand = 1;
    if (!tmap_call_succeeded(call, status)) return false;
    if (!tmap_give_layout(call->eval, tmap_structure_add(&s, "layout"), &made)) return false;
    tmap_value *items = tmap_give_list(call->eval, tmap_structure_add(&s, "starts"), (size_t)n);
    for (int i = 0; items && i < n; i++)
        if (!give_starts(call, starts[i], shapes[i].rank + 1, &items[i])) return false;
    return items && tmap_structure_give(call->eval, &s, result);
}

/* ---- Addends ---------------------------------------------------------------------------------------------------- */

/* TIRx interleaves a sum's shape: (left 0, right 0, left 1, right 1, ...). */
static tmap_shape joined(const tmap_shape *whole, const tmap_shape *known) {
    tmap_shape pairs = {.rank = whole->rank / 2};
    const int64_t *pair = whole->at;
    if (known->rank == 0 || whole->rank != 2 * known->rank) return *whole;
    for (int i = 0; i < pairs.rank; i++, pair += 2)
        if (__builtin_mul_overflow(pair[0], pair[1], &pairs.at[i])) return *whole;
    return pairs;
}

tmap_status tmap_fn_is_sum_right(const tmap_layout *right, const tmap_layout *sum, const tmap_shape *sum_shape,
                                 const tmap_shape *right_shape, tmap_layout *left, bool *found, tmap_diag *error) {
    tmap_shape shape = joined(sum_shape, right_shape);
    return tmap_layout_sum_left_of(right, sum, &shape, right_shape, left, found, error);
}

tmap_status tmap_fn_is_sum_left(const tmap_layout *left, const tmap_layout *sum, const tmap_shape *sum_shape,
                                const tmap_shape *left_shape, tmap_layout *right, bool *found, tmap_diag *error) {
    tmap_shape shape = joined(sum_shape, left_shape);
    return tmap_layout_sum_right_of(left, sum, &shape, left_shape, right, found, error);
}

/* ---- Parts and views -------------------------------------------------------------------------------------------- */

bool tmap_fn_permute(tmap_call *call, const tmap_layout *layout, const int *order, int n, const tmap_shape *shape,
                     tmap_value *result) {
    tmap_layout made;
    tmap_diag *error = call->eval->error;
    tmap_status status = shape ? tmap_layout_permute_dims(layout, shape, order, n, &made, error)
                               : tmap_layout_permute(layout, order, n, &made, error);
    if (shape && status != TMAP_OK && error->operand > 0) error->operand = error->operand == 1 ? 2 : 1;
    bool split = shape && call->args[1]->kind == TMAP_VALUE_INT && call->args[2]->kind == TMAP_VALUE_INT;
    if (status == TMAP_REFUSED && split)
        tmap_say_fix(error, "the order as one list: [%d, %" PRId64 "]", order[0], shape->at[0]);
    return tmap_call_succeeded(call, status) && tmap_give_layout(call->eval, result, &made);
}

tmap_status tmap_fn_broadcast(const tmap_layout *layout, int64_t n, int64_t position, const tmap_axis *axis,
                              tmap_layout *made, tmap_diag *error) {
    int last = layout->shard.n;
    tmap_status status = tmap_check_range(error, 2, "position", position, -last - 1, last);
    if (status != TMAP_OK) tmap_say_fix(error, "0 to %d, or -1 for the position after the last iter", last);
    if (status != TMAP_OK) return status;
    return tmap_layout_broadcast(layout, n, (int)position + (position < 0 ? last + 1 : 0), axis, made, error);
}

bool tmap_fn_inverse(tmap_call *call, const tmap_layout *layout, const tmap_value *given, tmap_value *result) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    const tmap_value *list = given ? tmap_list_in(given) : NULL;
    tmap_layout made;
    int n = list ? 0 : tmap_layout_axes(layout, axes);
    for (size_t i = 0; list && i < list->as.list.n; i++) {
        const tmap_value *word = &list->as.list.items[i];
        if (word->kind != TMAP_VALUE_WORD && word->kind != TMAP_VALUE_TEXT)
            return tmap_call_refuse_with(call, 1, "the name of an axis", "a %s is not an axis",
                                         tmap_value_kind_name(word->kind));
        if (n == TMAP_AXES_MAX) return tmap_call_refuse_with(call, 1, "fewer axes", "more than %d axes", TMAP_AXES_MAX);
        axes[n] = tmap_eval_axis(call->eval, word->as.text, word->at, word->length);
        if (!axes[n++]) return false;
    }
    return tmap_call_succeeded(call, tmap_layout_inverse(layout, axes, n, &made, call->eval->error)) &&
           tmap_give_layout(call->eval, result, &made);
}

/* ---- Scratchpads ------------------------------------------------------------------------------------------------ */

tmap_status tmap_fn_trainium(const char *kinds, const tmap_shape *shape, bool is_psum, tmap_layout *made,
                             tmap_diag *error) {
    tmap_status status = tmap_layout_trainium(kinds, shape, made, error);
    return status == TMAP_OK && is_psum ? tmap_layout_psum(made, made, error) : status;
}
