/*
 * plan: the swizzles of tensor maps, which count bytes, as those of layouts, which count elements. Both XOR b bits at
 * m + s into b bits at m; an element of 2^n bits moves m by 3 - n.
 */
#include "plan/parts.h"

/* 3 - log2(bits of an element); false where elements do not divide a 128-byte line evenly. */
static bool shift_of(const tmap_type_info *type, int *shift) {
    int log2 = 0;
    while (1 << log2 < type->bits) log2++;
    *shift = 3 - log2;
    return 1 << log2 == type->bits && (uint64_t)type->unit_pitch_B * 8 == (uint64_t)type->bits * (uint64_t)type->unit_values;
}

tmap_status tmap_xor_of_swizzle(tmap_swizzle swizzle, const tmap_type_info *type, tmap_xor *out) {
    const tmap_swizzle_info *row = tmap_swizzle_get((int)swizzle);
    int b, m, s, shift;
    if (row == NULL || type == NULL || out == NULL) return TMAP_BAD_ARGUMENT;
    if (!shift_of(type, &shift) || !tmap_swizzle_cute(row, &b, &m, &s) || m + shift < 0) return TMAP_UNAVAILABLE;
    *out = (tmap_xor){.m = m + shift, .b = b, .s = s};
    return TMAP_OK;
}

tmap_status tmap_swizzle_of_xor(const tmap_xor *xor_, const tmap_type_info *type, tmap_swizzle *out) {
    tmap_xor one;
    if (xor_ == NULL || type == NULL || out == NULL) return TMAP_BAD_ARGUMENT;
    for (int i = 0; tmap_swizzle_get(i) != NULL; i++) {
        if (tmap_xor_of_swizzle((tmap_swizzle)i, type, &one) != TMAP_OK) continue;
        bool same = one.b == xor_->b && one.m == xor_->m && one.s == xor_->s && !xor_->outer;
        if (!same && (one.b != 0 || xor_->b != 0)) continue;
        *out = (tmap_swizzle)i;
        return TMAP_OK;
    }
    return TMAP_UNAVAILABLE;
}
