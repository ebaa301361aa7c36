/* Six-bit values for aarch64. Containers need no kernel of their own: in the portable functions a container is one
 * vector of the compiler. */
#include "emu/containers.h"

#if defined(__aarch64__)
#include <arm_neon.h>

/* Packs sixty-four values at once: the loads give value k of each four in register k. An insertion with a shift puts
 * the low bits of the next value above the remaining bits of this one, and so drops the empty bits of both. */
uint32_t tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count) {
    uint32_t packed = 0;
    for (; packed + 64 <= count; packed += 64, to += 48) {
        uint8x16x4_t four = vld4q_u8(from + packed);
        const uint8x16x3_t bytes = {{vsliq_n_u8(four.val[0], four.val[1], 6),
                                     vsliq_n_u8(vshrq_n_u8(four.val[1], 2), four.val[2], 4),
                                     vsliq_n_u8(vshrq_n_u8(four.val[2], 4), four.val[3], 2)}};
        vst3q_u8(to, bytes); /* a macro of clang, which would divide the braces at their commas */
    }
    return packed;
}

#endif
