/* Makes register layouts from their four lists, and from the functions that make them in Tilus. */
#include "base/wide.h"
#include "register/modes.h"
#include "register/shaped.h"
#include "tmap/unstable/register_shared.h"

#include <inttypes.h>

/* ---- From four lists ---- */

/* A list of modes, with the names that a refusal uses. */
typedef struct named_list {
    tmap_operation operation;
    const char *name;
    const tmap_mode_list *entries;
    bool replicates; /* a negative entry -n is a replication by n */
} named_list;

static tmap_status check_mode_entry(const tmap_modes *modes, const named_list *list, int64_t entry, uint64_t *seen,
                                    tmap_diag *error) {
    if (entry >= modes->n || entry < 0)
        return tmap_refuse_operation(error, list->operation,
                                     list->replicates ? "modes are numbered from 0; an entry -n is a replication"
                                                      : "modes are numbered from 0",
                                     "%s has the entry %" PRId64 "; the layout has %d mode%s", list->name, entry,
                                     modes->n, TMAP_PLURAL(modes->n));
    if (*seen >> entry & 1)
        return tmap_refuse_operation(error, list->operation, "list no mode twice",
                                     "mode %" PRId64 " of %s is listed twice", entry, list->name);
    *seen |= (uint64_t)1 << entry;
    return TMAP_OK;
}

static tmap_status check_replica(const named_list *list, int64_t entry, tmap_diag *error) {
    if (entry >= -(int64_t)TMAP_MODE_SIZE_MAX) return TMAP_OK;
    return tmap_refuse_operation(error, list->operation, "replicate less",
                                 "%s has a replication by more than 2^62: %" PRId64, list->name, entry);
}

static tmap_status check_list(const tmap_modes *modes, const named_list *list, uint64_t *seen, tmap_diag *error) {
    const tmap_mode_list *entries = list->entries;
    if (entries->n < 0 || entries->n > TMAP_MODES_MAX)
        return tmap_refuse_operation(error, list->operation, "leave out modes of size 1",
                                     "%s has %d entries; the limit is %d", list->name, entries->n, TMAP_MODES_MAX);
    for (int i = 0; i < entries->n; i++) {
        tmap_status status = list->replicates && entries->at[i] < 0
                                 ? check_replica(list, entries->at[i], error)
                                 : check_mode_entry(modes, list, entries->at[i], seen, error);
        if (status != TMAP_OK) return status;
    }
    if (tmap_list_size(modes, entries) == 0)
        return tmap_refuse_operation(error, list->operation, "replicate less", "%s counts more than 2^62", list->name);
    return TMAP_OK;
}

static tmap_status check_all_given(const tmap_register_layout *parts, uint64_t seen, tmap_diag *error) {
    for (int k = 0; k < parts->modes.n; k++)
        if (parts->modes.size[k] > 1 && !(seen >> k & 1))
            return tmap_refuse_operation(
                error, TMAP_OPERATION("register_layout"), "add the mode to spatial_modes or local_modes",
                "mode %d, of size %" PRIu64 ", is in neither of the two lists", k, parts->modes.size[k]);
    return TMAP_OK;
}

tmap_status tmap_register_make(const tmap_register_layout *parts, tmap_register_layout *layout, tmap_diag *error) {
    const tmap_operation operation = TMAP_OPERATION("register_layout");
    const named_list spatial = {operation, "spatial_modes", &parts->spatial, .replicates = true},
                     local = {operation, "local_modes", &parts->local};
    uint64_t seen = 0;
    tmap_status status = tmap_modes_check(&parts->modes, operation, error);
    if (status == TMAP_OK) status = check_list(&parts->modes, &spatial, &seen, error);
    if (status == TMAP_OK) status = check_list(&parts->modes, &local, &seen, error);
    if (status == TMAP_OK) status = check_all_given(parts, seen, error);
    if (status != TMAP_OK) return status;
    tmap_shaped canonical = tmap_shaped_of_register(parts);
    return tmap_register_of_shaped(&canonical, layout, error);
}

tmap_status tmap_multi_make(const tmap_multi_function *parts, tmap_multi_function *function, tmap_diag *error) {
    const tmap_operation operation = TMAP_OPERATION("multi_function");
    const named_list modes = {operation, "modes", &parts->list, .replicates = true};
    uint64_t seen = 0;
    tmap_status status = tmap_modes_check(&parts->modes, operation, error);
    if (status == TMAP_OK) status = check_list(&parts->modes, &modes, &seen, error);
    if (status != TMAP_OK) return status;
    tmap_shaped canonical = tmap_shaped_of_multi(parts);
    return tmap_multi_of_shaped(&canonical, function, error);
}

/* ---- From a shape ---- */

tmap_status tmap_register_fresh(tmap_register_kind kind, const uint64_t *shape, int rank, const int *ranks,
                                tmap_register_layout *layout, tmap_diag *error) {
    const tmap_operation name = TMAP_OPERATION(kind == TMAP_REGISTER_LOCAL ? "local" : "spatial");
    tmap_status status = tmap_modes_shape_check(shape, rank, name, error);
    if (status == TMAP_OK && ranks) status = tmap_dims_check(ranks, rank, rank, name, error);
    if (status != TMAP_OK) return status;
    tmap_register_layout parts = {.modes = {.rank = rank, .n = rank}};
    tmap_mode_list *list = kind == TMAP_REGISTER_LOCAL ? &parts.local : &parts.spatial;
    list->n = rank;
    for (int d = 0; d < rank; d++) {
        parts.modes.shape[d] = parts.modes.size[d] = shape[d];
        list->at[ranks ? ranks[d] : d] = d;
    }
    return tmap_register_make(&parts, layout, error);
}

tmap_status tmap_register_column(tmap_register_kind kind, const uint64_t *shape, int rank, tmap_register_layout *layout,
                                 tmap_diag *error) {
    int ranks[TMAP_MODE_RANK_MAX];
    for (int d = 0; d < rank && d < TMAP_MODE_RANK_MAX; d++) ranks[d] = rank - 1 - d;
    return tmap_register_fresh(kind, shape, rank, ranks, layout, error);
}

tmap_status tmap_register_replicated(const uint64_t *shape, int rank, uint64_t workers_n, tmap_register_layout *layout,
                                     tmap_diag *error) {
    if (workers_n == 0 || workers_n > TMAP_MODE_SIZE_MAX)
        return tmap_refuse_operation(error, TMAP_OPERATION("replicated"), "use 1 to 2^62 workers",
                                     "the number of workers is %" PRIu64, workers_n);
    tmap_register_layout made;
    tmap_status status = tmap_register_fresh(TMAP_REGISTER_LOCAL, shape, rank, NULL, &made, error);
    if (status != TMAP_OK) return status;
    if (workers_n > 1) made.spatial = (tmap_mode_list){.n = 1, .at = {-(int64_t)workers_n}};
    *layout = made;
    return TMAP_OK;
}

tmap_status tmap_register_auto(uint64_t threads_n, const uint64_t *shape, int rank, tmap_register_layout *layout,
                               tmap_diag *error) {
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_OPERATION("auto_local_spatial"), error);
    if (status != TMAP_OK) return status;
    uint64_t elements = 1;
    for (int d = 0; d < rank; d++) elements *= shape[d];
    if (threads_n == 0 || threads_n > TMAP_MODE_SIZE_MAX || (elements % threads_n != 0 && threads_n % elements != 0))
        return tmap_refuse_operation(
            error, TMAP_OPERATION("auto_local_spatial"), "use a divisor or a multiple of the number of elements",
            "%" PRIu64 " threads are neither a divisor nor a multiple of %" PRIu64 " elements", threads_n, elements);
    uint64_t local[TMAP_MODE_RANK_MAX], spatial[TMAP_MODE_RANK_MAX], left = threads_n;
    for (int d = rank - 1; d >= 0; d--) {
        spatial[d] = tmap_gcd(left, shape[d]);
        local[d] = shape[d] / spatial[d];
        left /= spatial[d];
    }
    tmap_register_layout outer, inner;
    status = tmap_register_replicated(local, rank, left, &outer, error);
    if (status == TMAP_OK) status = tmap_register_fresh(TMAP_REGISTER_SPATIAL, spatial, rank, NULL, &inner, error);
    return status == TMAP_OK ? tmap_register_compose(&outer, &inner, layout, error) : status;
}
