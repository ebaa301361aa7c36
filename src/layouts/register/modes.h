/* Shapes split into modes, and lists of modes, for register layouts, shared layouts and multi-functions. */
#pragma once

#include "diag/refuse.h"
#include "text/print.h"
#include "tmap/unstable/register.h"

/* Requires dimensions of at least 1 with at most TMAP_MODE_SIZE_MAX elements, which the modes split exactly. */
tmap_status tmap_modes_check(const tmap_modes *modes, tmap_operation operation, tmap_diag *error);
/* Refuses too many dimensions. */
tmap_status tmap_modes_rank_check(int rank, tmap_operation operation, tmap_diag *error);
/* Checks only the shape. */
tmap_status tmap_modes_shape_check(const uint64_t *shape, int rank, tmap_operation operation, tmap_diag *error);
/* Requires different numbers from 0 to rank - 1. */
tmap_status tmap_dims_check(const int *dims, int dims_n, int rank, tmap_operation operation, tmap_diag *error);

/* The modes of dimension d are begin[d] to begin[d + 1] - 1. Requires modes of size 2 or more. */
void tmap_modes_ranges(const tmap_modes *modes, int begin[TMAP_MODE_RANK_MAX + 1]);

/* The index of the element with row-major number `element`. */
void tmap_modes_unravel(const tmap_modes *modes, uint64_t element, uint64_t *index);

/* The number of values of an entry of a list: the mode's size, or the replication. */
uint64_t tmap_entry_size(const tmap_modes *modes, int64_t entry);
/* The product of the sizes of all entries; 0 if it exceeds TMAP_MODE_SIZE_MAX. */
uint64_t tmap_list_size(const tmap_modes *modes, const tmap_mode_list *list);
/* The product of the replications. */
uint64_t tmap_list_replicas_n(const tmap_mode_list *list);
bool tmap_modes_equal(const tmap_modes *a, const tmap_modes *b);

/* The number that the list gives for an element whose modes have the indices `of_mode`; `replica` is the number of the
 * replica. */
uint64_t tmap_list_number(const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                          uint64_t replica);
