/*
 * banks: rearranges the data of a warp or a thread block from one layout to another (TIRx, "permute_layout"). Every
 * thread reads P elements through the source layout into registers, the threads synchronize, and every thread writes
 * its elements through the destination layout. In slot r lane l of warp w holds element 32 P w + l + 32 (r ^ ((l >>
 * shift) & mask)) of the box. Elements are numbered by `extent`, the last dimension fastest. shift and mask are chosen
 * so that in every slot, for reads and for writes, the lanes of one phase are in different banks: all 32 lanes for
 * elements up to 4 bytes, 16 lanes for 8 bytes, 8 lanes for 16 bytes.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_BANKS_PERMUTE_H
#define TMAP_BANKS_PERMUTE_H

#include "tmap/unstable/banks.h"
#include "tmap/unstable/layout_algebra.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_PERMUTE_SLOTS_MAX 32

/* One side: the layout and shape of a buffer, and the box of the buffer that is moved. */
typedef struct tmap_permute_side {
    const tmap_layout *layout;
    tmap_shape shape, begin, end;
    int bits;       /* bits of an element */
    bool has_stage; /* the coordinate of dimension stage_dim is known only at run time; the plan holds for each value */
    int stage_dim;
} tmap_permute_side;

/* A plan. */
typedef struct tmap_permute {
    int bytes;                      /* bytes of an element: 1, 2, 4, 8 or 16 */
    tmap_shape extent, from, to;    /* shape of the box; strides of both sides in elements */
    int64_t from_offset, to_offset; /* offset of the box's first element at stage 0, in elements */
    int64_t stages;                 /* number of values of the run-time coordinate; 1: no such coordinate */
    int64_t from_stage, to_stage;   /* distance of stages in elements */
    int warps;                      /* number of warps that move the box */
    int slots;                      /* elements of each thread: P */
    int k, shift, mask;             /* of the order of slots; mask is 2^k - 1 */
    tmap_conflicts reads, writes;   /* at stage 0, with the hardware's phases (tmap/unstable/banks.h) */
} tmap_permute;

/*
 * Plans the rearrangement for `threads` threads: 32 (a warp) to 1024, in whole warps. Returns TMAP_REFUSED, with the
 * reason, for:
 *
 * - another number of threads
 * - elements of different sizes, or of a size that is not 1, 2, 4, 8 or 16 bytes
 * - boxes of different extents, and boxes that no layout expresses or that cannot be aligned
 * - layouts with a swizzle, with copies, or with axes other than m
 * - stages at uneven distances
 * - a number of elements that is not `threads` times a power of two up to 32
 * - two elements at one position
 * - layouts for which no order of the slots makes reads and writes free of conflicts; the fix is then a padding with
 *   which a plan exists, if one was found
 */
TMAP_API tmap_status tmap_permute_plan(const tmap_permute_side *source, const tmap_permute_side *destination,
                                       int threads, tmap_permute *plan, tmap_diag *error)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/*
 * Returns the position, in elements from the buffer's start, of the element that thread `thread` holds in slot `slot`
 * at stage 0: in the destination, or in the source.
 */
TMAP_API int64_t tmap_permute_address(const tmap_permute *plan, bool destination, int thread, int slot) TMAP_NONNULL(1);

/*
 * Writes the plan as a CUDA device function `name(destination, source)`, or with stages `name(destination, source,
 * stage)`. All threads must call the function.
 */
TMAP_API void tmap_permute_cuda(tmap_sink *sink, const char *name, const tmap_permute *plan) TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
