/* import: classes of ASCII characters, independent of the locale. */
#pragma once

#include <stdbool.h>

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The value of a digit in bases up to 16; 99 for other characters. */
static inline unsigned digit_of(char c) {
    if (is_digit(c)) return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    return 99;
}

static inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Whether the character can be in a name. */
static inline bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
