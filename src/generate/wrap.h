/* generate: lists that go on in the next line where they get long. */
#pragma once

#include "tmap/base.h"

typedef struct tmap_wrap {
    tmap_sink *sink;
    size_t column; /* how much of the line is written */
    int indent;    /* of the lines that follow */
    bool not_first;
} tmap_wrap;

/* Writes `text` as part of the line in which the list begins. */
void tmap_wrap_open(tmap_wrap *wrap, const char *text);
/* Writes the next item, prefix and name as one word, with a comma before it where it is not the first. */
void tmap_wrap_item(tmap_wrap *wrap, const char *prefix, const char *name);
