/* solve: divides all values of the sizes into cells on which every cut of a question is constant. */
#pragma once

#include "size/cells.h"

/* The verdict at a point: severity + 1; 0: kept; -1: none, and the cell of the point is omitted. */
typedef int tmap_point_verdict(void *context, const uint64_t *values);

typedef struct tmap_solver {
    tmap_size_cells *cells; /* of which solving uses the cuts, and fills in the list */
    tmap_arena *arena;
    tmap_point_verdict *verdict;
    void *context;
    tmap_size_budget left; /* of this question */
    bool has_classes;      /* cells were divided into residue classes */
    bool avoids_classes;   /* cells are not divided into residue classes */
    bool no_memory;
    tmap_verdict_cell **tail;
} tmap_solver;

/* Whether a cut is constant over the cell, or does not matter. If not, *split makes the cell smaller. */
tmap_decided tmap_solver_decide(tmap_solver *s, tmap_size_cell *cell, int cut, tmap_split *split);
/* The budget of one subject of a file. */
tmap_size_budget tmap_budget_of_subject(const tmap_size_budget *file);
/* Divides the cell `all`. Uses at most one part in `share` of the budget, twice. If that is not enough, sets
 * cells->undecided. */
void tmap_solve(tmap_solver *s, const tmap_size_cell *all, tmap_size_budget *budget, int share);
