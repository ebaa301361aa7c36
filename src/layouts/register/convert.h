/* Functions that conversions to and from S/R/O share. */
#pragma once

#include "diag/refuse.h"
#include "tmap/unstable/layout_algebra.h"

/* Adds an iter on m. */
void tmap_convert_add(tmap_layout *made, uint64_t extent, int64_t stride);
/* Gives an empty layout the iter of one element, then checks the layout. */
tmap_status tmap_convert_put(tmap_layout *made, tmap_layout *out, tmap_diag *error);

/* A layout grouped by a shape: run d consists of iters starts[d] to starts[d + 1] - 1. */
typedef struct tmap_grouped {
    tmap_layout layout;
    int starts[TMAP_ITERS_MAX + 1];
} tmap_grouped;
tmap_status tmap_convert_group(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_grouped *g,
                               tmap_diag *error);
/* Refuses replicas and axes other than m, with the name of `operation`. */
tmap_status tmap_convert_check_memory(const tmap_layout *layout, tmap_operation operation, tmap_diag *error);
