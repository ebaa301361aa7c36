/* emu: AVX-512 with instructions for bytes (F, BW and VL), which the kernels of blocks of 64 bytes use. */
#pragma once

#include <stdbool.h>

#if defined(__x86_64__)
#define TMAP_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

static inline bool tmap_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#endif
