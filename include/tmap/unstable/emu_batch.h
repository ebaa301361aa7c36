/*
 * emu_batch: runs many copies through one map in one call. The copies differ only in their start; the map and the other
 * operands are checked once, by tmap_copy_init.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_EMU_BATCH_H
#define TMAP_EMU_BATCH_H

#include "tmap/emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns how many numbers give the start of a copy: one coordinate for each dimension of the map, innermost first; for
 * gather4 and scatter4 five: the column and the four rows.
 */
TMAP_API size_t tmap_start_numbers(const tmap_copy *copy) TMAP_NONNULL(1);

/* The images of the copies in shared memory: image i is at bytes + i * step_B. */
typedef struct tmap_images {
    uint8_t *bytes; /* stores and reductions only read them; may be NULL for a prefetch */
    size_t step_B;  /* loads: at least copy->footprint_B. Others: any; 0: all copies use one image */
    size_t size_B;  /* size of `bytes`: at least footprint_B after the beginning of the last image */
} tmap_images;

/* The result of a batch. */
typedef struct tmap_copies_result {
    uint64_t done_n;        /* number of complete copies; if the call fails, the index of the copy that failed */
    tmap_copy_result total; /* sums over the complete copies; `ctas` is the value of each copy */
    uint64_t reserved[2];   /* 0 */
} tmap_copies_result;

/*
 * Runs the copy `like` from each of `n` starts, in order. `starts` has n rows of tmap_start_numbers(like) numbers. Each
 * copy has the shared address of `like`: its image has the same swizzle phase at any position in `images`.
 *
 * Each start is checked by the rules and `judge` (may be NULL), as tmap_copy_init checks it. A copy that fails ends the
 * call: the copies before it are complete, the failed copy has changed nothing, and result->done_n is its index.
 * Returns TMAP_REFUSED if a rule rejects the start, and `diags` (may be NULL) has the findings about this copy only; or
 * if `global` does not contain all bytes of the copy, and `diags` has no new finding. Returns TMAP_BAD_ARGUMENT, and
 * only sets *result to 0, if images.step_B or images.size_B is too small, or a pointer is NULL.
 *
 * The call keeps no state and allocates only findings. Threads may share `like` and `starts`: each thread calls this
 * function with its own part of the starts and of the images, and their stores must not overlap.
 */
TMAP_API tmap_status tmap_copies_run(const tmap_copy *like, const int64_t *starts, size_t n, const tmap_images *images,
                                     tmap_memory *global, const tmap_judge *judge, tmap_copies_result *result,
                                     tmap_diags *diags) TMAP_MUST_USE;

/* As tmap_copies_run, with NULL where that accepts it, if `judge` has already accepted the copy at the first start:
 * rules that do not depend on the start are not judged again. */
TMAP_API tmap_status tmap_copies_run_judged(const tmap_copy *like, const int64_t *starts, size_t n,
                                            const tmap_images *images, tmap_memory *global, const tmap_judge *judge,
                                            tmap_copies_result *result, tmap_diags *diags) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
