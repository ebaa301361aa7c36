/* tmap stats: the cost of a copy in bytes, sectors and bank conflicts, and the best swizzle. */
#include <inttypes.h>
#include <stdlib.h>

#include "copies/replacement.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/table.h"
#include "specs/document.h"
#include "specs/used_facts.h"
#include "tmap/unstable/stats.h"
#include "tmap/unstable/sweep.h"

typedef struct stats_options {
    judging_options judging;
    optional_number width;
    bool json;
} stats_options;

static const option_row options[] = {
    {"--width", "BYTES", "bytes that a lane reads in element_row and element_column: 1, 2, 4, 8, 16 (one element)",
     offsetof(stats_options, width), take_number},
    {"--json", NULL, "print the numbers as JSON", offsetof(stats_options, json), NULL},
    JUDGING_OPTIONS(stats_options, judging),
    ASSUME_OPTION(stats_options, judging.judge.assume),
    {0},
};

/* ---- Counting --------------------------------------------------------------------------------------------------- */

typedef struct stats_report {
    const char *name;
    tmap_spec_tensor tensor;
    const char *op; /* of a copy; NULL for a tensor */
    tmap_grid grid; /* of a tensor */
    tmap_copy copy; /* for a tensor, the first tile */
    uint32_t width_B;
    tmap_traffic traffic;
    tmap_recommendation advice;
    used_facts facts;
} stats_report;

/* A prefetch has no box in shared memory, and so no readers. */
static bool has_box(const tmap_copy *copy) {
    return copy->op && tmap_op_moves(copy->op);
}

/* Advice for another swizzle also depends on the facts about that swizzle. */
static void use_facts_of_advice(stats_report *report, const tmap_judge *judge) {
    const tmap_recommendation *advice = &report->advice;
    tmap_map_params params = report->copy.map.params;
    tmap_map map;
    tmap_copy advised;
    params.swizzle = advice->candidates[advice->best].swizzle;
    if (tmap_map_init(&map, &params, judge, NULL) == TMAP_OK &&
        tmap_copy_init(&advised, &map, &report->copy.params, judge, NULL) == TMAP_OK)
        facts_add_copy(&report->facts, &advised);
}

static int count(spec_document *doc, const stats_options *o, tmap_mark mark, stats_report *report) {
    const tmap_copy *copy = &report->copy;
    uint32_t width_B = tmap_reader_width_B(copy->map.type);
    tmap_judge judge = o->judging.judge;
    judge.archs = document_archs(doc, &judge);
    report->width_B = o->width.given ? (uint32_t)o->width.value : width_B;
    tmap_status status = tmap_copy_traffic(copy, NULL, &report->traffic);
    if (status == TMAP_OK && has_box(copy))
        status = tmap_recommend_swizzle(copy, report->width_B, &judge, &report->advice);
    if (status != TMAP_OK) return complain_status(status, report->name);
    report->facts = has_box(copy) ? facts_of_stats(copy, judge.archs) : facts_of_copy(copy, judge.archs);
    if (has_box(copy) && report->advice.best != report->advice.given) use_facts_of_advice(report, &judge);
    facts_refuse(doc, &o->judging, &report->facts, report->name, mark);
    return EXIT_CLEAN;
}

static int count_tensor(spec_document *doc, size_t index, const stats_options *o, stats_report *report) {
    tmap_map map;
    tmap_sweep sweep;
    *report = (stats_report){.tensor = tmap_spec_tensor_get(doc->spec, index)};
    report->name = report->tensor.name;
    tmap_status status = tmap_spec_map(doc->spec, index, &o->judging.judge, &doc->diags, &map);
    if (status != TMAP_OK) return worse_of(code_of(status), EXIT_FINDINGS);
    tmap_judge judge = o->judging.judge;
    judge.archs = document_archs(doc, &judge);
    judge.subject = report->name;
    judge.path = doc->path;
    judge.axes = report->tensor.axes;
    tmap_copy_params like = {.op = tmap_sweep_op(&map.params, false)};
    status = tmap_sweep_init_range(&sweep, &map, &like, 0, 1, &judge, &doc->diags); /* of the first box */
    if (status != TMAP_OK) return worse_of(code_of(status), EXIT_FINDINGS);
    report->grid = sweep.grid;
    report->copy = sweep.copy;
    return count(doc, o, report->tensor.mark, report);
}

static int count_copy(spec_document *doc, size_t index, const stats_options *o, stats_report *report) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    *report = (stats_report){.name = copy.name};
    tmap_status status = tmap_spec_copy_init(doc->spec, index, &o->judging.judge, &doc->diags, &report->copy);
    if (status != TMAP_OK) return worse_of(code_of(status), EXIT_FINDINGS);
    report->tensor = tmap_spec_tensor_get(doc->spec, copy.tensor);
    report->op = report->copy.op->name;
    return count(doc, o, copy.mark, report);
}

/* 100 if `whole` is 0. */
static double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 100 : (double)part / (double)whole * 100;
}

/* ---- The numbers ------------------------------------------------------------------------------------------------ */

/* Boxes along the tensor's axes; or columns along channels, the pixels of all images, and rows of images. */
static void print_along(tmap_sink *sink, const stats_report *report) {
    const uint64_t *tiles = report->grid.tiles;
    if (report->copy.map.params.mode != TMAP_MODE_TILED) {
        tmap_printf(sink, "%" PRIu64 " along the channels, %" PRIu64 " along the pixels", tiles[0], tiles[1]);
        uint64_t rows_n = tiles[2] * tiles[3];
        if (rows_n > 1) tmap_printf(sink, ", %" PRIu64 " rows of an image", rows_n);
        return;
    }
    for (int i = 0; i < (int)report->copy.map.params.rank; i++)
        tmap_printf(sink, "%s%" PRIu64 " along %s", i > 0 ? ", " : "", tiles[i], report->tensor.axes[i]);
}

static void write_grid(result_sink *out, const stats_report *report) {
    const tmap_grid *grid = &report->grid;
    json_field_uints(&out->json, "boxes", grid->tiles, (size_t)report->copy.map.params.rank);
    json_field_saturated(&out->json, "boxes_n", grid->tiles_n);
    json_field_saturated(&out->json, "loaded_bytes", grid->loaded_B);
    json_field_saturated(&out->json, "inside_bytes", grid->inside_B);
    tmap_printf(&out->text, "  %-16s %s (", "boxes", saturated_text(grid->tiles_n).text);
    print_along(&out->text, report);
    tmap_printf(&out->text, ")\n  %-16s %s B loaded", "all boxes", saturated_text(grid->loaded_B).text);
    if (grid->loaded_B != UINT64_MAX)
        tmap_printf(&out->text, ", %.2f %% of them inside the tensor", percent(grid->inside_B, grid->loaded_B));
    tmap_puts(&out->text, "\n");
}

/* A prefetch writes nothing to shared memory. */
static void print_box(tmap_sink *sink, const stats_report *report) {
    const tmap_traffic *t = &report->traffic;
    const char *what = !report->op ? "the first box" : "the box";
    if (!has_box(&report->copy))
        tmap_printf(sink, "  %-16s %" PRIu64 " B: %" PRIu64 " inside the tensor, %" PRIu64 " outside\n", what,
                    t->payload_B, t->useful_B, t->dropped_B);
    else if (report->copy.op->to_shared)
        tmap_printf(sink, "  %-16s %" PRIu64 " B: %" PRIu64 " useful, %" PRIu64 " filled, %" PRIu64 " gaps\n", what,
                    t->footprint_B, t->useful_B, t->filled_B, t->gap_B);
    else
        tmap_printf(sink, "  %-16s %" PRIu64 " B: %" PRIu64 " useful, %" PRIu64 " dropped, %" PRIu64 " gaps\n", what,
                    t->footprint_B, t->useful_B, t->dropped_B, t->gap_B);
}

static void write_traffic(result_sink *out, const stats_report *report) {
    const tmap_traffic *t = &report->traffic;
    tmap_json *json = &out->json;
    double used = percent(t->global_B, t->sectors_n * TMAP_SECTOR_B);
    JSON_FIELDS(json, {"footprint_bytes", t->footprint_B}, {"useful_bytes", t->useful_B}, {"filled_bytes", t->filled_B},
                {"dropped_bytes", t->dropped_B}, {"gap_bytes", t->gap_B}, {"global_bytes", t->global_B},
                {"sectors", t->sectors_n}, {"wasted_sector_bytes", t->wasted_B});
    json_field_percent(json, "sector_use_percent", used);
    json_field_uint(json, "width_bytes", report->width_B);
    print_box(&out->text, report);
    if (t->sectors_n == 0)
        tmap_printf(&out->text, "  %-16s no sector: %s\n", "L2",
                    report->copy.params.dst == TMAP_DST_CLUSTER && report->copy.op->to_global
                        ? "the copy writes shared memory"
                        : "the whole box is outside the tensor");
    else
        tmap_printf(&out->text,
                    "  %-16s %" PRIu64 " sector%s of %d B for %" PRIu64 " B: %.2f %% useful, %" PRIu64 " B wasted\n",
                    "L2", t->sectors_n, t->sectors_n == 1 ? "" : "s", TMAP_SECTOR_B, t->global_B, used, t->wasted_B);
}

/* "free", "8-way", and if accesses differ the mean: "8-way (4.50)". */
static table_cell way_cell(const tmap_reading *c) {
    char text[48];
    if (c->worst_n == 1)
        snprintf(text, sizeof text, "free");
    else if (c->passes_n == c->accesses_n * c->worst_n)
        snprintf(text, sizeof text, "%" PRIu32 "-way", c->worst_n);
    else
        snprintf(text, sizeof text, "%" PRIu32 "-way (%.2f)", c->worst_n, (double)c->passes_n / (double)c->accesses_n);
    return cell_text(text);
}

static void print_readers(tmap_sink *sink, const stats_report *report) {
    const tmap_recommendation *advice = &report->advice;
    text_table table = {.columns = {"read by", "how"}, .columns_n = 2 + advice->candidates_n};
    for (int i = 0; i < advice->candidates_n; i++)
        table.columns[2 + i] = tmap_swizzle_get((int)advice->candidates[i].swizzle)->name;
    for (int reader = 0; reader < TMAP_READER_COUNT; reader++) {
        const tmap_reader_info *info = tmap_reader_get(reader);
        char how[96];
        snprintf(how, sizeof how, "%s", info->about);
        if (info->width_B == 0) snprintf(how, sizeof how, "%s, %" PRIu32 " B", info->about, report->width_B);
        TABLE_ROW(&table, cell_text(info->name), cell_text(how));
        for (int i = 0; i < advice->candidates_n; i++)
            table_add(&table, way_cell(&advice->candidates[i].readers[reader]));
    }
    TABLE_ROW(&table, cell_text("box"), cell_text("bytes of shared memory"));
    for (int i = 0; i < advice->candidates_n; i++) table_add(&table, cell_number(advice->candidates[i].footprint_B));
    table_print(sink, &table);
    table_free(&table);
}

static void candidate_json(tmap_json *json, const tmap_candidate *c) {
    tmap_json_object(json, false);
    json_field_string(json, "swizzle", tmap_swizzle_get((int)c->swizzle)->name);
    json_field_uint(json, "footprint_bytes", c->footprint_B);
    for (int reader = 0; reader < TMAP_READER_COUNT; reader++) {
        json_object(json, tmap_reader_get(reader)->name, true);
        JSON_FIELDS(json, {"accesses", c->readers[reader].accesses_n}, {"passes", c->readers[reader].passes_n},
                    {"worst", c->readers[reader].worst_n});
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, '}');
}

static void advice_json(tmap_json *json, const tmap_recommendation *advice, bool tiled) {
    json_list(json, "swizzles", false);
    for (int i = 0; i < advice->candidates_n; i++) candidate_json(json, &advice->candidates[i]);
    tmap_json_close(json, ']');
    json_field_string(json, "swizzle", tmap_swizzle_get((int)advice->candidates[advice->given].swizzle)->name);
    json_field_string(json, "recommended", tmap_swizzle_get((int)advice->candidates[advice->best].swizzle)->name);
    json_field_string(json, "reason", advice->why.message);
    if (advice->narrow_el == 0) return;
    json_field_uint(json, tiled ? "narrower_box0" : "narrower_channels", advice->narrow_el);
    tmap_json_key(json, "narrower");
    candidate_json(json, &advice->narrow);
}

static void write_report(result_sink *out, const stats_report *report) {
    const tmap_recommendation *advice = &report->advice;
    const tmap_copy *copy = &report->copy;
    tmap_json *json = &out->json;
    json_field_string(json, "name", report->name);
    if (!report->op) {
        tmap_printf(&out->text, "tensor %s", report->name);
    } else {
        json_field_string(json, "tensor", report->tensor.name);
        json_field_string(json, "op", report->op);
        tmap_printf(&out->text, "copy %s: %s of %s", report->name, report->op, report->tensor.name);
    }
    tmap_printf(&out->text, ": %" PRIu32 " row%s of %" PRIu32 " B, swizzle %s\n", copy->rows_n,
                copy->rows_n == 1 ? "" : "s", copy->inner_B, tmap_swizzle_get((int)copy->map.params.swizzle)->name);
    if (!report->op) write_grid(out, report);
    write_traffic(out, report);
    if (has_box(copy)) {
        print_readers(&out->text, report);
        tmap_printf(&out->text, "%s %s\n", advice->best == advice->given ? "keep" : "use", advice->why.message);
        advice_json(json, advice, copy->map.params.mode == TMAP_MODE_TILED);
    }
    facts_write(out, &report->facts, "");
}

/* ---- A file ----------------------------------------------------------------------------------------------------- */

typedef struct stats_writer {
    const stats_options *options;
    bool all, not_first;
} stats_writer;

/* Replacements, which copy nothing, and memory without a map, which has no boxes. */
static bool has_no_cost(const spec_document *doc, bool is_copy, size_t index) {
    return is_copy ? is_replacing(doc, index) : tmap_spec_tensor_get(doc->spec, index).params->mode == TMAP_MODE_LINEAR;
}

static int write_item(void *context, spec_document *doc, bool is_copy, size_t index, result_sink *out) {
    stats_writer *writer = context;
    stats_report report;
    if (writer->all && has_no_cost(doc, is_copy, index)) return EXIT_CLEAN;
    int code = (is_copy ? count_copy : count_tensor)(doc, index, writer->options, &report);
    if (code != EXIT_CLEAN) return code;
    if (writer->not_first) tmap_puts(&out->text, "\n");
    writer->not_first = true;
    tmap_json_object(&out->json, false);
    write_report(out, &report);
    tmap_json_close(&out->json, '}');
    return EXIT_CLEAN;
}

static bool good_width(const stats_options *o) {
    uint64_t width = o->width.value;
    return !o->width.given || (width > 0 && width <= 16 && (width & (width - 1)) == 0);
}

static int run_stats(const operand_list *operands, void *values) {
    stats_options *o = values;
    if (!good_width(o))
        return complain(EXIT_USAGE, "--width requires 1, 2, 4, 8 or 16 bytes, not %" PRIu64, o->width.value);
    spec_document doc;
    int code = document_open_valid(&doc, operands->items[0]);
    if (code != EXIT_CLEAN) return code;
    const char *name = operands->n > 1 ? operands->items[1] : NULL;
    stats_writer writer = {.options = o, .all = name == NULL};
    code = document_write_items(&doc, name, o->json, write_item, &writer);
    return document_finish(&doc, code);
}

const command_row stats_command = {
    .name = "stats",
    .summary = "print the cost of a copy: bytes, sectors, bank conflicts; recommend a swizzle",
    .synopsis = "FILE [NAME]",
    .about =
        "Prints the cost of a copy, or of the first box of a tensor: the useful bytes, filled bytes and gaps; the\n"
        "32-byte sectors of L2; the bank conflicts of readers of the box (\"8-way\": one access requires up to 8\n"
        "passes) with every swizzle that the rules allow; and the recommended swizzle. For a tensor also the\n"
        "number of boxes that cover it. Without NAME: every tensor and copy of the file.",
    OPTIONS_IN(stats_options),
    .operands = {1, 2},
    .run = run_stats,
};
