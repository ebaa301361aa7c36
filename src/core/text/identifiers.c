#include "text/identifiers.h"

#include "hash/name_table.h"
#include "text/print.h"

/* Appends a number to the identifier until no other is equal. The value of an entry is the last number that an equal
 * identifier has. Returns NULL when an allocation fails. */
static const char *make_different(tmap_table *taken, tmap_text *text, size_t *last) {
    tmap_sink sink = tmap_text_sink(text);
    size_t size = text->size;
    uint32_t hash = tmap_hash(text->data, size);
    tmap_entry *equal = tmap_table_find(taken, text->data, size, hash);
    for (tmap_entry *found = equal; found; found = tmap_table_find(taken, text->data, text->size, hash)) {
        text->size = size;
        tmap_printf(&sink, "_%zu", ++*(size_t *)equal->value);
        if (sink.failed) return NULL;
        hash = tmap_hash(text->data, text->size);
    }
    const char *identifier = tmap_arena_text(taken->arena, text->data, text->size);
    tmap_entry *own = identifier ? tmap_table_put(taken, identifier, text->size, hash) : NULL;
    if (own) own->value = last;
    return own ? identifier : NULL;
}

const char **tmap_identifiers(tmap_arena *arena, tmap_identifier_writer *put, const void *records, size_t size,
                              size_t n) {
    tmap_table taken = {.arena = arena};
    tmap_text text = {.allocator = arena->allocator};
    tmap_sink sink = tmap_text_sink(&text);
    size_t *last = tmap_arena_array(arena, n + 1, sizeof *last);
    const char **identifiers = tmap_arena_array(arena, n + 1, sizeof *identifiers);
    bool good = last && identifiers && tmap_table_reserve(&taken, n);
    for (size_t i = 0; good && i < n; i++) {
        const void *record = (const char *)records + i * size;
        text.size = 0;
        put(&sink, *(const char *const *)record);
        last[i] = 1;
        good = !sink.failed && (identifiers[i] = make_different(&taken, &text, &last[i])) != NULL;
    }
    tmap_text_free(&text);
    return good ? identifiers : NULL;
}
