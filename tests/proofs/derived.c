/*
 * Point: 3
 * Proves: where derive.c and allocation.c compute derived numbers and the allocation class, no unsigned or signed
 *     number of 32, 64 or 128 bits wraps, no division has the divisor 0, and every shift and index is in range, for
 *     any parameters of 64 bits. One exception: size_B & -size_B of a copy without a map wraps on purpose.
 * Assumes: a row of a type, a swizzle or an interleave, if it exists, has numbers below 2^16, and a unit has a
 *     value (unit.hw). Each function is proved separately, for arbitrary derived numbers as its input. A product of two
 *     64-bit numbers is any number up to 2^128 - 2^64 - 1: this is the only property of products that the proof uses.
 *     Quotients and saturating sums are any number of 64 bits (`saturation` proves that these are computed without
 *     wraps and traps). Functions that order dimensions by their strides visit them in any order (`order`).
 * Cases: FIRST=0 LAST=8; FIRST=9 LAST=9; FIRST=10 LAST=10; FIRST=11 LAST=11; FIRST=12 LAST=12; FIRST=13 LAST=14
 * Tool: symbolic
 * Compiler: clang
 * Products: any
 * Options: -fsanitize=unsigned-integer-overflow,signed-integer-overflow,integer-divide-by-zero,shift,bounds
 *     -fsanitize-trap=all
 */
#include "base/wide.h"
#include "proof.h"
#include "tmap/params.h"

static uint64_t any_u64(uint64_t a, uint64_t b) {
    ANY(uint64_t, any);
    (void)a, (void)b;
    return any;
}

/* The arguments of these functions are still computed and checked. */
#define tmap_ceil_div     any_u64
#define tmap_round_up     any_u64
#define tmap_mul_saturate any_u64
#define tmap_add_saturate any_u64

/* The only function that wraps on purpose. */
__attribute__((no_sanitize("unsigned-integer-overflow"))) static void derive_linear(const tmap_unit *unit,
                                                                                    uint64_t size_B, tmap_derived *d);

#include "params/allocation.c"
#include "params/derive.c"

/* ---- Tables: any row, or none ----------------------------------------------------------------------------------- */

static bool has_type, has_swizzle, has_interleave, has_mode, has_op;
static tmap_type_info the_type;
static tmap_swizzle_info the_swizzle;
static tmap_interleave_info the_interleave;
static tmap_mode_info the_mode;
static tmap_op_info the_op;

const tmap_type_info *tmap_type_get(int type) {
    (void)type;
    return has_type ? &the_type : NULL;
}

const tmap_swizzle_info *tmap_swizzle_get(int swizzle) {
    (void)swizzle;
    return has_swizzle ? &the_swizzle : NULL;
}

const tmap_interleave_info *tmap_interleave_get(int interleave) {
    (void)interleave;
    return has_interleave ? &the_interleave : NULL;
}

const tmap_mode_info *tmap_mode_get(int mode) {
    (void)mode;
    return has_mode ? &the_mode : NULL;
}

const tmap_op_info *tmap_op_get(int op) {
    (void)op;
    return has_op ? &the_op : NULL;
}

uint32_t tmap_swizzle_period_B(const tmap_swizzle_info *swizzle) {
    ANY(uint32_t, period_B);
    (void)swizzle;
    return period_B;
}

/* Any order of the dimensions with more than one entry; `order` proves that tmap_next_dim returns only these. */
int tmap_next_dim(const tmap_map_params *map, uint32_t placed) {
    unsigned dim = tmap_proof_each(TMAP_RANK_MAX);
    if (dim == 0) return -1;
    ASSUME((map->rank > dim) & (map->dims_el[dim] > 1) & !(placed >> dim & 1));
    return (int)dim;
}

static bool any_choice(void) {
    return tmap_proof_each(2) == 1;
}

static void choose_rows(void) {
    tmap_proof_any(&the_type, sizeof the_type);
    tmap_proof_any(&the_swizzle, sizeof the_swizzle);
    tmap_proof_any(&the_interleave, sizeof the_interleave);
    tmap_proof_any(&the_mode, sizeof the_mode);
    tmap_proof_any(&the_op, sizeof the_op);
    ASSUME((the_type.unit_values >= 1) & (the_type.unit_values < 1 << 16));
    ASSUME((the_type.bits >= 0) & (the_type.bits < 1 << 16));
    ASSUME((the_type.unit_stored_B | the_type.unit_shared_B | the_type.unit_pitch_B | the_type.unit_global_B) <
           1 << 16);
    ASSUME((the_swizzle.span_B | the_interleave.slice_B) < 1 << 16);
}

/* ---- The functions ------------------------------------------------------------------------------------------------ */

static tmap_map_params params;
static tmap_copy_params copy;
static tmap_derived derived;
static tmap_unit unit;

enum { FUNCTIONS = 15 };

static void compute(unsigned function) {
    has_type = has_interleave = has_swizzle = has_mode = has_op = true;
    switch (function) {
    case 0: has_type = any_choice(), has_interleave = any_choice(), tmap_unit_of(&params, any_choice()); break;
    case 1: has_mode = any_choice(), has_interleave = any_choice(), tmap_image_dims_of(&params); break;
    case 2: count_tiles(&params, any_choice(), any_choice(), derived.counts); break;
    case 3: count_pixels(&params, any_choice(), copy.w_halo, derived.counts); break;
    case 4: derive_linear(&unit, copy.size_B, &derived); break;
    case 5: has_swizzle = any_choice(), derive_rows(&params, &unit, any_choice() ? 16 : 0, &derived); break;
    case 6: derive_span(&params, &unit); break;
    case 7: cover_with_tiles(&params, &derived); break;
    case 8: cover_with_columns(&params, any_choice() ? 16 : 0, &derived); break;
    case 9: tmap_map_overlaps(&params); break;
    case 10: tmap_map_fills_memory(&params); break;
    case 11: is_wider_than_memory(&params); break;
    case 12: covered_B(&params); break;
    case 13: covers_in_order(&params); break;
    default: tmap_allocated_B(&params), tmap_inner_global_B(&the_type, params.dims_el[0]); break;
    }
}

int main(void) {
    choose_rows();
    tmap_proof_any(&params, sizeof params);
    tmap_proof_any(&copy, sizeof copy);
    tmap_proof_any(&derived, sizeof derived);
    tmap_proof_any(&unit, sizeof unit);
    unsigned function = FIRST + tmap_proof_each(LAST - FIRST + 1);
    /* allocation.c checks the rank first (is_tensor). */
    if (function >= 11 && function <= 13) ASSUME((params.rank >= 1) & (params.rank <= TMAP_RANK_MAX));
    compute(function);
    PROVE(function < FUNCTIONS); /* the path ends without a trap */
    return 0;
}
