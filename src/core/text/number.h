/* text: integers as people write them: 64, -1, 1_024, 0x400, 4Ki, 2^20. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tmap_integer {
    bool negative; /* false for zero */
    uint64_t magnitude;
} tmap_integer;

typedef enum tmap_number_result {
    TMAP_NUMBER_OK,
    TMAP_NUMBER_NONE,         /* the text is not an integer */
    TMAP_NUMBER_LEADING_ZERO, /* 010: some programs read 8, others 10 */
    TMAP_NUMBER_TOO_LARGE,    /* above the largest number of the function: 2^64 - 1, or 2^63 - 1 for signed results */
} tmap_number_result;

/* Reads all of text[0..size). Sets *number only on TMAP_NUMBER_OK. */
tmap_number_result tmap_number_parse(const char *text, size_t size, tmap_integer *number);

/* Reads a number of magnitude 2^63 - 1 or less. */
tmap_number_result tmap_number_parse_signed(const char *text, size_t size, int64_t *value);

/* The number modulo 2^64, in two's complement. */
static inline int64_t tmap_integer_signed(tmap_integer number) {
    return (int64_t)(number.negative ? 0 - number.magnitude : number.magnitude);
}

/* Reads a number without a sign. For any other text, writes nothing and returns false. */
bool tmap_parse_number(const char *text, size_t size, uint64_t *value);

#define TMAP_NUMBER_TEXT_MAX 32
/* Suggests the intended number for a text that is not an integer: "4Ki" for 4k and 4KB, 64 for 64.0 and 064, 4096 for
 * 4*1024, 4.096e3, 1 << 12 and full-width digits. Returns false if there is no suggestion. */
bool tmap_number_suggest(const char *text, size_t size, char suggestion[TMAP_NUMBER_TEXT_MAX]);
