/* Converts CuTe layouts to S/R/O, and back if CuTe can express the layout. */
#include "cute/tuples.h"
#include "layout/iter_lists.h"
#include "register/shaped.h"
#include "tmap/unstable/layout_swizzle.h"

tmap_status tmap_cute_to_layout(const tmap_cute *layout, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = {.has_swizzle = layout->swizzle.b > 0, .swizzle = layout->swizzle};
    for (int i = tmap_cute_first(layout, 0); i < tmap_cute_end(layout, 0); i = tmap_cute_next(layout, i)) {
        for (int k = tmap_cute_end(layout, i) - 1; k >= i; k--) {
            const tmap_cute_node *leaf = &layout->nodes[k];
            const tmap_iter iter = {(int64_t)leaf->shape, leaf->stride, TMAP_REGISTERS};
            if (!leaf->tuple && !tmap_iters_add(&made.shard, iter))
                return tmap_refuse_operation(error, TMAP_OPERATION("as_layout"), "coalesce the layout",
                                             "more than %d leaves", TMAP_ITERS_MAX);
        }
    }
    if (layout->offset != 0)
        made.offset.at[made.offset.n++] = (tmap_axis_value){tmap_axis_get(TMAP_AXIS_ID_M), layout->offset};
    return tmap_convert_put(&made, out, error);
}

tmap_status tmap_cute_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_cute *out,
                                tmap_diag *error) {
    tmap_shaped shaped;
    tmap_grouped g;
    tmap_status status = tmap_layout_check_memory(layout, TMAP_NO_OPERAND, error);
    if (status == TMAP_OK) status = tmap_shaped_make(layout, shape, rank, &shaped, error);
    if (status == TMAP_OK) status = tmap_layout_split(&shaped.layout, &shaped.shape, 1, &g, error);
    if (status != TMAP_OK) return status;
    tmap_cute_build build = {.too_many = false};
    int open = tmap_cute_begin_node(&build, rank != 1);
    for (int d = 0; d < rank; d++) {
        tmap_iters leaves = {.n = 0};
        for (int k = g.starts[d + 1] - 1; k >= g.starts[d]; k--) (void)tmap_iters_add(&leaves, g.layout.shard.at[k]);
        tmap_cute_append_leaves(&build, &leaves);
    }
    tmap_cute_close(&build, open);
    tmap_cute like = {.offset = tmap_values_get(&g.layout.offset, tmap_axis_get(TMAP_AXIS_ID_M))};
    if (g.layout.has_swizzle) like.swizzle = g.layout.swizzle;
    return tmap_cute_built(&build, &like, TMAP_OPERATION("as_cute"), out, error);
}
