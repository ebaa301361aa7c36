/* Recordings: any text is replayed or refused with findings. */
#include "tmap/capture.h"
#include "capture/read.h"
#include "fuzz/fuzz.h"

enum { RANDOM_MOST = 64 }; /* more maps than these only take time */

static bool quick(const char *text, size_t size) {
    capture_reader reader;
    (void)tmap_capture_read_begin(&reader, text, size, "fuzz", NULL);
    bool few = !reader.has_random || reader.random.count <= RANDOM_MOST;
    (void)tmap_capture_read_end(&reader, NULL);
    return few;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    if (!quick(text, size)) return 0;
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_diags diags = {0};
    tmap_capture_summary summary;
    tmap_status status = tmap_capture_replay(text, size, "fuzz", NULL, &diags, &sink, &summary);
    fuzz_require_findings(status, &diags);
    REQUIRE((status == TMAP_OK) == (written_B > 0));
    tmap_diags_free(&diags);
    return 0;
}
