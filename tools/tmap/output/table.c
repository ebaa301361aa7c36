/* Tables of texts and numbers, as aligned columns or as JSON. */
#include "output/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/messages.h"
#include "text/visible.h"

table_cell cell_text(const char *text) {
    char *copy = text ? strdup(text) : NULL;
    return (table_cell){.text = copy, .lost = text && !copy};
}

table_cell cell_number(uint64_t number) {
    return (table_cell){.is_number = true, .number = number};
}

table_cell cell_yes(bool yes) {
    return cell_text(yes ? "yes" : NULL);
}

table_cell cell_archs(tmap_archs archs) {
    char text[ARCHS_TEXT_MAX];
    table_cell cell = cell_text(archs ? tmap_archs_print(archs, text, sizeof text) : NULL);
    cell.archs = archs;
    cell.is_archs = true;
    return cell;
}

void table_add(text_table *table, table_cell cell) {
    table->failed |= cell.lost;
    if (table->cells_n == table->capacity) {
        size_t wanted = table->capacity * 2 + 64;
        struct table_cell *grown = realloc(table->cells, wanted * sizeof *grown);
        if (!grown) {
            table->failed = true;
            free(cell.text);
            return;
        }
        table->cells = grown;
        table->capacity = wanted;
    }
    table->cells[table->cells_n++] = cell;
}

void table_add_cells(text_table *table, const table_cell *cells, size_t n) {
    for (size_t i = 0; i < n; i++) table_add(table, cells[i]);
}

void table_free(text_table *table) {
    for (size_t i = 0; i < table->cells_n; i++) free(table->cells[i].text);
    free(table->cells);
}

static const char *text_of(const table_cell *cell, char number[24]) {
    if (cell->text) return cell->text;
    snprintf(number, 24, cell->is_number ? "%" PRIu64 : "-", cell->number);
    return number;
}

static void print_cell(tmap_sink *sink, const char *text, int width, bool last) {
    tmap_puts(sink, text);
    if (last) {
        tmap_puts(sink, "\n");
    } else {
        tmap_printf(sink, "%*s", width - tmap_text_width(text) + 2, "");
    }
}

void table_print(tmap_sink *sink, const text_table *table) {
    int widths[COLUMNS_MAX] = {0}, n = table->columns_n;
    char number[24];
    for (int c = 0; c < n; c++) widths[c] = tmap_text_width(table->columns[c]);
    for (size_t i = 0; i < table->cells_n; i++) {
        int width = tmap_text_width(text_of(&table->cells[i], number));
        if (width > widths[i % (size_t)n]) widths[i % (size_t)n] = width;
    }
    for (int c = 0; c < n; c++) print_cell(sink, table->columns[c], widths[c], c + 1 == n);
    for (size_t i = 0; i < table->cells_n; i++) {
        int c = (int)(i % (size_t)n);
        print_cell(sink, text_of(&table->cells[i], number), widths[c], c + 1 == n);
    }
}

int table_find(const text_table *table, const char *text) {
    int n = table->columns_n;
    for (size_t i = 0; i < table->cells_n; i += (size_t)n)
        if (table->cells[i].text && strcmp(table->cells[i].text, text) == 0) return (int)i / n;
    return -1;
}

void table_print_row(tmap_sink *sink, const text_table *table, int row) {
    char number[24];
    int width = 0;
    for (int c = 0; c < table->columns_n; c++)
        if (tmap_text_width(table->columns[c]) > width) width = tmap_text_width(table->columns[c]);
    for (int c = 1; c < table->columns_n; c++) {
        const table_cell *cell = &table->cells[row * table->columns_n + c];
        tmap_printf(sink, "  %-*s  %s\n", width, table->columns[c], text_of(cell, number));
    }
}

void table_json_row(tmap_json *json, const text_table *table, int row) {
    tmap_json_object(json, true);
    for (int c = 0; c < table->columns_n; c++) {
        const table_cell *cell = &table->cells[row * table->columns_n + c];
        if (cell->is_archs) {
            json_field_archs(json, table->columns[c], cell->archs);
        } else if (cell->is_number) {
            json_field_uint(json, table->columns[c], cell->number);
        } else {
            json_field_string(json, table->columns[c], cell->text);
        }
    }
    tmap_json_close(json, '}');
}

static void write_json(tmap_json *json, const text_table *table) {
    int rows_n = (int)(table->cells_n / (size_t)table->columns_n);
    tmap_json_array(json, false);
    for (int row = 0; row < rows_n; row++) table_json_row(json, table, row);
    tmap_json_close(json, ']');
}

void table_write(result_sink *out, const char *key, const text_table *table) {
    table_print(&out->text, table);
    tmap_json_key(&out->json, key);
    write_json(&out->json, table);
}
