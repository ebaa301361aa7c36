/* language: refusals, arguments and results for the functions of the language. */
#include "language/eval.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

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

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

bool tmap_arg_int(const tmap_call *call, int arg, int64_t low, int64_t high, int64_t *out) {
    const tmap_value *value = call->args[arg];
    if (!value) return true;
    int64_t integer = value->as.integer;
    if (integer < low || integer > high)
        return tmap_call_refuse_with(call, arg, "a number in that range",
                                     "%s is %" PRId64 ", outside %" PRId64 "..%" PRId64,
                                     call->function->params[arg].name, integer, low, high);
    *out = integer;
    return true;
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

bool tmap_arg_shape(const tmap_call *call, int arg, tmap_shape *out) {
    return !call->args[arg] || tmap_value_shape(call, arg, call->args[arg], out);
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

const char *tmap_arg_name(const tmap_call *call, int arg) {
    return call->args[arg] ? call->args[arg]->as.text : NULL;
}

bool tmap_arg_axis(const tmap_call *call, int arg, const tmap_axis **out) {
    const tmap_value *value = call->args[arg];
    if (!value) return true;
    *out = tmap_eval_axis(call->eval, value->as.text, value->at, value->length);
    return *out != NULL;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

bool tmap_give_int(tmap_value *result, int64_t integer) {
    *result = (tmap_value){.kind = TMAP_VALUE_INT, .as.integer = integer};
    return true;
}

bool tmap_give_bool(tmap_value *result, bool truth) {
    *result = (tmap_value){.kind = TMAP_VALUE_BOOL, .as.truth = truth};
    return true;
}

bool tmap_give_none(tmap_value *result) {
    *result = (tmap_value){.kind = TMAP_VALUE_NONE};
    return true;
}

bool tmap_give_text(tmap_call *call, tmap_value *result, const char *text) {
    size_t size = strlen(text);
    char *copy = tmap_eval_take(call->eval, size + 1, 1);
    if (!copy) return false;
    memcpy(copy, text, size + 1);
    *result = (tmap_value){.kind = TMAP_VALUE_TEXT, .as.text = copy};
    return true;
}

bool tmap_give_layout(tmap_call *call, tmap_value *result, const tmap_layout *layout) {
    tmap_layout *copy = tmap_eval_take(call->eval, 1, sizeof *copy);
    if (!copy) return false;
    *copy = *layout;
    *result = (tmap_value){.kind = TMAP_VALUE_LAYOUT, .as.layout = copy};
    return true;
}

tmap_value *tmap_give_list(tmap_eval *eval, tmap_value *result, size_t n) {
    tmap_value *items = tmap_eval_take(eval, n ? n : 1, sizeof *items);
    if (!items) return NULL;
    *result = (tmap_value){.kind = TMAP_VALUE_LIST};
    result->as.list.items = items;
    result->as.list.n = n;
    return items;
}

bool tmap_give_ints(tmap_call *call, tmap_value *result, const int64_t *integers, size_t n) {
    tmap_value *items = tmap_give_list(call->eval, result, n);
    for (size_t i = 0; items && i < n; i++) tmap_give_int(&items[i], integers[i]);
    return items != NULL;
}

bool tmap_structure_begin(tmap_eval *eval, tmap_structure_maker *maker, size_t most) {
    *maker = (tmap_structure_maker){.eval = eval, .most = most};
    maker->fields = tmap_eval_take(eval, most ? most : 1, sizeof *maker->fields);
    return maker->fields != NULL;
}

tmap_value *tmap_structure_add(tmap_structure_maker *maker, const char *name) {
    tmap_value_field *field = &maker->fields[maker->n++];
    *field = (tmap_value_field){.name = name};
    return &field->value;
}

void tmap_structure_int(tmap_structure_maker *maker, const char *name, int64_t integer) {
    tmap_give_int(tmap_structure_add(maker, name), integer);
}

void tmap_structure_bool(tmap_structure_maker *maker, const char *name, bool truth) {
    tmap_give_bool(tmap_structure_add(maker, name), truth);
}

void tmap_structure_text(tmap_structure_maker *maker, const char *name, const char *text) {
    *tmap_structure_add(maker, name) = (tmap_value){.kind = TMAP_VALUE_TEXT, .as.text = text};
}

bool tmap_structure_end(const tmap_structure_maker *maker, tmap_value *result) {
    *result = (tmap_value){.kind = TMAP_VALUE_STRUCTURE};
    result->as.structure.fields = maker->fields;
    result->as.structure.n = maker->n;
    return true;
}
