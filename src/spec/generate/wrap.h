/* generate: lists that continue on the next line when a line is full. */
#pragma once

#include "tmap/base.h"

typedef struct tmap_wrap {
    tmap_sink *sink;
    size_t column; /* the number of columns already written */
    int indent;    /* the indentation of the following lines */
    bool not_first;
} tmap_wrap;

/* Writes `text` at the start of the list's line. */
void tmap_wrap_open(tmap_wrap *wrap, const char *text);
/* Writes the next item, prefix and name as one word, with a comma before it unless it is the first. */
void tmap_wrap_item(tmap_wrap *wrap, const char *prefix, const char *name);
