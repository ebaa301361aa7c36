/* banks: the parts of a permutation's plan. */
#pragma once

#include "diag/refuse.h"
#include "tmap/unstable/banks_permute.h"

/* Sets k, shift and mask, and where it helps the order of the dimensions. Refused, with a padding that was tried, where
 * nothing keeps the lanes of every slot in different banks. */
tmap_status tmap_permute_choose(tmap_permute *plan, tmap_diag *error);
