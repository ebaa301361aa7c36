/*
 * recording: what a device did with copies, as a file that any machine can hold tmap against: single copies with their
 * bytes, and blocks of random ones as digests. Runs of several machines or days merge. The format is docs/capture.md.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_RECORDING_H
#define TMAP_RECORDING_H

#include "tmap/unstable/capture.h"
#include "tmap/unstable/fuzz.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_recording tmap_recording;

/* An empty one of that device. `date` is written as it is given (UTC, ISO 8601). Free with tmap_recording_free. */
TMAP_API tmap_status tmap_recording_new(const tmap_device *device, const char *date, const tmap_allocator *allocator,
                                        tmap_recording **recording) TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;
TMAP_API void tmap_recording_free(tmap_recording *recording);

/* The target whose rules were asked, where that was not the device's own. One architecture. */
TMAP_API void tmap_recording_set_target(tmap_recording *recording, tmap_archs target) TMAP_NONNULL(1);

/*
 * Adds what a device did with a probe, bytes included. Names are unique: TMAP_BAD_ARGUMENT for one that is there. The
 * tensor's name may be there when it stands for the same map. Nothing is borrowed.
 */
TMAP_API tmap_status tmap_recording_add(tmap_recording *recording, const char *name, const char *tensor,
                                        const tmap_probe *probe, const tmap_observation *seen)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/* What the blocks of random copies are generated from, once; then blocks that ran whole, each number once. */
TMAP_API tmap_status tmap_recording_set_fuzz(tmap_recording *recording, const tmap_fuzz *fuzz) TMAP_NONNULL(1, 2);
TMAP_API tmap_status tmap_recording_add_block(tmap_recording *recording, const tmap_fuzz_block *block)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API bool tmap_recording_has_block(const tmap_recording *recording, uint64_t number) TMAP_NONNULL(1);

typedef struct tmap_recording_counts {
    uint64_t copies_n, blocks_n, differing_n; /* differing: cases of blocks, as they were found */
} tmap_recording_counts;
TMAP_API tmap_recording_counts tmap_recording_count(const tmap_recording *recording) TMAP_NONNULL(1);

/* TMAP_REFUSED when the text is no sound recording of copies; findings in `diags`. */
TMAP_API tmap_status tmap_recording_read(const char *text, size_t size, const char *path,
                                         const tmap_allocator *allocator, tmap_diags *diags,
                                         tmap_recording **recording) TMAP_MUST_USE;
/* At most 4 MiB: bytes, then copies that no longer fit are left out, and counted. */
TMAP_API tmap_status tmap_recording_write(const tmap_recording *recording, tmap_sink *sink)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Adds what `from` has and `into` has not. TMAP_REFUSED, with *refusal (may be NULL), when they are of different
 * devices, drivers, targets, versions of tmap or generators, or say different things of one copy or block.
 */
TMAP_API tmap_status tmap_recording_merge(tmap_recording *into, const tmap_recording *from, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Holds this build against it. At most `blocks_most` blocks are predicted again, spread over all of them; 0: all. The
 * report (may be NULL) is for people; the summary counts copies and blocks.
 */
TMAP_API tmap_status tmap_recording_replay(const tmap_recording *recording, uint64_t blocks_most, tmap_sink *report,
                                           tmap_capture_summary *summary) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
