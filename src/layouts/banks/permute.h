/* banks: the parts of a permutation's plan. */
#pragma once

#include "diag/refuse.h"
#include "tmap/unstable/banks_permute.h"

/* How the elements of the box at stage 0 cover one side. */
tmap_status tmap_permute_coverage(const tmap_permute *plan, bool destination, tmap_coverage *coverage,
                                  tmap_diag *error);

/* Sets k, shift and mask, and the order of the dimensions if another order helps. Refuses if no choice keeps the lanes
 * of every slot in different banks; the refusal suggests a padding that works. */
tmap_status tmap_permute_choose(tmap_permute *plan, tmap_diag *error);
