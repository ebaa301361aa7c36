/*
 * layout: swizzles of addresses in elements, and the banks of shared memory that elements lie in.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_LAYOUT_SWIZZLE_H
#define TMAP_LAYOUT_SWIZZLE_H

#include "tmap/hw.h"
#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The address that an address becomes; `address` is 0 or more. Applied twice it gives the address back. */
TMAP_API int64_t tmap_xor_apply(const tmap_xor *swizzle, int64_t address) TMAP_NONNULL(1);
/* After how many elements the pattern repeats: 2^(m + b + s). */
TMAP_API int64_t tmap_xor_period(const tmap_xor *swizzle) TMAP_NONNULL(1);

/*
 * The swizzle of a hardware mode for elements of `bits` (4, 8, 16, 32 or 64): bits of byte addresses are bits of
 * element addresses moved by the element's size. Refused for modes that are not one XOR of neighbouring bits, and for
 * elements that do not fit what the mode keeps together.
 */
TMAP_API tmap_status tmap_xor_of_mode(int bits, tmap_swizzle mode, tmap_xor *swizzle, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;
/* Which mode a swizzle is for elements of `bits`; -1 for none of them. */
TMAP_API int tmap_xor_mode(const tmap_xor *swizzle, int bits) TMAP_NONNULL(1);

/*
 * The widest of 128B, 64B and 32B whose span a row of `columns` elements is a multiple of, or none ("Which mode should
 * you pick?" in Data Layout and Its Notation).
 */
TMAP_API tmap_swizzle tmap_swizzle_fitting(int bits, int64_t columns);

/*
 * CuTe's Swizzle<B,M,S>: the same three numbers in another order, S negative where it is `outer`. Refused where |S| < B
 * or M < 0.
 */
TMAP_API tmap_status tmap_xor_of_cute(int b, int m, int s, tmap_xor *swizzle, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
TMAP_API void tmap_xor_cute(const tmap_xor *swizzle, int *b, int *m, int *s) TMAP_NONNULL(1, 2, 3, 4);

/* A linear map over the bits of addresses. */
typedef struct tmap_bit_map {
    bool is_swizzle; /* then `swizzle` does the same to every address of the layout */
    bool is_two; /* no one swizzle, but `swizzle` and then `second` do so; looked for in addresses of up to 24 bits */
    tmap_xor swizzle, second;
    int bits_n;
    uint64_t of[62]; /* bit k becomes the XOR of the bits that of[k] has set; bits that no element decides stay */
} tmap_bit_map;

/*
 * What turns the address of every element under `a` into that under `b`: a swizzle where one does, two in a row where
 * these do, and in any case the map over bits. Goes through all elements. Refused: layouts of different sizes, with
 * other axes than m or replicas, and where no linear map does it.
 */
TMAP_API tmap_status tmap_xor_between(const tmap_layout *a, const tmap_layout *b, tmap_bit_map *map, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* Two swizzles, `first` before `second`, as one: false where they are no XOR of neighbouring bits together. */
TMAP_API bool tmap_xor_combine(const tmap_xor *second, const tmap_xor *first, tmap_xor *both) TMAP_NONNULL(1, 2, 3);

/* A layout on the axis m with a swizzle behind which it stands; its own swizzle is applied before that. Refused where
 * the two are not one swizzle together, or the layout has other axes. */
TMAP_API tmap_status tmap_layout_compose(const tmap_xor *swizzle, const tmap_layout *tile, tmap_layout *out,
                                         tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* The atom of a mode: 8 rows of its span, row-major, swizzled; of `none`, rows of 16 bytes. */
TMAP_API tmap_status tmap_layout_atom(int bits, tmap_swizzle mode, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* Where an element of `bits` at address `address` (in elements) begins: 4-byte words are numbered from 0. */
typedef struct tmap_bank {
    int64_t byte; /* rounded down for types below 8 bits */
    int bank;     /* 0..31 */
    int64_t line; /* of 128 bytes */
} tmap_bank;
TMAP_API tmap_bank tmap_bank_of(int64_t address, int bits);

#ifdef __cplusplus
}
#endif

#endif
