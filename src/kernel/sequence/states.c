/* sequence: the states that a search has visited. */
#include "sequence/states.h"

#include <string.h>

#include "hash/splitmix.h"

/* Mixes a word into a hash: one round of MurmurHash's 64-bit mixer, half as long as tmap_splitmix64. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    return hash ^ hash >> 33;
}

/* Four hashes, so that no multiplication waits for the previous multiplication. The last words are filled with zeros:
 * all states of a program have the same size. */
uint64_t tmap_states_hash(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    uint64_t hashes[] = {hash, hash, hash, hash}, words[4], last[4] = {0};
    for (; size >= sizeof words; at += sizeof words, size -= sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++) hashes[i] = mix(hashes[i], words[i]);
    }
    memcpy(last, at, size);
    for (int i = 0; i < 4; i++) hash = mix(mix(hash, hashes[i]), last[i]);
    return tmap_splitmix64(hash);
}

bool tmap_states_enter(tmap_states *states, uint64_t hash) {
    const size_t mask = TMAP_STATES_TABLE - 1;
    size_t at = (size_t)(hash >> 8) & mask;
    for (; states->table[at]; at = (at + 1) & mask)
        if (states->table[at] == hash) return false;
    if (states->n >= TMAP_STATES_MAX) {
        states->full = true;
        return false;
    }
    states->table[at] = hash;
    states->n++;
    return true;
}
