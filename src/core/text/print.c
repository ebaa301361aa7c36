/* printf into a sink; a short text needs no allocation. */
#include "text/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TMAP_PRINTF(3, 0) static void print_long(tmap_sink *sink, size_t size, const char *format, va_list args) {
    char *text = malloc(size + 1);
    if (!text) {
        sink->failed = true;
        return;
    }
    vsnprintf(text, size + 1, format, args);
    tmap_write(sink, text, size);
    free(text);
}

void tmap_printf(tmap_sink *sink, const char *format, ...) {
    char text[512];
    va_list args, again;
    if (sink->failed) return;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(text, sizeof text, format, args);
    if (size < 0)
        sink->failed = true;
    else if ((size_t)size < sizeof text)
        tmap_write(sink, text, (size_t)size);
    else
        print_long(sink, (size_t)size, format, again);
    va_end(again);
    va_end(args);
}

TMAP_PRINTF(3, 0) static void append_v(char *text, size_t size, const char *format, va_list args) {
    size_t used = strlen(text);
    vsnprintf(text + used, size - used, format, args);
}

void tmap_append(char *text, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    append_v(text, size, format, args);
    va_end(args);
}

void tmap_append_item(char *text, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (text[0] != '\0') tmap_append(text, size, ", ");
    append_v(text, size, format, args);
    va_end(args);
}
