/* language: values of any kind: printing, display, comparison, conversion to plain kinds. */
#include <inttypes.h>
#include <string.h>

#include "language/kinds.h"
#include "text/print.h"

typedef struct kind_info {
    void (*print)(tmap_sink *sink, const tmap_value *value);
    bool (*data)(tmap_eval *eval, const tmap_value *value, tmap_value *result);
    bool (*same)(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);
} kind_info;

static const kind_info kinds[] = {
#define TMAP_VALUE_KIND(id, name, ...) {__VA_ARGS__},
#include "tmap/unstable/language_kinds.def"
#undef TMAP_VALUE_KIND
};

/* ---- On one line ------------------------------------------------------------------------------------------------ */

static void print_term(tmap_sink *sink, const tmap_axis_value *term) {
    tmap_printf(sink, "%" PRId64 "@%s", term->value, term->axis->name);
}

/* Lists of one value keep their comma, so that they are read as lists. */
static void print_list(tmap_sink *sink, const tmap_value *list) {
    size_t n = list->as.list.n;
    tmap_puts(sink, "(");
    for (size_t i = 0; i < n; i++) {
        if (i > 0) tmap_puts(sink, ", ");
        tmap_value_print(sink, &list->as.list.items[i]);
    }
    tmap_puts(sink, n == 1 ? ",)" : ")");
}

static void print_structure(tmap_sink *sink, const tmap_value *structure) {
    tmap_puts(sink, "{");
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        const tmap_value_field *field = &structure->as.structure.fields[i];
        tmap_printf(sink, "%s%s: ", i > 0 ? ", " : "", field->name);
        tmap_value_print(sink, &field->value);
    }
    tmap_puts(sink, "}");
}

static void print_pair(tmap_sink *sink, const tmap_value *pair) {
    tmap_value_print(sink, &pair->as.list.items[0]);
    tmap_puts(sink, ":");
    tmap_value_print(sink, &pair->as.list.items[1]);
}

/* The parser's depth and the functions bound the nesting. */
void tmap_value_print(tmap_sink *sink, const tmap_value *value) {
    switch ((int)value->kind) {
    case TMAP_VALUE_NONE: tmap_puts(sink, "none"); break;
    case TMAP_VALUE_BOOL: tmap_puts(sink, value->as.truth ? "true" : "false"); break;
    case TMAP_VALUE_INT: tmap_printf(sink, "%" PRId64, value->as.integer); break;
    case TMAP_VALUE_WORD: tmap_puts(sink, value->as.text); break;
    case TMAP_VALUE_TEXT: tmap_printf(sink, "\"%s\"", value->as.text); break;
    case TMAP_VALUE_TERM: print_term(sink, &value->as.term); break;
    case TMAP_VALUE_PAIR: print_pair(sink, value); break;
    case TMAP_VALUE_LIST: print_list(sink, value); break;
    case TMAP_VALUE_STRUCTURE: print_structure(sink, value); break;
    default: kinds[value->kind].print(sink, value); break;
    }
}

/* ---- For people ------------------------------------------------------------------------------------------------- */

/* A table is a list of structures whose first fields have the same names; a structure may omit the last fields. */
static bool is_table(const tmap_value *value) {
    if (value->kind != TMAP_VALUE_LIST || value->as.list.n == 0) return false;
    const tmap_value *first = &value->as.list.items[0];
    if (first->kind != TMAP_VALUE_STRUCTURE || first->as.structure.n == 0) return false;
    for (size_t i = 0; i < value->as.list.n; i++) {
        const tmap_value *row = &value->as.list.items[i];
        if (row->kind != TMAP_VALUE_STRUCTURE || row->as.structure.n != first->as.structure.n) return false;
        for (size_t k = 0; k < row->as.structure.n; k++)
            if (strcmp(row->as.structure.fields[k].name, first->as.structure.fields[k].name) != 0) return false;
    }
    return true;
}

static bool count(void *context, const char *text, size_t size) {
    (void)text;
    *(size_t *)context += size;
    return true;
}

/* A text is shown without quotes. */
static void show_cell(tmap_sink *sink, const tmap_value *value) {
    if (value->kind == TMAP_VALUE_TEXT)
        tmap_puts(sink, value->as.text);
    else
        tmap_value_print(sink, value);
}

static size_t width_of(const tmap_value *value) {
    size_t width = 0;
    tmap_sink counter = {.write = count, .context = &width};
    show_cell(&counter, value);
    return width;
}

static size_t column_width(const tmap_value *table, size_t column) {
    size_t width = strlen(table->as.list.items[0].as.structure.fields[column].name);
    for (size_t i = 0; i < table->as.list.n; i++) {
        size_t one = width_of(&table->as.list.items[i].as.structure.fields[column].value);
        if (one > width) width = one;
    }
    return width;
}

#define COLUMNS_MAX 32

static void pad(tmap_sink *sink, size_t n) {
    for (; n > 0; n--) tmap_puts(sink, " ");
}

/* Numbers are right-aligned, other cells left-aligned. No spaces after the last cell. */
static void show_table(tmap_sink *sink, const tmap_value *table) {
    const tmap_value *first = &table->as.list.items[0];
    size_t widths[COLUMNS_MAX], n = first->as.structure.n < COLUMNS_MAX ? first->as.structure.n : COLUMNS_MAX;
    for (size_t k = 0; k < n; k++) widths[k] = column_width(table, k);
    for (size_t i = 0; i <= table->as.list.n; i++) {
        for (size_t k = 0; k < n; k++) {
            const tmap_value_field *field = &table->as.list.items[i ? i - 1 : 0].as.structure.fields[k];
            bool right = first->as.structure.fields[k].value.kind == TMAP_VALUE_INT;
            size_t space = widths[k] - (i ? width_of(&field->value) : strlen(field->name));
            if (right) pad(sink, space);
            if (i)
                show_cell(sink, &field->value);
            else
                tmap_puts(sink, field->name);
            if (k + 1 == n) break;
            if (!right) pad(sink, space);
            tmap_puts(sink, "  ");
        }
        tmap_puts(sink, "\n");
    }
}

static void show_structure(tmap_sink *sink, const tmap_value *structure) {
    size_t width = 0;
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        size_t one = strlen(structure->as.structure.fields[i].name);
        if (one > width) width = one;
    }
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        const tmap_value_field *field = &structure->as.structure.fields[i];
        tmap_printf(sink, "%s:", field->name);
        bool long_text = field->value.kind == TMAP_VALUE_TEXT && strchr(field->value.as.text, '\n');
        if (is_table(&field->value) || long_text) {
            tmap_puts(sink, "\n");
            tmap_value_show(sink, &field->value);
            continue;
        }
        pad(sink, width - strlen(field->name) + 1);
        show_cell(sink, &field->value);
        tmap_puts(sink, "\n");
    }
}

void tmap_value_show(tmap_sink *sink, const tmap_value *value) {
    if (is_table(value)) {
        show_table(sink, value);
    } else if (value->kind == TMAP_VALUE_STRUCTURE && value->as.structure.n > 0) {
        show_structure(sink, value);
    } else {
        show_cell(sink, value);
        size_t size = value->kind == TMAP_VALUE_TEXT ? strlen(value->as.text) : 0;
        if (size == 0 || value->as.text[size - 1] != '\n') tmap_puts(sink, "\n");
    }
}

/* ---- In plain kinds --------------------------------------------------------------------------------------------- */

static bool list_data(tmap_eval *eval, const tmap_value *list, tmap_value *data) {
    tmap_value *items = tmap_give_list(eval, data, list->as.list.n);
    for (size_t i = 0; items && i < list->as.list.n; i++)
        if (!tmap_value_data(eval, &list->as.list.items[i], &items[i])) return false;
    return items != NULL;
}

static bool structure_data(tmap_eval *eval, const tmap_value *structure, tmap_value *data) {
    tmap_structure_maker maker;
    if (!tmap_structure_begin(eval, &maker, structure->as.structure.n)) return false;
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        const tmap_value_field *field = &structure->as.structure.fields[i];
        if (!tmap_value_data(eval, &field->value, tmap_structure_add(&maker, field->name))) return false;
    }
    return tmap_structure_end(&maker, data);
}

static bool term_data(tmap_eval *eval, const tmap_axis_value *term, tmap_value *data) {
    tmap_structure_maker maker;
    if (!tmap_structure_begin(eval, &maker, 2)) return false;
    tmap_structure_int(&maker, "value", term->value);
    tmap_structure_text(&maker, "axis", term->axis->name);
    return tmap_structure_end(&maker, data);
}

bool tmap_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *data) {
    if (kinds[value->kind].data) return kinds[value->kind].data(eval, value, data);
    if (value->kind == TMAP_VALUE_LIST || value->kind == TMAP_VALUE_PAIR) return list_data(eval, value, data);
    if (value->kind == TMAP_VALUE_STRUCTURE) return structure_data(eval, value, data);
    if (value->kind == TMAP_VALUE_TERM) return term_data(eval, &value->as.term, data);
    *data = *value;
    return true;
}

/* ---- Equality --------------------------------------------------------------------------------------------------- */

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

bool tmap_values_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same) {
    *same = false;
    if (a->kind != b->kind) return true;
    if (kinds[a->kind].same) return kinds[a->kind].same(call, a, b, same);
    switch ((int)a->kind) {
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
    default: break;
    }
    return true;
}
