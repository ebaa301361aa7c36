/* Block kernels for x86-64: with AVX-512 64 bytes in pieces of 8, with AVX2 32 bytes in pieces of 4. */
#include "emu/permute.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define LINE_B 128

#define TARGET  __attribute__((target("avx512f")))
#define BLOCK_B 64
#define NAME(x) avx512_##x
#define MOVE_BLOCK(to, from, mask)                                                                                     \
    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(_mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),       \
                                                                      _mm512_set1_epi64((mask) / 8)),                  \
                                                     _mm512_loadu_si512(from)))
#include "emu/permute_blocks.h"
#undef TARGET
#undef BLOCK_B
#undef NAME
#undef MOVE_BLOCK

#define TARGET  __attribute__((target("avx2")))
#define BLOCK_B 32
#define NAME(x) avx2_##x
#define MOVE_BLOCK(to, from, mask)                                                                                     \
    _mm256_storeu_si256((__m256i *)(void *)(to),                                                                       \
                        _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from)),         \
                                                    _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),        \
                                                                     _mm256_set1_epi32((int)((mask) / 4)))))
#include "emu/permute_blocks.h"

bool tmap_image_move_blocks(const tmap_image *image, const tmap_rows *rows, bool put) {
    uint32_t granule = rows->at | rows->at_step | rows->size;
    if (granule % 64 == 0 && __builtin_cpu_supports("avx512f"))
        avx512_rows(image, rows, put);
    else if (granule % 32 == 0 && __builtin_cpu_supports("avx2"))
        avx2_rows(image, rows, put);
    else
        return false;
    return true;
}

#else

bool tmap_image_move_blocks(const tmap_image *image, const tmap_rows *rows, bool put) {
    (void)image, (void)rows, (void)put;
    return false;
}

#endif
