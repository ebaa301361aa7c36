/*
 * Rows of containers for x86-64: reads a block of consecutive containers, permutes it once to its places, and writes
 * around the gaps. AVX-512 handles four containers at once, AVX2 two.
 */
#include "emu/containers.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WORD_B 4

/* Word w of place p comes from word w of container p ^ bits. */
#define TARGET  __attribute__((target("avx512f")))
#define BLOCK_B 64
#define BLOCK   __m512i
#define PLACES  _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
#define OF_FOUR _mm512_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3)
#define ORDER(bits)                                                                                                    \
    _mm512_add_epi32(OF_FOUR, _mm512_mullo_epi32(_mm512_set1_epi32(WORDS),                                             \
                                                 _mm512_xor_si512(PLACES, _mm512_set1_epi32((int)(bits)))))
#define PERMUTE(data, order) _mm512_permutexvar_epi32(order, data)
#define WRITE_VALUES(to, data)                                                                                         \
    _mm512_mask_storeu_epi32(to, _mm512_cmplt_epi32_mask(OF_FOUR, _mm512_set1_epi32(WORDS)), data)

#define WORDS             2
#define NAME(x)           avx512_##x##_of_8
#define READ_VALUES(from) _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(from)))
#include "emu/container_blocks.h"

#define WORDS             3
#define NAME(x)           avx512_##x##_of_12
#define READ_VALUES(from) _mm512_maskz_loadu_epi32(0xfff, from)
#include "emu/container_blocks.h"

#undef TARGET
#undef BLOCK_B
#undef BLOCK
#undef PLACES
#undef OF_FOUR
#undef ORDER
#undef PERMUTE
#undef WRITE_VALUES

/* Reads the gaps with the rest and writes them back: one plain store for each block. */
#define TARGET  __attribute__((target("avx2")))
#define BLOCK_B 32
#define BLOCK   __m256i
#define PLACES  _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)
#define OF_FOUR _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3)
#define ORDER(bits)                                                                                                    \
    _mm256_add_epi32(OF_FOUR, _mm256_mullo_epi32(_mm256_set1_epi32(WORDS),                                             \
                                                 _mm256_xor_si256(PLACES, _mm256_set1_epi32((int)(bits)))))
#define PERMUTE(data, order) _mm256_permutevar8x32_epi32(data, order)
#define READ(from)           _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define WRITE_VALUES(to, data)                                                                                         \
    _mm256_storeu_si256((__m256i *)(void *)(to), _mm256_blend_epi32(READ(to), data, ((1 << WORDS) - 1) * 0x11))

#define WORDS             2
#define NAME(x)           avx2_##x##_of_8
#define READ_VALUES(from) _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#include "emu/container_blocks.h"

#define WORDS   3
#define NAME(x) avx2_##x##_of_12
#define READ_VALUES(from)                                                                                              \
    _mm256_maskload_epi32((const int *)(const void *)(from), _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0))
#include "emu/container_blocks.h"

bool tmap_containers_put_blocks(const tmap_image *image, const tmap_container_rows *rows, tmap_blocks blocks) {
    uint32_t granule = rows->at | rows->at_step | rows->units_n * TMAP_CONTAINER_B;
    bool of_8 = rows->size == 8;
    if (blocks == TMAP_BLOCKS_AVX512 && granule % 64 == 0 && __builtin_cpu_supports("avx512f"))
        of_8 ? avx512_put_rows_of_8(image, rows) : avx512_put_rows_of_12(image, rows);
    else if (blocks == TMAP_BLOCKS_AVX2 && granule % 32 == 0 && __builtin_cpu_supports("avx2"))
        of_8 ? avx2_put_rows_of_8(image, rows) : avx2_put_rows_of_12(image, rows);
    else
        return false;
    return true;
}

/* Packs as many values as it can, thirty-two at once: a multiplication joins neighbours, then pairs; then the empty
 * fourth byte of every word is dropped. */
__attribute__((target("avx2"))) static uint32_t pack_sixes(uint8_t *to, const uint8_t *from, uint32_t count) {
    const __m256i low = _mm256_set1_epi8(0x3f), pairs = _mm256_set1_epi16(0x4001),
                  fours = _mm256_set1_epi32(0x10000001);
    const __m256i bytes = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8,
                                           9, 10, 12, 13, 14, -1, -1, -1, -1);
    const __m256i words = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
    uint32_t packed = 0;
    for (; packed + 32 <= count; packed += 32, to += 24) {
        __m256i values = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(from + packed)), low);
        values = _mm256_madd_epi16(_mm256_maddubs_epi16(values, pairs), fours);
        values = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(values, bytes), words);
        _mm256_storeu_si256((__m256i *)(void *)to, values);
    }
    return packed;
}

/* The same for sixty-four values. */
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) static uint32_t pack_more_sixes(uint8_t *to, const uint8_t *from,
                                                                                       uint32_t count) {
    static const uint8_t places[64] = {0,  1,  2,  4,  5,  6,  8,  9,  10, 12, 13, 14, 16, 17, 18, 20,
                                       21, 22, 24, 25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41,
                                       42, 44, 45, 46, 48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62};
    const __m512i low = _mm512_set1_epi8(0x3f), pairs = _mm512_set1_epi16(0x4001),
                  fours = _mm512_set1_epi32(0x10000001), bytes = _mm512_loadu_si512(places);
    uint32_t packed = 0;
    for (; packed + 64 <= count; packed += 64, to += 48) {
        __m512i values = _mm512_and_si512(_mm512_loadu_si512(from + packed), low);
        values = _mm512_madd_epi16(_mm512_maddubs_epi16(values, pairs), fours);
        _mm512_mask_storeu_epi64(to, 0x3f, _mm512_permutexvar_epi8(bytes, values));
    }
    return packed;
}

uint32_t tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count) {
    if (count >= 64 && __builtin_cpu_supports("avx512vbmi")) return pack_more_sixes(to, from, count);
    return __builtin_cpu_supports("avx2") ? pack_sixes(to, from, count) : 0;
}

#else

#if !defined(__aarch64__) /* containers_neon.c */
uint32_t tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count) {
    (void)to, (void)from, (void)count;
    return 0;
}
#endif

bool tmap_containers_put_blocks(const tmap_image *image, const tmap_container_rows *rows, tmap_blocks blocks) {
    (void)image, (void)rows, (void)blocks;
    return false;
}

#endif
