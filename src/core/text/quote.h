/* text: writes any text as a part of another language. */
#pragma once

#include "tmap/base.h"

typedef enum tmap_syntax {
    TMAP_SYNTAX_JSON,     /* a string with its quotes */
    TMAP_SYNTAX_YAML,     /* a scalar in double quotes; every character that libyaml changes is escaped */
    TMAP_SYNTAX_XML,      /* text between tags */
    TMAP_SYNTAX_LATEX,    /* text of a document */
    TMAP_SYNTAX_COMMAND,  /* the message of a workflow command of GitHub */
    TMAP_SYNTAX_PROPERTY, /* a property of such a command */
    TMAP_SYNTAX_TERMINAL, /* text without control characters */
} tmap_syntax;

/* Writes text[0..size). U+FFFD, in LaTeX '?', replaces bytes that are not UTF-8 and characters that the language cannot
 * express. */
void tmap_put_part(tmap_sink *sink, tmap_syntax syntax, const char *text, size_t size);
/* Writes all of a text that ends with a zero byte. */
void tmap_put_as(tmap_sink *sink, tmap_syntax syntax, const char *text);
/* As tmap_put_as for a terminal. */
void tmap_put_visible(tmap_sink *sink, const char *text);
