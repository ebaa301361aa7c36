/* The tables that `tmap list` prints. */
#ifndef TMAP_TOOL_LIST_TABLES_H
#define TMAP_TOOL_LIST_TABLES_H

#include "output/table.h"

typedef struct list_table {
    const char *name, *summary;
    const char *columns[COLUMNS_MAX]; /* end at NULL */
    void (*fill)(text_table *table);
} list_table;

/* Listing `i`; NULL past the last. */
const list_table *listing_get(size_t i);

/* Its rows; free them with table_free. */
text_table listing_fill(const list_table *listing);

/* For the evidence: how many facts and rules have which standing, by architecture. */
const list_table *listing_of_counts(void);

#endif
