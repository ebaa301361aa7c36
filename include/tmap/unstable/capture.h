/*
 * capture: recordings of what a driver did, as files with provenance, and holding tmap against them on any machine.
 * The format is docs/capture.md.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_CAPTURE_H
#define TMAP_CAPTURE_H

#include "tmap/unstable/driver.h"
#include "tmap/unstable/spec.h"

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
    bool hardware;   /* recorded on a real GPU: only that is evidence */
    size_t failures; /* of descriptors: calls whose CUresult is no verdict on a map */
    size_t lost;     /* calls in which the driver's process died or did not answer, of a capture */
    /* Of descriptors: for how many the driver chose another allocation class than tmap expects of AUTO. A choice is no
     * error, so bytes_differ counts them only where other bits differ too. */
    size_t classes_differ;
} tmap_capture_summary;

typedef struct tmap_capture_source tmap_capture_source;
/*
 * Whom a capture asks: the CUDA driver, which `isolated` opens in a process of its own. A driver that crashes there, or
 * does not answer within timeout_ms (0: 10000; opening may take a minute), costs the call alone: a new process is
 * started, eight times at most. A process that is to open isolated ones must not itself use CUDA. `library` (may be
 * NULL), `device` and TMAP_UNAVAILABLE as for tmap_driver_open.
 */
TMAP_API tmap_status tmap_capture_source_open(const char *library, int device, bool isolated, uint32_t timeout_ms,
                                              tmap_capture_source **source, tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_capture_source_close(tmap_capture_source *source);
TMAP_API const tmap_driver_info *tmap_capture_source_about(const tmap_capture_source *source) TMAP_NONNULL(1);
/* The record of the last failure; its message is empty when there was none. */
TMAP_API const tmap_diag *tmap_capture_source_refusal(const tmap_capture_source *source) TMAP_NONNULL(1);

/* How far a capture is. */
typedef struct tmap_capture_so_far {
    const char *text; /* a whole capture of what was answered; of verdicts NULL */
    size_t size;
    uint64_t calls_done, calls_n; /* of this shard */
} tmap_capture_so_far;

/* What is asked. */
typedef struct tmap_capture_job {
    tmap_capture_source *source;
    tmap_spec *const *specs; /* of descriptors: their tensors too */
    size_t specs_n;
    uint64_t seed;
    uint64_t maps_n;        /* of descriptors: random maps; of verdicts: maps near limits */
    const char *date;       /* written as it is given (UTC, ISO 8601) */
    uint64_t shard, shards; /* only call N with N % shards == shard, random maps by shard 0; shards 0: all */
    /* After each block of calls; false ends it, and what was answered is the result. May be NULL. */
    bool (*go_on)(void *context, const tmap_capture_so_far *so_far);
    void *context;
} tmap_capture_job;

/*
 * Encodes by driver and natively: the tensors of the specs, the one-factor sweeps of tiled maps, the acceptance list,
 * and random valid maps of the seed; writes one capture to `sink`, and what is confirmed and refuted to `report` (may
 * be NULL). TMAP_UNAVAILABLE: the driver was lost and could not be opened again; what it answered before is written,
 * reported and counted all the same.
 */
TMAP_API tmap_status tmap_capture_descriptors(const tmap_capture_job *job, tmap_sink *sink, tmap_sink *report,
                                              tmap_capture_summary *summary) TMAP_MUST_USE;

/*
 * Asks the driver about maps of the seed, each a valid one with one number at or just across a limit, and holds its
 * verdicts and descriptors against the rules and the native encoder; the report (may be NULL) groups disagreements by
 * rule.
 * TMAP_UNAVAILABLE as above.
 */
TMAP_API tmap_status tmap_capture_verdicts(const tmap_capture_job *job, tmap_sink *report,
                                           tmap_capture_summary *summary) TMAP_MUST_USE;

/*
 * Makes one capture of descriptors of several: each call once. TMAP_REFUSED, and nothing written, when file number
 * *merged_n is none (findings in `diags`), or with a message in *refusal (may be NULL) when it is of another device,
 * driver, seed or version of tmap than the first, or has another answer to one call.
 */
typedef struct tmap_capture_file {
    const char *text, *path; /* path: what findings call it */
    size_t size;
} tmap_capture_file;
TMAP_API tmap_status tmap_capture_merge(const tmap_capture_file *files, size_t files_n, tmap_diags *diags,
                                        tmap_sink *sink, size_t *merged_n, tmap_diag *refusal)
    TMAP_NONNULL(5) TMAP_MUST_USE;

/* How a capture is replayed; zero-initialised: whole, and by the readings that the evidence supports. */
typedef struct tmap_replay_options {
    uint64_t blocks_most;                  /* how many blocks of random copies are predicted again; 0: all */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* as in tmap_judge */
} tmap_replay_options;

/*
 * Reads a capture of either kind and holds this build against it. `options` may be NULL. TMAP_REFUSED: the file is not
 * a sound capture (findings say why).
 */
TMAP_API tmap_status tmap_capture_replay(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, const tmap_replay_options *options,
                                         tmap_diags *diags, tmap_sink *report,
                                         tmap_capture_summary *summary) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
