/* search: finds points of a cell at which each of some cuts is on a given side. */
#pragma once

#include "size/polynomial.h"

/* An assumed cut with its side. */
typedef struct tmap_half {
    const tmap_cut *cut;
    bool reached;
} tmap_half;

/* Returns false if sums of the halves show that no point of the cell is in all halves. */
bool tmap_halves_agree(const tmap_half *halves, int n, const tmap_size_cell *cell, int64_t *work);
