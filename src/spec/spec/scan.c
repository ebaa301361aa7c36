/* spec: one pass over a file's bytes. */
#include "spec/scan.h"

#include <string.h>

#include "text/utf8.h"

static const char utf8_mark[] = "\xef\xbb\xbf";

static bool begins_with(const char *text, size_t size, const char *prefix, size_t prefix_size) {
    return size >= prefix_size && memcmp(text, prefix, prefix_size) == 0;
}

/* YAML 1.1's c-printable, section 5.1, as libyaml reads it. */
static bool printable(uint32_t code) {
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    if (code < 0xa0) return code < 0x7f || code == 0x85;
    return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

/* Whether the character at text[at] is valid. If not, sets kind, at and code to the error. */
static bool check_character(tmap_scan *scan, const char *text, size_t size, size_t at, size_t *taken) {
    *taken = tmap_utf8_next(text + at, size - at, &scan->code);
    scan->at = at;
    if (scan->code >= 0x80) scan->ascii = false;
    if (scan->code == 0) {
        scan->kind = TMAP_SCAN_BINARY;
    } else if (scan->code == TMAP_UTF8_BAD && !begins_with(text + at, size - at, TMAP_UTF8_BAD_TEXT, 3)) {
        scan->kind = TMAP_SCAN_BAD_UTF8;
    } else if (!printable(scan->code)) {
        scan->kind = TMAP_SCAN_CONTROL;
    }
    return scan->kind == TMAP_SCAN_TEXT;
}

tmap_scan tmap_scan_text(const char *text, size_t size) {
    tmap_scan scan = {.ascii = true};
    if (begins_with(text, size, "\xff\xfe", 2) || begins_with(text, size, "\xfe\xff", 2)) {
        scan.kind = TMAP_SCAN_UTF16;
        return scan;
    }
    if (size > 0 && memchr(text, 0, size)) {
        scan.kind = TMAP_SCAN_BINARY;
        scan.at = (size_t)((const char *)memchr(text, 0, size) - text);
        return scan;
    }
    if (begins_with(text, size, utf8_mark, 3)) scan.bom_B = 3;
    size_t taken;
    for (size_t at = scan.bom_B; at < size; at += taken) {
        if (text[at] >= 0x20 && text[at] < 0x7f) {
            taken = 1;
        } else if (!check_character(&scan, text, size, at, &taken)) {
            return scan;
        }
    }
    scan.at = size;
    return scan;
}

size_t tmap_break_B(const char *text, size_t size, size_t at) {
    if (at >= size) return 0;
    if (text[at] == '\n') return 1;
    if (text[at] == '\r') return at + 1 < size && text[at + 1] == '\n' ? 2 : 1;
    if (begins_with(text + at, size - at, "\xc2\x85", 2)) return 2;
    if (begins_with(text + at, size - at, "\xe2\x80\xa8", 3)) return 3;
    return begins_with(text + at, size - at, "\xe2\x80\xa9", 3) ? 3 : 0;
}

size_t tmap_line_start(const char *text, size_t size, size_t at) {
    size_t start = 0;
    for (size_t i = 0; i < at && i < size;) {
        size_t taken = tmap_break_B(text, size, i);
        i += taken ? taken : 1;
        if (taken && i <= at) start = i;
    }
    return start;
}

tmap_mark tmap_place_of(const char *text, size_t size, size_t at) {
    tmap_mark mark = {.line = 1, .column = 1, .length = 1};
    size_t i = begins_with(text, size, utf8_mark, 3) ? 3 : 0;
    while (i < at && i < size) {
        size_t taken = tmap_break_B(text, size, i);
        if (taken) {
            mark.line++;
            mark.column = 1;
        } else {
            uint32_t code;
            taken = tmap_utf8_next(text + i, size - i, &code);
            mark.column++;
        }
        i += taken;
    }
    return mark;
}
