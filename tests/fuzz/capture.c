/*
 * Recordings of both kinds: any text is replayed or refused with findings. A recording of copies that was read is
 * written again, and the written text is the same recording.
 */
#include "capture/read.h"
#include "fuzz/fuzz.h"
#include "tmap/unstable/recording.h"

#include <string.h>

enum {
    RANDOM_MOST = 64, /* more maps cost only time */
    WRITE_MOST_B = 64 << 10,
};

/* The prediction of a block of random copies is slow: at most one block, in a recording without other copies. */
static bool quick_copies(const char *text, size_t size) {
    tmap_recording *recording = NULL;
    if (tmap_recording_read(text, size, "fuzz", NULL, NULL, &recording) != TMAP_OK) return true;
    tmap_recording_counts counts = tmap_recording_count(recording);
    tmap_recording_free(recording);
    return counts.blocks_n == 0 || (counts.blocks_n == 1 && counts.copies_n == 0);
}

static bool quick(const char *text, size_t size) {
    capture_reader reader;
    (void)tmap_capture_read_begin(&reader, text, size, "fuzz", NULL);
    bool copies = reader.copies != NULL, few = !reader.has_random || reader.random.count <= RANDOM_MOST;
    (void)tmap_capture_read_end(&reader, NULL);
    return copies ? quick_copies(text, size) : few;
}

static tmap_recording *read_copies(const char *text, size_t size) {
    tmap_recording *recording = NULL;
    tmap_diags diags = {0};
    tmap_status status = tmap_recording_read(text, size, "fuzz", NULL, &diags, &recording);
    fuzz_require_findings(status, &diags);
    REQUIRE((status == TMAP_OK) == (recording != NULL));
    tmap_diags_free(&diags);
    return recording;
}

static tmap_text written(const tmap_recording *recording) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    REQUIRE(tmap_recording_write(recording, &sink) == TMAP_OK);
    return text;
}

/* The recording read again is equal to the written one. */
static void require_written(tmap_recording *recording) {
    tmap_diag refusal;
    tmap_text first = written(recording);
    tmap_recording *again = read_copies(first.data, first.size);
    REQUIRE(again != NULL);
    tmap_text second = written(again);
    REQUIRE(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    tmap_recording_counts before = tmap_recording_count(recording);
    REQUIRE(tmap_recording_merge(recording, again, &refusal) == TMAP_OK);
    tmap_recording_counts after = tmap_recording_count(recording);
    REQUIRE(memcmp(&before, &after, sizeof before) == 0);
    tmap_recording_free(again);
    tmap_text_free(&first);
    tmap_text_free(&second);
}

static void replay(const char *text, size_t size) {
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_diags diags = {0};
    tmap_capture_summary summary;
    tmap_status status = tmap_capture_replay(text, size, "fuzz", NULL, NULL, &diags, &sink, &summary);
    fuzz_require_findings(status, &diags);
    REQUIRE((status == TMAP_OK) == (written_B > 0));
    tmap_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    if (!quick(text, size)) return 0;
    replay(text, size);
    tmap_recording *recording = size <= WRITE_MOST_B ? read_copies(text, size) : NULL;
    if (recording) require_written(recording);
    tmap_recording_free(recording);
    return 0;
}
