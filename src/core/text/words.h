/* text: classes of ASCII characters, independent of the locale, and words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The value of a digit in bases up to 16; 99 for other characters. */
static inline unsigned digit_of(char c) {
    unsigned digit = (unsigned char)c - (unsigned)'0', letter = ((unsigned char)c | 0x20u) - 'a'; /* without a branch */
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 99;
}

static inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the character can be in a name. */
static inline bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

static inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static inline const char *skip_blanks(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

static inline bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool text_is(const char *text, size_t size, const char *word) {
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Whether text[0..size) has only letters, digits and _, at least one, and no digit first. */
static inline bool text_is_name(const char *text, size_t size) {
    bool good = size > 0 && !is_digit(text[0]);
    for (size_t i = 0; i < size; i++) good &= is_word(text[i]);
    return good;
}

/* Whether a list of words, with this separator between them, has the word; a NULL list has none. */
static inline bool text_lists(const char *list, char separator, const char *word) {
    size_t size = strlen(word);
    for (const char *at = list; at && size > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == separator) && (at[size] == separator || at[size] == '\0')) return true;
    return false;
}
