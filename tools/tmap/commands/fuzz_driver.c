/* The driver's verdicts on maps near every limit. */
#include "commands/fuzz_driver.h"

#include "options/command.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/result.h"
#include "output/rows.h"
#include "output/signals.h"

/* The text is the library's report. */
static void write_verdicts(result_sink *out, const tmap_capture_summary *summary, const char *report) {
    tmap_json *json = &out->json;
    tmap_puts(&out->text, report ? report : "");
    JSON_FIELDS(json, {"cases", summary->cases}, {"verdicts_agree", summary->verdicts_agree},
                {"verdicts_differ", summary->verdicts_differ}, {"bytes_agree", summary->bytes_agree},
                {"bytes_differ", summary->bytes_differ}, {"classes_differ", summary->classes_differ},
                {"idle_differ", summary->idle_differ}, {"lost", summary->lost});
    json_field_string(json, "report", report);
}

static bool go_on(void *context, const tmap_capture_so_far *so_far) {
    progress_show(context, so_far->calls_done, so_far->calls_n, "");
    return !was_interrupted();
}

static int ask(const tmap_capture_job *job, bool json) {
    tmap_capture_summary summary = {0};
    tmap_text text = {0};
    tmap_sink report = tmap_text_sink(&text);
    tmap_status status = tmap_capture_verdicts(job, &report, &summary);
    progress_end(job->context);
    bool answered = status == TMAP_OK || status == TMAP_UNAVAILABLE;
    int code = answered ? EXIT_CLEAN : complain_status(status, "fuzz --verdicts");
    if (status == TMAP_UNAVAILABLE)
        code = complain_refusal(EXIT_FINDINGS, NULL, tmap_capture_source_refusal(job->source));
    if (answered) {
        result_sink out;
        result_begin(&out, stdout, json);
        write_verdicts(&out, &summary, text.data);
        result_end(&out);
    }
    if (summary.verdicts_differ + summary.bytes_differ + summary.lost > 0) code = worse_of(code, EXIT_FINDINGS);
    tmap_text_free(&text);
    return was_interrupted() ? worse_of(code, interrupted_code()) : code;
}

int verdicts_run(const device_options *device, const shard *own, uint64_t seed, uint64_t cases, bool json) {
    progress shown = progress_begin("calls");
    tmap_capture_job job = {
        .seed = seed, .maps_n = cases, .shard = own->rank, .shards = own->size, .go_on = go_on, .context = &shown};
    job.rows = rows_sink();
    listen_for_interrupt_within(INTERRUPTED_WITHIN_S);
    int code = driver_open(device, &job.source);
    if (code == EXIT_CLEAN) code = ask(&job, json);
    tmap_capture_source_close(job.source);
    return code;
}
