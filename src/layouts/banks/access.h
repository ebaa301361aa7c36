/* banks: one access of a lane, and the words that it touches. */
#pragma once

#include "tmap/unstable/banks.h"

/* Refuses layouts with axes other than m, and lanes that do not touch 1, 2, 4, 8 or 16 bytes. */
tmap_status tmap_access_check(const tmap_layout *layout, const tmap_access *access, tmap_diag *error);
/* The number of lanes of `bytes` bytes each in one phase: a phase touches at most 128 bytes. */
int tmap_phase_lanes(int bytes);
/* The address, in elements, of the first element that a lane touches. Refuses elements that are outside the layout, not
 * adjacent, or not aligned to the size of the lane's access. */
tmap_status tmap_lane_address(const tmap_layout *layout, const tmap_access *access, int lane, int64_t *address,
                              tmap_diag *error);
/* The 4-byte words that a lane touches from `address` on. Returns the number of words. */
size_t tmap_lane_words(const tmap_access *access, int64_t address, int64_t *words);
/* Sorts the numbers and removes repeated ones. Returns how many are left. */
size_t tmap_different_numbers(int64_t *numbers, size_t n);
/* The phase that touches the words with these numbers, which may be in any order and repeated. Sorts `words`. Sets
 * `lanes` to 0. */
tmap_phase tmap_phase_of(int64_t *words, size_t n);
