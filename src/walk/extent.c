/* Which part of global memory a copy touches, without a walk: strides are not negative, so the least offset is that of
 * the first indices inside, and the greatest that of the last. */
#include "map/coordinate.h"
#include "tmap/walk.h"

/* Of one box row range; *extent grows by it. */
static void add_rows(const tmap_copy *copy, uint32_t first_row, uint32_t end_row, tmap_extent *extent) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t bits = (uint64_t)copy->map.type->bits;
    uint64_t columns_n = copy->inside_end[0] - copy->inside_first[0];
    uint64_t first_B = tmap_inner_global_B(copy->map.type, (uint64_t)(copy->params.at[0] + copy->inside_first[0]));
    uint64_t last_B = first_B, data_B = columns_n * bits / 8;
    for (int i = 1; i < copy->rank; i++) {
        uint32_t first = i == 1 ? first_row : copy->inside_first[i], end = i == 1 ? end_row : copy->inside_end[i];
        if (first >= end) return;
        first_B += (uint64_t)tmap_copy_coordinate(copy, i, first) * params->strides_B[i - 1];
        last_B += (uint64_t)tmap_copy_coordinate(copy, i, end - 1) * params->strides_B[i - 1];
        data_B *= end - first;
    }
    if (extent->data_B == 0 || first_B < extent->first_B) extent->first_B = first_B;
    if (last_B + columns_n * bits / 8 > extent->end_B) extent->end_B = last_B + columns_n * bits / 8;
    extent->data_B += data_B;
}

tmap_extent tmap_copy_extent(const tmap_copy *copy) {
    tmap_extent extent = {0, 0, 0};
    if (copy->inside_first[0] >= copy->inside_end[0]) return extent;
    if (!copy->op->four_rows) {
        add_rows(copy, copy->inside_first[1], copy->inside_end[1], &extent);
        return extent;
    }
    for (uint32_t row = 0; row < 4; row++) {
        int64_t c = copy->params.rows[row];
        if (c >= 0 && (uint64_t)c < copy->map.params.dims_el[1]) add_rows(copy, row, row + 1, &extent);
    }
    return extent;
}
