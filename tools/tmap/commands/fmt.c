/* tmap fmt: specs in canonical form, with their comments. */
#include <string.h>

#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/spec.h"

typedef struct fmt_options {
    bool in_place, check;
} fmt_options;

static const option_row options[] = {
    {"-i", NULL, "rewrite the files", offsetof(fmt_options, in_place), NULL},
    {"--check", NULL, "print the names of files that are not formatted; exit status 1 if any",
     offsetof(fmt_options, check), NULL},
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
    if (o->check) {
        if (!same) puts(path_shown(path));
        return same ? EXIT_CLEAN : EXIT_FINDINGS;
    }
    if (!o->in_place) return file_write("-", FILE_TEXT, formatted->data, formatted->size);
    return same ? EXIT_CLEAN : file_write(path, FILE_TEXT, formatted->data, formatted->size);
}

static int format_file(const char *path, const fmt_options *o) {
    file_bytes file;
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    tmap_text formatted = {0};
    code = format_text(path_shown(path), &file, &formatted);
    if (code == EXIT_CLEAN) code = use(path, &file, &formatted, o);
    tmap_text_free(&formatted);
    file_free(&file);
    return code;
}

static int run(int argc, char **argv) {
    fmt_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&fmt_command, &o, argc, argv, &operands, &code)) return code;
    if (o.in_place && o.check) return complain(EXIT_USAGE, "-i and --check exclude each other");
    if (operands.n > 1 && !o.in_place && !o.check) {
        return complain(EXIT_USAGE,
                        "with more than one file, use -i to rewrite them in place or --check to compare them");
    }
    code = EXIT_CLEAN;
    for (int i = 0; i < operands.n; i++) code = worse_of(code, format_file(operands.items[i], &o));
    return code;
}

const command_row fmt_command = {
    .name = "fmt",
    .summary = "rewrite specs in canonical form; comments are kept",
    .synopsis = "FILE...",
    .about = "Prints a spec in canonical form. The meaning does not change, and a formatted file stays the same.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
