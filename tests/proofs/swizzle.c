/*
 * Point: 1
 * Proves: every swizzle, at any 64-bit address, is its own inverse, stays in its line of 128 bytes, moves atoms
 *     whole, and repeats with its period. Every swizzle equals its two published forms: the tables in section
 *     5.5.7 of the PTX ISA, and CuTe's Swizzle<B,M,S>.
 * Assumes: the shared memory of a box starts at a multiple of 128 bytes (the condition of the tables).
 * Bounds: none.
 * Tool: symbolic
 * Sources: src/core/hw/swizzle.c src/core/hw/tables.c tests/oracle/oracle.c tests/oracle/numbers.c
 */
#include "oracle/oracle.h"
#include "proof.h"
#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#ifndef SWIZZLE /* a planted mistake defines a single swizzle */
#define SWIZZLE tmap_proof_each(TMAP_SWIZZLE_COUNT)
#endif

/*
 * CUTLASS, include/cute/swizzle.hpp: Swizzle<B,M,S> is x ^ ((x & ((2^B - 1) << (M + S))) >> S). A flip of 8 bytes is a
 * second Swizzle.
 */
typedef struct cute_form {
    oracle_swizzle table;
    unsigned b, m, s;
    bool flips;
} cute_form;

static const cute_form forms[] = {
    [TMAP_SWIZZLE_NONE] = {ORACLE_NO_SWIZZLE, 0, 4, 3, false},
    [TMAP_SWIZZLE_32B] = {ORACLE_32B, 1, 4, 3, false},
    [TMAP_SWIZZLE_64B] = {ORACLE_64B, 2, 4, 3, false},
    [TMAP_SWIZZLE_128B] = {ORACLE_128B, 3, 4, 3, false},
    [TMAP_SWIZZLE_128B_ATOM_32B] = {ORACLE_128B_ATOM_32B, 2, 5, 2, false},
    [TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = {ORACLE_128B_ATOM_32B_FLIP_8B, 2, 5, 2, true},
    [TMAP_SWIZZLE_128B_ATOM_64B] = {ORACLE_128B_ATOM_64B, 1, 6, 1, false},
    [TMAP_SWIZZLE_96B] = {ORACLE_96B, 1, 4, 3, false},
};
_Static_assert(sizeof forms / sizeof *forms == TMAP_SWIZZLE_COUNT, "a case a swizzle");

static uint64_t cute(unsigned b, unsigned m, unsigned s, uint64_t x) {
    return x ^ (x & ((uint64_t)1 << b) - 1 << m + s) >> s;
}

static uint64_t closed_form(const cute_form *form, uint64_t x) {
    uint64_t swizzled = cute(form->b, form->m, form->s, x);
    return form->flips ? swizzled ^ cute(1, 3, 4, x) ^ x : swizzled;
}

static uint64_t swizzled(const tmap_swizzle_info *swizzle, uint64_t address) {
    return address ^ tmap_swizzle_mask(swizzle, address);
}

int main(void) {
    unsigned i = SWIZZLE;
    const cute_form *form = &forms[i];
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)i);
    ANY(uint64_t, address);
    uint64_t to = swizzled(swizzle, address);
    PROVE(swizzled(swizzle, to) == address);
    PROVE(to / 128 == address / 128);
    PROVE(to == closed_form(form, address));

    uint32_t atom = tmap_swizzle_atom_B(swizzle), period = tmap_swizzle_period_B(swizzle);
    if (atom != 0) PROVE(to % atom == address % atom);
    if (period != 0) PROVE(tmap_swizzle_mask(swizzle, address + period) == tmap_swizzle_mask(swizzle, address));

    ANY(uint64_t, line);
    ANY(uint64_t, offset);
    PROVE(swizzled(swizzle, line * 128 + offset) == oracle_swizzled(form->table, line * 128, offset));
    return 0;
}
