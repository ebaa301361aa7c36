/* hash: a hash table from names to indices or pointers. It does not copy the names. */
#pragma once

#include "base/arena.h"

typedef struct tmap_entry {
    const char *name; /* NULL in a free slot */
    uint32_t size, hash;
    void *value;
} tmap_entry;

typedef struct tmap_table {
    tmap_arena *arena;
    tmap_entry *slots;
    size_t slots_n; /* a power of two, or 0 */
    size_t count;
} tmap_table;

/* Allocates slots for `count` names. Returns false when the allocation fails. */
bool tmap_table_reserve(tmap_table *table, size_t count);
/* FNV-1a. */
uint32_t tmap_hash(const char *text, size_t size);
/* The entry of a name, or NULL. */
tmap_entry *tmap_table_find(const tmap_table *table, const char *name, size_t size, uint32_t hash);
/* The entry of a name, added with a NULL value if it is new. NULL when the allocation fails. */
tmap_entry *tmap_table_put(tmap_table *table, const char *name, size_t size, uint32_t hash);
