/* language: values that functions return. */
#include "language/eval.h"

#include <string.h>

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

bool tmap_give_text(tmap_eval *eval, tmap_value *result, const char *text) {
    char *copy = tmap_eval_copy(eval, text, strlen(text));
    if (!copy) return false;
    *result = (tmap_value){.kind = TMAP_VALUE_TEXT, .as.text = copy};
    return true;
}

bool tmap_give_swizzle(tmap_value *result, tmap_xor swizzle) {
    *result = (tmap_value){.kind = TMAP_VALUE_SWIZZLE, .as.swizzle = swizzle};
    return true;
}

bool tmap_give_layout(tmap_eval *eval, tmap_value *result, const tmap_layout *layout) {
    tmap_layout *copy = tmap_eval_take(eval, 1, sizeof *copy);
    if (!copy) return false;
    *copy = *layout;
    *result = (tmap_value){.kind = TMAP_VALUE_LAYOUT, .as.layout = copy};
    return true;
}

bool tmap_give_made(tmap_call *call, tmap_status status, tmap_value_kind kind, const void *made, size_t size,
                    tmap_value *result) {
    void *copy = tmap_call_succeeded(call, status) ? tmap_eval_take(call->eval, 1, size) : NULL;
    if (!copy) return false;
    memcpy(copy, made, size);
    *result = (tmap_value){.kind = kind, .as.data = copy};
    return true;
}

tmap_sink tmap_give_begin(tmap_eval *eval, tmap_text *text) {
    *text = (tmap_text){.allocator = eval->arena.allocator};
    return tmap_text_sink(text);
}

bool tmap_give_end(tmap_eval *eval, tmap_text *text, const tmap_sink *sink, tmap_value *result) {
    if (sink->failed) eval->no_memory = true;
    bool ok = !sink->failed && tmap_give_text(eval, result, text->data);
    tmap_text_free(text);
    return ok;
}

tmap_value *tmap_give_list(tmap_eval *eval, tmap_value *result, size_t n) {
    tmap_value *items = tmap_eval_take(eval, n ? n : 1, sizeof *items);
    if (!items) return NULL;
    *result = (tmap_value){.kind = TMAP_VALUE_LIST};
    result->as.list.items = items;
    result->as.list.n = n;
    return items;
}

bool tmap_give_ints(tmap_eval *eval, tmap_value *result, const int64_t *integers, size_t n) {
    tmap_value *items = tmap_give_list(eval, result, n);
    for (size_t i = 0; items && i < n; i++) tmap_give_int(&items[i], integers[i]);
    return items != NULL;
}

bool tmap_give_numbers(tmap_eval *eval, tmap_value *result, const uint64_t *numbers, size_t n) {
    tmap_value *items = tmap_give_list(eval, result, n);
    for (size_t i = 0; items && i < n; i++) tmap_give_int(&items[i], (int64_t)numbers[i]);
    return items != NULL;
}

tmap_value *tmap_structure_add(tmap_structure *s, const char *name) {
    tmap_value_field *field = &s->fields[s->n++];
    *field = (tmap_value_field){.name = name};
    return &field->value;
}

void tmap_structure_int(tmap_structure *s, const char *name, int64_t integer) {
    s->fields[s->n++] = (tmap_value_field){name, {.kind = TMAP_VALUE_INT, .as.integer = integer}};
}

void tmap_structure_bool(tmap_structure *s, const char *name, bool truth) {
    s->fields[s->n++] = (tmap_value_field){name, {.kind = TMAP_VALUE_BOOL, .as.truth = truth}};
}

void tmap_structure_text(tmap_structure *s, const char *name, const char *text) {
    s->fields[s->n++] = (tmap_value_field){name, {.kind = TMAP_VALUE_TEXT, .as.text = text}};
}

bool tmap_structure_give(tmap_eval *eval, const tmap_structure *s, tmap_value *result) {
    tmap_value_field *fields = tmap_eval_take(eval, s->n ? s->n : 1, sizeof *fields);
    if (!fields) return false;
    memcpy(fields, s->fields, s->n * sizeof *fields);
    *result = (tmap_value){.kind = TMAP_VALUE_STRUCTURE};
    result->as.structure.fields = fields;
    result->as.structure.n = s->n;
    return true;
}
