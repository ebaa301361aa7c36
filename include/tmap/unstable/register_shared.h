/*
 * register: the shared-memory layouts and multi-functions of Tilus, with the modes of register.h.
 *
 * Dimensions are outermost first, offsets count elements. Errors are as in register.h: TMAP_REFUSED with the reason in
 * *error (may be NULL), outputs unchanged; an output may be one of the inputs; no function allocates.
 *
 * Differences from Tilus: a composition of swizzled layouts is refused, where Tilus drops the swizzle; a slice of a
 * swizzled layout must begin at a multiple of the swizzle's period, which Tilus does not check.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_REGISTER_SHARED_H
#define TMAP_REGISTER_SHARED_H

#include "tmap/unstable/register.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shared layouts ---- */

/* The offset of an element is the sum of the indices of its modes times their strides, swizzled. */
typedef struct tmap_shared_layout {
    tmap_modes modes;
    uint64_t strides[TMAP_MODES_MAX];
    tmap_xor swizzle; /* Tilus's Swizzle(base=m, bits=b, shift=s), never `outer`; b 0: none */
} tmap_shared_layout;

/*
 * Checks `parts` and writes their canonical form: no modes of size 1, and no neighbouring modes of a dimension that
 * could be one mode.
 */
TMAP_API tmap_status tmap_shared_make(const tmap_shared_layout *parts, tmap_shared_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_row_major(const uint64_t *shape, int rank, tmap_shared_layout *layout,
                                           tmap_diag *error) TMAP_NONNULL(3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_column_major(const uint64_t *shape, int rank, tmap_shared_layout *layout,
                                              tmap_diag *error) TMAP_NONNULL(3) TMAP_MUST_USE;
/*
 * Writes rows of the last dimension in column blocks of 16, 32, 64 or 128 bytes; each block is contiguous over all rows
 * and swizzled for tensor cores. Requires at least two dimensions. The dimension before the last must be a multiple of
 * 8, a row a multiple of 16 bytes, and the element's bits a power of two from 4 to 128.
 */
TMAP_API tmap_status tmap_shared_row_major_swizzle(const uint64_t *shape, int rank, uint64_t element_bits,
                                                   tmap_shared_layout *layout, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;

/* Returns the offset of an element; `index` must be inside the shape. */
TMAP_API uint64_t tmap_shared_offset(const tmap_shared_layout *layout, const uint64_t *index) TMAP_NONNULL(1, 2);
/* Returns the largest offset before the swizzle plus 1: Tilus's count_size. */
TMAP_API uint64_t tmap_shared_span(const tmap_shared_layout *layout) TMAP_NONNULL(1);

/*
 * Replaces every element of `outer` by a tensor with layout `inner`, at a distance of inner's span. Requires layouts
 * without swizzles.
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
/*
 * Adds a new outermost dimension of size `extent`, at a distance of the layout's span, for example for a pipeline's
 * stages.
 */
TMAP_API tmap_status tmap_shared_prepend(const tmap_shared_layout *layout, uint64_t extent,
                                         tmap_shared_layout *prepended, tmap_diag *error)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_reshape(const tmap_shared_layout *layout, const uint64_t *shape, int rank,
                                         tmap_shared_layout *reshaped, tmap_diag *error)
    TMAP_NONNULL(1, 4) TMAP_MUST_USE;
/*
 * Writes the elements from begin[d] on, extent[d] of them in dimension d: the offset of the first element and the
 * layout relative to it. Returns TMAP_REFUSED if no such layout expresses the box, or if the offset is inside the
 * swizzle's pattern.
 */
TMAP_API tmap_status tmap_shared_slice(const tmap_shared_layout *layout, const uint64_t *begin, const uint64_t *extent,
                                       tmap_shared_layout *slice, uint64_t *offset, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3, 4, 5) TMAP_MUST_USE;

/*
 * Convert to the same map over the row-major elements, on m, and back. The way back requires a layout of that shape on
 * m only, without replicas, offset and negative strides.
 */
TMAP_API tmap_status tmap_shared_to_layout(const tmap_shared_layout *layout, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
TMAP_API tmap_status tmap_shared_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                           tmap_shared_layout *out, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* Writes SharedLayout(shape=[…], mode_shape=[…], mode_strides=[…], swizzle=None), without a newline. */
TMAP_API void tmap_shared_print(tmap_sink *sink, const tmap_shared_layout *layout) TMAP_NONNULL(1, 2);
/*
 * Writes tmap_shared_print and the table of offsets of a layout of two dimensions, in a style of register.h. Returns
 * TMAP_BAD_ARGUMENT for another layout, for more elements than `cells_max`, or for an invalid style.
 */
TMAP_API tmap_status tmap_shared_grid(tmap_sink *sink, const tmap_shared_layout *layout, uint64_t cells_max, int style)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* ---- Multi-functions ----
 *
 * A map from an index to a set of numbers. A number is the row-major combination of the indices of the modes in `list`
 * and a value of each replication; the set has the numbers for all values. The threads of a register layout are a
 * multi-function, and so are its registers. A mode that is not in `list` does not change the numbers.
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
/* Returns number `replica` of an index; the numbers of an index ascend. */
TMAP_API uint64_t tmap_multi_number(const tmap_multi_function *function, const uint64_t *index, uint64_t replica)
    TMAP_NONNULL(1, 2);
/* As tmap_register_compose. */
TMAP_API tmap_status tmap_multi_compose(const tmap_multi_function *outer, const tmap_multi_function *inner,
                                        tmap_multi_function *function, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Returns whether for every index the numbers of `a` include all numbers of `b`. Returns false for different shapes. */
TMAP_API bool tmap_multi_covers(const tmap_multi_function *a, const tmap_multi_function *b) TMAP_NONNULL(1, 2);
/* Writes MultiFunction(shape=[…], mode_shape=[…], modes=[…]), without a newline. */
TMAP_API void tmap_multi_print(tmap_sink *sink, const tmap_multi_function *function) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
