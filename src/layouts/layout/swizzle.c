/*
 * layout: swizzles of element addresses. TIRx, "Tensor Layout": 2^M elements stay together, and the B bits from bit
 * M + S on are XORed into the B bits from bit M on. On byte addresses the hardware's modes XOR bits 7 and up into bits
 * 4 and up. For an element of 2^k bytes subtract k from these bit numbers; for an element of half a byte add one.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "layout/iter_lists.h"
#include "layout/xor_maps.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/tables.h"

/* The shift from a byte address to an element address: log2(8 / bits). Returns false for sizes that are not a power of
 * two. */
static bool shift_of(int bits, int *shift) {
    for (*shift = 3; *shift >= -4; --*shift)
        if (bits == (*shift >= 0 ? 8 >> *shift : 8 << -*shift)) return true;
    return false;
}

tmap_status tmap_xor_of_mode(int bits, tmap_swizzle mode, tmap_xor *swizzle, tmap_diag *error) {
    const tmap_swizzle_info *info = tmap_swizzle_get((int)mode);
    int shift, b, m, s;
    if (!info)
        return tmap_refuse_with(error, 1, "a row of the table of swizzles", "swizzle %d does not exist", (int)mode);
    if (!shift_of(bits, &shift))
        return tmap_refuse_with(error, 0, "1, 2, 4, 8, 16, 32, 64 or 128 bits",
                                "the elements have %d bits, which is not a power of two", bits);
    if (!tmap_swizzle_cute(info, &b, &m, &s))
        return tmap_refuse_with(error, 1,
                                "a mode with one XOR: none, 32B, 64B, 96B, 128B, 128B_atom32B or 128B_atom64B",
                                "%s is not an XOR of neighbouring bits", info->name);
    *swizzle = (tmap_xor){.m = m + shift, .b = b, .s = s};
    return TMAP_OK;
}

int tmap_xor_mode(const tmap_xor *swizzle, int bits) {
    for (int mode = 0; tmap_swizzle_get(mode); mode++) {
        tmap_xor one = {.b = 0};
        if (tmap_xor_of_mode(bits, (tmap_swizzle)mode, &one, NULL) != TMAP_OK) continue;
        if (one.b == 0 && swizzle->b == 0) return mode;
        if (one.m == swizzle->m && one.b == swizzle->b && one.s == swizzle->s && !swizzle->outer) return mode;
    }
    return -1;
}

tmap_swizzle tmap_swizzle_fitting(int bits, int64_t columns) {
    static const tmap_swizzle widest_first[] = {TMAP_SWIZZLE_128B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_32B};
    for (size_t i = 0; i < sizeof widest_first / sizeof widest_first[0]; i++) {
        int64_t span_bits = (int64_t)tmap_swizzle_get((int)widest_first[i])->span_B * 8;
        if (columns > 0 && (tmap_i128)columns * bits % span_bits == 0) return widest_first[i];
    }
    return TMAP_SWIZZLE_NONE;
}

tmap_status tmap_xor_of_cute(int b, int m, int s, tmap_xor *swizzle, tmap_diag *error) {
    if (!tmap_xor_exists(m, b, llabs(s))) return tmap_refuse_xor(m, b, s, error);
    *swizzle = (tmap_xor){.m = m, .b = b, .s = abs(s), .outer = s < 0};
    return TMAP_OK;
}

void tmap_xor_cute(const tmap_xor *swizzle, int *b, int *m, int *s) {
    *b = swizzle->b, *m = swizzle->m, *s = swizzle->outer ? -swizzle->s : swizzle->s;
}

tmap_status tmap_layout_compose(const tmap_xor *swizzle, const tmap_layout *tile, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = *tile;
    made.has_swizzle = true;
    made.swizzle = *swizzle;
    if (tile->has_swizzle && !tmap_xor_combine(swizzle, &tile->swizzle, &made.swizzle))
        return tmap_refuse_with(error, 1, "compose the layout without its swizzle",
                                "the layout already has a swizzle, and both together are not a single swizzle");
    if (tmap_layout_check(&made, error) != TMAP_OK) {
        if (error) error->operand = 1;
        return TMAP_REFUSED;
    }
    *out = made;
    return TMAP_OK;
}

#define ATOM_ROWS   8
#define ATOM_NONE_B 16

tmap_status tmap_layout_atom(int bits, tmap_swizzle mode, tmap_layout *out, tmap_diag *error) {
    tmap_xor swizzle;
    tmap_layout tile;
    if (tmap_xor_of_mode(bits, mode, &swizzle, error) != TMAP_OK) return TMAP_REFUSED;
    int64_t span_B = tmap_swizzle_get((int)mode)->span_B, row = (span_B ? span_B : ATOM_NONE_B) * 8 / bits;
    const int64_t shape[2] = {ATOM_ROWS, row};
    if (tmap_layout_row_major(shape, 2, &tile, error) != TMAP_OK) return TMAP_REFUSED;
    return tmap_layout_compose(&swizzle, &tile, out, error);
}

tmap_bank tmap_bank_of(int64_t address, int bits) {
    int64_t byte = (int64_t)((tmap_i128)address * bits / 8), word = byte / 4;
    return (tmap_bank){.byte = byte, .bank = (int)(word % TMAP_BANKS), .line = word / TMAP_BANKS};
}
