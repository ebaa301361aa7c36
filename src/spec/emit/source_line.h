/* emit: quotes lines of source files under diagnostics, with a mark below the place. */
#pragma once

#include "tmap/unstable/emit.h"

/*
 * A place in a source. Each quote starts at the place of the last quote and moves by lines and columns, so quotes of
 * findings in the order of the file read the file once.
 */
typedef struct tmap_quoter {
    const tmap_source *source; /* NULL: quotes nothing */
    size_t line_start;         /* offset of `line` */
    int line;
    size_t offset; /* the offset of `column` in the source */
    int column;
} tmap_quoter;

tmap_quoter tmap_quoter_begin(const tmap_source *source);

/* Writes the line of `mark`, and a second line with "^~~" under the marked code points. A long line is cut to the part
 * around the mark. */
void tmap_quote(tmap_quoter *quoter, tmap_sink *sink, const tmap_mark *mark, bool color);
