/* tmap fmt: specs in canonical form, with their comments. */
#include <string.h>

#include "files/files.h"
#include "files/folders.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/text_diff.h"
#include "tmap/unstable/spec.h"

typedef struct fmt_options {
    bool in_place, check, diff;
} fmt_options;

static const option_row options[] = {
    {"-i", NULL, "rewrite the files", offsetof(fmt_options, in_place), NULL},
    {"--check", NULL, "print the names of files that are not formatted; exit status 1 if any",
     offsetof(fmt_options, check), NULL},
    {"--diff", NULL, "print the changes in the form of diff -u; exit status 1 if any", offsetof(fmt_options, diff),
     NULL},
    {0},
};

/* Formats a file's text; findings go to stderr. */
static int format_text(const char *path, const file_bytes *file, tmap_text *formatted) {
    const char *text = file->data ? (const char *)file->data : "";
    tmap_diags diags = {0};
    tmap_sink sink = tmap_text_sink(formatted);
    tmap_status status = tmap_spec_format(text, file->size, path, &diags, &sink);
    (void)report_findings(&diags, path, text, file->size);
    if (sink.failed) return complain_status(TMAP_NO_MEMORY, path);
    return status == TMAP_OK || status == TMAP_REFUSED ? code_of(status) : complain_status(status, path);
}

static int use(const char *path, const file_bytes *file, const tmap_text *formatted, const fmt_options *o) {
    bool same =
        formatted->size == file->size && (file->size == 0 || memcmp(formatted->data, file->data, file->size) == 0);
    tmap_sink sink = sink_to(stdout);
    if (o->check && !same) {
        put_on_one_line(&sink, path_shown(path));
        tmap_puts(&sink, "\n");
    }
    tmap_text before = {.data = (char *)file->data, .size = file->size};
    if (o->diff && !same && !text_diff_write(&sink, path_shown(path), &before, formatted))
        return complain_status(TMAP_NO_MEMORY, path);
    if (o->check || o->diff) return same ? EXIT_CLEAN : EXIT_FINDINGS;
    if (!o->in_place) return file_write("-", FILE_TEXT, formatted->data, formatted->size);
    return same ? EXIT_CLEAN : file_write(path, FILE_TEXT, formatted->data, formatted->size);
}

/* Formats a file. Adds 1 to *differing_n if --check or --diff reports the file. */
static int format_file(const char *path, const fmt_options *o, size_t *differing_n) {
    file_bytes file;
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    tmap_text formatted = {0};
    code = format_text(path_shown(path), &file, &formatted);
    if (code == EXIT_CLEAN) {
        code = use(path, &file, &formatted, o);
        *differing_n += code == EXIT_FINDINGS;
    }
    tmap_text_free(&formatted);
    file_free(&file);
    return code;
}

static int format_all(const path_list *paths, const fmt_options *o) {
    int code = EXIT_CLEAN;
    size_t differing_n = 0;
    for (size_t i = 0; i < paths->n; i++) {
        int of_file = format_file(paths->items[i], o, &differing_n);
        code = worse_of(code, of_file);
    }
    if (differing_n > 0)
        remark("'tmap fmt -i' with the same files rewrites %s%s", differing_n == 1 ? "this file" : "these files",
               o->diff ? "" : "; 'tmap fmt --diff' shows the changes");
    return code;
}

static int run_fmt(const operand_list *operands, void *values) {
    fmt_options *o = values;
    if (o->in_place && (o->check || o->diff))
        return complain(EXIT_USAGE, "-i and %s exclude each other", o->check ? "--check" : "--diff");
    path_list paths;
    int code = specs_of(operands->items, (size_t)operands->n, false, &paths);
    if (paths.n > 1 && !o->in_place && !o->check && !o->diff)
        code = complain(EXIT_USAGE, "with more than one file, use -i to rewrite them in place, or --check or --diff to "
                                    "compare them");
    else
        code = worse_of(code, format_all(&paths, o));
    path_list_free(&paths);
    return code;
}

const command_row fmt_command = {
    .name = "fmt",
    .summary = "print or rewrite specs in canonical form; comments are kept",
    .synopsis = "FILE|FOLDER...",
    .about = "Prints a spec in canonical form. The meaning does not change, and a formatted file stays the same.",
    OPTIONS_IN(fmt_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_fmt,
};
