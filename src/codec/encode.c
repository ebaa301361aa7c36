/* A checked map to its 128-byte descriptor, field by field. */
#include "tmap/codec.h"

#include <string.h>

/* NVIDIA's published encoder (TensorRT-LLM, tmaDescriptor.h) writes 1. */
#define VERSION 1

static void poke_each(tmap_descriptor *descriptor, tmap_descriptor_field first, const uint64_t *values, uint64_t count,
                      uint64_t less) {
    for (uint64_t i = 0; i < count; i++)
        tmap_descriptor_poke(descriptor, (tmap_descriptor_field)(first + i), values[i] - less);
}

static void poke_format(tmap_descriptor *descriptor, const tmap_map *map) {
    const tmap_map_params *params = &map->params;
    tmap_descriptor_poke(descriptor, TMAP_DESC_VERSION, VERSION);
    tmap_descriptor_poke(descriptor, TMAP_DESC_RANK, params->rank - 1);
    tmap_descriptor_poke(descriptor, TMAP_DESC_TYPE, (uint64_t)map->type->code);
    tmap_descriptor_poke(descriptor, TMAP_DESC_TF32, map->type->tf32);
    tmap_descriptor_poke(descriptor, TMAP_DESC_INTERLEAVE, (uint64_t)params->interleave);
    tmap_descriptor_poke(descriptor, TMAP_DESC_SWIZZLE, (uint64_t)map->swizzle->ptx_mode);
    tmap_descriptor_poke(descriptor, TMAP_DESC_ATOMICITY, (uint64_t)map->swizzle->ptx_atomicity);
    tmap_descriptor_poke(descriptor, TMAP_DESC_OOB_FILL, (uint64_t)params->oob_fill);
    tmap_descriptor_poke(descriptor, TMAP_DESC_L2_PROMOTION, (uint64_t)params->l2_promotion);
}

void tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor) {
    const tmap_map_params *params = &map->params;
    uint64_t strides_16B[TMAP_RANK_MAX - 1];
    for (int i = 0; i < TMAP_RANK_MAX - 1; i++) strides_16B[i] = params->strides_B[i] / 16;
    memset(descriptor->bytes, 0, sizeof descriptor->bytes);
    tmap_descriptor_poke(descriptor, TMAP_DESC_ADDRESS, params->address);
    poke_format(descriptor, map);
    poke_each(descriptor, TMAP_DESC_STRIDE_0, strides_16B, params->rank - 1, 0);
    poke_each(descriptor, TMAP_DESC_DIM_0, params->dims_el, params->rank, 1);
    poke_each(descriptor, TMAP_DESC_ELEMENT_STRIDE_0, params->element_strides, params->rank, 1);
    poke_each(descriptor, TMAP_DESC_BOX_0, params->box_el, 1, 1);
    poke_each(descriptor, TMAP_DESC_BOX_1, params->box_el + 1, params->rank - 1, 1);
}
