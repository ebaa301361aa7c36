/*
 * capture: recordings of what a driver did, as files with provenance, and holding tmap against them on any machine.
 * The format is docs/capture.md.
 */
#ifndef TMAP_CAPTURE_H
#define TMAP_CAPTURE_H

#include "tmap/driver.h"
#include "tmap/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a capture or a replay found: counts, and for people a report on `sink`. */
typedef struct tmap_capture_summary {
    size_t cases, verdicts_agree, verdicts_differ, bytes_agree, bytes_differ;
    tmap_descriptor unexplained; /* union of bits that differ outside named fields */
} tmap_capture_summary;

/*
 * Encodes by driver and natively: the tensors of `specs`, the one-factor sweeps of tiled maps, the acceptance list, and
 * `random_n` random valid maps from `seed`; writes one capture to `sink`, and what is confirmed and refuted to `report`
 * (may be NULL). `date` is written as it is given (UTC, ISO 8601).
 */
TMAP_API tmap_status tmap_capture_descriptors(tmap_driver *driver, tmap_spec *const *specs, size_t specs_n,
                                              uint64_t seed, size_t random_n, const char *date, tmap_sink *sink,
                                              tmap_sink *report, tmap_capture_summary *summary);

/* Reads a capture and holds this build against it. TMAP_REFUSED: the file is not a sound capture (findings say why). */
TMAP_API tmap_status tmap_capture_replay(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, tmap_diags *diags, tmap_sink *report,
                                         tmap_capture_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
