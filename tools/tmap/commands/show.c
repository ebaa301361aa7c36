/* tmap show: the numbers that follow from a tensor's or a copy's parameters, and what they rest on. */
#include <stdlib.h>

#include "copies/replacement.h"
#include "options/command.h"
#include "output/messages.h"
#include "specs/evidence.h"
#include "tmap/codec.h"
#include "tmap/emu.h"
#include "tmap/unstable/sweep.h"

typedef struct show_options {
    judging_options judging;
    bool json;
} show_options;

static const option_row options[] = {
    {"--json", NULL, "print the numbers as JSON", offsetof(show_options, json), NULL},
    JUDGING_OPTIONS(show_options, judging),
    {0},
};

/* ---- A tensor --------------------------------------------------------------------------------------------------- */

typedef struct tensor_report {
    tmap_spec_tensor tensor;
    const tmap_map_params *params;
    int rank;
    tmap_derived derived;
    bool four_rows;
    double outside; /* share of what boxes load */
    ground_list grounds;
} tensor_report;

static bool only_four_rows(const tmap_map_params *params) {
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if ((params->ops >> op & 1) && !tmap_op_get(op)->four_rows) return false;
    return params->ops != 0;
}

/* Whichever rows gather4 takes, none need lie outside: its tensors count as loaded row by row. */
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
    report.grounds =
        grounds_of_descriptor(report.params->mode != TMAP_MODE_TILED, document_archs(doc, &o->judging.judge));
    return report;
}

/* Derived numbers answer UINT64_MAX for what does not fit. */
static void print_number(tmap_sink *sink, const char *label, uint64_t value, const char *unit) {
    if (value == UINT64_MAX) {
        tmap_printf(sink, "  %-22s more than 64 bits hold\n", label);
    } else {
        tmap_printf(sink, "  %-22s %llu%s%s\n", label, (unsigned long long)value, unit[0] != '\0' ? " " : "", unit);
    }
}

static void print_per_dim(tmap_sink *sink, const tensor_report *report, const char *label, const uint64_t *values,
                          const char *unit) {
    tmap_printf(sink, "  %-16s", label);
    for (int i = 0; i < report->rank; i++) tmap_printf(sink, " %12llu", (unsigned long long)values[i]);
    tmap_printf(sink, "%s%s\n", unit[0] != '\0' ? "  " : "", unit);
}

static void print_strides(tmap_sink *sink, const tensor_report *report) {
    tmap_printf(sink, "  %-16s %12s", "strides", "packed");
    for (int i = 1; i < report->rank; i++) {
        tmap_printf(sink, " %12llu", (unsigned long long)report->params->strides_B[i - 1]);
    }
    tmap_puts(sink, "  B\n");
}

static void print_swizzle(tmap_sink *sink, const tensor_report *report) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)report->params->swizzle);
    if (swizzle == NULL) return;
    tmap_printf(sink, "  %-22s %s", "swizzle", swizzle->name);
    if (swizzle->taps_n > 0) {
        tmap_printf(sink, ": atoms of %u B, repeats every %u B", tmap_swizzle_atom_B(swizzle),
                    tmap_swizzle_period_B(swizzle));
    }
    int b, m, s;
    if (swizzle->taps_n > 0 && tmap_swizzle_cute(swizzle, &b, &m, &s)) {
        tmap_printf(sink, ", CuTe Swizzle<%d,%d,%d> on bytes", b, m, s);
    }
    tmap_puts(sink, "\n");
}

static void print_evidence(tmap_sink *sink, const ground_list *grounds, const char *what) {
    const ground_row *weakest = grounds_weakest(grounds);
    if (weakest == NULL) return;
    char archs[ARCHS_TEXT_MAX];
    tmap_printf(sink, "  %s rests on %zu facts; the weakest on %s is %s [%s]\n", what, grounds->n,
                archs_shown(grounds->archs, archs), ground_class(weakest), weakest->fact);
    grounds_print_weak(sink, grounds, "  ");
}

static void print_corner(tmap_sink *sink, const tensor_report *report, const char *label, const int64_t *corner) {
    tmap_image_dims dims = tmap_image_dims_of(report->params);
    tmap_printf(sink, "  %-16s", label);
    for (int i = 0; i < report->rank; i++) {
        int entry = i - dims.first_spatial;
        if (entry >= 0 && entry < dims.walked_n) {
            tmap_printf(sink, " %12lld", (long long)corner[entry]);
        } else {
            tmap_printf(sink, " %12s", "");
        }
    }
    tmap_puts(sink, "  pixels\n");
}

static void print_tile(tmap_sink *sink, const tensor_report *report) {
    const tmap_derived *d = &report->derived;
    print_per_dim(sink, report, "box", report->params->box_el, "elements");
    print_per_dim(sink, report, "copied per box", d->counts, report->four_rows ? "elements (four rows)" : "elements");
    print_per_dim(sink, report, "boxes", d->boxes, "");
    print_number(sink, "boxes in all", d->boxes_n, "");
    tmap_printf(sink, "  %-22s %.2f %% of the loaded elements are outside\n", "edges", report->outside * 100);
}

/* Of the wide modes a column stays in one row of an image, and h and d are counted by themselves. */
static void print_column(tmap_sink *sink, const tensor_report *report) {
    const tmap_derived *d = &report->derived;
    print_corner(sink, report, "lower corner", report->params->lower_corner);
    print_corner(sink, report, "upper corner", report->params->upper_corner);
    print_per_dim(sink, report, "steps", report->params->element_strides, "pixels");
    print_number(sink, "channels a pixel", d->counts[0], "");
    print_number(sink, "pixels a column", d->counts[1], "");
    print_number(sink, "columns of channels", d->boxes[0], "");
    print_number(sink, "columns of pixels", d->boxes[1], "");
    print_number(sink, "columns in all", d->boxes_n, "");
}

static void print_tensor(tmap_sink *sink, const tensor_report *report) {
    const tmap_map_params *params = report->params;
    const tmap_derived *d = &report->derived;
    tmap_printf(sink, "tensor %s: %s %s, rank %d\n", report->tensor.name, tmap_mode_get((int)params->mode)->name,
                tmap_type_get((int)params->type)->name, report->rank);
    tmap_printf(sink, "  %-16s", "");
    for (int i = 0; i < report->rank; i++) tmap_printf(sink, " %12s", report->tensor.axes[i]);
    tmap_puts(sink, "\n");
    print_per_dim(sink, report, "dims", params->dims_el, "elements");
    print_strides(sink, report);
    print_number(sink, "tensor spans", d->span_B, "B");
    print_swizzle(sink, report);
    if (params->mode == TMAP_MODE_TILED) {
        print_tile(sink, report);
    } else {
        print_column(sink, report);
    }
    print_number(sink, "row", d->inner_shared_B, "B");
    print_number(sink, "pitch", d->pitch_B, "B");
    print_number(sink, "rows", d->rows_n, "");
    print_number(sink, "box in shared memory", d->footprint_B, "B");
    print_number(sink, "transaction bytes", d->payload_B, "B");
    print_number(sink, "shared alignment", d->shared_align_B, "B");
    const char *unknown = tmap_descriptor_unknown_mode(params->mode);
    if (unknown == NULL) {
        print_evidence(sink, &report->grounds, "the native descriptor");
    } else {
        tmap_printf(sink, "  no native descriptor: %s\n", unknown);
    }
}

static void axes_json(tmap_json *json, const tmap_spec_tensor *tensor, int rank) {
    tmap_json_key(json, "axes");
    tmap_json_array(json, true);
    for (int i = 0; i < rank; i++) tmap_json_string(json, tensor->axes[i]);
    tmap_json_close(json, ']');
}

static void corner_json(tmap_json *json, const char *key, const tensor_report *report, const int64_t *corner) {
    tmap_json_key(json, key);
    tmap_json_array(json, true);
    for (int i = 0; i < tmap_image_dims_of(report->params).walked_n; i++) tmap_json_int(json, corner[i]);
    tmap_json_close(json, ']');
}

static void column_json(tmap_json *json, const tensor_report *report) {
    const tmap_derived *d = &report->derived;
    corner_json(json, "lower_corner", report, report->params->lower_corner);
    corner_json(json, "upper_corner", report, report->params->upper_corner);
    json_field_uints(json, "steps", report->params->element_strides, (size_t)report->rank);
    json_field_uints(json, "counts", d->counts, 2);
    json_field_uints(json, "columns", d->boxes, 2);
    json_field_uint(json, "columns_n", d->boxes_n);
}

static void tensor_json(tmap_json *json, const tensor_report *report) {
    const tmap_map_params *params = report->params;
    const tmap_derived *d = &report->derived;
    size_t rank = (size_t)report->rank;
    tmap_json_object(json, false);
    json_field_string(json, "name", report->tensor.name);
    json_field_string(json, "mode", tmap_mode_get((int)params->mode)->name);
    json_field_string(json, "type", tmap_type_get((int)params->type)->name);
    axes_json(json, &report->tensor, report->rank);
    json_field_uints(json, "dims", params->dims_el, rank);
    json_field_uints(json, "strides_bytes", params->strides_B, rank > 0 ? rank - 1 : 0);
    json_field_uint(json, "span_bytes", d->span_B);
    json_field_string(json, "swizzle", tmap_swizzle_get((int)params->swizzle)->name);
    if (params->mode == TMAP_MODE_TILED) {
        json_field_uints(json, "box", params->box_el, rank);
        json_field_uints(json, "counts", d->counts, rank);
        json_field_uints(json, "boxes", d->boxes, rank);
        json_field_uint(json, "boxes_n", d->boxes_n);
        json_field_percent(json, "outside_percent", report->outside * 100);
    } else {
        column_json(json, report);
    }
    json_field_uint(json, "row_bytes", d->inner_shared_B);
    json_field_uint(json, "pitch_bytes", d->pitch_B);
    json_field_uint(json, "rows", d->rows_n);
    json_field_uint(json, "box_bytes", d->footprint_B);
    json_field_uint(json, "tx_bytes", d->payload_B);
    json_field_uint(json, "shared_align_bytes", d->shared_align_B);
    grounds_json(json, &report->grounds);
    tmap_json_close(json, '}');
}

/* ---- A copy ----------------------------------------------------------------------------------------------------- */

typedef struct copy_report {
    const replacing *replaces; /* of a replacement, which has nothing of the rest */
    const char *name;
    tmap_spec_tensor tensor;
    tmap_copy copy;
    tmap_extent extent;
    tmap_footprint footprint;
    const tmap_form_info *form;
    ground_list grounds;
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
    report->grounds = grounds_of_copy(&report->copy, document_archs(doc, &o->judging.judge));
    if (o->judging.strict) grounds_refuse(doc, &report->grounds, copy.name, copy.mark);
    return TMAP_OK;
}

static void print_place(tmap_sink *sink, const copy_report *report) {
    const tmap_copy_params *params = &report->copy.params;
    if (report->copy.op->four_rows) {
        tmap_printf(sink, "column %lld, rows %lld %lld %lld %lld", (long long)params->column,
                    (long long)params->rows[0], (long long)params->rows[1], (long long)params->rows[2],
                    (long long)params->rows[3]);
        return;
    }
    for (int i = 0; i < (int)report->copy.map.params.rank; i++) {
        tmap_printf(sink, "%s%s=%lld", i > 0 ? " " : "", report->tensor.axes[i], (long long)params->at[i]);
    }
}

/* What an im2col load adds to its coordinates. */
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

static void print_copy(tmap_sink *sink, const copy_report *report) {
    const tmap_copy *copy = &report->copy;
    if (report->replaces != NULL) {
        replacing_print(sink, report->replaces);
        return;
    }
    tmap_printf(sink, "copy %s: %s of %s at ", report->name, copy->op->name, report->tensor.name);
    print_place(sink, report);
    bool moves = tmap_op_moves(copy->op);
    if (moves) tmap_printf(sink, ", shared 0x%llx", (unsigned long long)copy->params.shared);
    tmap_puts(sink, "\n");
    print_filter(sink, report);
    tmap_printf(sink, "  %-22s ", copy->pixels.walked_n > 0 ? "channels x pixels" : "elements");
    for (int i = 0; i < copy->rank; i++) tmap_printf(sink, "%s%u", i > 0 ? " x " : "", copy->counts[i]);
    tmap_puts(sink, "\n");
    if (moves) {
        tmap_printf(sink, "  %-22s %u of %u B, %u B apart\n", "rows", copy->rows_n, copy->inner_B, copy->pitch_B);
        print_number(sink, "box in shared memory", copy->footprint_B, "B");
        print_number(sink, "transaction bytes", copy->payload_B, "B");
    }
    print_number(sink, "inside the tensor", report->extent.data_B, "B");
    if (report->extent.end_B > report->extent.first_B) {
        tmap_printf(sink, "  %-22s %llu to %llu from the tensor's address\n", "global bytes",
                    (unsigned long long)report->extent.first_B, (unsigned long long)report->extent.end_B - 1);
    }
    tmap_printf(sink, "  %-22s %llu, %llu B\n", "L2 sectors of 32 B", (unsigned long long)report->footprint.sectors_n,
                (unsigned long long)report->footprint.sectors_B);
    if (report->form != NULL) tmap_printf(sink, "  %-22s %s\n", "instruction", report->form->name);
    print_evidence(sink, &report->grounds, "the prediction");
}

static void copy_json(tmap_json *json, const copy_report *report) {
    const tmap_copy *copy = &report->copy;
    uint64_t counts[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) counts[i] = copy->counts[i];
    tmap_json_object(json, false);
    if (report->replaces != NULL) {
        replacing_json(json, report->replaces);
        tmap_json_close(json, '}');
        return;
    }
    json_field_string(json, "name", report->name);
    json_field_string(json, "tensor", report->tensor.name);
    json_field_string(json, "op", copy->op->name);
    json_field_uint(json, "shared", copy->params.shared);
    json_field_uints(json, "counts", counts, (size_t)copy->rank);
    json_field_uint(json, "row_bytes", copy->inner_B);
    json_field_uint(json, "pitch_bytes", copy->pitch_B);
    json_field_uint(json, "rows", copy->rows_n);
    json_field_uint(json, "footprint_bytes", copy->footprint_B);
    json_field_uint(json, "tx_bytes", copy->payload_B);
    json_field_uint(json, "inside_bytes", report->extent.data_B);
    json_field_uint(json, "global_first", report->extent.first_B);
    json_field_uint(json, "global_end", report->extent.end_B);
    json_field_uint(json, "sectors", report->footprint.sectors_n);
    json_field_uint(json, "sector_bytes", report->footprint.sectors_B);
    json_field_string(json, "instruction", report->form != NULL ? report->form->name : NULL);
    grounds_json(json, &report->grounds);
    tmap_json_close(json, '}');
}

/* ---- A file ----------------------------------------------------------------------------------------------------- */

typedef struct show_report {
    tensor_report *tensors;
    size_t tensors_n;
    copy_report *copies;
    size_t copies_n;
    replacing *replacings;
    size_t replacings_n;
} show_report;

static void add_tensor(spec_document *doc, size_t index, const show_options *o, show_report *report) {
    tensor_report *tensor = &report->tensors[report->tensors_n++];
    *tensor = report_tensor(doc, index, o);
    tmap_map map; /* only to have it judged: its numbers are shown all the same */
    (void)tmap_spec_map(doc->spec, index, &o->judging.judge, &doc->diags, &map);
    if (o->judging.strict) grounds_refuse(doc, &tensor->grounds, tensor->tensor.name, tensor->tensor.mark);
}

static int add_replacing(spec_document *doc, size_t index, const show_options *o, show_report *report) {
    replacing *r = &report->replacings[report->replacings_n++];
    int code = replacing_run(r, doc, index, &o->judging);
    if (code == EXIT_CLEAN) report->copies[report->copies_n++] = (copy_report){.replaces = r};
    return code;
}

static int add_copy(spec_document *doc, size_t index, const show_options *o, show_report *report) {
    if (is_replacing(doc, index)) return add_replacing(doc, index, o, report);
    tmap_status status = report_copy(doc, index, o, &report->copies[report->copies_n]);
    if (status == TMAP_OK) report->copies_n++;
    return code_of(status);
}

static int gather_all(spec_document *doc, const show_options *o, show_report *report) {
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < tmap_spec_tensors_n(doc->spec); i++) add_tensor(doc, i, o, report);
    for (size_t i = 0; i < tmap_spec_copies_n(doc->spec); i++) {
        const tmap_expect *expect = tmap_spec_copy_get(doc->spec, i).expect;
        if (expect != NULL && expect->rule != NULL) continue; /* meant to be refused */
        code = worse_of(code, add_copy(doc, i, o, report));
    }
    return code;
}

static int gather(spec_document *doc, const char *name, const show_options *o, show_report *report) {
    report->tensors = calloc(tmap_spec_tensors_n(doc->spec) + 1, sizeof *report->tensors);
    report->copies = calloc(tmap_spec_copies_n(doc->spec) + 1, sizeof *report->copies);
    report->replacings = calloc(tmap_spec_copies_n(doc->spec) + 1, sizeof *report->replacings);
    if (report->tensors == NULL || report->copies == NULL || report->replacings == NULL)
        return complain_status(TMAP_NO_MEMORY, doc->path);
    if (name == NULL) return gather_all(doc, o, report);
    bool is_copy;
    size_t index;
    int code = document_find(doc, name, &is_copy, &index);
    if (code != EXIT_CLEAN) return code;
    if (is_copy) return add_copy(doc, index, o, report);
    add_tensor(doc, index, o, report);
    return EXIT_CLEAN;
}

static void print_json(tmap_sink *sink, const spec_document *doc, const show_report *report) {
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, "path", doc->path);
    tmap_json_key(&json, "tensors");
    tmap_json_array(&json, false);
    for (size_t i = 0; i < report->tensors_n; i++) tensor_json(&json, &report->tensors[i]);
    tmap_json_close(&json, ']');
    tmap_json_key(&json, "copies");
    tmap_json_array(&json, false);
    for (size_t i = 0; i < report->copies_n; i++) copy_json(&json, &report->copies[i]);
    tmap_json_close(&json, ']');
    json_result_end(&json);
}

static void print_text(tmap_sink *sink, const spec_document *doc, const show_report *report) {
    (void)doc;
    for (size_t i = 0; i < report->tensors_n; i++) print_tensor(sink, &report->tensors[i]);
    for (size_t i = 0; i < report->copies_n; i++) print_copy(sink, &report->copies[i]);
}

static int run(int argc, char **argv) {
    show_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&show_command, &o, argc, argv, &operands, &code)) return code;
    spec_document doc;
    code = document_open_sound(&doc, operands.items[0]);
    if (code != EXIT_CLEAN) return code;
    show_report report = {0};
    code = gather(&doc, operands.n > 1 ? operands.items[1] : NULL, &o, &report);
    tmap_sink sink = sink_to(stdout);
    if (code != EXIT_USAGE) (o.json ? print_json : print_text)(&sink, &doc, &report);
    free(report.tensors);
    free(report.copies);
    for (size_t i = 0; i < report.replacings_n; i++) replacing_end(&report.replacings[i]);
    free(report.replacings);
    return document_finish(&doc, code);
}

const command_row show_command = {
    .name = "show",
    .summary = "the numbers that follow from a tensor or a copy",
    .synopsis = "FILE [NAME]",
    .about = "Of a tensor: strides, rows, pitch, box bytes, transaction bytes, the alignment that a consumer expects,\n"
             "boxes per dimension, and how much of what they load lies outside. Of a copy: what it moves and where.\n"
             "Both with the evidence that they rest on. Without NAME, everything in the file.",
    .options = options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run,
};
