/* Holding this build against a recording. */
#include "capture/random.h"
#include "capture/read.h"
#include "capture/report.h"

static tmap_status replay_cases(capture_reader *reader, capture_tally *tally) {
    capture_case c;
    while (tmap_capture_read_case(reader, &c)) tmap_capture_tally_case(tally, &c);
    tally->left_out = (size_t)reader->left_out;
    if (!reader->has_random || reader->report.errors != 0) return TMAP_OK;
    return tmap_capture_tally_random(tally, &reader->random);
}

tmap_status tmap_capture_replay(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                                tmap_diags *diags, tmap_sink *report, tmap_capture_summary *summary) {
    capture_reader reader;
    tmap_status status = TMAP_OK;
    if (text == NULL && size > 0) return TMAP_BAD_ARGUMENT;
    (void)tmap_capture_read_begin(&reader, text, size, path, allocator);
    capture_tally *tally = tmap_capture_tally_new(reader.header.chip, allocator);
    if (tally != NULL) status = replay_cases(&reader, tally);
    capture_header header = reader.header;
    tmap_status sound = tmap_capture_read_end(&reader, diags);
    if (tally == NULL) status = TMAP_NO_MEMORY;
    if (status == TMAP_OK) status = sound;
    if (status == TMAP_OK && summary != NULL) *summary = tally->summary;
    if (status == TMAP_OK && report != NULL) tmap_capture_report(report, &header, tally);
    if (status == TMAP_OK && report != NULL && report->failed) status = TMAP_IO;
    tmap_capture_tally_free(tally, allocator);
    return status;
}
