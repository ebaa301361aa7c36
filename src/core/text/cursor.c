#include "text/cursor.h"

#include <string.h>

bool tmap_cursor_take(tmap_cursor *c, const char *words) {
    tmap_cursor_skip_space(c);
    bool begins = tmap_cursor_begins(c, words);
    if (begins) c->at += strlen(words);
    return begins;
}

size_t tmap_cursor_word(const tmap_cursor *c) {
    size_t size = 0;
    while (is_word(tmap_cursor_ahead(c, size))) size++;
    return size;
}

tmap_number_result tmap_cursor_digits_of(tmap_cursor *c, unsigned base, uint64_t *value) {
    size_t at = c->at;
    uint64_t read = 0;
    bool fits = true;
    for (unsigned digit; at < c->size && (digit = digit_of(c->text[at])) < base; at++)
        if (__builtin_mul_overflow(read, base, &read) || __builtin_add_overflow(read, digit, &read)) fits = false;
    *value = read;
    if (at == c->at) return TMAP_NUMBER_NONE;
    c->at = at;
    return fits ? TMAP_NUMBER_OK : TMAP_NUMBER_TOO_LARGE;
}

tmap_number_result tmap_cursor_digits(tmap_cursor *c, int64_t *value) {
    uint64_t magnitude;
    tmap_number_result result = tmap_cursor_digits_of(c, 10, &magnitude);
    *value = (int64_t)magnitude;
    return result == TMAP_NUMBER_OK && *value < 0 ? TMAP_NUMBER_TOO_LARGE : result;
}

tmap_number_result tmap_digits(const char **at, unsigned base, uint64_t *value) {
    tmap_cursor c = {.text = *at, .size = SIZE_MAX};
    tmap_number_result result = tmap_cursor_digits_of(&c, base, value);
    *at += c.at;
    return result;
}
