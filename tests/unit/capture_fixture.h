/* Recordings of descriptors: a capture from the stand-in driver, its replay, and what both report. */
#ifndef TMAP_TESTS_CAPTURE_FIXTURE_H
#define TMAP_TESTS_CAPTURE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/capture.h"

static inline int reset(void **state) {
    static const char *const variables[] = {"STANDIN_FAIL",    "STANDIN_VERSION",   "STANDIN_CC",
                                            "STANDIN_MISSING", "STANDIN_FLIP_BIT",  "STANDIN_ACCEPT_ALL",
                                            "STANDIN_LOG",     "STANDIN_AS_DRIVER", "STANDIN_CHANGE"};
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) unsetenv(variables[i]);
    setenv("STANDIN_AUTO_GAP", "4096", 1); /* the AUTO that tmap assumes: fact desc-allocation-auto */
    return 0;
}

/* A recording, its report, the report of its replay, and both counts. */
typedef struct run {
    tmap_text file, captured_report, replayed_report;
    tmap_capture_summary captured, replayed;
} run;

static inline void end_run(run *r) {
    tmap_text_free(&r->file);
    tmap_text_free(&r->captured_report);
    tmap_text_free(&r->replayed_report);
}

static const char spec_text[] = "tmap: 1\n"
                                "tensors:\n"
                                "  weights:\n"
                                "    type: bf16\n"
                                "    dims: [4096, 8192]\n"
                                "    box: [64, 128]\n"
                                "    swizzle: 128B\n"
                                "    address: 0x7f0000001000\n";

static inline tmap_capture_source *open_source(const char *library, bool isolated, uint32_t timeout_ms) {
    tmap_diag refusal;
    tmap_capture_source *source = NULL;
    if (tmap_capture_source_open(library, 0, isolated, timeout_ms, &source, &refusal) != TMAP_OK)
        fail_msg("%s", refusal.message);
    return source;
}

static inline void capture(run *r, uint64_t seed, size_t random_n) {
    tmap_spec *spec = NULL;
    tmap_capture_source *source = open_source(STANDIN, false, 0);
    tmap_sink file = tmap_text_sink(&r->file), report = tmap_text_sink(&r->captured_report);
    assert_int_equal(tmap_spec_read(spec_text, strlen(spec_text), "some/where/model.yaml", NULL, NULL, &spec), TMAP_OK);
    const tmap_capture_job job = {.source = source,
                                  .specs = &spec,
                                  .specs_n = 1,
                                  .seed = seed,
                                  .maps_n = random_n,
                                  .date = "2025-01-31T12:00:00Z"};
    assert_int_equal(tmap_capture_descriptors(&job, &file, &report, &r->captured), TMAP_OK);
    tmap_capture_source_close(source);
    tmap_spec_free(spec);
}

static inline tmap_status replay(run *r) {
    tmap_diags diags = {0};
    tmap_sink report = tmap_text_sink(&r->replayed_report);
    tmap_status status =
        tmap_capture_replay(r->file.data, r->file.size, "recording.yaml", NULL, 0, &diags, &report, &r->replayed);
    for (size_t i = 0; i < diags.count; i++)
        if (status == TMAP_OK) fail_msg("finding: %s", diags.items[i].message);
    tmap_diags_free(&diags);
    return status;
}

static inline void capture_and_replay(run *r, size_t random_n) {
    *r = (run){.captured = {0}};
    capture(r, 1, random_n);
    assert_int_equal(replay(r), TMAP_OK);
}

static inline void assert_says(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("no '%s' in:\n%s", words, text);
}

static inline void assert_silent(const char *text, const char *words) {
    if (strstr(text, words)) fail_msg("'%s' in:\n%s", words, text);
}

static inline void assert_no_bits(const tmap_descriptor *bits) {
    for (size_t i = 0; i < sizeof bits->bytes; i++) assert_int_equal(bits->bytes[i], 0);
}

#endif
