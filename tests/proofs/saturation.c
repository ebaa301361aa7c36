/*
 * Point: 3
 * Proves: a sum and a product of any two 64-bit numbers are exact, or UINT64_MAX if the exact result does not fit; a
 *     quotient with divisor 0 is 0. The derived numbers are computed from these operations.
 * Bounds: none.
 * Tool: symbolic
 */
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

int main(void) {
    prove_exact();
    return 0;
}
