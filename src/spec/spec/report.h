/* spec: the findings of reading one file: collects them, sorts them by place, and passes them on. */
#pragma once

#include <stdarg.h>

#include "base/private_api.h"
#include "rule/finding.h"
#include "text/print.h"

/* The most findings of one file. The last finding reports the number of the others. */
#define TMAP_FINDINGS_MAX 1000

typedef struct tmap_report {
    tmap_diags found;
    size_t more;         /* number of findings beyond the limit */
    size_t errors;       /* of severity error, including those beyond the limit */
    const char *path;    /* not copied */
    const char *subject; /* of the current object, or NULL; not copied */
    bool no_memory;
    bool stopped; /* `stop` is the reason why the rest of the file was not read; it comes last */
    tmap_diag stop;
    tmap_diag spare; /* filled in and ignored, for findings beyond the limit */
} tmap_report;

/* Adds a finding of rule `slug`. Returns the record for the caller to fill in, never NULL. */
TMAP_PRIVATE_API tmap_diag *tmap_report_add(tmap_report *report, const char *slug, tmap_mark mark, const char *format,
                                            ...) TMAP_PRINTF(4, 5);
tmap_diag *tmap_report_add_v(tmap_report *report, const char *slug, tmap_mark mark, const char *format, va_list args)
    TMAP_PRINTF(4, 0);
/* Sets the finding that ends the reading of a file. */
tmap_diag *tmap_report_stop(tmap_report *report, const char *slug, tmap_mark mark, const char *format, ...)
    TMAP_PRINTF(4, 5);
/* Adds a note with its own place. */
void tmap_report_note(tmap_diag *diag, tmap_mark mark, const char *format, ...) TMAP_PRINTF(3, 4);
/* Writes "a, b, c" into a text of a finding. If the words do not fit, the text ends with their number, which is `total`
 * if there are more than `count` words. */
void tmap_say_list(char *text, size_t size, const char *const *words, size_t count, size_t total);

/* Whether the report ignores further findings, so that expensive advice is useless. */
bool tmap_report_full(const tmap_report *report);

/* Adds all findings to `diags` (may be NULL) in the order of their places and frees the report. */
TMAP_PRIVATE_API tmap_status tmap_report_deliver(tmap_report *report, tmap_diags *diags);
void tmap_report_free(tmap_report *report);

/* The size of a buffer for words of the file in a message. */
#define TMAP_QUOTED_MAX 48
/* The text in single quotes, cut between code points and with '?' for control characters. Returns `quoted`. */
char *tmap_quoted(char quoted[TMAP_QUOTED_MAX], const char *text, size_t size);
