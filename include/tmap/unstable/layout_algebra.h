/*
 * layout: operations that make layouts of layouts. They take sound layouts and answer sound ones; *out may be one of
 * the operands and stays as it was on a refusal. With a swizzle they act on the layout behind it and keep it, unless
 * they say otherwise. Names and meaning are TIRx's; docs/layouts.md lists where they differ.
 * Unstable: what is declared here may change or go in any release (base.h).
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
 * The canonical form: no iters of extent 1 (an empty shard keeps one, on the axis of its first iter), neighbours of one
 * axis merged where the outer stride continues the inner, replicas without units and sorted. The function is the same.
 */
TMAP_API void tmap_layout_canonical(const tmap_layout *layout, tmap_layout *out) TMAP_NONNULL(1, 2);
/*
 * And with thread axes expressed in the unit and scope that the layout has as a whole: laneid and warpid become tx
 * where both occur. Refused when the scopes do not go together, or when a number does not fit.
 */
TMAP_API tmap_status tmap_layout_fused(const tmap_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* One iter of stride 1 on a memory axis, or one element; no copies, no offset. */
TMAP_API bool tmap_layout_is_trivial(const tmap_layout *layout) TMAP_NONNULL(1);

/*
 * Splits iters so that runs of them multiply to shape[0], shape[1], …; run d is iters starts[d] .. starts[d+1]-1.
 * Refused where a boundary of the shape lies where no iter can be split.
 */
TMAP_API tmap_status tmap_layout_group(const tmap_layout *layout, const tmap_shape *shape, tmap_layout *out,
                                       int starts[TMAP_ITERS_MAX + 1], tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;
/* The same for `n` shapes at once: the common refinement. starts[i] belongs to shapes[i]. */
TMAP_API tmap_status tmap_layout_group_many(const tmap_layout *layout, const tmap_shape *shapes, int n,
                                            tmap_layout *out, int (*starts)[TMAP_ITERS_MAX + 1], tmap_diag *error)
    TMAP_NONNULL(1, 4, 5) TMAP_MUST_USE;

/* ---- Products ------------------------------------------------------------------------------------------------- */

/*
 * `inner` repeated as `outer` says. Domain: dimensions outer_shape[d] x inner_shape[d]; outer's strides, replicas and
 * offset are scaled by inner's span on their axis. Associative.
 */
TMAP_API tmap_status tmap_layout_tile(const tmap_layout *inner, const tmap_layout *outer, const tmap_shape *outer_shape,
                                      const tmap_shape *inner_shape, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;
/* Tiled by a row-major outer layout until its shape is `to`. */
TMAP_API tmap_status tmap_layout_tile_to(const tmap_layout *inner, const tmap_shape *to, const tmap_shape *inner_shape,
                                         tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;
/* The same without scaling: element (p, q) of the sum is at left(p) + right(q). */
TMAP_API tmap_status tmap_layout_direct_sum(const tmap_layout *right, const tmap_layout *left,
                                            const tmap_shape *left_shape, const tmap_shape *right_shape,
                                            tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/*
 * Their inverses: what the other operand must have been. *found false: there is none. Refused: shapes that cannot be
 * (ranks, divisibility, sizes).
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
 * The box begin[d] .. end[d]-1 of a layout of that shape, as a layout over the box. *found false: no layout says it
 * (the box cuts a dimension of several iters where these do not continue each other).
 */
TMAP_API tmap_status tmap_layout_slice(const tmap_layout *layout, const tmap_shape *shape, const tmap_shape *begin,
                                       const tmap_shape *end, tmap_layout *out, bool *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5, 6) TMAP_MUST_USE;
/* Iter i of the result is iter order[i]; `order` names each once. */
TMAP_API tmap_status tmap_layout_permute(const tmap_layout *layout, const int *order, int n, tmap_layout *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* The same for the dimensions of a shape: runs of the layout grouped by it. */
TMAP_API tmap_status tmap_layout_permute_dims(const tmap_layout *layout, const tmap_shape *shape, const int *order,
                                              int n, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2, 5) TMAP_MUST_USE;
/*
 * Every element becomes `n` of an nth of its size, next to each other on `axis`, whose strides, replicas and offset
 * then count n times as much; and back. With a swizzle n is a power of two.
 */
TMAP_API tmap_status tmap_layout_unpack(const tmap_layout *layout, int64_t n, const tmap_axis *axis, tmap_layout *out,
                                        tmap_diag *error) TMAP_NONNULL(1, 3, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_pack(const tmap_layout *layout, int64_t n, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
/* A new iter of extent n and stride 0 before iter `position`; -1: after the last. */
TMAP_API tmap_status tmap_layout_broadcast(const tmap_layout *layout, int64_t n, int position, const tmap_axis *axis,
                                           tmap_layout *out, tmap_diag *error) TMAP_NONNULL(4, 5) TMAP_MUST_USE;
/* Without thread and device axes: what one owner stores. */
TMAP_API void tmap_layout_storage(const tmap_layout *layout, tmap_layout *out) TMAP_NONNULL(1, 2);

/*
 * The layout that takes a place back to its element: place, with `axes` from slow to fast (all that occur), to an
 * index on m. Refused unless elements and the places from 0 on match one to one.
 */
TMAP_API tmap_status tmap_layout_inverse(const tmap_layout *layout, const tmap_axis *const *axes, int n,
                                         tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- Scratchpads of two dimensions ---------------------------------------------------------------------------- */

/*
 * TIRx's trainium layout: `kinds` has a letter a dimension, P (partitions) or F (free). Both are row-major among
 * themselves, on the axes P and F. There are 128 partitions: several P dimensions fit in them, and one that is a
 * multiple of 128 has its upper part on F, slowest.
 */
TMAP_API tmap_status tmap_layout_trainium(const char *kinds, const tmap_shape *shape, tmap_layout *out,
                                          tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * The same in banks of 512 elements a partition: of every iter on F, steps of whole banks move to the axis Bank.
 * Refused where an iter crosses a bank's end within a step.
 */
TMAP_API tmap_status tmap_layout_psum(const tmap_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
