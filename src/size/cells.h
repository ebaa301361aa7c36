/* cells: the verdicts of one rule on one dimension, for all values of the sizes that its cuts depend on. */
#pragma once

#include "size/sized.h"

/* Limits for one subject: the cells that are tried, and the operations on terms of polynomials. They bound the time. */
#define TMAP_CELLS_MAX 12288
#define TMAP_WORK_MAX  16000000

typedef struct tmap_verdict_cell {
    struct tmap_verdict_cell *next;
    int verdict;                    /* severity + 1; 0: the rule is kept */
    uint64_t point[TMAP_SIZES_MAX]; /* the least point of the cell */
    tmap_size_cell cell;
} tmap_verdict_cell;

typedef struct tmap_size_cells {
    tmap_cuts cuts;
    uint32_t sizes; /* bit i: a cut contains size i */
    tmap_verdict_cell *first;
    bool undecided; /* some of the values are in no cell */
} tmap_size_cells;

/* Compares the values of all sizes; the first size counts most. */
int tmap_points_compare(const uint64_t *a, const uint64_t *b);
/* The number of points; UINT64_MAX also for a cell with assumed cuts, whose points are not counted. */
uint64_t tmap_cell_points(const tmap_size_cell *cell);
/* Counts the values, and finds the least legal and the least broken point. The severity is the worst of all cells. */
void tmap_cells_count(const tmap_size_cells *cells, tmap_condition *condition);

/* Whether the cell contains a point, given by the values of the sizes. */
bool tmap_cells_has(const tmap_size_cells *cells, const tmap_verdict_cell *cell, const uint64_t *values);

/* Writes texts of the values that keep the rule; NULL if the cells have no short form. Returns false when an allocation
 * fails. */
bool tmap_cells_say(const tmap_size_cells *cells, const tmap_sized *sized, tmap_arena *arena,
                    tmap_condition *condition);
