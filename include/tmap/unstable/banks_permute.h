/*
 * banks: rearranging the data of a warp or a thread block from one layout to another (TIRx, "permute_layout"): every
 * thread reads P elements through the source layout into registers, the threads synchronise, and every thread writes
 * them through the destination. In slot r lane l of warp w holds element 32 P w + l + 32 (r ^ ((l >> shift) & mask)) of
 * the box. The elements are numbered by `extent`, the last dimension fastest. shift and mask are chosen so that in
 * every slot, of reads and writes, lanes that are served together are in different banks: all 32 of elements up to 4
 * bytes, 16 of 8 bytes, 8 of 16. Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_BANKS_PERMUTE_H
#define TMAP_BANKS_PERMUTE_H

#include "tmap/unstable/banks.h"
#include "tmap/unstable/layout_algebra.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_PERMUTE_SLOTS_MAX 32

/* One side: a buffer's layout and shape, and the box of it that is moved. */
typedef struct tmap_permute_side {
    const tmap_layout *layout;
    tmap_shape shape, begin, end;
    int bits;       /* of an element */
    bool has_stage; /* the coordinate of dimension stage_dim is known at run time: each of its values is planned for */
    int stage_dim;
} tmap_permute_side;

typedef struct tmap_permute {
    int bytes;                      /* of an element: 1, 2, 4, 8 or 16 */
    tmap_shape extent, from, to;    /* the box, and the strides of both sides in elements */
    int64_t from_offset, to_offset; /* of the box's first element, at stage 0 */
    int64_t stages;                 /* values of the coordinate that is known at run time; 1: there is none */
    int64_t from_stage, to_stage;   /* elements from stage to stage */
    int warps;                      /* of the block that moves the box */
    int slots;                      /* elements a thread: P */
    int k, shift, mask;
    tmap_conflicts reads, writes; /* of stage 0, by the phases of the hardware (tmap/unstable/banks.h) */
} tmap_permute;

/*
 * Plans it for `threads` threads: 32, a warp, up to 1024, in whole warps. Refused, with the reason: another number of
 * threads, elements of different sizes or of none of 1, 2, 4, 8 and 16 bytes, boxes of different extents, layouts with
 * a swizzle, with copies or with other axes than m, boxes that no layout says or that cannot be aligned, stages that
 * are not evenly spaced, a number of elements that is not `threads` times a power of two up to 32, two elements in one
 * place, and layouts for which no order of the slots makes both phases free of conflicts. The last has as its fix a
 * padding that was tried.
 */
TMAP_API tmap_status tmap_permute_plan(const tmap_permute_side *source, const tmap_permute_side *destination,
                                       int threads, tmap_permute *plan, tmap_diag *error)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/* The place of what thread `thread` holds in slot `slot` at stage 0, in elements from the buffer's start: of the source
 * or of the destination. */
TMAP_API int64_t tmap_permute_address(const tmap_permute *plan, bool destination, int thread, int slot) TMAP_NONNULL(1);

/* The plan as a CUDA device function `name(destination, source)`, with stages `name(destination, source, stage)`, to be
 * called by all threads. */
TMAP_API void tmap_permute_cuda(tmap_sink *sink, const char *name, const tmap_permute *plan) TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
