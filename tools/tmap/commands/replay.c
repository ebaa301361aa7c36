/* tmap replay: compares recordings of a driver with this build. */
#include <stdlib.h>

#include "files/files.h"
#include "options/command.h"
#include "options/judging_options.h"
#include "output/messages.h"
#include "output/result.h"
#include "output/rows.h"
#include "tmap/unstable/capture.h"
#include "tmap/unstable/evidence.h"

typedef struct replay_options {
    bool json;
    optional_number blocks;
    tmap_replay_options replay;
} replay_options;

static const option_row options[] = {
    {"--blocks", "N", "predict again at most N blocks of random copies, evenly distributed (all)",
     offsetof(replay_options, blocks), take_number},
    ASSUME_OPTION(replay_options, replay.assume),
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

static void replay_file(const char *path, const tmap_replay_options *how, replayed_file *replayed) {
    *replayed = (struct replayed_file){.path = path_shown(path)};
    file_bytes file;
    replayed->code = file_read(path, SPEC_SIZE_MAX, &file);
    if (replayed->code != EXIT_CLEAN) return;
    const char *text = file.data ? (const char *)file.data : "";
    tmap_diags diags = {0};
    row_write(1, "counted", "recordings");
    tmap_sink report = tmap_text_sink(&replayed->report);
    tmap_status status =
        tmap_capture_replay(text, file.size, replayed->path, NULL, how, &diags, &report, &replayed->summary);
    (void)report_findings(&diags, replayed->path, text, file.size);
    file_free(&file);
    replayed->code = judge(status, &replayed->summary);
    if (replayed->code > EXIT_FINDINGS) complain_status(status, replayed->path);
}

/* For each fact, the number of copies that depend on it and agree or differ. */
static void write_facts(tmap_json *json, const tmap_capture_summary *summary) {
    json_list(json, "facts", false);
    for (int fact = 0; fact < TMAP_CAPTURE_FACTS_MAX && tmap_fact_get(fact); fact++) {
        if (summary->facts_agree[fact] + summary->facts_differ[fact] == 0) continue;
        row_write(1, summary->facts_differ[fact] > 0 ? "differing" : "agreeing", tmap_fact_get(fact)->id);
        tmap_json_object(json, true);
        json_field_string(json, "fact", tmap_fact_get(fact)->id);
        json_field_uint(json, "agree", summary->facts_agree[fact]);
        json_field_uint(json, "differ", summary->facts_differ[fact]);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

/* The text is the library's report. */
static void write_replayed(result_sink *out, const replayed_file *file) {
    const tmap_capture_summary *summary = &file->summary;
    tmap_json *json = &out->json;
    if (file->report.data) tmap_puts(&out->text, file->report.data);
    tmap_json_object(json, false);
    json_field_string(json, "path", file->path);
    json_field_bool(json, "agrees", file->code == EXIT_CLEAN);
    json_field_string(json, "gpu", summary->gpu);
    json_field_uint(json, "chip", (uint64_t)summary->chip);
    json_field_uint(json, "driver_version", (uint64_t)summary->driver_version);
    json_field_string(json, "date", summary->date);
    json_field_bool(json, "hardware", summary->hardware);
    JSON_FIELDS(json, {"cases", summary->cases}, {"verdicts_agree", summary->verdicts_agree},
                {"verdicts_differ", summary->verdicts_differ}, {"bytes_agree", summary->bytes_agree},
                {"bytes_differ", summary->bytes_differ}, {"counts_agree", summary->counts_agree},
                {"counts_differ", summary->counts_differ}, {"counts_unknown", summary->counts_unknown},
                {"classes_differ", summary->classes_differ}, {"idle_differ", summary->idle_differ});
    write_facts(json, summary);
    tmap_json_close(json, '}');
}

static int run_replay(const operand_list *operands, void *values) {
    replay_options *o = values;
    size_t n = (size_t)operands->n;
    replayed_file *files = calloc(n, sizeof *files);
    if (!files) return complain_status(TMAP_NO_MEMORY, "replay");
    int code = EXIT_CLEAN;
    o->replay.rows = rows_sink();
    o->replay.max_blocks = o->blocks.given ? o->blocks.value : 0;
    for (size_t i = 0; i < n; i++) {
        replay_file(operands->items[i], &o->replay, &files[i]);
        code = worse_of(code, files[i].code);
    }
    result_sink out;
    result_begin(&out, stdout, o->json);
    json_list(&out.json, "files", false);
    for (size_t i = 0; i < n; i++) {
        write_replayed(&out, &files[i]);
        tmap_text_free(&files[i].report);
    }
    tmap_json_close(&out.json, ']');
    result_end(&out);
    free(files);
    return code;
}

const command_row replay_command = {
    .name = "replay",
    .summary = "compare this build with recordings of a driver or a device",
    .synopsis = "FILE...",
    .about = "Reads recordings and compares the results of the driver or the device with tmap's rules, encoder and\n"
             "emulator. Requires no GPU. The exit status is 1 if anything differs.",
    OPTIONS_IN(replay_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_replay,
};
