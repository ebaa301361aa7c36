/* tmap merge: recordings of several runs into one. */
#include "command.h"
#include "output.h"
#include "recordings.h"

typedef struct merge_options {
    const char *out_path;
} merge_options;

static const option_row options[] = {
    {"-o", "FILE", "write the recording there instead of to stdout", offsetof(merge_options, out_path), NULL},
    {0},
};

static int merge_file(tmap_recording *into, const char *path) {
    char reason[256];
    tmap_recording *from = NULL;
    int code = recording_read(path, &from);
    if (code != EXIT_CLEAN) return code;
    tmap_status status = tmap_recording_merge(into, from, reason, sizeof reason);
    if (status == TMAP_REFUSED)
        code = complain(EXIT_FINDINGS, "%s cannot be merged with the first: %s", path, reason);
    else if (status != TMAP_OK)
        code = complain_status(status, path);
    tmap_recording_free(from);
    return code;
}

static int run(int argc, char **argv) {
    merge_options o = {0};
    operand_list operands;
    tmap_recording *into = NULL;
    int code;
    if (!options_parse(&merge_command, &o, argc, argv, &operands, &code)) return code;
    code = recording_read(operands.items[0], &into);
    if (code != EXIT_CLEAN) return code;
    for (int i = 1; i < operands.n && code == EXIT_CLEAN; i++) code = merge_file(into, operands.items[i]);
    tmap_recording_counts counts = tmap_recording_count(into);
    if (code == EXIT_CLEAN) code = recording_write(o.out_path != NULL ? o.out_path : "-", into);
    if (code == EXIT_CLEAN)
        remark("%llu copies and %llu blocks of %d; %llu cases of blocks differ", (unsigned long long)counts.copies_n,
               (unsigned long long)counts.blocks_n, TMAP_FUZZ_BLOCK, (unsigned long long)counts.differing_n);
    tmap_recording_free(into);
    return code;
}

const command_row merge_command = {
    .name = "merge",
    .summary = "make one recording of those of several runs",
    .synopsis = "FILE...",
    .about = "Reads recordings of copies from one kind of device, driver and draw (the shards of tmap fuzz, say), and\n"
             "writes one that has all their copies and blocks. Exit status 1, and nothing written, when they are of\n"
             "different devices or draws, or say different things of one copy.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
