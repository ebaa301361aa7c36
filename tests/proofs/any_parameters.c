/*
 * Point: 5
 * Proves: with any bytes as parameters of a map and of a copy, and as a descriptor, the functions called below have
 *     no undefined behaviour except in the listed alarms: no division with divisor 0, no index outside an array, no
 *     read through NULL, no shift by too many bits, no signed overflow, no read of an uninitialized value.
 * Assumes: integers of 128 bits have 64 bits, and alignment is not part of the proof (tests/proofs/eva.h). No rule
 *     checks the parameters. The alarms are false alarms of Eva, which does not record relations between two values.
 *     derive.c, signed overflow: in positions_n, whose sums of 66 bits require the 128 bits that Eva lacks.
 *     derive.c, uninitialized: tmap_map_overlaps writes order[0..n-1] before it increments n. derive.c and
 *     allocation.c, out of bounds: is_tensor is called first, and rejects numbers that are not a type, an interleave
 *     or a rank. replaceables.c: if a search finds the row of a number, the next search finds the same row.
 * Bounds: none.
 * Tool: eva
 * Sources: src/hw/swizzle.c src/hw/tables.c src/hw/replaceables.c src/hw/forms.c src/hw/descriptor_bits.c
 *     src/params/derive.c src/params/allocation.c src/params/cache_policy.c src/codec/replace.c src/codec/decode.c
 *     src/codec/encode.c src/codec/diff.c
 * Alarms: src/params/derive.c: signed overflow: 4; src/params/derive.c: accessing uninitialized left-value: 2;
 *     src/hw/replaceables.c: out of bounds read: 3; src/params/derive.c: out of bounds read: 1;
 *     src/params/allocation.c: out of bounds read: 1; src/params/allocation.c: accessing out of bounds index: 3
 */
#include "no_rules.h"
#include "tmap/codec.h"

volatile unsigned char any_byte;
volatile int any_int;

static tmap_map_params params, decoded;
static tmap_copy_params copy;
static tmap_descriptor descriptor, bits;
static tmap_cache_policy policy;

static void make_any(void *at, unsigned long size) {
    unsigned char *bytes = at;
    for (unsigned long i = 0; i < size; i++) bytes[i] = any_byte;
}

static void tables(void) {
    (void)tmap_arch_get(any_int), (void)tmap_op_get(any_int), (void)tmap_allocation_class_get(any_int);
    (void)tmap_l2_promotion_get(any_int), (void)tmap_oob_fill_get(any_int), (void)tmap_toolkit_get(any_int);
    (void)tmap_descriptor_field_get(any_int);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get(any_int);
    if (swizzle) (void)(tmap_swizzle_mask(swizzle, params.address) + tmap_swizzle_atom_B(swizzle));
    (void)tmap_replace_operand(copy.field, copy.value), (void)tmap_replace_archs(copy.field, copy.value);
    (void)tmap_l2_priority_name(any_int), (void)tmap_cache_policy_decode(copy.cache_hint, &policy);
}

/* What rules accept has rows of its choices, and a rank that fits its mode. */
static void encode(tmap_mode mode, uint64_t rank) {
    static tmap_map map;
    static tmap_field_diff diffs[4];
    map.params = params;
    map.params.mode = mode, map.params.rank = rank;
    map.type = tmap_type_get((int)params.type), map.swizzle = tmap_swizzle_get((int)params.swizzle);
    if (!map.type || !map.swizzle) return;
    (void)tmap_descriptor_encode(&map, &bits);
    (void)tmap_descriptor_diff(&descriptor, &bits, diffs, 4);
}

int main(void) {
    make_any(&params, sizeof params);
    make_any(&copy, sizeof copy);
    make_any(&descriptor, sizeof descriptor);
    (void)tmap_derive(&params, any_int);
    (void)tmap_derive_copy(&params, &copy);
    (void)tmap_map_overlaps(&params);
    (void)tmap_allocation_class_of(&params);
    tables();
    encode(TMAP_MODE_TILED, 1), encode(TMAP_MODE_TILED, 2), encode(TMAP_MODE_TILED, 3);
    encode(TMAP_MODE_TILED, 4), encode(TMAP_MODE_TILED, 5);
    encode(TMAP_MODE_IM2COL, 3), encode(TMAP_MODE_IM2COL, 4), encode(TMAP_MODE_IM2COL, 5);
    tmap_descriptor_unexplained(&descriptor, &bits);
    (void)tmap_descriptor_decode(&descriptor, &decoded, NULL, NULL);
    tmap_descriptor_replace(&descriptor, &copy);
    return 0;
}
