/* Converts register layouts and shared layouts to S/R/O, and back if they can express the layout. */
#include "register/modes.h"
#include "register/shaped.h"

#include <inttypes.h>

/* ---- To S/R/O ---- */

tmap_status tmap_convert_put(tmap_layout *made, tmap_layout *out, tmap_diag *error) {
    if (made->shard.n == 0) tmap_shard_add(made, 1, 1);
    return tmap_layout_put(made, out, error);
}

tmap_status tmap_register_to_layout(const tmap_register_layout *layout, const tmap_axis *threads, tmap_layout *out,
                                    tmap_diag *error) {
    if (threads->kind != TMAP_AXIS_THREAD)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_layout"),
                                     "name an axis of threads: tx, laneid, tid_in_wg", "%s does not count threads",
                                     threads->name);
    tmap_layout made = tmap_shaped_of_register(layout).layout;
    tmap_iters *const lists[] = {&made.shard, &made.replica};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l]->n; i++)
            if (lists[l]->at[i].axis == TMAP_THREADS) lists[l]->at[i].axis = threads;
    return tmap_convert_put(&made, out, error);
}

tmap_status tmap_shared_to_layout(const tmap_shared_layout *layout, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = tmap_shaped_of_shared(layout).layout;
    return tmap_convert_put(&made, out, error);
}

/* ---- From S/R/O ---- */

tmap_status tmap_shared_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_shared_layout *out,
                                  tmap_diag *error) {
    tmap_shaped shaped;
    tmap_shared_layout made;
    tmap_status status = tmap_layout_check_memory(layout, TMAP_NO_OPERAND, error);
    if (status == TMAP_OK) status = tmap_shaped_make(layout, shape, rank, &shaped, error);
    if (status != TMAP_OK) return status;
    if (layout->offset.n > 0 || (layout->has_swizzle && layout->swizzle.outer))
        return tmap_refuse_operation(error, TMAP_OPERATION("as_shared"),
                                     "use a layout without offset and without outer swizzle",
                                     "the layout has an offset or an outer swizzle");
    for (int k = 0; k < layout->shard.n; k++)
        if (layout->shard.at[k].stride < 0 && layout->shard.at[k].extent > 1)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_shared"), "use strides of 0 or more",
                                         "stride %" PRId64 " is negative", layout->shard.at[k].stride);
    status = tmap_shared_of_shaped(&shaped, &made, error);
    return status == TMAP_OK ? tmap_shared_make(&made, out, error) : status;
}

/* Requires one axis of threads and one axis of memory, and replicas only on the axis of threads. */
static tmap_status check_axes(const tmap_iters *iters, bool replicas, const tmap_axis *of_kind[2], tmap_diag *error) {
    for (int i = 0; i < iters->n; i++) {
        const tmap_iter *iter = &iters->at[i];
        bool thread = iter->axis->kind == TMAP_AXIS_THREAD;
        if (iter->extent == 1) continue;
        if (!of_kind[thread]) of_kind[thread] = iter->axis;
        if (iter->axis->kind == TMAP_AXIS_DEVICE || !tmap_axis_same(iter->axis, of_kind[thread]))
            return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                         "use a layout on one axis of threads and one axis of memory",
                                         "the layout also has the axis %s", iter->axis->name);
        if (replicas && !thread)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                         "use replicas on the axis of the threads",
                                         "the layout has replicas on the axis %s", iter->axis->name);
        if (iter->stride == 0)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                         "use strides that reach every number once",
                                         "an iter of extent %" PRId64 " has stride 0", iter->extent);
    }
    return TMAP_OK;
}

tmap_status tmap_register_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                    tmap_register_layout *out, tmap_diag *error) {
    tmap_shaped shaped;
    const tmap_axis *of_kind[2] = {NULL, NULL};
    tmap_status status = tmap_shaped_make(layout, shape, rank, &shaped, error);
    if (status == TMAP_OK) status = tmap_layout_fused(layout, &shaped.layout, error);
    if (status != TMAP_OK) return status;
    if (layout->offset.n > 0 || layout->has_swizzle)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_register"), "use a layout without offset and swizzle",
                                     "the layout has an offset or a swizzle");
    status = check_axes(&shaped.layout.shard, false, of_kind, error);
    if (status == TMAP_OK) status = check_axes(&shaped.layout.replica, true, of_kind, error);
    return status == TMAP_OK ? tmap_register_of_shaped(&shaped, out, error) : status;
}
