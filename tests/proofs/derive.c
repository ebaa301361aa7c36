/*
 * Point: 3
 * Proves: with any 64-bit numbers as parameters, and choices that are none too, tmap_derive and tmap_derive_copy divide
 *     by nothing, shift and index within bounds, and no operation wraps or overflows, signed or unsigned; a sum, a
 * product and a quotient rounded up are the exact ones or UINT64_MAX. Assumes: nothing. Bounds: none. Cases: PART=0..4
 * Sources: src/params/derive.c src/hw/tables.c src/hw/swizzle.c
 * Options: --unwind 9 --unsigned-overflow-check
 */
#include "params/derive.h"
#include "base/wide.h"
#include "proof.h"

static void prove_exact(void) {
    ANY(uint64_t, a);
    ANY(uint64_t, b);
    tmap_u128 sum = (tmap_u128)a + b, most = UINT64_MAX;
    PROVE(tmap_add_saturate(a, b) == (sum > most ? most : sum));
    PROVE(tmap_mul_saturate(a, b) == ((tmap_u128)a * b > most ? most : (tmap_u128)a * b));
    if (b == 0) PROVE(tmap_ceil_div(a, b) == 0);
}

/* ceil(c / d) is the least q with q x d >= c: of 16 bits, where the product is within reach of a solver. */
static void prove_quotient(void) {
    ANY(uint16_t, c);
    ANY(uint16_t, d);
    uint64_t q = tmap_ceil_div(c, d);
    ASSUME(d != 0);
    PROVE(q * d >= c && (q == 0 || q * d - d < c));
    PROVE(tmap_round_up(c, d) == q * d);
}

int main(void) {
    ANY(tmap_map_params, params);
    ANY(tmap_copy_params, copy);
    ANY(bool, four_rows);
    switch (PART) {
    case 0: prove_exact(); break;
    case 1: prove_quotient(); break;
    case 2: (void)tmap_derive(&params, four_rows); break;
    case 3: (void)tmap_derive_copy(&params, &copy); break;
    default: (void)tmap_map_overlaps(&params);
    }
    return 0;
}
