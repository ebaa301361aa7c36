/*
 * layout: swizzles as linear maps over the bits of addresses.
 *
 * A map that is linear over XOR is determined by the images of the bits. Elements give pairs (a, b) of addresses. A
 * basis of the a's, with its b's, determines the image of every a. A pair that contradicts the basis proves that no
 * such map exists (Gaussian elimination over GF(2)).
 */
#include "layout/xor_maps.h"

#include "layout/iter_lists.h"

bool tmap_xor_exists(int64_t m, int64_t b, int64_t s) {
    return b >= 0 && b <= s && s <= 62 && m >= 0 && m <= 62 - b - s;
}

tmap_status tmap_refuse_xor(int m, int b, int s, tmap_diag *error) {
    return tmap_refuse_with(error, TMAP_NO_OPERAND, "0 <= M, 0 <= B <= S, M + B + S <= 62",
                            "a swizzle with M = %d, B = %d, S = %d does not exist", m, b, s);
}

bool tmap_xor_same(const tmap_xor *a, const tmap_xor *b) {
    return (a->b == 0 && b->b == 0) || (a->b == b->b && a->m == b->m && a->s == b->s && a->outer == b->outer);
}

int64_t tmap_xor_apply(const tmap_xor *swizzle, int64_t address) {
    uint64_t a = (uint64_t)address, x = a >> swizzle->m, ones = ((uint64_t)1 << swizzle->b) - 1;
    uint64_t mask = swizzle->outer ? (x & ones) << swizzle->s : x >> swizzle->s & ones;
    return (int64_t)(a ^ mask << swizzle->m);
}

int64_t tmap_xor_period(const tmap_xor *swizzle) {
    return (int64_t)1 << (swizzle->m + swizzle->b + swizzle->s);
}

bool tmap_bit_pairs_add(tmap_bit_pairs *known, uint64_t from, uint64_t to) {
    for (int i; from; from ^= known->from[i], to ^= known->to[i]) {
        i = tmap_highest_bit(from);
        if (known->from[i]) continue;
        known->from[i] = from;
        known->to[i] = to;
        return true;
    }
    return to == 0;
}

bool tmap_bit_pairs_find(const tmap_bit_pairs *known, uint64_t from, uint64_t *to) {
    for (*to = 0; from;) {
        int i = tmap_highest_bit(from);
        if (!known->from[i]) return false;
        from ^= known->from[i], *to ^= known->to[i];
    }
    return true;
}

bool tmap_bit_inverse(const uint64_t *columns, int n, uint64_t *inverse) {
    tmap_bit_pairs known = {{0}, {0}};
    for (int i = 0; i < n; i++) (void)tmap_bit_pairs_add(&known, columns[i], (uint64_t)1 << i);
    for (int i = 0; i < n; i++)
        if (!tmap_bit_pairs_find(&known, (uint64_t)1 << i, &inverse[i])) return false;
    return true;
}

uint64_t tmap_bit_image(const tmap_bit_pairs *known, uint64_t from) {
    uint64_t to = 0;
    for (int i = TMAP_ADDRESS_BITS - 1; i >= 0; i--) {
        if (!(from >> i & 1)) continue;
        to ^= known->from[i] ? known->to[i] : (uint64_t)1 << i;
        from ^= known->from[i];
    }
    return to;
}

/* Whether the swizzle has the known image for every address of the basis. */
static bool agrees(const tmap_bit_pairs *known, const tmap_xor *swizzle) {
    for (int i = 0; i < TMAP_ADDRESS_BITS; i++)
        if (known->from[i] && (uint64_t)tmap_xor_apply(swizzle, (int64_t)known->from[i]) != known->to[i]) return false;
    return true;
}

static bool is_below(const tmap_xor *swizzle, int top) {
    return swizzle->m + swizzle->b + swizzle->s <= top;
}

static const tmap_xor first_of_one_bit = {.b = 1, .s = 1};

/* Advances to the next swizzle below bit `top`, or to one above it after the last. The direction (inwards, then
 * outwards) changes fastest, then the distance, then the lowest bit, then the number of bits. */
static void advance(tmap_xor *swizzle, int top) {
    swizzle->outer = !swizzle->outer;
    if (swizzle->outer) return;
    swizzle->s++;
    if (is_below(swizzle, top)) return;
    swizzle->s = swizzle->b;
    swizzle->m++;
    if (is_below(swizzle, top)) return;
    *swizzle = (tmap_xor){.b = swizzle->b + 1, .s = swizzle->b + 1};
}

bool tmap_bit_swizzle(const tmap_bit_pairs *known, int top, tmap_xor *swizzle) {
    *swizzle = (tmap_xor){0};
    if (agrees(known, swizzle)) return true;
    for (*swizzle = first_of_one_bit; is_below(swizzle, top); advance(swizzle, top))
        if (agrees(known, swizzle)) return true;
    return false;
}

bool tmap_bit_two_swizzles(const tmap_bit_pairs *known, int top, tmap_xor *first, tmap_xor *second) {
    for (*first = first_of_one_bit; is_below(first, top); advance(first, top)) {
        tmap_bit_pairs left = {{0}, {0}};
        for (int i = 0; i < TMAP_ADDRESS_BITS; i++)
            if (known->from[i])
                (void)tmap_bit_pairs_add(&left, (uint64_t)tmap_xor_apply(first, (int64_t)known->from[i]), known->to[i]);
        if (tmap_bit_swizzle(&left, top, second)) return true;
    }
    return false;
}

bool tmap_xor_combine(const tmap_xor *second, const tmap_xor *first, tmap_xor *both) {
    tmap_bit_pairs known = {{0}, {0}};
    int64_t period = tmap_xor_period(first), other = tmap_xor_period(second);
    int top = tmap_highest_bit((uint64_t)tmap_larger(period, other));
    for (int i = 0; i < top; i++) {
        int64_t bit = (int64_t)1 << i;
        (void)tmap_bit_pairs_add(&known, (uint64_t)bit, (uint64_t)tmap_xor_apply(second, tmap_xor_apply(first, bit)));
    }
    return tmap_bit_swizzle(&known, top, both);
}
