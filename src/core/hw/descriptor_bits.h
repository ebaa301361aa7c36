/* Bits of a descriptor, by the field table. The functions are inline, so that a constant field becomes constant
 * shifts. */
#pragma once

#include <string.h>

#include "base/rows.h"
#include "tmap/unstable/counts.h"

#define TMAP_DESCRIPTOR_WORDS (TMAP_DESCRIPTOR_B / 8)

#define TILED_AND_IM2COL .tiled = true, .im2col = true
#define TILED_ONLY       .tiled = true
#define IM2COL_ONLY      .im2col = true
static const tmap_descriptor_field_info tmap_descriptor_fields[] = {
#define TMAP_DESCRIPTOR_FIELD(id, number, ...) [TMAP_DESC_##id] = {__VA_ARGS__},
#include "tmap/hw/descriptor.def"
#undef TMAP_DESCRIPTOR_FIELD
};
TMAP_ROWS(tmap_descriptor_fields, TMAP_DESC_COUNT);
#undef TILED_AND_IM2COL
#undef TILED_ONLY
#undef IM2COL_ONLY

static inline uint64_t tmap_bits_mask(tmap_bits part) {
    return part.width < 64 ? ((uint64_t)1 << part.width) - 1 : UINT64_MAX;
}

/* No part crosses a 64-bit word; a test checks this for the whole table. */
static inline uint64_t tmap_bits_get(const uint64_t *words, tmap_bits part) {
    return words[part.lo / 64] >> (part.lo % 64) & tmap_bits_mask(part);
}

static inline void tmap_bits_put(uint64_t *words, tmap_bits part, uint64_t value) {
    uint64_t mask = tmap_bits_mask(part) << (part.lo % 64);
    words[part.lo / 64] = (words[part.lo / 64] & ~mask) | (value << (part.lo % 64) & mask);
}

static inline void tmap_words_poke(uint64_t *words, tmap_descriptor_field field, uint64_t value) {
    const tmap_bits *parts = tmap_descriptor_fields[field].parts;
    tmap_bits_put(words, parts[0], value);
    if (parts[1].width) tmap_bits_put(words, parts[1], value >> parts[0].width);
}

static inline uint64_t tmap_words_peek(const uint64_t *words, tmap_descriptor_field field) {
    const tmap_bits *parts = tmap_descriptor_fields[field].parts;
    uint64_t value = tmap_bits_get(words, parts[0]);
    if (parts[1].width) value |= tmap_bits_get(words, parts[1]) << parts[0].width;
    return value;
}

/* The words of the parts alone, from the descriptor's bytes. */
static inline uint64_t tmap_bytes_get(const uint8_t *bytes, tmap_bits part) {
    uint64_t word;
    memcpy(&word, bytes + part.lo / 64 * sizeof word, sizeof word);
    return word >> (part.lo % 64) & tmap_bits_mask(part);
}

static inline uint64_t tmap_bytes_peek(const uint8_t *bytes, tmap_descriptor_field field) {
    const tmap_bits *parts = tmap_descriptor_fields[field].parts;
    uint64_t value = tmap_bytes_get(bytes, parts[0]);
    if (parts[1].width) value |= tmap_bytes_get(bytes, parts[1]) << parts[0].width;
    return value;
}

/* Corners are signed parts of one 16-bit field: 16, 8 or 5 bits each for 1, 2 or 3 spatial dimensions, w in the lowest
 * bits. */
static inline int64_t tmap_corner_entry(uint64_t raw, unsigned entry, unsigned entries_n) {
    unsigned width = TMAP_CORNER_BITS / entries_n;
    int64_t part = (int64_t)(raw >> (entry * width) & ((1u << width) - 1));
    return part >> (width - 1) ? part - ((int64_t)1 << width) : part;
}

/*
 * The numbers that the driver stores in TILE_BYTES and SWIZZLE_WORD for the other fields of a descriptor. Source: a
 * table by cicuvc (nvidia-sass-document at 1de8d4ef, notes/sm90/arch/cutensormap.md), compared with driver 580.65 on an
 * RTX 5090.
 */
uint32_t tmap_driver_tile_B(const uint64_t *words);
uint32_t tmap_driver_swizzle_word(const uint64_t *words);

/* Returns whether an encoder may store this number in TILE_BYTES or SWIZZLE_WORD: a known encoder stores it, or the map
 * is im2col with a packed type, for which no descriptor of a driver is published. */
bool tmap_upper_half_is_known(const uint64_t *words, tmap_descriptor_field field);
