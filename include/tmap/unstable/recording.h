/*
 * recording: a device's results of copies as a file, with which any machine can compare tmap: single copies with their
 * bytes, and blocks of random copies as digests. Runs of several machines or days can be merged. docs/capture.md
 * describes the format.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_RECORDING_H
#define TMAP_RECORDING_H

#include "tmap/unstable/capture.h"
#include "tmap/unstable/fuzz.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_recording tmap_recording;

/*
 * Creates an empty recording of a device. `date` is written unchanged (UTC, ISO 8601). Free the recording with
 * tmap_recording_free.
 */
TMAP_API tmap_status tmap_recording_new(const tmap_device *device, const char *date, const tmap_allocator *allocator,
                                        tmap_recording **recording) TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;
TMAP_API void tmap_recording_free(tmap_recording *recording);

/* Sets the target whose rules were used, if it is not the device's own: one architecture. */
TMAP_API void tmap_recording_set_target(tmap_recording *recording, tmap_archs target) TMAP_NONNULL(1);

/*
 * Adds a device's results of a probe, including bytes. Names are unique: returns TMAP_BAD_ARGUMENT for a name that
 * exists. The tensor's name may exist if it is the same map. All arguments are copied.
 */
TMAP_API tmap_status tmap_recording_add(tmap_recording *recording, const char *name, const char *tensor,
                                        const tmap_probe *probe, const tmap_observation *seen)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/*
 * For blocks of random copies: tmap_recording_set_fuzz sets the generator's parameters; call it once, first.
 * tmap_recording_add_block adds a block in which every case ran; add each block number once.
 */
TMAP_API tmap_status tmap_recording_set_fuzz(tmap_recording *recording, const tmap_fuzz *fuzz) TMAP_NONNULL(1, 2);
TMAP_API tmap_status tmap_recording_add_block(tmap_recording *recording, const tmap_fuzz_block *block)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API bool tmap_recording_has_block(const tmap_recording *recording, uint64_t number) TMAP_NONNULL(1);

/* The contents of a recording. */
typedef struct tmap_recording_counts {
    uint64_t copies_n, blocks_n, differing_n; /* differing: cases of blocks that differed in the run */
} tmap_recording_counts;
TMAP_API tmap_recording_counts tmap_recording_count(const tmap_recording *recording) TMAP_NONNULL(1);

/* Reads a recording. Returns TMAP_REFUSED if the text is not a valid recording of copies; findings in `diags`. */
TMAP_API tmap_status tmap_recording_read(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, tmap_diags *diags,
                                         tmap_recording **recording) TMAP_MUST_USE;
/* Writes at most 4 MiB of results: if more is needed, skips and counts bytes of copies, then copies. Returns
 * TMAP_REFUSED and writes nothing if the file would have more than 64 MiB. */
TMAP_API tmap_status tmap_recording_write(const tmap_recording *recording, tmap_sink *sink)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Adds to `into` the copies and blocks that only `from` has. Returns TMAP_REFUSED, with *refusal (may be NULL), if the
 * recordings have different devices, drivers, targets, versions of tmap or generators, or different results for one
 * copy or block.
 */
TMAP_API tmap_status tmap_recording_merge(tmap_recording *into, const tmap_recording *from, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Compares this build with a recording. At most `max_blocks` blocks, spread over all of them, are predicted again; 0:
 * all. `report` (may be NULL) receives text for people; the summary counts copies and blocks.
 */
TMAP_API tmap_status tmap_recording_replay(const tmap_recording *recording, uint64_t max_blocks, tmap_sink *report,
                                           tmap_capture_summary *summary) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
