/* plan: the layout that a copy's box has in shared memory. */
#include <inttypes.h>

#include "layout/iter_lists.h"
#include "plan/layout_parts.h"

tmap_status tmap_layout_of_copy(const tmap_copy *copy, tmap_layout *out, tmap_diag *error) {
    const tmap_type_info *type = copy->map.type;
    tmap_layout made = {.shard = {.n = 0}};
    if (tmap_plan_element_B(type) == 0 || copy->map.params.interleave != TMAP_INTERLEAVE_NONE)
        return tmap_refuse_operand(error, -1,
                                   "boxes of whole-byte elements have a layout; this is type %s, interleave %s",
                                   type->name, tmap_interleave_get((int)copy->map.params.interleave)->name);
    tmap_status status = tmap_xor_of_mode(type->bits, copy->map.params.swizzle, &made.swizzle, error);
    if (status != TMAP_OK) return status;
    made.has_swizzle = made.swizzle.b > 0;
    if (!made.has_swizzle) made.swizzle = (tmap_xor){0};
    int64_t element_B = tmap_plan_element_B(type), stride = copy->pitch_B / element_B;
    made.shard.n = copy->rank;
    for (int d = 0; d < copy->rank; d++) {
        tmap_iter *iter = &made.shard.at[copy->rank - 1 - d];
        *iter = (tmap_iter){copy->counts[d], d == 0 ? 1 : stride, tmap_axis_get(TMAP_AXIS_ID_M)};
        if (d > 0) stride *= copy->counts[d];
    }
    if (copy->params.shared > 0)
        made.offset =
            (tmap_axis_values){1, {{tmap_axis_get(TMAP_AXIS_ID_M), (int64_t)copy->params.shared / element_B}}};
    return tmap_layout_put(&made, out, error);
}
