/* Register layouts of the same elements in another shape, and register layouts of reductions. */
#include "register/modes.h"
#include "register/shaped.h"

#include <inttypes.h>

static bool is_named(const int *dims, int dims_n, int d) {
    for (int i = 0; i < dims_n; i++)
        if (dims[i] == d) return true;
    return false;
}

/* Removes the named dimensions, which must have size 1, from the shape. */
static void drop_dimensions(tmap_modes *modes, const int *dims, int dims_n) {
    int kept = 0;
    for (int d = 0; d < modes->rank; d++)
        if (!is_named(dims, dims_n, d)) modes->shape[kept++] = modes->shape[d];
    modes->rank = kept;
}

/* ---- Reduce ---- */

/* The threads of the mode become replicas, its registers one register. */
static void collapse_mode(tmap_register_layout *layout, int k) {
    for (int i = 0; i < layout->spatial.n; i++)
        if (layout->spatial.at[i] == k) layout->spatial.at[i] = -(int64_t)layout->modes.size[k];
    layout->modes.size[k] = 1;
}

tmap_status tmap_register_reduce(const tmap_register_layout *layout, const int *dims, int dims_n, bool keep,
                                 tmap_register_layout *reduced, tmap_diag *error) {
    tmap_status status = tmap_dims_check(dims, dims_n, layout->modes.rank, TMAP_FITTED("reduce"), error);
    if (status != TMAP_OK) return status;
    tmap_register_layout rest = *layout;
    int begin[TMAP_MODE_RANK_MAX + 1];
    tmap_modes_ranges(&rest.modes, begin);
    for (int i = 0; i < dims_n; i++) {
        for (int k = begin[dims[i]]; k < begin[dims[i] + 1]; k++) collapse_mode(&rest, k);
        rest.modes.shape[dims[i]] = 1;
    }
    tmap_shaped shaped = tmap_shaped_of_register(&rest);
    status = tmap_register_of_shaped(&shaped, &rest, error);
    if (status != TMAP_OK) return status;
    if (!keep) drop_dimensions(&rest.modes, dims, dims_n);
    *reduced = rest;
    return TMAP_OK;
}

tmap_status tmap_register_reduce_to(const tmap_register_layout *layout, const uint64_t *shape, int rank,
                                    tmap_register_layout *reduced, tmap_diag *error) {
    int dims[TMAP_MODE_RANK_MAX], dims_n = 0, missing = layout->modes.rank - rank;
    if (rank < 0 || missing < 0)
        return tmap_refuse_operation(error, TMAP_FITTED("reduce_to"),
                                     "use at most as many dimensions as the layout has",
                                     "the result has %d dimensions, but the layout has %d", rank, layout->modes.rank);
    for (int d = 0; d < layout->modes.rank; d++) {
        uint64_t have = layout->modes.shape[d], want = d < missing ? 1 : shape[d - missing];
        if (want != have && want != 1)
            return tmap_refuse_operation(error, TMAP_FITTED("reduce_to"), "make the dimension 1, or do not change it",
                                         "dimension %d is %" PRIu64 " in the layout, but %" PRIu64 " in the result", d,
                                         have, want);
        if (want != have || d < missing) dims[dims_n++] = d;
    }
    tmap_register_layout kept;
    tmap_status status = tmap_register_reduce(layout, dims, dims_n, true, &kept, error);
    if (status != TMAP_OK) return status;
    for (int d = 0; d < missing; d++) dims[d] = d;
    drop_dimensions(&kept.modes, dims, missing);
    *reduced = kept;
    return TMAP_OK;
}

/* ---- Order and number of dimensions ---- */

tmap_status tmap_register_permute(const tmap_register_layout *layout, const int *dims, int dims_n,
                                  tmap_register_layout *permuted, tmap_diag *error) {
    tmap_shaped shaped = tmap_shaped_of_register(layout);
    tmap_status status = tmap_shaped_permute(&shaped, dims, dims_n, &shaped, error);
    return status == TMAP_OK ? tmap_register_of_shaped(&shaped, permuted, error) : status;
}

tmap_status tmap_register_squeeze(const tmap_register_layout *layout, const int *dims, int dims_n,
                                  tmap_register_layout *squeezed, tmap_diag *error) {
    tmap_status status = tmap_dims_check(dims, dims_n, layout->modes.rank, TMAP_FITTED("squeeze"), error);
    if (status != TMAP_OK) return status;
    for (int i = 0; i < dims_n; i++)
        if (layout->modes.shape[dims[i]] != 1)
            return tmap_refuse_operation(error, TMAP_FITTED("squeeze"), "squeeze dimensions of size 1",
                                         "dimension %d is %" PRIu64, dims[i], layout->modes.shape[dims[i]]);
    *squeezed = *layout;
    drop_dimensions(&squeezed->modes, dims, dims_n);
    return TMAP_OK;
}

tmap_status tmap_register_unsqueeze(const tmap_register_layout *layout, const int *dims, int dims_n,
                                    tmap_register_layout *unsqueezed, tmap_diag *error) {
    int rank = layout->modes.rank + dims_n, from = 0;
    tmap_status status = tmap_modes_rank_check(rank, TMAP_FITTED("unsqueeze"), error);
    if (status == TMAP_OK) status = tmap_dims_check(dims, dims_n, rank, TMAP_FITTED("unsqueeze"), error);
    if (status != TMAP_OK) return status;
    tmap_register_layout wider = *layout;
    wider.modes.rank = rank;
    for (int d = 0; d < rank; d++) wider.modes.shape[d] = is_named(dims, dims_n, d) ? 1 : layout->modes.shape[from++];
    *unsqueezed = wider;
    return TMAP_OK;
}

/* ---- Reshape ---- */

tmap_status tmap_register_reshape(const tmap_register_layout *layout, const uint64_t *shape, int rank,
                                  tmap_register_layout *reshaped, tmap_diag *error) {
    tmap_shaped shaped = tmap_shaped_of_register(layout);
    tmap_status status = tmap_shaped_reshape(&shaped, shape, rank, error);
    return status == TMAP_OK ? tmap_register_of_shaped(&shaped, reshaped, error) : status;
}

tmap_status tmap_register_flatten(const tmap_register_layout *layout, int first, int last, tmap_register_layout *flat,
                                  tmap_diag *error) {
    int rank = layout->modes.rank, from = first < 0 ? first + rank : first, to = last < 0 ? last + rank : last;
    if (from < 0 || to >= rank || from > to)
        return tmap_refuse_operation(error, TMAP_FITTED("flatten"), "name a first and a last dimension, both included",
                                     "dimensions %d to %d do not exist: the shape has %d", first, last, rank);
    uint64_t shape[TMAP_MODE_RANK_MAX], merged = 1;
    for (int d = from; d <= to; d++) merged *= layout->modes.shape[d];
    for (int d = 0; d < from; d++) shape[d] = layout->modes.shape[d];
    shape[from] = merged;
    for (int d = to + 1; d < rank; d++) shape[from + d - to] = layout->modes.shape[d];
    return tmap_register_reshape(layout, shape, rank - (to - from), flat, error);
}
