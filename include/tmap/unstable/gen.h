/*
 * gen: random maps and copies from a seed: valid ones by construction (the rules must accept them), spread over the
 * limits. The same seed gives the same sequence in every build. And making a failing case smaller.
 * Unstable: what is declared here may change or go in any release (base.h).
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

TMAP_API uint64_t tmap_random_next(tmap_random *random) TMAP_NONNULL(1);
/* Uniform in [low, high]. */
TMAP_API uint64_t tmap_random_between(tmap_random *random, uint64_t low, uint64_t high) TMAP_NONNULL(1);

/* A valid map of any mode, type and interleave. `small` keeps to sizes that fit in memory. */
TMAP_API void tmap_random_map(tmap_random *random, bool small, tmap_map_params *params) TMAP_NONNULL(1, 3);

/* A valid copy through a valid map: any operation, in and out of bounds, any admitted shared address. */
TMAP_API void tmap_random_copy(tmap_random *random, const tmap_map_params *map, tmap_copy_params *copy)
    TMAP_NONNULL(1, 2, 3);

/* A valid replacement of a number or choice of any map: its rules are those of tensormap.replace, the changed map may
 * be one that they refuse. */
TMAP_API void tmap_random_replacement(tmap_random *random, const tmap_map_params *map, tmap_copy_params *replace)
    TMAP_NONNULL(1, 2, 3);

/* Whether a map and a copy through it, possibly ones that the rules refuse, still show what is looked for. */
typedef bool tmap_still_fails(void *context, const tmap_map_params *map, const tmap_copy_params *copy);

/*
 * Makes a failing case smaller, one number at a time, as long as it still fails: fewer dimensions, no swizzle, smaller
 * sizes and coordinates. Asks at most `tries` times; every step makes the case smaller, so it ends by itself too.
 */
TMAP_API void tmap_shrink(tmap_map_params *map, tmap_copy_params *copy, tmap_still_fails *fails, void *context,
                          size_t tries) TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
