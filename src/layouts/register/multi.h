/* register: functions on multi-functions for the expression language. */
#pragma once

#include "tmap/unstable/register_shared.h"

/* g of every number that f gives: f * g of Tilus. Refuses if the number of g's elements differs from the number of f's
 * numbers, or if an entry of f's list ends inside a mode of g. */
tmap_status tmap_multi_then(const tmap_multi_function *f, const tmap_multi_function *g, tmap_multi_function *function,
                            tmap_diag *error);
/* The same result for all indices of the dimensions in bit set `dims`: removes their modes from the list. */
tmap_status tmap_multi_collapse(const tmap_multi_function *f, uint32_t dims, tmap_multi_function *function,
                                tmap_diag *error);
