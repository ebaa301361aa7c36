/*
 * Point: 3
 * Proves: where the code computes the number of positions of an im2col walk along a spatial dimension, the signed
 *     sum of 128 bits does not overflow and no division has the divisor 0, for any size, corners and element
 *     stride of 64 bits. With stride 1 the number is exact, or UINT64_MAX if the exact number does not fit.
 * Bounds: none.
 * Tool: symbolic
 * Options: -fsanitize=signed-integer-overflow,integer-divide-by-zero,shift,bounds -fsanitize-undefined-trap-on-error
 */
#include "params/derive.c"
#include "proof.h"

const tmap_mode_info *tmap_mode_get(int mode) {
    (void)mode;
    return NULL;
}

int main(void) {
    static tmap_map_params params;
    tmap_proof_any(&params, sizeof params);
    int corner = (int)tmap_proof_each(3), dim = corner + (int)tmap_proof_each(2);
    bool each = tmap_proof_each(2) == 0;
    if (each) params.element_strides[dim] = 1;
    uint64_t found = positions_n(&params, dim, corner);
    /* Size + upper - lower in 66 bits, as two words: the high one is the carries less the signs. */
    uint64_t size = params.dims_el[dim], upper = (uint64_t)params.upper_corner[corner];
    uint64_t lower = (uint64_t)params.lower_corner[corner], sum = size + upper, low = sum - lower;
    int high = (sum < size) - (sum < lower) - (int)(upper >> 63) + (int)(lower >> 63);
    uint64_t width = high < 0 ? 0 : high > 0 ? UINT64_MAX : low;
    PROVE(!each | (found == width));
    return 0;
}
