/*
 * plan: the origin of every byte of a part of shared memory after copies have run. In round r the copies read a global
 * memory whose byte at offset a is byte r of a + 1. The rounds together give the origin of a byte of shared memory:
 * 0 for outside the tensor (fill), TMAP_NOT_WRITTEN where no copy wrote.
 */
#pragma once

#include "tmap/emu.h"
#include "tmap/unstable/plan.h"

#define TMAP_NOT_WRITTEN UINT64_MAX

typedef struct tmap_origins {
    tmap_map map; /* with an integer type of the same size: some types are rounded on load */
    int64_t size_B;
    uint8_t *image;
    uint64_t *at; /* one entry for each of size_B bytes */
} tmap_origins;

/* The copies of a plan by number. */
typedef tmap_copy_params tmap_copy_by_number(const void *plan, uint64_t i);

/*
 * For copies through `map` into a layout of `span_el` elements, up to the end of the line that a swizzle may reach.
 * TMAP_REFUSED: the rules refuse the map, or the layout exceeds every shared memory.
 */
tmap_status tmap_origins_init(tmap_origins *origins, const tmap_map_params *map, int64_t span_el,
                              const tmap_allocator *allocator, tmap_diag *refusal);
void tmap_origins_free(tmap_origins *origins, const tmap_allocator *allocator);

/* Runs copies 0 .. n - 1 on shared memory that starts at `address`. TMAP_REFUSED: a copy is refused or writes
 * outside. */
tmap_status tmap_origins_find(tmap_origins *origins, tmap_copy_by_number *copy, const void *plan, uint64_t n,
                              uint64_t address, tmap_diag *refusal);

/*
 * Compares the origins of the `element_B` bytes at `place` (in elements) with the wanted origin: offset + 1 in the
 * tensor, or 0 for fill. Returns the first byte that differs; -1: none.
 */
int64_t tmap_origins_differ(const tmap_origins *origins, int64_t place, int64_t element_B, uint64_t wanted);

/* Writes "comes from byte 12 of the tensor, not 14 (-1: outside)" about byte `at` of the image. */
void tmap_origins_say(const tmap_origins *origins, int64_t at, uint64_t wanted, char *text, size_t size);

/* The number of bytes that the copies have written. */
int64_t tmap_origins_written_B(const tmap_origins *origins);
