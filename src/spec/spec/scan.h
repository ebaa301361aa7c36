/* spec: checks the bytes of a file before YAML: valid text, and places of bytes. */
#pragma once

#include "tmap/diag.h"

typedef enum tmap_scan_kind {
    TMAP_SCAN_TEXT,
    TMAP_SCAN_BINARY,   /* a NUL byte */
    TMAP_SCAN_UTF16,    /* or UTF-32, by its byte order mark */
    TMAP_SCAN_BAD_UTF8, /* bytes that are not UTF-8 */
    TMAP_SCAN_CONTROL,  /* a character that YAML does not allow */
} tmap_scan_kind;

typedef struct tmap_scan {
    tmap_scan_kind kind;
    size_t at;     /* the first invalid byte; for valid text its size */
    uint32_t code; /* the invalid character, if the error is a character */
    bool ascii;    /* up to `at` */
    size_t bom_B;  /* size of UTF-8's byte order mark, which places do not count */
} tmap_scan;

tmap_scan tmap_scan_text(const char *text, size_t size);

/* The size of the line break at text[at]; 0: none. YAML 1.1 breaks lines at CR, LF, NEL, LS and PS. */
size_t tmap_break_B(const char *text, size_t size, size_t at);
/* The first byte of the line that contains text[at]. */
size_t tmap_line_start(const char *text, size_t size, size_t at);
/* Line and column of a byte. */
tmap_mark tmap_place_of(const char *text, size_t size, size_t at);
