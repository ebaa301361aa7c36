/* Random bytes for x86-64 with AVX-512: eight words at once. */
#include "emu/synthetic_memory.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq")))

/* splitmix64 of util/splitmix.h. */
TARGET static inline __m512i mix(__m512i x) {
    x = _mm512_add_epi64(x, _mm512_set1_epi64((int64_t)0x9e3779b97f4a7c15u));
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)),
                           _mm512_set1_epi64((int64_t)0xbf58476d1ce4e5b9u));
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)),
                           _mm512_set1_epi64((int64_t)0x94d049bb133111ebu));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

TARGET static size_t write_words(uint8_t *to, uint64_t first, size_t words_n) {
    __m512i states = _mm512_add_epi64(_mm512_set1_epi64((int64_t)first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    size_t done = 0;
    for (; words_n - done >= 8; done += 8, states = _mm512_add_epi64(states, _mm512_set1_epi64(8)))
        _mm512_storeu_si512(to + 8 * done, mix(states));
    return done;
}

size_t tmap_random_words(uint8_t *to, uint64_t first, size_t words_n) {
    bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return has ? write_words(to, first, words_n) : 0;
}

#else

size_t tmap_random_words(uint8_t *to, uint64_t first, size_t words_n) {
    (void)to, (void)first, (void)words_n;
    return 0;
}

#endif
