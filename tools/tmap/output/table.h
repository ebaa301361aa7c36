/* A table of texts and numbers: filled first, then printed as aligned columns or as a JSON array of objects. */
#ifndef TMAP_TOOL_TABLE_H
#define TMAP_TOOL_TABLE_H

#include "output/result.h"
#include "util/json.h"

#define COLUMNS_MAX 14

typedef struct table_cell {
    char *text; /* owned; NULL: a number, or nothing */
    bool is_number;
    uint64_t number;
    tmap_archs archs; /* of which the text is the list; 0: no such cell */
} table_cell;

typedef struct text_table {
    const char *columns[COLUMNS_MAX]; /* names, also the keys in JSON */
    int columns_n;
    table_cell *cells;
    size_t cells_n, capacity;
    bool failed; /* there was no memory */
} text_table;

/* Cells are added row by row, each row full. */
void table_text(text_table *table, const char *text); /* NULL: nothing */
void table_number(text_table *table, uint64_t number);
void table_yes(text_table *table, bool yes); /* "yes" or nothing */
void table_archs(text_table *table, tmap_archs archs);
void table_free(text_table *table);

/* The number of the row whose first cell is the text; -1: there is none. */
int table_find(const text_table *table, const char *text);
/* A row as lines of a column and its cell. */
void table_print_row(tmap_sink *sink, const text_table *table, int row);
/* The same as a JSON object. */
void table_json_row(tmap_json *json, const text_table *table, int row);

void table_print(tmap_sink *sink, const text_table *table);
void table_json(tmap_json *json, const text_table *table);

#endif
