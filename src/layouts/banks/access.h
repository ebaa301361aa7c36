/* banks: one access of a lane, and the words that it touches. */
#pragma once

#include <string.h>

#include "tmap/unstable/banks.h"

/* Refuses layouts with copies or axes other than m, and lanes that do not touch 1, 2, 4, 8 or 16 bytes. */
tmap_status tmap_access_check(const tmap_layout *layout, const tmap_access *access, tmap_diag *error);
/* The number of lanes of `bytes` bytes each in one phase: a phase touches at most 128 bytes. */
int tmap_phase_lanes(int bytes);
/* The address, in elements, of the first element that a lane touches. Refuses elements that are outside the layout, not
 * adjacent, or not aligned to the size of the lane's access. */
tmap_status tmap_lane_address(const tmap_layout *layout, const tmap_access *access, int lane, int64_t *address,
                              tmap_diag *error);
/* The different 4-byte words of one phase: at most one for each bank in a pass. The words of one bank are a list. */
typedef struct tmap_bank_words {
    uint64_t word[TMAP_BANKS];
    uint8_t next[TMAP_BANKS]; /* 1 + an earlier word of the same bank; 0: none */
    uint8_t last[TMAP_BANKS], passes[TMAP_BANKS];
    int n, most; /* most: the passes of the bank with the most words */
} tmap_bank_words;

static inline void tmap_bank_words_begin(tmap_bank_words *words) {
    words->n = words->most = 0;
    memset(words->last, 0, sizeof words->last), memset(words->passes, 0, sizeof words->passes);
}

/* A repeated word needs no further pass. */
static inline void tmap_bank_words_add(tmap_bank_words *words, uint64_t word) {
    uint32_t bank = word % TMAP_BANKS;
    for (uint32_t i = words->last[bank]; i > 0; i = words->next[i - 1])
        if (words->word[i - 1] == word) return;
    words->word[words->n] = word;
    words->next[words->n] = words->last[bank];
    words->last[bank] = (uint8_t)++words->n;
    if (++words->passes[bank] > words->most) words->most = words->passes[bank];
}

/* Adds the words that a lane touches from `address`, in elements, on. */
void tmap_bank_words_add_lane(tmap_bank_words *words, const tmap_access *access, int64_t address);
