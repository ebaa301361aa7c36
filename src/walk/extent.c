/* Which part of global memory a copy touches: strides are not negative, so the least offset is that of the first
 * indices inside, and the greatest that of the last. */
#include "map/coordinate.h"
#include "tmap/unstable/walk.h"

static void add_bytes(tmap_extent *extent, uint64_t first_B, uint64_t end_B, uint64_t data_B) {
    if (extent->data_B == 0 || first_B < extent->first_B) extent->first_B = first_B;
    if (end_B > extent->end_B) extent->end_B = end_B;
    extent->data_B += data_B;
}

/* Of one box row range. */
static void add_rows(const tmap_copy *copy, uint32_t first_row, uint32_t end_row, tmap_extent *extent) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t bits = copy->unit.value_bits, columns_n = copy->inside_end[0] - copy->inside_first[0];
    uint64_t first_B = (uint64_t)tmap_copy_coordinate(copy, 0, copy->inside_first[0]) * bits / 8;
    uint64_t end_B = ((uint64_t)tmap_copy_coordinate(copy, 0, copy->inside_end[0] - 1) + 1) * bits / 8;
    uint64_t data_B = columns_n * bits / 8;
    for (int i = 1; i < copy->rank; i++) {
        uint32_t first = i == 1 ? first_row : copy->inside_first[i], end = i == 1 ? end_row : copy->inside_end[i];
        if (first >= end) return;
        first_B += (uint64_t)tmap_copy_coordinate(copy, i, first) * params->strides_B[i - 1];
        end_B += (uint64_t)tmap_copy_coordinate(copy, i, end - 1) * params->strides_B[i - 1];
        data_B *= end - first;
    }
    add_bytes(extent, first_B, end_B, data_B);
}

static void add_named_rows(const tmap_copy *copy, tmap_extent *extent) {
    for (uint32_t row = 0; row < 4; row++) {
        int64_t c = copy->params.rows[row];
        if (c >= 0 && (uint64_t)c < copy->map.params.dims_el[1]) add_rows(copy, row, row + 1, extent);
    }
}

/* A column lies in as many places as it has image rows. */
static void add_pixels(const tmap_copy *copy, tmap_extent *extent) {
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        uint64_t row_B = (uint64_t)run.units_n * copy->unit.global_B;
        add_bytes(extent, run.global_B, run.global_B + (run.rows_n - 1) * run.global_step_B + row_B,
                  row_B * run.rows_n);
    }
}

tmap_extent tmap_copy_extent(const tmap_copy *copy) {
    tmap_extent extent = {0, 0, 0};
    if (copy->inside_first[0] >= copy->inside_end[0]) return extent;
    if (tmap_copy_is_im2col(copy))
        add_pixels(copy, &extent);
    else if (copy->op->four_rows)
        add_named_rows(copy, &extent);
    else
        add_rows(copy, copy->inside_first[1], copy->inside_end[1], &extent);
    return extent;
}
