/*
 * layout: operations that build layouts from layouts. Operands must be sound; results are sound. *out may be one of the
 * operands and does not change on a refusal. On a layout with a swizzle an operation changes only S/R/O and keeps the
 * swizzle, unless its comment states otherwise. Names and meaning are TIRx's; docs/layouts.md lists the differences.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_LAYOUT_ALGEBRA_H
#define TMAP_LAYOUT_ALGEBRA_H

#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shape or a box, outermost first. */
typedef struct tmap_shape {
    int rank;
    int64_t at[TMAP_ITERS_MAX];
} tmap_shape;

/* ---- Forms ---------------------------------------------------------------------------------------------------- */

/*
 * Writes the canonical form of the same function: no iters of extent 1 (an empty shard keeps one, on the axis of its
 * first iter), neighbouring iters of one axis merged if the outer stride continues the inner, replicas without extents
 * of 1 and sorted.
 */
TMAP_API void tmap_layout_canonical(const tmap_layout *layout, tmap_layout *out) TMAP_NONNULL(1, 2);
/*
 * Writes the canonical form with thread axes expressed in the unit and scope of the whole layout: laneid and warpid
 * become tx if both occur. Returns TMAP_REFUSED if the scopes are not compatible, or if a number does not fit.
 */
TMAP_API tmap_status tmap_layout_fused(const tmap_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Returns whether the layout is one iter of stride 1 on a memory axis, or one element, without copies and offset. */
TMAP_API bool tmap_layout_is_trivial(const tmap_layout *layout) TMAP_NONNULL(1);

/*
 * Splits iters so that runs of them have the products shape[0], shape[1], …; run d is iters starts[d] .. starts[d+1]-1.
 * Returns TMAP_REFUSED if a boundary of the shape is inside an iter that cannot be split there.
 */
TMAP_API tmap_status tmap_layout_group(const tmap_layout *layout, const tmap_shape *shape, tmap_layout *out,
                                       int starts[TMAP_ITERS_MAX + 1], tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;
/* As tmap_layout_group for `n` shapes at once: the common refinement. starts[i] belongs to shapes[i]. */
TMAP_API tmap_status tmap_layout_group_many(const tmap_layout *layout, const tmap_shape *shapes, int n,
                                            tmap_layout *out, int (*starts)[TMAP_ITERS_MAX + 1], tmap_diag *error)
    TMAP_NONNULL(1, 4, 5) TMAP_MUST_USE;

/* ---- Products ------------------------------------------------------------------------------------------------- */

/*
 * Repeats `inner` at the positions of `outer`. The domain has dimensions outer_shape[d] x inner_shape[d]; outer's
 * strides, replicas and offset are scaled by inner's span on their axis. The operation is associative.
 */
TMAP_API tmap_status tmap_layout_tile(const tmap_layout *inner, const tmap_layout *outer, const tmap_shape *outer_shape,
                                      const tmap_shape *inner_shape, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;
/* Tiles `inner` by a row-major outer layout so that the result has the shape `to`. */
TMAP_API tmap_status tmap_layout_tile_to(const tmap_layout *inner, const tmap_shape *to, const tmap_shape *inner_shape,
                                         tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;
/* As tmap_layout_tile without scaling: element (p, q) of the sum is at left(p) + right(q). */
TMAP_API tmap_status tmap_layout_direct_sum(const tmap_layout *right, const tmap_layout *left,
                                            const tmap_shape *left_shape, const tmap_shape *right_shape,
                                            tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/*
 * The inverses of tile and direct sum: write the other operand. *found false: no such operand exists. Return
 * TMAP_REFUSED for impossible shapes (ranks, divisibility, sizes).
 */
TMAP_API tmap_status tmap_layout_tile_outer_of(const tmap_layout *inner, const tmap_layout *tiled,
                                               const tmap_shape *tiled_shape, const tmap_shape *inner_shape,
                                               tmap_layout *outer, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_tile_inner_of(const tmap_layout *outer, const tmap_layout *tiled,
                                               const tmap_shape *tiled_shape, const tmap_shape *outer_shape,
                                               tmap_layout *inner, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_sum_left_of(const tmap_layout *right, const tmap_layout *sum,
                                             const tmap_shape *sum_shape, const tmap_shape *right_shape,
                                             tmap_layout *left, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_sum_right_of(const tmap_layout *left, const tmap_layout *sum,
                                              const tmap_shape *sum_shape, const tmap_shape *left_shape,
                                              tmap_layout *right, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;

/* ---- Parts and views ------------------------------------------------------------------------------------------ */

/*
 * Writes the box begin[d] .. end[d]-1 of a layout of that shape, as a layout over the box. *found false: no layout
 * expresses the box, because it cuts a dimension of several iters that do not continue each other.
 */
TMAP_API tmap_status tmap_layout_slice(const tmap_layout *layout, const tmap_shape *shape, const tmap_shape *begin,
                                       const tmap_shape *end, tmap_layout *out, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;
/* Reorders iters: iter i of the result is iter order[i]. `order` contains each iter once. */
TMAP_API tmap_status tmap_layout_permute(const tmap_layout *layout, const int *order, int n, tmap_layout *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* As tmap_layout_permute for the dimensions of a shape: reorders the runs of the layout grouped by the shape. */
TMAP_API tmap_status tmap_layout_permute_dims(const tmap_layout *layout, const tmap_shape *shape, const int *order,
                                              int n, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 5) TMAP_MUST_USE;
/*
 * Unpack splits every element into `n` elements of 1/n of its size, contiguous on `axis`. Strides, replicas and offset
 * on `axis` are multiplied by n. Pack is the inverse. With a swizzle n must be a power of two.
 */
TMAP_API tmap_status tmap_layout_unpack(const tmap_layout *layout, int64_t n, const tmap_axis *axis, tmap_layout *out,
                                        tmap_diag *error) TMAP_NONNULL(1, 3, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_pack(const tmap_layout *layout, int64_t n, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
/* Inserts an iter of extent n and stride 0 before iter `position`; -1: after the last. */
TMAP_API tmap_status tmap_layout_broadcast(const tmap_layout *layout, int64_t n, int position, const tmap_axis *axis,
                                           tmap_layout *out, tmap_diag *error) TMAP_NONNULL(4, 5) TMAP_MUST_USE;
/* Removes thread and device axes: the result is the layout of one owner's memory. */
TMAP_API void tmap_layout_storage(const tmap_layout *layout, tmap_layout *out) TMAP_NONNULL(1, 2);

/*
 * Writes the layout that maps a position to the index of its element, on m. `axes` contains all axes that occur, the
 * slowest first: they number the positions. Returns TMAP_REFUSED unless elements and the positions from 0 on correspond
 * one to one.
 */
TMAP_API tmap_status tmap_layout_inverse(const tmap_layout *layout, const tmap_axis *const *axes, int n,
                                         tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- Scratchpads of two dimensions ---------------------------------------------------------------------------- */

/*
 * Writes TIRx's trainium layout. `kinds` has a letter for each dimension, P (partitions) or F (free). The dimensions of
 * each kind are row-major among themselves, on the axes P and F. There are 128 partitions. The product of several P
 * dimensions is at most 128. A single P dimension may be a multiple of 128; its upper part is then on the axis F, as
 * the slowest iter.
 */
TMAP_API tmap_status tmap_layout_trainium(const char *kinds, const tmap_shape *shape, tmap_layout *out,
                                          tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * Converts a layout like those of tmap_layout_trainium to banks of 512 elements for each partition: the part of each
 * iter on F that moves by whole banks is put on the axis Bank. Returns TMAP_REFUSED if an iter crosses the end of a
 * bank within a step.
 */
TMAP_API tmap_status tmap_layout_psum(const tmap_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
