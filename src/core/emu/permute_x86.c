/* Kernels of rows for x86-64: AVX-512 permutes 64 bytes in pieces of 8, AVX2 permutes 32 bytes in pieces of 4. Shorter
 * rows use shorter vectors of the same instruction set. */
#include "emu/vectors_x86.h"

#if defined(__x86_64__)

#define READ_16(from)      _mm_loadu_si128((const __m128i *)(const void *)(from))
#define READ_32(from)      _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define WRITE_16(to, data) _mm_storeu_si128((__m128i *)(void *)(to), data)
#define WRITE_32(to, data) _mm256_storeu_si256((__m256i *)(void *)(to), data)
/* Exchanges the halves of 16 bytes, by bit 1 of each half of the order. */
#define ORDER_16(mask)          _mm_xor_si128(_mm_set_epi64x(2, 0), _mm_set1_epi64x((mask) / 4))
#define PERMUTE_16(data, order) _mm_castpd_si128(_mm_permutevar_pd(_mm_castsi128_pd(data), order))

#define TARGET                      TMAP_TARGET_AVX512
#define BLOCK_B                     16
#define NAME(x)                     avx512_16_##x
#define BLOCK                       __m128i
#define READ(from)                  READ_16(from)
#define WRITE(to, data)             WRITE_16(to, data)
#define ORDER(mask)                 ORDER_16(mask)
#define PERMUTE(data, order)        PERMUTE_16(data, order)
#define EXCHANGE(data, mask)        (data)
#define DATA                        __mmask16
#define BETWEEN(first, end)         (__mmask16) tmap_bytes_between(first, end)
#define READ_DATA(from, data, fill) _mm_mask_loadu_epi8(fill, data, from)
#include "emu/row_loops.h"

#define TARGET                      TMAP_TARGET_AVX512
#define BLOCK_B                     32
#define NAME(x)                     avx512_32_##x
#define BLOCK                       __m256i
#define READ(from)                  READ_32(from)
#define WRITE(to, data)             WRITE_32(to, data)
#define ORDER(mask)                 TMAP_ORDER_256(mask)
#define PERMUTE(data, order)        _mm256_permutevar8x32_epi32(data, order)
#define EXCHANGE(data, mask)        ((mask)&16 ? _mm256_permute2x128_si256(data, data, 1) : (data))
#define DATA                        __mmask32
#define BETWEEN(first, end)         (__mmask32) tmap_bytes_between(first, end)
#define READ_DATA(from, data, fill) _mm256_mask_loadu_epi8(fill, data, from)
#include "emu/row_loops.h"

#define TARGET                      TMAP_TARGET_AVX512
#define BLOCK_B                     64
#define NAME(x)                     avx512_##x
#define BLOCK                       __m512i
#define READ(from)                  _mm512_loadu_si512(from)
#define WRITE(to, data)             _mm512_storeu_si512(to, data)
#define ORDER(mask)                 TMAP_ORDER_512(mask)
#define PERMUTE(data, order)        _mm512_permutexvar_epi64(order, data)
#define EXCHANGE(data, mask)        PERMUTE(data, ORDER(mask))
#define DATA                        __mmask64
#define BETWEEN(first, end)         tmap_bytes_between(first, end)
#define READ_DATA(from, data, fill) _mm512_mask_loadu_epi8(fill, data, from)
#define WIDEST
#include "emu/row_loops.h"

#define TARGET                      __attribute__((target("avx2")))
#define BLOCK_B                     16
#define NAME(x)                     avx2_16_##x
#define BLOCK                       __m128i
#define READ(from)                  READ_16(from)
#define WRITE(to, data)             WRITE_16(to, data)
#define ORDER(mask)                 ORDER_16(mask)
#define PERMUTE(data, order)        PERMUTE_16(data, order)
#define EXCHANGE(data, mask)        (data)
#define READ_DATA(from, data, fill) _mm_blendv_epi8(fill, READ_16(from), data)
#include "emu/row_loops.h"

#define TARGET                      __attribute__((target("avx2")))
#define BLOCK_B                     32
#define NAME(x)                     avx2_##x
#define BLOCK                       __m256i
#define READ(from)                  READ_32(from)
#define WRITE(to, data)             WRITE_32(to, data)
#define ORDER(mask)                 TMAP_ORDER_256(mask)
#define PERMUTE(data, order)        _mm256_permutevar8x32_epi32(data, order)
#define EXCHANGE(data, mask)        ((mask)&16 ? _mm256_permute2x128_si256(data, data, 1) : (data))
#define READ_DATA(from, data, fill) _mm256_blendv_epi8(fill, READ_32(from), data)
#define WIDEST
#include "emu/row_loops.h"

static const tmap_row_kernels avx512_16 = {TMAP_ROW_KERNELS(avx512_16, 16), .exact = true},
                              avx512_32 = {TMAP_ROW_KERNELS(avx512_32, 32), .exact = true, .narrower = &avx512_16},
                              avx2_16 = {TMAP_ROW_KERNELS(avx2_16, 16)};
const tmap_row_kernels tmap_avx512_kernels = {TMAP_WIDEST_KERNELS(avx512, 64),
                                              .exact = true,
                                              .narrower = &avx512_32,
                                              .part = {tmap_part_get_avx512, tmap_part_put_avx512},
                                              .line_part = {tmap_line_part_get_avx512, NULL},
                                              .edges = tmap_put_edges_avx512},
                       tmap_avx2_kernels = {TMAP_WIDEST_KERNELS(avx2, 32), .narrower = &avx2_16};

/* ---- Builds by zig ----------------------------------------------------------------------------------------------- */

#ifdef TMAP_FILL_CPU_MODEL
#include <cpuid.h>

/* __builtin_cpu_supports reads these bits; zig 0.17's runtime library leaves them 0. Bits as in libgcc's cpuinfo.h. */
extern struct cpu_model { uint32_t vendor, type, subtype, features; } __cpu_model __attribute__((visibility("hidden")));

enum { SSE4_1 = 7, AVX2 = 10, AVX512F = 15, AVX512VL = 20, AVX512BW = 21, AVX512DQ = 22, AVX512VBMI = 26 };

/* Leaves 1 and 7 of CPUID, and the registers that the system saves (XCR0): Intel SDM, vol. 2A, CPUID; vol. 1, 13.3. */
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

#endif
