/* banks: the parts of a permutation's plan. */
#pragma once

#include "diag/refuse.h"
#include "tmap/unstable/banks_permute.h"

/* Sets k, shift and mask, and the order of the dimensions if another order helps. Refuses if no choice keeps the lanes
 * of every slot in different banks; the refusal suggests a padding that works. */
tmap_status tmap_permute_choose(tmap_permute *plan, tmap_diag *error);
