/* Writes a recording: one line for each case, with every number as in the call. */
#include "capture/write.h"

#include <inttypes.h>

#include "capture/read.h"
#include "capture/yaml_parts.h"
#include "params/fields.h"
#include "rule/field_words.h"
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

/* The number of values of a field in a recording: as many as the driver reads, then the following numbers up to the
 * last that is not 0. Corners have all. */
static int values_n(const tmap_map_params *map, tmap_field field) {
    tmap_per per = tmap_field_get((int)field)->per;
    int n = tmap_field_room(field);
    uint64_t outer = map->rank > 0 ? map->rank - 1 : 0, least = per == TMAP_PER_OUTER_DIM ? outer : map->rank;
    if (per != TMAP_PER_DIM && per != TMAP_PER_OUTER_DIM) return n;
    while ((uint64_t)n > least && tmap_field_value(map, NULL, field, n - 1) == 0) n--;
    return n;
}

static bool has(const tmap_map_params *map, tmap_field field) {
    if (field == TMAP_FIELD_ADDRESS) return map->has_address;
    if (field == TMAP_FIELD_ALLOCATION) return map->allocation_B != 0;
    if (field == TMAP_FIELD_MODE) return map->mode != TMAP_MODE_TILED;
    return field == TMAP_FIELD_BOX || tmap_field_applies(map, NULL, field);
}

static void put_params(tmap_sink *sink, const tmap_map_params *map) {
    for (size_t i = 0; i < capture_case_keys_n; i++) {
        tmap_field field = capture_case_keys[i].field;
        if (capture_case_keys[i].kind != KEY_FIELD || !has(map, field)) continue;
        tmap_printf(sink, ", %s: ", tmap_field_get((int)field)->name);
        tmap_field_put(sink, map, NULL, field, values_n(map, field));
    }
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
