/* spec: the findings of reading one file, gathered, put in order of place, and handed on. */
#pragma once

#include "base/private_api.h"
#include "rule/finding.h"
#include "util/print.h"

/* What one file may say; how many more there are is said in the last. */
#define TMAP_FINDINGS_MAX 1000

typedef struct tmap_report {
    tmap_diags found;
    size_t more;         /* findings past the limit */
    size_t errors;       /* of severity error, also past the limit */
    const char *path;    /* borrowed */
    const char *subject; /* of what is being read, or NULL; borrowed */
    bool no_memory;
    bool stopped; /* `stop` is why the rest of the file was not read; it comes last */
    tmap_diag stop;
    tmap_diag spare; /* filled in and forgotten: what is past the limit */
} tmap_report;

/* Adds a finding of rule `slug`; the answer is never NULL and is for filling in. */
TMAP_PRIVATE_API tmap_diag *tmap_report_add(tmap_report *report, const char *slug, tmap_mark mark, const char *format,
                                            ...) TMAP_PRINTF(4, 5);
/* The finding that ends the reading of a file. */
tmap_diag *tmap_report_stop(tmap_report *report, const char *slug, tmap_mark mark, const char *format, ...)
    TMAP_PRINTF(4, 5);
/* Adds a note with a place of its own. */
void tmap_report_note(tmap_diag *diag, tmap_mark mark, const char *format, ...) TMAP_PRINTF(3, 4);
/* Writes "a, b, c" into a text of a finding, cut between words. */
void tmap_say_list(char *text, size_t size, const char *const *words, size_t count);

/* Whether no more findings are taken, so that costly advice is not worth looking for. */
bool tmap_report_full(const tmap_report *report);

/* Adds all of it to `diags` (may be NULL) in order of place and frees the report. */
TMAP_PRIVATE_API tmap_status tmap_report_deliver(tmap_report *report, tmap_diags *diags);
void tmap_report_free(tmap_report *report);

/* Room for words of the file in a message. */
#define TMAP_QUOTED_MAX 48
/* The text in single quotes, cut between code points and with control characters as '?'. Answers `quoted`. */
char *tmap_quoted(char quoted[TMAP_QUOTED_MAX], const char *text, size_t size);
