/* hash: open addressing with linear probing, at most three quarters full. */
#include "hash/name_table.h"

#include <string.h>

#define SLOTS_FIRST 16

uint32_t tmap_hash(const char *text, size_t size) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* The slot of the name, or the free slot for it. */
static tmap_entry *probe(const tmap_table *table, const char *name, size_t size, uint32_t hash) {
    size_t mask = table->slots_n - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        tmap_entry *slot = &table->slots[i];
        if (!slot->name) return slot;
        if (slot->hash == hash && slot->size == size && (size == 0 || memcmp(slot->name, name, size) == 0)) return slot;
    }
}

static bool is_full(const tmap_table *table, size_t count) {
    return count > table->slots_n / 4 * 3;
}

bool tmap_table_reserve(tmap_table *table, size_t count) {
    if (!is_full(table, count)) return true;
    tmap_table bigger = *table;
    if (bigger.slots_n == 0) bigger.slots_n = SLOTS_FIRST;
    while (is_full(&bigger, count)) bigger.slots_n *= 2;
    bigger.slots = tmap_arena_array(table->arena, bigger.slots_n, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < table->slots_n; i++) {
        const tmap_entry *entry = &table->slots[i];
        if (entry->name) *probe(&bigger, entry->name, entry->size, entry->hash) = *entry;
    }
    *table = bigger;
    return true;
}

tmap_entry *tmap_table_find(const tmap_table *table, const char *name, size_t size, uint32_t hash) {
    if (!table->slots_n) return NULL;
    tmap_entry *slot = probe(table, name, size, hash);
    return slot->name ? slot : NULL;
}

tmap_entry *tmap_table_put(tmap_table *table, const char *name, size_t size, uint32_t hash) {
    if (!tmap_table_reserve(table, table->count + 1)) return NULL;
    tmap_entry *slot = probe(table, name, size, hash);
    if (!slot->name) {
        *slot = (tmap_entry){.name = name, .size = (uint32_t)size, .hash = hash};
        table->count++;
    }
    return slot;
}
