/* Reductions by the machine's own floats: x86-64 with SSE2, AVX2 and AVX-512, aarch64 with NEON. */
#include "emu/arithmetic.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define FLOATS                                                                                                         \
    typedef double NAME(doubles) __attribute__((vector_size(VECTOR_B)));                                               \
    typedef float NAME(floats) __attribute__((vector_size(VECTOR_B)));                                                 \
    typedef uint16_t NAME(halves) __attribute__((vector_size(VECTOR_B / 2)));

#endif

#if defined(__x86_64__)

#define SETTINGS_OF(mxcsr) ((mxcsr) & ~0x3fu) /* without the flags of exceptions */

/* MXCSR at the start of a process: all exceptions masked, round to nearest, subnormal numbers kept. Only a change is
 * written: a write takes about 40 ns on an Intel Xeon. */
uint64_t tmap_float_begin(void) {
    unsigned before = _mm_getcsr();
    if (SETTINGS_OF(before) != 0x1f80) _mm_setcsr(0x1f80);
    __asm__ volatile("" : : : "memory"); /* the compiler must not move a sum before this line */
    return before;
}

void tmap_float_end(uint64_t before) {
    __asm__ volatile("" : : : "memory");
    if (_mm_getcsr() != before) _mm_setcsr((unsigned)before);
}

#define TARGET            TMAP_TARGET_AVX512
#define VECTOR_B          64
#define NAME(x)           avx512_##x
#define NATIVE            1
#define ROUND_TF32(x)     avx512_rounded((__m512i)(x))
#define IN_ORDER(x, mask) _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), (__m512i)(x))
#define HALF_IN_ORDER(x, mask)                                                                                         \
    _mm256_permutexvar_epi64(_mm512_castsi512_si256(TMAP_ORDER_512((mask) % 32)), (__m256i)(x))
FLOATS
/* Masks in place of the vectors of the general form: 5 instructions instead of 8. */
TARGET static inline __m512i avx512_rounded(__m512i x) {
    __mmask16 odd = _mm512_test_epi32_mask(x, _mm512_set1_epi32(1 << 13));
    __mmask16 nan = _mm512_fpclass_ps_mask((__m512)x, 0x81); /* quiet and signaling */
    __m512i sum = _mm512_add_epi32(x, _mm512_set1_epi32(0x0fff));
    sum = _mm512_mask_add_epi32(sum, odd, sum, _mm512_set1_epi32(1));
    return _mm512_mask_and_epi32(_mm512_set1_epi32(0x7fffe000), (__mmask16)~nan, sum, _mm512_set1_epi32(~0x1fff));
}
TARGET static inline NAME(floats) NAME(widen)(NAME(halves) halves) {
    return (NAME(floats))_mm512_cvtph_ps((__m256i)halves);
}
TARGET static inline NAME(halves) NAME(narrow)(NAME(floats) floats) {
    /* without optimisation gcc 12 warns of the mask in its own macro _mm512_cvtps_ph */
    return (NAME(halves))_mm512_maskz_cvtps_ph(0xffff, (__m512)floats, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#include "emu/arithmetic_rows.h"

#define TARGET                 __attribute__((target("avx2,f16c")))
#define VECTOR_B               32
#define NAME(x)                avx2_##x
#define NATIVE                 1
#define IN_ORDER(x, mask)      _mm256_permutevar8x32_epi32((__m256i)(x), TMAP_ORDER_256(mask))
#define HALF_IN_ORDER(x, mask) ((mask)&8 ? _mm_shuffle_epi32((__m128i)(x), 0x4e) : (__m128i)(x))
FLOATS
TARGET static inline NAME(floats) NAME(widen)(NAME(halves) halves) {
    return (NAME(floats))_mm256_cvtph_ps((__m128i)halves);
}
TARGET static inline NAME(halves) NAME(narrow)(NAME(floats) floats) {
    return (NAME(halves))_mm256_cvtps_ph((__m256)floats, _MM_FROUND_TO_NEAREST_INT);
}
#include "emu/arithmetic_rows.h"

#define TARGET
#define VECTOR_B 16
#define NAME(x)  sse2_##x
#define NATIVE   1
#define LINES    0xf0f0f0f0f0f0f0f0
FLOATS
typedef uint32_t sse2_words __attribute__((vector_size(VECTOR_B)));

/* A significand read as an f32 number is too small by 2^112, the difference of the biases. Infinities and NaN keep an
 * exponent of all ones. */
static inline NAME(floats) NAME(widen)(NAME(halves) halves) {
    sse2_words bits = __builtin_convertvector(halves, sse2_words), magnitude = (bits & 0x7fff) << 13;
    sse2_words special = (sse2_words)(magnitude >= 0x0f800000) & 0x7f800000, sign = (bits & 0x8000) << 16;
    return (NAME(floats))((sse2_words)((NAME(floats))magnitude * 0x1p112f) | special | sign);
}

/* Normal numbers are rounded by a carry. Subnormal numbers are rounded by adding 1/2, whose last place is theirs,
 * 2^-24. */
static inline NAME(halves) NAME(narrow)(NAME(floats) floats) {
    const NAME(floats) half = {0.5f, 0.5f, 0.5f, 0.5f};
    sse2_words bits = (sse2_words)floats, magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    sse2_words normal = (magnitude - 0x38000000 + 0x0fff + (magnitude >> 13 & 1)) >> 13;
    sse2_words small = (sse2_words)((NAME(floats))magnitude + half) - 0x3f000000;
    sse2_words is_small = (sse2_words)(magnitude < 0x38800000), is_large = (sse2_words)(magnitude >= 0x47800000);
    sse2_words nan = (sse2_words)(magnitude > 0x7f800000) & 0x03ff;
    sse2_words result = (is_small & small) | (~is_small & ~is_large & normal) | (is_large & (nan | 0x7c00));
    return __builtin_convertvector(result | sign, NAME(halves));
}
#include "emu/arithmetic_rows.h"

const tmap_reductions *tmap_reductions_native(tmap_vectors vectors) {
    /* every processor with AVX2 has F16C, which is older */
    if (vectors == TMAP_VECTORS_AVX512 && tmap_has_avx512()) return &avx512_reductions;
    if (vectors == TMAP_VECTORS_AVX2 && __builtin_cpu_supports("avx2")) return &avx2_reductions;
    return vectors == TMAP_VECTORS_OF_MACHINE ? &sse2_reductions : NULL;
}

#elif defined(__aarch64__)
#include <arm_neon.h>

/* FPCR of zero: all exceptions masked, round to nearest, subnormal numbers kept, NaN operands kept. FPSR contains only
 * flags. */
uint64_t tmap_float_begin(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before) : : "memory");
    if (before != 0) __asm__ volatile("msr fpcr, xzr" : : : "memory");
    return before;
}

void tmap_float_end(uint64_t before) {
    __asm__ volatile("" : : : "memory");
    if (before != 0) __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
}

#define TARGET
#define VECTOR_B      16
#define NAME(x)       neon_##x
#define NATIVE        1
#define LINES         0xf0f0f0f0f0f0f0f0
FLOATS
/* Eight f16 numbers at once: a load of 8 bytes needs as many instructions as one of 16. */
static inline uint16x8_t neon_sum_f16(uint16x8_t a, uint16x8_t b) {
    float16x8_t x = vreinterpretq_f16_u16(a), y = vreinterpretq_f16_u16(b);
    float16x4_t low = vcvt_f16_f32(vcvt_f32_f16(vget_low_f16(x)) + vcvt_f32_f16(vget_low_f16(y)));
    uint16x8_t sum = vreinterpretq_u16_f16(vcvt_high_f16_f32(low, vcvt_high_f32_f16(x) + vcvt_high_f32_f16(y)));
    return vbslq_u16((sum & 0x7fff) > 0x7c00, vdupq_n_u16(0x7fff), sum);
}
#define SUM_F16(a, b) neon_sum_f16((uint16x8_t)(a), (uint16x8_t)(b))
#include "emu/arithmetic_rows.h"

const tmap_reductions *tmap_reductions_native(tmap_vectors vectors) {
    return vectors == TMAP_VECTORS_OF_MACHINE ? &neon_reductions : NULL;
}

#else

uint64_t tmap_float_begin(void) {
    return 0;
}

void tmap_float_end(uint64_t before) {
    (void)before;
}

const tmap_reductions *tmap_reductions_native(tmap_vectors vectors) {
    (void)vectors;
    return NULL;
}

#endif

/* The vectors before TMAP_VECTORS_PORTABLE have 64, 32 and 16 bytes. */
const tmap_reductions *tmap_reductions_native_of_places(size_t places, bool halves) {
    size_t below = halves ? 31 : 63;
    for (int vectors = 0; vectors < TMAP_VECTORS_PORTABLE; vectors++, below /= 2) {
        const tmap_reductions *reductions = tmap_reductions_native((tmap_vectors)vectors);
        if (reductions && (places & below) == 0) return reductions;
    }
    return NULL;
}
