/* Plans a probe: applies the rules to the copy, and computes the sizes of its image and its global memory. */
#include "probe/probe.h"

#include "base/wide.h"
#include "diag/refuse.h"
#include "hash/splitmix.h"
#include "tmap/unstable/tables.h"
#include "walk/extent.h"

#define ADDRESS_KEEPS_B 256

static uint32_t ctas_of(const tmap_copy_params *copy) {
    uint32_t ctas_n = 1;
    for (uint32_t cta = 0; cta < TMAP_JOB_CTAS_MAX; cta++)
        if (copy->cta_mask >> cta & 1) ctas_n = cta + 1;
    return copy->cta_group == 2 ? ctas_n + ctas_n % 2 : ctas_n; /* whole pairs */
}

/* Computes sizes from derived numbers, which also exist for copies that the rules refuse. */
static void lay_out(tmap_probe *probe) {
    const tmap_op_info *op = tmap_op_get((int)probe->copy.op);
    tmap_derived derived = tmap_derive_copy(&probe->map, &probe->copy);
    if (op && !tmap_op_moves(op)) derived.footprint_B = 0;
    if (op && op->on_map) derived.span_B = 0; /* the copy does not use the tensor */
    uint64_t address = probe->map.has_address ? probe->map.address % ADDRESS_KEEPS_B : 0;
    uint64_t shared = TMAP_IMAGE_ALIGN_B + probe->copy.shared % TMAP_IMAGE_ALIGN_B;
    probe->copy.shared = shared;
    probe->image_B = derived.footprint_B < UINT32_MAX / 2
                         ? (uint32_t)tmap_round_up(shared + derived.footprint_B + PROBE_GUARD_B, TMAP_LINE_B)
                         : UINT32_MAX / TMAP_LINE_B * TMAP_LINE_B;
    probe->tensor_at = ADDRESS_KEEPS_B + address;
    probe->global_B = tmap_add_saturate(tmap_add_saturate(probe->tensor_at, derived.span_B), PROBE_GUARD_B);
}

/* Offsets from the tensor's address, modulo 2^64: the copy touches `size_B` bytes from `first` on. */
typedef struct copy_extent {
    uint64_t first, size_B;
} copy_extent;

static copy_extent touched_from(const tmap_copy *copy, uint64_t origin) {
    tmap_extent extent = tmap_copy_extent_from(copy, origin);
    return (copy_extent){origin + extent.first_B, extent.end_B - extent.first_B};
}

/* Counts from offset 0 and from 2^63, and keeps the smaller extent: from 0, rows on both sides of 0 are far apart. */
static copy_extent touched_by(const tmap_copy *copy) {
    copy_extent low = touched_from(copy, 0), high = touched_from(copy, UINT64_C(1) << 63);
    return high.size_B < low.size_B ? high : low;
}

/* A copy that the rules refuse stops before it touches memory, so its memory consists of the guards. */
static void lay_out_part(tmap_probe *probe) {
    copy_extent t = probe->predicts ? touched_by(&probe->frozen) : (copy_extent){0, 0};
    uint64_t address = probe->map.has_address ? probe->map.address : 0;
    uint64_t first_at = ADDRESS_KEEPS_B + (address + t.first) % ADDRESS_KEEPS_B;
    probe->part = true;
    probe->tensor_at = first_at - t.first;
    probe->global_B = tmap_add_saturate(tmap_add_saturate(first_at, t.size_B), PROBE_GUARD_B);
}

/* Sets the expected symptom: the first error of the copy, and the effect of running the copy in spite of it. */
static void expect_symptom(tmap_probe *probe, const tmap_diags *found) {
    for (size_t i = 0; i < found->count && !probe->symptom; i++) {
        if (found->items[i].severity != TMAP_ERROR) continue;
        probe->rule = found->items[i].rule;
        probe->symptom = found->items[i].symptom;
    }
}

/* A replacement has no box: only the map is frozen. */
static tmap_status freeze_replacement(tmap_probe *probe, const tmap_map *map, const tmap_judge *judge,
                                      tmap_diags *diags) {
    tmap_replacement replacement;
    tmap_status status = tmap_replacement_init(&replacement, map, &probe->copy, judge, diags);
    probe->frozen = (tmap_copy){.map = *map, .params = probe->copy, .op = tmap_op_get((int)probe->copy.op)};
    return status;
}

/* The result of the instruction for a number that the rules refuse, or for ordinal 4 of strides, is known exactly.
 * Choices are immediates, which ptxas refuses. */
static bool is_carried_out(const tmap_copy_params *replace, const tmap_diags *found) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)replace->field);
    bool strides = replace->field == TMAP_REPLACEABLE_STRIDES;
    if (replace->op != TMAP_OP_REPLACE || !info || info->immediate) return false;
    if (replace->ordinal > 0 && replace->ordinal >= (uint64_t)info->ordinals_n + strides) return false;
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].severity == TMAP_ERROR && !tmap_diag_is(&found->items[i], "replace-value") &&
            !tmap_diag_is(&found->items[i], "replace-ordinal"))
            return false;
    return true;
}

static tmap_status judge_copy(tmap_probe *probe, const tmap_map *map, const tmap_judge *judge, tmap_diags *diags) {
    tmap_diag items[8];
    tmap_diags found = {.items = items, .capacity = sizeof items / sizeof *items, .fixed = true};
    const tmap_op_info *op = tmap_op_get((int)probe->copy.op);
    bool replaces = op && op->on_map;
    tmap_status status = replaces ? freeze_replacement(probe, map, judge, &found)
                                  : tmap_copy_init(&probe->frozen, map, &probe->copy, judge, &found);
    for (size_t i = 0; i < found.count; i++) (void)tmap_diags_add(diags, &found.items[i]);
    bool carried_out = replaces && status == TMAP_REFUSED && is_carried_out(&probe->copy, &found);
    if (status == TMAP_REFUSED && (!replaces || carried_out)) expect_symptom(probe, &found);
    probe->predicts = status == TMAP_OK || carried_out;
    return status;
}

tmap_status tmap_probe_plan(tmap_probe *probe, const tmap_map_params *map_params, const tmap_copy_params *copy,
                            uint64_t seed, const tmap_judge *judge, tmap_diags *diags) {
    tmap_map map;
    *probe = (tmap_probe){.map = *map_params, .copy = *copy, .seed = seed, .ctas_n = ctas_of(copy)};
    if (judge && judge->toolkit != 0) probe->copy.toolkit = judge->toolkit;
    if (judge) probe->archs = judge->archs;
    probe->poisons[0] = (uint8_t)tmap_splitmix64(seed);
    probe->poisons[1] = (uint8_t)~probe->poisons[0];
    tmap_status status = tmap_map_init(&map, map_params, judge, diags);
    if (status != TMAP_OK) return status;
    lay_out(probe);
    status = judge_copy(probe, &map, judge, diags);
    if (tmap_op_get((int)copy->op) && tmap_probe_globals_B(probe) > PROBE_MEMORY_B) lay_out_part(probe);
    return status;
}
