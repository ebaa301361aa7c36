/* Rows of containers of packed values that do not lie in shared memory as they do in global memory. */
#ifndef TMAP_EMU_UNITS_H
#define TMAP_EMU_UNITS_H

#include "emu/permute.h"
#include "tmap/walk.h"

static inline bool tmap_units_have_gaps(const tmap_unit *unit) {
    return unit->pitch_B != unit->shared_B;
}

/* The units of one row of a run as rows of their own, one behind the other in memory; `row` is left to the caller. */
tmap_rows tmap_units_of_row(const tmap_copy *copy, const tmap_run *run, uint32_t row);

/* `count` values from one a byte (the low bits of it) to one behind the other: PTX ISA 5.5.1.1.1, type .b6p2x16. */
void tmap_pack_values(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t bits);

#endif
