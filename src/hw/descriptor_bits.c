/* Raw fields of a descriptor: bits gathered and scattered by the field table. */
#include "tmap/hw.h"

#define TILED_AND_IM2COL .tiled = true, .im2col = true
#define TILED_ONLY       .tiled = true
#define IM2COL_ONLY      .im2col = true
static const tmap_descriptor_field_info fields[] = {
#define DESCRIPTOR_FIELD(id, ...) {__VA_ARGS__},
#include "tmap/hw/descriptor.def"
#undef DESCRIPTOR_FIELD
};

const tmap_descriptor_field_info *tmap_descriptor_field_get(int field) {
    return field >= 0 && field < TMAP_DESC_COUNT ? &fields[field] : NULL;
}

/* Bytes outside a part are untouched: a part is at most 64 bits but may begin anywhere in its byte. */
static uint64_t part_get(const uint8_t *bytes, tmap_bits part) {
    uint64_t value = 0;
    unsigned done = 0;
    while (done < part.width) {
        unsigned bit = part.lo + done, in_byte = bit % 8;
        unsigned take = 8 - in_byte < part.width - done ? 8 - in_byte : part.width - done;
        uint64_t piece = (unsigned)(bytes[bit / 8] >> in_byte) & ((1u << take) - 1);
        value |= piece << done;
        done += take;
    }
    return value;
}

static void part_put(uint8_t *bytes, tmap_bits part, uint64_t value) {
    unsigned done = 0;
    while (done < part.width) {
        unsigned bit = part.lo + done, in_byte = bit % 8;
        unsigned take = 8 - in_byte < part.width - done ? 8 - in_byte : part.width - done;
        unsigned keep = ~(((1u << take) - 1) << in_byte);
        unsigned piece = (unsigned)(value >> done) & ((1u << take) - 1);
        bytes[bit / 8] = (uint8_t)((bytes[bit / 8] & keep) | piece << in_byte);
        done += take;
    }
}

uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field) {
    const tmap_bits *parts = fields[field].parts;
    uint64_t value = part_get(descriptor->bytes, parts[0]);
    if (parts[1].width) value |= part_get(descriptor->bytes, parts[1]) << parts[0].width;
    return value;
}

void tmap_descriptor_poke(tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t value) {
    const tmap_bits *parts = fields[field].parts;
    part_put(descriptor->bytes, parts[0], value);
    if (parts[1].width) part_put(descriptor->bytes, parts[1], value >> parts[0].width);
}
