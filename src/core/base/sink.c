/* Sinks, and the sink that grows a text. */
#include "base/memory.h"

#include <string.h>

void tmap_write(tmap_sink *sink, const char *text, size_t size) {
    if (sink->failed || size == 0) return;
    if (!sink->write(sink->context, text, size)) sink->failed = true;
}

void tmap_puts(tmap_sink *sink, const char *text) {
    tmap_write(sink, text, strlen(text));
}

static bool text_reserve(tmap_text *text, size_t more) {
    if (more > SIZE_MAX / 2 - text->size - 1) return false;
    size_t needed = text->size + more + 1;
    if (needed <= text->capacity) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed) capacity *= 2;
    char *data = tmap_resize(text->allocator, text->data, text->capacity, capacity);
    if (!data) return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

static bool text_append(void *context, const char *from, size_t size) {
    tmap_text *text = context;
    if (!text_reserve(text, size)) return false;
    memcpy(text->data + text->size, from, size);
    text->size += size;
    text->data[text->size] = '\0';
    return true;
}

tmap_sink tmap_text_sink(tmap_text *text) {
    return (tmap_sink){.write = text_append, .context = text};
}

void tmap_text_free(tmap_text *text) {
    if (!text) return;
    tmap_resize(text->allocator, text->data, text->capacity, 0);
    *text = (tmap_text){.allocator = text->allocator};
}
