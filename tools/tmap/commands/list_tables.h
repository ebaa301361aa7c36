/* The tables that `tmap list` prints. */
#pragma once

#include "output/table.h"
#include "tmap/unstable/parts.h"

typedef struct list_table {
    const char *name, *summary;
    const char *columns[COLUMNS_MAX]; /* ends with NULL */
    void (*fill)(text_table *table);
    const tmap_choice_info *(*choice)(int i); /* replaces fill: one row for each choice */
    tmap_part_id part;
} list_table;

/* Listing `i` of this build; NULL after the last. */
const list_table *listing_get(size_t i);

/* Finds a listing by name. Reports an unknown name, or a table that this build leaves out, on stderr: returns NULL and
 * sets *code. */
const list_table *listing_find(const char *name, int *code);
/* Its rows; free them with table_free. */
text_table listing_fill(const list_table *listing);

/* For the evidence: the number of facts and rules with each class of evidence, by architecture. */
const list_table *listing_of_counts(void);
