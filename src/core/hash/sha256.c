/* SHA-256: FIPS 180-4, sections 4.1.2, 4.2.2, 5.3.3 and 6.2.2. */
#include "hash/sha256.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <smmintrin.h>
#endif

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void expand(const uint8_t *block, uint32_t w[64]) {
    for (size_t t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

/* The variables a to h of round i are v[-i], v[1 - i], … modulo 8: after eight rounds each variable is at its first
 * index again. */
static inline void round_of(uint32_t v[8], unsigned i, uint32_t added) {
    uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
    uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    uint32_t choice = (e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7]);
    uint32_t t1 = v[(7 - i) & 7] + s1 + choice + added;
    uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    v[(3 - i) & 7] += t1;
    v[(7 - i) & 7] = t1 + s0 + ((a & b) ^ (a & c) ^ (b & c));
}

static void compress_portable(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64], v[8];
    expand(block, w);
    memcpy(v, state, sizeof v);
    for (unsigned t = 0; t < 64; t += 8) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++) round_of(v, i, round_constants[t + i] + w[t + i]);
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

#if defined(__x86_64__)

#define TARGET __attribute__((target("sha,sse4.1")))

/* <immintrin.h>, which names these instructions, takes longer to compile than this file. */
#define TWO_ROUNDS(a, b, added) (__m128i) __builtin_ia32_sha256rnds2((__v4si)(a), (__v4si)(b), (__v4si)(added))
#define MESSAGE_1(a, b)         (__m128i) __builtin_ia32_sha256msg1((__v4si)(a), (__v4si)(b))
#define MESSAGE_2(a, b)         (__m128i) __builtin_ia32_sha256msg2((__v4si)(a), (__v4si)(b))

/* Intel 64 Instruction Set Reference, SHA256RNDS2: two rounds on the variables a, b, e, f and c, d, g, h, the first of
 * each in the highest word. The lower half of `added` has the sums of words and constants. */
TARGET static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, int t) {
    __m128i added = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(const void *)(round_constants + t)));
    *cdgh = TWO_ROUNDS(*cdgh, *abef, added);
    *abef = TWO_ROUNDS(*abef, *cdgh, _mm_shuffle_epi32(added, 0x0e));
}

/* The next four words, from the sixteen before. */
TARGET static inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    __m128i sum = _mm_add_epi32(MESSAGE_1(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return MESSAGE_2(sum, w3);
}

TARGET static void compress_at_once(uint32_t state[8], const uint8_t *block) {
    const __m128i big_endian = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    __m128i *states = (__m128i *)(void *)state, w[4];
    __m128i dcba = _mm_loadu_si128(states), hgfe = _mm_loadu_si128(states + 1);
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i abef_before = abef, cdgh_before = cdgh;
    for (int i = 0; i < 4; i++)
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)block + i), big_endian);
    for (int t = 0; t < 64; t += 16) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            four_rounds(&abef, &cdgh, w[i], t + 4 * i);
            w[i] = next_words(w[i], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
        }
    }
    abef = _mm_add_epi32(abef, abef_before), cdgh = _mm_add_epi32(cdgh, cdgh_before);
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(states, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(states + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/* In a virtual machine, the instruction CPUID takes microseconds. GCC's __builtin_cpu_supports stores the results of
 * CPUID; clang 14 does not accept the feature name "sha". */
static bool has_instructions(void) {
#if defined(__clang__)
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) && __builtin_cpu_supports("sse4.1");
#else
    return __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1");
#endif
}

static tmap_compress *fastest(void) {
    return has_instructions() ? compress_at_once : compress_portable;
}

#else

static tmap_compress *fastest(void) {
    return compress_portable;
}

#endif

void tmap_sha256_begin(tmap_sha256 *hash) {
    *hash = (tmap_sha256){
        .compress = fastest(),
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void tmap_sha256_add(tmap_sha256 *hash, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    while (size > 0) {
        size_t at = hash->size_B % 64, part = 64 - at < size ? 64 - at : size;
        bool whole = part == 64; /* the block is read from the caller's bytes */
        if (!whole) memcpy(hash->block + at, from, part);
        if (at + part == 64) hash->compress(hash->state, whole ? from : hash->block);
        hash->size_B += part;
        from += part;
        size -= part;
    }
}

void tmap_sha256_add_number(tmap_sha256 *hash, uint64_t number) {
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(number >> (8 * i));
    tmap_sha256_add(hash, bytes, sizeof bytes);
}

void tmap_sha256_add_numbers(tmap_sha256 *hash, const uint64_t *numbers, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) tmap_sha256_add_number(hash, numbers[i]);
}

void tmap_sha256_end(tmap_sha256 *hash, char hex[65]) {
    uint64_t bits = hash->size_B * 8;
    uint8_t length[8], one = 0x80, zero = 0;
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    tmap_sha256_add(hash, &one, 1);
    while (hash->size_B % 64 != 56) tmap_sha256_add(hash, &zero, 1);
    tmap_sha256_add(hash, length, sizeof length);
    for (size_t i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", (unsigned)hash->state[i]);
}

void tmap_sha256_of(const void *bytes, size_t size, char hex[65]) {
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    tmap_sha256_add(&hash, bytes, size);
    tmap_sha256_end(&hash, hex);
}
