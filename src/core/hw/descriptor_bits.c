/* Raw fields of a descriptor, for callers that have the descriptor's bytes. Bytes and words are both little-endian on
 * every machine with this hardware. */
#include "hw/descriptor_bits.h"

#include "base/rows.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#include <string.h>

TMAP_ROW_GETTER(tmap_descriptor_field_info, tmap_descriptor_field_get, tmap_descriptor_fields)

uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field) {
    return tmap_descriptor_field_get((int)field) ? tmap_bytes_peek(descriptor->bytes, field) : 0;
}

void tmap_descriptor_poke(tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t value) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    if (!tmap_descriptor_field_get((int)field)) return;
    memcpy(words, descriptor->bytes, sizeof words);
    tmap_words_poke(words, field, value);
    memcpy(descriptor->bytes, words, sizeof words);
}

void tmap_descriptor_unexplained(const tmap_descriptor *descriptor, tmap_descriptor *bits) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    memcpy(words, descriptor->bytes, sizeof words);
    bool im2col = tmap_words_peek(words, TMAP_DESC_KIND) != 0;
    for (int field = 0; field < TMAP_DESC_COUNT; field++)
        if (im2col ? tmap_descriptor_fields[field].im2col : tmap_descriptor_fields[field].tiled)
            tmap_words_poke(words, (tmap_descriptor_field)field, 0);
    memcpy(bits->bytes, words, sizeof words);
}

/* ---- The driver's words in the upper half ----------------------------------------------------------------------- */

static uint64_t nth(const uint64_t *words, tmap_descriptor_field first, unsigned i) {
    return tmap_words_peek(words, (tmap_descriptor_field)(first + i)) + 1;
}

/* The elements of a tile: floor(box / element stride) in each dimension. The driver counts the element stride of
 * dimension 0 also without interleave, where no copy uses it; with interleave it counts no element stride. */
static uint64_t tile_elements(const uint64_t *words, bool interleaved) {
    uint64_t rank = tmap_words_peek(words, TMAP_DESC_RANK) + 1, n = 1;
    for (unsigned i = 0; i < rank && i < TMAP_RANK_MAX; i++)
        n *= nth(words, TMAP_DESC_BOX_0, i) / (interleaved ? 1 : nth(words, TMAP_DESC_ELEMENT_STRIDE_0, i));
    return n;
}

static const tmap_type_info *type_of(const uint64_t *words) {
    int type = tmap_type_of_code(tmap_words_peek(words, TMAP_DESC_TYPE), false);
    return type < 0 ? NULL : tmap_type_get(type);
}

/* At most 256^5 elements of 32 bytes: the product fits in 64 bits, and the field has its low 32 bits. */
uint32_t tmap_driver_tile_B(const uint64_t *words) {
    const tmap_type_info *type = type_of(words);
    const tmap_interleave_info *interleave = tmap_interleave_get((int)tmap_words_peek(words, TMAP_DESC_INTERLEAVE));
    if (!type || !interleave || type->bits % 8 != 0) return 0;
    uint64_t element_B = interleave->slice_B ? interleave->slice_B : (uint64_t)type->bits / 8;
    uint64_t pixels = nth(words, TMAP_DESC_PIXELS_PER_COLUMN, 0);
    bool im2col = tmap_words_peek(words, TMAP_DESC_KIND) != 0;
    return (uint32_t)(element_B * (im2col ? nth(words, TMAP_DESC_BOX_0, 0) * pixels
                                          : tile_elements(words, interleave->slice_B != 0)));
}

/* 0x10 without a swizzle; 0x100, 0x200 and 0x400 for 32B, 64B and 128B with any atom. The driver has no swizzle 96B. */
uint32_t tmap_driver_swizzle_word(const uint64_t *words) {
    uint64_t mode = tmap_words_peek(words, TMAP_DESC_SWIZZLE);
    if (mode == 0) return 0x10;
    return mode <= 3 ? 0x80u << mode : 0;
}

bool tmap_upper_half_is_known(const uint64_t *words, tmap_descriptor_field field) {
    uint64_t stored = tmap_words_peek(words, field);
    if (field == TMAP_DESC_SWIZZLE_WORD) return stored == 0 || stored == tmap_driver_swizzle_word(words);
    const tmap_type_info *type = type_of(words);
    bool packed_im2col = tmap_words_peek(words, TMAP_DESC_KIND) != 0 && type && type->bits % 8 != 0;
    return stored == 0 || packed_im2col || stored == tmap_driver_tile_B(words);
}
