/* The driver's verdicts on maps near every limit. */
#include "verdicts.h"

#include "command.h"
#include "output.h"
#include "tmap/capture.h"

static void print_json(tmap_sink *sink, const tmap_capture_summary *summary, const char *report) {
    tmap_json json = json_result_begin(sink);
    json_field_uint(&json, "cases", summary->cases);
    json_field_uint(&json, "verdicts_agree", summary->verdicts_agree);
    json_field_uint(&json, "verdicts_differ", summary->verdicts_differ);
    json_field_uint(&json, "bytes_agree", summary->bytes_agree);
    json_field_uint(&json, "bytes_differ", summary->bytes_differ);
    json_field_string(&json, "report", report);
    json_result_end(&json);
}

int verdicts_run(uint64_t seed, uint64_t cases, bool json) {
    char reason[512];
    tmap_driver *driver = NULL;
    tmap_capture_summary summary;
    tmap_text text = {0};
    tmap_sink report = tmap_text_sink(&text), sink = sink_to(stdout);
    tmap_status status = tmap_driver_open(NULL, 0, &driver, reason, sizeof reason);
    if (status != TMAP_OK) return complain(code_of(status), "%s", reason);
    status = tmap_capture_verdicts(driver, seed, cases, &report, &summary);
    tmap_driver_close(driver);
    int code = status == TMAP_OK ? EXIT_CLEAN : complain_status(status, "fuzz --verdicts");
    if (code == EXIT_CLEAN && json) print_json(&sink, &summary, text.data);
    if (code == EXIT_CLEAN && !json) tmap_puts(&sink, text.data);
    if (code == EXIT_CLEAN && summary.verdicts_differ + summary.bytes_differ > 0) code = EXIT_FINDINGS;
    tmap_text_free(&text);
    return code;
}
