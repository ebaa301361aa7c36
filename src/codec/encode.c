/* A checked map to its 128-byte descriptor, field by field. */
#include "hw/descriptor_bits.h"
#include "tmap/codec.h"

#include <string.h>

/* NVIDIA's published encoder (TensorRT-LLM, tmaDescriptor.h) writes 1. */
#define VERSION 1

static void poke_format(uint64_t *words, const tmap_map *map) {
    const tmap_map_params *params = &map->params;
    tmap_words_poke(words, TMAP_DESC_VERSION, VERSION);
    tmap_words_poke(words, TMAP_DESC_RANK, params->rank - 1);
    tmap_words_poke(words, TMAP_DESC_TYPE, (uint64_t)map->type->code);
    tmap_words_poke(words, TMAP_DESC_TF32, map->type->tf32);
    tmap_words_poke(words, TMAP_DESC_INTERLEAVE, (uint64_t)params->interleave);
    tmap_words_poke(words, TMAP_DESC_SWIZZLE, (uint64_t)map->swizzle->ptx_mode);
    tmap_words_poke(words, TMAP_DESC_ATOMICITY, (uint64_t)map->swizzle->ptx_atomicity);
    tmap_words_poke(words, TMAP_DESC_OOB_FILL, (uint64_t)params->oob_fill);
    tmap_words_poke(words, TMAP_DESC_L2_PROMOTION, (uint64_t)params->l2_promotion);
}

/* Dimensions past the rank are frozen at 1 with stride 0, and so store 0 like everything unused. */
static void poke_dimension(uint64_t *words, const tmap_map_params *params, int i) {
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_DIM_0 + i), params->dims_el[i] - 1);
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_BOX_0 + i), params->box_el[i] - 1);
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_ELEMENT_STRIDE_0 + i), params->element_strides[i] - 1);
    if (i > 0)
        tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_STRIDE_0 + i - 1), params->strides_B[i - 1] / 16);
}

void tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS] = {0};
    tmap_words_poke(words, TMAP_DESC_ADDRESS, map->params.address);
    poke_format(words, map);
    poke_dimension(words, &map->params, 0);
    poke_dimension(words, &map->params, 1);
    poke_dimension(words, &map->params, 2);
    poke_dimension(words, &map->params, 3);
    poke_dimension(words, &map->params, 4);
    memcpy(descriptor->bytes, words, sizeof words);
}
