/* The record of a refusal as one line, for tests that compare words. */
#ifndef TMAP_TESTS_REFUSAL_LINE_H
#define TMAP_TESTS_REFUSAL_LINE_H

#include "tmap/diag.h"

/* The result is valid until the next call. */
static inline const char *line_of(const tmap_diag *refusal) {
    static char line[1200];
    return tmap_diag_line(refusal, line, sizeof line);
}

#endif
