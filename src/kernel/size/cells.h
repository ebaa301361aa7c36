/* cells: the verdicts of one rule on one dimension, for all values of the sizes that its cuts depend on. */
#pragma once

#include "size/sized.h"

/* The budget of one subject (sized.h). A file has the budget of TMAP_FILE_TIMES subjects. */
#define TMAP_CELLS_MAX  12288
#define TMAP_WORK_MAX   16000000
#define TMAP_FILE_TIMES 10

typedef struct tmap_verdict_cell {
    struct tmap_verdict_cell *next;
    int verdict;                    /* severity + 1; 0: the rule is kept */
    uint64_t point[TMAP_SIZES_MAX]; /* the least point of the cell */
    tmap_size_cell cell;
} tmap_verdict_cell;

typedef struct tmap_size_cells {
    tmap_cuts cuts;
    const tmap_map_params *map; /* the judged map, or that of the judged copy */
    uint32_t sizes;             /* bit i: a cut contains size i */
    tmap_verdict_cell *first;
    bool undecided; /* some of the values are in no cell */
} tmap_size_cells;

/* The cell of all values: each size with its bit in `of` has its whole range, each other size its least value. */
tmap_size_cell tmap_whole_cell(const tmap_size *sizes, int sizes_n, uint32_t of);
/* Adds the cuts of `from` that `to` does not have. Returns false if there is no room. */
bool tmap_cuts_add(tmap_cuts *to, const tmap_cuts *from);
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
bool tmap_cells_say(const tmap_size_cells *cells, const tmap_size *sizes, tmap_arena *arena, tmap_condition *condition);
/* Writes the names of the sizes with a bit in `of`, and their values unless `values` is NULL: "K = 1, M = 2". */
TMAP_PRIVATE_API void tmap_say_names(char *text, size_t size, const tmap_size *sizes, int sizes_n, uint32_t of,
                                     const uint64_t *values);
