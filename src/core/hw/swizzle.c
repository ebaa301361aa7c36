/*
 * Swizzles as XOR on bits of the shared address. With taps (to, from) the swizzled address is
 *   a' = a ^ sum over taps of ((a >> from) & 1) << to.
 * `from` bits are 7 and up and never changed, so a 128-byte line has one mask, and applying the mask twice gives the
 * address back. The atom (bytes that stay together) is below the lowest bit that changes. The pattern repeats above the
 * highest bit that is read.
 */
#include "tmap/hw.h"
#include "tmap/unstable/tables.h"

uint32_t tmap_swizzle_mask(const tmap_swizzle_info *swizzle, uint64_t address) {
    uint32_t mask = 0;
    for (int i = 0; i < swizzle->taps_n; i++)
        mask |= (uint32_t)(address >> swizzle->taps[i].from & 1) << swizzle->taps[i].to;
    return mask;
}

uint32_t tmap_swizzle_atom_B(const tmap_swizzle_info *swizzle) {
    uint32_t lowest = TMAP_LINE_B;
    for (int i = 0; i < swizzle->taps_n; i++)
        if ((1u << swizzle->taps[i].to) < lowest) lowest = 1u << swizzle->taps[i].to;
    return swizzle->taps_n ? lowest : 0;
}

uint32_t tmap_swizzle_period_B(const tmap_swizzle_info *swizzle) {
    uint32_t period = 0;
    for (int i = 0; i < swizzle->taps_n; i++)
        if ((2u << swizzle->taps[i].from) > period) period = 2u << swizzle->taps[i].from;
    return period;
}

/* Swizzle<B,M,S> XORs bits M+S .. M+S+B-1 into M .. M+B-1. */
bool tmap_swizzle_cute(const tmap_swizzle_info *swizzle, int *b, int *m, int *s) {
    if (swizzle->taps_n == 0) {
        *b = 0, *m = 4, *s = 3;
        return true;
    }
    int shift = swizzle->taps[0].from - swizzle->taps[0].to;
    for (int i = 1; i < swizzle->taps_n; i++)
        if (swizzle->taps[i].to != swizzle->taps[0].to + i || swizzle->taps[i].from != swizzle->taps[i].to + shift)
            return false;
    *b = swizzle->taps_n, *m = swizzle->taps[0].to, *s = shift;
    return *s >= *b;
}
