/*
 * gen: generates random maps and copies from a seed, and makes a failing case smaller. Maps and copies are valid by
 * construction (the rules must accept them) and cover the limits. The same seed gives the same sequence in every build.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_GEN_H
#define TMAP_GEN_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_random {
    uint64_t state;
} tmap_random;

/* Returns the next 64 bits. */
TMAP_API uint64_t tmap_random_next(tmap_random *random) TMAP_NONNULL(1);
/* Returns a number from low to high, both included. Precondition: low <= high. */
TMAP_API uint64_t tmap_random_between(tmap_random *random, uint64_t low, uint64_t high) TMAP_NONNULL(1);

/* Generates a valid map of any mode, type and interleave; `small` limits the sizes to tensors that fit in memory. */
TMAP_API void tmap_random_map(tmap_random *random, bool small, tmap_map_params *params) TMAP_NONNULL(1, 3);

/* Generates a valid copy through a valid map: any operation, in and out of bounds, any allowed shared address. */
TMAP_API void tmap_random_copy(tmap_random *random, const tmap_map_params *map, tmap_copy_params *copy)
    TMAP_NONNULL(1, 2, 3);

/* Generates a valid copy without a tensor map, and its memory, a map of mode linear. */
TMAP_API void tmap_random_linear(tmap_random *random, tmap_map_params *map, tmap_copy_params *copy)
    TMAP_NONNULL(1, 2, 3);

/*
 * Generates a valid replacement of a number or a choice of any map. The replacement keeps the rules of
 * tensormap.replace; the changed map may break rules.
 */
TMAP_API void tmap_random_replacement(tmap_random *random, const tmap_map_params *map, tmap_copy_params *replace)
    TMAP_NONNULL(1, 2, 3);

/* Returns whether a map and a copy through it, which may break rules, still show the failure. */
typedef bool tmap_still_fails(void *context, const tmap_map_params *map, const tmap_copy_params *copy);

/*
 * Makes a failing case smaller, one number at a time, as long as `fails` returns true: fewer dimensions, no swizzle,
 * smaller sizes and coordinates. Calls `fails` at most `tries` times; every step makes the case smaller, so the search
 * also ends by itself.
 */
TMAP_API void tmap_shrink(tmap_map_params *map, tmap_copy_params *copy, tmap_still_fails *fails, void *context,
                          size_t tries) TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
