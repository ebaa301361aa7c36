/* Writes a recording: one line for each case, with every number as in the call. */
#include "capture/write.h"

#include <inttypes.h>

#include "capture/yaml_parts.h"
#include "text/print.h"
#include "text/quote.h"
#include "tmap/unstable/emit.h"

#define END_MAX_B 16384 /* the most bytes that tmap_capture_write_end writes */

/* Writes the line from its sink `line`. */
static void flush(capture_writer *writer, const tmap_sink *line) {
    writer->no_memory |= line->failed;
    if (line->failed) writer->line.size = 0;
    tmap_write(writer->sink, writer->line.data, writer->line.size);
    writer->size_B += writer->line.size;
    writer->line.size = 0;
}

static void put_choice(tmap_sink *sink, const char *key, const char *name, int number) {
    if (name)
        tmap_printf(sink, ", %s: %s", key, name);
    else
        tmap_printf(sink, ", %s: %d", key, number);
}

/* Writes the first `least` numbers, then the following numbers up to the last that is not zero. */
static void put_numbers(tmap_sink *sink, const char *key, const uint64_t *numbers, size_t n, uint64_t least) {
    while (n > least && numbers[n - 1] == 0) n--;
    tmap_printf(sink, ", %s: [", key);
    for (size_t i = 0; i < n; i++) tmap_printf(sink, "%s%" PRIu64, i ? ", " : "", numbers[i]);
    tmap_puts(sink, "]");
}

static void put_choices(tmap_sink *sink, const tmap_map_params *map) {
    const tmap_interleave_info *interleave = tmap_interleave_get((int)map->interleave);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)map->swizzle);
    const tmap_choice_info *promotion = tmap_l2_promotion_get((int)map->l2_promotion);
    const tmap_choice_info *fill = tmap_oob_fill_get((int)map->oob_fill);
    put_choice(sink, "interleave", interleave ? interleave->name : NULL, (int)map->interleave);
    put_choice(sink, "swizzle", swizzle ? swizzle->name : NULL, (int)map->swizzle);
    put_choice(sink, "l2_promotion", promotion ? promotion->name : NULL, (int)map->l2_promotion);
    put_choice(sink, "oob_fill", fill ? fill->name : NULL, (int)map->oob_fill);
}

static void put_corner(tmap_sink *sink, const char *key, const int64_t *corner, size_t n) {
    tmap_printf(sink, ", %s: [", key);
    for (size_t i = 0; i < n; i++) tmap_printf(sink, "%s%" PRId64, i ? ", " : "", corner[i]);
    tmap_puts(sink, "]");
}

static void put_pixels(tmap_sink *sink, const tmap_map_params *map) {
    const tmap_mode_info *mode = tmap_mode_get((int)map->mode);
    put_choice(sink, "mode", mode ? mode->name : NULL, (int)map->mode);
    put_corner(sink, "lower_corner", map->lower_corner, TMAP_RANK_MAX - 2);
    put_corner(sink, "upper_corner", map->upper_corner, TMAP_RANK_MAX - 2);
    tmap_printf(sink, ", channels_per_pixel: %" PRIu64 ", pixels_per_column: %" PRIu64, map->channels_per_pixel,
                map->pixels_per_column);
}

static void put_params(tmap_sink *sink, const tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    uint64_t rank = map->rank, outer = rank > 0 ? rank - 1 : 0;
    put_choice(sink, "type", type ? type->name : NULL, (int)map->type);
    tmap_printf(sink, ", rank: %" PRIu64, rank);
    if (map->has_address) tmap_printf(sink, ", address: 0x%" PRIx64, map->address);
    if (map->allocation_B != 0) tmap_printf(sink, ", allocation: %" PRIu64, map->allocation_B);
    put_numbers(sink, "dims", map->dims_el, TMAP_RANK_MAX, rank);
    put_numbers(sink, "strides", map->strides_B, TMAP_RANK_MAX - 1, outer);
    put_numbers(sink, "box", map->box_el, TMAP_RANK_MAX, rank);
    put_numbers(sink, "element_strides", map->element_strides, TMAP_RANK_MAX, rank);
    if (map->mode != TMAP_MODE_TILED) put_pixels(sink, map);
    put_choices(sink, map);
}

static void put_call(tmap_sink *sink, const capture_case *c) {
    if (c->null_strides) tmap_puts(sink, ", null_strides: true");
    if (c->prefill != 0) tmap_printf(sink, ", prefill: 0x%02x", c->prefill);
    if (c->map_offset_B != 0) tmap_printf(sink, ", map_offset: %" PRIu32, c->map_offset_B);
    if (c->host_memory) tmap_puts(sink, ", memory: host");
    if (c->replaces) tmap_printf(sink, ", replace_address: 0x%" PRIx64, c->replace_address);
}

void tmap_capture_put_case(tmap_sink *sink, const capture_case *c) {
    tmap_puts(sink, "  - {id: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, c->id);
    put_params(sink, &c->params);
    put_call(sink, c);
    tmap_puts(sink, ", result: ");
    tmap_put_result(sink, c->result);
    if (c->result == 0) {
        tmap_puts(sink, ", bytes: ");
        tmap_emit_hex(sink, c->descriptor.bytes, sizeof c->descriptor.bytes);
    }
    tmap_puts(sink, "}\n");
}

void tmap_capture_write_header(capture_writer *writer, const capture_header *header) {
    tmap_sink line = tmap_text_sink(&writer->line);
    tmap_puts(&line, "# Results of the tensor-map calls of a CUDA driver: a recording by tmap capture.\n");
    tmap_printf(&line, "tmap_capture: %d\nkind: descriptors\n", CAPTURE_VERSION);
    tmap_put_provenance(&line, header);
    tmap_puts(&line, "cases:\n");
    flush(writer, &line);
}

void tmap_capture_write_case(capture_writer *writer, const capture_case *c) {
    tmap_sink line = tmap_text_sink(&writer->line);
    tmap_capture_put_case(&line, c);
    if (writer->size_B + writer->line.size > CAPTURE_MAX_B - END_MAX_B) {
        writer->left_out++;
        writer->line.size = 0;
        return;
    }
    writer->cases_n++;
    flush(writer, &line);
}

static void put_random_field(tmap_sink *sink, int i, const capture_random_field *field) {
    tmap_printf(sink,
                "    - {field: \"%s\", cases: %" PRIu64 ", not_zero: %" PRIu64 ", differ: %" PRIu64 ", moving: %" PRIu64
                ", digest: %s}\n",
                tmap_descriptor_field_get(i)->name, field->cases_n, field->not_zero_n, field->differ_n, field->moving_n,
                field->digest);
}

static void put_random(tmap_sink *sink, const capture_random *random) {
    uint64_t listed_n = random->rejected_n < CAPTURE_REJECTED_MAX ? random->rejected_n : CAPTURE_REJECTED_MAX;
    tmap_printf(sink,
                "random:\n  seed: %" PRIu64 "\n  count: %" PRIu64 "\n  inputs: %s\n  rejected_n: %" PRIu64
                "\n  rejected: [",
                random->seed, random->count, random->inputs, random->rejected_n);
    for (uint64_t i = 0; i < listed_n; i++) tmap_printf(sink, "%s%" PRIu64, i ? ", " : "", random->rejected[i]);
    tmap_printf(sink, "]\n  unknown_n: %" PRIu64 "\n  unknown: ", random->unknown_n);
    tmap_emit_hex(sink, random->unknown.bytes, sizeof random->unknown.bytes);
    tmap_puts(sink, "\n  fields:\n");
    for (int i = 0; i < TMAP_DESC_COUNT; i++) put_random_field(sink, i, &random->fields[i]);
}

void tmap_capture_write_end(capture_writer *writer, const capture_random *random) {
    tmap_sink line = tmap_text_sink(&writer->line);
    if (writer->cases_n == 0) tmap_puts(&line, "  []\n");
    if (random) put_random(&line, random);
    tmap_printf(&line, "left_out: %zu\n", writer->left_out);
    flush(writer, &line);
}
