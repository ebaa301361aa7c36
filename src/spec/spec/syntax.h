/* spec: the causes of errors of YAML, their places and their fixes. */
#pragma once

#include <stddef.h>

#include "spec/report.h"

/* An error of libyaml. The places are bytes of the text. */
typedef struct tmap_syntax_error {
    const char *problem, *context; /* context may be NULL */
    size_t at, context_at;
} tmap_syntax_error;

/* Stops the report with the error. */
void tmap_report_syntax(tmap_report *report, const char *text, size_t size, const tmap_syntax_error *error);

/* Whether a plain scalar is a key of specs with its value, without a space after the colon: "type:bf16", also with
 * another colon or space of Unicode. If so, reports this at the mark. `text` is the source from the scalar on. If the
 * scalar consists of several lines, stops the report: the other lines may be keys. */
bool tmap_report_glued(tmap_report *report, const char *text, size_t size, bool lines, tmap_mark mark);
/* Whether a key contains a control character (text/visible.h), or is plain and begins with a space that is not ASCII or
 * with a comment of C. If so, reports this. */
bool tmap_report_key(tmap_report *report, const char *text, size_t size, bool quoted, tmap_mark mark);
