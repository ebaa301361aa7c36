/* Six-bit values for aarch64. Containers need no kernel of their own: in the portable functions a container is one
 * vector of the compiler. */
#include "emu/containers.h"

#if defined(__aarch64__)
#include <arm_neon.h>

/* Packs sixteen values: an insertion with a shift joins neighbours, then pairs, then fours; then the empty bytes of
 * both words are dropped. */
static inline uint8x16_t pack_sixteen(uint8x16_t values) {
    const uint8x16_t bytes = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 255, 255, 255, 255};
    uint16x8_t ones = vreinterpretq_u16_u8(vandq_u8(values, vdupq_n_u8(0x3f)));
    uint32x4_t twos = vreinterpretq_u32_u16(vsliq_n_u16(ones, vshrq_n_u16(ones, 8), 6));
    uint64x2_t fours = vreinterpretq_u64_u32(vsliq_n_u32(twos, vshrq_n_u32(twos, 16), 12));
    return vqtbl1q_u8(vreinterpretq_u8_u64(vsliq_n_u64(fours, vshrq_n_u64(fours, 32), 24)), bytes);
}

bool tmap_pack_sixes_at_once(uint8_t *to, const uint8_t *from, uint32_t count) {
    if (count % 16 != 0) return false;
    for (uint32_t i = 0; i < count; i += 16, to += 12) vst1q_u8(to, pack_sixteen(vld1q_u8(from + i)));
    return true;
}

#endif
