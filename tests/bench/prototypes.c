/*
 * Copies written by hand for AVX-512, each for one case: the best known speed of its class. They move the same bytes as
 * tmap, which is checked before the measurement. The ratio is the speed of tmap divided by that of the prototype.
 */
#include "field.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET               __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define READ(from)           _mm512_loadu_si512(from)
#define WRITE(to, data)      _mm512_storeu_si512(to, data)
#define UNIT_READ(from)      _mm_loadu_si128((const __m128i *)(const void *)(from))
#define UNIT_WRITE(to, data) _mm_storeu_si128((__m128i *)(void *)(to), data)
#define ORDER(k)             _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((k)*2))
#define EACH(line)           line(0) line(1) line(2) line(3) line(4) line(5) line(6) line(7)

enum { LINE_B = 128, UNIT_B = 16 };

/* The tensor from the first byte of the box on; `step` bytes from row to row. */
typedef struct box {
    uint8_t *shared, *global;
    ptrdiff_t step;
    uint32_t rows_n;
} box;

#define UNIT_ROW(k) UNIT_WRITE(to + (k)*LINE_B + (k)*UNIT_B, UNIT_READ(from + (k)*step));
TARGET static void units_in_lines(const box *b) {
    uint8_t *to = b->shared, *from = b->global;
    ptrdiff_t step = b->step;
    for (uint32_t i = 0; i < b->rows_n; i += 8, from += 8 * step, to += 8 * LINE_B) {
        EACH(UNIT_ROW)
    }
}

#define HALF_LINE(k)                                                                                                   \
    WRITE(to + (k)*LINE_B + ((k)*UNIT_B & 64), _mm512_permutexvar_epi64(ORDER(k), READ(from + (k)*step)));
TARGET static void half_lines(const box *b) {
    uint8_t *to = b->shared, *from = b->global;
    ptrdiff_t step = b->step;
    for (uint32_t i = 0; i < b->rows_n; i += 8, from += 8 * step, to += 8 * LINE_B) {
        EACH(HALF_LINE)
    }
}

/* Rows of 32 bytes, four in a line, whose halves are exchanged in every second line. */
TARGET static void rows_of_32(const box *b) {
    uint8_t *to = b->shared, *from = b->global;
    for (uint32_t i = 0; i < b->rows_n; i++, from += b->step, to += 32) {
        __m256i row = _mm256_loadu_si256((const __m256i *)(const void *)from);
        if (i / 4 % 2) row = _mm256_permute4x64_epi64(row, 0x4e);
        _mm256_storeu_si256((__m256i *)(void *)to, row);
    }
}

/* 64 x 64 pixels of 8 channels; the images are 56 wide, without a border. */
TARGET static void pixels_of_16(const box *b) {
    uint8_t *from = b->global;
    for (uint32_t i = 0; i < b->rows_n; i++, from += UNIT_B)
        UNIT_WRITE(b->shared + i * LINE_B + i % 8 * UNIT_B, UNIT_READ(from));
}

/* REDUCTION(name, statements): a reduction of lines; the statements return the combination of old and x. */
#define REDUCED(k, half)                                                                                               \
    {                                                                                                                  \
        __m512i old = READ(to + (k)*step + (half)),                                                                    \
                x = _mm512_permutexvar_epi64(ORDER(k), READ(from + (k)*LINE_B + ((half) ^ ((k)*UNIT_B & 64))));        \
        WRITE(to + (k)*step + (half), combine(old, x));                                                                \
    }
#define REDUCED_LINE(k) REDUCED(k, 0) REDUCED(k, 64)
#define REDUCTION(name, ...)                                                                                           \
    TARGET static inline __m512i name##_of(__m512i old, __m512i x){__VA_ARGS__} TARGET static void name(               \
        const box *b) {                                                                                                \
        __m512i (*const combine)(__m512i, __m512i) = name##_of;                                                        \
        uint8_t *from = b->shared, *to = b->global;                                                                    \
        ptrdiff_t step = b->step;                                                                                      \
        for (uint32_t i = 0; i < b->rows_n; i += 8, to += 8 * step, from += 8 * LINE_B) {                              \
            EACH(REDUCED_LINE)                                                                                         \
        }                                                                                                              \
    }

#define FLOAT(x)   _mm512_castsi512_ps(x)
#define INTEGER(x) _mm512_castps_si512(x)
#define CANONICAL(sum)                                                                                                 \
    _mm512_mask_mov_epi32(INTEGER(sum), _mm512_cmp_ps_mask(sum, sum, _CMP_UNORD_Q), _mm512_set1_epi32(INT32_MAX))
#define CANONICAL_16(x, infinity)                                                                                      \
    _mm512_mask_mov_epi16(                                                                                             \
        x, _mm512_cmpgt_epi16_mask(_mm512_and_si512(x, _mm512_set1_epi16(0x7fff)), _mm512_set1_epi16(infinity)),       \
        _mm512_set1_epi16(0x7fff))
REDUCTION(sum_u32, return _mm512_add_epi32(old, x);)
REDUCTION(sum_u64, return _mm512_add_epi64(old, x);)
REDUCTION(sum_f32, __m512 sum = _mm512_add_ps(FLOAT(old), FLOAT(x)); return CANONICAL(sum);)

TARGET static inline __m512i flushed(__m512i x) {
    const __m512i signs = _mm512_set1_epi32(INT32_MIN);
    return _mm512_mask_and_epi32(x, _mm512_testn_epi32_mask(x, _mm512_set1_epi32(0x7f800000)), x, signs);
}
REDUCTION(sum_f32_ftz, __m512 sum = _mm512_add_ps(FLOAT(flushed(old)), FLOAT(flushed(x)));
          return flushed(CANONICAL(sum));)

TARGET static inline __m512i rounded_high(__m512i a, __m512i b) {
    __m512i sum = INTEGER(_mm512_add_ps(FLOAT(a), FLOAT(b)));
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(sum, 16), _mm512_set1_epi32(1));
    return _mm512_add_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(0x7fff)), odd);
}
REDUCTION(sum_bf16, const __m512i high = _mm512_set1_epi32((int)0xffff0000);
          __m512i low = rounded_high(_mm512_slli_epi32(old, 16), _mm512_slli_epi32(x, 16));
          __m512i sum = rounded_high(_mm512_and_si512(old, high), _mm512_and_si512(x, high));
          sum = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(low, 16), sum); return CANONICAL_16(sum, 0x7f80);)

TARGET static inline __m256i sum_of_16(__m256i a, __m256i b) {
    return _mm512_maskz_cvtps_ph(0xffff, _mm512_add_ps(_mm512_cvtph_ps(a), _mm512_cvtph_ps(b)),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
REDUCTION(sum_f16, __m256i low = sum_of_16(_mm512_castsi512_si256(old), _mm512_castsi512_si256(x)),
          high = sum_of_16(_mm512_extracti64x4_epi64(old, 1), _mm512_extracti64x4_epi64(x, 1));
          __m512i sum = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); return CANONICAL_16(sum, 0x7c00);)

/* As integers whose order is that of the numbers, the NaN of both signs below them. */
TARGET static inline __m512i in_order(__m512i x) {
    __m512i low = _mm512_and_si512(_mm512_srai_epi16(x, 15), _mm512_set1_epi16(0x7fff));
    return _mm512_add_epi16(_mm512_xor_si512(x, low), _mm512_set1_epi16(0x3ff));
}
REDUCTION(max_f16, __m512i most = _mm512_max_epi16(in_order(old), in_order(x));
          __mmask32 nan = _mm512_cmplt_epi16_mask(most, _mm512_set1_epi16((short)0x87fe));
          most = _mm512_sub_epi16(most, _mm512_set1_epi16(0x3ff));
          most = _mm512_xor_si512(most, _mm512_and_si512(_mm512_srai_epi16(most, 15), _mm512_set1_epi16(0x7fff)));
          return _mm512_mask_mov_epi16(most, nan, _mm512_set1_epi16(0x7fff));)

/* splitmix64 of the numbers of 8 words, straight into a swizzled line. */
TARGET static inline __m512i mixed(__m512i x) {
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)),
                           _mm512_set1_epi64((int64_t)0xbf58476d1ce4e5b9u));
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)),
                           _mm512_set1_epi64((int64_t)0x94d049bb133111ebu));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}
#define MIXED(k, half)                                                                                                 \
    WRITE(to + (k)*LINE_B + ((half) ^ ((k)*UNIT_B & 64)),                                                              \
          _mm512_permutexvar_epi64(ORDER(k), mixed(_mm512_add_epi64(words, _mm512_set1_epi64((half) / 8)))));
#define MIXED_LINE(k) MIXED(k, 0) MIXED(k, 64) words = _mm512_add_epi64(words, _mm512_set1_epi64(b->step / 8));
TARGET static void random_lines(const box *b) {
    uint8_t *to = b->shared;
    uint64_t first = 1 + (uint64_t)(b->global - (uint8_t *)0) / 8 + 0x9e3779b97f4a7c15u; /* seed 1; an offset */
    __m512i words = _mm512_add_epi64(_mm512_set1_epi64((int64_t)first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    for (uint32_t i = 0; i < b->rows_n; i += 8, to += 8 * LINE_B) {
        EACH(MIXED_LINE)
    }
}

#define LINES(type_, op_, el, made_)                                                                                   \
    {                                                                                                                  \
        .type = TMAP_TYPE_##type_, .op = TMAP_OP_##op_, .swizzle = TMAP_SWIZZLE_128B, .rank = 2,                       \
        .dims = {64 * (el), 300}, .box = {el, 64}, .at = {el, 8}, .made = FIELD_##made_                                \
    }

static const struct prototype {
    void (*run)(const box *b);
    field_case c;
} prototypes[] = {
    {units_in_lines, LINES(BF16, LOAD, 8, BYTES)},
    {half_lines, LINES(BF16, LOAD, 32, BYTES)},
    {rows_of_32,
     {.type = TMAP_TYPE_F16,
      .op = TMAP_OP_LOAD,
      .swizzle = TMAP_SWIZZLE_32B,
      .rank = 2,
      .dims = {4096, 300},
      .box = {16, 256},
      .at = {64, 8}}},
    {pixels_of_16,
     {.type = TMAP_TYPE_F16,
      .op = TMAP_OP_LOAD,
      .swizzle = TMAP_SWIZZLE_128B,
      .rank = 4,
      .dims = {8, 56, 56, 2},
      .at = {0, 0, 0, 1},
      .mode = TMAP_MODE_IM2COL,
      .channels = 8,
      .pixels = 256}},
    {sum_u32, LINES(U32, REDUCE_ADD, 32, BYTES)},
    {sum_u64, LINES(U64, REDUCE_ADD, 16, BYTES)},
    {sum_f32, LINES(F32, REDUCE_ADD, 32, BYTES)},
    {sum_f32_ftz, LINES(F32_FTZ, REDUCE_ADD, 32, BYTES)},
    {sum_f16, LINES(F16, REDUCE_ADD, 64, BYTES)},
    {sum_bf16, LINES(BF16, REDUCE_ADD, 64, BYTES)},
    {max_f16, LINES(F16, REDUCE_MAX, 64, BYTES)},
    {random_lines, LINES(F16, LOAD, 64, RANDOM)},
};

/* ---- The table -------------------------------------------------------------------------------------------------- */

typedef struct prototype_bench {
    field_bench field;
    box box;
    void (*run)(const box *b);
} prototype_bench;

static void prototype_run(void *context) {
    prototype_bench *b = context;
    b->run(&b->box);
    keep(b->field.shared);
}

static void prototype_field(void *context) {
    field_run(&((prototype_bench *)context)->field);
}

static void begin(prototype_bench *b, const struct prototype *p) {
    must(field_begin(&b->field, &p->c), field_name_of(&p->c).text);
    const tmap_map_params *map = &b->field.copy.map.params;
    ptrdiff_t offset = (ptrdiff_t)(p->c.at[0] * tmap_type_get((int)p->c.type)->bits / 8);
    for (uint64_t i = 1; i < p->c.rank; i++) offset += (ptrdiff_t)p->c.at[i] * (ptrdiff_t)map->strides_B[i - 1];
    uint8_t *global = b->field.memory.bytes ? b->field.global + offset : (uint8_t *)0 + offset;
    b->box = (box){b->field.shared, global, (ptrdiff_t)map->strides_B[0], b->field.copy.rows_n};
    b->run = p->run;
}

/* Runs tmap and the prototype on the same bytes, and compares what they write. */
static bool agree(const struct prototype *p) {
    prototype_bench a, b;
    begin(&a, p), begin(&b, p);
    prototype_field(&a), prototype_run(&b);
    size_t global_B = b.field.memory.size_B, shared_B = b.field.copy.footprint_B;
    bool equal =
        memcmp(a.field.shared, b.field.shared, shared_B) == 0 && memcmp(a.field.global, b.field.global, global_B) == 0;
    field_end(&a.field), field_end(&b.field);
    return equal;
}

void bench_prototypes(void) {
    if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
        printf("\nskipped: the prototypes require AVX-512\n");
        return;
    }
    printf("\n%-72s %10s %12s %8s\n", "against the best known", "ns", "prototype ns", "ratio");
    for (size_t i = 0; i < sizeof prototypes / sizeof *prototypes; i++) {
        const field_name name = field_name_of(&prototypes[i].c);
        prototype_bench b;
        must(agree(&prototypes[i]), name.text);
        begin(&b, &prototypes[i]);
        bench_times t = bench_measure(&(bench_case){
            .run = prototype_field, .reference = prototype_run, .context = &b, .repeats = 100, .rounds = 600});
        double ratio = t.reference_s / t.run_s;
        printf("%-72s %10.1f %12.1f %8.2f  >= 0.60%s\n", name.text, t.run_s * 1e9, t.reference_s * 1e9, ratio,
               ratio >= 0.6 ? "" : "  MISSED");
        field_end(&b.field);
    }
}

#else

void bench_prototypes(void) {
    printf("\nskipped: the prototypes require AVX-512\n");
}

#endif
