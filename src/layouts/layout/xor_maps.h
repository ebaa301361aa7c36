/* layout: linear maps over the bits of addresses, from pairs of an address and its image. */
#pragma once

#include "tmap/unstable/layout_swizzle.h"

/* Whether 0 <= M, 0 <= B <= S and M + B + S <= 62. */
bool tmap_xor_exists(int64_t m, int64_t b, int64_t s);
tmap_status tmap_refuse_xor(int m, int b, int s, tmap_diag *error);
/* Whether two swizzles are the same function. */
bool tmap_xor_same(const tmap_xor *a, const tmap_xor *b);

enum { TMAP_ADDRESS_BITS = 62 };

typedef struct tmap_bit_pairs {
    uint64_t from[TMAP_ADDRESS_BITS], to[TMAP_ADDRESS_BITS]; /* from[i] has i as its highest bit, or is 0 */
} tmap_bit_pairs;

/* The number of the highest bit; -1 for 0. */
static inline int tmap_highest_bit(uint64_t bits) {
    return bits ? 63 - __builtin_clzll(bits) : -1;
}

/* The logarithm; -1 if `size` is not a power of two. */
static inline int tmap_log2_of(uint64_t size) {
    return size & (size - 1) ? -1 : tmap_highest_bit(size);
}

/* Returns false if the pair contradicts earlier pairs. */
bool tmap_bit_pairs_add(tmap_bit_pairs *known, uint64_t from, uint64_t to);
/* The image of an address that is a sum of known addresses. Returns false for every other address. */
bool tmap_bit_pairs_find(const tmap_bit_pairs *known, uint64_t from, uint64_t *to);
/* The inverse of a matrix of n columns and n rows, by columns. Returns false for a singular matrix. */
bool tmap_bit_inverse(const uint64_t *columns, int n, uint64_t *inverse);
/* The image of an address. Bits that no pair determines are unchanged. */
uint64_t tmap_bit_image(const tmap_bit_pairs *known, uint64_t from);
/* The swizzle below bit `top` that agrees with all pairs; of several, the one with the fewest bits, then the lowest. */
bool tmap_bit_swizzle(const tmap_bit_pairs *known, int top, tmap_xor *swizzle);
/* Two swizzles below bit `top`, applied one after the other; of several pairs, one with the fewest bits in the
 * first. */
bool tmap_bit_two_swizzles(const tmap_bit_pairs *known, int top, tmap_xor *first, tmap_xor *second);
