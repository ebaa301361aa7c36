/* emit: writes bytes as hexadecimal digits. */
#include "tmap/unstable/emit.h"

static const char digits[] = "0123456789abcdef";

void tmap_emit_hex(tmap_sink *sink, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    char chunk[512];
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
