/* text: reads any text as UTF-8, one code point at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Replaces bytes that are not UTF-8. */
#define TMAP_UTF8_BAD      0xfffdu
#define TMAP_UTF8_BAD_TEXT "\xef\xbf\xbd"

/*
 * Reads the code point at the start of text[0..size), size at least 1, and returns its number of bytes. Well-formed
 * sequences are those of The Unicode Standard, table 3-7. In other text, the longest start of a well-formed sequence
 * (or one byte) becomes TMAP_UTF8_BAD, as section 3.9 recommends.
 */
static inline size_t tmap_utf8_next(const char *text, size_t size, uint32_t *code) {
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned lead = bytes[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    uint32_t value = length <= 1 ? lead : lead & (0x7fu >> length);
    size_t taken = 1;
    for (; taken < length && taken < size && bytes[taken] >= low && bytes[taken] <= high; taken++) {
        value = value << 6 | (bytes[taken] & 0x3fu);
        low = 0x80;
        high = 0xbf;
    }
    *code = taken == length ? value : TMAP_UTF8_BAD;
    return taken;
}
