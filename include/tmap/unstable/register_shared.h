/*
 * register: the shared-memory layouts and multi-functions of Tilus, on the modes of register.h.
 *
 * Dimensions outermost first, offsets in elements. Errors as in register.h: TMAP_REFUSED with the reason in
 * *error (may be NULL), outputs untouched; an output may be one of the inputs; nothing is allocated.
 *
 * Differences to Tilus: composing swizzled layouts is refused where Tilus drops the swizzle; a slice of a swizzled
 * layout must begin at a multiple of the swizzle's period, where Tilus does not look.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_REGISTER_SHARED_H
#define TMAP_REGISTER_SHARED_H

#include "tmap/unstable/register.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shared layouts ---- */

/* Offset bits base+shift up to base+shift+bits are XORed into those from base up: CuTe's Swizzle<bits, base, shift>. */
typedef struct tmap_shared_swizzle {
    int base, bits, shift; /* bits 0: none */
} tmap_shared_swizzle;

/* The offset of an element is the sum of the indices of its modes times their strides, swizzled. */
typedef struct tmap_shared_layout {
    tmap_modes modes;
    uint64_t strides[TMAP_MODES_MAX];
    tmap_shared_swizzle swizzle;
} tmap_shared_layout;

/* Checks `parts` and puts their canonical form: no units, no neighbouring modes of a dimension that are one run. */
TMAP_API tmap_status tmap_shared_make(const tmap_shared_layout *parts, tmap_shared_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_row_major(const uint64_t *shape, int rank, tmap_shared_layout *layout,
                                           tmap_diag *error) TMAP_NONNULL(3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_column_major(const uint64_t *shape, int rank, tmap_shared_layout *layout,
                                              tmap_diag *error) TMAP_NONNULL(3) TMAP_MUST_USE;
/*
 * Rows of the last dimension in column blocks of 16, 32, 64 or 128 bytes, each block contiguous over all rows and
 * swizzled as tensor cores read it. At least two dimensions; the one before the last a multiple of 8, a row a multiple
 * of 16 bytes; elements of 4 to 128 bits, a power of two.
 */
TMAP_API tmap_status tmap_shared_row_major_swizzle(const uint64_t *shape, int rank, uint64_t element_bits,
                                                   tmap_shared_layout *layout, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;

/* Where an element lies; `index` must be inside the shape. */
TMAP_API uint64_t tmap_shared_offset(const tmap_shared_layout *layout, const uint64_t *index) TMAP_NONNULL(1, 2);
/* One more than the largest offset before the swizzle: Tilus's count_size. */
TMAP_API uint64_t tmap_shared_span(const tmap_shared_layout *layout) TMAP_NONNULL(1);
TMAP_API bool tmap_shared_equal(const tmap_shared_layout *a, const tmap_shared_layout *b) TMAP_NONNULL(1, 2);

/* Every element of `outer` becomes a tensor laid out by `inner`, one span of `inner` after another. Without swizzles.
 */
TMAP_API tmap_status tmap_shared_compose(const tmap_shared_layout *outer, const tmap_shared_layout *inner,
                                         tmap_shared_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_permute(const tmap_shared_layout *layout, const int *dims, int dims_n,
                                         tmap_shared_layout *permuted, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_unsqueeze(const tmap_shared_layout *layout, const int *dims, int dims_n,
                                           tmap_shared_layout *unsqueezed, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/* `extent` of them one span after another: a new outermost dimension, of a pipeline's stages for example. */
TMAP_API tmap_status tmap_shared_prepend(const tmap_shared_layout *layout, uint64_t extent,
                                         tmap_shared_layout *prepended, tmap_diag *error)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_reshape(const tmap_shared_layout *layout, const uint64_t *shape, int rank,
                                         tmap_shared_layout *reshaped, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/*
 * The elements from begin[d] on, extent[d] of them in dimension d: the offset of the first and the layout relative to
 * it. Refused where the box is none of such a layout, or the offset is inside the swizzle's pattern.
 */
TMAP_API tmap_status tmap_shared_slice(const tmap_shared_layout *layout, const uint64_t *begin, const uint64_t *extent,
                                       tmap_shared_layout *slice, uint64_t *offset, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/* The same map over the row-major elements, on m, and back: of a layout of that shape on m alone, without replicas and
 * offset and without negative strides. */
TMAP_API tmap_status tmap_shared_to_layout(const tmap_shared_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                           tmap_shared_layout *out, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* SharedLayout(shape=[…], mode_shape=[…], mode_strides=[…], swizzle=None), without a newline. */
TMAP_API void tmap_shared_print(tmap_sink *sink, const tmap_shared_layout *layout) TMAP_NONNULL(1, 2);
/* The print and the table of offsets of a layout of two dimensions, in a style of register.h; TMAP_BAD_ARGUMENT
 * for another layout, for more elements than `cells_max`, or for no such style. */
TMAP_API tmap_status tmap_shared_grid(tmap_sink *sink, const tmap_shared_layout *layout, uint64_t cells_max, int style)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* ---- Multi-functions ----
 *
 * From an index to a set of numbers: the modes of `list` and all values of its replications, as one row-major number.
 * The threads of a register layout are one, its registers another. Modes of no list have no part in it.
 */
typedef struct tmap_multi_function {
    tmap_modes modes;
    tmap_mode_list list;
} tmap_multi_function;

TMAP_API tmap_status tmap_multi_make(const tmap_multi_function *parts, tmap_multi_function *function, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API tmap_multi_function tmap_register_threads(const tmap_register_layout *layout) TMAP_NONNULL(1);
TMAP_API tmap_multi_function tmap_register_locals(const tmap_register_layout *layout) TMAP_NONNULL(1);
TMAP_API uint64_t tmap_multi_replicas_n(const tmap_multi_function *function) TMAP_NONNULL(1);
/* The replica-th of the numbers of an index, ascending. */
TMAP_API uint64_t tmap_multi_number(const tmap_multi_function *function, const uint64_t *index, uint64_t replica)
    TMAP_NONNULL(1, 2);
/* As compose of register layouts. */
TMAP_API tmap_status tmap_multi_compose(const tmap_multi_function *outer, const tmap_multi_function *inner,
                                        tmap_multi_function *function, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Whether for every index all numbers of `b` are among those of `a`. False for different shapes. */
TMAP_API bool tmap_multi_covers(const tmap_multi_function *a, const tmap_multi_function *b) TMAP_NONNULL(1, 2);
/* MultiFunction(shape=[…], mode_shape=[…], modes=[…]), without a newline. */
TMAP_API void tmap_multi_print(tmap_sink *sink, const tmap_multi_function *function) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
