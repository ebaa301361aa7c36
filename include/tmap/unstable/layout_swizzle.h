/*
 * layout: swizzles of addresses that count elements, and the banks of shared memory that contain elements.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_LAYOUT_SWIZZLE_H
#define TMAP_LAYOUT_SWIZZLE_H

#include "tmap/hw.h"
#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the swizzled address; `address` must be at least 0. Applying a swizzle twice gives the original address. */
TMAP_API int64_t tmap_xor_apply(const tmap_xor *swizzle, int64_t address) TMAP_NONNULL(1);
/* Returns the number of elements after which the pattern repeats: 2^(m + b + s). */
TMAP_API int64_t tmap_xor_period(const tmap_xor *swizzle) TMAP_NONNULL(1);

/*
 * Writes the swizzle of a hardware mode for elements of `bits` (1, 2, 4, 8, 16, 32, 64 or 128): bits of byte addresses
 * become bits of element addresses, shifted by the element's size. Returns TMAP_REFUSED for other bits, for modes that
 * are not one XOR of adjacent bits, and for elements larger than the mode's atom.
 */
TMAP_API tmap_status tmap_xor_of_mode(int bits, tmap_swizzle mode, tmap_xor *swizzle, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
/* Returns the mode that equals a swizzle of elements of `bits` bits; -1 if no mode does. */
TMAP_API int tmap_xor_mode(const tmap_xor *swizzle, int bits) TMAP_NONNULL(1);

/*
 * Returns the widest of 128B, 64B and 32B whose span divides a row of `columns` elements; the mode `none` if no span
 * does ("Which mode should you pick?" in Data Layout and Its Notation).
 */
TMAP_API tmap_swizzle tmap_swizzle_fitting(int bits, int64_t columns);

/*
 * Converts CuTe's Swizzle<B,M,S>: the same three numbers in another order, S negative if `outer`. Returns TMAP_REFUSED
 * if |S| < B or M < 0.
 */
TMAP_API tmap_status tmap_xor_of_cute(int b, int m, int s, tmap_xor *swizzle, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
TMAP_API void tmap_xor_cute(const tmap_xor *swizzle, int *b, int *m, int *s) TMAP_NONNULL(1, 2, 3, 4);

/* A linear map over the bits of addresses. */
typedef struct tmap_bit_map {
    bool is_swizzle; /* `swizzle` equals the map for every address of the layout */
    bool is_two;     /* not one swizzle, but `swizzle` followed by `second`; found for addresses of up to 24 bits */
    tmap_xor swizzle, second;
    int bits_n;
    uint64_t of[62]; /* bit k becomes the XOR of the bits set in of[k]; bits that no element determines are unchanged */
} tmap_bit_map;

/*
 * Writes the map from the address of every element in `a` to its address in `b`: one swizzle if possible, else two in
 * sequence if possible, and always the map over bits. Enumerates all elements. Returns TMAP_REFUSED for layouts of
 * different sizes, with axes other than m or with replicas, and if no linear map exists.
 */
TMAP_API tmap_status tmap_xor_between(const tmap_layout *a, const tmap_layout *b, tmap_bit_map *map, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Combines two swizzles, `first` before `second`, into one. Returns false if together they are not one XOR of adjacent
 * bits.
 */
TMAP_API bool tmap_xor_combine(const tmap_xor *second, const tmap_xor *first, tmap_xor *both) TMAP_NONNULL(1, 2, 3);

/*
 * Applies `swizzle` after a layout on the axis m and after the layout's own swizzle. Returns TMAP_REFUSED if both
 * swizzles together are not one swizzle, or the layout has other axes.
 */
TMAP_API tmap_status tmap_layout_compose(const tmap_xor *swizzle, const tmap_layout *tile, tmap_layout *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Writes the atom of a mode: 8 rows of its span, row-major, swizzled; for `none`, rows of 16 bytes. */
TMAP_API tmap_status tmap_layout_atom(int bits, tmap_swizzle mode, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* The position of an element of `bits` bits at address `address`, in elements, at least 0. Banks hold 4-byte words. */
typedef struct tmap_bank {
    int64_t byte; /* address in bytes; rounded down for types below 8 bits */
    int bank;     /* 0..31 */
    int64_t line; /* number of the 128-byte line */
} tmap_bank;
TMAP_API tmap_bank tmap_bank_of(int64_t address, int bits);

#ifdef __cplusplus
}
#endif

#endif
