/* tmap merge: recordings of several runs into one. */
#include <stdlib.h>
#include <string.h>

#include "device/recordings.h"
#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"

typedef struct merge_options {
    const char *out_path;
} merge_options;

static const option_row options[] = {
    {"-o", "FILE", "write the recording to FILE instead of stdout", offsetof(merge_options, out_path), NULL},
    {0},
};

static int merge_file(tmap_recording *into, const char *path) {
    tmap_diag refusal;
    int code = recording_merge_file(into, path, &refusal);
    if (refusal.message[0] == '\0') return code;
    return complain(code, "%s cannot be merged with the first: %s", path, refusal.message);
}

static int merge_copies(const operand_list *operands, const char *out_path) {
    tmap_recording *into = NULL;
    int code = recording_read(operands->items[0], &into);
    if (code != EXIT_CLEAN) return code;
    for (int i = 1; i < operands->n && code == EXIT_CLEAN; i++) code = merge_file(into, operands->items[i]);
    tmap_recording_counts counts = tmap_recording_count(into);
    if (code == EXIT_CLEAN) code = recording_write(out_path, into);
    if (code == EXIT_CLEAN)
        remark("copies: %llu; blocks of %d cases: %llu; cases that differ: %llu", (unsigned long long)counts.copies_n,
               TMAP_FUZZ_BLOCK, (unsigned long long)counts.blocks_n, (unsigned long long)counts.differing_n);
    tmap_recording_free(into);
    return code;
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

typedef struct merged_files {
    file_bytes *bytes;
    tmap_capture_file *files;
    size_t n;
} merged_files;

static int read_all(merged_files *all, const operand_list *operands) {
    all->bytes = calloc((size_t)operands->n, sizeof *all->bytes);
    all->files = calloc((size_t)operands->n, sizeof *all->files);
    if (!all->bytes || !all->files) return complain_status(TMAP_NO_MEMORY, "merge");
    for (; all->n < (size_t)operands->n; all->n++) {
        file_bytes *bytes = &all->bytes[all->n];
        int code = file_read(operands->items[all->n], SPEC_SIZE_MAX, bytes);
        if (code != EXIT_CLEAN) return code;
        const char *text = bytes->data ? (const char *)bytes->data : "";
        all->files[all->n] = (tmap_capture_file){text, path_shown(operands->items[all->n]), bytes->size};
    }
    return EXIT_CLEAN;
}

static void free_all(merged_files *all) {
    for (size_t i = 0; i < all->n; i++) file_free(&all->bytes[i]);
    free(all->bytes);
    free(all->files);
}

static int merge_all(const merged_files *all, const char *out_path) {
    tmap_diag refusal;
    size_t merged_n = 0;
    tmap_diags diags = {0};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_capture_merge(all->files, all->n, &diags, &sink, &merged_n, &refusal);
    const tmap_capture_file *last = &all->files[merged_n < all->n ? merged_n : 0];
    (void)report_findings(&diags, last->path, last->text, last->size);
    int code = EXIT_CLEAN;
    if (status == TMAP_OK)
        code = file_write(out_path, FILE_TEXT, text.data, text.size);
    else if (status != TMAP_REFUSED)
        code = complain_status(status, "merge");
    else
        code = refusal.message[0] == '\0'
                   ? EXIT_FINDINGS
                   : complain(EXIT_FINDINGS, "%s cannot be merged with the first: %s", last->path, refusal.message);
    tmap_text_free(&text);
    return code;
}

/* Whether the start of the file has the line by which tmap marks a recording of descriptors. */
static bool is_of_descriptors(const tmap_capture_file *file) {
    static const char line[] = "\nkind: descriptors\n";
    for (size_t i = 0; i + sizeof line - 1 <= file->size && i < 4096; i++)
        if (memcmp(file->text + i, line, sizeof line - 1) == 0) return true;
    return false;
}

static int run_merge(const operand_list *operands, void *values) {
    merge_options *o = values;
    int code = EXIT_CLEAN;
    merged_files all = {0};
    bool first_is_pipe = strcmp(operands->items[0], "-") == 0;
    if (!first_is_pipe) code = read_all(&all, operands);
    if (first_is_pipe || (code == EXIT_CLEAN && !is_of_descriptors(&all.files[0])))
        code = merge_copies(operands, o->out_path);
    else if (code == EXIT_CLEAN)
        code = merge_all(&all, o->out_path);
    free_all(&all);
    return code;
}

const command_row merge_command = {
    .name = "merge",
    .summary = "combine the recordings of several runs into one",
    .synopsis = "FILE...",
    .about =
        "Reads recordings that have the same device, driver and options of the generator (for example the shards\n"
        "of tmap fuzz), all of copies or all of descriptors, and writes one recording with all their copies,\n"
        "blocks and cases. If the recordings have different devices or options, or different results for one copy\n"
        "or call, the exit status is 1 and nothing is written.",
    OPTIONS_IN(merge_options),
    .defaults = &(const merge_options){.out_path = "-"},
    .operands = {1, OPERANDS_ANY},
    .run = run_merge,
};
