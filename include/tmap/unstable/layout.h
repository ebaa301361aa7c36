/*
 * layout: where the elements of a tensor lie, as a value. A layout is S/R/O (TIRx, "Tensor Layout"):
 *   S, the shard     iters (extent, stride, axis), outermost first: an index is split over the extents, and every digit
 *                    moves by its stride along its axis
 *   R, the replica   iters whose every combination is added: the places of one element are a set
 *   O, the offset    a number an axis, added to all
 * and in front of it, optionally, a swizzle: XOR on the address that the rest gives on the axis m.
 *
 * Layouts are plain structs without pointers to memory of their own; they are copied freely. Those that come from these
 * functions and from expressions are sound; one that was filled in by hand goes through tmap_layout_check first.
 * All arithmetic is exact: what does not fit 64 bits is refused. Sizes count elements; dimensions of shapes and
 * coordinates stand outermost first, as the documents of layouts write them.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_LAYOUT_H
#define TMAP_LAYOUT_H

#include "tmap/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a layout is ----------------------------------------------------------------------------------------- */

typedef enum tmap_axis_kind {
    TMAP_AXIS_MEMORY,
    TMAP_AXIS_THREAD,
    TMAP_AXIS_DEVICE,
    TMAP_AXIS_KIND_COUNT
} tmap_axis_kind;

/* From the smallest to the largest. */
typedef enum tmap_scope {
    TMAP_SCOPE_NONE,
    TMAP_SCOPE_THREAD,
    TMAP_SCOPE_WARP,
    TMAP_SCOPE_WARPGROUP,
    TMAP_SCOPE_CTA,
    TMAP_SCOPE_CLUSTER,
    TMAP_SCOPE_KERNEL,
    TMAP_SCOPE_COUNT
} tmap_scope;

/* Two axes are the same when their names are. Names of a user's axes begin with their kind: "memory.slot". */
typedef struct tmap_axis {
    const char *name;
    tmap_axis_kind kind;
    tmap_scope unit, scope; /* of thread axes: what is counted, inside what */
} tmap_axis;

typedef enum tmap_axis_id {
#define TMAP_AXIS(id, ...) TMAP_AXIS_ID_##id,
#include "tmap/unstable/layout_axes.def"
#undef TMAP_AXIS
    TMAP_AXIS_ID_COUNT
} tmap_axis_id;

#define TMAP_ITERS_MAX 64
#define TMAP_AXES_MAX  16 /* different ones in a layout */

typedef struct tmap_iter {
    int64_t extent; /* at least 1 */
    int64_t stride; /* may be 0 or negative */
    const tmap_axis *axis;
} tmap_iter;

typedef struct tmap_iters {
    int n;
    tmap_iter at[TMAP_ITERS_MAX];
} tmap_iters;

typedef struct tmap_axis_value {
    const tmap_axis *axis;
    int64_t value;
} tmap_axis_value;

/* By name of the axis, each once. In an offset no value is 0. */
typedef struct tmap_axis_values {
    int n;
    tmap_axis_value at[TMAP_AXES_MAX];
} tmap_axis_values;

/*
 * A swizzle of addresses counted in elements. With x = address >> m, bits [s, s+b) of x are XORed into bits [0, b)
 * (`outer`: the other way, bits [0, b) into bits [s, s+b)). Sound when 0 <= b <= s and m + b + s <= 62.
 */
typedef struct tmap_xor {
    int m, b, s;
    bool outer;
} tmap_xor;

typedef struct tmap_layout {
    tmap_iters shard, replica;
    tmap_axis_values offset;
    bool has_swizzle; /* then every place lies on the axis m alone, and no address before the swizzle is negative */
    tmap_xor swizzle;
} tmap_layout;

/* ---- Axes ----------------------------------------------------------------------------------------------------- */

TMAP_API const tmap_axis *tmap_axis_get(int id);                            /* NULL past the last */
TMAP_API const tmap_axis *tmap_axis_find(const char *name) TMAP_NONNULL(1); /* NULL where no row has the name */
TMAP_API bool tmap_axis_same(const tmap_axis *a, const tmap_axis *b) TMAP_NONNULL(1, 2);
TMAP_API const char *tmap_axis_kind_name(tmap_axis_kind kind);
TMAP_API const char *tmap_scope_name(tmap_scope level);

/* ---- Making, reading and writing ------------------------------------------------------------------------------ */

/*
 * Whether a layout is one: extents of 1 and more, a size, a number of copies and reaches on every axis within 64 bits,
 * offsets sorted by axis and not 0, a sound swizzle. TMAP_REFUSED with *error (may be NULL) filled in.
 */
TMAP_API tmap_status tmap_layout_check(const tmap_layout *layout, tmap_diag *error) TMAP_NONNULL(1) TMAP_MUST_USE;

/* The dense layout of a shape on the axis m, the last dimension fastest. */
TMAP_API tmap_status tmap_layout_row_major(const int64_t *shape, int rank, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* Writes the notation; what is written is read as the same layout. */
TMAP_API void tmap_layout_print(tmap_sink *sink, const tmap_layout *layout) TMAP_NONNULL(1, 2);
/* In TIRx's spelling: T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 64):(64, 1)])). Reads back as the same layout. */
TMAP_API void tmap_layout_print_tirx(tmap_sink *sink, const tmap_layout *layout) TMAP_NONNULL(1, 2);

/* ---- Where an element is -------------------------------------------------------------------------------------- */

/* Elements: the product of the shard's extents. Copies: the product of the replica's, places an element. */
TMAP_API int64_t tmap_layout_size(const tmap_layout *layout) TMAP_NONNULL(1);
TMAP_API int64_t tmap_layout_copies(const tmap_layout *layout) TMAP_NONNULL(1);
/* The product of the shard's extents on one axis. */
TMAP_API int64_t tmap_layout_size_on(const tmap_layout *layout, const tmap_axis *axis) TMAP_NONNULL(1, 2);
/*
 * How far a layout reaches on an axis: the length of the smallest interval that holds 0 and every coordinate, with
 * replicas and offset. Without negative coordinates that is one more than the largest. A swizzle is left out of it.
 */
TMAP_API int64_t tmap_layout_span(const tmap_layout *layout, const tmap_axis *axis) TMAP_NONNULL(1, 2);
/* The axes that occur, in the order shard, replica, offset; answers how many. */
TMAP_API int tmap_layout_axes(const tmap_layout *layout, const tmap_axis *axes[TMAP_AXES_MAX]) TMAP_NONNULL(1, 2);

/*
 * An element's number, from one coordinate an iter (`n` = shard.n), or from coordinates in a shape whose product is
 * the layout's size. Coordinates out of range are refused.
 */
TMAP_API tmap_status tmap_layout_index_of_digits(const tmap_layout *layout, const int64_t *digits, int n,
                                                 int64_t *index, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_index_in_shape(const tmap_layout *layout, const int64_t *shape, const int64_t *at,
                                                int rank, int64_t *index, tmap_diag *error)
    TMAP_NONNULL(1, 2, 5) TMAP_MUST_USE;

/* And back, for the shard or the replica: the coordinate along every iter of a number below their product. */
TMAP_API void tmap_iters_digits(const tmap_iters *iters, int64_t number, int64_t digits[TMAP_ITERS_MAX])
    TMAP_NONNULL(1, 3);

/*
 * The place of copy `copy` of element `index`, both within their counts: every axis that occurs, in the order of
 * tmap_layout_axes. Of the replica's iters the first is the slowest. Never fails.
 */
TMAP_API void tmap_layout_place(const tmap_layout *layout, int64_t index, int64_t copy, tmap_axis_values *place)
    TMAP_NONNULL(1, 4);

/*
 * The coordinates on one axis of elements first .. first + n - 1 (all within the size), their first copies; for many
 * elements at once.
 */
TMAP_API void tmap_layout_offsets(const tmap_layout *layout, const tmap_axis *axis, int64_t first, size_t n,
                                  int64_t *offsets) TMAP_NONNULL(1, 2, 5);

/*
 * The other way: elements with a copy at a place. Axes that `place` leaves out may have any value. Counts all of them
 * in *found and stores the smallest `capacity`, ascending. Refused where a search of `steps` steps (0: a default) does
 * not end it.
 */
TMAP_API tmap_status tmap_layout_owners(const tmap_layout *layout, const tmap_axis_values *place, uint64_t steps,
                                        int64_t *indices, size_t capacity, uint64_t *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 6) TMAP_MUST_USE;

/* ---- What can be said of it ----------------------------------------------------------------------------------- */

/* The same data: iter by iter in the shard, replicas in any order. */
TMAP_API bool tmap_layout_identical(const tmap_layout *a, const tmap_layout *b) TMAP_NONNULL(1, 2);
/*
 * The same function: as many elements, each with the same set of places (an axis that does not occur is 0). Decided by
 * a normal form; only swizzles that differ, and replicas that overlap, are enumerated, and refused where that is too
 * much.
 */
TMAP_API tmap_status tmap_layout_equal(const tmap_layout *a, const tmap_layout *b, bool *equal, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Whether thread axes go together: of one unit only one scope, and from the smallest unit to the largest scope no gap.
 * Refused with the reason. *scope and *unit (may be NULL) get the ends of the chain, TMAP_SCOPE_NONE without any.
 */
TMAP_API tmap_status tmap_layout_scopes(const tmap_layout *layout, tmap_scope *unit, tmap_scope *scope,
                                        tmap_diag *error) TMAP_NONNULL(1) TMAP_MUST_USE;

/* What a layout covers on one axis. */
typedef struct tmap_cover {
    const tmap_axis *axis;
    int64_t low, high;  /* the smallest and the largest coordinate */
    int64_t distinct;   /* how many different ones occur */
    bool shared;        /* elements that differ only on this axis share a coordinate */
    bool self_repeated; /* two copies of one element share a coordinate */
} tmap_cover;

typedef struct tmap_coverage {
    int axes_n;
    tmap_cover axes[TMAP_AXES_MAX];
    bool injective; /* no two elements have a place in common */
    bool compact;   /* and every place of the bounding box is taken */
} tmap_coverage;

/* Axis by axis, for each iter moves along one of them. Refused where an axis has too many combinations to look at. */
TMAP_API tmap_status tmap_layout_coverage(const tmap_layout *layout, tmap_coverage *coverage, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
