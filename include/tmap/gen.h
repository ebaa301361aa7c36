/*
 * gen: random maps and copies from a seed: valid ones by construction (the rules must accept them), spread over the
 * limits. The same seed gives the same sequence in every build.
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

TMAP_API uint64_t tmap_random_next(tmap_random *random);
/* Uniform in [low, high]. */
TMAP_API uint64_t tmap_random_between(tmap_random *random, uint64_t low, uint64_t high);

/* A valid tiled map. `emulated` keeps to the types that this version emulates and to sizes that fit in memory. */
TMAP_API void tmap_random_map(tmap_random *random, bool emulated, tmap_map_params *params);

/* A valid copy through a valid map: any operation, in and out of bounds, any admitted shared address. */
TMAP_API void tmap_random_copy(tmap_random *random, const tmap_map_params *map, tmap_copy_params *copy);

#ifdef __cplusplus
}
#endif

#endif
