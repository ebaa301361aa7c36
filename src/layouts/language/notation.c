/* language: the forms of the notation: S[...], R[...], and sums of layouts and offsets. */
#include <inttypes.h>

#include "language/call.h"
#include "language/functions.h"
#include "layout/iter_lists.h"

/* ---- Brackets --------------------------------------------------------------------------------------------------- */

typedef struct bracket {
    tmap_eval *eval;
    char letter;
    size_t at, length;
} bracket;

static bool refuse(const bracket *b, const tmap_value *value, const char *message, const char *fix) {
    return tmap_refuse_at(b->eval->error, value ? value->at : b->at, value ? value->length : b->length, fix, "%s",
                          message);
}

/* The number of items of a list; 1 for other values. */
static size_t count_of(const tmap_value *value) {
    return value->kind == TMAP_VALUE_LIST ? value->as.list.n : 1;
}

static const tmap_value *item_of(const tmap_value *value, size_t i) {
    return value->kind == TMAP_VALUE_LIST ? &value->as.list.items[i] : value;
}

/* n, n@axis, an axis (stride 1 on it), or (n, axis). */
static bool stride_of(const bracket *b, const tmap_value *value, tmap_iter *iter) {
    iter->axis = tmap_axis_get(TMAP_AXIS_ID_M);
    iter->stride = 1;
    const tmap_value *word = value;
    if (value->kind == TMAP_VALUE_TERM) {
        iter->stride = value->as.term.value;
        iter->axis = value->as.term.axis;
        return true;
    }
    if (value->kind == TMAP_VALUE_LIST && value->as.list.n == 2 && value->as.list.items[0].kind == TMAP_VALUE_INT) {
        iter->stride = value->as.list.items[0].as.integer;
        word = &value->as.list.items[1];
    }
    if (word->kind == TMAP_VALUE_INT && word == value) {
        iter->stride = value->as.integer;
        return true;
    }
    if (word->kind != TMAP_VALUE_WORD && word->kind != TMAP_VALUE_TEXT)
        return refuse(b, value, "this is not a stride", "n, n@axis, or the name of an axis");
    iter->axis = tmap_eval_axis(b->eval, word->as.text, word->at, word->length);
    if (!iter->axis && word == value && word->kind == TMAP_VALUE_WORD) tmap_eval_offer_number(b->eval, word->as.text);
    return iter->axis != NULL;
}

static bool extent_of(const bracket *b, const tmap_value *value, tmap_iter *iter) {
    if (value->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(b->eval, value);
    if (value->kind != TMAP_VALUE_INT) return refuse(b, value, "this is not an extent", "an integer of 1 or more");
    iter->extent = value->as.integer;
    if (iter->extent >= 1) return true;
    return refuse(b, value, "an extent of less than 1", "an integer of 1 or more");
}

/* The place of the refusal is the numbers of the longer list that have no partner in the shorter list. */
static bool refuse_counts(const bracket *b, const tmap_value *extents, const tmap_value *strides) {
    size_t n = count_of(extents), m = count_of(strides);
    const tmap_value *longer = n > m ? extents : strides;
    tmap_refuse_operand(b->eval->error, -1, "the numbers of extents and strides differ: %zu and %zu", n, m);
    tmap_say_fix(b->eval->error, "one stride for each extent: %zu %s more", n > m ? n - m : m - n,
                 n > m        ? n - m == 1 ? "stride" : "strides"
                 : m - n == 1 ? "extent"
                              : "extents");
    const tmap_value *from = item_of(longer, n > m ? m : n);
    b->eval->error->at = from->at;
    b->eval->error->length = longer->at + longer->length - from->at;
    if (b->eval->error->length > 1 && longer->kind == TMAP_VALUE_LIST) b->eval->error->length--;
    return false;
}

static bool iters_of(const bracket *b, const tmap_value *extents, const tmap_value *strides, tmap_iters *iters) {
    size_t n = count_of(extents);
    bool pair = extents->kind == TMAP_VALUE_INT && strides->kind == TMAP_VALUE_LIST && strides->as.list.n == 2 &&
                strides->as.list.items[1].kind == TMAP_VALUE_TEXT;
    if (!pair && n != count_of(strides)) return refuse_counts(b, extents, strides);
    if (n > TMAP_ITERS_MAX) return refuse(b, extents, "too many extents", "at most 64");
    for (size_t i = 0; i < n; i++) {
        tmap_iter iter;
        if (!extent_of(b, item_of(extents, i), &iter)) return false;
        if (!stride_of(b, pair ? strides : item_of(strides, i), &iter)) return false;
        iters->at[iters->n++] = iter;
    }
    return true;
}

/* Extents without strides: row-major on m. */
static bool dense_of(const bracket *b, const tmap_value *extents, tmap_iters *iters) {
    int64_t shape[TMAP_ITERS_MAX];
    size_t n = count_of(extents);
    tmap_layout dense;
    if (n > TMAP_ITERS_MAX) return refuse(b, extents, "too many extents", "at most 64");
    for (size_t i = 0; i < n; i++) {
        tmap_iter iter = {0};
        if (!extent_of(b, item_of(extents, i), &iter)) return false;
        shape[i] = iter.extent;
    }
    if (tmap_layout_row_major(shape, (int)n, &dense, b->eval->error) != TMAP_OK)
        return tmap_refuse_place(b->eval->error, extents->at, extents->length);
    *iters = dense.shard;
    return true;
}

static bool fill_brackets(const bracket *b, const tmap_arguments *items, tmap_iters *iters) {
    const tmap_value *first = items->n > 0 ? &items->items[0].value : NULL;
    if (!first) return refuse(b, NULL, "the brackets are empty", "extents:strides, as in S[(8,4):(4,1)]");
    if (items->n == 1 && first->kind == TMAP_VALUE_PAIR)
        return iters_of(b, &first->as.list.items[0], &first->as.list.items[1], iters);
    if (items->n == 1) return dense_of(b, first, iters);
    tmap_value list;
    tmap_value *values = tmap_give_list(b->eval, &list, items->n);
    if (!values) return false;
    for (size_t i = 0; i < items->n; i++) {
        values[i] = items->items[i].value;
        if (values[i].kind == TMAP_VALUE_PAIR)
            return refuse(b, &values[i], "several extents or strides without brackets around them",
                          "as in S[(8,4):(4,1)]");
    }
    list.at = values[0].at;
    list.length = values[items->n - 1].at + values[items->n - 1].length - list.at;
    return dense_of(b, &list, iters);
}

bool tmap_layout_brackets(tmap_eval *eval, char letter, const tmap_arguments *items, size_t at, size_t length,
                          tmap_value *result) {
    bracket b = {eval, letter, at, length};
    tmap_layout layout = {0};
    tmap_call call = {.eval = eval, .at = at, .length = length};
    if (!fill_brackets(&b, items, letter == 'S' ? &layout.shard : &layout.replica)) return false;
    if (!tmap_call_succeeded(&call, tmap_layout_check(&layout, eval->error))) return false;
    if (!tmap_give_layout(eval, result, &layout)) return false;
    result->at = at, result->length = length;
    return true;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

/* A number is an offset on m, a term an offset on its axis. */
static bool as_layout(const tmap_value *value, int sign, tmap_layout *layout) {
    *layout = (tmap_layout){0};
    if (value->kind == TMAP_VALUE_LAYOUT) {
        *layout = *value->as.layout;
        return sign > 0;
    }
    tmap_axis_value term = value->kind == TMAP_VALUE_TERM
                               ? value->as.term
                               : (tmap_axis_value){tmap_axis_get(TMAP_AXIS_ID_M), value->as.integer};
    (void)tmap_values_add(&layout->offset, term.axis, sign * term.value);
    return true;
}

static bool add_layouts(tmap_call *call, const tmap_layout *a, const tmap_layout *b, tmap_value *result) {
    tmap_layout sum = *a;
    tmap_diag *error = call->eval->error;
    if (a->shard.n > 0 && b->shard.n > 0) {
        tmap_call_refuse(call, 1, "a second S[…] in a sum");
        tmap_say_fix(error, "one S, and any number of R and of offsets; direct_sum and tile multiply layouts");
        return false;
    }
    if (a->has_swizzle || b->has_swizzle) {
        tmap_call_refuse(call, a->has_swizzle ? 0 : 1, "a swizzled layout in a sum");
        tmap_say_fix(error, "write the offset after the swizzle: swizzle(…) o (S[…] + n)");
        return false;
    }
    if (!tmap_iters_append(&sum.shard, b->shard.at, b->shard.n) ||
        !tmap_iters_append(&sum.replica, b->replica.at, b->replica.n))
        return tmap_call_succeeded(call, tmap_refuse_room(error));
    for (int i = 0; i < b->offset.n; i++)
        if (!tmap_values_add(&sum.offset, b->offset.at[i].axis, b->offset.at[i].value))
            return tmap_call_succeeded(call, tmap_refuse_overflow(error, "the offset", "a smaller offset"));
    return tmap_call_succeeded(call, tmap_layout_check(&sum, error)) && tmap_give_layout(call->eval, result, &sum);
}

/* Numbers are above -2^63, so that every number has a negative. */
static bool give_number(tmap_call *call, const char *what, bool overflow, int64_t value, tmap_value *result) {
    return overflow || value == INT64_MIN
               ? tmap_call_refuse_with(call, -1, "smaller numbers", "the %s must be above -2^63 and below 2^63", what)
               : tmap_give_int(result, value);
}

static bool sum(tmap_call *call, const tmap_value *left, const tmap_value *right, int sign, tmap_value *result) {
    if (left->kind == TMAP_VALUE_INT && right->kind == TMAP_VALUE_INT) {
        int64_t value;
        bool overflow = sign > 0 ? __builtin_add_overflow(left->as.integer, right->as.integer, &value)
                                 : __builtin_sub_overflow(left->as.integer, right->as.integer, &value);
        return give_number(call, "sum", overflow, value, result);
    }
    tmap_layout a, b;
    (void)as_layout(left, 1, &a);
    if (!as_layout(right, sign, &b))
        return tmap_call_refuse_with(call, 1, "an offset n@axis, or a number", "a layout cannot be subtracted");
    return add_layouts(call, &a, &b, result);
}

bool tmap_fn_add(tmap_call *call, const tmap_value *left, const tmap_value *right, tmap_value *result) {
    return sum(call, left, right, 1, result);
}

bool tmap_fn_subtract(tmap_call *call, const tmap_value *left, const tmap_value *right, tmap_value *result) {
    if (right) return sum(call, left, right, -1, result);
    *result = *left;
    if (left->kind == TMAP_VALUE_INT)
        result->as.integer = -left->as.integer; /* numbers are above -2^63 */
    else if (left->kind == TMAP_VALUE_TERM)
        result->as.term.value = -left->as.term.value;
    else
        return tmap_call_refuse_with(call, 0, "negative strides: S[8:-1] + 7", "a layout cannot be negated");
    return true;
}

bool tmap_fn_multiply(tmap_call *call, int64_t a, int64_t b, tmap_value *result) {
    int64_t product;
    bool overflow = __builtin_mul_overflow(a, b, &product);
    return give_number(call, "product", overflow, product, result);
}

static bool refuse_divisor(tmap_call *call, int64_t a, int64_t b) {
    return tmap_call_refuse_with(call, 1, "a divisor: a layout has only integers",
                                 "%" PRId64 " is not divisible by %" PRId64, a, b);
}

bool tmap_fn_divide(tmap_call *call, int64_t a, int64_t b, tmap_value *result) {
    return b != 0 && a % b == 0 ? tmap_give_int(result, a / b) : refuse_divisor(call, a, b);
}

bool tmap_fn_remainder(tmap_call *call, int64_t a, int64_t b, tmap_value *result) {
    return b != 0 ? tmap_give_int(result, a % b) : refuse_divisor(call, a, b);
}

/* ---- Comparisons ------------------------------------------------------------------------------------------------ */

bool tmap_fn_equal(tmap_call *call, const tmap_value *left, const tmap_value *right, tmap_value *result) {
    bool same;
    return tmap_values_same(call, left, right, &same) && tmap_give_bool(result, same);
}

bool tmap_fn_unequal(tmap_call *call, const tmap_value *left, const tmap_value *right, tmap_value *result) {
    return tmap_fn_equal(call, left, right, result) && tmap_give_bool(result, !result->as.truth);
}
