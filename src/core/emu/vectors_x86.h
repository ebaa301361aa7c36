/* emu: the vectors of x86-64, AVX-512 and AVX2. */
#pragma once

#include "emu/permute.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* The order of the 8-byte parts of 64 bytes in a line with a swizzle mask: part i moves to place i ^ mask / 8.
 * Instructions ignore the bits of an order above the number of parts. */
#define TMAP_ORDER_512(mask) _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((mask) / 8))

/* The same of the 4-byte parts of 32 bytes. */
#define TMAP_ORDER_256(mask)                                                                                           \
    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)((mask) / 4)))

/* The mask of bytes `first` to `end` - 1 of 64 bytes; `first` and `end` may be outside. */
static inline uint64_t tmap_bytes_between(int64_t first, int64_t end) {
    uint64_t before_first = first <= 0 ? 0 : first >= 64 ? UINT64_MAX : (UINT64_C(1) << first) - 1;
    uint64_t before_end = end <= 0 ? 0 : end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return before_end & ~before_first;
}

/* Rows that are parts of a block or of a line, and rows with fill of any width: masks select the bytes. */
void tmap_part_get_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_part_put_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_line_part_get_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_put_edges_avx512(const tmap_image *image, uint8_t *bytes, const tmap_block *block, tmap_edges edges);
#endif
