#include "import/bytes.h"

#include <string.h>

void scan_skip_past(tmap_cursor *s, const char *words) {
    while (s->at < s->size && !tmap_cursor_begins(s, words)) s->at++;
    if (s->at < s->size) s->at += strlen(words);
}

tmap_cursor scan_line(tmap_cursor *s) {
    const char *newline = s->at < s->size ? memchr(s->text + s->at, '\n', s->size - s->at) : NULL;
    tmap_cursor line = {s->text, newline ? (size_t)(newline - s->text) : s->size, s->at};
    s->at = line.size < s->size ? line.size + 1 : line.size;
    if (line.size > line.at && line.text[line.size - 1] == '\r') line.size--;
    return line;
}

tmap_cursor scan_word(tmap_cursor *s) {
    tmap_cursor word = *s;
    while (s->at < s->size && !is_space(tmap_cursor_next(s))) s->at++;
    word.size = s->at;
    return word;
}

void run_add(byte_run *run, unsigned byte) {
    if (run->n < BYTES) run->bytes[run->n] = (uint8_t)byte;
    run->n++;
}

void run_add_word(byte_run *run, uint64_t word, size_t size) {
    for (size_t i = 0; i < size; i++) run_add(run, word >> 8 * i & 0xff);
}

bool run_fits(uint64_t number, size_t size) {
    if (size >= 8) return true;
    uint64_t high = number >> 8 * size, all = UINT64_MAX >> 8 * size;
    return high == 0 || (high == all && (number >> (8 * size - 1) & 1));
}

void readings_add(readings *found, const byte_run *run) {
    if (run->n != BYTES) return;
    if (found->read && memcmp(found->run.bytes, run->bytes, BYTES) != 0) found->ambiguous = true;
    found->read = true;
    found->run = *run;
}
