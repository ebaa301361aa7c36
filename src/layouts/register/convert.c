/* Converts register layouts and shared layouts to S/R/O, and back if both can express the layout. */
#include "register/convert.h"

#include "tmap/unstable/register_shared.h"

#include "register/modes.h"

#include <inttypes.h>

static const tmap_axis *memory(void) {
    return tmap_axis_get(TMAP_AXIS_ID_M);
}

void tmap_convert_add(tmap_layout *made, uint64_t extent, int64_t stride) {
    made->shard.at[made->shard.n++] = (tmap_iter){.extent = (int64_t)extent, .stride = stride, .axis = memory()};
}

tmap_status tmap_convert_put(tmap_layout *made, tmap_layout *out, tmap_diag *error) {
    if (made->shard.n == 0) tmap_convert_add(made, 1, 1);
    tmap_status status = tmap_layout_check(made, error);
    if (status == TMAP_OK) *out = *made;
    return status;
}

/* ---- To S/R/O ---- */

tmap_status tmap_register_to_layout(const tmap_register_layout *layout, const tmap_axis *threads, tmap_layout *out,
                                    tmap_diag *error) {
    if (threads->kind != TMAP_AXIS_THREAD)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_layout"),
                                     "name an axis of threads: tx, laneid, tid_in_wg", "%s does not count threads",
                                     threads->name);
    tmap_layout made = {.shard.n = layout->modes.n};
    int64_t weight = 1;
    for (int i = layout->spatial.n - 1; i >= 0; i--) {
        int64_t entry = layout->spatial.at[i], size = (int64_t)tmap_entry_size(&layout->modes, entry);
        tmap_iter iter = {.extent = size, .stride = weight, .axis = threads};
        *(entry < 0 ? &made.replica.at[made.replica.n++] : &made.shard.at[entry]) = iter;
        weight *= size;
    }
    weight = 1;
    for (int i = layout->local.n - 1; i >= 0; i--) {
        int64_t entry = layout->local.at[i], size = (int64_t)layout->modes.size[entry];
        made.shard.at[entry] = (tmap_iter){.extent = size, .stride = weight, .axis = memory()};
        weight *= size;
    }
    return tmap_convert_put(&made, out, error);
}

tmap_status tmap_shared_to_layout(const tmap_shared_layout *layout, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = {.has_swizzle = layout->swizzle.bits > 0};
    for (int k = 0; k < layout->modes.n; k++)
        tmap_convert_add(&made, layout->modes.size[k], (int64_t)layout->strides[k]);
    if (made.has_swizzle)
        made.swizzle = (tmap_xor){.m = layout->swizzle.base, .b = layout->swizzle.bits, .s = layout->swizzle.shift};
    return tmap_convert_put(&made, out, error);
}

/* ---- From S/R/O ---- */

tmap_status tmap_convert_group(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_grouped *g,
                               tmap_diag *error) {
    tmap_shape dims = {.rank = rank};
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_OPERATION("shape"), error);
    if (status != TMAP_OK) return status;
    for (int d = 0; d < rank; d++) dims.at[d] = (int64_t)shape[d];
    return tmap_layout_group(layout, &dims, &g->layout, g->starts, error);
}

static tmap_status refuse_axis(const tmap_axis *axis, tmap_operation operation, tmap_diag *error) {
    return tmap_refuse_operation(error, operation, "use a layout only on m", "the layout has the axis %s", axis->name);
}

tmap_status tmap_convert_check_memory(const tmap_layout *layout, tmap_operation operation, tmap_diag *error) {
    if (layout->replica.n > 0)
        return tmap_refuse_operation(error, operation, "use a layout with one place for each element",
                                     "the layout has replicas");
    for (int i = 0; i < layout->shard.n; i++)
        if (!tmap_axis_same(layout->shard.at[i].axis, memory()))
            return refuse_axis(layout->shard.at[i].axis, operation, error);
    for (int i = 0; i < layout->offset.n; i++)
        if (!tmap_axis_same(layout->offset.at[i].axis, memory()))
            return refuse_axis(layout->offset.at[i].axis, operation, error);
    return TMAP_OK;
}

tmap_status tmap_shared_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_shared_layout *out,
                                  tmap_diag *error) {
    tmap_grouped g;
    tmap_status status = tmap_convert_check_memory(layout, TMAP_OPERATION("as_shared"), error);
    if (status == TMAP_OK) status = tmap_convert_group(layout, shape, rank, &g, error);
    if (status != TMAP_OK) return status;
    if (g.layout.offset.n > 0 || (g.layout.has_swizzle && g.layout.swizzle.outer))
        return tmap_refuse_operation(error, TMAP_OPERATION("as_shared"),
                                     "use a layout without offset and without outer swizzle",
                                     "the layout has an offset or an outer swizzle");
    tmap_shared_layout parts = {.modes = {.rank = rank, .n = g.layout.shard.n}};
    for (int d = 0; d < rank; d++) parts.modes.shape[d] = shape[d];
    for (int k = 0; k < g.layout.shard.n; k++) {
        const tmap_iter *iter = &g.layout.shard.at[k];
        if (iter->stride < 0 && iter->extent > 1)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_shared"), "use strides of 0 or more",
                                         "stride %" PRId64 " is negative", iter->stride);
        parts.modes.size[k] = (uint64_t)iter->extent;
        parts.strides[k] = iter->extent > 1 ? (uint64_t)iter->stride : 0;
    }
    if (g.layout.has_swizzle)
        parts.swizzle = (tmap_shared_swizzle){g.layout.swizzle.m, g.layout.swizzle.b, g.layout.swizzle.s};
    return tmap_shared_make(&parts, out, error);
}

/* ---- Register layouts from S/R/O ---- */

/* The entries of a list, with the stride of each entry's count. */
typedef struct counted_modes {
    int n;
    int64_t entry[2 * TMAP_ITERS_MAX], size[2 * TMAP_ITERS_MAX], stride[2 * TMAP_ITERS_MAX];
} counted_modes;

static void count(counted_modes *list, int64_t entry, const tmap_iter *iter) {
    list->entry[list->n] = entry;
    list->size[list->n] = iter->extent;
    list->stride[list->n++] = iter->stride;
}

/* The entries from the longest stride to the shortest. Refuses entries that do not count densely. */
static tmap_status order(const counted_modes *from, const char *what, tmap_mode_list *list, tmap_diag *error) {
    int64_t covered = 1;
    list->n = from->n;
    if (from->n > TMAP_MODES_MAX)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_register"), "use fewer iters", "too many iters");
    for (int place = from->n - 1; place >= 0; place--) {
        int i = 0;
        while (i < from->n && from->stride[i] != covered) i++;
        if (i == from->n || from->size[i] > (int64_t)TMAP_MODE_SIZE_MAX / covered)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                         "use strides that reach every number once",
                                         "no iter steps through the %s by %" PRId64, what, covered);
        list->at[place] = from->entry[i];
        covered *= from->size[i];
    }
    return TMAP_OK;
}

typedef struct lists {
    counted_modes threads, registers;
    const tmap_axis *thread_axis, *register_axis; /* NULL until the first axis of the kind */
} lists;

static tmap_status count_iter(lists *l, int64_t entry, const tmap_iter *iter, tmap_diag *error) {
    bool thread = iter->axis->kind == TMAP_AXIS_THREAD;
    const tmap_axis **axis = thread ? &l->thread_axis : &l->register_axis;
    if (iter->extent == 1) return TMAP_OK;
    if (!*axis) *axis = iter->axis;
    if (iter->axis->kind == TMAP_AXIS_DEVICE || !tmap_axis_same(iter->axis, *axis))
        return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                     "use a layout on one axis of threads and one axis of memory",
                                     "the layout also has the axis %s", iter->axis->name);
    if (entry < 0 && !thread)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_register"), "use replicas on the axis of the threads",
                                     "the layout has replicas on the axis %s", iter->axis->name);
    count(thread ? &l->threads : &l->registers, entry, iter);
    return TMAP_OK;
}

tmap_status tmap_register_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                    tmap_register_layout *out, tmap_diag *error) {
    tmap_grouped g;
    tmap_layout fused;
    tmap_status status = tmap_layout_fused(layout, &fused, error);
    if (status == TMAP_OK) status = tmap_convert_group(&fused, shape, rank, &g, error);
    if (status != TMAP_OK) return status;
    if (g.layout.offset.n > 0 || g.layout.has_swizzle)
        return tmap_refuse_operation(error, TMAP_OPERATION("as_register"), "use a layout without offset and swizzle",
                                     "the layout has an offset or a swizzle");
    tmap_register_layout parts = {.modes = {.rank = rank, .n = g.layout.shard.n}};
    lists l = {0};
    for (int d = 0; d < rank; d++) parts.modes.shape[d] = shape[d];
    for (int k = 0; status == TMAP_OK && k < g.layout.shard.n; k++) {
        parts.modes.size[k] = (uint64_t)g.layout.shard.at[k].extent;
        status = count_iter(&l, k, &g.layout.shard.at[k], error);
    }
    for (int k = 0; status == TMAP_OK && k < g.layout.replica.n; k++)
        status = count_iter(&l, -g.layout.replica.at[k].extent, &g.layout.replica.at[k], error);
    if (status == TMAP_OK) status = order(&l.threads, "threads", &parts.spatial, error);
    if (status == TMAP_OK) status = order(&l.registers, "registers", &parts.local, error);
    return status == TMAP_OK ? tmap_register_make(&parts, out, error) : status;
}
