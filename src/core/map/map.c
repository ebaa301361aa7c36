/* Checked parameters become a frozen map. */
#include "tmap/map.h"
#include "base/memory.h"
#include "diag/refuse.h"
#include "rule/trial.h"

/* Sets every field that the driver ignores to its neutral value, so that later code needs no rank. */
static void settle_unused(tmap_map_params *params) {
    for (uint64_t i = params->rank; i < TMAP_RANK_MAX; i++) {
        params->dims_el[i] = params->box_el[i] = params->element_strides[i] = 1;
        params->strides_B[i - 1] = 0;
    }
    if (params->interleave == TMAP_INTERLEAVE_NONE) params->element_strides[0] = 1;
    if (tmap_mode_get((int)params->mode)->im2col)
        for (int i = 0; i < TMAP_RANK_MAX; i++) params->box_el[i] = 1;
    if (!params->has_address) params->address = 0;
}

tmap_status tmap_map_init(tmap_map *map, const tmap_map_params *params, const tmap_judge *judge, tmap_diags *diags) {
    if (!map || !params) return tmap_bad_argument(diags, "map or params is null");
    tmap_derived derived;
    tmap_status status = tmap_judge_map(params, judge, diags, &derived);
    if (status != TMAP_OK) return status;
    if (params != &map->params) tmap_copy_struct(&map->params, params, sizeof *params);
    tmap_copy_struct(&map->derived, &derived, sizeof derived); /* settling changes none of these numbers */
    tmap_zero_struct(map->reserved, sizeof map->reserved);
    map->type = tmap_type_get((int)params->type);
    map->swizzle = tmap_swizzle_get((int)params->swizzle);
    map->stored_stride = params->element_strides[0];
    settle_unused(&map->params);
    return TMAP_OK;
}
