/* import: bytes as literals: Python's bytes, and gdb's strings of an array of char. */
#include <string.h>

#include "import/bytes.h"

static unsigned read_escape(tmap_cursor *s) {
    static const char letters[] = "abtnvfr", meanings[] = "\a\b\t\n\v\f\r";
    char c = tmap_cursor_next(s);
    s->at += s->at < s->size;
    unsigned value = 0;
    if (c == 'x') {
        for (int i = 0; i < 2 && digit_of(tmap_cursor_next(s)) < 16; i++)
            value = value << 4 | digit_of(s->text[s->at++]);
        return value;
    }
    if (digit_of(c) < 8) {
        value = digit_of(c);
        for (int i = 0; i < 2 && digit_of(tmap_cursor_next(s)) < 8; i++)
            value = value << 3 | digit_of(s->text[s->at++]);
        return value;
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    return letter ? (unsigned char)meanings[letter - letters] : (unsigned char)c;
}

/* Reads from after the opening quote. */
static void read_literal(tmap_cursor *s, char quote, byte_run *run) {
    while (s->at < s->size && tmap_cursor_next(s) != quote) {
        unsigned byte = (unsigned char)s->text[s->at++];
        run_add(run, byte == '\\' ? read_escape(s) : byte);
    }
    s->at += s->at < s->size;
}

static void read_hex_literal(tmap_cursor *s, char quote, byte_run *run) {
    for (; s->at < s->size && tmap_cursor_next(s) != quote; s->at++) {
        if (is_space(tmap_cursor_next(s))) continue;
        if (digit_of(tmap_cursor_next(s)) > 15 || s->size - s->at < 2 || digit_of(tmap_cursor_ahead(s, 1)) > 15) {
            run->n = BYTES + 1;
            return;
        }
        run_add(run, digit_of(tmap_cursor_next(s)) << 4 | digit_of(tmap_cursor_ahead(s, 1)));
        s->at++;
    }
}

void read_python_bytes(tmap_cursor s, readings *found) {
    byte_run run = {.n = 0}; /* Python splits a long literal into several consecutive literals */
    for (char before = '\0'; s.at < s.size; before = s.text[s.at++]) {
        if ((s.text[s.at] != 'b' && s.text[s.at] != 'f') || is_word(before)) continue;
        bool bytes = tmap_cursor_begins(&s, "b'") || tmap_cursor_begins(&s, "b\"");
        bool hex = tmap_cursor_begins(&s, "fromhex('") || tmap_cursor_begins(&s, "fromhex(\"");
        if (!bytes && !hex) continue;
        s.at += bytes ? 1 : strlen("fromhex(");
        char quote = s.text[s.at++];
        (bytes ? read_literal : read_hex_literal)(&s, quote, &run);
        s.at--;
    }
    found->numbers_n = run.n;
    readings_add(found, &run);
}

/* The end of "'\000' <repeats 63 times>", which follows a quoted character. */
static uint64_t take_repeats(tmap_cursor *s) {
    tmap_cursor ahead = *s;
    uint64_t times = 0;
    while (tmap_cursor_next(&ahead) == ' ') ahead.at++;
    if (!tmap_cursor_begins(&ahead, "<repeats ")) return 1;
    for (ahead.at += strlen("<repeats "); is_digit(tmap_cursor_next(&ahead)) && times <= BYTES; ahead.at++)
        times = 10 * times + digit_of(tmap_cursor_next(&ahead));
    scan_skip_past(&ahead, ">");
    *s = ahead;
    return times;
}

/* Whether a literal can start after the character: "$1 = {opaque = ", a comma, or the end of another literal. */
static bool precedes_literal(char c) {
    return c != '\0' && strchr("={,\"'>", c) != NULL;
}

/* $1 = {opaque = "\001a", '\000' <repeats 63 times>, "b"}. gdb leaves out the last byte if it is zero.
 * A text with <incomplete sequence \315>, the start of a multibyte character, is refused: gdb 13 leaves out the byte
 * before it. */
void read_gdb_strings(tmap_cursor s, readings *found) {
    byte_run run = {.n = 0};
    char last = '=';
    while (s.at < s.size) {
        char quote = s.text[s.at++], before = last;
        if (!is_space(quote)) last = quote;
        if (!is_word(quote) && !is_space(quote) && !strchr("$={},;[]\"'", quote)) return;
        if (quote != '"' && quote != '\'') continue;
        if (!precedes_literal(before)) return;
        byte_run part = {.n = 0};
        read_literal(&s, quote, &part);
        if (part.n > BYTES) return;
        uint64_t times = quote == '\'' && part.n == 1 ? take_repeats(&s) : 1;
        for (uint64_t k = 0; k < times && run.n <= BYTES; k++)
            for (size_t i = 0; i < part.n; i++) run_add(&run, part.bytes[i]);
    }
    if (run.n == BYTES - 1) run_add(&run, 0);
    readings_add(found, &run);
}
