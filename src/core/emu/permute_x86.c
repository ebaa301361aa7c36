/* Block kernels for x86-64: AVX-512 moves 64 bytes in pieces of 8, AVX2 moves 32 bytes in pieces of 4. */
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET               TMAP_TARGET_AVX512
#define BLOCK_B              64
#define NAME(x)              avx512_##x
#define BLOCK                __m512i
#define READ(from)           _mm512_loadu_si512(from)
#define WRITE(to, data)      _mm512_storeu_si512(to, data)
#define ORDER(mask)          TMAP_ORDER_512(mask)
#define PERMUTE(data, order) _mm512_permutexvar_epi64(order, data)
#define EXCHANGE(data, mask) PERMUTE(data, ORDER(mask))
#include "emu/permute_blocks.h"

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
    static const tmap_kernels avx512 = {TMAP_KERNELS(avx512, 64), .part = {tmap_part_get_avx512, tmap_part_put_avx512},
                                        .line_part = {tmap_line_part_get_avx512, NULL},
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
