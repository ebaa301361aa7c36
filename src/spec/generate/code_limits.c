/* generate: refuses parameters that the rules refuse, or that source code cannot express. */
#include <inttypes.h>

#include "diag/refuse.h"
#include "generate/instruction.h"
#include "generate/sized.h"
#include "rule/trial.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* Judges the copy, or with `copy` NULL the map. */
static tmap_status keep_rules(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                              tmap_diag *to) {
    const tmap_judge judge = {.archs = archs, .least = TMAP_ERROR};
    tmap_first_finding first;
    tmap_diags *found = tmap_first_finding_begin(&first);
    tmap_status status = copy ? tmap_check_copy(map, copy, &judge, found) : tmap_check_map(map, &judge, found);
    return status == TMAP_OK ? TMAP_OK : tmap_refuse_finding(to, &first);
}

tmap_status tmap_generate_has_call(const tmap_map_params *map, tmap_diag *to) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)map->swizzle);
    if (map->mode == TMAP_MODE_LINEAR) return tmap_refuse(to, NULL, "memory of mode linear has no tensor map");
    if (swizzle->cu_name) return TMAP_OK;
    return tmap_refuse(to, NULL, "the driver has no enumerator for swizzle %s: only tensormap.replace sets it",
                       swizzle->name);
}

tmap_status tmap_generate_allows_map(const tmap_map_params *map, tmap_diag *to) {
    tmap_status status = keep_rules(map, NULL, 0, to);
    return status == TMAP_OK ? tmap_generate_has_call(map, to) : status;
}

static tmap_status allow_instruction(const tmap_map_params *map, const tmap_copy_params *copy, tmap_diag *to) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool shared = copy->map_space == TMAP_SPACE_SHARED || copy->map_space == TMAP_SPACE_GENERIC;
    if (copy->op == TMAP_OP_QUERY_MAP && shared)
        return tmap_refuse(to, NULL, "op %s has no map in this map_space", op->name);
    if (op->on_map) return TMAP_OK;
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((copy->qualifiers >> i & 1) && !q->predicted)
            return tmap_refuse(to, NULL, "this version does not write kernels with qualifier %s", q->name);
    tmap_instruction instruction = tmap_instruction_of(map, copy, 0);
    tmap_operand_list operands;
    bool wide_store = op->to_global && tmap_mode_get((int)map->mode)->wide;
    if (op->emulated && !wide_store && tmap_instruction_operands(&instruction, &operands)) return TMAP_OK;
    return tmap_refuse(to, NULL, "this version does not write kernels for op %s%s", op->name,
                       wide_store ? " in a wide mode" : "");
}

/* The box starts at a multiple of the swizzle's period, so the barrier before the box needs at most one period. */
#define BARRIER_ROOM_B 1024u

static tmap_status allow_shared(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                                tmap_diag *to) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    if (!tmap_op_moves(op)) return TMAP_OK;
    const tmap_judge judge = {.archs = archs};
    uint64_t end = copy->shared + tmap_derive_copy(map, copy).footprint_B, window;
    tmap_windows_below(&judge, UINT64_MAX, &window);
    uint64_t room = window - TMAP_SHARED_RESERVED_B - BARRIER_ROOM_B;
    if (end <= room) return TMAP_OK;
    return tmap_refuse(
        to, NULL, "the box ends at %" PRIu64 "; with its barrier a kernel has %" PRIu64 " B: use a smaller 'shared'",
        end, room);
}

tmap_status tmap_generate_allows_copy(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                                      tmap_diag *to) {
    tmap_status status = keep_rules(map, NULL, archs, to);
    if (status == TMAP_OK) status = keep_rules(map, copy, archs, to);
    if (status == TMAP_OK) status = allow_instruction(map, copy, to);
    if (status == TMAP_OK) status = allow_shared(map, copy, archs, to);
    return status;
}
