/* Shapes split into modes, and lists of modes: what register layouts, shared layouts and multi-functions share. */
#pragma once

#include "diag/refuse.h"
#include "tmap/unstable/register.h"
#include "util/print.h"

/* Dimensions of at least 1, in all at most TMAP_MODE_SIZE_MAX elements, split by the modes without a rest. */
tmap_status tmap_modes_check(const tmap_modes *modes, tmap_operation operation, tmap_diag *error);
/* Only the shape. */
tmap_status tmap_modes_shape_check(const uint64_t *shape, int rank, tmap_operation operation, tmap_diag *error);
/* A shape that the elements of `modes` can be given. */
tmap_status tmap_modes_reshape_check(const tmap_modes *modes, const uint64_t *shape, int rank, tmap_diag *error);
/* Numbers from 0 below `rank`, none twice. */
tmap_status tmap_dims_check(const int *dims, int dims_n, int rank, tmap_operation operation, tmap_diag *error);

/* The modes of dimension d are those from begin[d] up to begin[d + 1]; there must be no units among them. */
void tmap_modes_ranges(const tmap_modes *modes, int begin[TMAP_MODE_RANK_MAX + 1]);

/* What an entry of a list counts to: the mode's size, or the replication. */
uint64_t tmap_entry_size(const tmap_modes *modes, int64_t entry);
/* The product of all entries; 0 when it is above TMAP_MODE_SIZE_MAX. */
uint64_t tmap_list_size(const tmap_modes *modes, const tmap_mode_list *list);
bool tmap_list_equal(const tmap_mode_list *a, const tmap_mode_list *b);
bool tmap_modes_equal(const tmap_modes *a, const tmap_modes *b);

/* Units go, and neighbouring modes of a dimension merge that are neighbours of a list. */
void tmap_modes_canonical(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n);
/* Mode k becomes two, the second of size `inner`, which must divide it. */
void tmap_modes_split(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n, int k, uint64_t inner);
/* The list as one number of an element whose modes have the indices `of_mode`; `replica` counts the replications. */
uint64_t tmap_list_number(const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                          uint64_t replica);
/* Replications side by side become one. */
void tmap_list_merge_replicas(tmap_mode_list *list);
/* Appends the entries of `from`, modes renumbered by `number` (NULL: as they are). */
void tmap_list_append(tmap_mode_list *list, const tmap_mode_list *from, const int *number);
/* Leading dimensions of 1 until there are `rank`. */
void tmap_modes_pad(tmap_modes *modes, int rank);
/* Splits the modes where a dimension of `shape` ends in them; the shape stays. Refused where it ends unevenly. */
tmap_status tmap_modes_refine(tmap_modes *modes, tmap_mode_list *const *lists, int lists_n, const uint64_t *shape,
                              int rank, tmap_diag *error);
