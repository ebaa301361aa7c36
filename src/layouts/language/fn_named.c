/* Functions on named layouts: functions.def. */
#include "language/functions.h"
#include "text/nearest.h"
#include "tmap/unstable/language_named.h"

#include <string.h>

/* ---- named ---- */

static bool refuse_name(const tmap_call *call, const char *name) {
    const char *names[256];
    size_t n = 0;
    for (const tmap_named_layout *row; n < 256 && (row = tmap_named_layout_get((int)n)) != NULL;)
        names[n++] = row->name;
    const char *near = tmap_nearest(name, names, n);
    tmap_call_refuse(call, 0, "named layout %s does not exist", name);
    tmap_say_fix(call->eval->error, "%s", near ? near : "see named_layouts()");
    return false;
}

/* A refusal in the text of a row becomes a refusal of the call. */
static bool read_row(tmap_call *call, const tmap_text *text, tmap_value *result) {
    tmap_eval *eval = call->eval;
    if (eval->read(eval, text->data, text->size, result)) return true;
    const tmap_diag refused = *eval->error;
    return eval->no_memory ? false : tmap_call_refuse(call, -1, "%s", refused.message + refused.name_n);
}

bool tmap_nf_named(tmap_call *call, const char *name, const tmap_shape *numbers, tmap_value *result) {
    const tmap_named_layout *named = tmap_named_layout_find(name);
    if (!named) return refuse_name(call, name);
    tmap_text text = {.allocator = call->eval->arena.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_named_layout_write(&sink, named, numbers ? numbers->at : NULL,
                                                 numbers ? numbers->rank : 0, call->eval->error);
    if (status == TMAP_OK && sink.failed) call->eval->no_memory = true;
    if (status == TMAP_REFUSED) {
        const tmap_value *value = call->args[1]; /* the list of numbers, or none */
        int operand = call->eval->error->operand;
        if (value && operand >= 0) value = &value->as.list.items[operand];
        (void)tmap_refuse_place(call->eval->error, value ? value->at : call->at, value ? value->length : call->length);
    }
    bool ok = status == TMAP_OK && !sink.failed && read_row(call, &text, result);
    tmap_text_free(&text);
    return ok;
}

/* ---- The list ---- */

static bool give_params(tmap_eval *eval, const tmap_named_layout *named, tmap_value *result) {
    size_t n = 0;
    while (n < TMAP_NAMED_PARAMS_MAX && named->params[n].name) n++;
    tmap_value *items = tmap_give_list(eval, result, n);
    for (size_t i = 0; items && i < n; i++)
        items[i] = (tmap_value){.kind = TMAP_VALUE_WORD, .as.text = named->params[i].name};
    return items != NULL;
}

static bool give_row(tmap_eval *eval, const tmap_named_layout *named, tmap_value *result) {
    TMAP_STRUCTURE(s);
    tmap_structure_text(&s, "name", named->name);
    if (!give_params(eval, named, tmap_structure_add(&s, "numbers"))) return false;
    tmap_structure_text(&s, "about", named->about);
    tmap_structure_text(&s, "source", named->source);
    return tmap_structure_give(eval, &s, result);
}

static bool is_in(const tmap_named_layout *named, const char *group) {
    return !group || strcmp(named->group, group) == 0;
}

bool tmap_nf_list(tmap_call *call, const char *group, tmap_value *result) {
    size_t n = 0, k = 0;
    const tmap_named_layout *row;
    for (int i = 0; (row = tmap_named_layout_get(i)) != NULL; i++) n += is_in(row, group);
    if (n == 0)
        return tmap_call_refuse_with(call, 0, "mma, ldmatrix, wgmma, tcgen05, tmem, scale or shared",
                                     "group %s does not exist", group ? group : "");
    tmap_value *items = tmap_give_list(call->eval, result, n);
    for (int i = 0; items && (row = tmap_named_layout_get(i)) != NULL; i++)
        if (is_in(row, group) && !give_row(call->eval, row, &items[k++])) return false;
    return items != NULL;
}
