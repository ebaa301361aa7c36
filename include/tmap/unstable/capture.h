/*
 * capture: records the results of a driver in files with their provenance, and compares tmap with these files on any
 * machine. docs/capture.md describes the format.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_CAPTURE_H
#define TMAP_CAPTURE_H

#include "tmap/unstable/driver.h"
#include "tmap/unstable/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_CAPTURE_FACTS_MAX 256

/* The counts of a capture or a replay. */
typedef struct tmap_capture_summary {
    size_t cases;
    size_t verdicts_agree, verdicts_differ; /* descriptors: accepted or refused; copies: how they ended */
    size_t bytes_agree, bytes_differ;       /* a block of random copies counts once, with its transaction bytes */
    size_t counts_agree, counts_differ, counts_unknown; /* copies: transaction bytes; unknown: not counted */
    tmap_descriptor unexplained; /* descriptors: union of the bits that differ outside named fields */
    /* Index: a fact's number (tmap_fact_get). Copies whose prediction is based on the fact, and that agree or differ.
     * If the fact is about transaction bytes (`counted`), these are compared, else the bytes. */
    size_t facts_agree[TMAP_CAPTURE_FACTS_MAX], facts_differ[TMAP_CAPTURE_FACTS_MAX];
    char gpu[256], date[40];
    int chip, driver_version;
    bool hardware;   /* recorded on a real GPU: only such a recording is evidence */
    size_t failures; /* descriptors: calls whose CUresult is not a verdict on a map */
    size_t lost;     /* capture: calls in which the driver's process died or did not answer */
    /* Descriptors for which the driver chose another allocation class than tmap expects of AUTO. A choice is not an
     * error, so bytes_differ counts such a descriptor only if other bits differ too. */
    size_t classes_differ;
    /* Descriptors that differ from the driver's form only in other numbers on which no copy depends
     * (tmap_descriptor_key); bytes_differ does not count them. */
    size_t idle_differ;
} tmap_capture_summary;

typedef struct tmap_capture_source tmap_capture_source;
/*
 * Opens the source of a capture: the CUDA driver. With `isolated` a separate process opens the driver. If the driver
 * crashes there, or does not answer within timeout_ms (0: 10000; opening may take two minutes), a new process repeats
 * the call; if the repetition fails, only that call is lost. At most 16 new processes are started. A process that opens
 * isolated sources must not use CUDA itself. `library` (may be NULL), `device` and TMAP_UNAVAILABLE are as for
 * tmap_driver_open. Close the source with tmap_capture_source_close.
 */
TMAP_API tmap_status tmap_capture_source_open(const char *library, int device, bool isolated, uint32_t timeout_ms,
                                              tmap_capture_source **source, tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_capture_source_close(tmap_capture_source *source);
TMAP_API const tmap_driver_info *tmap_capture_source_about(const tmap_capture_source *source) TMAP_NONNULL(1);
/* Returns the record of the last failure; its message is empty if there was none. */
TMAP_API const tmap_diag *tmap_capture_source_refusal(const tmap_capture_source *source) TMAP_NONNULL(1);

/* The progress of a capture. */
typedef struct tmap_capture_so_far {
    const char *text; /* a complete capture of the answers so far; NULL for verdicts */
    size_t size;
    uint64_t calls_done, calls_n; /* calls of this shard */
} tmap_capture_so_far;

/* The calls of a capture. */
typedef struct tmap_capture_job {
    tmap_capture_source *source;
    tmap_spec *const *specs; /* descriptors: the tensors of these specs are included */
    size_t specs_n;
    uint64_t seed;
    uint64_t maps_n;        /* descriptors: number of random maps; verdicts: number of maps near limits */
    const char *date;       /* written unchanged (UTC, ISO 8601) */
    uint64_t shard, shards; /* only calls N with N % shards == shard; shard 0: also random maps; shards 0: all */
    /* Called after each block of calls; false ends the capture, and the answers so far are the result. May be NULL. */
    bool (*go_on)(void *context, const tmap_capture_so_far *so_far);
    void *context;
    tmap_sink *rows; /* receives the results of `report` as lines for programs, "NUMBER STATE: NAME"; may be NULL */
} tmap_capture_job;

/*
 * Encodes maps with the driver and natively: the tensors of the specs, the one-factor sweeps of tiled maps, the maps
 * about which documents are silent or contradict each other, and random valid maps of the seed. Writes one capture to
 * `sink`, and the confirmed and refuted facts to `report` (may be NULL). Returns TMAP_UNAVAILABLE if the driver was
 * lost and could not be opened again; its earlier answers are written, reported and counted anyway.
 */
TMAP_API tmap_status tmap_capture_descriptors(const tmap_capture_job *job, tmap_sink *sink, tmap_sink *report,
                                              tmap_capture_summary *summary) TMAP_MUST_USE;

/*
 * Encodes maps of the seed with the driver, each a valid map with one number at a limit or just beyond it, and compares
 * the driver's verdicts and descriptors with the rules and the native encoder. `report` (may be NULL) groups
 * disagreements by rule. Returns TMAP_UNAVAILABLE as tmap_capture_descriptors does.
 */
TMAP_API tmap_status tmap_capture_verdicts(const tmap_capture_job *job, tmap_sink *report,
                                           tmap_capture_summary *summary) TMAP_MUST_USE;

/* One file of a merge. */
typedef struct tmap_capture_file {
    const char *text, *path; /* path: the file's name in findings */
    size_t size;
} tmap_capture_file;
/*
 * Merges several captures of descriptors into one capture, which has each call once. Returns TMAP_REFUSED, and writes
 * nothing, if file number *merged_n is not a capture of descriptors (findings in `diags`); or, with a message in
 * *refusal (may be NULL), if the device, driver, seed or version of tmap of that file differs from that of the first
 * file, or if that file has a different answer to one of the calls.
 */
TMAP_API tmap_status tmap_capture_merge(const tmap_capture_file *files, size_t files_n, tmap_diags *diags,
                                        tmap_sink *sink, size_t *merged_n, tmap_diag *refusal)
    TMAP_NONNULL(5) TMAP_MUST_USE;

/* Options of a replay. All members 0: the whole capture, with the readings that the evidence supports. */
typedef struct tmap_replay_options {
    uint64_t max_blocks;                   /* the largest number of blocks of random copies to predict again; 0: all */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* as in tmap_judge */
    tmap_sink *rows;                       /* as in tmap_capture_job, for a capture of descriptors */
} tmap_replay_options;

/*
 * Reads a capture of either kind and compares this build with it. `options` may be NULL. Returns TMAP_REFUSED if the
 * file is not a valid capture (findings name the reasons).
 */
TMAP_API tmap_status tmap_capture_replay(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, const tmap_replay_options *options,
                                         tmap_diags *diags, tmap_sink *report,
                                         tmap_capture_summary *summary) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
