/* Raw fields of a descriptor, for callers that have the descriptor's bytes. Bytes and words are both little-endian on
 * every machine with this hardware. */
#include "hw/descriptor_bits.h"

#include "base/rows.h"
#include "tmap/unstable/counts.h"

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
