/*
 * Point: 5
 * Proves: with any bytes as parameters of a map and of a copy, as a descriptor and as a cache policy, and with any
 *     row number, the functions called below have no undefined behaviour except in the listed alarms: no division
 *     with divisor 0, no index outside an array, no read through NULL, no shift by too many bits, no signed overflow,
 *     no read of an uninitialized value.
 * Assumes: integers of 64 bits replace those of 128 bits, and alignment is not part of the proof (tests/proofs/eva.h).
 *     A map is frozen and encoded if each of its choices has a row and its mode allows its rank (is_map); tmap_map_init
 *     refuses all other parameters, because the rules do (a test checks this). The proof executes no rule. The alarms
 *     are false alarms of Eva, which does not record relations between two values. derive.c, signed overflow: the
 *     sums of positions_n have 66 bits, and Eva supports only 64. derive.c and allocation.c, out of bounds:
 *     is_tensor is called first, and rejects numbers that are not a type, an interleave or a rank. replaceables.c and
 *     descriptor_bits.h: if a search finds the row of a number, the next search finds the same row.
 * Bounds: none: every mode and rank.
 * Tool: eva
 * Sources: src/core/hw/swizzle.c src/core/hw/tables.c src/core/hw/replaceables.c src/core/hw/forms.c src/core/hw/descriptor_bits.c
 *     src/core/map/map.c src/core/params/derive.c src/core/params/dim_order.c src/core/params/allocation.c src/core/params/cache_policy.c
 *     src/core/codec/replace.c src/core/codec/decode.c src/core/codec/encode.c src/core/codec/diff.c src/core/base/memory.c
 * Options: -eva-split-return auto
 * Alarms: src/core/hw/descriptor_bits.h: out of bounds read: 2; src/core/hw/replaceables.c: out of bounds read: 2;
 *     src/core/params/allocation.c: out of bounds read: 1; src/core/params/derive.c: out of bounds read: 1; src/core/params/derive.c:
 *     signed overflow: 4
 */
#include "any.h"
#include "tmap/map.h"
#include "tmap/unstable/counts.h"

/* Whether each choice has a row and the mode allows the rank; the rules require more. */
static bool is_map(const tmap_map_params *map) {
    return (unsigned)map->type < TMAP_TYPE_COUNT && (unsigned)map->swizzle < TMAP_SWIZZLE_COUNT &&
           (unsigned)map->interleave < TMAP_INTERLEAVE_COUNT && (unsigned)map->mode < TMAP_MODE_COUNT &&
           map->rank >= (tmap_mode_get((int)map->mode)->im2col ? 3 : 1) && map->rank <= TMAP_RANK_MAX;
}

#define ACCEPTS(map) is_map(map)
#include "no_rules.h"
#include "params/allocation.h"
#include "tmap/codec.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

static tmap_map_params params, decoded;
static tmap_copy_params copy;
static tmap_derived derived;
static tmap_descriptor descriptor, bits;
static tmap_cache_policy policy;

static void tables(void) {
    (void)tmap_arch_get(any_int), (void)tmap_op_get(any_int), (void)tmap_allocation_class_get(any_int);
    (void)tmap_l2_promotion_get(any_int), (void)tmap_oob_fill_get(any_int), (void)tmap_toolkit_get(any_int);
    (void)tmap_descriptor_field_get(any_int), (void)tmap_interleave_get(any_int), (void)tmap_mode_get(any_int);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get(any_int);
    if (swizzle) (void)(tmap_swizzle_mask(swizzle, params.address) + tmap_swizzle_atom_B(swizzle));
    (void)tmap_replace_operand(copy.field, copy.value), (void)tmap_replace_archs(copy.field, copy.value);
    (void)tmap_l2_priority_name(any_int), (void)tmap_cache_policy_encode(&policy);
    (void)tmap_cache_policy_decode(copy.cache_hint, &policy);
    const tmap_type_info *type = tmap_type_get(any_int);
    if (type) (void)tmap_inner_global_B(type, params.address);
}

static void fields(void) {
    uint64_t raw = tmap_descriptor_peek(&bits, (tmap_descriptor_field)any_int);
    tmap_descriptor_poke(&descriptor, (tmap_descriptor_field)any_int, raw);
    tmap_descriptor_unexplained(&descriptor, &bits);
    (void)tmap_descriptor_decode(&descriptor, &decoded, NULL, NULL);
    tmap_descriptor_replace(&descriptor, &copy);
}

static void encode(tmap_mode mode, uint64_t rank) {
    static tmap_map map;
    static tmap_field_diff diffs[4];
    static tmap_replacement replacement;
    params.mode = mode, params.rank = rank, params.has_address = any_int & 1;
    if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK) return;
    (void)tmap_descriptor_encode(&map, &bits);
    (void)tmap_descriptor_encode_as(&map, (tmap_encoder)any_int, &bits);
    if (tmap_descriptor_diff(&descriptor, &bits, diffs, 4) > 0)
        (void)tmap_field_diff_moves_data(&descriptor, &bits, &diffs[0]);
    (void)tmap_descriptor_equal(&descriptor, &bits);
    tmap_descriptor_key(&descriptor, &bits);
    (void)tmap_replacement_init(&replacement, &map, &copy, NULL, NULL);
}

int main(void) {
    make_any(&params, sizeof params);
    make_any(&copy, sizeof copy);
    make_any(&descriptor, sizeof descriptor);
    make_any(&policy, sizeof policy);
    (void)tmap_derive(&params, any_int);
    (void)tmap_derive_copy(&params, &copy), (void)tmap_derive_box(&params, &copy, &derived);
    (void)tmap_unit_of(&params, any_int), (void)tmap_image_dims_of(&params);
    (void)tmap_map_overlaps(&params), (void)tmap_map_fills_memory(&params), (void)tmap_allocated_B(&params);
    (void)tmap_allocation_class_of(&params);
    tables();
    fields();
    for (int mode = 0; mode < TMAP_MODE_COUNT; mode++)
        for (uint64_t rank = 1; rank <= TMAP_RANK_MAX; rank++) encode((tmap_mode)mode, rank);
    return 0;
}
