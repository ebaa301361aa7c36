/* Parts of the text of both kinds of recordings. */
#include "capture/yaml_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cuda_errors.h"
#include "text/print.h"
#include "text/quote.h"

void tmap_put_result(tmap_sink *sink, int result) {
    if (tmap_cuda_error_known(result))
        tmap_puts(sink, tmap_cuda_error_name(result));
    else
        tmap_printf(sink, "%d", result);
}

void tmap_name_provenance(capture_header *header, const char *gpu, const char *library, const char *date) {
    (void)snprintf(header->gpu, sizeof header->gpu, "%s", gpu);
    (void)snprintf(header->library, sizeof header->library, "%s", library);
    (void)snprintf(header->date, sizeof header->date, "%s", date);
    (void)snprintf(header->generator, sizeof header->generator, "tmap %s", tmap_version());
}

static void put_text(tmap_sink *sink, const char *key, const char *text) {
    tmap_printf(sink, "  %s: ", key);
    tmap_put_as(sink, TMAP_SYNTAX_YAML, text);
    tmap_puts(sink, "\n");
}

void tmap_put_provenance(tmap_sink *sink, const capture_header *header) {
    tmap_puts(sink, "provenance:\n");
    put_text(sink, "gpu", header->gpu);
    tmap_printf(sink, "  compute_capability: \"%d.%d\"\n  driver_version: %d\n", header->chip / 10, header->chip % 10,
                header->driver_version);
    if (header->large_tensor_min_B != 0) tmap_printf(sink, "  large_tensor_min: %d\n", header->large_tensor_min_B);
    put_text(sink, "library", header->library);
    put_text(sink, "date", header->date);
    put_text(sink, "generator", header->generator);
    tmap_printf(sink, "  seed: %" PRIu64 "\n", header->seed);
    if (header->hardware) tmap_puts(sink, "  hardware: true\n");
    if (header->source[0] != '\0') put_text(sink, "source", header->source);
}

/* Published results may lack some keys. A recording of descriptors has all keys but large_tensor_min and the last two.
 */
static const table_key provenance_keys[] = {
    {"gpu", KEY_TEXT, IN(capture_header, gpu)},
    {"compute_capability", KEY_CAPABILITY, IN(capture_header, chip)},
    {"date", KEY_TEXT, IN(capture_header, date)},
    {"large_tensor_min", KEY_NUMBER, IN(capture_header, large_tensor_min_B), .most = INT32_MAX, .optional = true},
    {"driver_version", KEY_NUMBER, IN(capture_header, driver_version), .most = INT32_MAX, .optional = true},
    {"library", KEY_TEXT, IN(capture_header, library), .optional = true},
    {"generator", KEY_TEXT, IN(capture_header, generator), .optional = true},
    {"seed", KEY_NUMBER, IN(capture_header, seed), .most = UINT64_MAX, .optional = true},
    {"hardware", KEY_WORD, IN(capture_header, hardware), .word = "true", .optional = true},
    {"source", KEY_TEXT, IN(capture_header, source), .optional = true},
};
enum { OPTIONAL_OF_COPIES = 4, ONLY_OF_COPIES = 8, KEYS_N = sizeof provenance_keys / sizeof *provenance_keys };

static void read_provenance(tmap_report *report, const tmap_node *node, bool copies, capture_header *header) {
    table_key keys[KEYS_N];
    memcpy(keys, provenance_keys, sizeof keys);
    for (size_t i = OPTIONAL_OF_COPIES; i < ONLY_OF_COPIES; i++) keys[i].optional = copies;
    (void)tmap_record_read(report, node, "provenance", keys, copies ? KEYS_N : ONLY_OF_COPIES, header);
}

static const table_key file_keys[] = {
    {NULL, KEY_NODE, IN(capture_sections, list)},
    {"tmap_capture", KEY_NUMBER, IN(capture_sections, version), .most = INT32_MAX},
    {"kind", KEY_TEXT, IN(capture_sections, kind)},
    {"provenance", KEY_NODE, IN(capture_sections, provenance)},
    {"random", KEY_NODE, IN(capture_sections, random), .optional = true},
    {"left_out", KEY_NUMBER, IN(capture_sections, left_out), .most = UINT64_MAX},
    {"target", KEY_NODE, IN(capture_sections, target), .optional = true}, /* the last two: only of copies */
    {"spec", KEY_NODE, IN(capture_sections, spec), .optional = true},
};
enum { FILE_KEYS_N = sizeof file_keys / sizeof *file_keys };

bool tmap_read_sections(tmap_report *report, const tmap_node *root, bool copies, capture_sections *file,
                        capture_header *header) {
    table_key keys[FILE_KEYS_N];
    memcpy(keys, file_keys, sizeof keys);
    keys[0].name = copies ? "results" : "cases";
    (void)tmap_record_read(report, root, "the file", keys, copies ? FILE_KEYS_N : FILE_KEYS_N - 2, file);
    if (report->errors != 0) return false;
    if (file->version != CAPTURE_VERSION)
        tmap_report_add(report, CAPTURE_FORMAT_RULE, root->mark, "version %d of the format; this tmap reads version %d",
                        file->version, CAPTURE_VERSION);
    else if (file->list->kind != TMAP_NODE_LIST)
        tmap_report_add(report, CAPTURE_FORMAT_RULE, file->list->mark, "%s must be a list", keys[0].name);
    if (report->errors != 0) return false;
    read_provenance(report, file->provenance, copies, header);
    return true;
}
