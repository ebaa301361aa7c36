/* Which part of global memory a copy touches. */
#include "tmap/walk.h"

tmap_extent tmap_copy_extent(const tmap_copy *copy) {
    tmap_extent extent = {UINT64_MAX, 0, 0};
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        uint64_t row_B = (uint64_t)run.units_n * copy->map.type->unit_global_B;
        uint64_t end = run.global_B + (run.rows_n - 1) * run.global_step_B + row_B;
        if (run.global_B < extent.first_B) extent.first_B = run.global_B;
        if (end > extent.end_B) extent.end_B = end;
        extent.data_B += row_B * run.rows_n;
    }
    if (extent.end_B == 0) extent.first_B = 0;
    return extent;
}
