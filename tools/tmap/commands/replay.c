/* tmap replay: recordings of a driver held against this build. */
#include <stdlib.h>

#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/capture.h"

typedef struct replay_options {
    bool json;
    optional_number blocks;
} replay_options;

static const option_row options[] = {
    {"--blocks", "N", "predict at most N blocks of random copies again, spread evenly (all)",
     offsetof(replay_options, blocks), take_number},
    {"--json", NULL, "print the counts as JSON", offsetof(replay_options, json), NULL},
    {0},
};

typedef struct replayed_file {
    tmap_capture_summary summary;
    const char *path;
    tmap_text report;
    int code;
} replayed_file;

static int judge(tmap_status status, const tmap_capture_summary *summary) {
    if (status != TMAP_OK) return code_of(status);
    return summary->verdicts_differ + summary->bytes_differ + summary->counts_differ > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

static void replay_file(const char *path, uint64_t blocks_most, replayed_file *replayed) {
    *replayed = (struct replayed_file){.path = path_shown(path)};
    file_bytes file;
    replayed->code = file_read(path, SPEC_SIZE_MAX, &file);
    if (replayed->code != EXIT_CLEAN) return;
    const char *text = file.data != NULL ? (const char *)file.data : "";
    tmap_diags diags = {0};
    tmap_sink report = tmap_text_sink(&replayed->report), messages = sink_to(stderr);
    tmap_status status =
        tmap_capture_replay(text, file.size, replayed->path, NULL, blocks_most, &diags, &report, &replayed->summary);
    tmap_source source = {replayed->path, text, file.size};
    tmap_render render = {.color = colors_on(stderr), .sources = &source, .sources_n = 1};
    tmap_emit_diags(&messages, &diags, &render);
    tmap_diags_free(&diags);
    file_free(&file);
    replayed->code = judge(status, &replayed->summary);
    if (replayed->code > EXIT_FINDINGS) complain_status(status, replayed->path);
}

/* How many copies rest on each fact, and agree or differ. */
static void print_facts(tmap_json *json, const tmap_capture_summary *summary) {
    tmap_json_key(json, "facts");
    tmap_json_array(json, false);
    for (int fact = 0; fact < TMAP_CAPTURE_FACTS_MAX && tmap_fact_get(fact) != NULL; fact++) {
        if (summary->facts_agree[fact] + summary->facts_differ[fact] == 0) continue;
        tmap_json_object(json, true);
        json_field_string(json, "fact", tmap_fact_get(fact)->id);
        json_field_uint(json, "agree", summary->facts_agree[fact]);
        json_field_uint(json, "differ", summary->facts_differ[fact]);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void print_json(tmap_sink *sink, const replayed_file *files, size_t n) {
    tmap_json json = json_result_begin(sink);
    tmap_json_key(&json, "files");
    tmap_json_array(&json, false);
    for (size_t i = 0; i < n; i++) {
        const tmap_capture_summary *summary = &files[i].summary;
        tmap_json_object(&json, false);
        json_field_string(&json, "path", files[i].path);
        json_field_bool(&json, "agrees", files[i].code == EXIT_CLEAN);
        json_field_string(&json, "gpu", summary->gpu);
        json_field_uint(&json, "chip", (uint64_t)summary->chip);
        json_field_uint(&json, "driver_version", (uint64_t)summary->driver_version);
        json_field_string(&json, "date", summary->date);
        json_field_bool(&json, "hardware", summary->hardware);
        json_field_uint(&json, "cases", summary->cases);
        json_field_uint(&json, "verdicts_agree", summary->verdicts_agree);
        json_field_uint(&json, "verdicts_differ", summary->verdicts_differ);
        json_field_uint(&json, "bytes_agree", summary->bytes_agree);
        json_field_uint(&json, "bytes_differ", summary->bytes_differ);
        json_field_uint(&json, "counts_agree", summary->counts_agree);
        json_field_uint(&json, "counts_differ", summary->counts_differ);
        json_field_uint(&json, "counts_unknown", summary->counts_unknown);
        print_facts(&json, summary);
        tmap_json_close(&json, '}');
    }
    tmap_json_close(&json, ']');
    json_result_end(&json);
}

static void print_text(tmap_sink *sink, const replayed_file *files, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (files[i].report.data != NULL) tmap_puts(sink, files[i].report.data);
    }
}

static int run(int argc, char **argv) {
    replay_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&replay_command, &o, argc, argv, &operands, &code)) return code;
    size_t n = (size_t)operands.n;
    replayed_file *files = calloc(n, sizeof *files);
    if (files == NULL) return complain_status(TMAP_NO_MEMORY, "replay");
    code = EXIT_CLEAN;
    for (size_t i = 0; i < n; i++) {
        replay_file(operands.items[i], o.blocks.given ? o.blocks.value : 0, &files[i]);
        code = worse_of(code, files[i].code);
    }
    tmap_sink sink = sink_to(stdout);
    (o.json ? print_json : print_text)(&sink, files, n);
    for (size_t i = 0; i < n; i++) tmap_text_free(&files[i].report);
    free(files);
    return code;
}

const command_row replay_command = {
    .name = "replay",
    .summary = "hold this build against recordings of a driver or a device",
    .synopsis = "FILE...",
    .about =
        "Reads captures and compares what tmap's rules, encoder and emulator say with what the driver or the device\n"
        "did. Needs no GPU. Exit status 1 when anything differs.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
