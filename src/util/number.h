/* util: integers as people write them: 64, -1, 1_024, 0x400, 4Ki, 2^20. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tmap_integer {
    bool negative; /* never of zero */
    uint64_t magnitude;
} tmap_integer;

typedef enum tmap_number_result {
    TMAP_NUMBER_OK,
    TMAP_NUMBER_NONE,         /* the text is no integer */
    TMAP_NUMBER_LEADING_ZERO, /* 010: eight to some readers, ten to others */
    TMAP_NUMBER_TOO_LARGE,    /* an integer whose magnitude does not fit in 64 bits */
} tmap_number_result;

/* Reads all of text[0..size); *number is set on TMAP_NUMBER_OK alone. */
tmap_number_result tmap_number_parse(const char *text, size_t size, tmap_integer *number);

/* The same for a number without a sign; false, and nothing written, for any other text. */
bool tmap_parse_number(const char *text, size_t size, uint64_t *value);

#define TMAP_NUMBER_TEXT_MAX 32
/* What was likely meant by a text that is no integer: "4Ki" for 4k and 4KB, 64 for 64.0 and 064; false: no idea. */
bool tmap_number_suggest(const char *text, size_t size, char suggestion[TMAP_NUMBER_TEXT_MAX]);
