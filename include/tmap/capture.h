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

#define TMAP_CAPTURE_FACTS_MAX 256

/* What a capture or a replay found. */
typedef struct tmap_capture_summary {
    size_t cases;
    size_t verdicts_agree, verdicts_differ; /* of descriptors: accepted or refused; of copies: how they ended */
    size_t bytes_agree, bytes_differ; /* of a block of random copies: with the transaction bytes that were counted */
    size_t counts_agree, counts_differ,
        counts_unknown;          /* of copies: transaction bytes; unknown: they were not counted */
    tmap_descriptor unexplained; /* of descriptors: union of bits that differ outside named fields */
    /* Of copies: how many rest on a fact (by its number, see tmap_fact_get) and agree, or differ: in their transaction
     * bytes where the fact is about those (`counted`), else in their bytes. */
    size_t facts_agree[TMAP_CAPTURE_FACTS_MAX], facts_differ[TMAP_CAPTURE_FACTS_MAX];
    char gpu[256], date[40];
    int chip, driver_version;
    bool hardware; /* recorded on a real GPU: only that is evidence */
} tmap_capture_summary;

/*
 * Encodes by driver and natively: the tensors of `specs`, the one-factor sweeps of tiled maps, the acceptance list, and
 * `random_n` random valid maps from `seed`; writes one capture to `sink`, and what is confirmed and refuted to `report`
 * (may be NULL). `date` is written as it is given (UTC, ISO 8601).
 */
TMAP_API tmap_status tmap_capture_descriptors(tmap_driver *driver, tmap_spec *const *specs, size_t specs_n,
                                              uint64_t seed, size_t random_n, const char *date, tmap_sink *sink,
                                              tmap_sink *report, tmap_capture_summary *summary);

/*
 * Asks the driver about `cases_n` maps of `seed`, each a valid one with one number at or just across a limit, and holds
 * its verdicts and descriptors against the rules and the native encoder; the report groups disagreements by rule.
 */
TMAP_API tmap_status tmap_capture_verdicts(tmap_driver *driver, uint64_t seed, uint64_t cases_n, tmap_sink *report,
                                           tmap_capture_summary *summary);

/*
 * Reads a capture of either kind and holds this build against it. At most `blocks_most` blocks of random copies are
 * predicted again (0: all). TMAP_REFUSED: the file is not a sound capture (findings say why).
 */
TMAP_API tmap_status tmap_capture_replay(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, uint64_t blocks_most, tmap_diags *diags,
                                         tmap_sink *report, tmap_capture_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
