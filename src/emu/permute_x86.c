/* Block kernels for x86-64: AVX-512 moves 64 bytes in pieces of 8, AVX2 moves 32 bytes in pieces of 4. */
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET_512 TMAP_TARGET_AVX512

#define TARGET               TARGET_512
#define BLOCK_B              64
#define NAME(x)              avx512_##x
#define BLOCK                __m512i
#define READ(from)           _mm512_loadu_si512(from)
#define WRITE(to, data)      _mm512_storeu_si512(to, data)
#define ORDER(mask)          TMAP_ORDER_512(mask)
#define PERMUTE(data, order) _mm512_permutexvar_epi64(order, data)
#define EXCHANGE(data, mask) PERMUTE(data, ORDER(mask))
#include "emu/permute_blocks.h"

/* Rows that are each inside one block and shorter than it: a mask selects the bytes of the block and is permuted
 * too. */
TARGET_512 TMAP_ALWAYS_INLINE void part_rows(const tmap_image *image, const tmap_rows *rows, bool put) {
    const tmap_image here = *image;
    uint32_t skip = rows->at % 64, at = rows->at - skip, at_step = rows->at_step;
    uint8_t *row = rows->row - skip;
    uint64_t row_step = rows->row_step;
    __mmask64 bytes = (((uint64_t)1 << rows->size) - 1) << skip, permuted[TMAP_MASKS];
    for (uint32_t i = 0; i < TMAP_MASKS; i++)
        permuted[i] =
            _mm512_movepi8_mask(_mm512_permutexvar_epi64(TMAP_ORDER_512(here.line_masks[i]), _mm512_movm_epi8(bytes)));
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        uint32_t number = (uint32_t)(here.first_line + at / TMAP_LINE_B) % TMAP_MASKS, mask = here.line_masks[number];
        uint8_t *block = here.bytes + (at ^ (mask & 64));
        if (put)
            _mm512_mask_storeu_epi8(
                block, permuted[number],
                _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), _mm512_maskz_loadu_epi8(bytes, row)));
        else
            _mm512_mask_storeu_epi8(row, bytes,
                                    _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), _mm512_loadu_si512(block)));
    }
}

TARGET_512 static void part_get(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, false);
}

TARGET_512 static void part_put(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, true);
}

/* Rows that are each inside one line, and in both of its blocks: reads whole lines and writes the bytes of the rows. */
TARGET_512 static void line_part_get(const tmap_image *image, const tmap_rows *rows) {
    uint64_t masks = tmap_masks_of(image), number = image->first_line + rows->at / TMAP_LINE_B,
             row_step = rows->row_step;
    uint32_t skip = rows->at % TMAP_LINE_B, line_step = rows->at_step;
    const uint8_t *line = image->bytes + (rows->at - skip);
    uint8_t *row = rows->row - skip;
    __mmask64 first = UINT64_MAX << skip, second = UINT64_MAX >> (TMAP_LINE_B - skip - rows->size);
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, line += line_step) {
        uint32_t mask = tmap_mask_in(masks, number);
        __m512i order = TMAP_ORDER_512(mask), a = _mm512_loadu_si512(line + (mask & 64)),
                b = _mm512_loadu_si512(line + (~mask & 64));
        _mm512_mask_storeu_epi8(row, first, _mm512_permutexvar_epi64(order, a));
        _mm512_mask_storeu_epi8(row + 64, second, _mm512_permutexvar_epi64(order, b));
        number += line_step / TMAP_LINE_B;
    }
}

#undef BLOCK_B
#undef BLOCK
#undef READ
#undef WRITE
#define TARGET               __attribute__((target("avx2")))
#define BLOCK_B              32
#define NAME(x)              avx2_##x
#define BLOCK                __m256i
#define READ(from)           _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define WRITE(to, data)      _mm256_storeu_si256((__m256i *)(void *)(to), data)
#define ORDER(mask)          TMAP_ORDER_256(mask)
#define PERMUTE(data, order) _mm256_permutevar8x32_epi32(data, order)
#define EXCHANGE(data, mask) ((mask)&16 ? _mm256_permute2x128_si256(data, data, 1) : (data))
#include "emu/permute_blocks.h"

const tmap_kernels *tmap_kernels_x86(tmap_blocks blocks) {
    static const tmap_kernels avx512 = {TMAP_KERNELS(avx512, 64), .part = {part_get, part_put},
                                        .line_part = {line_part_get, NULL},
                                        .narrow = {tmap_narrow_get_avx512, tmap_narrow_put_avx512},
                                        .edges = tmap_edges_avx512},
                              avx2 = {TMAP_KERNELS(avx2, 32), .narrow = {tmap_narrow_get_avx2, tmap_narrow_put_avx2},
                                      .edges = tmap_edges_avx2};
    if (blocks == TMAP_BLOCKS_AVX512 && tmap_has_avx512()) return &avx512;
    return blocks == TMAP_BLOCKS_AVX2 && __builtin_cpu_supports("avx2") ? &avx2 : NULL;
}

/* ---- Builds by zig ----------------------------------------------------------------------------------------------- */

#ifdef TMAP_FILL_CPU_MODEL
#include <cpuid.h>

/* __builtin_cpu_supports reads these bits; zig 0.17's runtime library leaves them 0. Bits as in libgcc's cpuinfo.h. */
extern struct cpu_model { uint32_t vendor, type, subtype, features; } __cpu_model __attribute__((visibility("hidden")));

enum { SSE4_1 = 7, AVX2 = 10, AVX512F = 15, AVX512VL = 20, AVX512BW = 21, AVX512DQ = 22, AVX512VBMI = 26 };

/* Leaves 1 and 7 of CPUID, and the registers that the system saves (XCR0): Intel SDM, volume 2A, CPUID; volume 1, 13.3.
 */
__attribute__((constructor)) static void fill_cpu_model(void) {
    uint32_t a, b, c, d, saved, unused, features;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    features = (c >> 19 & 1) << SSE4_1;
    bool saves = c >> 27 & 1;
    if (saves && __get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
        if ((saved & 0x06) == 0x06) features |= (b >> 5 & 1) << AVX2;
        if ((saved & 0xe6) == 0xe6)
            features |= (b >> 16 & 1) << AVX512F | (b >> 31 & 1) << AVX512VL | (b >> 30 & 1) << AVX512BW |
                        (b >> 17 & 1) << AVX512DQ | (c >> 1 & 1) << AVX512VBMI;
    }
    __cpu_model.features |= features;
}
#endif

#else

const tmap_kernels *tmap_kernels_x86(tmap_blocks blocks) {
    (void)blocks;
    return NULL;
}

#endif
