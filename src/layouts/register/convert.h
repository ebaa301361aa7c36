/* Functions that conversions to and from S/R/O share. */
#pragma once

#include "layout/iter_lists.h"

/* Gives an empty layout the iter of one element, then checks the layout. */
tmap_status tmap_convert_put(tmap_layout *made, tmap_layout *out, tmap_diag *error);
tmap_status tmap_convert_split(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_grouped *g,
                               tmap_diag *error);
