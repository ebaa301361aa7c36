/* tmap generate: tensors as C code that calls the driver, copies as CUDA kernels. The code does not need tmap. */
#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/document.h"
#include "specs/used_facts.h"
#include "tmap/unstable/generate.h"

typedef struct generate_options {
    judging_options judging;
    const char *out_path;
    bool c, cuda;
} generate_options;

/* "12.4" of 12040. */
typedef struct version_text {
    char text[24];
} version_text;

static version_text version_of(int cuda_version) {
    version_text version;
    (void)snprintf(version.text, sizeof version.text, "%d.%d", cuda_version / 1000, cuda_version % 1000 / 10);
    return version;
}

static const option_row options[] = {
    {"--c", NULL, "write tensors as C functions that call cuTensorMapEncode*", offsetof(generate_options, c), NULL},
    {"--cuda", NULL, "write copies as CUDA kernels; with --c both in one file", offsetof(generate_options, cuda), NULL},
    {"-o", "FILE", "write to FILE instead of stdout", offsetof(generate_options, out_path), NULL},
    JUDGING_OPTIONS(generate_options, judging),
    {0},
};

typedef enum tensor_verdict { NOT_JUDGED, ACCEPTED, REFUSED } tensor_verdict;

typedef struct tensor_state {
    bool wanted;
    tensor_verdict verdict;
    tmap_spec_tensor info; /* owns the axes that `given` points to */
    tmap_generate_tensor given;
} tensor_state;

typedef struct copy_state {
    bool wanted, named;
} copy_state;

typedef struct generate_job {
    spec_document doc;
    const generate_options *options;
    tensor_state *all_tensors; /* by number */
    copy_state *all_copies;
    tmap_generate_tensor *tensors; /* tensors to write */
    tmap_generate_copy *copies;    /* copies to write */
    tmap_generate_copy *coordinates;
    size_t tensors_n, copies_n, coordinates_n; /* numbers of what to write */
    tmap_spec_conditions *conditions;          /* of sizes with several values; NULL: none */
    tmap_diags found;                          /* the findings of the check that found the conditions */
    size_t all_tensors_n, all_copies_n;
    used_facts facts; /* for the bytes and places in kernels */
} generate_job;

/* ---- Selection -------------------------------------------------------------------------------------------------- */

static void want_tensor(generate_job *job, size_t tensor) {
    job->all_tensors[tensor].wanted = true;
    for (size_t i = 0; i < job->all_copies_n; i++)
        if (tmap_spec_copy_get(job->doc.spec, i).tensor == tensor) job->all_copies[i].wanted = true;
}

/* The name of a tensor also selects its copies, and the name of a copy its tensor. */
static int want_name(generate_job *job, const char *name) {
    bool is_copy;
    size_t index;
    int code = document_find(&job->doc, name, &is_copy, &index);
    if (code != EXIT_CLEAN) return code;
    if (!is_copy) {
        want_tensor(job, index);
        return EXIT_CLEAN;
    }
    job->all_copies[index] = (copy_state){.wanted = true, .named = true};
    job->all_tensors[tmap_spec_copy_get(job->doc.spec, index).tensor].wanted = true;
    return EXIT_CLEAN;
}

static int want(generate_job *job, const operand_list *operands) {
    int code = EXIT_CLEAN;
    for (int i = 1; i < operands->n; i++) code = worse_of(code, want_name(job, operands->items[i]));
    if (operands->n > 1) return code;
    for (size_t i = 0; i < job->all_tensors_n; i++) job->all_tensors[i].wanted = true;
    for (size_t i = 0; i < job->all_copies_n; i++) job->all_copies[i].wanted = true;
    return code;
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* Whether the rules refuse a tensor or copy for all values of the sizes. */
static bool all_refused(const generate_job *job, const char *subject) {
    const tmap_condition *c;
    for (size_t i = 0; (c = tmap_spec_condition_get(job->conditions, i)) != NULL; i++)
        if (c->kept == TMAP_KEPT_BY_NONE && c->severity == TMAP_ERROR && strcmp(c->subject, subject) == 0) return true;
    return false;
}

/* Passes on the findings about a tensor or copy whose numbers depend on sizes: all if no values are legal, otherwise
 * all but errors, which the generated code checks. */
static tmap_status sift_findings(generate_job *job, const char *subject) {
    bool refused = all_refused(job, subject);
    for (size_t i = 0; i < job->found.count; i++) {
        const tmap_diag *diag = &job->found.items[i];
        bool about = diag->subject && strcmp(diag->subject, subject) == 0;
        if (about && (refused || diag->severity != TMAP_ERROR)) tmap_diags_add(&job->doc.diags, diag);
    }
    return job->found.dropped > 0 ? TMAP_NO_MEMORY : refused ? TMAP_REFUSED : TMAP_OK;
}

static int judge_tensor(generate_job *job, size_t tensor) {
    tensor_state *state = &job->all_tensors[tensor];
    if (state->verdict != NOT_JUDGED) return EXIT_CLEAN;
    bool sized = tmap_spec_tensor_sizes(job->doc.spec, tensor) != 0;
    tmap_status status =
        sized ? sift_findings(job, state->info.name)
              : tmap_spec_check_tensor(job->doc.spec, tensor, &job->options->judging.judge, &job->doc.diags);
    state->verdict = status == TMAP_OK ? ACCEPTED : REFUSED;
    return status == TMAP_NO_MEMORY ? complain_status(status, state->info.name) : code_of(status);
}

static int report_need(const generate_job *job, const char *name, const tmap_cuda_need *need) {
    int given = document_toolkit(&job->doc, &job->options->judging.judge);
    if (given == 0 || need->cuda_version <= given) return EXIT_CLEAN;
    return complain(EXIT_FINDINGS, "%s requires CUDA %s or later: %s; use a later --toolkit than %s, or other names",
                    name, version_of(need->cuda_version).text, need->why, version_of(given).text);
}

static int take_tensor(generate_job *job, size_t tensor) {
    const tensor_state *state = &job->all_tensors[tensor];
    const char *name = state->info.name;
    tmap_diag refusal;
    int code = judge_tensor(job, tensor);
    if (state->verdict != ACCEPTED || state->info.params->mode == TMAP_MODE_LINEAR) return code; /* no map to encode */
    bool sized = tmap_spec_tensor_sizes(job->doc.spec, tensor) != 0;
    tmap_status status = sized ? tmap_generate_allows_sizes(job->doc.spec, job->conditions, name, &refusal)
                               : tmap_generate_allows_map(state->info.params, &refusal);
    if (status != TMAP_OK) return complain_refusal(EXIT_FINDINGS, name, &refusal);
    tmap_cuda_need need = tmap_generate_needs_map(state->info.params);
    code = worse_of(code, report_need(job, name, &need));
    if (code == EXIT_CLEAN) job->tensors[job->tensors_n++] = state->given;
    return code;
}

/* A copy that its file expects to be refused is skipped. */
static int skip_refused(const generate_job *job, size_t copy, const tmap_spec_copy *info) {
    if (job->all_copies[copy].named) {
        return complain(EXIT_FINDINGS, "%s: the file expects that rule %s rejects this copy", info->name,
                        info->expect->rule);
    }
    remark("%s: no kernel, because the file expects that rule %s rejects this copy", info->name, info->expect->rule);
    return EXIT_CLEAN;
}

/* The kernel of a replacement moves no bytes, so it depends on no facts. */
static int use_facts_of(generate_job *job, size_t copy, const tmap_spec_copy *info, tmap_archs archs) {
    tmap_copy frozen;
    const judging_options *judging = &job->options->judging;
    if (tmap_spec_copy_init(job->doc.spec, copy, &judging->judge, NULL, &frozen) != TMAP_OK) return EXIT_CLEAN;
    used_facts facts = facts_of_copy(&frozen, archs);
    size_t refused_n = facts_refuse(&job->doc, judging, &facts, info->name, info->mark);
    if (job->facts.archs == 0)
        job->facts = facts;
    else
        facts_add_copy(&job->facts, &frozen);
    return refused_n > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int take_copy(generate_job *job, size_t copy) {
    const tmap_judge *judge = &job->options->judging.judge;
    tmap_diag refusal;
    tmap_spec_copy info = tmap_spec_copy_get(job->doc.spec, copy);
    if (info.expect->rule) return skip_refused(job, copy, &info);
    const tensor_state *tensor = &job->all_tensors[info.tensor];
    int code = judge_tensor(job, info.tensor);
    if (tensor->verdict != ACCEPTED) return code;
    code = worse_of(code, code_of(tmap_spec_check_copy(job->doc.spec, copy, judge, &job->doc.diags)));
    if (code != EXIT_CLEAN) return code;
    const tmap_map_params *map = tensor->info.params;
    tmap_archs archs = document_archs(&job->doc, judge);
    if (tmap_generate_allows_copy(map, info.params, archs, &refusal) != TMAP_OK)
        return complain_refusal(EXIT_FINDINGS, info.name, &refusal);
    tmap_cuda_need need =
        tmap_generate_needs_copy(map, info.params, archs, document_toolkit(&job->doc, &job->options->judging.judge));
    code = report_need(job, info.name, &need);
    if (code == EXIT_CLEAN) code = use_facts_of(job, copy, &info, archs);
    if (code != EXIT_CLEAN) return code;
    job->copies[job->copies_n++] = (tmap_generate_copy){info.name, &tensor->given, info.params};
    return EXIT_CLEAN;
}

/* A copy whose coordinates depend on sizes. */
static int take_coordinates(generate_job *job, size_t copy) {
    tmap_spec_copy info = tmap_spec_copy_get(job->doc.spec, copy);
    tmap_diag refusal;
    if (info.expect->rule || tmap_op_get((int)info.params->op)->on_map ||
        tmap_spec_copy_sizes(job->doc.spec, copy) == 0)
        return EXIT_CLEAN;
    if (job->all_tensors[info.tensor].verdict != ACCEPTED) return EXIT_CLEAN; /* already reported */
    tmap_status status = sift_findings(job, info.name);
    if (status != TMAP_OK) return status == TMAP_NO_MEMORY ? complain_status(status, info.name) : code_of(status);
    if (tmap_generate_allows_sizes(job->doc.spec, job->conditions, info.name, &refusal) != TMAP_OK)
        return complain_refusal(EXIT_FINDINGS, info.name, &refusal);
    job->coordinates[job->coordinates_n++] =
        (tmap_generate_copy){info.name, &job->all_tensors[info.tensor].given, info.params};
    return EXIT_CLEAN;
}

static int take(generate_job *job) {
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < job->all_tensors_n && job->options->c; i++) {
        if (job->all_tensors[i].wanted) code = worse_of(code, take_tensor(job, i));
    }
    for (size_t i = 0; i < job->all_copies_n && job->conditions; i++) {
        if (job->all_copies[i].wanted) code = worse_of(code, take_coordinates(job, i));
    }
    for (size_t i = 0; i < job->all_copies_n && job->options->cuda; i++) {
        if (job->all_copies[i].wanted) code = worse_of(code, take_copy(job, i));
    }
    if (code == EXIT_CLEAN && job->options->cuda && job->copies_n == 0) {
        return complain(
            EXIT_USAGE,
            "no selected tensor or copy of %s gives a kernel: --cuda writes one for each copy, such as copies: "
            "{load: {tensor: NAME, op: load, at: [0, 0], shared: 0}}",
            job->doc.path);
    }
    if (code == EXIT_CLEAN && job->options->c && job->tensors_n + job->copies_n + job->coordinates_n == 0) {
        return complain(EXIT_USAGE, "no selected tensor of %s has a tensor map", job->doc.path);
    }
    return code;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* Reports weak facts on stderr, separate from the source code. */
static void remark_weak(const generate_job *job) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    facts_name_weak(&sink, &job->facts);
    if (text.size > 1) remark("bytes and places in the kernels: %.*s", (int)text.size - 1, text.data);
    tmap_text_free(&text);
}

static int write_out(const generate_job *job) {
    tmap_generate_input input = {.path = job->doc.path,
                                 .tensors = job->tensors,
                                 .tensors_n = job->tensors_n,
                                 .copies = job->copies,
                                 .copies_n = job->copies_n,
                                 .archs = document_archs(&job->doc, &job->options->judging.judge),
                                 .cuda_version = document_toolkit(&job->doc, &job->options->judging.judge),
                                 .spec = job->conditions ? job->doc.spec : NULL,
                                 .conditions = job->conditions,
                                 .coordinates = job->coordinates,
                                 .coordinates_n = job->coordinates_n};
    const char *path = job->options->out_path ? job->options->out_path : "-";
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_generate(&sink, &input);
    int code = sink.failed ? complain_status(TMAP_NO_MEMORY, "generate") : code_of(status);
    if (code == EXIT_CLEAN) code = file_write(path, FILE_TEXT, text.data, text.size);
    tmap_text_free(&text);
    if (code == EXIT_CLEAN) remark_weak(job);
    return code;
}

static bool job_begin(generate_job *job) {
    job->all_tensors_n = tmap_spec_tensors_n(job->doc.spec);
    job->all_copies_n = tmap_spec_copies_n(job->doc.spec);
    job->all_tensors = calloc(job->all_tensors_n + 1, sizeof *job->all_tensors);
    job->all_copies = calloc(job->all_copies_n + 1, sizeof *job->all_copies);
    job->tensors = calloc(job->all_tensors_n + 1, sizeof *job->tensors);
    job->copies = calloc(job->all_copies_n + 1, sizeof *job->copies);
    job->coordinates = calloc(job->all_copies_n + 1, sizeof *job->coordinates);
    if (!job->all_tensors || !job->all_copies || !job->tensors || !job->copies || !job->coordinates) return false;
    for (size_t i = 0; i < job->all_tensors_n; i++) {
        tensor_state *state = &job->all_tensors[i];
        state->info = tmap_spec_tensor_get(job->doc.spec, i);
        state->given = (tmap_generate_tensor){state->info.name, state->info.axes, state->info.params};
    }
    return true;
}

static void job_end(generate_job *job) {
    free(job->all_tensors);
    free(job->all_copies);
    free(job->tensors);
    free(job->copies);
    free(job->coordinates);
    tmap_spec_conditions_free(job->conditions);
    tmap_diags_free(&job->found);
}

/* If sizes have several values, the functions in C check the conditions of the rules. */
static int gather_conditions(generate_job *job) {
    uint32_t sizes = 0;
    for (size_t i = 0; i < job->all_tensors_n; i++) sizes |= tmap_spec_tensor_sizes(job->doc.spec, i);
    for (size_t i = 0; i < job->all_copies_n; i++) sizes |= tmap_spec_copy_sizes(job->doc.spec, i);
    if (sizes == 0) return EXIT_CLEAN;
    tmap_status status =
        tmap_spec_check_sizes(job->doc.spec, &job->options->judging.judge, &job->found, &job->conditions);
    return status == TMAP_OK || status == TMAP_REFUSED ? EXIT_CLEAN : complain_status(status, job->doc.path);
}

static int generate(generate_job *job, const operand_list *operands) {
    if (!job_begin(job)) return complain_status(TMAP_NO_MEMORY, "generate");
    int code = want(job, operands);
    if (code == EXIT_CLEAN) code = gather_conditions(job);
    if (code == EXIT_CLEAN) code = take(job);
    return code == EXIT_CLEAN ? write_out(job) : code;
}

static int run_generate(const operand_list *operands, void *values) {
    generate_options *o = values;
    if (!o->c && !o->cuda) return complain(EXIT_USAGE, "an option is missing: --c, --cuda, or both");
    generate_job job = {.options = o};
    int code = (o->cuda ? document_open_valid : document_open_sized)(&job.doc, operands->items[0]);
    if (code != EXIT_CLEAN) return code;
    code = generate(&job, operands);
    job_end(&job);
    return document_finish(&job.doc, code);
}

const command_row generate_command = {
    .name = "generate",
    .summary = "write source code for maps and copies: C and CUDA",
    .synopsis = "FILE [NAME...]",
    .about =
        "Writes source code that does not need tmap. --c: one function in C (also valid C++) for each tensor,\n"
        "which makes the driver's call with every parameter named. --cuda: one kernel for each copy, with the\n"
        "instruction as inline PTX, its barrier or bulk group, its fences and its shared memory. With both options\n"
        "the output is one file for nvcc. With --toolkit the code is for that CUDA release and later releases.\n"
        "NAMEs select tensors and copies; a tensor includes its copies, a copy includes its tensor. If the rules\n"
        "reject one of them, nothing is written. Sizes with several values are parameters of the C functions,\n"
        "which check them; --cuda requires -D for each of them.",
    OPTIONS_IN(generate_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_generate,
};
