/* import: which lines of a log can matter. Of another line, only the characters are looked at. */
#pragma once

#include "import/lines.h"
#include "tmap/unstable/import.h"

/* Adds words to the filter. '#' and '*' in a word match any text. */
void likely_add(tmap_import_filter *filter, const char *const words[], size_t n);
/* Adds the words of the tables: of dumps, of messages of libraries, and the driver's names of parameters. */
void likely_add_tables(tmap_import_filter *filter);

/* Whether the line may have one of the words, in any case. */
bool is_likely(const tmap_import_filter *filter, const log_line *line);
