/* emit: descriptors as C, as a list of all 1024 bits, and as JSON. All three forms come from the field table. */
#include "tmap/unstable/emit.h"

#include "text/c_text.h"
#include "text/json.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#include <inttypes.h>
#include <stdio.h>

enum { BITS = 8 * TMAP_DESCRIPTOR_B, WORD_BITS = 64, WORDS = BITS / WORD_BITS };

static bool bit_of(const tmap_descriptor *descriptor, unsigned bit) {
    return descriptor->bytes[bit / 8] >> bit % 8 & 1;
}

/* The number in the `width` bits from bit `lo` on; `width` is at most 64. */
static uint64_t bits_of(const tmap_descriptor *descriptor, unsigned lo, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) value |= (uint64_t)bit_of(descriptor, lo + i) << i;
    return value;
}

/* Whether a descriptor of this kind (tiled or im2col) has the field. */
static bool has_field(const tmap_descriptor *descriptor, const tmap_descriptor_field_info *field) {
    return tmap_descriptor_peek(descriptor, TMAP_DESC_KIND) ? field->im2col : field->tiled;
}

typedef struct field_value {
    const tmap_descriptor_field_info *info;
    uint64_t raw;
    char meaning[48];
} field_value;

static field_value value_of(const tmap_descriptor *descriptor, int field) {
    field_value value = {tmap_descriptor_field_get(field), 0, ""};
    value.raw = tmap_descriptor_peek(descriptor, (tmap_descriptor_field)field);
    tmap_descriptor_meaning((tmap_descriptor_field)field, value.raw, tmap_descriptor_rank(descriptor), value.meaning,
                            sizeof value.meaning);
    return value;
}

/* ---- C ---- */

/* Fields that are zero are not listed, except the type and the rank. */
static bool is_worth_a_comment(int field, uint64_t raw) {
    return raw != 0 || field == TMAP_DESC_TYPE || field == TMAP_DESC_RANK;
}

/* Writes the fields that start in a 64-bit word, one comment line for each field. */
static void put_word_comments(tmap_sink *sink, const tmap_descriptor *descriptor, unsigned word) {
    for (int field = 0; field < TMAP_DESC_COUNT; field++) {
        field_value value = value_of(descriptor, field);
        if (value.info->parts[0].lo / WORD_BITS != word || !has_field(descriptor, value.info)) continue;
        if (!is_worth_a_comment(field, value.raw)) continue;
        tmap_printf(sink, "    /* %s: %s */\n", value.info->name, value.meaning);
    }
}

void tmap_emit_descriptor_c(tmap_sink *sink, const char *name, const tmap_descriptor *descriptor) {
    tmap_descriptor unexplained;
    tmap_descriptor_unexplained(descriptor, &unexplained);
    tmap_puts(sink, "#include <stdalign.h>\n#include <stdint.h>\n\nalignas(128) static const uint64_t ");
    tmap_put_identifier(sink, name);
    tmap_printf(sink, "[%d] = {\n", WORDS);
    for (unsigned word = 0; word < WORDS; word++) {
        put_word_comments(sink, descriptor, word);
        uint64_t unknown = bits_of(&unexplained, word * WORD_BITS, WORD_BITS);
        if (unknown) tmap_printf(sink, "    /* bits of unknown meaning: 0x%016" PRIx64 " */\n", unknown);
        tmap_printf(sink, "    0x%016" PRIx64 ",\n", bits_of(descriptor, word * WORD_BITS, WORD_BITS));
    }
    tmap_puts(sink, "};\n");
}

/* ---- The listing ---- */

/* A part of a field, or bits outside all fields. */
typedef struct bit_range {
    unsigned lo, width;
    int field; /* -1: outside all fields */
    int part;
} bit_range;

/* The range of bits that starts at bit `lo`: a part of a field, or the gap before the next field. */
static bit_range stretch_at(const tmap_descriptor *descriptor, unsigned lo) {
    bit_range gap = {lo, BITS - lo, -1, 0};
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        const tmap_descriptor_field_info *field = tmap_descriptor_field_get(i);
        if (!has_field(descriptor, field)) continue;
        for (int part = 0; part < 2 && field->parts[part].width > 0; part++) {
            unsigned begin = field->parts[part].lo;
            if (begin == lo) return (bit_range){lo, field->parts[part].width, i, part};
            if (begin > lo && begin - lo < gap.width) gap.width = begin - lo;
        }
    }
    return gap;
}

static void put_bits(tmap_sink *sink, unsigned lo, unsigned width) {
    char text[32];
    if (width == 1)
        snprintf(text, sizeof text, "bit  %u", lo);
    else
        snprintf(text, sizeof text, "bits %u..%u", lo, lo + width - 1);
    tmap_printf(sink, "%-16s", text);
}

static void put_field(tmap_sink *sink, const tmap_descriptor *descriptor, const bit_range *at) {
    field_value value = value_of(descriptor, at->field);
    const tmap_bits *parts = value.info->parts;
    tmap_printf(sink, "%-19s", value.info->name);
    if (at->part == 1) {
        tmap_printf(sink, "high part %" PRIu64 ", of the field at bit %u\n", bits_of(descriptor, at->lo, at->width),
                    parts[0].lo);
        return;
    }
    tmap_printf(sink, "raw %-10" PRIu64 " = %-8s (stored: %s", value.raw, value.meaning, value.info->stored);
    if (parts[1].width == 1) tmap_printf(sink, "; its high part is bit %u", parts[1].lo);
    if (parts[1].width > 1)
        tmap_printf(sink, "; its high part is bits %u..%u", parts[1].lo, parts[1].lo + parts[1].width - 1);
    tmap_puts(sink, ")\n");
}

/* Writes bits outside all fields: zeros on one line; other bits flagged, in pieces that end at 32-bit boundaries. */
static void put_gap(tmap_sink *sink, const tmap_descriptor *descriptor, const bit_range *gap) {
    unsigned zeros = 0;
    for (unsigned lo = gap->lo, end = gap->lo + gap->width; lo < end;) {
        unsigned width = 32 - lo % 32 < end - lo ? 32 - lo % 32 : end - lo;
        uint64_t value = bits_of(descriptor, lo, width);
        zeros = value ? zeros : zeros + width;
        if (zeros > 0 && (value || lo + width == end)) {
            put_bits(sink, (value ? lo : end) - zeros, zeros);
            tmap_puts(sink, "-                  0\n");
            zeros = 0;
        }
        if (value) {
            put_bits(sink, lo, width);
            tmap_printf(sink, "unknown            0x%" PRIx64 "\n", value);
        }
        lo += width;
    }
}

void tmap_emit_descriptor_bits(tmap_sink *sink, const tmap_descriptor *descriptor) {
    for (unsigned lo = 0; lo < BITS;) {
        bit_range at = stretch_at(descriptor, lo);
        if (at.field < 0) {
            put_gap(sink, descriptor, &at);
        } else {
            put_bits(sink, at.lo, at.width);
            put_field(sink, descriptor, &at);
        }
        lo += at.width;
    }
}

/* ---- JSON ---- */

static void put_range_json(tmap_json *json, unsigned lo, unsigned width) {
    tmap_json_array(json, true);
    tmap_json_uint(json, lo);
    tmap_json_uint(json, width);
    tmap_json_close(json, ']');
}

static void put_field_json(tmap_json *json, const field_value *value) {
    tmap_json_object(json, true);
    tmap_json_key(json, "name");
    tmap_json_string(json, value->info->name);
    tmap_json_key(json, "bits");
    tmap_json_array(json, true);
    for (int part = 0; part < 2 && value->info->parts[part].width > 0; part++)
        put_range_json(json, value->info->parts[part].lo, value->info->parts[part].width);
    tmap_json_close(json, ']');
    tmap_json_key(json, "raw");
    tmap_json_uint(json, value->raw);
    tmap_json_key(json, "meaning");
    tmap_json_string(json, value->meaning);
    tmap_json_close(json, '}');
}

/* The runs of set bits that are outside all fields. */
static void put_unexplained_json(tmap_json *json, const tmap_descriptor *descriptor) {
    tmap_descriptor set;
    tmap_descriptor_unexplained(descriptor, &set);
    tmap_json_array(json, true);
    for (unsigned lo = 0, end; lo < BITS; lo = end) {
        for (end = lo; end < BITS && bit_of(&set, end);) end++;
        if (end > lo) put_range_json(json, lo, end - lo);
        if (end == lo) end++;
    }
    tmap_json_close(json, ']');
}

static void put_hex_json(tmap_json *json, const tmap_descriptor *descriptor) {
    char hex[2 * TMAP_DESCRIPTOR_B + 1];
    for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) snprintf(hex + 2 * i, 3, "%02x", descriptor->bytes[i]);
    tmap_json_string(json, hex);
}

void tmap_emit_descriptor_json(tmap_sink *sink, const tmap_descriptor *descriptor, int depth) {
    tmap_json writer = tmap_json_begin_at(sink, depth), *json = &writer;
    tmap_json_object(json, false);
    tmap_json_key(json, "hex");
    put_hex_json(json, descriptor);
    tmap_json_key(json, "fields");
    tmap_json_array(json, false);
    for (int field = 0; field < TMAP_DESC_COUNT; field++) {
        field_value value = value_of(descriptor, field);
        if (has_field(descriptor, value.info)) put_field_json(json, &value);
    }
    tmap_json_close(json, ']');
    tmap_json_key(json, "unexplained");
    put_unexplained_json(json, descriptor);
    tmap_json_close(json, '}');
}
