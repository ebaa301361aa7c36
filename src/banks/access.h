/* banks: one access of a lane, for all who count its words. */
#pragma once

#include "tmap/unstable/banks.h"

/* Refuses layouts with other axes than m, and lanes that touch other than 1, 2, 4, 8 or 16 bytes. */
tmap_status tmap_access_check(const tmap_layout *layout, const tmap_access *access, tmap_diag *error);
/* Lanes that are served together: a phase touches 128 bytes at most. */
int tmap_phase_lanes(const tmap_access *access);
/* The address in elements of what a lane touches first. Refused: elements that are none of the layout, that do not lie
 * next to each other, or that begin at no multiple of what the lane touches. */
tmap_status tmap_lane_address(const tmap_layout *layout, const tmap_access *access, int lane, int64_t *address,
                              tmap_diag *error);
/* The 4-byte words that a lane touches from that address on; returns how many. */
size_t tmap_lane_words(const tmap_access *access, int64_t address, int64_t *words);
/* A phase from the numbers of the words that its lanes touch, in any order and as often as they touch them; sorts them.
 * `lanes` stays 0. */
tmap_phase tmap_phase_of(int64_t *words, size_t n);
