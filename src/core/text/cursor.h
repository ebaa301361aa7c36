/* text: reads a text from its start to its end. */
#pragma once

#include "text/number.h"
#include "text/words.h"

typedef struct tmap_cursor {
    const char *text;
    size_t size, at;
} tmap_cursor;

/* The next character, and the character `ahead` bytes after it; 0 after the end. */
static inline char tmap_cursor_ahead(const tmap_cursor *c, size_t ahead) {
    return c->at < c->size && ahead < c->size - c->at ? c->text[c->at + ahead] : '\0';
}
static inline char tmap_cursor_next(const tmap_cursor *c) {
    return tmap_cursor_ahead(c, 0);
}
/* A blank is a space or a tab. */
static inline void tmap_cursor_skip_blanks(tmap_cursor *c) {
    while (is_blank(tmap_cursor_next(c))) c->at++;
}
static inline void tmap_cursor_skip_space(tmap_cursor *c) {
    while (is_space(tmap_cursor_next(c))) c->at++;
}
static inline bool tmap_cursor_begins(const tmap_cursor *c, const char *words) {
    size_t size = strlen(words);
    return c->size - c->at >= size && memcmp(c->text + c->at, words, size) == 0;
}
/* Whether these words are next after spaces; if so, skips both. */
bool tmap_cursor_take(tmap_cursor *c, const char *words);
/* The number of letters, digits and _ that are next. */
size_t tmap_cursor_word(const tmap_cursor *c);
/* Reads all digits of a base up to 16 that are next, at least one. The largest number is 2^64 - 1. */
tmap_number_result tmap_cursor_digits_of(tmap_cursor *c, unsigned base, uint64_t *value);
/* Reads decimal digits in the same way. The largest number is 2^63 - 1. */
tmap_number_result tmap_cursor_digits(tmap_cursor *c, int64_t *value);
/* Reads digits of a text that ends with a zero byte, and moves *at after them. */
tmap_number_result tmap_digits(const char **at, unsigned base, uint64_t *value);
