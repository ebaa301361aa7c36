/*
 * layout: the positions of a tensor's elements, as a value. A layout is S/R/O (TIRx, "Tensor Layout"):
 *
 * - S, the shard: iters (extent, stride, axis), outermost first. An index is split over the extents, and every digit
 *   moves by its stride along its axis.
 * - R, the replica: iters; every combination of their digits is added, so that the positions of one element are a set.
 * - O, the offset: a number for each axis, added to all positions.
 *
 * A swizzle may precede S/R/O: it XORs bits of the address, the coordinate that S/R/O gives on the axis m.
 *
 * Layouts are plain structs without pointers to memory of their own; copies are allowed. Layouts from these functions
 * and from expressions are sound; a layout that the caller filled in must pass tmap_layout_check first. All arithmetic
 * is exact: a number that does not fit in 64 bits is refused. Sizes count elements; dimensions of shapes and
 * coordinates are outermost first, as in the documents of layouts.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_LAYOUT_H
#define TMAP_LAYOUT_H

#include "tmap/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The parts of a layout ------------------------------------------------------------------------------------ */

/* The kind of an axis. */
typedef enum tmap_axis_kind {
    TMAP_AXIS_MEMORY,
    TMAP_AXIS_THREAD,
    TMAP_AXIS_DEVICE,
    TMAP_AXIS_KIND_COUNT
} tmap_axis_kind;

/* Levels of the thread hierarchy, from the smallest to the largest. */
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

/* Two axes are the same if their names are equal. Names of a user's axes begin with their kind: "memory.slot". */
typedef struct tmap_axis {
    const char *name;
    tmap_axis_kind kind;
    tmap_scope unit, scope; /* thread axes: the level that is counted, and the level that contains it */
} tmap_axis;

typedef enum tmap_axis_id {
#define TMAP_AXIS(id, ...) TMAP_AXIS_ID_##id,
#include "tmap/unstable/layout_axes.def"
#undef TMAP_AXIS
    TMAP_AXIS_ID_COUNT
} tmap_axis_id;

#define TMAP_ITERS_MAX 64
#define TMAP_AXES_MAX  16 /* different axes in a layout */

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

/* Values sorted by the name of the axis, each axis at most once. In an offset no value is 0. */
typedef struct tmap_axis_values {
    int n;
    tmap_axis_value at[TMAP_AXES_MAX];
} tmap_axis_values;

/*
 * A swizzle of addresses that count elements. With x = address >> m, bits [s, s+b) of x are XORed into bits [0, b)
 * (`outer`: bits [0, b) into bits [s, s+b)). Sound if 0 <= b <= s and m + b + s <= 62.
 */
typedef struct tmap_xor {
    int m, b, s;
    bool outer;
} tmap_xor;

typedef struct tmap_layout {
    tmap_iters shard, replica;
    tmap_axis_values offset;
    bool has_swizzle; /* every position is then on the axis m only, and no address before the swizzle is negative */
    tmap_xor swizzle;
} tmap_layout;

/* ---- Axes ----------------------------------------------------------------------------------------------------- */

TMAP_API const tmap_axis *tmap_axis_get(int id);                            /* NULL after the last */
TMAP_API const tmap_axis *tmap_axis_find(const char *name) TMAP_NONNULL(1); /* NULL if no row has the name */
TMAP_API bool tmap_axis_same(const tmap_axis *a, const tmap_axis *b) TMAP_NONNULL(1, 2);
TMAP_API const char *tmap_axis_kind_name(tmap_axis_kind kind);
TMAP_API const char *tmap_scope_name(tmap_scope level);

/* ---- Making, reading and writing ------------------------------------------------------------------------------ */

/*
 * Checks that a layout is sound: extents are at least 1; its size, its number of copies and its reach on every axis fit
 * in 64 bits; offsets are sorted by axis and not 0; the swizzle is sound. Returns TMAP_REFUSED if not, and fills in
 * *error (may be NULL).
 */
TMAP_API tmap_status tmap_layout_check(const tmap_layout *layout, tmap_diag *error) TMAP_NONNULL(1) TMAP_MUST_USE;

/* Writes the dense layout of a shape on the axis m, the last dimension fastest. */
TMAP_API tmap_status tmap_layout_row_major(const int64_t *shape, int rank, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* Writes the notation. Reading the notation gives the same layout. */
TMAP_API void tmap_layout_print(tmap_sink *sink, const tmap_layout *layout) TMAP_NONNULL(1, 2);
/*
 * Writes TIRx's notation: T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 64):(64, 1)])). Reading it gives the same
 * layout.
 */
TMAP_API void tmap_layout_print_tirx(tmap_sink *sink, const tmap_layout *layout) TMAP_NONNULL(1, 2);

/* ---- Positions of elements ------------------------------------------------------------------------------------ */

/*
 * Return the number of elements (the product of the shard's extents), and the number of copies, the positions of one
 * element (the product of the replica's extents).
 */
TMAP_API int64_t tmap_layout_size(const tmap_layout *layout) TMAP_NONNULL(1);
TMAP_API int64_t tmap_layout_copies(const tmap_layout *layout) TMAP_NONNULL(1);
/* Returns the product of the shard's extents on one axis. */
TMAP_API int64_t tmap_layout_size_on(const tmap_layout *layout, const tmap_axis *axis) TMAP_NONNULL(1, 2);
/*
 * Returns the extent of a layout on an axis: the length of the smallest interval that contains 0 and every coordinate,
 * with replicas and offset, but without the swizzle. Without negative coordinates this is the largest coordinate plus
 * 1.
 */
TMAP_API int64_t tmap_layout_span(const tmap_layout *layout, const tmap_axis *axis) TMAP_NONNULL(1, 2);
/* Writes the axes that occur, in the order shard, replica, offset; returns their number. */
TMAP_API int tmap_layout_axes(const tmap_layout *layout, const tmap_axis *axes[TMAP_AXES_MAX]) TMAP_NONNULL(1, 2);

/*
 * Write the number of an element, given one coordinate for each iter (`n` = shard.n), or coordinates in a shape whose
 * product is the layout's size. Return TMAP_REFUSED for coordinates out of range.
 */
TMAP_API tmap_status tmap_layout_index_of_digits(const tmap_layout *layout, const int64_t *digits, int n,
                                                 int64_t *index, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_layout_index_in_shape(const tmap_layout *layout, const int64_t *shape, const int64_t *at,
                                                int rank, int64_t *index, tmap_diag *error)
    TMAP_NONNULL(1, 2, 5) TMAP_MUST_USE;

/*
 * The inverse of tmap_layout_index_of_digits, for the shard or the replica: writes the coordinate along every iter for
 * a number less than the product of the extents.
 */
TMAP_API void tmap_iters_digits(const tmap_iters *iters, int64_t number, int64_t digits[TMAP_ITERS_MAX])
    TMAP_NONNULL(1, 3);

/*
 * Writes the position of copy `copy` of element `index`, both less than their counts: the coordinate on every axis that
 * occurs, in the order of tmap_layout_axes. The replica's first iter is the slowest. Never fails.
 */
TMAP_API void tmap_layout_place(const tmap_layout *layout, int64_t index, int64_t copy, tmap_axis_values *place)
    TMAP_NONNULL(1, 4);

/*
 * Writes the coordinates on one axis of the first copies of elements first .. first + n - 1 (all less than the size).
 * Faster than tmap_layout_place for many elements.
 */
TMAP_API void tmap_layout_offsets(const tmap_layout *layout, const tmap_axis *axis, int64_t first, size_t n,
                                  int64_t *offsets) TMAP_NONNULL(1, 2, 5);

/*
 * Finds the elements that have a copy at a position. Axes that `place` does not contain may have any coordinate. Writes
 * the number of elements to *found and the smallest `capacity` of them, ascending, to `indices`. Returns TMAP_REFUSED
 * if the search needs more than `steps` steps (0: a default).
 */
TMAP_API tmap_status tmap_layout_owners(const tmap_layout *layout, const tmap_axis_values *place, uint64_t steps,
                                        int64_t *indices, size_t capacity, uint64_t *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 6) TMAP_MUST_USE;

/* ---- Properties ----------------------------------------------------------------------------------------------- */

/* Returns whether both have the same data: the shard's iters in the same order, the replica's in any order. */
TMAP_API bool tmap_layout_identical(const tmap_layout *a, const tmap_layout *b) TMAP_NONNULL(1, 2);
/*
 * Decides whether both are the same function: the same number of elements, each with the same set of positions (an axis
 * that does not occur is 0). A normal form decides; only different swizzles and overlapping replicas need an
 * enumeration. Returns TMAP_REFUSED if the enumeration is too long.
 */
TMAP_API tmap_status tmap_layout_equal(const tmap_layout *a, const tmap_layout *b, bool *equal, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Checks that the thread axes are compatible: one scope for each unit, and no gap from the smallest unit to the largest
 * scope. Writes this unit to *unit and this scope to *scope (may be NULL), TMAP_SCOPE_NONE if there is no thread axis.
 * Returns TMAP_REFUSED with the reason if they are not compatible.
 */
TMAP_API tmap_status tmap_layout_scopes(const tmap_layout *layout, tmap_scope *unit, tmap_scope *scope,
                                        tmap_diag *error) TMAP_NONNULL(1) TMAP_MUST_USE;

/* The coordinates of a layout on one axis. */
typedef struct tmap_cover {
    const tmap_axis *axis;
    int64_t low, high;  /* the smallest and the largest coordinate */
    int64_t distinct;   /* number of different coordinates */
    bool shared;        /* two elements whose digits differ only on this axis share a coordinate */
    bool self_repeated; /* two copies of one element share a coordinate */
} tmap_cover;

/* The coordinates of a layout on all axes. */
typedef struct tmap_coverage {
    int axes_n;
    tmap_cover axes[TMAP_AXES_MAX];
    bool injective; /* no two elements share a position */
    bool compact;   /* injective, and every position of the bounding box has an element */
} tmap_coverage;

/*
 * Computes the coverage axis by axis; this is possible because each iter moves along one axis. Returns TMAP_REFUSED if
 * an axis has too many combinations.
 */
TMAP_API tmap_status tmap_layout_coverage(const tmap_layout *layout, tmap_coverage *coverage, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
