/* spec: reads the section of layouts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "language/eval.h"
#include "spec/read.h"
#include "text/print.h"
#include "text/visible.h"

static void read_name(tmap_spec_reading *file, const tmap_node *key) {
    tmap_spec *spec = file->spec;
    tmap_layout_entry *entry = &spec->layouts[spec->layouts_n];
    const tmap_node *value = tmap_node_value(key->next);
    *entry = (tmap_layout_entry){.name = key->text};
    tmap_register_name(file, TMAP_NAMED_LAYOUT, key, spec->layouts_n++);
    if (value->kind == TMAP_NODE_SCALAR) {
        entry->node = value;
    } else if (value->kind != TMAP_NODE_BROKEN && !value->open) {
        char given[TMAP_QUOTED_MAX];
        file->report->subject = key->text;
        tmap_diag *diag = tmap_report_add(file->report, "value-kind", value->mark, "a layout must be an expression");
        TMAP_SAY(diag->given, "%s", tmap_node_describe(value, given));
        TMAP_SAY(diag->fix.words,
                 "write the expression in quotes if it contains characters that have a meaning in YAML");
    }
}

/* The place of byte `at` of the expression, if the file contains the expression unchanged; else of the whole value. */
static tmap_mark mark_of(const tmap_node *node, const tmap_diag *error) {
    tmap_mark mark = node->mark;
    uint32_t quotes = node->quoted ? 1 : 0;
    if (node->end - node->start != node->size + 2 * quotes || error->at > node->size) return mark;
    size_t rest = node->size - error->at, length = error->length < rest ? error->length : rest;
    mark.column += tmap_code_points(node->text, error->at) + (int)quotes;
    mark.length = tmap_code_points(node->text + error->at, length);
    if (mark.length < 1) mark.length = 1;
    return mark;
}

/* ---- Sizes in expressions: a name is a layout, or else a size ---------------------------------------------------- */

enum { LEAST, LARGEST };

static bool has_several(const tmap_spec *spec, int size) {
    return spec->sizes[size].min != spec->sizes[size].max;
}

static const char *find_layout(const tmap_spec *spec, const char *name, size_t *size) {
    size_t i = tmap_spec_layout_find(spec, name);
    const tmap_node *node = i == SIZE_MAX ? NULL : spec->layouts[i].node;
    if (node) *size = node->size;
    return node ? node->text : NULL;
}

static const char *size_text(const tmap_spec *spec, int i, int which, size_t *size) {
    const char *text = i < 0 ? NULL : spec->size_texts[which][i];
    if (text) *size = strlen(text);
    return text;
}

static const char *find_with_least(const void *spec, const char *name, size_t *size) {
    const char *layout = find_layout(spec, name, size);
    return layout ? layout : size_text(spec, tmap_find_size(spec, name), LEAST, size);
}

static const char *find_with_largest(const void *spec, const char *name, size_t *size) {
    const char *layout = find_layout(spec, name, size);
    return layout ? layout : size_text(spec, tmap_find_size(spec, name), LARGEST, size);
}

static const char *find_expression(const void *context, const char *name, size_t *size) {
    const tmap_spec *spec = context;
    int i = tmap_find_size(spec, name);
    if (i >= 0 && has_several(spec, i)) return find_layout(spec, name, size);
    return find_with_least(spec, name, size);
}

static const char *why_not(const void *spec, const char *name) {
    return tmap_find_size(spec, name) >= 0 ? "a size of several values" : NULL;
}

tmap_layout_names tmap_spec_layout_names(const tmap_spec *spec) {
    return (tmap_layout_names){find_expression, spec, why_not};
}

static bool write_sizes(tmap_spec *spec) {
    bool ok = true;
    for (int i = 0; i < spec->sizes_n; i++)
        for (int which = LEAST; which <= LARGEST; which++) {
            uint64_t value = which == LEAST ? spec->sizes[i].min : spec->sizes[i].max;
            char digits[24];
            int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
            spec->size_texts[which][i] = tmap_arena_text(&spec->arena, digits, (size_t)n);
            ok = ok && spec->size_texts[which][i];
        }
    return ok;
}

/* Writes sizes with several values as "K = 64, N = 4096". */
static void say_values(char *out, size_t room, const tmap_spec *spec, int which) {
    for (int i = 0; i < spec->sizes_n; i++)
        if (has_several(spec, i) && spec->size_texts[which][i])
            tmap_append_item(out, room, "%s = %s", spec->sizes[i].name, spec->size_texts[which][i]);
}

static void refuse(tmap_spec_reading *file, const tmap_layout_entry *entry, const tmap_diag *error, int which) {
    file->report->subject = entry->name;
    tmap_diag *diag =
        tmap_report_add(file->report, "layout-expression", mark_of(entry->node, error), "%s", error->message);
    TMAP_SAY(diag->fix.words, "%s", error->fix.words);
    say_values(diag->given, sizeof diag->given, file->spec, which);
}

/* All kinds after the plain kinds are layouts. */
static bool is_layout(const tmap_value *value) {
    return value->kind > TMAP_VALUE_STRUCTURE;
}

/* Returns false after a refusal or a failed allocation. */
static bool evaluate(tmap_spec_reading *file, tmap_layout_entry *entry, int which, uint64_t *steps) {
    tmap_layout_names names = {which == LEAST ? find_with_least : find_with_largest, file->spec, NULL};
    tmap_result *result;
    tmap_diag error;
    tmap_status status = tmap_evaluate_within(entry->node->text, entry->node->size, &names, file->spec->allocator,
                                              steps, &result, &error);
    if (status == TMAP_NO_MEMORY) file->report->no_memory = true;
    if (status == TMAP_REFUSED) refuse(file, entry, &error, which);
    if (status != TMAP_OK) return false;
    const tmap_value *value = tmap_result_value(result);
    bool good = is_layout(value);
    if (!good) {
        tmap_refuse_operand(&error, -1, "the value is of kind %s, not a layout", tmap_value_kind_name(value->kind));
        error.at = value->at, error.length = value->length;
        refuse(file, entry, &error, which);
    }
    tmap_result_free(result);
    return good;
}

void tmap_read_layouts(tmap_spec_reading *file, const tmap_node *section) {
    tmap_spec *spec = file->spec;
    spec->layouts = tmap_arena_array(&spec->arena, section->size / 2 + 1, sizeof *spec->layouts);
    if (!spec->layouts || !write_sizes(spec)) file->report->no_memory = true;
    for (const tmap_node *key = tmap_node_first(section); key && !file->report->no_memory; key = key->next->next)
        if (key->kind == TMAP_NODE_SCALAR) read_name(file, key);
    bool ranges = false;
    for (int i = 0; i < spec->sizes_n; i++) ranges = ranges || has_several(spec, i);
    uint64_t steps = TMAP_STEPS_MAX; /* of the whole file */
    for (size_t i = 0; i < spec->layouts_n && !file->report->no_memory; i++) {
        tmap_layout_entry *entry = &spec->layouts[i];
        if (!entry->node || tmap_report_full(file->report) || !evaluate(file, entry, LEAST, &steps)) continue;
        if (ranges) evaluate(file, entry, LARGEST, &steps);
    }
    file->report->subject = NULL;
}
