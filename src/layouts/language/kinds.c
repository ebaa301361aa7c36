/* language: values of each kind: printing, conversion to plain kinds, comparison. */
#include "language/kinds.h"

#include <string.h>

#include "text/print.h"

/* ---- Swizzles --------------------------------------------------------------------------------------------------- */

void tmap_swizzle_value_print(tmap_sink *sink, const tmap_value *value) {
    const tmap_xor *x = &value->as.swizzle;
    tmap_printf(sink, "swizzle(%d,%d,%d%s)", x->m, x->b, x->s, x->outer ? ",outer" : "");
}

static bool swizzle_structure(tmap_eval *eval, const tmap_xor *x, tmap_value *result) {
    tmap_structure_maker maker;
    if (!tmap_structure_begin(eval, &maker, 4)) return false;
    tmap_structure_int(&maker, "m", x->m);
    tmap_structure_int(&maker, "b", x->b);
    tmap_structure_int(&maker, "s", x->s);
    tmap_structure_bool(&maker, "outer", x->outer);
    return tmap_structure_end(&maker, result);
}

bool tmap_swizzle_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    tmap_structure_maker maker;
    if (!tmap_structure_begin(eval, &maker, 1)) return false;
    return swizzle_structure(eval, &value->as.swizzle, tmap_structure_add(&maker, "swizzle")) &&
           tmap_structure_end(&maker, result);
}

bool tmap_swizzle_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    const tmap_xor *x = &a->as.swizzle, *y = &b->as.swizzle;
    (void)call;
    *same = (x->b == 0 && y->b == 0) || (x->b == y->b && x->m == y->m && x->s == y->s && (x->outer == y->outer));
    return true;
}

/* ---- Layouts ---------------------------------------------------------------------------------------------------- */

void tmap_layout_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_layout_print(sink, value->as.layout);
}

static bool iters_list(tmap_eval *eval, const tmap_iters *iters, tmap_value *result) {
    tmap_value *items = tmap_give_list(eval, result, (size_t)iters->n);
    for (int i = 0; items && i < iters->n; i++) {
        tmap_structure_maker maker;
        if (!tmap_structure_begin(eval, &maker, 3)) return false;
        tmap_structure_int(&maker, "extent", iters->at[i].extent);
        tmap_structure_int(&maker, "stride", iters->at[i].stride);
        tmap_structure_text(&maker, "axis", iters->at[i].axis->name);
        tmap_structure_end(&maker, &items[i]);
    }
    return items != NULL;
}

static bool offset_structure(tmap_eval *eval, const tmap_axis_values *offset, tmap_value *result) {
    tmap_structure_maker maker;
    if (!tmap_structure_begin(eval, &maker, (size_t)offset->n)) return false;
    for (int i = 0; i < offset->n; i++) tmap_structure_int(&maker, offset->at[i].axis->name, offset->at[i].value);
    return tmap_structure_end(&maker, result);
}

bool tmap_layout_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_layout *layout = value->as.layout;
    tmap_text text = {.allocator = eval->arena.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print(&sink, layout);
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    bool ok = !sink.failed && tmap_structure_begin(eval, &maker, 5) &&
              tmap_give_text(&call, tmap_structure_add(&maker, "layout"), text.data) &&
              iters_list(eval, &layout->shard, tmap_structure_add(&maker, "shard")) &&
              iters_list(eval, &layout->replica, tmap_structure_add(&maker, "replica")) &&
              offset_structure(eval, &layout->offset, tmap_structure_add(&maker, "offset"));
    if (ok && layout->has_swizzle)
        ok = swizzle_structure(eval, &layout->swizzle, tmap_structure_add(&maker, "swizzle"));
    tmap_text_free(&text);
    return ok && tmap_structure_end(&maker, result);
}

/* Replicas are compared as sets, and swizzles element by element. */
static uint64_t steps_of(const tmap_layout *layout) {
    uint64_t size = (uint64_t)tmap_layout_size(layout);
    return (layout->replica.n > 0 ? 1 << 16 : 0) + (layout->has_swizzle ? (size < 1 << 24 ? size : 0) : 0);
}

bool tmap_layout_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    if (!tmap_eval_spend(call->eval, steps_of(a->as.layout) + steps_of(b->as.layout))) return false;
    return tmap_call_succeeded(call, tmap_layout_equal(a->as.layout, b->as.layout, same, call->eval->error));
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

/* ---- Kinds: Triton ---- */

void tmap_encoding_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_encoding_print(sink, value->as.data);
}

bool tmap_encoding_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    tmap_text text;
    if (!tmap_structure_begin(eval, &maker, 1)) return false;
    tmap_sink sink = tmap_give_begin(&call, &text);
    tmap_encoding_print(&sink, value->as.data);
    return tmap_give_end(&call, &text, &sink, tmap_structure_add(&maker, "encoding")) &&
           tmap_structure_end(&maker, result);
}

bool tmap_encoding_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_encoding_same(a->as.data, b->as.data);
    return true;
}

void tmap_linear_value_print(tmap_sink *sink, const tmap_value *value) {
    tmap_linear_print(sink, value->as.data);
}

static bool give_coordinates(tmap_call *call, const tmap_linear *linear, uint64_t element, tmap_value *result) {
    int64_t at[TMAP_LINEAR_RANK_MAX] = {0};
    for (int d = linear->rank - 1; d >= 0; element >>= linear->size_log2[d--])
        at[d] = (int64_t)(element & (((uint64_t)1 << linear->size_log2[d]) - 1));
    return tmap_give_ints(call, result, at, (size_t)linear->rank);
}

static bool give_paddings(tmap_eval *eval, const tmap_linear *linear, tmap_value *result) {
    tmap_call call = {.eval = eval};
    tmap_value *items = tmap_give_list(eval, result, (size_t)linear->paddings_n);
    for (int i = 0; items && i < linear->paddings_n; i++) {
        const int64_t pair[] = {(int64_t)linear->paddings[i].interval, (int64_t)linear->paddings[i].padding};
        if (!tmap_give_ints(&call, &items[i], pair, 2)) return false;
    }
    return items != NULL;
}

/* {shape, type, padding, register, lane, ...}: for every input dimension its bases. */
bool tmap_linear_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result) {
    const tmap_linear *linear = value->as.data;
    tmap_call call = {.eval = eval};
    tmap_structure_maker maker;
    int64_t shape[TMAP_LINEAR_RANK_MAX] = {0};
    if (!tmap_structure_begin(eval, &maker, TMAP_LINEAR_IN_COUNT + 3)) return false;
    for (int d = 0; d < linear->rank; d++) shape[d] = (int64_t)1 << linear->size_log2[d];
    if (!tmap_give_ints(&call, tmap_structure_add(&maker, "shape"), shape, (size_t)linear->rank)) return false;
    if (linear->type[0]) tmap_structure_text(&maker, "type", linear->type);
    if (linear->paddings_n > 0 && !give_paddings(eval, linear, tmap_structure_add(&maker, "padding"))) return false;
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        if (!linear->has[in]) continue;
        tmap_value *bases = tmap_structure_add(&maker, tmap_linear_in_name(in));
        tmap_value *items = tmap_give_list(eval, bases, (size_t)linear->bases_n[in]);
        if (!items) return false;
        for (int i = 0; i < linear->bases_n[in]; i++)
            if (!give_coordinates(&call, linear, linear->bases[in][i], &items[i])) return false;
    }
    return tmap_structure_end(&maker, result);
}

bool tmap_linear_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    (void)call;
    *same = tmap_linear_same(a->as.data, b->as.data);
    return true;
}
