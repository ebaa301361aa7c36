/* Block kernels for x86-64: with AVX-512 64 bytes in pieces of 8, with AVX2 32 bytes in pieces of 4. */
#include "emu/permute.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET               __attribute__((target("avx512f")))
#define BLOCK_B              64
#define NAME(x)              avx512_##x
#define BLOCK                __m512i
#define READ(from)           _mm512_loadu_si512(from)
#define WRITE(to, data)      _mm512_storeu_si512(to, data)
#define ORDER(mask)          _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((mask) % BLOCK_B / 8))
#define PERMUTE(data, order) _mm512_permutexvar_epi64(order, data)
#include "emu/permute_blocks.h"

#define TARGET          __attribute__((target("avx2")))
#define BLOCK_B         32
#define NAME(x)         avx2_##x
#define BLOCK           __m256i
#define READ(from)      _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define WRITE(to, data) _mm256_storeu_si256((__m256i *)(void *)(to), data)
#define ORDER(mask)                                                                                                    \
    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)((mask) % BLOCK_B / 4)))
#define PERMUTE(data, order) _mm256_permutevar8x32_epi32(data, order)
#include "emu/permute_blocks.h"

const tmap_kernels *tmap_kernels_x86(tmap_blocks blocks) {
    if (blocks == TMAP_BLOCKS_AVX512 && __builtin_cpu_supports("avx512f")) return &avx512_kernels;
    if (blocks == TMAP_BLOCKS_AVX2 && __builtin_cpu_supports("avx2")) return &avx2_kernels;
    return NULL;
}

#else

const tmap_kernels *tmap_kernels_x86(tmap_blocks blocks) {
    (void)blocks;
    return NULL;
}

#endif
