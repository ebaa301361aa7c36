/* The output that both kinds of plans share. */
#include "commands/plan_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "output/refusal.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/spec.h"

/* ---- The wanted layout ------------------------------------------------------------------------------------------ */

static int complain_layout(const char *option, const char *text, const tmap_diag *error) {
    const tmap_source expression = {option, error->length > 0 ? text : NULL, strlen(text)};
    expression_refuse(&expression, error, false);
    return EXIT_FINDINGS;
}

tmap_shape operand_of(const plan_options *o, const tmap_shape *tile) {
    uint64_t wanted = o->rows.given ? o->rows.value : 1, taken = 0;
    tmap_shape operand = *tile;
    int64_t rows = 1;
    int d = tile->rank - 2;
    for (; d >= 0 && (taken < wanted || tile->at[d] == 1); d--) {
        if (tile->at[d] < 1 || rows > INT64_MAX / tile->at[d]) return *tile;
        rows *= tile->at[d];
        taken += tile->at[d] > 1;
    }
    if (tile->rank < 2) return *tile;
    operand.rank = d + 3;
    operand.at[d + 1] = rows;
    operand.at[d + 2] = tile->at[tile->rank - 1];
    return operand;
}

int wanted_layout(const plan_options *o, const tmap_shape *tile, tmap_layout *layout) {
    tmap_diag error = {.length = 0};
    const tmap_type_info *type = tmap_type_get((int)o->type);
    const char *text = o->layout ? o->layout : tile->rank < 2 ? "rows" : "columns"; /* a vector has no columns */
    const char *option = o->swizzle < 0 ? "--layout" : "--swizzle";
    if (type->unit_values != 1 && (o->swizzle >= 0 || strcmp(text, "columns") == 0)) option = "--type";
    tmap_status status;
    const tmap_shape operand = operand_of(o, tile);
    if (o->layout && o->swizzle >= 0) return complain(EXIT_USAGE, "--layout and --swizzle exclude each other");
    if (o->swizzle >= 0)
        status = tmap_layout_in_blocks(type, &operand, (tmap_swizzle)o->swizzle, layout, &error);
    else if (strcmp(text, "columns") == 0)
        status = tmap_layout_for_columns(type, &operand, layout, &error);
    else if (strcmp(text, "rows") == 0)
        status = tmap_layout_row_major(tile->at, tile->rank, layout, &error);
    else
        status = tmap_layout_parse(text, strlen(text), layout, &error);
    if (status == TMAP_REFUSED) return complain_layout(option, text, &error);
    return status == TMAP_OK ? EXIT_CLEAN : complain_status(status, option);
}

void layout_write(result_sink *out, const char *key, const tmap_layout *layout) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print(&sink, layout);
    tmap_puts(&out->text, text.data ? text.data : "");
    json_field_text(&out->json, key, &text);
}

static void write_pixels(tmap_json *json, const tmap_map_params *map) {
    size_t rank = (size_t)map->rank;
    json_field_uints(json, "element_strides", map->element_strides, rank);
    json_field_ints(json, "lower_corner", map->lower_corner, rank - 2);
    json_field_ints(json, "upper_corner", map->upper_corner, rank - 2);
    json_field_uint(json, "channels_per_pixel", map->channels_per_pixel);
    json_field_uint(json, "pixels_per_column", map->pixels_per_column);
}

void map_write(result_sink *out, const char *name, const tmap_map_params *map) {
    tmap_json *json = &out->json;
    tmap_spec_write(&out->text, name, map);
    if (map->mode != TMAP_MODE_TILED) json_field_string(json, "mode", tmap_mode_get((int)map->mode)->name);
    json_field_string(json, "type", tmap_type_get((int)map->type)->name);
    json_field_string(json, "swizzle", tmap_swizzle_get((int)map->swizzle)->name);
    json_field_uints(json, "dims", map->dims_el, (size_t)map->rank);
    json_field_uints(json, "strides", map->strides_B, (size_t)map->rank - 1);
    if (map->mode == TMAP_MODE_TILED)
        json_field_uints(json, "box", map->box_el, (size_t)map->rank);
    else
        write_pixels(json, map);
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

int refuse_plan(const tmap_diag *refusal, const tmap_layout *nearest, bool as_json) {
    const tmap_source plan = {.path = "plan"};
    result_sink out;
    result_begin(&out, as_json ? stdout : stderr, as_json);
    json_field_bool(&out.json, "planned", false);
    refusal_write(&out, refusal, &plan);
    if (nearest) {
        tmap_puts(&out.text, "   a tensor map can fill: ");
        layout_write(&out, "nearest", nearest);
        tmap_puts(&out.text, "\n");
    }
    result_end(&out);
    return EXIT_FINDINGS;
}

/* ---- Matrix descriptors ----------------------------------------------------------------------------------------- */

/* The layout over the tile with its last two dimensions exchanged. */
static tmap_status turned(const tmap_layout *layout, const tmap_shape *shape, tmap_layout *out, tmap_diag *error) {
    tmap_layout affine = *layout, grouped, made;
    int starts[TMAP_ITERS_MAX + 1], order[TMAP_ITERS_MAX], n = 0;
    affine.has_swizzle = false;
    tmap_status status = tmap_layout_group(&affine, shape, &grouped, starts, error);
    if (status != TMAP_OK) return status;
    for (int i = starts[1]; i < starts[2]; i++) order[n++] = i;
    for (int i = starts[0]; i < starts[1]; i++) order[n++] = i;
    status = tmap_layout_permute(&grouped, order, n, &made, error);
    made.has_swizzle = layout->has_swizzle;
    made.swizzle = layout->swizzle;
    if (status == TMAP_OK) *out = made;
    return status;
}

static tmap_status first_stage(const tmap_shape *tile, tmap_layout *layout, tmap_diag *error) {
    tmap_shape begin = {.rank = tile->rank}, end = *tile;
    bool found = tile->rank >= 2;
    for (int d = 0; d + 2 < tile->rank; d++) end.at[d] = 1;
    if (tile->rank > 2 && tmap_layout_slice(layout, tile, &begin, &end, layout, &found, error) != TMAP_OK)
        found = false;
    if (!found) *error = (tmap_diag){.message = "the last two dimensions of the tile do not form a layout"};
    return found ? TMAP_OK : TMAP_REFUSED;
}

static const char *name_of(tmap_matrix_consumer consumer) {
    return consumer == TMAP_WGMMA ? "wgmma" : "tcgen05";
}

static tmap_status has_instruction(const plan_options *o, tmap_diag *error) {
    tmap_archs without = o->judging.judge.archs & ~tmap_matrix_archs(o->consumer.consumer);
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        if (!(without >> arch & 1)) continue;
        *error = (tmap_diag){.severity = TMAP_ERROR};
        snprintf(error->message, sizeof error->message, "%s has no %s", tmap_arch_get(arch)->name,
                 name_of(o->consumer.consumer));
        return TMAP_REFUSED;
    }
    return TMAP_OK;
}

int code_of_matrix(const described_matrix *matrix) {
    return matrix->status == TMAP_REFUSED ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* Without a swizzle, the instructions read blocks of 8 rows of 16 bytes: the layout of such blocks. Writes "" if the
 * operand has no such blocks. */
static void say_blocks(const plan_options *o, const tmap_shape *tile, uint64_t shared_address, described_matrix *out) {
    const tmap_type_info *type = tmap_type_get((int)o->type);
    int columns = type->bits >= 8 ? 128 / (int)type->bits : 0;
    tmap_layout layout;
    tmap_diag error;
    out->blocks[0] = '\0';
    if (columns == 0 || tile->rank != 2 || tile->at[0] % 8 != 0 || tile->at[1] % columns != 0) return;
    char text[sizeof out->blocks];
    snprintf(text, sizeof text, "atom(%s, none).tile_to((%" PRId64 ", %" PRId64 "), (8, %d))", type->name, tile->at[0],
             tile->at[1], columns);
    tmap_matrix_descriptor descriptor;
    if (tmap_layout_parse(text, strlen(text), &layout, &error) == TMAP_OK &&
        tmap_matrix_describe(o->consumer.consumer, &layout, tile, type, shared_address, &descriptor, &error) == TMAP_OK)
        memcpy(out->blocks, text, sizeof text);
}

void describe_matrix(const plan_options *o, const tmap_layout *layout, const tmap_shape *tile, uint64_t shared_address,
                     bool mn_major, described_matrix *out) {
    const tmap_shape whole = operand_of(o, tile);
    tmap_layout operand = *layout;
    *out = (described_matrix){.status = TMAP_UNAVAILABLE};
    if (!o->consumer.given) return;
    out->status = has_instruction(o, &out->why_none);
    if (out->status != TMAP_OK) return;
    out->has_outer = whole.rank > 2;
    out->status = first_stage(&whole, &operand, &out->why_none);
    if (out->status != TMAP_OK) return;
    tmap_shape shape = {.rank = 2, .at = {whole.at[whole.rank - 2], whole.at[whole.rank - 1]}};
    if (mn_major) {
        out->status = turned(&operand, &shape, &operand, &out->why_none);
        shape = (tmap_shape){.rank = 2, .at = {shape.at[1], shape.at[0]}};
    }
    if (out->status == TMAP_OK)
        out->status = tmap_matrix_describe(o->consumer.consumer, &operand, &shape, tmap_type_get((int)o->type),
                                           shared_address, &out->descriptor, &out->why_none);
    if (out->status == TMAP_REFUSED && !mn_major && !layout->has_swizzle) say_blocks(o, tile, shared_address, out);
}

static void write_no_matrix(result_sink *out, const char *name, const described_matrix *matrix) {
    json_field_string(&out->json, "reason", matrix->why_none.message);
    tmap_printf(&out->text, "# %s: no descriptor: %s%s\n", name, matrix->why_none.message,
                matrix->has_outer ? "; --rows N combines N dimensions of the tile into its rows" : "");
    if (matrix->blocks[0] != '\0')
        tmap_printf(&out->text, "# %s: a layout without swizzle that it reads: --layout '%s'\n", name, matrix->blocks);
}

static void write_descriptor(result_sink *out, const char *name, const tmap_matrix_descriptor *d) {
    const char *swizzle = tmap_swizzle_get((int)d->swizzle)->name;
    char bits[24], leading[32] = "not used";
    snprintf(bits, sizeof bits, "0x%016" PRIx64, d->bits);
    if (d->leading_is_used) snprintf(leading, sizeof leading, "%" PRIu64 " B", d->leading_B);
    json_field_string(&out->json, "bits", bits);
    json_field_string(&out->json, "major", d->mn_major ? "mn" : "k");
    json_field_uint(&out->json, "start_address", d->start_address);
    json_field_uint(&out->json, "leading_bytes", d->leading_B);
    json_field_bool(&out->json, "leading_is_used", d->leading_is_used);
    json_field_uint(&out->json, "stride_bytes", d->stride_B);
    json_field_uint(&out->json, "base_offset", d->base_offset);
    json_field_string(&out->json, "swizzle", swizzle);
    tmap_printf(&out->text,
                "# %s: %s-major, descriptor %s: start 0x%" PRIx64 ", stride %" PRIu64
                " B, leading %s, base offset %u, swizzle %s\n",
                name, d->mn_major ? "MN" : "K", bits, d->start_address, d->stride_B, leading, d->base_offset, swizzle);
}

void matrix_write(result_sink *out, const plan_options *o, const described_matrix *matrix) {
    const char *name = name_of(o->consumer.consumer);
    if (matrix->status == TMAP_UNAVAILABLE) return;
    json_object(&out->json, "matrix_descriptor", true);
    json_field_bool(&out->json, "exists", matrix->status == TMAP_OK);
    if (matrix->status == TMAP_OK)
        write_descriptor(out, name, &matrix->descriptor);
    else
        write_no_matrix(out, name, matrix);
    tmap_json_close(&out->json, '}');
}
