/* tmap show: the numbers derived from a tensor's or a copy's parameters, and the facts that they depend on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/show_sequence.h"
#include "commands/show_shared.h"
#include "copies/emulated_copy.h"
#include "copies/replacement.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/result.h"
#include "specs/compiled_kernels.h"
#include "specs/used_facts.h"
#include "tmap/codec.h"
#include "tmap/emu.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/sweep.h"
#include "tmap/unstable/tables.h"
#include "tmap/unstable/walk.h"

typedef struct show_options {
    judging_options judging;
    bool json;
    optional_number step;
    const char *global_path;
    const char *svg_path;
    kernel_files kernel;
} show_options;

static const option_row options[] = {
    {"--json", NULL, "print the numbers as JSON", offsetof(show_options, json), NULL},
    {"--step", "N", "sequence: print shared memory after moment N, from 0", offsetof(show_options, step), take_number,
     TMAP_PART_KERNEL},
    {"--global", "FILE", "sequence: global memory of the tensors, from their address on",
     offsetof(show_options, global_path), NULL, TMAP_PART_KERNEL},
    {"--svg", "FILE", "shared or sequence: write the picture as SVG to FILE", offsetof(show_options, svg_path), NULL,
     TMAP_PART_LAYOUTS},
    KERNEL_FILES_OPTIONS(show_options, kernel),
    JUDGING_OPTIONS(show_options, judging),
    ASSUME_OPTION(show_options, judging.judge.assume),
    {0},
};

/* ---- A tensor --------------------------------------------------------------------------------------------------- */

typedef struct tensor_report {
    tmap_spec_tensor tensor;
    const tmap_map_params *params;
    int rank;
    tmap_derived derived;
    bool four_rows;
    double outside; /* share of the loaded elements */
    used_facts facts;
} tensor_report;

static bool only_four_rows(const tmap_map_params *params) {
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if ((params->ops >> op & 1) && !tmap_op_get(op)->four_rows) return false;
    return params->ops != 0;
}

/* The rows of gather4 are the caller's choice and can all be inside, so its tensors count as loaded row by row. */
static double outside_share(const tmap_map_params *params) {
    tmap_grid grid = tmap_grid_of(params, false);
    return grid.loaded_B == 0 ? 0 : 1 - (double)grid.inside_B / (double)grid.loaded_B;
}

static tensor_report report_tensor(const spec_document *doc, size_t index, const show_options *o) {
    tensor_report report = {.tensor = tmap_spec_tensor_get(doc->spec, index)};
    report.params = report.tensor.params;
    report.rank = report.params->rank < TMAP_RANK_MAX ? (int)report.params->rank : TMAP_RANK_MAX;
    report.four_rows = only_four_rows(report.params);
    report.derived = tmap_derive(report.params, report.four_rows);
    report.outside = outside_share(report.params);
    report.facts = facts_of_descriptor(report.params->mode != TMAP_MODE_TILED, document_archs(doc, &o->judging.judge));
    return report;
}

/* Writes a line with one number for each dimension. */
static void write_per_dim(result_sink *out, const tensor_report *report, const char *key, const char *label,
                          const uint64_t *values, const char *unit) {
    json_field_uints(&out->json, key, values, (size_t)report->rank);
    tmap_printf(&out->text, "  %-16s", label);
    for (int i = 0; i < report->rank; i++) tmap_printf(&out->text, " %12" PRIu64, values[i]);
    tmap_printf(&out->text, "%s%s\n", unit[0] != '\0' ? "  " : "", unit);
}

static void write_strides(result_sink *out, const tensor_report *report) {
    size_t strides_n = report->rank > 0 ? (size_t)report->rank - 1 : 0;
    json_field_uints(&out->json, "strides_bytes", report->params->strides_B, strides_n);
    tmap_printf(&out->text, "  %-16s %12s", "strides", "packed");
    for (size_t i = 0; i < strides_n; i++) tmap_printf(&out->text, " %12" PRIu64, report->params->strides_B[i]);
    tmap_puts(&out->text, "  B\n");
}

/* The class that the native encoder stores. */
static void write_class(result_sink *out, const tmap_map_params *params) {
    const char *stored = tmap_allocation_class_get((int)tmap_allocation_class_of(params))->cu_name;
    bool chosen = params->allocation_class == TMAP_ALLOCATION_AUTO;
    json_field_string(&out->json, "allocation_class", stored);
    tmap_printf(&out->text, "  %-22s %s%s\n", "allocation class", stored,
                chosen ? ", chosen by the native encoder" : "");
}

static void write_swizzle(result_sink *out, const tmap_swizzle_info *swizzle) {
    int b, m, s;
    json_field_string(&out->json, "swizzle", swizzle->name);
    tmap_printf(&out->text, "  %-22s %s", "swizzle", swizzle->name);
    if (swizzle->taps_n > 0)
        tmap_printf(&out->text, ": atoms of %u B, repeats every %u B", tmap_swizzle_atom_B(swizzle),
                    tmap_swizzle_period_B(swizzle));
    if (swizzle->taps_n > 0 && tmap_swizzle_cute(swizzle, &b, &m, &s))
        tmap_printf(&out->text, ", CuTe Swizzle<%d,%d,%d> on bytes", b, m, s);
    tmap_puts(&out->text, "\n");
}

static void write_evidence(result_sink *out, const used_facts *facts, const char *what) {
    const used_fact *weakest = facts_weakest(facts);
    char archs[ARCHS_TEXT_MAX];
    if (weakest)
        tmap_printf(&out->text, "  %s is based on %zu fact%s; the weakest on %s is %s [%s]\n", what, facts->n,
                    facts->n == 1 ? "" : "s", archs_shown(facts->archs, archs), fact_class(weakest), weakest->fact);
    facts_write(out, facts, "  ");
}

static void write_corner(result_sink *out, const tensor_report *report, const char *key, const char *label,
                         const int64_t *corner) {
    tmap_image_dims dims = tmap_image_dims_of(report->params);
    json_field_ints(&out->json, key, corner, (size_t)dims.walked_n);
    tmap_printf(&out->text, "  %-16s", label);
    for (int i = 0; i < report->rank; i++) {
        int entry = i - dims.first_spatial;
        if (entry >= 0 && entry < dims.walked_n)
            tmap_printf(&out->text, " %12" PRId64, corner[entry]);
        else
            tmap_printf(&out->text, " %12s", "");
    }
    tmap_puts(&out->text, "  pixels\n");
}

static void write_tile(result_sink *out, const tensor_report *report) {
    const tmap_derived *d = &report->derived;
    const char *copied = report->four_rows ? "elements (four rows)" : "elements";
    write_per_dim(out, report, "box", "box", report->params->box_el, "elements");
    write_per_dim(out, report, "counts", "copied per box", d->counts, copied);
    write_per_dim(out, report, "boxes", "boxes", d->boxes, "");
    result_number(out, "boxes_n", "boxes in total", d->boxes_n, "");
    json_field_percent(&out->json, "outside_percent", report->outside * 100);
    tmap_printf(&out->text, "  %-22s %.2f %% of the loaded elements are outside\n", "edges", report->outside * 100);
}

/* For the wide modes: after the last pixel of a row the walk continues in a later image; h and d do not change. */
static void write_wide_walk(result_sink *out, const tmap_map_params *params) {
    tmap_image_dims dims = tmap_image_dims_of(params);
    uint64_t step = params->element_strides[dims.batch];
    if (!tmap_mode_get((int)params->mode)->wide) return;
    json_field_uint(&out->json, "image_step", step);
    tmap_printf(&out->text,
                "  %-22s along w in steps of %" PRIu64 ", then %" PRIu64 " image%s further; h and d do not "
                "change\n",
                "walk", params->element_strides[dims.first_spatial], step, step == 1 ? "" : "s");
}

static void write_column(result_sink *out, const tensor_report *report) {
    const tmap_derived *d = &report->derived;
    write_corner(out, report, "lower_corner", "lower corner", report->params->lower_corner);
    write_corner(out, report, "upper_corner", "upper corner", report->params->upper_corner);
    write_per_dim(out, report, "steps", "steps", report->params->element_strides, "pixels");
    write_wide_walk(out, report->params);
    json_field_uints(&out->json, "counts", d->counts, 2);
    json_field_uints(&out->json, "columns", d->boxes, 2);
    result_number(out, NULL, "channels per pixel", d->counts[0], "");
    result_number(out, NULL, "pixels per column", d->counts[1], "");
    result_number(out, NULL, "columns of channels", d->boxes[0], "");
    result_number(out, NULL, "columns of pixels", d->boxes[1], "");
    result_number(out, "columns_n", "columns in total", d->boxes_n, "");
}

static void write_face(result_sink *out, const tensor_report *report) {
    const char *mode = tmap_mode_get((int)report->params->mode)->name;
    const char *type = tmap_type_get((int)report->params->type)->name;
    json_field_string(&out->json, "name", report->tensor.name);
    json_field_string(&out->json, "mode", mode);
    json_field_string(&out->json, "type", type);
    json_field_strings(&out->json, "axes", report->tensor.axes, (size_t)report->rank);
    tmap_printf(&out->text, "tensor %s: %s %s, rank %d\n", report->tensor.name, mode, type, report->rank);
    tmap_printf(&out->text, "  %-16s", "");
    for (int i = 0; i < report->rank; i++) tmap_printf(&out->text, " %12s", report->tensor.axes[i]);
    tmap_puts(&out->text, "\n");
}

/* Memory without a tensor map has a size, and no box. */
static void write_linear(result_sink *out, const tensor_report *report) {
    result_number(out, "span_bytes", "memory", report->derived.span_B, "B");
    tmap_puts(&out->text, "  no tensor map: each copy has its own size\n");
}

static void write_tensor(result_sink *out, const tensor_report *report) {
    const tmap_map_params *params = report->params;
    const tmap_derived *d = &report->derived;
    write_face(out, report);
    write_per_dim(out, report, "dims", "dims", params->dims_el, "elements");
    if (params->mode == TMAP_MODE_LINEAR) {
        write_linear(out, report);
        return;
    }
    write_strides(out, report);
    result_number(out, "span_bytes", "tensor spans", d->span_B, "B");
    write_class(out, params);
    write_swizzle(out, tmap_swizzle_get((int)params->swizzle));
    (params->mode == TMAP_MODE_TILED ? write_tile : write_column)(out, report);
    result_number(out, "row_bytes", "row", d->inner_shared_B, "B");
    result_number(out, "pitch_bytes", "pitch", d->pitch_B, "B");
    result_number(out, "rows", "rows", d->rows_n, "");
    result_number(out, "box_bytes", "box in shared memory", d->footprint_B, "B");
    result_number(out, "tx_bytes", "transaction bytes", d->payload_B, "B");
    result_number(out, "shared_align_bytes", "shared alignment", d->shared_align_B, "B");
    const char *unknown = tmap_descriptor_unknown_mode(params->mode);
    if (!unknown) {
        write_evidence(out, &report->facts, "the native descriptor");
    } else {
        tmap_printf(&out->text, "  no native descriptor: %s\n", unknown);
        facts_json(&out->json, &report->facts);
    }
}

/* ---- A copy ----------------------------------------------------------------------------------------------------- */

typedef struct copy_report {
    const char *name;
    tmap_spec_tensor tensor;
    tmap_copy copy;
    tmap_extent extent;
    tmap_footprint footprint;
    const tmap_form_info *form;
    used_facts facts;
} copy_report;

static tmap_status report_copy(spec_document *doc, size_t index, const show_options *o, copy_report *report) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    *report = (copy_report){.name = copy.name};
    tmap_status status = tmap_spec_copy_init(doc->spec, index, &o->judging.judge, &doc->diags, &report->copy);
    if (status != TMAP_OK) return status;
    const tmap_copy_params *params = &report->copy.params;
    report->tensor = tmap_spec_tensor_get(doc->spec, copy.tensor);
    report->extent = tmap_copy_extent(&report->copy);
    status = tmap_copy_footprint(&report->copy, NULL, &report->footprint);
    if (status != TMAP_OK) return status;
    report->form = tmap_form_of(report->copy.map.params.mode, params->op, params->dst, params->cta_mask != 0,
                                params->cta_group != 0);
    int toolkit = document_toolkit(doc, &o->judging.judge);
    if (toolkit && !params->has_dst)
        report->form = tmap_form_for_ptx(report->form, params->op, tmap_ptx_version_of_cuda(toolkit));
    report->facts = facts_of_copy(&report->copy, document_archs(doc, &o->judging.judge));
    facts_refuse(doc, &o->judging, &report->facts, copy.name, copy.mark);
    return TMAP_OK;
}

/* The offsets that an im2col load adds to its coordinates. */
static void print_filter(tmap_sink *sink, const copy_report *report) {
    const tmap_copy *copy = &report->copy;
    if (copy->pixels.walked_n == 0 || copy->op->to_global) return;
    if (copy->map.params.mode != TMAP_MODE_IM2COL) {
        tmap_printf(sink, "  %-22s %llu, w moved by %llu\n", "halo", (unsigned long long)copy->params.w_halo,
                    (unsigned long long)copy->params.w_offset);
        return;
    }
    tmap_printf(sink, "  %-22s", "offsets");
    for (int i = 0; i < copy->pixels.walked_n; i++) {
        tmap_printf(sink, " %s=%lld", report->tensor.axes[copy->pixels.walked[i].dim],
                    (long long)copy->params.offsets[i]);
    }
    tmap_puts(sink, "\n");
}

static void write_counts(result_sink *out, const tmap_copy *copy) {
    uint64_t counts[TMAP_RANK_MAX];
    tmap_printf(&out->text, "  %-22s ", copy->pixels.walked_n > 0 ? "channels x pixels" : "elements");
    for (int i = 0; i < copy->rank; i++) {
        counts[i] = copy->counts[i];
        tmap_printf(&out->text, "%s%u", i > 0 ? " x " : "", copy->counts[i]);
    }
    tmap_puts(&out->text, "\n");
    json_field_uints(&out->json, "counts", counts, (size_t)copy->rank);
}

/* The box in shared memory. The text has no box for a prefetch. */
static void write_box(result_sink *out, const tmap_copy *copy) {
    tmap_sink text = out->text;
    if (!tmap_op_moves(copy->op)) text = result_mute(out);
    JSON_FIELDS(&out->json, {"row_bytes", copy->inner_B}, {"pitch_bytes", copy->pitch_B}, {"rows", copy->rows_n});
    tmap_printf(&out->text, "  %-22s %u of %u B, %u B apart\n", "rows", copy->rows_n, copy->inner_B, copy->pitch_B);
    result_number(out, "footprint_bytes", "box in shared memory", copy->footprint_B, "B");
    result_number(out, "tx_bytes", "transaction bytes", copy->payload_B, "B");
    out->text = text;
}

/* The qualifiers of the instruction. Writes nothing if the instruction has no qualifiers. */
static void write_qualifiers(result_sink *out, const tmap_copy_params *params) {
    const tmap_qualifier_info *q;
    uint32_t qualifiers = tmap_qualifiers_of(params);
    char policy[24];
    if (qualifiers == 0) return;
    tmap_printf(&out->text, "  %-22s", "qualifiers");
    tmap_json_key(&out->json, "qualifiers");
    tmap_json_array(&out->json, true);
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++) {
        if (!(qualifiers >> i & 1)) continue;
        tmap_printf(&out->text, " %s", q->name);
        tmap_json_string(&out->json, q->name);
    }
    tmap_json_close(&out->json, ']');
    (void)snprintf(policy, sizeof policy, "0x%016" PRIx64, params->cache_hint);
    if (params->cache_hint != 0) json_field_string(&out->json, "cache_hint", policy);
    tmap_printf(&out->text, "%s%s\n", params->cache_hint != 0 ? " " : "", params->cache_hint != 0 ? policy : "");
}

static void write_moved(result_sink *out, const copy_report *report) {
    const tmap_extent *extent = &report->extent;
    const tmap_footprint *footprint = &report->footprint;
    const char *form = report->form ? report->form->name : NULL;
    result_number(out, "inside_bytes", "inside the tensor", extent->data_B, "B");
    json_field_uint(&out->json, "global_first", extent->first_B);
    json_field_uint(&out->json, "global_end", extent->end_B);
    if (extent->end_B > extent->first_B)
        tmap_printf(&out->text, "  %-22s %" PRIu64 " to %" PRIu64 " from the tensor's address\n", "global bytes",
                    extent->first_B, extent->end_B - 1);
    json_field_uint(&out->json, "sectors", footprint->sectors_n);
    json_field_uint(&out->json, "sector_bytes", footprint->sectors_B);
    tmap_printf(&out->text, "  %-22s %" PRIu64 ", %" PRIu64 " B\n", "L2 sectors of 32 B", footprint->sectors_n,
                footprint->sectors_B);
    json_field_string(&out->json, "instruction", form);
    if (form) tmap_printf(&out->text, "  %-22s %s\n", "instruction", form);
    write_qualifiers(out, &report->copy.params);
}

static void write_copy(result_sink *out, const copy_report *report) {
    const tmap_copy *copy = &report->copy;
    bool moves = tmap_op_moves(copy->op);
    json_field_string(&out->json, "name", report->name);
    json_field_string(&out->json, "tensor", report->tensor.name);
    json_field_string(&out->json, "op", copy->op->name);
    json_field_uint(&out->json, "shared", copy->params.shared);
    tmap_printf(&out->text, "copy %s: %s of %s at ", report->name, copy->op->name, report->tensor.name);
    place_write(&out->text, copy, report->tensor.axes);
    if (moves) tmap_printf(&out->text, ", shared 0x%" PRIx64, copy->params.shared);
    tmap_puts(&out->text, "\n");
    print_filter(&out->text, report);
    write_counts(out, copy);
    write_box(out, copy);
    write_moved(out, report);
    write_evidence(out, &report->facts, "the prediction");
}

/* ---- A file ----------------------------------------------------------------------------------------------------- */

static int show_tensor(spec_document *doc, size_t index, const show_options *o, result_sink *out) {
    tensor_report report = report_tensor(doc, index, o);
    tmap_map map; /* only for the findings: the numbers are shown in any case */
    (void)tmap_spec_map(doc->spec, index, &o->judging.judge, &doc->diags, &map);
    facts_refuse(doc, &o->judging, &report.facts, report.tensor.name, report.tensor.mark);
    tmap_json_object(&out->json, false);
    write_tensor(out, &report);
    tmap_json_close(&out->json, '}');
    return EXIT_CLEAN;
}

static int show_replacement(spec_document *doc, size_t index, const show_options *o, result_sink *out) {
    replacing r;
    int code = replacing_run(&r, doc, index, &o->judging);
    if (code == EXIT_CLEAN) {
        tmap_json_object(&out->json, false);
        replacing_write(out, &r);
        tmap_json_close(&out->json, '}');
    }
    replacing_end(&r);
    return code;
}

static int show_copy(spec_document *doc, size_t index, const show_options *o, result_sink *out) {
    copy_report report;
    tmap_status status = report_copy(doc, index, o, &report);
    if (status != TMAP_OK) return code_of(status);
    tmap_json_object(&out->json, false);
    write_copy(out, &report);
    tmap_json_close(&out->json, '}');
    return EXIT_CLEAN;
}

static int show_item(void *context, spec_document *doc, bool is_copy, size_t index, result_sink *out) {
    out->label_width = 22;
    if (!is_copy) return show_tensor(doc, index, context, out);
    return (is_replacing(doc, index) ? show_replacement : show_copy)(doc, index, context, out);
}

/* Shows compiled kernels, or the one with the name. *is_one is false for another file, whose text is then loaded. */
static int show_kernels(spec_document *doc, const char *path, const char *name, const show_options *o, bool *is_one) {
    tmap_compiled *kernels = NULL;
    size_t kernel = SIZE_MAX;
    int code = document_load(doc, path);
    *is_one = code != EXIT_CLEAN || kernel_is_one(path, &doc->text);
    if (!*is_one) return code;
    if (o->step.given || o->global_path || o->svg_path)
        code = complain(EXIT_USAGE, "--step, --global and --svg are for specs");
    if (code == EXIT_CLEAN) code = kernel_open(doc, path, &o->kernel, &kernels);
    if (TMAP_WITH_KERNEL && code == EXIT_CLEAN && name) code = kernel_find(kernels, path, name, &kernel);
    if (TMAP_WITH_KERNEL && code == EXIT_CLEAN) {
        result_sink out;
        result_begin(&out, stdout, o->json);
        json_field_string(&out.json, "path", doc->path);
        kernel_write(&out, kernels, kernel);
        result_end(&out);
    }
    if (TMAP_WITH_KERNEL) tmap_compiled_free(kernels);
    return document_finish(doc, code);
}

/* Whether the name is a word for a section, which the file then does not have. */
static bool is_section(const spec_document *doc, const char *name) {
    return name && (strcmp(name, "shared") == 0 || (TMAP_WITH_KERNEL && strcmp(name, SEQUENCE_NAME) == 0)) &&
           tmap_spec_tensor_find(doc->spec, name) == SIZE_MAX && tmap_spec_copy_find(doc->spec, name) == SIZE_MAX;
}

static int run_show(const operand_list *operands, void *values) {
    show_options *o = values;
    spec_document doc;
    const char *name = operands->n > 1 ? operands->items[1] : NULL;
    bool maybe_shared = name && strcmp(name, "shared") == 0;
    if (o->json && o->svg_path) return complain(EXIT_USAGE, "--json and --svg exclude each other");
    bool is_kernel;
    int code = show_kernels(&doc, operands->items[0], name, o, &is_kernel);
    if (is_kernel) return code;
    code = (maybe_shared ? document_parse_sized : document_parse_sound)(&doc);
    if (code != EXIT_CLEAN) return code;
    sequence_request request = {&o->judging.judge, o->global_path, o->svg_path, o->step, o->json};
    if (names_shared(&doc, name))
        code = show_shared(&doc, &o->judging, o->json, o->svg_path);
    else if (TMAP_WITH_KERNEL && is_sequence(&doc, name))
        code = sequence_show(&doc, &request);
    else if (o->step.given || o->global_path)
        code = complain(EXIT_USAGE, "--step and --global are for 'tmap show FILE sequence'");
    else if (o->svg_path)
        code = complain(EXIT_USAGE, "--svg draws shared or sequence; tmap draw draws a box");
    else if (is_section(&doc, name))
        code = complain(EXIT_USAGE, "%s has no section '%s'", doc.path, name);
    else
        code = document_write_items(&doc, name, o->json, show_item, o);
    return document_finish(&doc, code);
}

const command_row show_command = {
    .name = "show",
    .summary = "print the numbers of a tensor or a copy, or what a kernel copies",
    .synopsis = "FILE [NAME | shared | sequence]",
    .about =
        "Prints the numbers of a tensor: strides, rows, pitch, bytes of a box, transaction bytes, the alignment\n"
        "of the box, the boxes in each dimension, and the part of the loaded elements that is outside the tensor.\n"
        "For a copy, prints the bytes that the copy moves, and their places. Both include the evidence for the\n"
        "numbers. Without NAME: every tensor and copy of the file.\n\n"
        "For PTX, a cubin or a fatbin, prints the kernels, their tensor maps, and each copy with its map,\n"
        "coordinates, shared address, barrier and bytes; --maps gives the maps of the host. NAME is a kernel.\n\n"
        "'shared' prints the window of shared memory: its buffers, stages, barriers and gaps by address.\n\n"
        "'sequence' executes the sequence of the file, and prints each step of a thread, each completion of a\n"
        "copy with its first bytes, and the contents of shared memory at the end, or after --step N. The bytes of\n"
        "a tensor are those of --global FILE; without --global element i holds the number i. Shared memory holds\n"
        "0xcd before the first write. --svg draws the sequence.",
    OPTIONS_IN(show_options),
    .operands = {1, 2},
    .run = run_show,
};
