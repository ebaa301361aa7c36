/* A program that uses the unstable tier of the core: the runs of a copy and their useful bytes. */
#include <stdio.h>
#include <tmap/unstable/counts.h>
#include <tmap/unstable/walk.h>

int main(void) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = params.dims_el[1] = 64;
    params.strides_B[0] = 128;
    params.box_el[0] = 64, params.box_el[1] = 8;
    const tmap_copy_params at = {.at_n = 2};
    tmap_map map;
    tmap_copy copy;
    if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK) return 1;
    if (tmap_copy_init(&copy, &map, &at, NULL, NULL) != TMAP_OK) return 2;
    uint64_t bytes = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, &copy); tmap_walk_next(&walk, &run);) bytes += (uint64_t)run.units_n * run.rows_n * 2;
    if (bytes != 1024 || tmap_copy_extent(&copy).end_B != 1024) return 3;
    printf("unstable %d types\n", TMAP_TYPE_COUNT);
    return 0;
}
