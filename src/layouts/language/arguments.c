/* language: refusals and arguments of the functions of the language. */
#include "language/eval.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "layout/iter_lists.h"
#include "rule/finding.h"

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static bool place(const tmap_call *call, int arg) {
    const tmap_value *value = arg >= 0 ? call->args[arg] : NULL;
    return tmap_refuse_place(call->eval->error, value ? value->at : call->at, value ? value->length : call->length);
}

bool tmap_call_refuse(const tmap_call *call, int arg, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_refuse_v(call->eval->error, arg, NULL, format, args);
    va_end(args);
    return place(call, arg);
}

bool tmap_call_refuse_with(const tmap_call *call, int arg, const char *fix, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_refuse_v(call->eval->error, arg, fix, format, args);
    va_end(args);
    return place(call, arg);
}

bool tmap_call_succeeded(const tmap_call *call, tmap_status status) {
    if (status == TMAP_OK) return true;
    if (status == TMAP_NO_MEMORY)
        call->eval->no_memory = true;
    else
        place(call, call->eval->error->operand);
    return false;
}

bool tmap_call_count(const tmap_call *call, int arg, int have, const char *what, int want, const char *of) {
    return tmap_call_succeeded(call, tmap_check_count(have, what, want, of, arg, call->eval->error));
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

tmap_status tmap_check_range(tmap_diag *error, int operand, const char *name, int64_t number, int64_t low,
                             int64_t high) {
    if (number >= low && number <= high) return TMAP_OK;
    const tmap_word range = high < INT64_MAX ? tmap_range(low, high) : tmap_number(low);
    return tmap_refuse_with(error, operand, "a number in that range", "%s is %" PRId64 "; it must be %s%s", name,
                            number, range.text, high < INT64_MAX ? "" : " or more");
}

bool tmap_value_shape(const tmap_call *call, int arg, const tmap_value *value, tmap_shape *out) {
    bool one = value->kind == TMAP_VALUE_INT;
    size_t n = one ? 1 : value->as.list.n;
    out->rank = 0;
    if (n > TMAP_ITERS_MAX)
        return tmap_call_refuse_with(call, arg, "fewer numbers", "a list of %zu numbers, of at most %d", n,
                                     TMAP_ITERS_MAX);
    for (size_t i = 0; i < n; i++) {
        const tmap_value *item = one ? value : &value->as.list.items[i];
        if (item->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, item);
        if (item->kind != TMAP_VALUE_INT) {
            tmap_call_refuse_with(call, arg, "an integer in this place", "%s has a %s where an integer is required",
                                  call->function->params[arg].name, tmap_value_kind_name(item->kind));
            return tmap_refuse_place(call->eval->error, item->at, item->length);
        }
        out->at[out->rank++] = item->as.integer;
    }
    return true;
}

const tmap_value *tmap_list_in(const tmap_value *list) {
    const tmap_value *first = list->kind == TMAP_VALUE_LIST && list->as.list.n == 1 ? list->as.list.items : NULL;
    return first && first->kind == TMAP_VALUE_LIST ? first : list;
}

bool tmap_arg_numbers(const tmap_call *call, int arg, const char *fix, tmap_shape *numbers) {
    const tmap_param *param = &call->function->params[arg];
    if (!tmap_value_shape(call, arg, tmap_list_in(call->args[arg]), numbers)) return false;
    for (int i = 0; i < numbers->rank && param->kind != TMAP_PARAMETER_ORDER; i++)
        if (numbers->at[i] < 0)
            return tmap_call_refuse_with(call, arg, fix, "%s has %" PRId64 ", below 0", param->name, numbers->at[i]);
    return true;
}

bool tmap_value_range(const tmap_call *call, int arg, const tmap_value *value, int64_t *begin, int64_t *end) {
    const tmap_value *from = value, *to = value;
    bool pair = value->kind == TMAP_VALUE_PAIR || (value->kind == TMAP_VALUE_LIST && value->as.list.n == 2);
    if (pair) from = &value->as.list.items[0], to = &value->as.list.items[1];
    if (from->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, from);
    if (to->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, to);
    if (from->kind != TMAP_VALUE_INT || to->kind != TMAP_VALUE_INT)
        return tmap_call_refuse_with(call, arg, "(0:8, 16:32), or (3, 16:32)",
                                     "a box has ranges begin:end or single numbers");
    *begin = from->as.integer;
    *end = to->as.integer;
    if (value->kind == TMAP_VALUE_INT && *end < INT64_MAX) ++*end;
    return true;
}

bool tmap_check_shape(const tmap_call *call, int arg, const tmap_layout *layout, const tmap_shape *shape) {
    int64_t product;
    return tmap_call_succeeded(call, tmap_shape_check(shape, arg, &product, call->eval->error)) &&
           (product == tmap_layout_size(layout) ||
            tmap_call_succeeded(call, tmap_refuse_size(layout, product, arg, call->eval->error)));
}
