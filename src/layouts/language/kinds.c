/* language: swizzles and layouts as values: printing, conversion to plain kinds, comparison. */
#include "language/kinds.h"

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
