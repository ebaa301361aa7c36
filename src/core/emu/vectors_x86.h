/* emu: the vectors of x86-64: AVX-512 with instructions for bytes (F, BW and VL), and AVX2. */
#pragma once

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TMAP_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

/* The order of the first eight of a line's 16 parts of 8 bytes, in a line with a swizzle mask: part i moves to place
 * i ^ mask / 8. */
#define TMAP_LINE_ORDER_512(mask)                                                                                      \
    _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((mask) / 8))

/* The same within 64 bytes. */
#define TMAP_ORDER_512(mask) TMAP_LINE_ORDER_512((mask) % 64)

/* As TMAP_ORDER_512, for the 4-byte parts of 32 bytes. */
#define TMAP_ORDER_256(mask)                                                                                           \
    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)((mask) % 32 / 4)))

/* Makes each size of a row a function of its own. Builds with sanitizers or without optimization, in which gcc would
 * compile one such file for a minute, call the functions instead. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define TMAP_ALWAYS_INLINE static inline
#else
#define TMAP_ALWAYS_INLINE __attribute__((always_inline)) static inline
#endif

static inline bool tmap_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#endif
