/*
 * register: layouts in the notation of Tilus. A tensor's dimensions are split into modes. A register layout assigns
 * every mode to the threads (spatial) or to the registers of a thread (local); a shared layout gives every mode a
 * stride in shared memory; a multi-function has a list of some modes and maps an index to a set of numbers.
 *
 * Dimensions are outermost first and everything is row-major here, as in Tilus: of two entries of a list the later one
 * is faster. An entry -n of a list is a replication by n: n threads have the same element. Every returned layout is in
 * canonical form: no mode of size 1, and no two neighbouring modes of one dimension that are also neighbours in one
 * list. Two layouts without replication are the same map if and only if they are equal.
 *
 * Differences from Tilus: a mode in no list is refused; flatten includes its last dimension, as Tilus's document
 * states; reshape also splits modes that continue across dimensions; the results of reshape and flatten are canonical,
 * too; left division finds every existing quotient.
 *
 * A function that returns TMAP_REFUSED writes the reason to *error (may be NULL) and does not change its outputs. An
 * output may be one of the inputs. No function allocates.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_REGISTER_H
#define TMAP_REGISTER_H

#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements, threads and spans are at most 2^62, so 62 modes of size 2 or more are enough. Inputs may also have modes of
 * size 1. */
#define TMAP_MODES_MAX     64
#define TMAP_MODE_RANK_MAX 16
#define TMAP_MODE_SIZE_MAX ((uint64_t)1 << 62)

/* A shape, and its dimensions split into modes, both outermost first. */
typedef struct tmap_modes {
    int rank, n;
    uint64_t shape[TMAP_MODE_RANK_MAX];
    uint64_t size[TMAP_MODES_MAX];
} tmap_modes;

/* Indices of modes, slowest first, and -n for a replication by n. */
typedef struct tmap_mode_list {
    int n;
    int64_t at[TMAP_MODES_MAX];
} tmap_mode_list;

typedef struct tmap_register_layout {
    tmap_modes modes;
    tmap_mode_list spatial, local;
} tmap_register_layout;

/* ---- Making ---- */

/* Checks the four lists of `parts` and writes their canonical form: Tilus's register_layout(). */
TMAP_API tmap_status tmap_register_make(const tmap_register_layout *parts, tmap_register_layout *layout,
                                        tmap_diag *error) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* The list of the modes of a new layout, which has one mode for each dimension. */
typedef enum tmap_register_kind {
    TMAP_REGISTER_LOCAL, /* all elements in one thread; `repeat` is the older name */
    TMAP_REGISTER_SPATIAL,
} tmap_register_kind;

/*
 * Writes local(shape) or spatial(shape). `ranks` (NULL: 0, 1, …) is the position of each dimension in the order, 0 the
 * slowest; reversed ranks give column_local and column_spatial.
 */
TMAP_API tmap_status tmap_register_fresh(tmap_register_kind kind, const uint64_t *shape, int rank, const int *ranks,
                                         tmap_register_layout *layout, tmap_diag *error) TMAP_NONNULL(5) TMAP_MUST_USE;
/* Writes column_local(shape) or column_spatial(shape). */
TMAP_API tmap_status tmap_register_column(tmap_register_kind kind, const uint64_t *shape, int rank,
                                          tmap_register_layout *layout, tmap_diag *error) TMAP_NONNULL(4) TMAP_MUST_USE;
/* Writes the layout in which each of `workers_n` threads has all elements of local(shape). */
TMAP_API tmap_status tmap_register_replicated(const uint64_t *shape, int rank, uint64_t workers_n,
                                              tmap_register_layout *layout, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
/*
 * Writes local(…).spatial(…) for `threads_n` threads: from the last dimension on, as many threads as divide each
 * dimension. Remaining threads become replicas. The number of elements must be a multiple of the number of threads, or
 * the reverse.
 */
TMAP_API tmap_status tmap_register_auto(uint64_t threads_n, const uint64_t *shape, int rank,
                                        tmap_register_layout *layout, tmap_diag *error) TMAP_NONNULL(4) TMAP_MUST_USE;

/* ---- The map ---- */

TMAP_API uint64_t tmap_register_threads_n(const tmap_register_layout *layout) TMAP_NONNULL(1); /* replicas counted */
TMAP_API uint64_t tmap_register_replicas_n(const tmap_register_layout *layout)
    TMAP_NONNULL(1); /* threads that have the same element */
TMAP_API uint64_t tmap_register_locals_n(const tmap_register_layout *layout)
    TMAP_NONNULL(1); /* elements in one thread */
TMAP_API uint64_t tmap_modes_elements_n(const tmap_modes *modes) TMAP_NONNULL(1);

/*
 * Return the thread and the register of an element. `index` must be inside the shape; `replica` is less than
 * tmap_register_replicas_n, and threads ascend with it. For all elements of a layout call tmap_register_to_layout once,
 * then tmap_layout_offsets for each axis: it writes the numbers of many elements in one call.
 */
TMAP_API uint64_t tmap_register_thread(const tmap_register_layout *layout, const uint64_t *index, uint64_t replica)
    TMAP_NONNULL(1, 2);
TMAP_API uint64_t tmap_register_local(const tmap_register_layout *layout, const uint64_t *index) TMAP_NONNULL(1, 2);
/* Writes the element that thread `thread` has in register `local`; both must be less than their counts. */
TMAP_API void tmap_register_index(const tmap_register_layout *layout, uint64_t thread, uint64_t local, uint64_t *index)
    TMAP_NONNULL(1, 4);

/* Writes the index of every mode for one element. */
TMAP_API void tmap_modes_split_index(const tmap_modes *modes, const uint64_t *index, uint64_t *of_mode)
    TMAP_NONNULL(1, 2, 3);

/* ---- Equality ---- */

/* Returns whether both are the same map: replications by 2 and 3 in sequence equal one by 6. */
TMAP_API bool tmap_register_same(const tmap_register_layout *a, const tmap_register_layout *b) TMAP_NONNULL(1, 2);

/* ---- Operations ---- */

/*
 * Replaces every element of `outer` by a tensor with layout `inner`: a.b in Tilus's chains. Missing outer dimensions
 * are 1. The operation is associative.
 */
TMAP_API tmap_status tmap_register_compose(const tmap_register_layout *outer, const tmap_register_layout *inner,
                                           tmap_register_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Concatenates the dimensions: those of `left`, then those of `right`. */
TMAP_API tmap_status tmap_register_concat(const tmap_register_layout *left, const tmap_register_layout *right,
                                          tmap_register_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Writes the q for which compose(q, inner) is the same as `whole`. */
TMAP_API tmap_status tmap_register_divide(const tmap_register_layout *whole, const tmap_register_layout *inner,
                                          tmap_register_layout *quotient, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Writes the q for which compose(outer, q) is the same as `whole`. */
TMAP_API tmap_status tmap_register_left_divide(const tmap_register_layout *whole, const tmap_register_layout *outer,
                                               tmap_register_layout *quotient, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * Writes the layout after a reduction over `dims`: threads along these dimensions become replicas, registers along them
 * are removed. The dimensions are removed, or keep size 1 (`keep`).
 */
TMAP_API tmap_status tmap_register_reduce(const tmap_register_layout *layout, const int *dims, int dims_n, bool keep,
                                          tmap_register_layout *reduced, tmap_diag *error)
    TMAP_NONNULL(1, 5) TMAP_MUST_USE;
/*
 * Reduces to `shape`, the inverse of broadcasting: every dimension stays or becomes 1, leading dimensions may be
 * missing.
 */
TMAP_API tmap_status tmap_register_reduce_to(const tmap_register_layout *layout, const uint64_t *shape, int rank,
                                             tmap_register_layout *reduced, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* Permutes dimensions: dimension i of the result is dimension dims[i]. */
TMAP_API tmap_status tmap_register_permute(const tmap_register_layout *layout, const int *dims, int dims_n,
                                           tmap_register_layout *permuted, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_register_squeeze(const tmap_register_layout *layout, const int *dims, int dims_n,
                                           tmap_register_layout *squeezed, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* Inserts dimensions of size 1; `dims` are positions in the result. */
TMAP_API tmap_status tmap_register_unsqueeze(const tmap_register_layout *layout, const int *dims, int dims_n,
                                             tmap_register_layout *unsqueezed, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/*
 * Writes the same elements, row-major, in another shape. Returns TMAP_REFUSED if a mode would cross a dimension's
 * border unevenly.
 */
TMAP_API tmap_status tmap_register_reshape(const tmap_register_layout *layout, const uint64_t *shape, int rank,
                                           tmap_register_layout *reshaped, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* Merges dimensions `first` to `last`, both included, into one; a negative number counts from the end. */
TMAP_API tmap_status tmap_register_flatten(const tmap_register_layout *layout, int first, int last,
                                           tmap_register_layout *flat, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- As S/R/O, and back ---- */

/*
 * Writes the same map over the row-major elements: threads, including replicas, are on `threads`, an axis of threads;
 * registers are on m.
 */
TMAP_API tmap_status tmap_register_to_layout(const tmap_register_layout *layout, const tmap_axis *threads,
                                             tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * Converts a layout of that shape whose threads, after tmap_layout_fused, are one axis, and whose threads and registers
 * are numbered densely from 0; without offset and swizzle.
 */
TMAP_API tmap_status tmap_register_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                             tmap_register_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- Text ---- */

/* Writes RegisterLayout(shape=[…], mode_shape=[…], spatial_modes=[…], local_modes=[…]), without a newline. */
TMAP_API void tmap_register_print(tmap_sink *sink, const tmap_register_layout *layout) TMAP_NONNULL(1, 2);
/* The styles of tables, by number; 0 is simple_grid, boxes of thin lines. The names are those of Python's tabulate. */
TMAP_API const char *tmap_table_style_name(int style);                /* NULL after the last */
TMAP_API int tmap_table_style_find(const char *name) TMAP_NONNULL(1); /* -1: no style has this name */
/*
 * Writes tmap_register_print and a newline, then the table of Tilus's visualize_layout in a style: `thread: local` in
 * each cell, a table for every index of the dimensions before the last two. Returns TMAP_BAD_ARGUMENT, and writes
 * nothing, for more cells (including replicas) than `cells_max`, more columns than TMAP_GRID_COLUMNS_MAX, or an invalid
 * style.
 */
#define TMAP_GRID_COLUMNS_MAX 4096
TMAP_API tmap_status tmap_register_grid(tmap_sink *sink, const tmap_register_layout *layout, uint64_t cells_max,
                                        int style) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
