/* The state of a run of the rules: the judged object, and the fields that have failed. */
#include "rule/trial.h"

#include "base/memory.h"
#include "base/wide.h"
#include "params/derive.h"
#include "rule/rules.h"

static const tmap_judge no_judge = {0};

void tmap_trial_fail(tmap_trial *trial, tmap_field field, int dim) {
    trial->failed_fields |= (uint64_t)1 << field;
    trial->failed[field] = (uint8_t)(trial->failed[field] | (dim < 0 ? 0xffu : 1u << dim));
}

bool tmap_trial_since(const tmap_trial *trial, int release) {
    return trial->judge->toolkit == 0 || trial->judge->toolkit >= release;
}

bool tmap_trial_stores_sixes(const tmap_trial *trial) {
    uint32_t ops = trial->map->ops;
    if (trial->map->type != TMAP_TYPE_B6X16_P32 || ops == 0) return false;
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if ((ops >> op & 1) != 0 && !tmap_op_get(op)->to_global) return false;
    return true;
}

tmap_archs tmap_trial_refusing(const tmap_trial *trial, bool narrow) {
    return narrow && tmap_trial_stores_sixes(trial) ? TMAP_ARCHS_ALL & ~TMAP_ARCHS_NARROW_SIXES : TMAP_ARCHS_ALL;
}

bool tmap_trial_narrow_archs(const tmap_trial *trial) {
    tmap_archs archs = trial->judge->archs;
    return archs && !(archs & ~TMAP_ARCHS_NARROW_SIXES);
}

bool tmap_trial_narrow(const tmap_trial *trial) {
    return tmap_trial_narrow_archs(trial) && tmap_trial_stores_sixes(trial);
}

uint64_t tmap_trial_align_B(const tmap_trial *trial) {
    if (tmap_trial_narrow(trial) && trial->interleave->align_B <= TMAP_NARROW_ALIGN_B) return TMAP_NARROW_ALIGN_B;
    uint32_t of_type = trial->type->align_B, of_interleave = trial->interleave->align_B;
    return of_type > of_interleave ? of_type : of_interleave;
}

uint64_t tmap_trial_row_B(const tmap_trial *trial) {
    uint32_t slice_B = trial->interleave->slice_B;
    uint64_t size = trial->map->dims_el[0];
    return slice_B ? tmap_mul_saturate(size, slice_B) : tmap_inner_global_B(trial->type, size);
}

bool tmap_trial_failed(const tmap_trial *trial, tmap_field field, int dim) {
    return dim < 0 ? trial->failed[field] != 0 : (trial->failed[field] >> dim & 1) != 0;
}

/* Marks fields with invalid numbers as failed, so that rules that need these fields are skipped. Other rules report the
 * numbers. */
static void fail_unknown_choices(tmap_trial *trial) {
    if (!trial->type) tmap_trial_fail(trial, TMAP_FIELD_TYPE, -1);
    if (!trial->swizzle) tmap_trial_fail(trial, TMAP_FIELD_SWIZZLE, -1);
    if (!trial->interleave) tmap_trial_fail(trial, TMAP_FIELD_INTERLEAVE, -1);
    if (!trial->mode) tmap_trial_fail(trial, TMAP_FIELD_MODE, -1);
    if (trial->map->rank < 1 || trial->map->rank > TMAP_RANK_MAX) tmap_trial_fail(trial, TMAP_FIELD_RANK, -1);
}

static unsigned in_mode_of(const tmap_mode_info *mode) {
    if (mode->wide) return TMAP_IN_WIDE;
    return mode->im2col ? TMAP_IN_IM2COL : mode->linear ? TMAP_IN_LINEAR : TMAP_IN_TILED;
}

void tmap_trial_begin_map(tmap_trial *trial, const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags) {
    tmap_zero_struct(trial, sizeof *trial);
    trial->map = map;
    trial->judge = judge ? judge : &no_judge;
    trial->diags = diags;
    if (!map) return;
    trial->type = tmap_type_get((int)map->type);
    trial->swizzle = tmap_swizzle_get((int)map->swizzle);
    trial->interleave = tmap_interleave_get((int)map->interleave);
    trial->mode = tmap_mode_get((int)map->mode);
    if (trial->mode) trial->in_mode = in_mode_of(trial->mode);
    trial->dims_n = map->rank < TMAP_RANK_MAX ? (int)map->rank : TMAP_RANK_MAX;
    fail_unknown_choices(trial);
}

void tmap_trial_derive(tmap_trial *trial) {
    if (trial->copy)
        tmap_derive_box(trial->map, trial->copy, &trial->derived);
    else
        trial->derived = tmap_derive(trial->map, false);
}

tmap_status tmap_trial_verdict(const tmap_trial *trial) {
    return trial->refused ? TMAP_REFUSED : TMAP_OK;
}
