/* Checked operands become a frozen copy. */
#include "base/wide.h"
#include "map/coordinate.h"

#include <stdio.h>
#include <string.h>

static tmap_status unavailable(const tmap_judge *judge, tmap_diags *diags, tmap_field field, const char *what,
                               const char *name) {
    tmap_diag diag = tmap_rule_diag("mode-unavailable", judge);
    diag.field = (int)field;
    diag.key = tmap_field_get((int)field)->name;
    snprintf(diag.message, sizeof diag.message, "this version does not predict copies with %s %s", what, name);
    snprintf(diag.fix, sizeof diag.fix, "check, encode and show work for the map; predict it byte for byte elsewhere");
    tmap_diags_add(diags, &diag);
    return TMAP_UNAVAILABLE;
}

static tmap_status check_predictable(const tmap_map *map, const tmap_op_info *op, const tmap_judge *judge,
                                     tmap_diags *diags) {
    const tmap_mode_info *mode = tmap_mode_get((int)map->params.mode);
    if (!mode->emulated) return unavailable(judge, diags, TMAP_FIELD_MODE, "mode", mode->name);
    if (!op->emulated) return unavailable(judge, diags, TMAP_FIELD_OP, "op", op->name);
    if (map->type->unit_values != 1) return unavailable(judge, diags, TMAP_FIELD_TYPE, "type", map->type->name);
    if (map->params.interleave != TMAP_INTERLEAVE_NONE)
        return unavailable(judge, diags, TMAP_FIELD_INTERLEAVE, "interleave",
                           tmap_interleave_get((int)map->params.interleave)->name);
    return TMAP_OK;
}

/* The rule copy-shared-fits has bounded the footprint far below 2^32. */
static bool fits(const tmap_derived *derived) {
    return derived->footprint_B <= UINT32_MAX && derived->payload_B <= UINT32_MAX;
}

static void settle_operands(tmap_copy *copy) {
    for (int i = copy->rank; i < TMAP_RANK_MAX; i++) copy->params.at[i] = 0;
    if (copy->op->four_rows) copy->params.at[0] = copy->params.column;
}

static void settle_box(tmap_copy *copy, const tmap_derived *derived) {
    for (int i = 0; i < TMAP_RANK_MAX; i++) copy->counts[i] = (uint32_t)derived->counts[i];
    copy->inner_B = (uint32_t)derived->inner_shared_B;
    copy->pitch_B = (uint32_t)derived->pitch_B;
    copy->rows_n = (uint32_t)derived->rows_n;
    copy->footprint_B = (uint32_t)derived->footprint_B;
    copy->payload_B = (uint32_t)derived->payload_B;
    for (uint32_t line = 0; line < 8; line++)
        copy->line_masks[line] = (uint8_t)tmap_swizzle_mask(copy->map.swizzle, (uint64_t)line * TMAP_LINE_B);
}

/* The least index whose coordinate reaches `bound`: ceil((bound - start) / step), at most `count`. */
static uint32_t first_reaching(int64_t bound, int64_t start, int64_t step, uint32_t count) {
    if (start >= bound) return 0;
    if (start + (int64_t)(count - 1) * step < bound) return count;
    return (uint32_t)((bound - start + step - 1) / step);
}

/* Coordinates grow with the index, so what is inside a dimension is one interval. */
static void settle_bounds(tmap_copy *copy) {
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        int64_t start = copy->params.at[i], step = (int64_t)copy->map.params.element_strides[i];
        copy->inside_first[i] = first_reaching(0, start, step, copy->counts[i]);
        copy->inside_end[i] = first_reaching((int64_t)copy->map.params.dims_el[i], start, step, copy->counts[i]);
    }
}

tmap_status tmap_copy_init(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params,
                           const tmap_judge *judge, tmap_diags *diags) {
    tmap_status status = tmap_check_copy(&map->params, params, judge, diags);
    if (status != TMAP_OK) return status;
    tmap_copy frozen = {.map = *map, .params = *params, .op = tmap_op_get((int)params->op)};
    status = check_predictable(map, frozen.op, judge, diags);
    if (status != TMAP_OK) return status;
    tmap_derived derived = tmap_derive(&map->params, frozen.op->four_rows);
    if (!fits(&derived)) return TMAP_INTERNAL;
    frozen.rank = (int)map->params.rank;
    settle_operands(&frozen);
    settle_box(&frozen, &derived);
    settle_bounds(&frozen);
    *copy = frozen;
    return TMAP_OK;
}

void tmap_copy_move(tmap_copy *copy, const tmap_copy *like, const tmap_copy_params *params) {
    tmap_copy moved = *like;
    memcpy(moved.params.at, params->at, sizeof moved.params.at);
    memcpy(moved.params.rows, params->rows, sizeof moved.params.rows);
    moved.params.column = params->column;
    settle_operands(&moved);
    settle_bounds(&moved);
    *copy = moved;
}
