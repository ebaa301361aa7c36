/* Recordings of copies as files. */
#include "recordings.h"

#include <time.h>

#include "command.h"
#include "files.h"
#include "output.h"

const char *date_now(char text[32]) {
    time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
    return text;
}

int recording_read(const char *path, tmap_recording **recording) {
    file_bytes file;
    tmap_diags diags = {0};
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    const char *text = file.data != NULL ? (const char *)file.data : "", *shown = path_shown(path);
    tmap_status status = tmap_recording_read(text, file.size, shown, NULL, &diags, recording);
    tmap_source source = {shown, text, file.size};
    tmap_render render = {.color = colors_on(stderr), .sources = &source, .sources_n = 1};
    tmap_sink messages = sink_to(stderr);
    tmap_emit_diags(&messages, &diags, &render);
    tmap_diags_free(&diags);
    file_free(&file);
    if (status == TMAP_OK || status == TMAP_REFUSED) return code_of(status);
    return complain_status(status, shown);
}

int recording_write(const char *path, const tmap_recording *recording) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_recording_write(recording, &sink);
    int code = status == TMAP_OK ? file_write(path, FILE_TEXT, text.data, text.size)
                                 : complain_status(TMAP_NO_MEMORY, "the recording");
    tmap_text_free(&text);
    return code;
}

typedef struct keeping {
    tmap_recording *recording;
    const tmap_probe *probe;
    const char *name, *tensor;
    tmap_status status;
} keeping;

static void keep(void *context, size_t i, const tmap_observation *seen) {
    keeping *k = context;
    (void)i;
    k->status = tmap_recording_add(k->recording, k->name, k->tensor, k->probe, seen);
}

tmap_status recording_keep(tmap_recording *recording, tmap_device *device, const tmap_probe_options *options,
                           const tmap_probe *probe, const char *name, const char *tensor) {
    keeping k = {.recording = recording, .probe = probe, .name = name, .tensor = tensor, .status = TMAP_OK};
    tmap_probe_options with_keeping = *options;
    tmap_probe_report report;
    with_keeping.saw = keep;
    with_keeping.context = &k;
    tmap_status status = tmap_probes_run(device, &with_keeping, probe, 1, &report);
    return status == TMAP_OK ? k.status : status;
}
