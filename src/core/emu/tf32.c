/* TF32 rounding on load. */
#include "tmap/emu.h"

/*
 * Rounds to nearest even on 10 mantissa bits: adds 0xfff, half of the lowest kept bit less 1, and 1 more if the lowest
 * kept bit is set. The carry goes into the exponent, and a subnormal number can become normal. NaN loses its sign and
 * payload. Test vectors: measured on sm_120 by the Allegro project.
 */
uint32_t tmap_tf32_round(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fffe000;
    if (magnitude == 0x7f800000) return bits;
    return (bits + 0x0fff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
}
