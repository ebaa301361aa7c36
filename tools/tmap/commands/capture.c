/* tmap capture: records a driver's results in a file that any machine can replay. */
#include <stdlib.h>

#include "device/copies_on_device.h"
#include "device/recordings.h"
#include "files/files.h"
#include "options/command.h"
#include "options/size_options.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/rows.h"
#include "output/signals.h"
#include "specs/document.h"

typedef struct capture_options {
    verify_options copies; /* of kind copies; its recording, seed and date serve both kinds */
    optional_number random_n;
} capture_options;

#define SEED_DEFAULT   1
#define RANDOM_DEFAULT 1000

static const option_row options[] = {
    {"-o", "FILE", "write the recording to FILE instead of stdout", offsetof(capture_options, copies.record_path),
     NULL},
    {"--seed", "N", "seed of the random maps, or of the contents of memory (1)", offsetof(capture_options, copies.seed),
     take_number},
    {"--random", "N", "descriptors: the number of random maps (1000)", offsetof(capture_options, random_n),
     take_number},
    DATE_OPTION(capture_options, copies.date),
    SHARD_OPTION(capture_options, copies.shard),
    NO_FAULTS_OPTION(capture_options, copies.no_faults),
    DEVICE_OPTIONS(capture_options, copies.device),
    SIZE_OPTION,
    {0},
};

typedef struct spec_list {
    spec_document *docs;
    tmap_spec **specs;
    size_t n;
} spec_list;

static int open_all(const operand_list *operands, spec_list *specs) {
    size_t n = (size_t)operands->n - 1;
    specs->docs = calloc(n + 1, sizeof *specs->docs);
    specs->specs = calloc(n + 1, sizeof(tmap_spec *));
    if (!specs->docs || !specs->specs) return complain_status(TMAP_NO_MEMORY, "capture");
    for (; specs->n < n; specs->n++) {
        spec_document *doc = &specs->docs[specs->n];
        int code = document_open_valid(doc, operands->items[1 + specs->n]);
        if (code != EXIT_CLEAN) return code;
        specs->specs[specs->n] = doc->spec;
    }
    return EXIT_CLEAN;
}

static void close_all(spec_list *specs) {
    for (size_t i = 0; i < specs->n; i++) document_close(&specs->docs[i]);
    free(specs->docs);
    free(specs->specs);
}

typedef struct capturing {
    recording_file file;
    progress progress;
} capturing;

static bool go_on(void *context, const tmap_capture_so_far *so_far) {
    capturing *c = context;
    progress_show(&c->progress, so_far->calls_done, so_far->calls_n, "");
    return recording_save_text(&c->file, so_far->text, so_far->size, false) && !was_interrupted();
}

/* Prints the findings on stderr, and writes the whole file once more. */
static int capture(const tmap_capture_job *job, capturing *c) {
    recording_file *file = &c->file;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text), report = sink_to(stderr);
    tmap_capture_summary summary = {0};
    tmap_status status = tmap_capture_descriptors(job, &sink, &report, &summary);
    progress_end(&c->progress);
    int code = EXIT_CLEAN;
    if (status == TMAP_UNAVAILABLE)
        code = complain_refusal(EXIT_FINDINGS, NULL, tmap_capture_source_refusal(job->source));
    else if (status != TMAP_OK)
        code = complain_status(status, "capture descriptors");
    if (code <= EXIT_FINDINGS) code = worse_of(code, file_write(file->path, FILE_TEXT, text.data, text.size));
    size_t differ_n = summary.verdicts_differ + summary.bytes_differ + summary.counts_differ;
    if (differ_n + summary.failures + summary.lost > 0) code = worse_of(code, EXIT_FINDINGS);
    tmap_text_free(&text);
    return was_interrupted() ? worse_of(code, interrupted_code()) : worse_of(code, file->code);
}

static int capture_descriptors(const operand_list *operands, capture_options *o) {
    static shard_names names;
    char date[32];
    verify_options *common = &o->copies;
    spec_list specs = {0};
    int code = shard_settle(&common->shard, &names, &common->record_path, NULL); /* encoding needs no GPU */
    if (code == EXIT_CLEAN) code = open_all(operands, &specs);
    capturing recorded = {.file.path = common->record_path ? common->record_path : "-",
                          .progress = progress_begin("calls")};
    tmap_capture_job job = {
        .specs = specs.specs,
        .specs_n = specs.n,
        .seed = common->seed.given ? common->seed.value : SEED_DEFAULT,
        .maps_n = o->random_n.given ? o->random_n.value : RANDOM_DEFAULT,
        .date = common->date ? common->date : date_now(date),
        .shard = common->shard.rank,
        .shards = common->shard.size,
        .go_on = go_on,
        .context = &recorded,
        .rows = rows_sink(),
    };
    listen_for_interrupt_within(INTERRUPTED_WITHIN_S);
    if (code == EXIT_CLEAN) code = driver_open(&common->device, &job.source);
    if (code == EXIT_CLEAN) code = capture(&job, &recorded);
    tmap_capture_source_close(job.source);
    close_all(&specs);
    return code;
}

static int run_capture(const operand_list *operands, void *values) {
    capture_options *o = values;
    static const char *const kinds[] = {"descriptors", "copies"};
    int kind = choose_among("kind of capture", operands->items[0], kinds, 2);
    if (kind < 0) return EXIT_USAGE;
    if (kind == 0) return capture_descriptors(operands, o);
    if (!o->copies.record_path) o->copies.record_path = "-";
    return verify_files(&o->copies, operands->items + 1, (size_t)operands->n - 1);
}

const command_row capture_command = {
    .name = "capture",
    .summary = "record results of the driver or the device of this machine",
    .synopsis = "descriptors|copies [FILE...]",
    .about = "descriptors: encodes maps with the driver and natively, and records the results of the driver. The maps\n"
             "are the tensors of the given specs, maps that change one parameter, maps about which the documents are\n"
             "silent or contradict each other, and random maps. copies: runs the copies of the specs on a device, and\n"
             "records the results. Both write one file for tmap replay, with the device, the driver and the date.\n"
             "stderr reports which facts and rules the results confirm or refute; the exit status is 1 if anything\n"
             "differs.",
    OPTIONS_IN(capture_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_capture,
};
