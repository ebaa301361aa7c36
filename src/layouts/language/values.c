/* Values of the kinds of Tilus and CuTe: arguments, results, and the functions that language_kinds.def names. */
#include "language/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "language/kinds.h"

/* ---- Arguments ---- */

/* If the collected arguments are one list, returns that list: f([1, 2]) means f(1, 2). */
static const tmap_value *list_of(const tmap_value *value) {
    bool nested =
        value->kind == TMAP_VALUE_LIST && value->as.list.n == 1 && value->as.list.items[0].kind == TMAP_VALUE_LIST;
    return nested ? &value->as.list.items[0] : value;
}

bool tmap_arg_numbers(const tmap_call *call, int arg, tmap_number_list *numbers) {
    tmap_shape shape;
    const char *name = call->function->params[arg].name;
    numbers->n = 0;
    if (!call->args[arg]) return true;
    if (!tmap_value_shape(call, arg, list_of(call->args[arg]), &shape)) return false;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.at[i] < 0)
            return tmap_call_refuse_with(call, arg, strstr(name, "shape") ? "1 or more" : "0 or more",
                                         "%s has %" PRId64 ", below 0", name, shape.at[i]);
        numbers->at[numbers->n++] = (uint64_t)shape.at[i];
    }
    return true;
}

bool tmap_arg_dims(const tmap_call *call, int arg, tmap_dims *dims) {
    tmap_number_list numbers;
    if (!tmap_arg_numbers(call, arg, &numbers)) return false;
    dims->n = numbers.n;
    for (int i = 0; i < numbers.n; i++) dims->at[i] = numbers.at[i] > INT32_MAX ? INT32_MAX : (int)numbers.at[i];
    return true;
}

bool tmap_arg_index(const tmap_call *call, int arg, const tmap_modes *modes, tmap_number_list *index) {
    if (!tmap_arg_numbers(call, arg, index)) return false;
    if (index->n != modes->rank)
        return tmap_call_refuse_with(call, arg, "one coordinate for each dimension",
                                     "%d coordinate%s for %d dimension%s", index->n, TMAP_PLURAL(index->n), modes->rank,
                                     TMAP_PLURAL(modes->rank));
    for (int d = 0; d < modes->rank; d++)
        if (index->at[d] >= modes->shape[d])
            return tmap_call_refuse_with(call, arg, "0 to the size - 1",
                                         "coordinate %" PRIu64 " of dimension %d, whose size is %" PRIu64, index->at[d],
                                         d, modes->shape[d]);
    return true;
}

const tmap_register_layout *tmap_arg_register(const tmap_call *call, int arg) {
    return call->args[arg]->as.data;
}

const tmap_shared_layout *tmap_arg_shared(const tmap_call *call, int arg) {
    return call->args[arg]->as.data;
}

const tmap_multi_function *tmap_arg_multi(const tmap_call *call, int arg) {
    return call->args[arg]->as.data;
}

const tmap_cute *tmap_arg_cute(const tmap_call *call, int arg) {
    return call->args[arg]->as.data;
}

/* ---- Results ---- */

static bool give(tmap_call *call, tmap_status status, tmap_value_kind kind, const void *data, size_t size,
                 tmap_value *result) {
    if (!tmap_call_succeeded(call, status)) return false;
    void *copy = tmap_eval_take(call->eval, 1, size);
    if (!copy) return false;
    memcpy(copy, data, size);
    *result = (tmap_value){.kind = kind, .as.data = copy};
    return true;
}

bool tmap_give_register(tmap_call *call, tmap_status status, const tmap_register_layout *layout, tmap_value *result) {
    return give(call, status, TMAP_VALUE_REGISTER, layout, sizeof *layout, result);
}

bool tmap_give_shared(tmap_call *call, tmap_status status, const tmap_shared_layout *layout, tmap_value *result) {
    return give(call, status, TMAP_VALUE_SHARED, layout, sizeof *layout, result);
}

bool tmap_give_multi(tmap_call *call, tmap_status status, const tmap_multi_function *function, tmap_value *result) {
    return give(call, status, TMAP_VALUE_MULTI, function, sizeof *function, result);
}

bool tmap_give_cute(tmap_call *call, tmap_status status, const tmap_cute *layout, tmap_value *result) {
    return give(call, status, TMAP_VALUE_CUTE, layout, sizeof *layout, result);
}

bool tmap_give_numbers(tmap_call *call, tmap_value *result, const uint64_t *numbers, size_t n) {
    tmap_value *items = tmap_give_list(call->eval, result, n);
    for (size_t i = 0; items && i < n; i++) tmap_give_int(&items[i], (int64_t)numbers[i]);
    return items != NULL;
}

bool tmap_arg_table_style(const tmap_call *call, int arg, int *style) {
    const char *name = tmap_arg_name(call, arg);
    *style = name ? tmap_table_style_find(name) : 0;
    if (*style >= 0) return true;
    tmap_call_refuse(call, arg, "style %s does not exist", name);
    char fix[160] = "";
    size_t used = 0;
    for (int i = 0; tmap_table_style_name(i) && used < sizeof fix; i++) {
        int n = snprintf(fix + used, sizeof fix - used, "%s%s", i > 0 ? ", " : "", tmap_table_style_name(i));
        used += n > 0 ? (size_t)n : 0;
    }
    tmap_say_fix(call->eval->error, "%s", fix);
    return false;
}

bool tmap_give_written(tmap_call *call, tmap_value *result, tmap_status (*put)(tmap_sink *sink, const void *of),
                       const void *of) {
    tmap_text text = {.allocator = call->eval->arena.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = put(&sink, of);
    bool ok = status == TMAP_OK && !sink.failed && tmap_give_text(call, result, text.data);
    tmap_text_free(&text);
    if (status == TMAP_OK && sink.failed) call->eval->no_memory = true;
    if (status != TMAP_OK)
        tmap_call_refuse_with(call, 0, "a layout of two dimensions and at most 16384 elements",
                              "the layout is too large for a table, or does not have two dimensions");
    return ok;
}

/* ---- Kinds: register layouts, shared layouts, multi-functions ---- */

static bool structure_numbers(tmap_structure_maker *maker, const char *name, const uint64_t *numbers, int n) {
    tmap_value *items = tmap_give_list(maker->eval, tmap_structure_add(maker, name), (size_t)n);
    for (int i = 0; items && i < n; i++) tmap_give_int(&items[i], (int64_t)numbers[i]);
    return items != NULL;
}

static bool structure_entries(tmap_structure_maker *maker, const char *name, const tmap_mode_list *list) {
    tmap_value *items = tmap_give_list(maker->eval, tmap_structure_add(maker, name), (size_t)list->n);
    for (int i = 0; items && i < list->n; i++) tmap_give_int(&items[i], list->at[i]);
    return items != NULL;
}

static bool structure_modes(tmap_eval *eval, tmap_structure_maker *maker, const tmap_modes *modes) {
    return tmap_structure_begin(eval, maker, 4) && structure_numbers(maker, "shape", modes->shape, modes->rank) &&
           structure_numbers(maker, "mode_shape", modes->size, modes->n);
}

void tmap_register_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_register_print(sink, value->as.data);
}

bool tmap_register_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_register_layout *layout = value->as.data;
    tmap_structure_maker maker;
    return structure_modes(eval, &maker, &layout->modes) &&
           structure_entries(&maker, "spatial_modes", &layout->spatial) &&
           structure_entries(&maker, "local_modes", &layout->local) && tmap_structure_end(&maker, result);
}

bool tmap_register_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_register_same(a->as.data, b->as.data);
    return true;
}

void tmap_shared_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_shared_print(sink, value->as.data);
}

bool tmap_shared_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_shared_layout *layout = value->as.data;
    tmap_structure_maker maker, swizzle;
    if (!structure_modes(eval, &maker, &layout->modes) ||
        !structure_numbers(&maker, "mode_strides", layout->strides, layout->modes.n))
        return false;
    tmap_value *last = tmap_structure_add(&maker, "swizzle");
    if (layout->swizzle.bits == 0) return tmap_structure_end(&maker, result);
    if (!tmap_structure_begin(eval, &swizzle, 3)) return false;
    tmap_structure_int(&swizzle, "base", layout->swizzle.base);
    tmap_structure_int(&swizzle, "bits", layout->swizzle.bits);
    tmap_structure_int(&swizzle, "shift", layout->swizzle.shift);
    return tmap_structure_end(&swizzle, last) && tmap_structure_end(&maker, result);
}

/* The shapes must be equal; beyond that, the maps are compared. */
bool tmap_shared_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    tmap_layout left, right;
    const tmap_shared_layout *x = a->as.data, *y = b->as.data;
    *same = false;
    if (x->modes.rank != y->modes.rank ||
        memcmp(x->modes.shape, y->modes.shape, sizeof x->modes.shape[0] * (size_t)x->modes.rank) != 0)
        return true;
    return tmap_call_succeeded(call, tmap_shared_to_layout(x, &left, call->eval->error)) &&
           tmap_call_succeeded(call, tmap_shared_to_layout(y, &right, call->eval->error)) &&
           tmap_call_succeeded(call, tmap_layout_equal(&left, &right, same, call->eval->error));
}

void tmap_multi_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_multi_print(sink, value->as.data);
}

bool tmap_multi_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_multi_function *function = value->as.data;
    tmap_structure_maker maker;
    return structure_modes(eval, &maker, &function->modes) && structure_entries(&maker, "modes", &function->list) &&
           tmap_structure_end(&maker, result);
}

bool tmap_multi_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_multi_covers(a->as.data, b->as.data) && tmap_multi_covers(b->as.data, a->as.data);
    return true;
}

/* ---- Kinds: CuTe ---- */

void tmap_cute_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_puts(sink, "cute(\"");
    tmap_cute_print(sink, value->as.data);
    tmap_puts(sink, "\")");
}

/* The shape, or the strides, as nested lists. */
static bool give_tuple(tmap_eval *eval, const tmap_cute *layout, int node, bool strides, tmap_value *result) {
    const tmap_cute_node *at = &layout->nodes[node];
    if (!at->tuple) return tmap_give_int(result, strides ? at->stride : (int64_t)at->shape);
    size_t n = 0, k = 0;
    for (int i = node + 1; i < node + at->nodes_n; i += layout->nodes[i].nodes_n) n++;
    tmap_value *items = tmap_give_list(eval, result, n);
    for (int i = node + 1; items && i < node + at->nodes_n; i += layout->nodes[i].nodes_n)
        if (!give_tuple(eval, layout, i, strides, &items[k++])) return false;
    return items != NULL;
}

bool tmap_cute_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_cute *layout = value->as.data;
    tmap_structure_maker maker, swizzle;
    if (!tmap_structure_begin(eval, &maker, 4)) return false;
    if (!give_tuple(eval, layout, 0, false, tmap_structure_add(&maker, "shape"))) return false;
    if (!give_tuple(eval, layout, 0, true, tmap_structure_add(&maker, "stride"))) return false;
    if (layout->offset != 0) tmap_structure_int(&maker, "offset", layout->offset);
    if (layout->swizzle.bits == 0) return tmap_structure_end(&maker, result);
    tmap_value *last = tmap_structure_add(&maker, "swizzle");
    if (!tmap_structure_begin(eval, &swizzle, 3)) return false;
    tmap_structure_int(&swizzle, "bits", layout->swizzle.bits);
    tmap_structure_int(&swizzle, "base", layout->swizzle.base);
    tmap_structure_int(&swizzle, "shift", layout->swizzle.shift);
    return tmap_structure_end(&swizzle, last) && tmap_structure_end(&maker, result);
}

/* Compares the functions of one integer. */
bool tmap_cute_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    tmap_cute x, y;
    bool ok = tmap_call_succeeded(call, tmap_cute_coalesce(a->as.data, &x, call->eval->error)) &&
              tmap_call_succeeded(call, tmap_cute_coalesce(b->as.data, &y, call->eval->error));
    if (ok) *same = tmap_cute_equal(&x, &y);
    return ok;
}
