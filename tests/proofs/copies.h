/* Copies through accepted maps (accepted.h) with arbitrary operands in the ranges that the rules accept, for Eva. */
#ifndef TMAP_TESTS_PROOFS_COPIES_H
#define TMAP_TESTS_PROOFS_COPIES_H

#include "accepted.h"
#define READING (any_i32 & 1)
#include "no_rules.h"

#define LINEAR_MAX_EL ((uint64_t)1 << 48)

static tmap_map made, map;
static tmap_copy copy;
static tmap_copy_params params;
static uint32_t element[TMAP_RANK_MAX]; /* an index of the box */

static void choose_operands(tmap_mode mode) {
    bool linear = mode == TMAP_MODE_LINEAR;
    for (int i = 0; i < TMAP_RANK_MAX; i++) params.at[i] = linear ? (int64_t)between(0, LINEAR_MAX_EL) : any_i32;
    for (int i = 0; i < 4; i++) params.rows[i] = any_i32;
    params.column = any_i32;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) params.offsets[i] = (int64_t)between(0, UINT16_MAX);
    params.w_halo = between(0, mode == TMAP_MODE_IM2COL_W128 ? 31 : 511), params.w_offset = between(0, 31);
    params.shared = between(0, UINT32_MAX), params.size_B = between(0, UINT32_MAX);
    params.dst = any_i32 & 1 ? TMAP_DST_CLUSTER : TMAP_DST_CTA;
    params.cta_group = any_u64, params.cta_mask = any_u64, params.cache_hint = any_u64;
    params.byte_mask = any_u64, params.ignore_left_B = any_u64, params.ignore_right_B = any_u64;
}

static void make_copy(tmap_mode mode, uint64_t rank, tmap_op op, void (*use)(void)) {
    make_map(&made, mode, rank);
    if (mode == TMAP_MODE_LINEAR) made.params.dims_el[0] = between(1, LINEAR_MAX_EL);
    made.params.has_address = any_i32 & 1, made.params.address = any_u64;
    if (tmap_map_init(&map, &made.params, NULL, NULL) != TMAP_OK) return;
    choose_operands(mode);
    params.op = op;
    if (tmap_copy_init(&copy, &map, &params, NULL, NULL) != TMAP_OK) return;
    for (int i = 0; i < TMAP_RANK_MAX; i++) element[i] = (uint32_t)between(0, copy.counts[i] ? copy.counts[i] - 1 : 0);
    use();
}

/* Operations of one kind have the same members in their rows. */
static tmap_op any_op(void) {
    static const tmap_op ops[] = {TMAP_OP_LOAD, TMAP_OP_STORE, TMAP_OP_REDUCE_ADD, TMAP_OP_PREFETCH};
    return ops[between(0, 3)];
}

static tmap_op any_op_of_four_rows(void) {
    static const tmap_op ops[] = {TMAP_OP_GATHER4, TMAP_OP_SCATTER4, TMAP_OP_PREFETCH_GATHER4};
    return ops[between(0, 2)];
}

#ifndef CASES /* bits; a planted mistake selects a few cases, so that its proof is short */
#define CASES 63
#endif

/* Calls `use` with a copy of each mode, rank and kind of operation. */
static void each_copy(void (*use)(void)) {
    if (CASES & 1) make_copy(TMAP_MODE_TILED, between(1, TMAP_RANK_MAX), any_op(), use);
    if (CASES & 2) make_copy(TMAP_MODE_IM2COL, between(3, TMAP_RANK_MAX), any_op(), use);
    if (CASES & 4) make_copy(TMAP_MODE_IM2COL_W, between(3, TMAP_RANK_MAX), any_op(), use);
    if (CASES & 8) make_copy(TMAP_MODE_IM2COL_W128, between(3, TMAP_RANK_MAX), any_op(), use);
    if (CASES & 16) make_copy(TMAP_MODE_TILED, 2, any_op_of_four_rows(), use);
    if (CASES & 32) make_copy(TMAP_MODE_LINEAR, 1, any_op(), use);
}

#endif
