/* emit: lines of source files, quoted under diagnostics with a mark below the place. */
#pragma once

#include "tmap/unstable/emit.h"

/*
 * A place in a source: it moves line by line and column by column from where the last quote left it, so that findings
 * in the order of the file cost one pass over it.
 */
typedef struct tmap_quoter {
    const tmap_source *source; /* NULL: quotes nothing */
    size_t line_start;         /* offset of `line` */
    int line;
    size_t offset; /* of `column` in it */
    int column;
} tmap_quoter;

tmap_quoter tmap_quoter_begin(const tmap_source *source);

/* Writes the line of `mark` and a second one with "^~~" under its code points; of a long line the part around it. */
void tmap_quote(tmap_quoter *quoter, tmap_sink *sink, const tmap_mark *mark, bool color);
