#include "import/words.h"

#include <string.h>

#include "import/bytes.h"
#include "import/characters.h"
#include "tmap/map.h"

#define LITERAL_MIN   40 /* bytes of a list of 16 numbers with two digits or less */
#define DIFFERENT_MAX 8  /* bits of the first half */

/* Words in the order of the log. digits: of the longest word, which tells the size of all words. */
typedef struct log_words {
    uint64_t values[BYTES];
    size_t n, digits;
    bool prefixed; /* with 0x */
} log_words;

static size_t hex_digits(const char *at) {
    size_t n = 0;
    while (digit_of(at[n]) < 16) n++;
    return n;
}

static void add_word(log_words *words, const char *digits, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) value = value << 4 | digit_of(digits[i]);
    if (words->n < BYTES) words->values[words->n++] = value;
    if (n > words->digits) words->digits = n;
}

/* Adds the words with 0x. A word before a colon is an offset. */
static void add_prefixed(log_words *words, const char *text) {
    for (const char *at = text; (at = strpbrk(at, "xX")) != NULL;) {
        const char *digits = ++at;
        size_t n = hex_digits(digits);
        bool begins = digits - text >= 2 && digits[-2] == '0' && (digits - text == 2 || !is_word(digits[-3]));
        if (begins && n > 0 && n <= 16 && !is_word(digits[n]) && digits[n] != ':') add_word(words, digits, n);
        at += n;
    }
}

/* The start of the words without 0x: after the last colon or equals sign. */
static const char *begin_of_bare(const char *text) {
    const char *begin = text;
    for (const char *at = text; *at != '\0'; at++)
        if (*at == ':' || *at == '=') begin = at + 1;
    return begin;
}

/* Adds words of 2, 8 or 16 digits. The rest of the line must have no other words, except characters in a last column.
 */
static void add_bare(log_words *words, const char *text) {
    log_words found = *words;
    for (const char *at = begin_of_bare(text); *at != '\0';) {
        if (strchr(" \t,|", *at)) {
            at++;
            continue;
        }
        size_t n = hex_digits(at);
        if (found.n >= words->n + 4 && (at[-1] == '|' || (at[-1] == ' ' && at[-2] == ' '))) break;
        if ((n != 2 && n != 8 && n != 16) || is_word(at[n]) || (found.n > 0 && n != found.digits)) return;
        add_word(&found, at, n);
        at += n;
    }
    *words = found;
}

static void add_line(log_words *words, const log_line *line) {
    size_t before = words->n;
    if (before == 0 || words->prefixed) add_prefixed(words, line->text);
    if (before == 0) words->prefixed = words->n > 0;
    if (!words->prefixed) add_bare(words, line->text);
}

/* Whether the bytes are a descriptor: a map that the rules allow, whose own descriptor differs in few bits. A driver
 * sets some that tmap does not write, and bits of the second half. */
static bool decode(const tmap_descriptor *descriptor, tmap_map_params *params) {
    tmap_map map;
    tmap_descriptor own;
    int different = 0;
    if (tmap_descriptor_decode(descriptor, params, NULL, NULL) != TMAP_OK) return false;
    if (tmap_map_init(&map, params, NULL, NULL) != TMAP_OK) return false;
    if (!tmap_descriptor_encode(&map, &own)) return false;
    for (size_t i = 0; i < BYTES / 2; i++) different += __builtin_popcount(descriptor->bytes[i] ^ own.bytes[i]);
    return params->address != 0 && different <= DIFFERENT_MAX;
}

/* Whether the first words are a descriptor. */
static bool is_descriptor(const log_words *words, tmap_imported *out) {
    size_t size = words->digits <= 2 ? 1 : words->digits <= 4 ? 2 : words->digits <= 8 ? 4 : 8;
    byte_run run = {.n = 0};
    tmap_descriptor descriptor;
    if (words->n < BYTES / size) return false;
    for (size_t i = 0; i < BYTES / size; i++) run_add_word(&run, words->values[i], size);
    memcpy(descriptor.bytes, run.bytes, BYTES);
    return decode(&descriptor, &out->params);
}

/* Reads a list or a literal of bytes on one line, after a colon or an equals sign. */
static bool read_literal(const log_line *line, tmap_imported *out) {
    tmap_descriptor descriptor;
    size_t begin = strcspn(line->text, ":=");
    if (line->size - begin < LITERAL_MIN) return false;
    return tmap_import_descriptor(line->text + begin + 1, line->size - begin - 1, &descriptor, NULL) &&
           decode(&descriptor, &out->params);
}

/* Whether the words of a descriptor can begin in the line: several words, or one that is alone or has index 0. */
static bool begins_words(const log_words *words, const log_line *line) {
    const char *word = strstr(line->text, "0x");
    if (words->n != 1 || !word) return words->n > 1;
    while (word > line->text && strchr(" \t=:])", word[-1])) word--;
    return word == line->text || (word[-1] == '0' && (word - 1 == line->text || !is_digit(word[-2])));
}

bool words_read(tmap_import *import, const log_line *first, bool named, tmap_imported *out) {
    log_words words = {.n = 0};
    log_cursor ahead = {import->at, import->line};
    log_line line = *first;
    *out = (tmap_imported){.line = first->number, .origin = "the program", .whole = true, .usable = true};
    if (named && read_literal(first, out)) return true;
    for (size_t before = 0;; before = words.n) {
        add_line(&words, &line);
        if (words.n == before || (before == 0 && !begins_words(&words, &line))) return false;
        if (is_descriptor(&words, out)) break;
        if (!log_next_line(import->text, import->size, &ahead, &line)) return false;
    }
    import->at = ahead.at;
    import->line = ahead.line;
    return true;
}
