/* tmap generate: tensors as C that calls the driver, copies as CUDA kernels; nothing in them needs tmap. */
#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/document.h"
#include "specs/evidence.h"
#include "tmap/unstable/generate.h"

typedef struct generate_options {
    judging_options judging;
    const char *out_path;
    int cuda_version; /* 0: not given */
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

static bool is_accepted(const tmap_toolkit_info *toolkit) {
    return toolkit->cuda >= TMAP_CUDA_FIRST && !toolkit->driver_only;
}

static bool take_cuda_version(void *at, const char *value) {
    tmap_text known = {0};
    tmap_sink sink = tmap_text_sink(&known);
    const tmap_toolkit_info *toolkit;
    for (int i = 0; (toolkit = tmap_toolkit_get(i)) != NULL; i++) {
        if (!is_accepted(toolkit)) continue;
        if (strcmp(version_of(toolkit->cuda).text, value) == 0) {
            *(int *)at = toolkit->cuda;
            tmap_text_free(&known);
            return true;
        }
        tmap_printf(&sink, "%s%s", known.size > 0 ? ", " : "", version_of(toolkit->cuda).text);
    }
    complain(EXIT_USAGE, "--cuda-version %s: tmap has no such CUDA toolkit; accepted: %s", value,
             known.data != NULL ? known.data : "");
    tmap_text_free(&known);
    return false;
}

static const option_row options[] = {
    {"--c", NULL, "tensors as C functions that call cuTensorMapEncode*", offsetof(generate_options, c), NULL},
    {"--cuda", NULL, "copies as CUDA kernels; with --c both in one file", offsetof(generate_options, cuda), NULL},
    {"--cuda-version", "VERSION", "oldest CUDA toolkit that shall compile the code: 12.4",
     offsetof(generate_options, cuda_version), take_cuda_version},
    {"-o", "FILE", "write there instead of to stdout", offsetof(generate_options, out_path), NULL},
    JUDGING_OPTIONS(generate_options, judging),
    {0},
};

typedef enum verdict { NOT_JUDGED, ACCEPTED, REFUSED } verdict;

/* The tensors of the file by number, and those and the copies that are written. */
typedef struct generate_job {
    spec_document doc;
    const generate_options *options;
    bool *wants_tensor, *wants_copy, *names_copy;
    verdict *verdicts;             /* of tensors */
    tmap_spec_tensor *faces;       /* own the axes that the tensors point to */
    tmap_generate_tensor *all;     /* by number */
    tmap_generate_tensor *tensors; /* to write */
    tmap_generate_copy *copies;    /* to write */
    size_t tensors_n, copies_n;    /* to write */
    size_t all_tensors_n, all_copies_n;
    ground_list grounds; /* of the bytes and places that kernels name */
} generate_job;

/* ---- Which ------------------------------------------------------------------------------------------------------ */

static void want_tensor(generate_job *job, size_t tensor) {
    job->wants_tensor[tensor] = true;
    for (size_t i = 0; i < job->all_copies_n; i++) {
        if (tmap_spec_copy_get(job->doc.spec, i).tensor == tensor) job->wants_copy[i] = true;
    }
}

/* A tensor stands for its copies too, and a copy for its tensor. */
static int want_name(generate_job *job, const char *name) {
    bool is_copy;
    size_t index;
    int code = document_find(&job->doc, name, &is_copy, &index);
    if (code != EXIT_CLEAN) return code;
    if (!is_copy) {
        want_tensor(job, index);
        return EXIT_CLEAN;
    }
    job->wants_copy[index] = job->names_copy[index] = true;
    job->wants_tensor[tmap_spec_copy_get(job->doc.spec, index).tensor] = true;
    return EXIT_CLEAN;
}

static int want(generate_job *job, const operand_list *operands) {
    int code = EXIT_CLEAN;
    for (int i = 1; i < operands->n; i++) code = worse_of(code, want_name(job, operands->items[i]));
    if (operands->n > 1) return code;
    memset(job->wants_tensor, true, job->all_tensors_n);
    memset(job->wants_copy, true, job->all_copies_n);
    return code;
}

/* ---- Whether ---------------------------------------------------------------------------------------------------- */

static int judge_tensor(generate_job *job, size_t tensor) {
    if (job->verdicts[tensor] != NOT_JUDGED) return EXIT_CLEAN;
    tmap_status status = tmap_spec_check_tensor(job->doc.spec, tensor, &job->options->judging.judge, &job->doc.diags);
    job->verdicts[tensor] = status == TMAP_OK ? ACCEPTED : REFUSED;
    return status == TMAP_NO_MEMORY ? complain_status(status, job->faces[tensor].name) : code_of(status);
}

/* What the code needs is held against --cuda-version. */
static int hold_need(const generate_job *job, const char *name, const tmap_cuda_need *need) {
    int given = job->options->cuda_version;
    if (given == 0 || need->cuda_version <= given) return EXIT_CLEAN;
    return complain(EXIT_FINDINGS,
                    "%s: needs CUDA %s or later: %s; choose a later --cuda-version than %s, or other names", name,
                    version_of(need->cuda_version).text, need->why, version_of(given).text);
}

static int take_tensor(generate_job *job, size_t tensor) {
    tmap_diag refusal;
    int code = judge_tensor(job, tensor);
    if (job->verdicts[tensor] != ACCEPTED) return code;
    if (tmap_generate_allows_map(job->faces[tensor].params, &refusal) != TMAP_OK) {
        return complain_refusal(EXIT_FINDINGS, job->faces[tensor].name, &refusal);
    }
    tmap_cuda_need need = tmap_generate_needs_map(job->faces[tensor].params);
    code = worse_of(code, hold_need(job, job->faces[tensor].name, &need));
    if (code == EXIT_CLEAN) job->tensors[job->tensors_n++] = job->all[tensor];
    return code;
}

/* A copy that its file expects to be refused is no copy to carry out. */
static int skip_refused(const generate_job *job, size_t copy, const tmap_spec_copy *face) {
    if (job->names_copy[copy]) {
        return complain(EXIT_FINDINGS, "%s: the file expects rule %s to refuse it", face->name, face->expect->rule);
    }
    remark("%s: no kernel, as the file expects rule %s to refuse it", face->name, face->expect->rule);
    return EXIT_CLEAN;
}

/* A replacement, which moves no bytes, rests on nothing that its kernel says. */
static int ground_copy(generate_job *job, size_t copy, const tmap_spec_copy *face, tmap_archs archs) {
    tmap_copy frozen;
    const judging_options *judging = &job->options->judging;
    if (tmap_spec_copy_init(job->doc.spec, copy, &judging->judge, NULL, &frozen) != TMAP_OK) return EXIT_CLEAN;
    ground_list grounds = grounds_of_copy(&frozen, archs);
    if (judging->strict) grounds_refuse(&job->doc, &grounds, face->name, face->mark);
    if (job->grounds.archs == 0)
        job->grounds = grounds;
    else
        grounds_add_copy(&job->grounds, &frozen);
    return judging->strict && grounds_weakest(&grounds) && ground_is_weak(grounds_weakest(&grounds)) ? EXIT_FINDINGS
                                                                                                     : EXIT_CLEAN;
}

static int take_copy(generate_job *job, size_t copy) {
    const tmap_judge *judge = &job->options->judging.judge;
    tmap_spec_copy face = tmap_spec_copy_get(job->doc.spec, copy);
    if (face.expect->rule != NULL) return skip_refused(job, copy, &face);
    int code = judge_tensor(job, face.tensor);
    if (job->verdicts[face.tensor] != ACCEPTED) return code;
    code = worse_of(code, code_of(tmap_spec_check_copy(job->doc.spec, copy, judge, &job->doc.diags)));
    if (code != EXIT_CLEAN) return code;
    tmap_diag refusal;
    tmap_archs archs = document_archs(&job->doc, judge);
    tmap_status status = tmap_generate_allows_copy(job->faces[face.tensor].params, face.params, archs, &refusal);
    if (status != TMAP_OK) return complain_refusal(EXIT_FINDINGS, face.name, &refusal);
    tmap_cuda_need need =
        tmap_generate_needs_copy(job->faces[face.tensor].params, face.params, archs, job->options->cuda_version);
    code = hold_need(job, face.name, &need);
    if (code == EXIT_CLEAN) code = ground_copy(job, copy, &face, archs);
    if (code != EXIT_CLEAN) return code;
    job->copies[job->copies_n++] = (tmap_generate_copy){face.name, &job->all[face.tensor], face.params};
    return EXIT_CLEAN;
}

static int take(generate_job *job) {
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < job->all_tensors_n && job->options->c; i++) {
        if (job->wants_tensor[i]) code = worse_of(code, take_tensor(job, i));
    }
    for (size_t i = 0; i < job->all_copies_n && job->options->cuda; i++) {
        if (job->wants_copy[i]) code = worse_of(code, take_copy(job, i));
    }
    if (code == EXIT_CLEAN && job->options->cuda && job->copies_n == 0) {
        return complain(EXIT_USAGE, "%s has no copy to make a kernel of", job->doc.path);
    }
    if (code == EXIT_CLEAN && job->options->c && job->tensors_n == 0) {
        return complain(EXIT_USAGE, "%s has no tensor", job->doc.path);
    }
    return code;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* Beside the source, which goes its own way. */
static void remark_weak(const generate_job *job) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    grounds_name_weak(&sink, &job->grounds);
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
                                 .cuda_version = job->options->cuda_version};
    const char *path = job->options->out_path != NULL ? job->options->out_path : "-";
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
    size_t tensors_n = job->all_tensors_n = tmap_spec_tensors_n(job->doc.spec);
    size_t copies_n = job->all_copies_n = tmap_spec_copies_n(job->doc.spec);
    job->wants_tensor = calloc(tensors_n + 1, sizeof *job->wants_tensor);
    job->wants_copy = calloc(copies_n + 1, sizeof *job->wants_copy);
    job->names_copy = calloc(copies_n + 1, sizeof *job->names_copy);
    job->verdicts = calloc(tensors_n + 1, sizeof *job->verdicts);
    job->faces = calloc(tensors_n + 1, sizeof *job->faces);
    job->all = calloc(tensors_n + 1, sizeof *job->all);
    job->tensors = calloc(tensors_n + 1, sizeof *job->tensors);
    job->copies = calloc(copies_n + 1, sizeof *job->copies);
    bool good = job->wants_tensor != NULL && job->wants_copy != NULL && job->names_copy != NULL &&
                job->verdicts != NULL && job->faces != NULL && job->all != NULL && job->tensors != NULL &&
                job->copies != NULL;
    for (size_t i = 0; good && i < tensors_n; i++) {
        job->faces[i] = tmap_spec_tensor_get(job->doc.spec, i);
        job->all[i] = (tmap_generate_tensor){job->faces[i].name, job->faces[i].axes, job->faces[i].params};
    }
    return good;
}

static void job_end(generate_job *job) {
    free(job->wants_tensor);
    free(job->wants_copy);
    free(job->names_copy);
    free(job->verdicts);
    free(job->faces);
    free(job->all);
    free(job->tensors);
    free(job->copies);
}

static int generate(generate_job *job, const operand_list *operands) {
    if (!job_begin(job)) return complain_status(TMAP_NO_MEMORY, "generate");
    int code = want(job, operands);
    if (code == EXIT_CLEAN) code = take(job);
    return code == EXIT_CLEAN ? write_out(job) : code;
}

static int run(int argc, char **argv) {
    generate_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&generate_command, &o, argc, argv, &operands, &code)) return code;
    if (!o.c && !o.cuda) return complain(EXIT_USAGE, "what to generate: --c, --cuda, or both");
    generate_job job = {.options = &o};
    code = document_open_sound(&job.doc, operands.items[0]);
    if (code != EXIT_CLEAN) return code;
    code = generate(&job, &operands);
    job_end(&job);
    return document_finish(&job.doc, code);
}

const command_row generate_command = {
    .name = "generate",
    .summary = "source code that makes the maps and carries out the copies",
    .synopsis = "FILE [NAME...]",
    .about =
        "Writes source code that needs nothing of tmap. --c: for each tensor a function in C (valid C++ too) that\n"
        "makes the driver's call with every parameter named. --cuda: for each copy a kernel, with the instruction\n"
        "as inline PTX, its barrier or bulk group, its fences and its shared memory. With both, one file for\n"
        "nvcc. NAMEs of tensors and copies choose; a tensor brings its copies along, a copy its tensor. Nothing\n"
        "is written when one of them is refused.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
