/* A table of texts and numbers: filled first, then printed as aligned columns or as a JSON array of objects. */
#pragma once

#include "output/result.h"
#include "text/json.h"

#define COLUMNS_MAX 14

typedef struct table_cell {
    char *text; /* owned; NULL: a number, or nothing */
    bool is_number;
    uint64_t number;
    bool is_archs; /* the text is the list of `archs` */
    tmap_archs archs;
    bool lost; /* an allocation for the text failed */
} table_cell;

typedef struct text_table {
    const char *columns[COLUMNS_MAX]; /* names, also used as keys in JSON */
    int columns_n;
    table_cell *cells;
    size_t cells_n, capacity;
    bool failed; /* an allocation failed */
} text_table;

table_cell cell_text(const char *text); /* a copy; NULL: nothing */
table_cell cell_number(uint64_t number);
table_cell cell_yes(bool yes); /* "yes" or nothing */
table_cell cell_archs(tmap_archs archs);

/* Adds a cell. Cells are added row by row, and each row must be full. The table owns the cell. */
void table_add(text_table *table, table_cell cell);
void table_add_cells(text_table *table, const table_cell *cells, size_t n);
#define TABLE_ROW(table, ...)                                                                                          \
    table_add_cells(table, (const table_cell[]){__VA_ARGS__},                                                          \
                    sizeof((const table_cell[]){__VA_ARGS__}) / sizeof(table_cell))
void table_free(text_table *table);

/* The number of the row whose first cell has this text; -1: none. */
int table_find(const text_table *table, const char *text);
/* Prints a row as lines of a column name and a cell. */
void table_print_row(tmap_sink *sink, const text_table *table, int row);
/* Writes a row as a JSON object. */
void table_json_row(tmap_json *json, const text_table *table, int row);

void table_print(tmap_sink *sink, const text_table *table);
/* Writes the table as columns, and in JSON as the member `key`. */
void table_write(result_sink *out, const char *key, const text_table *table);
