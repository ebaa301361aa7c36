/* Shapes split into modes, and lists of modes, for register layouts, shared layouts and multi-functions. */
#pragma once

#include "diag/refuse.h"
#include "text/print.h"
#include "tmap/unstable/register.h"

/* Requires dimensions of at least 1 with at most TMAP_MODE_SIZE_MAX elements, which the modes split exactly. */
tmap_status tmap_modes_check(const tmap_modes *modes, tmap_operation operation, tmap_diag *error);
/* Checks only the shape. */
tmap_status tmap_modes_shape_check(const uint64_t *shape, int rank, tmap_operation operation, tmap_diag *error);
/* Requires a shape with as many elements as `modes`. */
tmap_status tmap_modes_reshape_check(const tmap_modes *modes, const uint64_t *shape, int rank, tmap_diag *error);
/* Requires different numbers from 0 to rank - 1. */
tmap_status tmap_dims_check(const int *dims, int dims_n, int rank, tmap_operation operation, tmap_diag *error);

/* The modes of dimension d are begin[d] to begin[d + 1] - 1. Requires modes of size 2 or more. */
void tmap_modes_ranges(const tmap_modes *modes, int begin[TMAP_MODE_RANK_MAX + 1]);

/* The number of values of an entry of a list: the mode's size, or the replication. */
uint64_t tmap_entry_size(const tmap_modes *modes, int64_t entry);
/* The product of the sizes of all entries; 0 if it exceeds TMAP_MODE_SIZE_MAX. */
uint64_t tmap_list_size(const tmap_modes *modes, const tmap_mode_list *list);
bool tmap_list_equal(const tmap_mode_list *a, const tmap_mode_list *b);
bool tmap_modes_equal(const tmap_modes *a, const tmap_modes *b);

/* Removes modes of size 1. Merges neighbouring modes of a dimension if they are also neighbours in a list. */
void tmap_modes_canonical(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n);
/* Splits mode k into two; the second has size `inner`, which must divide the mode's size. */
void tmap_modes_split(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n, int k, uint64_t inner);
/* The number that the list gives for an element whose modes have the indices `of_mode`; `replica` is the number of the
 * replica. */
uint64_t tmap_list_number(const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                          uint64_t replica);
/* Merges adjacent replications. */
void tmap_list_merge_replicas(tmap_mode_list *list);
/* Appends the entries of `from`, with modes renumbered by `number` (NULL: unchanged). */
void tmap_list_append(tmap_mode_list *list, const tmap_mode_list *from, const int *number);
/* Adds leading dimensions of 1 until there are `rank` dimensions. */
void tmap_modes_pad(tmap_modes *modes, int rank);
/* Splits modes where a dimension of `shape` ends inside them; the shape of `modes` stays. Refuses an uneven split. */
tmap_status tmap_modes_refine(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n, const uint64_t *shape,
                              int rank, tmap_operation operation, tmap_diag *error);
