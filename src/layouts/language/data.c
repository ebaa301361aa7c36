/* language: values in plain kinds (lists and structures of plain kinds), for JSON. */
#include "language/eval.h"

/* ---- Plain kinds ------------------------------------------------------------------------------------------------ */

static bool list_data(tmap_eval *eval, const tmap_value *list, tmap_value *data) {
    tmap_value *items = tmap_give_list(eval, data, list->as.list.n);
    for (size_t i = 0; items && i < list->as.list.n; i++)
        if (!tmap_value_data(eval, &list->as.list.items[i], &items[i])) return false;
    return items != NULL;
}

static bool structure_data(tmap_eval *eval, const tmap_value *structure, tmap_value *data) {
    TMAP_STRUCTURE(s);
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        const tmap_value_field *field = &structure->as.structure.fields[i];
        if (!tmap_value_data(eval, &field->value, tmap_structure_add(&s, field->name))) return false;
    }
    return tmap_structure_give(eval, &s, data);
}

static bool term_data(tmap_eval *eval, const tmap_axis_value *term, tmap_value *data) {
    TMAP_STRUCTURE(s);
    tmap_structure_int(&s, "value", term->value);
    tmap_structure_text(&s, "axis", term->axis->name);
    return tmap_structure_give(eval, &s, data);
}

/* ---- TIRx ------------------------------------------------------------------------------------------------------- */

static bool swizzle_data(tmap_eval *eval, const tmap_xor *x, tmap_value *data) {
    TMAP_STRUCTURE(s);
    tmap_structure_int(&s, "m", x->m);
    tmap_structure_int(&s, "b", x->b);
    tmap_structure_int(&s, "s", x->s);
    tmap_structure_bool(&s, "outer", x->outer);
    return tmap_structure_give(eval, &s, data);
}

static bool swizzle_alone_data(tmap_eval *eval, const tmap_xor *x, tmap_value *data) {
    TMAP_STRUCTURE(s);
    return swizzle_data(eval, x, tmap_structure_add(&s, "swizzle")) && tmap_structure_give(eval, &s, data);
}

static bool iters_list(tmap_eval *eval, const tmap_iters *iters, tmap_value *result) {
    tmap_value *items = tmap_give_list(eval, result, (size_t)iters->n);
    for (int i = 0; items && i < iters->n; i++) {
        TMAP_STRUCTURE(s);
        tmap_structure_int(&s, "extent", iters->at[i].extent);
        tmap_structure_int(&s, "stride", iters->at[i].stride);
        tmap_structure_text(&s, "axis", iters->at[i].axis->name);
        tmap_structure_give(eval, &s, &items[i]);
    }
    return items != NULL;
}

static bool offset_structure(tmap_eval *eval, const tmap_axis_values *offset, tmap_value *result) {
    TMAP_STRUCTURE(s);
    for (int i = 0; i < offset->n; i++) tmap_structure_int(&s, offset->at[i].axis->name, offset->at[i].value);
    return tmap_structure_give(eval, &s, result);
}

static bool layout_data(tmap_eval *eval, const tmap_layout *layout, tmap_value *data) {
    TMAP_STRUCTURE(s);
    tmap_text text;
    tmap_sink sink = tmap_give_begin(eval, &text);
    tmap_layout_print(&sink, layout);
    return tmap_give_end(eval, &text, &sink, tmap_structure_add(&s, "layout")) &&
           iters_list(eval, &layout->shard, tmap_structure_add(&s, "shard")) &&
           iters_list(eval, &layout->replica, tmap_structure_add(&s, "replica")) &&
           offset_structure(eval, &layout->offset, tmap_structure_add(&s, "offset")) &&
           (!layout->has_swizzle || swizzle_data(eval, &layout->swizzle, tmap_structure_add(&s, "swizzle"))) &&
           tmap_structure_give(eval, &s, data);
}

/* ---- Tilus ------------------------------------------------------------------------------------------------------ */

static bool add_numbers(tmap_eval *eval, tmap_structure *s, const char *name, const uint64_t *numbers, int n) {
    return tmap_give_numbers(eval, tmap_structure_add(s, name), numbers, (size_t)n);
}

static bool add_entries(tmap_eval *eval, tmap_structure *s, const char *name, const tmap_mode_list *list) {
    return tmap_give_ints(eval, tmap_structure_add(s, name), list->at, (size_t)list->n);
}

static bool add_modes(tmap_eval *eval, tmap_structure *s, const tmap_modes *modes) {
    return add_numbers(eval, s, "shape", modes->shape, modes->rank) &&
           add_numbers(eval, s, "mode_shape", modes->size, modes->n);
}

static bool register_data(tmap_eval *eval, const tmap_register_layout *layout, tmap_value *data) {
    TMAP_STRUCTURE(s);
    return add_modes(eval, &s, &layout->modes) && add_entries(eval, &s, "spatial_modes", &layout->spatial) &&
           add_entries(eval, &s, "local_modes", &layout->local) && tmap_structure_give(eval, &s, data);
}

static bool multi_data(tmap_eval *eval, const tmap_multi_function *function, tmap_value *data) {
    TMAP_STRUCTURE(s);
    return add_modes(eval, &s, &function->modes) && add_entries(eval, &s, "modes", &function->list) &&
           tmap_structure_give(eval, &s, data);
}

static bool shared_data(tmap_eval *eval, const tmap_shared_layout *layout, tmap_value *data) {
    const tmap_xor *x = &layout->swizzle;
    TMAP_STRUCTURE(s);
    TMAP_STRUCTURE(swizzle);
    tmap_structure_int(&swizzle, "base", x->m);
    tmap_structure_int(&swizzle, "bits", x->b);
    tmap_structure_int(&swizzle, "shift", x->s);
    if (!add_modes(eval, &s, &layout->modes)) return false;
    if (!add_numbers(eval, &s, "mode_strides", layout->strides, layout->modes.n)) return false;
    tmap_value *last = tmap_structure_add(&s, "swizzle");
    return (x->b == 0 || tmap_structure_give(eval, &swizzle, last)) && tmap_structure_give(eval, &s, data);
}

/* ---- CuTe ------------------------------------------------------------------------------------------------------- */

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

static bool cute_data(tmap_eval *eval, const tmap_cute *layout, tmap_value *data) {
    const tmap_xor *x = &layout->swizzle;
    TMAP_STRUCTURE(s);
    TMAP_STRUCTURE(swizzle);
    tmap_structure_int(&swizzle, "bits", x->b);
    tmap_structure_int(&swizzle, "base", x->m);
    tmap_structure_int(&swizzle, "shift", x->outer ? -x->s : x->s);
    if (!give_tuple(eval, layout, 0, false, tmap_structure_add(&s, "shape"))) return false;
    if (!give_tuple(eval, layout, 0, true, tmap_structure_add(&s, "stride"))) return false;
    if (layout->offset != 0) tmap_structure_int(&s, "offset", layout->offset);
    return (x->b == 0 || tmap_structure_give(eval, &swizzle, tmap_structure_add(&s, "swizzle"))) &&
           tmap_structure_give(eval, &s, data);
}

/* ---- Triton ----------------------------------------------------------------------------------------------------- */

static bool encoding_data(tmap_eval *eval, const tmap_encoding *encoding, tmap_value *data) {
    TMAP_STRUCTURE(s);
    tmap_text text;
    tmap_sink sink = tmap_give_begin(eval, &text);
    tmap_encoding_print(&sink, encoding);
    return tmap_give_end(eval, &text, &sink, tmap_structure_add(&s, "encoding")) && tmap_structure_give(eval, &s, data);
}

static bool give_coordinates(tmap_eval *eval, const tmap_linear *linear, uint64_t element, tmap_value *result) {
    int64_t at[TMAP_LINEAR_RANK_MAX] = {0};
    for (int d = linear->rank - 1; d >= 0; element >>= linear->size_log2[d--])
        at[d] = (int64_t)(element & (((uint64_t)1 << linear->size_log2[d]) - 1));
    return tmap_give_ints(eval, result, at, (size_t)linear->rank);
}

static bool give_paddings(tmap_eval *eval, const tmap_linear *linear, tmap_value *result) {
    tmap_value *items = tmap_give_list(eval, result, (size_t)linear->paddings_n);
    for (int i = 0; items && i < linear->paddings_n; i++) {
        const int64_t pair[] = {(int64_t)linear->paddings[i].interval, (int64_t)linear->paddings[i].padding};
        if (!tmap_give_ints(eval, &items[i], pair, 2)) return false;
    }
    return items != NULL;
}

/* {shape, type, padding, register, lane, ...}: for every input dimension its bases. */
static bool linear_data(tmap_eval *eval, const tmap_linear *linear, tmap_value *data) {
    TMAP_STRUCTURE(s);
    int64_t shape[TMAP_LINEAR_RANK_MAX] = {0};
    for (int d = 0; d < linear->rank; d++) shape[d] = (int64_t)1 << linear->size_log2[d];
    if (!tmap_give_ints(eval, tmap_structure_add(&s, "shape"), shape, (size_t)linear->rank)) return false;
    if (linear->type[0]) tmap_structure_text(&s, "type", linear->type);
    if (linear->paddings_n > 0 && !give_paddings(eval, linear, tmap_structure_add(&s, "padding"))) return false;
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        if (!linear->has[in]) continue;
        tmap_value *bases = tmap_structure_add(&s, tmap_linear_in_name(in));
        tmap_value *items = tmap_give_list(eval, bases, (size_t)linear->bases_n[in]);
        if (!items) return false;
        for (int i = 0; i < linear->bases_n[in]; i++)
            if (!give_coordinates(eval, linear, linear->bases[in][i], &items[i])) return false;
    }
    return tmap_structure_give(eval, &s, data);
}

/* ---- All kinds -------------------------------------------------------------------------------------------------- */

bool tmap_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *data) {
    *data = *value;
    switch (value->kind) {
    case TMAP_VALUE_NONE:
    case TMAP_VALUE_BOOL:
    case TMAP_VALUE_INT:
    case TMAP_VALUE_WORD:
    case TMAP_VALUE_TEXT:
    case TMAP_VALUE_COUNT: return true;
    case TMAP_VALUE_TERM: return term_data(eval, &value->as.term, data);
    case TMAP_VALUE_PAIR:
    case TMAP_VALUE_LIST: return list_data(eval, value, data);
    case TMAP_VALUE_STRUCTURE: return structure_data(eval, value, data);
    case TMAP_VALUE_SWIZZLE: return swizzle_alone_data(eval, &value->as.swizzle, data);
    case TMAP_VALUE_LAYOUT: return layout_data(eval, value->as.layout, data);
    case TMAP_VALUE_REGISTER: return register_data(eval, value->as.data, data);
    case TMAP_VALUE_SHARED: return shared_data(eval, value->as.data, data);
    case TMAP_VALUE_MULTI: return multi_data(eval, value->as.data, data);
    case TMAP_VALUE_CUTE: return cute_data(eval, value->as.data, data);
    case TMAP_VALUE_ENCODING: return encoding_data(eval, value->as.data, data);
    case TMAP_VALUE_LINEAR: return linear_data(eval, value->as.data, data);
    }
    return true;
}
