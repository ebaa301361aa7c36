/* language: equality of values. */
#include "language/eval.h"
#include "layout/xor_maps.h"

#include <string.h>

static bool same_lists(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    *same = a->as.list.n == b->as.list.n;
    for (size_t i = 0; *same && i < a->as.list.n; i++)
        if (!tmap_values_same(call, &a->as.list.items[i], &b->as.list.items[i], same)) return false;
    return true;
}

static bool same_structure(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    *same = a->as.structure.n == b->as.structure.n;
    for (size_t i = 0; *same && i < a->as.structure.n; i++) {
        const tmap_value_field *x = &a->as.structure.fields[i], *y = &b->as.structure.fields[i];
        *same = strcmp(x->name, y->name) == 0;
        if (*same && !tmap_values_same(call, &x->value, &y->value, same)) return false;
    }
    return true;
}

/* Replicas are compared as sets, and swizzles element by element. */
static uint64_t steps_of(const tmap_layout *layout) {
    uint64_t size = (uint64_t)tmap_layout_size(layout);
    return (layout->replica.n > 0 ? 1 << 16 : 0) + (layout->has_swizzle ? (size < 1 << 24 ? size : 0) : 0);
}

static bool same_layouts(const tmap_call *call, const tmap_layout *a, const tmap_layout *b, bool *same) {
    return tmap_eval_spend(call->eval, steps_of(a) + steps_of(b)) &&
           tmap_call_succeeded(call, tmap_layout_equal(a, b, same, call->eval->error));
}

/* The shapes must be equal; beyond that, the maps are compared. */
static bool same_shared(const tmap_call *call, const tmap_shared_layout *a, const tmap_shared_layout *b, bool *same) {
    tmap_layout left, right;
    size_t size = sizeof a->modes.shape[0] * (size_t)a->modes.rank;
    if (a->modes.rank != b->modes.rank || memcmp(a->modes.shape, b->modes.shape, size) != 0) return true;
    return tmap_call_succeeded(call, tmap_shared_to_layout(a, &left, call->eval->error)) &&
           tmap_call_succeeded(call, tmap_shared_to_layout(b, &right, call->eval->error)) &&
           tmap_call_succeeded(call, tmap_layout_equal(&left, &right, same, call->eval->error));
}

/* Compares the functions of one integer. */
static bool same_cute(const tmap_call *call, const tmap_cute *a, const tmap_cute *b, bool *same) {
    tmap_cute x, y;
    bool made = tmap_call_succeeded(call, tmap_cute_coalesce(a, &x, call->eval->error)) &&
                tmap_call_succeeded(call, tmap_cute_coalesce(b, &y, call->eval->error));
    *same = made && tmap_cute_equal(&x, &y);
    return made;
}

bool tmap_values_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    *same = false;
    bool layouts = TMAP_TAKES_ANY_LAYOUT >> a->kind & TMAP_TAKES_ANY_LAYOUT >> b->kind & 1;
    if (layouts && a->kind != b->kind)
        return tmap_call_refuse_with(call, 1, "as_layout(…) of each side", "layouts of two kinds are not comparable");
    if (a->kind != b->kind) return true;
    switch (a->kind) {
    case TMAP_VALUE_NONE: *same = true; break;
    case TMAP_VALUE_BOOL: *same = a->as.truth == b->as.truth; break;
    case TMAP_VALUE_INT: *same = a->as.integer == b->as.integer; break;
    case TMAP_VALUE_WORD:
    case TMAP_VALUE_TEXT: *same = strcmp(a->as.text, b->as.text) == 0; break;
    case TMAP_VALUE_TERM:
        *same = a->as.term.value == b->as.term.value && tmap_axis_same(a->as.term.axis, b->as.term.axis);
        break;
    case TMAP_VALUE_PAIR:
    case TMAP_VALUE_LIST: return same_lists(call, a, b, same);
    case TMAP_VALUE_STRUCTURE: return same_structure(call, a, b, same);
    case TMAP_VALUE_SWIZZLE: *same = tmap_xor_same(&a->as.swizzle, &b->as.swizzle); break;
    case TMAP_VALUE_LAYOUT: return same_layouts(call, a->as.layout, b->as.layout, same);
    case TMAP_VALUE_REGISTER: *same = tmap_register_same(a->as.data, b->as.data); break;
    case TMAP_VALUE_SHARED: return same_shared(call, a->as.data, b->as.data, same);
    case TMAP_VALUE_MULTI:
        *same = tmap_multi_covers(a->as.data, b->as.data) && tmap_multi_covers(b->as.data, a->as.data);
        break;
    case TMAP_VALUE_CUTE: return same_cute(call, a->as.data, b->as.data, same);
    case TMAP_VALUE_ENCODING: *same = tmap_encoding_same(a->as.data, b->as.data); break;
    case TMAP_VALUE_LINEAR: *same = tmap_linear_same(a->as.data, b->as.data); break;
    case TMAP_VALUE_COUNT: break;
    }
    return true;
}
