/* Encodes a checked map as a 128-byte descriptor, field by field. */
#include "base/memory.h"
#include "hw/descriptor_bits.h"
#include "tmap/codec.h"

#include <string.h>

static void poke_format(uint64_t *words, const tmap_map *map) {
    const tmap_map_params *params = &map->params;
    tmap_words_poke(words, TMAP_DESC_RANK, params->rank - 1);
    tmap_words_poke(words, TMAP_DESC_TYPE, (uint64_t)map->type->code);
    tmap_words_poke(words, TMAP_DESC_TF32, map->type->tf32);
    tmap_words_poke(words, TMAP_DESC_INTERLEAVE, (uint64_t)params->interleave);
    tmap_words_poke(words, TMAP_DESC_SWIZZLE, (uint64_t)map->swizzle->ptx_mode);
    tmap_words_poke(words, TMAP_DESC_ATOMICITY, (uint64_t)map->swizzle->ptx_atomicity);
    tmap_words_poke(words, TMAP_DESC_OOB_FILL, (uint64_t)params->oob_fill);
    tmap_words_poke(words, TMAP_DESC_L2_PROMOTION, (uint64_t)params->l2_promotion);
    tmap_words_poke(words, TMAP_DESC_ALLOCATION_CLASS, tmap_allocation_class_of(params) == TMAP_ALLOCATION_LARGE);
}

/* Signed parts of one 16-bit field, w lowest: 16, 8 or 5 bits each for 1, 2 or 3 spatial dimensions. */
static uint64_t corner_bits(const int64_t *corner, unsigned spatial_n) {
    unsigned width = TMAP_CORNER_BITS / spatial_n;
    uint64_t bits = 0;
    for (unsigned i = 0; i < spatial_n; i++) bits |= ((uint64_t)corner[i] & ((1u << width) - 1)) << (i * width);
    return bits;
}

/* The column replaces the box. */
static void poke_column(uint64_t *words, const tmap_map_params *params) {
    unsigned spatial_n = (unsigned)params->rank - 2;
    tmap_words_poke(words, TMAP_DESC_KIND, 1);
    tmap_words_poke(words, TMAP_DESC_BOX_0, params->channels_per_pixel - 1);
    tmap_words_poke(words, TMAP_DESC_LOWER_CORNER, corner_bits(params->lower_corner, spatial_n));
    tmap_words_poke(words, TMAP_DESC_UPPER_CORNER, corner_bits(params->upper_corner, spatial_n));
    tmap_words_poke(words, TMAP_DESC_PIXELS_PER_COLUMN, params->pixels_per_column - 1);
}

/* A frozen map has dimension 1 and stride 0 past the rank; both are stored as 0, as all unused fields are. */
static void poke_dimension(uint64_t *words, const tmap_map_params *params, int i) {
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_DIM_0 + i), params->dims_el[i] - 1);
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_BOX_0 + i), params->box_el[i] - 1);
    tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_ELEMENT_STRIDE_0 + i), params->element_strides[i] - 1);
    if (i > 0)
        tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_STRIDE_0 + i - 1), params->strides_B[i - 1] / 16);
}

const char *tmap_descriptor_unknown_mode(tmap_mode mode) {
    const tmap_mode_info *info = tmap_mode_get((int)mode);
    if (info && info->linear) return "memory of mode linear has no tensor map";
    if (info && !info->wide) return NULL;
    return "no published descriptor and no document shows how this mode is stored; a driver of CUDA 12.8 or later "
           "encodes it";
}

/* The CuTe DSL and NVIDIA's published encoder (TensorRT-LLM, tmaDescriptor.h) write version 1, and no upper half. */
static void poke_choices(uint64_t *words, const tmap_map *map, tmap_encoder encoder) {
    tmap_words_poke(words, TMAP_DESC_VERSION, encoder != TMAP_ENCODER_DRIVER);
    if (encoder != TMAP_ENCODER_DRIVER) return;
    tmap_words_poke(words, TMAP_DESC_ELEMENT_STRIDE_0, map->stored_stride - 1);
    tmap_words_poke(words, TMAP_DESC_TILE_BYTES, tmap_driver_tile_B(words));
    tmap_words_poke(words, TMAP_DESC_SWIZZLE_WORD, tmap_driver_swizzle_word(words));
}

bool tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor) {
    return tmap_descriptor_encode_as(map, TMAP_ENCODER_DSL, descriptor);
}

bool tmap_descriptor_encode_as(const tmap_map *map, tmap_encoder encoder, tmap_descriptor *descriptor) {
    if (map->params.mode != TMAP_MODE_TILED && tmap_descriptor_unknown_mode(map->params.mode)) return false;
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    tmap_zero_struct(words, sizeof words);
    tmap_words_poke(words, TMAP_DESC_ADDRESS, map->params.address);
    poke_format(words, map);
    poke_dimension(words, &map->params, 0);
    poke_dimension(words, &map->params, 1);
    poke_dimension(words, &map->params, 2);
    poke_dimension(words, &map->params, 3);
    poke_dimension(words, &map->params, 4);
    if (map->params.mode != TMAP_MODE_TILED) poke_column(words, &map->params);
    poke_choices(words, map, encoder);
    memcpy(descriptor->bytes, words, sizeof words);
    return true;
}
