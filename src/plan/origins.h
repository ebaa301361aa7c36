/*
 * plan: where every byte of a piece of shared memory comes from after copies have run. The copies run over a global
 * memory whose byte at offset a holds, round by round, byte r of a + 1; so a byte of shared memory tells its origin:
 * 0 nowhere in the tensor (filled), TMAP_NOT_WRITTEN where no copy wrote.
 */
#pragma once

#include "tmap/emu.h"
#include "tmap/unstable/plan.h"

#define TMAP_NOT_WRITTEN UINT64_MAX

typedef struct tmap_origins {
    tmap_map map; /* with an integer of the size in the type's place: some types are rounded on the way */
    int64_t size_B;
    uint8_t *image;
    uint64_t *at; /* of size_B bytes */
} tmap_origins;

/* The copies of a plan by number. */
typedef tmap_copy_params tmap_copy_by_number(const void *plan, uint64_t i);

/*
 * For copies through `map` into what a layout of `span_el` elements takes, to the end of the line that a swizzle may
 * reach. TMAP_REFUSED: the rules refuse the map, or the layout is beyond any shared memory.
 */
tmap_status tmap_origins_init(tmap_origins *origins, const tmap_map_params *map, int64_t span_el,
                              const tmap_allocator *allocator, tmap_diag *refusal);
void tmap_origins_free(tmap_origins *origins, const tmap_allocator *allocator);

/* Runs copies 0 .. n - 1 on shared memory whose byte 0 is at `address`. TMAP_REFUSED: one is refused or writes outside.
 */
tmap_status tmap_origins_find(tmap_origins *origins, tmap_copy_by_number *copy, const void *plan, uint64_t n,
                              uint64_t address, tmap_diag *refusal);

/*
 * Holds an element of `element_B` at `place` (in elements) against where it is wanted from: offset + 1 of the tensor,
 * 0 for the fill. Answers the first byte that differs; -1: none.
 */
int64_t tmap_origins_differ(const tmap_origins *origins, int64_t place, int64_t element_B, uint64_t wanted);

/* "comes from byte 12 of the tensor, not 14 (-1: outside)", about byte `at` of the image. */
void tmap_origins_say(const tmap_origins *origins, int64_t at, uint64_t wanted, char *text, size_t size);

/* How many bytes the copies have written. */
int64_t tmap_origins_written_B(const tmap_origins *origins);
