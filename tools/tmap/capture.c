/* tmap capture: what a driver did, recorded as a file that any machine can replay. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "load.h"
#include "output.h"
#include "tmap/capture.h"

typedef struct capture_options {
    const char *out_path, *date;
    optional_number seed, random_n;
} capture_options;

#define SEED_DEFAULT   1
#define RANDOM_DEFAULT 1000

static const option_row options[] = {
    {"-o", "FILE", "write the capture there instead of to stdout", offsetof(capture_options, out_path), NULL},
    {"--seed", "N", "seed of the random maps (1)", offsetof(capture_options, seed), take_number},
    {"--random", "N", "how many random maps (1000)", offsetof(capture_options, random_n), take_number},
    {"--date", "ISO8601", "the date to write (now, in UTC)", offsetof(capture_options, date), NULL},
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
    if (specs->docs == NULL || specs->specs == NULL) return complain_status(TMAP_NO_MEMORY, "capture");
    for (; specs->n < n; specs->n++) {
        spec_document *doc = &specs->docs[specs->n];
        int code = document_open_sound(doc, operands->items[1 + specs->n]);
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

static const char *now(char text[32]) {
    time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
    return text;
}

static int capture(tmap_driver *driver, const spec_list *specs, const capture_options *o) {
    char date[32];
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text), report = sink_to(stderr);
    tmap_capture_summary summary;
    tmap_status status =
        tmap_capture_descriptors(driver, specs->specs, specs->n, o->seed.given ? o->seed.value : SEED_DEFAULT,
                                 (size_t)(o->random_n.given ? o->random_n.value : RANDOM_DEFAULT),
                                 o->date != NULL ? o->date : now(date), &sink, &report, &summary);
    int code = EXIT_CLEAN;
    if (status != TMAP_OK) {
        code = complain_status(status, "capture descriptors");
    } else {
        code = file_write(o->out_path != NULL ? o->out_path : "-", FILE_TEXT, text.data, text.size);
        if (summary.verdicts_differ + summary.bytes_differ > 0) code = worse_of(code, EXIT_FINDINGS);
    }
    tmap_text_free(&text);
    return code;
}

static int run(int argc, char **argv) {
    capture_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&capture_command, &o, argc, argv, &operands, &code)) return code;
    static const char *const kinds[] = {"descriptors"};
    if (strcmp(operands.items[0], kinds[0]) != 0)
        return complain_nearest("kind of capture", operands.items[0], kinds, 1);
    spec_list specs = {0};
    code = open_all(&operands, &specs);
    if (code == EXIT_CLEAN) {
        char reason[512];
        tmap_driver *driver = NULL;
        tmap_status status = tmap_driver_open(NULL, 0, &driver, reason, sizeof reason);
        code = status == TMAP_OK ? capture(driver, &specs, &o) : complain(code_of(status), "%s", reason);
        tmap_driver_close(driver);
    }
    close_all(&specs);
    return code;
}

const command_row capture_command = {
    .name = "capture",
    .summary = "record what the driver on this machine does",
    .synopsis = "descriptors [FILE...]",
    .about =
        "Encodes the tensors of the given specs, sweeps of single parameters, the acceptance list and random maps\n"
        "by driver and natively, and writes what the driver answered, with its provenance, as one file for tmap\n"
        "replay. What is confirmed and refuted is said on stderr; exit status 1 when anything differs.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
