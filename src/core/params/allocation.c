/*
 * The allocation class that the native encoder chooses. The driver's own choice for AUTO is not published: a
 * "conservative test of contiguity" (CUDA driver API 13.5, cuTensorMapSetAllocationClass). NVIDIA's encoder of the CuTe
 * DSL chooses LARGE where the tensor spans 128 KiB (tests/tool/check_encoder.py).
 */
#include "params/allocation.h"

#include "base/wide.h"
#include "params/derive.h"

/* A map of class SMALL may access this many bytes outside its tensor (the same document), so gaps of this size are
 * accessible memory. */
#define SMALL_WINDOW_B 4096

static bool is_tensor(const tmap_map_params *map) {
    return tmap_type_get((int)map->type) && tmap_interleave_get((int)map->interleave) && map->rank >= 1 &&
           map->rank <= TMAP_RANK_MAX;
}

static tmap_u128 row_B(const tmap_map_params *map) {
    uint32_t slice_B = tmap_interleave_get((int)map->interleave)->slice_B;
    return slice_B ? (tmap_u128)map->dims_el[0] * slice_B
                   : (tmap_u128)tmap_inner_global_B(tmap_type_get((int)map->type), map->dims_el[0]);
}

static bool is_wider_than_memory(const tmap_map_params *map) {
    tmap_u128 span_B = row_B(map);
    for (int i = 1; i < (int)map->rank && span_B < TMAP_MEMORY_B; i++)
        if (map->dims_el[i] > 1) span_B += (tmap_u128)(map->dims_el[i] - 1) * map->strides_B[i - 1];
    return span_B >= TMAP_MEMORY_B;
}

bool tmap_map_fills_memory(const tmap_map_params *params) {
    if (!is_tensor(params)) return false;
    uint64_t filled = tmap_u64_saturate(row_B(params));
    uint32_t placed = 1;
    for (int dim; (dim = tmap_next_dim(params, placed)) > 0; placed |= (uint32_t)1 << dim) {
        if (params->strides_B[dim - 1] != filled || filled == UINT64_MAX) return false;
        filled = tmap_mul_saturate(filled, params->dims_el[dim]);
    }
    return true;
}

/* The number of bytes from the base that elements cover without a gap larger than the small window. The search ends as
 * soon as this number is large enough. */
static tmap_u128 covered_B(const tmap_map_params *map) {
    tmap_u128 reach = row_B(map);
    uint32_t placed = 1;
    for (int dim; reach < TMAP_LARGE_REGION_B && (dim = tmap_next_dim(map, placed)) > 0; placed |= (uint32_t)1 << dim) {
        if (map->strides_B[dim - 1] > reach + SMALL_WINDOW_B) break;
        reach += (tmap_u128)(map->dims_el[dim] - 1) * map->strides_B[dim - 1];
    }
    return reach;
}

uint64_t tmap_allocated_B(const tmap_map_params *params) {
    uint64_t before_B = (uint64_t)params->allocation_offset_B;
    bool outside = params->allocation_offset_B < 0 || before_B > params->allocation_B;
    return outside ? 0 : params->allocation_B - before_B;
}

/* Whether the elements cover a large region, for the common case of strides that rise with the dimension. Faster than
 * covered_B, which searches for the next stride; if false, covered_B decides. */
static bool covers_in_order(const tmap_map_params *map) {
    tmap_u128 reach = row_B(map);
    for (int i = 1; i < (int)map->rank && reach < TMAP_LARGE_REGION_B; i++) {
        if (map->dims_el[i] <= 1) continue;
        if (map->strides_B[i - 1] > reach + SMALL_WINDOW_B) return false;
        reach += (tmap_u128)(map->dims_el[i] - 1) * map->strides_B[i - 1];
    }
    return reach >= TMAP_LARGE_REGION_B;
}

static bool allows_large(const tmap_map_params *map) {
    if (map->allocation_B != 0) return tmap_allocated_B(map) >= TMAP_LARGE_REGION_B;
    if (!is_tensor(map) || is_wider_than_memory(map)) return false;
    return covers_in_order(map) || covered_B(map) >= TMAP_LARGE_REGION_B;
}

tmap_allocation_class tmap_allocation_class_of(const tmap_map_params *params) {
    if (params->allocation_class == TMAP_ALLOCATION_SMALL || params->allocation_class == TMAP_ALLOCATION_LARGE)
        return params->allocation_class;
    return allows_large(params) ? TMAP_ALLOCATION_LARGE : TMAP_ALLOCATION_SMALL;
}
