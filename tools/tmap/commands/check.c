/* tmap check: the errors in spec files. The findings are the result. */
#include <stdlib.h>
#include <string.h>

#include "commands/check_formats.h"
#include "files/folders.h"
#include "options/command.h"
#include "output/messages.h"
#include "specs/compiled_kernels.h"
#include "specs/descriptors.h"
#include "specs/launch.h"
#include "specs/used_facts.h"

typedef enum check_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_GITHUB, FORMAT_SARIF } check_format;

typedef struct check_options {
    judging_options judging;
    int format; /* a check_format */
    kernel_files kernel;
    launch_options launch;
    bool json;
} check_options;

static bool take_format(void *at, const char *value) {
    static const char *const names[] = {"text", "json", "github", "sarif"};
    ROWS(names, FORMAT_SARIF + 1);
    int *format = at;
    *format = choose_among("format", value, names, FORMAT_SARIF + 1);
    return *format >= 0;
}

static const option_row options[] = {
    JUDGING_OPTIONS(check_options, judging),
    {"--format", "FORMAT", "text, json, github (workflow commands) or sarif (2.1.0)", offsetof(check_options, format),
     take_format},
    KERNEL_FILES_OPTIONS(check_options, kernel),
    LAUNCH_OPTIONS(check_options, launch),
    {"--json", NULL, "print the findings as JSON", offsetof(check_options, json), NULL},
    {0},
};

/* A checked file: `code` tells whether it could be read and whether it has errors. */
typedef struct checked_file {
    spec_document doc;
    tmap_spec_conditions *conditions; /* NULL for a descriptor or a kernel */
    tmap_compiled *kernels;           /* NULL for other files */
    kernel_runs runs;
    int code;
    bool read, is_descriptor;
} checked_file;

/* --strict: refuses copies by the evidence for the facts on which their prediction depends. */
static void refuse_weak(spec_document *doc, const judging_options *judging) {
    const tmap_judge *judge = &judging->judge;
    for (size_t i = 0; i < tmap_spec_copies_n(doc->spec); i++) {
        tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, i);
        tmap_copy frozen;
        if (!copy.readable || copy.tensor == SIZE_MAX) continue;
        if (tmap_spec_copy_init(doc->spec, i, judge, NULL, &frozen) != TMAP_OK)
            continue; /* the copy was judged before */
        used_facts facts = facts_of_copy(&frozen, document_archs(doc, judge));
        facts_refuse(doc, judging, &facts, copy.name, copy.mark);
    }
}

/* Judges 128 bytes, for example from a debugger: the bits, and the map that they encode. */
static void check_descriptor(const char *operand, const tmap_descriptor *descriptor, const judging_options *judging,
                             checked_file *checked) {
    tmap_map_params params;
    checked->doc.path = strlen(operand) > 60 ? "descriptor" : path_shown(operand);
    checked->read = checked->is_descriptor = true;
    checked->code = descriptor_judge(descriptor, judging, &params, &checked->doc.diags);
}

/* Judges the kernels of a PTX text, a cubin or a fatbin. */
static void check_kernels(const char *path, const check_options *o, checked_file *checked) {
    spec_document *doc = &checked->doc;
    checked->code = kernel_open(doc, path, &o->kernel, &checked->kernels);
    checked->read = checked->code == EXIT_CLEAN;
    if (!TMAP_WITH_KERNEL || !checked->read) return;
    tmap_status status = tmap_compiled_check(checked->kernels, &o->judging.judge, &doc->diags);
    bool judged = status == TMAP_OK || status == TMAP_REFUSED;
    if (judged) status = kernels_execute(checked->kernels, &o->launch, &o->judging.judge, &doc->diags, &checked->runs);
    judged = status == TMAP_OK || status == TMAP_REFUSED;
    checked->code = judged ? document_code(doc) : complain_status(status, doc->path);
}

static void check_file(const char *path, const check_options *o, checked_file *checked) {
    const judging_options *judging = &o->judging;
    spec_document *doc = &checked->doc;
    tmap_descriptor descriptor;
    bool is_descriptor;
    checked->code = descriptor_load(path, doc, &descriptor, &is_descriptor);
    if (is_descriptor) {
        check_descriptor(path, &descriptor, judging, checked);
        return;
    }
    if (checked->code == EXIT_CLEAN && kernel_is_one(path, &doc->text)) {
        check_kernels(path, o, checked);
        return;
    }
    if (checked->code == EXIT_CLEAN) checked->code = document_parse(doc);
    checked->read = checked->code == EXIT_CLEAN;
    if (!checked->read) return;
    tmap_status status = tmap_spec_check_sizes(doc->spec, &judging->judge, &doc->diags, &checked->conditions);
    if (status != TMAP_OK && status != TMAP_REFUSED) {
        checked->code = complain_status(status, doc->path);
        checked->read = false;
        return;
    }
    if (judging->strict) refuse_weak(doc, judging);
    checked->code = document_code(doc);
}

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

/* ---- Sizes ---- */

static void write_values(tmap_json *json, const tmap_spec *spec, const char *key, uint32_t sizes,
                         const uint64_t *values) {
    json_object(json, key, true);
    for (int i = 0; i < tmap_spec_sizes_n(spec); i++)
        if (sizes >> i & 1) json_field_uint(json, tmap_spec_size_get(spec, i).name, values[i]);
    tmap_json_close(json, '}');
}

/* `legal`, `values`, `legal_values` and `first_legal` are those of the rule's group (tmap_condition.all). */
static void write_condition(tmap_json *json, const tmap_spec *spec, const tmap_condition *condition) {
    const tmap_condition *all = condition->all ? condition->all : condition;
    static const char *const kept[] = {"all", "some", "none", "undecided"};
    ROWS(kept, TMAP_KEPT_UNDECIDED + 1);
    tmap_json_object(json, false);
    json_field_string(json, "subject", condition->subject);
    json_field_string(json, "rule", condition->rule);
    if (condition->dim >= 0) json_field_uint(json, "dim", (uint64_t)condition->dim);
    json_field_string(json, "severity", tmap_severity_name(condition->severity));
    json_field_string(json, "kept", kept[condition->kept]);
    json_field_string(json, "legal", all->keeps);
    json_field_uint(json, "values", all->values_n);
    if (all->kept_n == UINT64_MAX)
        json_field_string(json, "legal_values", NULL);
    else
        json_field_uint(json, "legal_values", all->kept_n);
    bool broken = condition->kept == TMAP_KEPT_BY_SOME || condition->kept == TMAP_KEPT_BY_NONE;
    if (broken) write_values(json, spec, "first_illegal", condition->sizes, condition->broken);
    if (all->kept_n > 0 && all->sizes) write_values(json, spec, "first_legal", all->sizes, all->legal);
    tmap_json_close(json, '}');
}

static void write_sizes(tmap_json *json, const checked_file *checked) {
    const tmap_spec *spec = checked->doc.spec;
    if (!checked->conditions || tmap_spec_sizes_n(spec) == 0) return;
    json_list(json, "sizes", false);
    for (int i = 0; i < tmap_spec_sizes_n(spec); i++) {
        tmap_size size = tmap_spec_size_get(spec, i);
        tmap_json_object(json, true);
        json_field_string(json, "name", size.name);
        JSON_FIELDS(json, {"min", size.min}, {"max", size.max}, {"multiple_of", size.multiple});
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
    json_list(json, "conditions", false);
    for (size_t i = 0; i < tmap_spec_conditions_n(checked->conditions); i++)
        write_condition(json, spec, tmap_spec_condition_get(checked->conditions, i));
    tmap_json_close(json, ']');
}

/* ", for all values of K, N" */
static void print_sizes(tmap_sink *sink, const tmap_spec *spec) {
    int n = 0;
    for (int i = 0; i < tmap_spec_sizes_n(spec); i++) {
        tmap_size size = tmap_spec_size_get(spec, i);
        if (size.min < size.max) tmap_printf(sink, "%s%s", n++ > 0 ? ", " : ", for all values of ", size.name);
    }
}

/* ---- Files ---- */

/* ": ok (1 kernel, 3 tensor maps, 5 copies, 5 executed; the bytes of 4 copies are unknown: give the maps with --maps)"
 */
static void print_kernels(tmap_sink *sink, const tmap_compiled *kernels, kernel_runs runs) {
    if (!TMAP_WITH_KERNEL) return;
    size_t n = tmap_compiled_kernels_n(kernels), copies = tmap_compiled_copies_n(kernels), unknown = 0, maps = 0;
    size_t executed = 0;
    bool given = false, sized = runs != NULL;
    for (size_t i = 0; runs && i < n; i++) executed += runs[i].copies_n, sized &= !runs[i].assumes;
    for (size_t i = 0; i < copies && !(sized && executed == copies); i++)
        unknown += tmap_compiled_copy_get(kernels, i).bytes == 0;
    for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
        maps += !tmap_compiled_map_get(kernels, i).published;
        given |= tmap_compiled_map_get(kernels, i).given_by != NULL;
    }
    tmap_printf(sink, ": ok (%zu kernel%s, %zu tensor map%s, %zu cop%s", n, plural(n), maps, plural(maps), copies,
                copies == 1 ? "y" : "ies");
    if (runs) tmap_printf(sink, ", %zu executed", executed);
    if (unknown > 0)
        tmap_printf(sink, "; the bytes of %zu %s unknown%s", unknown, unknown == 1 ? "copy are" : "copies are",
                    given ? "" : ": give the maps with --maps");
    tmap_puts(sink, ")\n");
}

static void write_file(result_sink *out, const checked_file *checked) {
    const spec_document *doc = &checked->doc;
    if (!checked->read) return;
    tmap_json_object(&out->json, false);
    json_field_string(&out->json, "path", doc->path);
    json_field_diags(&out->json, &doc->diags);
    write_sizes(&out->json, checked);
    if (TMAP_WITH_KERNEL && checked->runs) kernels_write_runs(out, checked->kernels, checked->runs);
    tmap_json_close(&out->json, '}');
    document_write(doc, &out->text, stdout);
    if (doc->diags.by_severity[TMAP_ERROR] + doc->diags.by_severity[TMAP_WARNING] > 0) return;
    put_on_one_line(&out->text, doc->path);
    if (checked->is_descriptor) {
        tmap_puts(&out->text, ": ok (a descriptor)\n");
        return;
    }
    if (checked->kernels) {
        print_kernels(&out->text, checked->kernels, checked->runs);
        return;
    }
    size_t tensors = tmap_spec_tensors_n(doc->spec), copies = tmap_spec_copies_n(doc->spec);
    size_t layouts = tmap_spec_layouts_n(doc->spec);
    tmap_printf(&out->text, ": ok (%zu tensor%s, %zu cop%s", tensors, plural(tensors), copies,
                copies == 1 ? "y" : "ies");
    if (layouts > 0) tmap_printf(&out->text, ", %zu layout%s", layouts, plural(layouts));
    print_sizes(&out->text, doc->spec);
    tmap_puts(&out->text, ")\n");
}

static void print_summary(tmap_sink *sink, const checked_file *files, size_t n) {
    size_t by_severity[3] = {0};
    for (size_t i = 0; i < n; i++)
        for (int s = 0; s < 3; s++) by_severity[s] += files[i].doc.diags.by_severity[s];
    size_t errors = by_severity[TMAP_ERROR], warnings = by_severity[TMAP_WARNING], advice = by_severity[TMAP_ADVICE];
    if (errors + warnings + advice == 0) return;
    tmap_printf(sink, "%zu file%s: %zu error%s, %zu warning%s", n, plural(n), errors, plural(errors), warnings,
                plural(warnings));
    if (advice > 0) tmap_printf(sink, ", %zu advice", advice);
    tmap_puts(sink, "\n");
}

static void write_own(const checked_file *files, size_t n, bool as_json) {
    result_sink out;
    result_begin(&out, stdout, as_json);
    json_list(&out.json, "files", false);
    for (size_t i = 0; i < n; i++) write_file(&out, &files[i]);
    tmap_json_close(&out.json, ']');
    print_summary(&out.text, files, n);
    result_end(&out);
}

static int write_for_service(const checked_file *files, size_t n, int format, int code) {
    checked_findings *findings = calloc(n, sizeof *findings);
    tmap_sink sink = sink_to(stdout);
    if (!findings) return complain_status(TMAP_NO_MEMORY, "check");
    for (size_t i = 0; i < n; i++)
        findings[i] = (checked_findings){.path = files[i].doc.path + (strncmp(files[i].doc.path, "./", 2) == 0 ? 2 : 0),
                                         .diags = &files[i].doc.diags,
                                         .read = files[i].read,
                                         .text = (const char *)files[i].doc.text.data,
                                         .size = files[i].doc.text.size};
    if (format == FORMAT_GITHUB)
        write_github(&sink, findings, n);
    else
        write_sarif(&sink, findings, n, code);
    free(findings);
    return code;
}

static int check_all(char **paths, size_t n, const check_options *o) {
    checked_file *files = calloc(n, sizeof *files);
    int code = EXIT_CLEAN;
    if (!files) return complain_status(TMAP_NO_MEMORY, "check");
    for (size_t i = 0; i < n; i++) {
        check_file(paths[i], o, &files[i]);
        code = worse_of(code, files[i].code);
    }
    if (o->format == FORMAT_TEXT || o->format == FORMAT_JSON)
        write_own(files, n, o->format == FORMAT_JSON);
    else
        code = write_for_service(files, n, o->format, code);
    for (size_t i = 0; i < n; i++) {
        tmap_spec_conditions_free(files[i].conditions);
        if (TMAP_WITH_KERNEL) tmap_compiled_free(files[i].kernels);
        free(files[i].runs);
        document_close(&files[i].doc);
    }
    free(files);
    return code;
}

static int run_check(const operand_list *operands, void *values) {
    check_options *o = values;
    if (o->json && o->format != FORMAT_TEXT && o->format != FORMAT_JSON)
        return complain(EXIT_USAGE, "--json and --format exclude each other");
    if (o->json) o->format = FORMAT_JSON;
    path_list paths;
    int code = specs_of(operands->items, (size_t)operands->n, true, &paths);
    if (paths.n > 0) code = worse_of(code, check_all(paths.items, paths.n, o));
    path_list_free(&paths);
    return code;
}

const command_row check_command = {
    .name = "check",
    .summary = "check specs and compiled kernels against the rules",
    .synopsis = "FILE|FOLDER...",
    .about = "Checks every tensor and copy of the specs against the rules of the driver, the instructions and the\n"
             "documents. For a folder, it checks the specs in the folder and in the folders below it. For a\n"
             "descriptor, in a form that tmap decode reads, it checks the bits and the map. A spec with sizes is\n"
             "checked for all values of the sizes; -D sets one size. For PTX, or a cubin or fatbin that contains PTX\n"
             "(read by cuobjdump), it checks the copies of the kernels, and executes the kernels to check bytes and\n"
             "order; --maps gives their tensor maps, -D the values of parameters. The exit status is 1 if a finding\n"
             "is an error. --format github prints workflow commands, which GitHub shows at the lines of the files;\n"
             "--format sarif prints a log of SARIF 2.1.0.",
    OPTIONS_IN(check_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_check,
};
