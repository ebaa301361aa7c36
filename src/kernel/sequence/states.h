/* sequence: the states that a search has visited, as hashes of their bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TMAP_STATES_MAX = 20000, TMAP_STATES_TABLE = 1 << 16 };

typedef struct tmap_states {
    uint64_t *table; /* TMAP_STATES_TABLE zeros; 0: a free slot */
    uint64_t n;
    bool full; /* out: a state was not entered because n is TMAP_STATES_MAX */
} tmap_states;

/* Continues a hash with `size` bytes. */
uint64_t tmap_states_hash(uint64_t hash, const void *bytes, size_t size);
/* Returns false if the state was visited before, or if the table is full. */
bool tmap_states_enter(tmap_states *states, uint64_t hash);
