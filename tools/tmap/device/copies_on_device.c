/* Copies of spec files on a device: plans, runs, compares, prints and records them. */
#include "device/copies_on_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/differences_shown.h"
#include "device/recordings.h"
#include "hash/splitmix.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/result.h"
#include "output/rows.h"
#include "output/signals.h"
#include "specs/document.h"
#include "specs/used_facts.h"

#define SEED_DEFAULT 1
#define BATCH_B      ((uint64_t)16 << 20) /* the most work that a signal can lose at the end of a run */

typedef enum outcome { SKIPPED, AGREES, DIFFERS, LEFT_OUT, FAILED, OUTCOMES_N } outcome;

static const char *const outcome_names[] = {"skipped", "agrees", "differs", "left out", "failed"};
ROWS(outcome_names, OUTCOMES_N);

/* One copy of one file. */
typedef struct verified_copy {
    const spec_document *doc;
    size_t index; /* of the copy in its file */
    tmap_probe probe;
    tmap_probe_report report;
    tmap_text picture;
    tmap_diag refusal; /* the reason why the copy cannot run; without a message if it can */
    outcome outcome;
} verified_copy;

typedef struct verification {
    const verify_options *options;
    tmap_device *device;
    tmap_probe_options probe_options;
    recording_file file;
    spec_document *docs;
    size_t docs_n;
    verified_copy *copies;
    size_t copies_n;
    size_t counts[OUTCOMES_N], done_n;
    progress progress;
} verification;

/* ---- Planning --------------------------------------------------------------------------------------------------- */

/* Each copy has its own inputs, the same in every run. */
static uint64_t seed_of(const verify_options *o, size_t i) {
    return tmap_splitmix64((o->seed.given ? o->seed.value : SEED_DEFAULT) + i);
}

static void say_first_error(verified_copy *v, const tmap_diags *diags) {
    v->refusal = (tmap_diag){.message = "this version does not predict the copy"};
    for (size_t i = 0; i < diags->count; i++) {
        if (diags->items[i].severity != TMAP_ERROR) continue;
        v->refusal = diags->items[i];
        return;
    }
}

static tmap_judge judge_for(const verification *all, const spec_document *doc) {
    tmap_judge judge = all->options->judging.judge;
    tmap_archs target = tmap_device_target(all->device);
    if (judge.toolkit == 0)
        judge.toolkit = tmap_device_about(all->device)->driver; /* this driver compiles replacements */
    if (judge.archs == 0) judge.archs = target != 0 ? target : document_archs(doc, &judge);
    return judge;
}

/* A copy that the rules refuse runs only if the spec expects a rule to refuse it. */
static void plan(const verification *all, verified_copy *v, size_t number) {
    tmap_spec_copy copy = tmap_spec_copy_get(v->doc->spec, v->index);
    tmap_judge judge = judge_for(all, v->doc);
    tmap_diag items[16];
    tmap_diags diags = {.items = items, .capacity = 16, .fixed = true};
    v->report.verdict = TMAP_PROBE_NOT_RUN;
    if (!copy.readable) {
        v->refusal = (tmap_diag){.message = "the spec of the copy has errors"};
        return;
    }
    const tmap_map_params *map = tmap_spec_tensor_get(v->doc->spec, copy.tensor).params;
    tmap_status status = tmap_probe_plan(&v->probe, map, copy.params, seed_of(all->options, number), &judge, &diags);
    bool tried = status == TMAP_OK || (v->probe.symptom && copy.expect->rule);
    if (!tried) say_first_error(v, &diags);
    if (status != TMAP_OK || !all->options->judging.strict) return;
    used_facts facts = facts_of_copy(&v->probe.frozen, judge.archs);
    for (size_t i = 0; i < facts.n; i++) {
        const used_fact *fact = &facts.items[i];
        if (fact_is_refused(fact, &all->options->judging, v->doc->spec))
            snprintf(v->refusal.message, sizeof v->refusal.message,
                     "--strict: the prediction is based on %s, which is %s", fact->fact, fact_class(fact));
    }
}

static bool selected(const verify_options *o, const spec_document *doc, size_t i) {
    return !o->copy || strcmp(tmap_spec_copy_get(doc->spec, i).name, o->copy) == 0;
}

static int plan_all(verification *all) {
    size_t most = 0;
    for (size_t d = 0; d < all->docs_n; d++) most += tmap_spec_copies_n(all->docs[d].spec);
    all->copies = calloc(most + 1, sizeof *all->copies);
    if (!all->copies) return complain_status(TMAP_NO_MEMORY, "verify");
    bool found = false;
    for (size_t d = 0, number = 0; d < all->docs_n; d++) {
        for (size_t i = 0; i < tmap_spec_copies_n(all->docs[d].spec); i++, number++) {
            if (!selected(all->options, &all->docs[d], i)) continue;
            found = true;
            if (!shard_has(&all->options->shard, number)) continue;
            verified_copy *v = &all->copies[all->copies_n++];
            v->doc = &all->docs[d];
            v->index = i;
            plan(all, v, number);
        }
    }
    if (found) return EXIT_CLEAN;
    if (all->options->copy) return complain(EXIT_USAGE, "none of the files has a copy named '%s'", all->options->copy);
    return complain(EXIT_USAGE, "the files have no copies: add some under copies:");
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

/* The copies that can run, with the index of each in the list of all copies. */
typedef struct tried_copies {
    verification *all;
    tmap_probe *probes;
    tmap_probe_report *reports;
    size_t *places, n;
    tmap_status status;
} tried_copies;

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static tmap_status record(tried_copies *tried, const verified_copy *v, size_t i, const tmap_observation *seen) {
    char name[512], tensor[512];
    tmap_spec_copy copy = tmap_spec_copy_get(v->doc->spec, v->index);
    snprintf(name, sizeof name, "%s/%s", last_part(v->doc->path), copy.name);
    snprintf(tensor, sizeof tensor, "%s/%s", last_part(v->doc->path),
             tmap_spec_tensor_get(v->doc->spec, copy.tensor).name);
    return tmap_recording_add(tried->all->file.recording, name, tensor, &tried->probes[i], seen);
}

static void on_result(void *context, size_t i, const tmap_observation *seen) {
    tried_copies *tried = context;
    verified_copy *v = &tried->all->copies[tried->places[i]];
    tmap_sink sink = tmap_text_sink(&v->picture);
    if (tried->reports[i].verdict == TMAP_PROBE_DIFFERS) (void)tmap_probe_draw(&tried->probes[i], seen, NULL, &sink);
    if (tried->all->file.recording && tried->status == TMAP_OK) tried->status = record(tried, v, i, seen);
    tried->all->done_n++;
}

static bool go_on(void *context) {
    tried_copies *tried = context;
    progress_show(&tried->all->progress, tried->all->done_n, tried->n, "");
    return recording_save(&tried->all->file, false) && tried->status == TMAP_OK && !was_interrupted();
}

static void gather(tried_copies *tried) {
    for (size_t i = 0; i < tried->all->copies_n; i++) {
        if (tried->all->copies[i].refusal.message[0] != '\0') continue;
        tried->places[tried->n] = i;
        tried->probes[tried->n++] = tried->all->copies[i].probe;
    }
}

static tmap_status run_tried(tried_copies *tried) {
    if (!tried->probes || !tried->reports || !tried->places) return TMAP_NO_MEMORY;
    gather(tried);
    tmap_probe_options options = tried->all->probe_options;
    options.on_result = on_result;
    options.go_on = go_on;
    options.without_faults = tried->all->options->no_faults;
    options.context = tried;
    tmap_status status = tmap_probes_run(tried->all->device, &options, tried->probes, tried->n, tried->reports);
    for (size_t i = 0; i < tried->n; i++) tried->all->copies[tried->places[i]].report = tried->reports[i];
    progress_end(&tried->all->progress);
    return tried->status != TMAP_OK ? tried->status : status;
}

/* `lost`: the device failed and did not recover. */
static outcome outcome_of(const verification *all, const verified_copy *v, bool lost) {
    const tmap_probe_report *report = &v->report;
    if (report->verdict != TMAP_PROBE_NOT_RUN) return report->verdict == TMAP_PROBE_AGREES ? AGREES : DIFFERS;
    if (v->refusal.message[0] != '\0') return SKIPPED;
    if (all->options->no_faults && !v->probe.predicts) return LEFT_OUT;
    return report->failed || lost ? FAILED : SKIPPED;
}

static void count(verification *all, bool lost) {
    for (size_t i = 0; i < all->copies_n; i++) {
        verified_copy *v = &all->copies[i];
        v->outcome = outcome_of(all, v, lost);
        all->counts[v->outcome]++;
    }
}

/* Copies that did not run because the device failed are a finding. Earlier results are printed and recorded. */
static int say_failure(const verification *all, tmap_status status) {
    const tmap_diag *refusal = tmap_device_refusal(all->device);
    if (status == TMAP_OK) return EXIT_CLEAN;
    if (status == TMAP_BAD_ARGUMENT && all->file.recording)
        return complain(EXIT_USAGE, "two files have the same name, so their copies cannot be distinguished");
    int code = status == TMAP_UNAVAILABLE ? EXIT_FINDINGS : code_of(status);
    return refusal->message[0] != '\0' ? complain_refusal(code, NULL, refusal)
                                       : worse_of(complain_status(status, "verify"), code);
}

static int run_all(verification *all) {
    size_t room = all->copies_n + 1;
    tried_copies tried = {.all = all, .status = TMAP_OK};
    tried.probes = calloc(room, sizeof *tried.probes);
    tried.reports = calloc(room, sizeof *tried.reports);
    tried.places = calloc(room, sizeof *tried.places);
    tmap_status status = run_tried(&tried);
    free(tried.probes);
    free(tried.reports);
    free(tried.places);
    count(all, status == TMAP_UNAVAILABLE);
    return say_failure(all, status);
}

/* ---- Printing --------------------------------------------------------------------------------------------------- */

/* The verdict on the bytes or on the transaction bytes; NULL (null in JSON): not compared. */
static const char *compared_name(tmap_probe_verdict verdict) {
    static const char *const names[] = {NULL, "agrees", "differs"};
    ROWS(names, TMAP_PROBE_VERDICT_COUNT);
    return names[verdict];
}

static bool was_counted(const verified_copy *v) {
    return v->report.counts != TMAP_PROBE_NOT_RUN || !v->probe.frozen.op->to_shared;
}

static const tmap_diag *why_of(const verified_copy *v) {
    return v->refusal.message[0] != '\0' ? &v->refusal : &v->report.why;
}

static void write_verdict(result_sink *out, const verified_copy *v, const char *name) {
    char line[REFUSAL_LINE_MAX];
    const char *reason = v->outcome == AGREES ? NULL : tmap_diag_line(why_of(v), line, sizeof line);
    if (v->outcome == SKIPPED && why_of(v)->rule) row_write(1, "skipped by", why_of(v)->rule);
    json_field_string(&out->json, "path", v->doc->path);
    json_field_string(&out->json, "copy", name);
    json_field_string(&out->json, "verdict", outcome_names[v->outcome]);
    json_field_string(&out->json, "text", reason);
    put_on_one_line(&out->text, v->doc->path);
    tmap_printf(&out->text, ": %s: %s", name, outcome_names[v->outcome]);
    if (reason)
        tmap_printf(&out->text, ": %s\n", reason);
    else if (v->probe.predicts)
        tmap_printf(&out->text, " (%s, %" PRIu32 " B%s)\n", v->probe.frozen.op->name, v->probe.frozen.payload_B,
                    was_counted(v) ? "" : ", its transaction bytes were not counted");
    else
        tmap_printf(&out->text, " (%s, the symptom of rule %s)\n",
                    v->report.error != 0 ? tmap_cuda_error_name(v->report.error) : v->probe.symptom, v->probe.rule);
}

/* By CTA; null if the device did not count. */
static void arrived_json(tmap_json *json, const verified_copy *v) {
    json_list(json, "arrived_tx_bytes", true);
    for (uint32_t cta = 0; cta < v->probe.ctas_n; cta++) {
        if (v->report.arrived_B[cta] == TMAP_ARRIVED_UNKNOWN)
            tmap_json_null(json);
        else
            tmap_json_uint(json, v->report.arrived_B[cta]);
    }
    tmap_json_close(json, ']');
}

/* Writes the comparisons. The text has them only for a copy that differs. */
static void write_compared(result_sink *out, const verified_copy *v, const char *const *axes) {
    tmap_sink text = out->text;
    if (v->outcome != DIFFERS) text = result_mute(out);
    json_field_uint(&out->json, "seed", v->probe.seed);
    json_field_string(&out->json, "bytes", compared_name(v->report.bytes));
    json_field_string(&out->json, "tx", compared_name(v->report.counts));
    json_field_uint(&out->json, "predicted_tx_bytes", v->report.expected_tx_B);
    arrived_json(&out->json, v);
    finding_write(out, &v->probe, &v->report, axes);
    if (v->picture.data) tmap_puts(&out->text, v->picture.data);
    out->text = text;
}

static void write_copy(result_sink *out, const verified_copy *v) {
    tmap_spec_copy copy = tmap_spec_copy_get(v->doc->spec, v->index);
    tmap_json *json = &out->json;
    tmap_json_object(json, false);
    write_verdict(out, v, copy.name);
    json_field_string(json, "end", tmap_job_end_name(v->report.end));
    json_field_string(json, "error", v->report.error != 0 ? tmap_cuda_error_name(v->report.error) : NULL);
    if (v->probe.predicts && v->refusal.message[0] == '\0')
        write_compared(out, v, tmap_spec_tensor_get(v->doc->spec, copy.tensor).axes);
    tmap_json_close(json, '}');
}

static void write_all(result_sink *out, const verification *all) {
    const tmap_device_info *device = tmap_device_about(all->device);
    const size_t *n = all->counts;
    tmap_json *json = &out->json;
    json_field_string(json, "device", device->gpu);
    json_field_bool(json, "hardware", device->hardware);
    JSON_FIELDS(json, {"agree", n[AGREES]}, {"differ", n[DIFFERS]}, {"skipped", n[SKIPPED]}, {"left_out", n[LEFT_OUT]},
                {"failed", n[FAILED]}, {"lost_faults", device_lost_faults()});
    row_write(n[AGREES], "counted", "agree");
    row_write(n[DIFFERS], "counted", "differ");
    if (n[SKIPPED] > 0) row_write(n[SKIPPED], "counted", "skipped");
    if (n[LEFT_OUT] > 0) row_write(n[LEFT_OUT], "counted", "left out");
    if (n[FAILED] > 0) row_write(n[FAILED], "counted", "could not run");
    json_list(json, "copies", false);
    for (size_t i = 0; i < all->copies_n; i++) write_copy(out, &all->copies[i]);
    tmap_json_close(json, ']');
    tmap_printf(&out->text, "%s: %zu agree, %zu differ, %zu skipped", device->gpu, n[AGREES], n[DIFFERS], n[SKIPPED]);
    if (n[LEFT_OUT] > 0) tmap_printf(&out->text, ", %zu left out", n[LEFT_OUT]);
    if (n[FAILED] > 0) tmap_printf(&out->text, ", %zu could not run", n[FAILED]);
    tmap_puts(&out->text, "\n");
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

static int open_docs(verification *all, char **paths, size_t paths_n) {
    all->docs = calloc(paths_n + 1, sizeof *all->docs);
    if (!all->docs) return complain_status(TMAP_NO_MEMORY, "verify");
    for (; all->docs_n < paths_n; all->docs_n++) {
        int code = document_open_valid(&all->docs[all->docs_n], paths[all->docs_n]);
        if (code != EXIT_CLEAN) return code;
    }
    return EXIT_CLEAN;
}

static int begin_recording(verification *all) {
    const verify_options *o = all->options;
    char date[32];
    if (!o->record_path) return EXIT_CLEAN;
    tmap_status status =
        tmap_recording_new(all->device, o->date ? o->date : date_now(date), NULL, &all->file.recording);
    if (status != TMAP_OK) return complain_status(status, "the recording");
    if (o->judging.judge.archs != 0) tmap_recording_set_target(all->file.recording, o->judging.judge.archs);
    all->file.path = o->record_path;
    return recording_save(&all->file, true) ? EXIT_CLEAN : all->file.code;
}

static int run_and_print(verification *all) {
    const verify_options *o = all->options;
    int code = plan_all(all);
    if (code == EXIT_CLEAN) code = begin_recording(all);
    if (code != EXIT_CLEAN) return code;
    code = run_all(all);
    code = worse_of(code, recording_finish(&all->file));
    result_sink out;
    result_begin(&out, o->record_path && strcmp(o->record_path, "-") == 0 ? stderr : stdout, o->json);
    write_all(&out, all);
    result_end(&out);
    bool refused = o->judging.strict && all->counts[SKIPPED] > 0;
    if (refused || all->counts[DIFFERS] + all->counts[FAILED] + device_lost_faults() > 0)
        code = worse_of(code, EXIT_FINDINGS);
    return was_interrupted() ? worse_of(code, interrupted_code()) : code;
}

static void end(verification *all) {
    for (size_t i = 0; i < all->copies_n; i++) tmap_text_free(&all->copies[i].picture);
    for (size_t i = 0; i < all->docs_n; i++) document_close(&all->docs[i]);
    free(all->copies);
    free(all->docs);
    tmap_recording_free(all->file.recording);
    tmap_device_close(all->device);
}

int verify_files(verify_options *options, char **paths, size_t paths_n) {
    static shard_names names;
    verification all = {.options = options, .progress = progress_begin("copies")};
    int code = shard_settle(&options->shard, &names, &options->record_path, &options->device);
    all.probe_options = device_probe_options(&options->device);
    all.probe_options.batch_B = BATCH_B;
    if (code == EXIT_CLEAN) code = open_docs(&all, paths, paths_n);
    listen_for_interrupt_within(INTERRUPTED_WITHIN_S);
    if (code == EXIT_CLEAN) code = device_open(&options->device, &all.device);
    if (code == EXIT_CLEAN) code = run_and_print(&all);
    end(&all);
    return code;
}
