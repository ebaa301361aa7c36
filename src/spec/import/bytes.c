#include "import/bytes.h"

#include <string.h>

bool scan_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

char scan_next(const scan *s) {
    if (s->at < s->end) return *s->at;
    return 0;
}

bool scan_begins(const scan *s, const char *words) {
    size_t size = strlen(words);
    return (size_t)(s->end - s->at) >= size && memcmp(s->at, words, size) == 0;
}

void scan_skip_spaces(scan *s) {
    while (s->at < s->end && scan_space(*s->at)) s->at++;
}

void scan_skip_past(scan *s, const char *words) {
    while (s->at < s->end && !scan_begins(s, words)) s->at++;
    if (s->at < s->end) s->at += strlen(words);
}

scan scan_line(scan *s) {
    scan line = {s->at, s->at};
    while (line.end < s->end && *line.end != '\n') line.end++;
    s->at = line.end < s->end ? line.end + 1 : line.end;
    if (line.end > line.at && line.end[-1] == '\r') line.end--;
    return line;
}

scan scan_word(scan *s) {
    scan word = {s->at, s->at};
    while (s->at < s->end && !scan_space(*s->at)) s->at++;
    word.end = s->at;
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
    return high == 0 || (high == all && number >> (8 * size - 1) != 0);
}

void readings_add(readings *found, const byte_run *run) {
    if (run->n != BYTES) return;
    if (found->read && memcmp(found->run.bytes, run->bytes, BYTES) != 0) found->ambiguous = true;
    found->read = true;
    found->run = *run;
}
