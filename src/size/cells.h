/* cells: the verdicts of one rule on one dimension, for all values of the sizes that its cuts depend on. */
#pragma once

#include "size/sized.h"

/* Cells that are tried for one subject, so that the time is bounded. */
#define TMAP_CELLS_MAX      12288
#define TMAP_RULE_CELLS_MAX 9216
/* Advice must not use the cells of the rules that decide whether a map is legal. */
#define TMAP_ADVICE_CELLS_MAX 1024

typedef struct tmap_verdict_cell {
    struct tmap_verdict_cell *next;
    int verdict;                    /* severity and 1; 0: kept */
    uint64_t point[TMAP_SIZES_MAX]; /* its least */
    tmap_size_cell cell;
} tmap_verdict_cell;

typedef struct tmap_size_cells {
    tmap_cuts cuts;
    uint32_t sizes; /* bit i: size i is in a cut */
    tmap_verdict_cell *first;
    bool undecided; /* some values are in no cell */
} tmap_size_cells;

/* Whether a point of the sizes of the condition is in the cell. */
bool tmap_cells_has(const tmap_size_cells *cells, const tmap_verdict_cell *cell, const uint64_t *values);

/* Texts of which values keep the rule; NULL where the cells have no short form. False: no memory. */
bool tmap_cells_say(const tmap_size_cells *cells, const tmap_sized *sized, tmap_arena *arena,
                    tmap_condition *condition);
