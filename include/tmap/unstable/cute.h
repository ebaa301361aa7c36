/*
 * cute: layouts in the notation of CuTe, Shape:Stride with nested parentheses, and their algebra.
 *
 * A layout is a function from integers to integers: an integer coordinate is split over the leaves of the shape from
 * the left, the leftmost fastest (column-major, unlike Tilus and TIRx). A swizzle and an offset may precede the layout:
 * Sw<B,M,S> o offset o Shape:Stride is swizzle(offset + layout(coordinate)).
 *
 * Sizes, and all values of a layout within its size, are at most 2^62 in magnitude. A function that returns
 * TMAP_REFUSED writes the reason to *error (may be NULL) and does not change its outputs. An output may be one of the
 * inputs. No function allocates.
 *
 * CuTe's C++ code checks some preconditions of its functions only sometimes; here they are always checked: a
 * composition that is not the function A(B(c)) is refused.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_CUTE_H
#define TMAP_CUTE_H

#include "tmap/unstable/register.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_CUTE_NODES_MAX 128
#define TMAP_CUTE_DEPTH_MAX 16
#define TMAP_CUTE_REACH_MAX ((uint64_t)1 << 62)

/* A node of the nested tuple, in the order of the text. */
typedef struct tmap_cute_node {
    uint64_t shape; /* shape and stride: of a leaf */
    int64_t stride;
    int nodes_n; /* nodes of the subtree, including this node */
    bool tuple;
} tmap_cute_node;

/* A layout: `nodes` contains the tree in preorder. */
typedef struct tmap_cute {
    tmap_cute_node nodes[TMAP_CUTE_NODES_MAX];
    int nodes_n;
    tmap_xor swizzle; /* CuTe's Swizzle<b, m, s>, of a negative s if `outer`; b 0: none */
    int64_t offset;   /* added before the swizzle */
} tmap_cute;

/* ---- Text ---- */

/*
 * Reads `(2,(2,2)):(4,(2,1))`, `8:1`, a shape alone (compact, the leftmost fastest), and `Sw<3,4,3> o 0 o …` or
 * `Swizzle<3,4,3> o …`; static integers (`_8`) are integers. An error record has the position in the text.
 */
TMAP_API tmap_status tmap_cute_parse(const char *text, size_t size, tmap_cute *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
TMAP_API void tmap_cute_print(tmap_sink *sink, const tmap_cute *layout) TMAP_NONNULL(1, 2);

/* ---- The function ---- */

TMAP_API uint64_t tmap_cute_size(const tmap_cute *layout) TMAP_NONNULL(1);
/* Returns the value of the last coordinate plus 1, without swizzle and offset. */
TMAP_API int64_t tmap_cute_cosize(const tmap_cute *layout) TMAP_NONNULL(1);
/* Returns the number of top-level modes; 1 for a single integer. */
TMAP_API int tmap_cute_rank(const tmap_cute *layout) TMAP_NONNULL(1);
/* Returns the value of a coordinate, which must be less than the size. */
TMAP_API int64_t tmap_cute_at(const tmap_cute *layout, uint64_t coordinate) TMAP_NONNULL(1);
/* Returns the value of a coordinate with one integer for each top-level mode, each less than the mode's size. */
TMAP_API int64_t tmap_cute_at_modes(const tmap_cute *layout, const uint64_t *coordinates) TMAP_NONNULL(1, 2);
/* Returns whether both layouts have the same nodes, swizzle and offset. */
TMAP_API bool tmap_cute_equal(const tmap_cute *a, const tmap_cute *b) TMAP_NONNULL(1, 2);
/*
 * Returns whether every coordinate of `a` is a coordinate of `b`: b's shape is a's shape with leaves split, and sizes
 * are equal.
 */
TMAP_API bool tmap_cute_compatible(const tmap_cute *a, const tmap_cute *b) TMAP_NONNULL(1, 2);

/* ---- Making ---- */

/* Writes one top-level mode, without swizzle and offset; mode 0 of a single integer is the layout itself. */
TMAP_API tmap_status tmap_cute_mode(const tmap_cute *layout, int mode, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;
/* Writes (first, second, …), without swizzles and offsets. */
TMAP_API tmap_status tmap_cute_concat(const tmap_cute *parts, int parts_n, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* ---- As S/R/O, and back ---- */

/*
 * Writes the same function as a layout on the axis m over the row-major elements of a shape. The shape's dimensions are
 * the top-level modes.
 */
TMAP_API tmap_status tmap_cute_to_layout(const tmap_cute *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Writes a layout with one mode for each dimension of the shape. Requires a layout on m only, without replicas. */
TMAP_API tmap_status tmap_cute_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_cute *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- As register layouts, and back ---- */

/*
 * Writes the map from ((threads…), (values…)) to the element, the first dimension the fastest: Layout_TV in CuTe's
 * traits. Modes of threads that have the same elements have stride 0.
 */
TMAP_API tmap_status tmap_register_to_cute(const tmap_register_layout *layout, tmap_cute *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Requires a layout of two modes, threads and values, that together reach every element of the shape once. */
TMAP_API tmap_status tmap_register_of_cute(const tmap_cute *layout, const uint64_t *shape, int rank,
                                           tmap_register_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- The algebra ---- */

/* Writes the same function with the fewest leaves, as one flat tuple. */
TMAP_API tmap_status tmap_cute_coalesce(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Coalesces every top-level mode by itself. */
TMAP_API tmap_status tmap_cute_coalesce_modes(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/*
 * Writes a(b(c)), in the shape of b. For values of b outside a's size, a continues along its last leaf whose shape is
 * not 1.
 */
TMAP_API tmap_status tmap_cute_compose(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * Writes the complement, an increasing layout. Its values, added to the values of `layout`, fill the gaps between the
 * values of `layout` and repeat the filled part at least up to `cotarget`. Source: CuTe's complement.
 */
TMAP_API tmap_status tmap_cute_complement(const tmap_cute *layout, uint64_t cotarget, tmap_cute *result,
                                          tmap_diag *error) TMAP_NONNULL(1, 3) TMAP_MUST_USE;
/* Writes the inverse of the part of the layout that is contiguous from 0: layout(result(i)) = i. */
TMAP_API tmap_status tmap_cute_right_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Writes the left inverse of an injective layout: result(layout(c)) = c. */
TMAP_API tmap_status tmap_cute_left_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * The second operand of compositions, divisions and products: a layout, or, if `layout` is NULL, one tiler for each of
 * the first modes_n modes (at least 1), nested at most 8 deep. A shape (n0, n1, …) as a tiler is n0:1, n1:1, …. Source:
 * "Tilers" in CuTe's "Layout Algebra" chapter.
 */
typedef struct tmap_cute_tiler {
    const tmap_cute *layout;
    const struct tmap_cute_tiler *modes;
    int modes_n;
} tmap_cute_tiler;

/* Composes mode by mode; modes after the tilers stay unchanged. */
TMAP_API tmap_status tmap_cute_compose_by(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                          tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* The nesting of tiles and rests in the result of a division or product by mode. */
typedef enum tmap_cute_nesting {
    TMAP_CUTE_LOGICAL, /* ((TileM, RestM), (TileN, RestN), L, …) */
    TMAP_CUTE_ZIPPED,  /* ((TileM, TileN), (RestM, RestN, L, …)) */
    TMAP_CUTE_TILED,   /* ((TileM, TileN), RestM, RestN, L, …) */
    TMAP_CUTE_FLAT,    /* (TileM, TileN, RestM, RestN, L, …) */
} tmap_cute_nesting;

/* Splits `a` into the elements that the tiler selects and the rest. */
TMAP_API tmap_status tmap_cute_divide(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                                      tmap_cute *result, tmap_diag *error) TMAP_NONNULL(2, 3, 4) TMAP_MUST_USE;
/*
 * Writes `a` and its repetitions in the order of `tiler`. By mode, repetitions of one mode may overlap those of others
 * unless the strides of the tilers prevent it.
 */
TMAP_API tmap_status tmap_cute_product(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                                       tmap_cute *result, tmap_diag *error) TMAP_NONNULL(2, 3, 4) TMAP_MUST_USE;
/* Writes the product with the modes of both operands combined one by one: as blocks, or raked (cyclic). */
TMAP_API tmap_status tmap_cute_blocked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                               tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_cute_raked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                             tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* ---- Between two layouts ---- */

/*
 * Writes the positions of a run that is contiguous in both layouts: a(result(i)) = b(result(i)) = i. The result's size
 * is the number of elements that one vector access can move between the layouts; 1:0 if that number is 1. Source:
 * CuTe's max_common_layout.
 */
TMAP_API tmap_status tmap_cute_common(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
