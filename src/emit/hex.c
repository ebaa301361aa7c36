/* emit: bytes as hexadecimal digits, and back. */
#include "tmap/unstable/emit.h"

static const char digits[] = "0123456789abcdef";

void tmap_emit_hex(tmap_sink *sink, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    char chunk[128];
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        chunk[used++] = digits[from[i] >> 4];
        chunk[used++] = digits[from[i] & 15];
        if (used == sizeof chunk || i + 1 == size) {
            tmap_write(sink, chunk, used);
            used = 0;
        }
    }
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool tmap_parse_hex_descriptor(const char *text, size_t size, tmap_descriptor *descriptor) {
    tmap_descriptor parsed = {{0}};
    size_t digits_n = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_space(text[i])) continue;
        int value = digit_value(text[i]);
        if (value < 0 || digits_n == 2 * sizeof parsed.bytes) return false;
        uint8_t *byte = &parsed.bytes[digits_n / 2];
        *byte = (uint8_t)(*byte << 4 | value);
        digits_n++;
    }
    if (digits_n != 2 * sizeof parsed.bytes) return false;
    *descriptor = parsed;
    return true;
}
