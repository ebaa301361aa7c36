/* register: more of multi-functions, for the expression language. */
#pragma once

#include "tmap/unstable/register_shared.h"

/* g of every number that f gives: f * g of Tilus. Refused where g has not as many elements as f has numbers, or where
 * its modes do not nest in those of f. */
tmap_status tmap_multi_then(const tmap_multi_function *f, const tmap_multi_function *g, tmap_multi_function *function,
                            tmap_diag *error);
/* The same for all indices of the dimensions, bits of `dims`: their modes are not in the list. */
tmap_status tmap_multi_collapse(const tmap_multi_function *f, uint32_t dims, tmap_multi_function *function,
                                tmap_diag *error);
