/* spec: the section of layouts. */
#include <string.h>

#include "language/eval.h"
#include "spec/read.h"

static void read_name(tmap_spec_reading *file, const tmap_node *key) {
    tmap_spec *spec = file->spec;
    tmap_layout_entry *entry = &spec->layouts[spec->layouts_n];
    const tmap_node *value = tmap_node_value(key->next);
    entry->face = (tmap_spec_layout){.name = key->text, .mark = key->mark};
    tmap_register_name(file, "layout", key, spec->layouts_n++);
    if (value->kind == TMAP_NODE_SCALAR) {
        entry->node = value;
        entry->face.expression = value->text;
        entry->face.size = value->size;
    } else if (value->kind != TMAP_NODE_BROKEN && !value->open) {
        char given[TMAP_QUOTED_MAX];
        file->report->subject = key->text;
        tmap_diag *diag = tmap_report_add(file->report, "value-kind", value->mark, "a layout must be an expression");
        TMAP_SAY(diag->given, "%s", tmap_node_describe(value, given));
        TMAP_SAY(diag->fix, "in quotes where it has signs that YAML takes for its own");
    }
}

static int code_points(const char *text, size_t size) {
    int n = 0;
    for (size_t i = 0; i < size; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* Byte `at` of the expression where the file has it letter by letter; else the whole value. */
static tmap_mark mark_of(const tmap_node *node, const tmap_diag *error) {
    tmap_mark mark = node->mark;
    uint32_t quotes = node->quoted ? 1 : 0;
    if (node->end - node->start != node->size + 2 * quotes || error->at > node->size) return mark;
    size_t rest = node->size - error->at, length = error->length < rest ? error->length : rest;
    mark.column += code_points(node->text, error->at) + (int)quotes;
    mark.length = code_points(node->text + error->at, length);
    if (mark.length < 1) mark.length = 1;
    return mark;
}

static void refuse(tmap_spec_reading *file, const tmap_layout_entry *entry, const tmap_diag *error) {
    file->report->subject = entry->face.name;
    tmap_diag *diag =
        tmap_report_add(file->report, "layout-expression", mark_of(entry->node, error), "%s", error->message);
    TMAP_SAY(diag->fix, "%s", error->fix);
}

/* The kinds behind the plain ones are layouts of some sort. */
static bool is_layout(const tmap_value *value) {
    return value->kind > TMAP_VALUE_RECORD;
}

static void evaluate(tmap_spec_reading *file, tmap_layout_entry *entry, const tmap_layout_names *names,
                     uint64_t *steps) {
    tmap_result *result;
    tmap_diag error;
    tmap_status status = tmap_evaluate_within(entry->face.expression, entry->face.size, names, file->spec->allocator,
                                              steps, &result, &error);
    if (status == TMAP_NO_MEMORY) file->report->no_memory = true;
    if (status == TMAP_REFUSED) refuse(file, entry, &error);
    if (status != TMAP_OK) return;
    const tmap_value *value = tmap_result_value(result);
    entry->face.readable = is_layout(value);
    if (!entry->face.readable) {
        tmap_refuse_operand(&error, -1, "the value is of kind %s, not a layout", tmap_value_kind_name(value->kind));
        error.at = value->at, error.length = value->length;
        refuse(file, entry, &error);
    }
    tmap_result_free(result);
}

void tmap_read_layouts(tmap_spec_reading *file, const tmap_node *section) {
    tmap_spec *spec = file->spec;
    spec->layouts = tmap_arena_array(&spec->arena, section->size / 2 + 1, sizeof *spec->layouts);
    if (!spec->layouts) file->report->no_memory = true;
    for (const tmap_node *key = tmap_node_first(section); key && !file->report->no_memory; key = key->next->next)
        if (key->kind == TMAP_NODE_SCALAR) read_name(file, key);
    tmap_layout_names names = tmap_spec_layout_names(spec);
    uint64_t steps = TMAP_STEPS_MAX; /* of the whole file */
    for (size_t i = 0; i < spec->layouts_n && !file->report->no_memory; i++)
        if (spec->layouts[i].node && !tmap_report_full(file->report)) evaluate(file, &spec->layouts[i], &names, &steps);
    file->report->subject = NULL;
}

static const char *find_expression(const void *context, const char *name, size_t *size) {
    const tmap_spec *spec = context;
    size_t i = tmap_spec_layout_find(spec, name);
    if (i == SIZE_MAX) return NULL;
    *size = spec->layouts[i].face.size;
    return spec->layouts[i].face.expression;
}

tmap_layout_names tmap_spec_layout_names(const tmap_spec *spec) {
    return (tmap_layout_names){find_expression, spec, NULL};
}

size_t tmap_spec_layouts_n(const tmap_spec *spec) {
    return spec->layouts_n;
}

tmap_spec_layout tmap_spec_layout_get(const tmap_spec *spec, size_t i) {
    return i < spec->layouts_n ? spec->layouts[i].face : (tmap_spec_layout){0};
}
