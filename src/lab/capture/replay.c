/* Compares this build with a recording. */
#include <string.h>

#include "capture/random_maps.h"
#include "capture/read.h"
#include "capture/recording.h"
#include "capture/recording_read.h"
#include "capture/report.h"

static tmap_status replay_cases(capture_reader *reader, capture_tally *tally) {
    capture_case c;
    while (tmap_capture_read_case(reader, &c)) tmap_capture_tally_case(tally, &c);
    tally->left_out = (size_t)reader->left_out;
    if (!reader->has_random || reader->report.errors != 0) return TMAP_OK;
    return tmap_capture_replay_random(tally, &reader->random);
}

static tmap_status replay_descriptors(capture_reader *reader, const tmap_allocator *allocator,
                                      const tmap_replay_options *options, tmap_diags *diags, tmap_sink *report,
                                      tmap_capture_summary *summary) {
    tmap_status status = TMAP_OK;
    capture_tally *tally = tmap_capture_tally_new(&reader->header, allocator);
    if (tally) status = replay_cases(reader, tally);
    capture_header header = reader->header;
    tmap_status sound = tmap_capture_read_end(reader, diags);
    if (!tally) status = TMAP_NO_MEMORY;
    if (status == TMAP_OK) status = sound;
    if (status == TMAP_OK) tmap_capture_summarise(tally, &header, summary);
    if (status == TMAP_OK && report) tmap_capture_report(report, options->rows, &header, tally);
    if (status == TMAP_OK && report && report->failed) status = TMAP_IO;
    tmap_capture_tally_free(tally, allocator);
    return status;
}

static tmap_status replay_copies(capture_reader *reader, const tmap_allocator *allocator,
                                 const tmap_replay_options *options, tmap_diags *diags, tmap_sink *report,
                                 tmap_capture_summary *summary) {
    tmap_recording *recording = tmap_recording_of_node(reader->copies, allocator, &reader->report);
    tmap_status status = tmap_capture_read_end(reader, diags);
    if (status == TMAP_OK) {
        memcpy(recording->fuzz.assume, options->assume, sizeof options->assume);
        status = tmap_recording_replay(recording, options->max_blocks, report, summary);
    }
    tmap_recording_free(recording);
    return status;
}

tmap_status tmap_capture_replay(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                                const tmap_replay_options *options, tmap_diags *diags, tmap_sink *report,
                                tmap_capture_summary *summary) {
    static const tmap_replay_options all = {.max_blocks = 0};
    capture_reader reader;
    tmap_capture_summary ignored;
    if (!text && size > 0) return TMAP_BAD_ARGUMENT;
    if (!summary) summary = &ignored;
    (void)tmap_capture_read_begin(&reader, text, size, path, allocator);
    if (!options) options = &all;
    return reader.copies ? replay_copies(&reader, allocator, options, diags, report, summary)
                         : replay_descriptors(&reader, allocator, options, diags, report, summary);
}
