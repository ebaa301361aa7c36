/* language: functions that make layouts from layouts. */
#include <inttypes.h>

#include "language/functions.h"

#define DIVISION_STEPS ((uint64_t)1 << 14)

static const tmap_layout *layout_of(const tmap_call *call, int arg) {
    return call->args[arg]->as.layout;
}

/* Returns the layout of an operation, or notes its refusal. */
static bool give(tmap_call *call, tmap_status status, const tmap_layout *layout, tmap_value *result) {
    return tmap_call_succeeded(call, status) && tmap_give_layout(call, result, layout);
}

static bool give_found(tmap_call *call, tmap_status status, bool found, const tmap_layout *layout, tmap_value *result) {
    if (!tmap_call_succeeded(call, status)) return false;
    return found ? tmap_give_layout(call, result, layout) : tmap_give_none(result);
}

/* ---- Forms ------------------------------------------------------------------------------------------------------ */

bool tmap_fn_canonical(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    tmap_layout_canonical(layout_of(call, 0), &made);
    return tmap_give_layout(call, result, &made);
}

bool tmap_fn_fuse(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    return give(call, tmap_layout_fused(layout_of(call, 0), &made, call->eval->error), &made, result);
}

static bool give_starts(tmap_call *call, const int *starts, int n, tmap_value *result) {
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (int i = 0; items && i < n; i++) tmap_give_int(&items[i], starts[i]);
    return items != NULL;
}

static bool give_group(tmap_call *call, const tmap_layout *layout, const int *starts, int rank, tmap_value *result) {
    tmap_structure_maker maker;
    return tmap_structure_begin(call->eval, &maker, 2) &&
           tmap_give_layout(call, tmap_structure_add(&maker, "layout"), layout) &&
           give_starts(call, starts, rank + 1, tmap_structure_add(&maker, "starts")) &&
           tmap_structure_end(&maker, result);
}

bool tmap_fn_group(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    tmap_shape shape;
    int starts[TMAP_ITERS_MAX + 1];
    return tmap_arg_shape(call, 1, &shape) &&
           tmap_call_succeeded(call, tmap_layout_group(layout_of(call, 0), &shape, &made, starts, call->eval->error)) &&
           give_group(call, &made, starts, shape.rank, result);
}

bool tmap_fn_try_group(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    tmap_shape shape;
    int starts[TMAP_ITERS_MAX + 1];
    if (!tmap_arg_shape(call, 1, &shape)) return false;
    tmap_status status = tmap_layout_group(layout_of(call, 0), &shape, &made, starts, NULL);
    return status == TMAP_OK ? give_group(call, &made, starts, shape.rank, result) : tmap_give_none(result);
}

bool tmap_fn_group_many(tmap_call *call, tmap_value *result) {
    enum { SHAPES_MAX = 16 };
    const tmap_value *list = call->args[1];
    tmap_shape shapes[SHAPES_MAX];
    int starts[SHAPES_MAX][TMAP_ITERS_MAX + 1], n = (int)list->as.list.n;
    tmap_layout made;
    tmap_structure_maker maker;
    if (list->as.list.n > SHAPES_MAX)
        return tmap_call_refuse_with(call, 1, "fewer shapes", "more than %d shapes", SHAPES_MAX);
    for (int i = 0; i < n; i++)
        if (!tmap_value_shape(call, 1, &list->as.list.items[i], &shapes[i])) return false;
    tmap_status status = tmap_layout_group_many(layout_of(call, 0), shapes, n, &made, starts, call->eval->error);
    if (status != TMAP_OK) call->eval->error->operand = 1;
    if (!tmap_call_succeeded(call, status) || !tmap_structure_begin(call->eval, &maker, 2)) return false;
    if (!tmap_give_layout(call, tmap_structure_add(&maker, "layout"), &made)) return false;
    tmap_value *items = tmap_give_list(call->eval, tmap_structure_add(&maker, "starts"), (size_t)n);
    for (int i = 0; items && i < n; i++)
        if (!give_starts(call, starts[i], shapes[i].rank + 1, &items[i])) return false;
    return items && tmap_structure_end(&maker, result);
}

/* ---- Products --------------------------------------------------------------------------------------------------- */

static bool two_shapes(tmap_call *call, int first, tmap_shape *a, tmap_shape *b) {
    return tmap_arg_shape(call, first, a) && tmap_arg_shape(call, first + 1, b);
}

bool tmap_fn_tile(tmap_call *call, tmap_value *result) {
    tmap_shape outer, inner;
    tmap_layout made;
    return two_shapes(call, 2, &outer, &inner) &&
           give(call,
                tmap_layout_tile(layout_of(call, 0), layout_of(call, 1), &outer, &inner, &made, call->eval->error),
                &made, result);
}

bool tmap_fn_tile_to(tmap_call *call, tmap_value *result) {
    tmap_shape to, inner;
    tmap_layout made;
    return two_shapes(call, 1, &to, &inner) &&
           give(call, tmap_layout_tile_to(layout_of(call, 0), &to, &inner, &made, call->eval->error), &made, result);
}

bool tmap_fn_direct_sum(tmap_call *call, tmap_value *result) {
    tmap_shape left, right;
    tmap_layout made;
    return two_shapes(call, 2, &left, &right) &&
           give(call,
                tmap_layout_direct_sum(layout_of(call, 0), layout_of(call, 1), &left, &right, &made, call->eval->error),
                &made, result);
}

typedef tmap_status quotient(const tmap_layout *known, const tmap_layout *whole, const tmap_shape *whole_shape,
                             const tmap_shape *known_shape, tmap_layout *other, bool *found, tmap_diag *error);

/* TIRx interleaves a sum's shape: (left 0, right 0, left 1, right 1, ...). */
static void join_pairs(tmap_shape *whole) {
    tmap_shape joined = {.rank = whole->rank / 2};
    const int64_t *pair = whole->at;
    for (int i = 0; i < joined.rank; i++, pair += 2)
        if (__builtin_mul_overflow(pair[0], pair[1], &joined.at[i])) return;
    *whole = joined;
}

static bool give_quotient(tmap_call *call, quotient *divide, tmap_value *result) {
    tmap_shape whole, known;
    tmap_layout made;
    bool found = false, sum = divide == tmap_layout_sum_left_of || divide == tmap_layout_sum_right_of;
    if (!tmap_eval_spend(call->eval, DIVISION_STEPS) || !two_shapes(call, 2, &whole, &known)) return false;
    if (sum && known.rank > 0 && whole.rank == 2 * known.rank) join_pairs(&whole);
    tmap_status status =
        divide(layout_of(call, 0), layout_of(call, 1), &whole, &known, &made, &found, call->eval->error);
    return give_found(call, status, found, &made, result);
}

FORWARD(tmap_fn_is_tile_inner, give_quotient, tmap_layout_tile_outer_of)
FORWARD(tmap_fn_is_tile_outer, give_quotient, tmap_layout_tile_inner_of)
FORWARD(tmap_fn_is_sum_right, give_quotient, tmap_layout_sum_left_of)
FORWARD(tmap_fn_is_sum_left, give_quotient, tmap_layout_sum_right_of)

/* ---- Parts and views -------------------------------------------------------------------------------------------- */

static bool add_range(tmap_call *call, const tmap_value *value, tmap_shape *begin, tmap_shape *end) {
    if (begin->rank == TMAP_ITERS_MAX)
        return tmap_call_refuse_with(call, 2, "fewer dimensions", "more than %d ranges", TMAP_ITERS_MAX);
    return tmap_value_range(call, 2, value, &begin->at[begin->rank++], &end->at[end->rank++]);
}

bool tmap_fn_slice(tmap_call *call, tmap_value *result) {
    tmap_shape shape, begin = {0}, end = {0};
    const tmap_value *box = call->args[2];
    tmap_layout made;
    bool found = false, list = box->kind == TMAP_VALUE_LIST;
    if (!tmap_arg_shape(call, 1, &shape)) return false;
    for (size_t i = 0; i < (list ? box->as.list.n : 1); i++)
        if (!add_range(call, list ? &box->as.list.items[i] : box, &begin, &end)) return false;
    tmap_status status = tmap_layout_slice(layout_of(call, 0), &shape, &begin, &end, &made, &found, call->eval->error);
    return give_found(call, status, found, &made, result);
}

bool tmap_fn_permute(tmap_call *call, tmap_value *result) {
    tmap_shape order, shape;
    tmap_layout made;
    int numbers[TMAP_ITERS_MAX] = {0};
    if (!tmap_arg_shape(call, 1, &order)) return false;
    for (int i = 0; i < order.rank; i++)
        numbers[i] = order.at[i] < 0 || order.at[i] > TMAP_ITERS_MAX ? -1 : (int)order.at[i];
    tmap_diag *error = call->eval->error;
    if (!call->args[2])
        return give(call, tmap_layout_permute(layout_of(call, 0), numbers, order.rank, &made, error), &made, result);
    if (!tmap_arg_shape(call, 2, &shape)) return false;
    tmap_status status = tmap_layout_permute_dims(layout_of(call, 0), &shape, numbers, order.rank, &made, error);
    if (status != TMAP_OK && error->operand > 0) error->operand = error->operand == 1 ? 2 : 1;
    bool split = call->args[1]->kind == TMAP_VALUE_INT && call->args[2]->kind == TMAP_VALUE_INT;
    if (status == TMAP_REFUSED && split)
        tmap_say_fix(error, "the order as one list: [%d, %" PRId64 "]", numbers[0], shape.at[0]);
    return give(call, status, &made, result);
}

bool tmap_fn_unpack(tmap_call *call, tmap_value *result) {
    const tmap_axis *axis = tmap_axis_get(TMAP_AXIS_ID_M);
    tmap_layout made;
    return tmap_arg_axis(call, 2, &axis) &&
           give(call, tmap_layout_unpack(layout_of(call, 0), call->args[1]->as.integer, axis, &made, call->eval->error),
                &made, result);
}

bool tmap_fn_pack(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    return give(call, tmap_layout_pack(layout_of(call, 0), call->args[1]->as.integer, &made, call->eval->error), &made,
                result);
}

bool tmap_fn_broadcast(tmap_call *call, tmap_value *result) {
    const tmap_axis *axis = tmap_axis_get(TMAP_AXIS_ID_M);
    int64_t position = -1, count = layout_of(call, 0)->shard.n + 1;
    tmap_layout made;
    if (!tmap_arg_int(call, 2, -count, count - 1, &position)) {
        tmap_say_fix(call->eval->error, "0 to %d, or -1 for the position after the last iter", (int)count - 1);
        return false;
    }
    if (!tmap_arg_axis(call, 3, &axis)) return false;
    if (position < 0) position += count;
    return give(call,
                tmap_layout_broadcast(layout_of(call, 0), call->args[1]->as.integer, (int)position, axis, &made,
                                      call->eval->error),
                &made, result);
}

bool tmap_fn_storage(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    tmap_layout_storage(layout_of(call, 0), &made);
    return tmap_give_layout(call, result, &made);
}

bool tmap_fn_inverse(tmap_call *call, tmap_value *result) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    const tmap_value *list = call->args[1];
    tmap_layout made;
    int n = 0;
    if (list && list->as.list.n == 1 && list->as.list.items[0].kind == TMAP_VALUE_LIST) list = &list->as.list.items[0];
    if (!list) n = tmap_layout_axes(layout_of(call, 0), axes);
    for (size_t i = 0; list && i < list->as.list.n; i++) {
        const tmap_value *word = &list->as.list.items[i];
        if (word->kind != TMAP_VALUE_WORD && word->kind != TMAP_VALUE_TEXT)
            return tmap_call_refuse_with(call, 1, "the name of an axis", "a %s is not an axis",
                                         tmap_value_kind_name(word->kind));
        if (n == TMAP_AXES_MAX) return tmap_call_refuse_with(call, 1, "fewer axes", "more than %d axes", TMAP_AXES_MAX);
        axes[n] = tmap_eval_axis(call->eval, word->as.text, word->at, word->length);
        if (!axes[n++]) return false;
    }
    return give(call, tmap_layout_inverse(layout_of(call, 0), axes, n, &made, call->eval->error), &made, result);
}

/* ---- Scratchpads ------------------------------------------------------------------------------------------------ */

bool tmap_fn_trainium(tmap_call *call, tmap_value *result) {
    tmap_shape shape;
    tmap_layout made;
    tmap_diag *error = call->eval->error;
    if (!tmap_arg_shape(call, 1, &shape)) return false;
    tmap_status status = tmap_layout_trainium(tmap_arg_name(call, 0), &shape, &made, error);
    if (status == TMAP_OK && call->args[2] && call->args[2]->as.truth) status = tmap_layout_psum(&made, &made, error);
    return give(call, status, &made, result);
}

bool tmap_fn_psum(tmap_call *call, tmap_value *result) {
    tmap_layout made;
    return give(call, tmap_layout_psum(layout_of(call, 0), &made, call->eval->error), &made, result);
}
