/* language: values as text. */
#include <inttypes.h>
#include <string.h>

#include "language/eval.h"
#include "register/print.h"
#include "text/print.h"

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

static void print_swizzle(tmap_sink *sink, const tmap_xor *x) {
    tmap_printf(sink, "swizzle(%d,%d,%d%s)", x->m, x->b, x->s, x->outer ? ",outer" : "");
}

static void print_cute(tmap_sink *sink, const tmap_cute *layout) {
    tmap_puts(sink, "cute(\"");
    tmap_cute_print(sink, layout);
    tmap_puts(sink, "\")");
}

/* The parser's depth and the functions bound the nesting. */
void tmap_value_print(tmap_sink *sink, const tmap_value *value) {
    switch (value->kind) {
    case TMAP_VALUE_NONE: tmap_puts(sink, "none"); break;
    case TMAP_VALUE_BOOL: tmap_puts(sink, value->as.truth ? "true" : "false"); break;
    case TMAP_VALUE_INT: tmap_printf(sink, "%" PRId64, value->as.integer); break;
    case TMAP_VALUE_WORD: tmap_puts(sink, value->as.text); break;
    case TMAP_VALUE_TEXT: tmap_printf(sink, "\"%s\"", value->as.text); break;
    case TMAP_VALUE_TERM: print_term(sink, &value->as.term); break;
    case TMAP_VALUE_PAIR: print_pair(sink, value); break;
    case TMAP_VALUE_LIST: print_list(sink, value); break;
    case TMAP_VALUE_STRUCTURE: print_structure(sink, value); break;
    case TMAP_VALUE_SWIZZLE: print_swizzle(sink, &value->as.swizzle); break;
    case TMAP_VALUE_LAYOUT: tmap_layout_print(sink, value->as.layout); break;
    case TMAP_VALUE_REGISTER: tmap_register_print(sink, value->as.data); break;
    case TMAP_VALUE_SHARED: tmap_shared_print(sink, value->as.data); break;
    case TMAP_VALUE_MULTI: tmap_multi_print(sink, value->as.data); break;
    case TMAP_VALUE_CUTE: print_cute(sink, value->as.data); break;
    case TMAP_VALUE_ENCODING: tmap_encoding_print(sink, value->as.data); break;
    case TMAP_VALUE_LINEAR: tmap_linear_print(sink, value->as.data); break;
    case TMAP_VALUE_COUNT: break;
    }
}

/* ---- For people ------------------------------------------------------------------------------------------------- */

/* A table is a list of structures with the same field names. */
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

/* A text is shown without quotes. */
static void show_cell(tmap_sink *sink, const tmap_value *value) {
    if (value->kind == TMAP_VALUE_TEXT)
        tmap_puts(sink, value->as.text);
    else
        tmap_value_print(sink, value);
}

static size_t width_of(const tmap_value *value) {
    size_t width;
    tmap_sink counter = tmap_counting_sink(&width);
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
