/*
 * cute: layouts in the notation of CuTe, Shape:Stride with nested parentheses, and their algebra.
 *
 * A layout is a function from integers to integers: an integer coordinate is split over the leaves of the shape from
 * the left, the leftmost fastest (column-major, unlike Tilus and TIRx). A swizzle and an offset may stand before it:
 * Sw<B,M,S> o offset o Shape:Stride is swizzle(offset + layout(coordinate)).
 *
 * Sizes, and everything a layout reaches inside its size, are at most 2^62 in magnitude. A call that answers
 * TMAP_REFUSED says why in *error (may be NULL); outputs then stay as they were. An output may be one of the inputs.
 * Nothing is allocated.
 *
 * Where CuTe's functions have preconditions that its C++ code checks only sometimes, they are checked here: a
 * composition that would not be the function A(B(c)) is refused.
 * Unstable: what is declared here may change or go in any release (base.h).
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
    uint64_t shape; /* of a leaf */
    int64_t stride;
    int nodes_n; /* of the subtree, this one included */
    bool tuple;
} tmap_cute_node;

/* CuTe's Swizzle<bits, base, shift>: `bits` bits from base + |shift| on are XORed into those from base on, or for a
 * negative shift the other way round. */
typedef struct tmap_cute_swizzle {
    int bits, base, shift; /* bits 0: none */
} tmap_cute_swizzle;

typedef struct tmap_cute {
    tmap_cute_node nodes[TMAP_CUTE_NODES_MAX];
    int nodes_n;
    tmap_cute_swizzle swizzle;
    int64_t offset; /* before the swizzle */
} tmap_cute;

/* ---- Text ---- */

/*
 * Reads `(2,(2,2)):(4,(2,1))`, `8:1`, a shape alone (compact, the leftmost fastest), and `Sw<3,4,3> o 0 o …` or
 * `Swizzle<3,4,3> o …`; static integers (`_8`) are integers. An error has the place in the text.
 */
TMAP_API tmap_status tmap_cute_parse(const char *text, size_t size, tmap_cute *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
TMAP_API void tmap_cute_print(tmap_sink *sink, const tmap_cute *layout) TMAP_NONNULL(1, 2);

/* ---- The function ---- */

TMAP_API uint64_t tmap_cute_size(const tmap_cute *layout) TMAP_NONNULL(1);
/* One more than the value of the last coordinate; swizzle and offset left out. */
TMAP_API int64_t tmap_cute_cosize(const tmap_cute *layout) TMAP_NONNULL(1);
/* Of the modes at the top: of a single integer 1. */
TMAP_API int tmap_cute_rank(const tmap_cute *layout) TMAP_NONNULL(1);
/* The value of a coordinate, which must be below the size. */
TMAP_API int64_t tmap_cute_at(const tmap_cute *layout, uint64_t coordinate) TMAP_NONNULL(1);
/* The same with an integer for every mode at the top, each below the mode's size. */
TMAP_API int64_t tmap_cute_at_modes(const tmap_cute *layout, const uint64_t *coordinates) TMAP_NONNULL(1, 2);
/* Entry by entry. */
TMAP_API bool tmap_cute_equal(const tmap_cute *a, const tmap_cute *b) TMAP_NONNULL(1, 2);
/* Whether every coordinate of a is one of b: b's shape is a's with leaves split, sizes kept. */
TMAP_API bool tmap_cute_compatible(const tmap_cute *a, const tmap_cute *b) TMAP_NONNULL(1, 2);

/* ---- Making ---- */

/* A mode at the top; of a single integer, mode 0 is the layout. Swizzle and offset stay behind. */
TMAP_API tmap_status tmap_cute_mode(const tmap_cute *layout, int mode, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;
/* (first, second, …) without swizzles and offsets. */
TMAP_API tmap_status tmap_cute_concat(const tmap_cute *parts, int parts_n, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
/* A leaf or a flat tuple of n leaves. */
TMAP_API tmap_status tmap_cute_flat(const uint64_t *shape, const int64_t *strides, int n, tmap_cute *result,
                                    tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- As S/R/O, and back ---- */

/* The same map, on m, over the row-major elements of the shape whose dimensions are the modes at the top. */
TMAP_API tmap_status tmap_cute_to_layout(const tmap_cute *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* A mode for every dimension of the shape. Of a layout on m alone without replicas. */
TMAP_API tmap_status tmap_cute_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_cute *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- As register layouts, and back ---- */

/*
 * ((threads…), (values…)) to the element, the first dimension the fastest: what CuTe's traits call Layout_TV. Threads
 * that have the same elements step by 0.
 */
TMAP_API tmap_status tmap_register_to_cute(const tmap_register_layout *layout, tmap_cute *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Of a layout of two modes, threads and values, which together count every element of the shape once. */
TMAP_API tmap_status tmap_register_of_cute(const tmap_cute *layout, const uint64_t *shape, int rank,
                                           tmap_register_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- The algebra ---- */

/* The same function with as few leaves as can be, in one flat tuple. */
TMAP_API tmap_status tmap_cute_coalesce(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Every mode at the top by itself. */
TMAP_API tmap_status tmap_cute_coalesce_modes(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* a(b(c)), in the shape of b. Where b leaves a's size, a goes on along its last leaf that is not of shape 1. */
TMAP_API tmap_status tmap_cute_compose(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* The layout of the rest: increasing values below `cotarget`, rounded up, none of which the layout has. */
TMAP_API tmap_status tmap_cute_complement(const tmap_cute *layout, uint64_t cotarget, tmap_cute *result,
                                          tmap_diag *error) TMAP_NONNULL(1, 3) TMAP_MUST_USE;
/* Inverse where the layout is contiguous from 0: layout(result(i)) = i. */
TMAP_API tmap_status tmap_cute_right_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Of an injective layout: result(layout(c)) = c. */
TMAP_API tmap_status tmap_cute_left_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * What divides a layout, composes with it or repeats it: a layout, or where that is NULL a tiler for each of the first
 * modes_n modes, 1 and more of them, nested at most 8 deep. A shape (n0, n1, …) as a tiler is n0:1, n1:1, ….
 * Source: "Tilers" in CuTe's "Layout Algebra" chapter.
 */
typedef struct tmap_cute_tiler {
    const tmap_cute *layout;
    const struct tmap_cute_tiler *modes;
    int modes_n;
} tmap_cute_tiler;

/* Mode by mode, and modes past the tilers as they are. */
TMAP_API tmap_status tmap_cute_compose_by(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                          tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* How the tiles and rests of a division or product by mode are put together. */
typedef enum tmap_cute_nesting {
    TMAP_CUTE_LOGICAL, /* ((TileM, RestM), (TileN, RestN), L, …) */
    TMAP_CUTE_ZIPPED,  /* ((TileM, TileN), (RestM, RestN, L, …)) */
    TMAP_CUTE_TILED,   /* ((TileM, TileN), RestM, RestN, L, …) */
    TMAP_CUTE_FLAT,    /* (TileM, TileN, RestM, RestN, L, …) */
} tmap_cute_nesting;

/* Splits `a` into the elements that the tiler points to and the rest. */
TMAP_API tmap_status tmap_cute_divide(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                                      tmap_cute *result, tmap_diag *error) TMAP_NONNULL(2, 3, 4) TMAP_MUST_USE;
/* `a`, and its repetitions in the order of `tiler`. By mode, repetitions of one mode do not keep clear of the others:
 * the strides of the tilers must. */
TMAP_API tmap_status tmap_cute_product(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                                       tmap_cute *result, tmap_diag *error) TMAP_NONNULL(2, 3, 4) TMAP_MUST_USE;
/* The product with the modes of both put together one by one: as blocks, or raked (cyclic). */
TMAP_API tmap_status tmap_cute_blocked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                               tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_cute_raked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                             tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* ---- Between two layouts ---- */

/*
 * Where a run lies that is contiguous in both: a(result(i)) = b(result(i)) = i. Its size is how many elements one
 * vector access can carry from one to the other; 1:0 where that is one. Source: CuTe's max_common_layout.
 */
TMAP_API tmap_status tmap_cute_common(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
