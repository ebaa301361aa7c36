/* tmap copy: the bytes that a copy writes. --all compares a file's copies with their expectations. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "copies/array_fit.h"
#include "copies/expectations.h"
#include "copies/replacement.h"
#include "copies/sweep.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/result.h"
#include "specs/compiled_kernels.h"
#include "specs/launch.h"
#include "tmap/unstable/view.h"
#include "tmap/unstable/walk.h"

typedef struct copy_options {
    judging_options judging;
    copy_sources sources;
    sweep_options sweep;
    kernel_files kernel;
    launch_options launch;
    const char *out_path;
    bool json, all;
} copy_options;

static bool take_poison(void *at, const char *value) {
    uint64_t byte;
    if (parse_number(value, &byte) && byte <= 0xff) {
        *(uint8_t *)at = (uint8_t)byte;
        return true;
    }
    return wrong_usage("--poison requires a byte, 0 to 0xff, not '%s'", value);
}

static const option_row options[] = {
    {"--global", "IN", "global memory from the tensor's address on (raw or .npy)",
     offsetof(copy_options, sources.global_path), NULL},
    {"--fill", "FILL", "without --global: index (default), or random:SEED", offsetof(copy_options, sources.fill),
     take_fill},
    {"--shared", "IN", "shared memory from the copy's shared address on, before the copy (--sweep: tiles)",
     offsetof(copy_options, sources.shared_path), NULL},
    {"--poison", "BYTE", "without --shared: the byte that fills shared memory (0xcd)",
     offsetof(copy_options, sources.poison), take_poison},
    {"-o", "OUT", "write the result: rows x pitch bytes, or global memory (raw or .npy)",
     offsetof(copy_options, out_path), NULL},
    {"--all", NULL, "run every copy of the files and check its expect: block", offsetof(copy_options, all), NULL},
    SWEEP_OPTIONS(copy_options, sweep),
    {"--json", NULL, "print the result as JSON", offsetof(copy_options, json), NULL},
    KERNEL_FILES_OPTIONS(copy_options, kernel),
    LAUNCH_OPTIONS(copy_options, launch),
    JUDGING_OPTIONS(copy_options, judging),
    ASSUME_OPTION(copy_options, judging.judge.assume),
    {0},
};

/* ---- One copy, rendered ----------------------------------------------------------------------------------------- */

static void print_bytes(tmap_sink *sink, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) tmap_printf(sink, " %02x", bytes[i]);
    tmap_puts(sink, "\n");
}

/* One row of a store: sixteen bytes in each line, after the coordinate of its first element. */
static void dump_row(tmap_sink *sink, const copy_outcome *outcome, uint64_t offset_B, const uint8_t *bytes, size_t size,
                     const int64_t *at) {
    for (size_t done = 0; done < size; done += 16) {
        int64_t here[TMAP_RANK_MAX];
        memcpy(here, at, sizeof here);
        here[outcome->copy.pixels.channel] += (int64_t)done * 8 / outcome->copy.unit.value_bits;
        tmap_printf(sink, "%010" PRIx64 "  ", offset_B + done);
        coordinates_write(sink, &outcome->copy, outcome->axes, here);
        tmap_puts(sink, " ");
        print_bytes(sink, bytes + done, size - done < 16 ? size - done : 16);
    }
}

/* The log contains the bytes that the mask selects, consecutively. */
static void dump_masked(tmap_sink *sink, const copy_outcome *outcome) {
    const tmap_copy *copy = &outcome->copy;
    const uint8_t *bytes = outcome->global.log_bytes;
    int64_t at[TMAP_RANK_MAX] = {copy->params.at[0]};
    for (uint32_t done = 0; done < copy->footprint_B; done += 16, at[0] += 16 / copy->unit.global_B) {
        tmap_printf(sink, "%010" PRIx64 "  ", (uint64_t)at[0] * copy->unit.global_B);
        coordinates_write(sink, copy, outcome->axes, at);
        tmap_puts(sink, " ");
        for (int i = 0; i < 16; i++) {
            bool copied = copy->params.byte_mask >> i & 1;
            if (copied)
                tmap_printf(sink, " %02x", *bytes++);
            else
                tmap_puts(sink, " --");
        }
        tmap_puts(sink, "\n");
    }
}

/* The log contains the rows of the data runs, consecutively. */
static void dump_global(tmap_sink *sink, const copy_outcome *outcome) {
    const uint8_t *bytes = outcome->global.log_bytes;
    const tmap_pixel_walk *pixels = &outcome->copy.pixels;
    bool linear = outcome->copy.map.params.mode == TMAP_MODE_LINEAR;
    int row_dim = pixels->walked_n > 0 ? pixels->walked[0].dim : linear ? 0 : 1;
    int64_t step = linear ? outcome->copy.counts[0] : (int64_t)outcome->copy.map.params.element_strides[row_dim];
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, &outcome->copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        size_t row_B = (size_t)run.units_n * outcome->copy.unit.global_B;
        for (uint32_t row = 0; row < run.rows_n; row++) {
            dump_row(sink, outcome, run.global_B + row * run.global_step_B, bytes, row_B, run.at);
            run.at[row_dim] += step;
            bytes += row_B;
        }
    }
}

/* The thread blocks of a multicast, one after the other. */
static void write_ctas(result_sink *out, const copy_outcome *outcome) {
    uint64_t mask = outcome->copy.params.cta_mask, ctas[16];
    size_t n = 0;
    if (mask == 0) return;
    tmap_puts(&out->text, "  ctas           ");
    for (uint64_t cta = 0; cta < 16; cta++) {
        if (!(mask >> cta & 1)) continue;
        tmap_printf(&out->text, " %" PRIu64, cta);
        ctas[n++] = cta;
    }
    tmap_printf(&out->text, ", each at shared 0x%" PRIx64 " with these bytes, and tx_bytes at its own barrier\n",
                outcome->copy.params.shared);
    json_field_uints(&out->json, "ctas", ctas, n);
}

static bool moves_data(const copy_outcome *outcome) {
    return tmap_op_moves(outcome->copy.op);
}

/* The text has the sectors of a prefetch and the bytes of other copies; the JSON has both. */
static void write_numbers(result_sink *out, const copy_outcome *outcome) {
    const tmap_copy_result *r = &outcome->result;
    const tmap_footprint *f = &outcome->footprint;
    const struct number {
        const char *key;
        uint64_t value;
        bool of_prefetch;
    } numbers[] = {{"tx_bytes", r->tx_B, false},
                   {"footprint_bytes", r->footprint_B, false},
                   {"written_bytes", r->written_B, false},
                   {"filled_bytes", r->filled_B, false},
                   {"untouched_bytes", r->untouched_B, false},
                   {"sectors", f->sectors_n, true},
                   {"sector_bytes", f->sectors_B, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number *n = &numbers[i];
        if (n->of_prefetch == moves_data(outcome))
            json_field_uint(&out->json, n->key, n->value);
        else
            result_number(out, n->key, n->key, n->value, "");
    }
    if (!moves_data(outcome)) result_number(out, NULL, "data_bytes", f->data_B, "");
}

static void write_outcome(result_sink *out, const copy_outcome *outcome) {
    char digest[80];
    snprintf(digest, sizeof digest, "sha256:%s", outcome->digest);
    json_field_string(&out->json, "copy", outcome->name);
    json_field_string(&out->json, "tensor", outcome->tensor);
    json_field_string(&out->json, "op", outcome->copy.op->name);
    json_field_uint(&out->json, "shared", outcome->copy.params.shared);
    tmap_printf(&out->text, "%s: %s of %s at ", outcome->name, outcome->copy.op->name, outcome->tensor);
    place_write(&out->text, &outcome->copy, outcome->axes);
    if (moves_data(outcome)) tmap_printf(&out->text, ", shared 0x%" PRIx64, outcome->copy.params.shared);
    tmap_puts(&out->text, "\n");
    write_numbers(out, outcome);
    write_ctas(out, outcome);
    if (moves_data(outcome)) tmap_printf(&out->text, "  digest          %s\n", digest);
    json_field_string(&out->json, "digest", outcome->digest_of ? digest : NULL);
    json_field_string(&out->json, "digest_of", outcome->digest_of);
    facts_write(out, &outcome->facts, "  ");
}

static void print_dump(tmap_sink *sink, const copy_outcome *outcome) {
    if (!outcome->copy.op->to_shared) {
        (outcome->copy.params.byte_mask ? dump_masked : dump_global)(sink, outcome);
        return;
    }
    tmap_view view = {.title = outcome->name, .axes = outcome->axes, .color = colors_on(stdout)};
    tmap_diag left_out;
    if (tmap_part_require(TMAP_PART_LAYOUTS, "the picture of the tile", &left_out) != TMAP_OK)
        tmap_printf(sink, "  %s\n", left_out.message);
    else if (TMAP_WITH_LAYOUTS)
        tmap_view_dump(sink, &outcome->copy, outcome->shared, outcome->copy.footprint_B, &view);
}

/* ---- One copy --------------------------------------------------------------------------------------------------- */

static void name_outcome(copy_outcome *outcome, const spec_document *doc, size_t index, tmap_spec_tensor *tensor) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    outcome->name = copy.name;
    if (copy.tensor == SIZE_MAX) return;
    *tensor = tmap_spec_tensor_get(doc->spec, copy.tensor);
    outcome->tensor = tensor->name;
    outcome->axes = tensor->axes;
}

static int write_result(const copy_outcome *outcome, const char *path) {
    bool load = outcome->copy.op->to_shared;
    npy_array array = load                            ? array_of_tile(&outcome->copy)
                      : outcome->global_file.is_array ? outcome->global_file.array
                                                      : array_of_tensor(&outcome->copy.map);
    if (load) return blob_write(path, outcome->shared, outcome->copy.footprint_B, &array);
    return blob_write(path, outcome->global.image, (size_t)outcome->global.before.size_B, &array);
}

/* A copy that --strict refuses is shown, but not written. */
static int report_one(const copy_outcome *outcome, const copy_options *o, bool refused) {
    if (o->out_path && !moves_data(outcome))
        return complain(EXIT_USAGE, "-o: a %s writes nothing", outcome->copy.op->name);
    bool kept = !o->out_path || !refused;
    int code = o->out_path && kept ? write_result(outcome, o->out_path) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    if (!kept) code = complain(EXIT_FINDINGS, "%s is not written because of --strict", o->out_path);
    bool taken = o->out_path && strcmp(o->out_path, "-") == 0; /* stdout contains the bytes */
    result_sink out;
    result_begin(&out, taken ? stderr : stdout, o->json);
    write_outcome(&out, outcome);
    if (!o->out_path && !o->json && moves_data(outcome)) print_dump(&out.text, outcome);
    result_end(&out);
    return code;
}

/* Judges the expectations that do not depend on the contents of memory. */
static int judge_expect(spec_document *doc, size_t index, const copy_options *o) {
    return code_of(tmap_spec_judge_expect(doc->spec, index, &o->judging.judge, &doc->diags));
}

/* A replacement copies nothing: its result is a map. */
static int run_replacing(spec_document *doc, size_t index, const copy_options *o) {
    replacing r;
    int code = replacing_run(&r, doc, index, &o->judging);
    if (code == EXIT_CLEAN && o->out_path && document_code(doc) != EXIT_CLEAN)
        code = complain(EXIT_FINDINGS, "%s is not written because of --strict", o->out_path);
    else if (code == EXIT_CLEAN && o->out_path)
        code = blob_write(o->out_path, r.made.after.bytes, TMAP_DESCRIPTOR_B, NULL);
    if (code == EXIT_CLEAN) {
        bool taken = o->out_path && strcmp(o->out_path, "-") == 0;
        result_sink out;
        result_begin(&out, taken ? stderr : stdout, o->json);
        replacing_write(&out, &r);
        result_end(&out);
        code = judge_expect(doc, index, o);
    }
    replacing_end(&r);
    return code;
}

static int run_one(spec_document *doc, const char *name, const copy_options *o) {
    size_t index;
    int code = document_copy(doc, name, &index);
    if (code != EXIT_CLEAN) return code;
    if (is_replacing(doc, index)) return run_replacing(doc, index, o);
    copy_outcome outcome = {0};
    tmap_spec_tensor tensor;
    name_outcome(&outcome, doc, index, &tensor);
    tmap_status status = tmap_spec_copy_init(doc->spec, index, &o->judging.judge, &doc->diags, &outcome.copy);
    if (status == TMAP_REFUSED || status == TMAP_UNAVAILABLE) return code_of(status);
    if (status != TMAP_OK) return complain_status(status, outcome.name);

    copy_sources sources = o->sources;
    sources.keep_global = o->out_path && outcome.copy.op->to_global;
    code = outcome_run(&outcome, &sources, document_archs(doc, &o->judging.judge));
    if (code == EXIT_CLEAN)
        facts_refuse(doc, &o->judging, &outcome.facts, outcome.name, tmap_spec_copy_get(doc->spec, index).mark);
    if (code == EXIT_CLEAN) code = report_one(&outcome, o, document_code(doc) != EXIT_CLEAN);
    if (code == EXIT_CLEAN) code = judge_expect(doc, index, o);
    outcome_end(&outcome);
    return code;
}

/* ---- All copies of a file --------------------------------------------------------------------------------------- */

typedef struct tried_copy {
    copy_outcome outcome;
    copy_verdict verdict;
    bool ran;
} tried_copy;

static int try_replacing(spec_document *doc, size_t index, const copy_options *o, tried_copy *tried,
                         tmap_diags *found) {
    tmap_replacement made;
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    tmap_status status = tmap_spec_replacement_init(doc->spec, index, &o->judging.judge, found, &made);
    if (status != TMAP_OK && status != TMAP_REFUSED) return complain_status(status, copy.name);
    if (status == TMAP_OK) return expect_results(doc->spec, index, &o->judging.judge, NULL, &tried->verdict);
    expect_refusal(copy.expect, found, 0, &tried->verdict);
    return EXIT_CLEAN;
}

static int try_moving(spec_document *doc, size_t index, const copy_options *o, tried_copy *tried, tmap_diags *found) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    tmap_status status = tmap_spec_copy_init(doc->spec, index, &o->judging.judge, found, &tried->outcome.copy);
    int code = EXIT_CLEAN;
    if (status == TMAP_OK) {
        code = outcome_run(&tried->outcome, &o->sources, document_archs(doc, &o->judging.judge));
        tried->ran = code == EXIT_CLEAN;
        if (tried->ran) code = expect_results(doc->spec, index, &o->judging.judge, &tried->outcome, &tried->verdict);
        if (tried->ran) facts_refuse(doc, &o->judging, &tried->outcome.facts, copy.name, copy.mark);
    } else if (status == TMAP_REFUSED || status == TMAP_UNAVAILABLE) {
        if (status == TMAP_UNAVAILABLE) code = EXIT_NOT_HERE;
        expect_refusal(copy.expect, found, 0, &tried->verdict);
    } else {
        code = complain_status(status, copy.name);
    }
    return code;
}

/* Runs copy `index` and compares it with its expectations. Drops the findings of an expected refusal. */
static int try_copy(spec_document *doc, size_t index, const copy_options *o, tried_copy *tried,
                    tmap_spec_tensor *tensor) {
    name_outcome(&tried->outcome, doc, index, tensor);
    tmap_diags found = {0};
    int code = (is_replacing(doc, index) ? try_replacing : try_moving)(doc, index, o, tried, &found);
    if (tried->verdict.n > 0) {
        for (size_t i = 0; i < found.count; i++) tmap_diags_add(&doc->diags, &found.items[i]);
    }
    tmap_diags_free(&found);
    return worse_of(code, tried->verdict.n > 0 ? EXIT_FINDINGS : EXIT_CLEAN);
}

/* The text has only the verdict. */
static void write_tried(result_sink *out, const tried_copy *tried) {
    const copy_verdict *verdict = &tried->verdict;
    const char *name = tried->outcome.name;
    tmap_json_object(&out->json, false);
    if (tried->ran) {
        tmap_sink text = result_mute(out);
        write_outcome(out, &tried->outcome);
        out->text = text;
    } else {
        json_field_string(&out->json, "copy", name);
        json_field_string(&out->json, "tensor", tried->outcome.tensor);
    }
    json_field_uint(&out->json, "expectations", (uint64_t)verdict->checked);
    json_list(&out->json, "failures", true);
    if (verdict->n == 0) tmap_printf(&out->text, "ok %s\n", name);
    for (int i = 0; i < verdict->n; i++) {
        tmap_printf(&out->text, "FAILED %s: %s\n", name, verdict->failures[i].text);
        tmap_json_string(&out->json, verdict->failures[i].text);
    }
    tmap_json_close(&out->json, ']');
    tmap_json_close(&out->json, '}');
}

static void print_summary(tmap_sink *sink, const char *path, size_t copies_n, size_t failed_n, size_t skipped_n) {
    if (path) tmap_printf(sink, "%s: ", path);
    tmap_printf(sink, "%zu %s, %zu failed", copies_n, copies_n == 1 ? "copy" : "copies", failed_n);
    if (skipped_n > 0) tmap_printf(sink, ", %zu skipped: sizes without a value (-D)", skipped_n);
    tmap_puts(sink, "\n");
}

/* `several`: the summary names the file. */
static int run_all(spec_document *doc, const copy_options *o, bool several) {
    int code = EXIT_CLEAN;
    size_t copies_n = tmap_spec_copies_n(doc->spec), failed_n = 0, skipped_n = 0;
    result_sink out;
    result_begin(&out, stdout, o->json);
    json_field_string(&out.json, "path", doc->path);
    json_list(&out.json, "copies", false);
    progress shown = progress_begin("copies");
    bool lists = isatty(STDOUT_FILENO) == 1; /* the verdicts on a terminal show how far the command is */
    for (size_t i = 0; i < copies_n; i++) {
        tried_copy each = {0};
        tmap_spec_tensor tensor;
        if (tmap_spec_copy_sizes(doc->spec, i)) {
            skipped_n++;
            continue;
        }
        int tried = try_copy(doc, i, o, &each, &tensor);
        code = worse_of(code, tried);
        failed_n += tried != EXIT_CLEAN;
        write_tried(&out, &each);
        outcome_end(&each.outcome);
        if (!lists) progress_show(&shown, i + 1, copies_n, "");
    }
    progress_end(&shown);
    tmap_json_close(&out.json, ']');
    json_field_uint(&out.json, "failed", failed_n);
    json_field_uint(&out.json, "skipped", skipped_n);
    print_summary(&out.text, several ? doc->path : NULL, copies_n, failed_n, skipped_n);
    result_end(&out);
    return code;
}

/* Opens a spec, or a kernel as the spec of its executed copies. `sized`: sizes may have several values. */
static int open_copies(spec_document *doc, const char *path, const copy_options *o, bool sized) {
    int code = document_load(doc, path);
    if (code == EXIT_CLEAN && kernel_is_one(path, &doc->text))
        code = kernel_take_executed(doc, path, &o->kernel, &o->launch, &o->judging.judge);
    if (code == EXIT_CLEAN) return (sized ? document_parse_sized : document_parse_sound)(doc);
    document_close(doc);
    return code;
}

static int run_files(const operand_list *operands, const copy_options *o) {
    int worst = EXIT_CLEAN;
    for (int i = 0; i < operands->n; i++) {
        spec_document doc;
        int code = open_copies(&doc, operands->items[i], o, true);
        if (code == EXIT_CLEAN) code = document_finish(&doc, run_all(&doc, o, operands->n > 1));
        worst = worse_of(worst, code);
    }
    return worst;
}

static bool usable(const copy_options *o, const operand_list *operands) {
    const char *wrong = NULL;
    if (o->sources.global_path && o->sources.fill.given) wrong = "--global and --fill exclude each other";
    if (o->all && o->out_path) wrong = "--all and -o exclude each other";
    if (o->all && o->json && operands->n > 1) wrong = "--all with --json requires one file";
    if (!o->all && operands->n > 2) wrong = "give one file and one name; --all runs the copies of several files";
    if (o->all && (o->sources.global_path || o->sources.shared_path)) {
        wrong = "--all excludes --global and --shared: each copy has its own memory";
    }
    if (o->sweep.jobs.given && o->sweep.jobs.value == 0) wrong = "-j requires a number of threads, 1 or more";
    if (o->sweep.on && o->all) {
        wrong = "--sweep and --all exclude each other";
    } else if (!o->sweep.on && (o->sweep.range.given || o->sweep.jobs.given)) {
        wrong = "--range and -j require --sweep";
    }
    if (wrong) complain(EXIT_USAGE, "%s", wrong);
    return wrong == NULL;
}

static int run_copy(const operand_list *operands, void *values) {
    copy_options *o = values;
    if (!usable(o, operands)) return EXIT_USAGE;
    if (o->all) return run_files(operands, o);
    spec_document doc;
    int code = open_copies(&doc, operands->items[0], o, false);
    if (code != EXIT_CLEAN) return code;
    const char *name = operands->n > 1 ? operands->items[1] : NULL;
    code = o->sweep.on ? sweep_run(&doc, name, &o->judging, &o->sweep, &o->sources, o->out_path, o->json)
                       : run_one(&doc, name, o);
    return document_finish(&doc, code);
}

const command_row copy_command = {
    .name = "copy",
    .summary = "predict every byte that a copy writes",
    .synopsis = "FILE [COPY | TENSOR] | --all FILE...",
    .about =
        "Emulates one copy of a spec. Global memory comes from a file (--global) or is generated (--fill): --fill\n"
        "index gives each element the low bits of its number, counted with dimension 0 fastest; --fill\n"
        "random:SEED gives the 64-bit word k the value splitmix64(SEED + k), little-endian. The result of a load\n"
        "is rows x pitch bytes of shared memory from the copy's shared address on; gaps keep their bytes. The\n"
        "result of a store is global memory. Without -o the result is printed as a hexdump with coordinates. A\n"
        "file whose name ends in .npy is an array of NumPy; a warning reports a type, byte order, shape or order\n"
        "that differs from the tensor's. Input files are mapped, so they may be larger than memory.\n\n"
        "--sweep processes all tiles of a tensor, in several threads. With -o it writes the tiles to a file, one\n"
        "after the other; with --range it processes only some of the tiles, so that several processes can write\n"
        "parts of the file. Without -o it loads and stores each tile and compares the result. For a store or a\n"
        "reduction it reads the tiles from --shared, stores them, and writes global memory to -o.\n\n"
        "--all runs every copy of the files and compares it with its expect: block; a copy with sizes without a\n"
        "value is skipped. The expectations that need no contents of memory (tx_bytes, written_bytes,\n"
        "filled_bytes, sectors) are also checked without --all, and by tmap check.\n\n"
        "For a compiled kernel, it emulates a copy that the kernel executes: line_70 is the first execution of\n"
        "the copy in line 70 of the PTX, line_70_2 the second; --all lists them.",
    OPTIONS_IN(copy_options),
    .defaults = &(const copy_options){.sources.poison = 0xcd},
    .operands = {1, OPERANDS_ANY},
    .run = run_copy,
};
