/* Checked operands become a frozen copy. A copy without a tensor map also has a box: see derive_linear. */
#include "base/memory.h"
#include "base/wide.h"
#include "diag/refuse.h"
#include "map/tile_rows.h"
#include "rule/trial.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/forms.h"

#include <stddef.h>
#include <string.h>

static tmap_status unavailable(const tmap_judge *judge, tmap_diags *diags, tmap_field field, const char *what,
                               const char *name) {
    tmap_diag diag = tmap_rule_diag("mode-unavailable", judge);
    diag.field = (int)field;
    diag.key = tmap_field_get((int)field)->name;
    TMAP_SAY(diag.message, "this version does not predict copies with %s %s", what, name);
    TMAP_SAY(diag.fix.words, "check and encode the map; only the copy is not predicted");
    tmap_diags_add(diags, &diag);
    return TMAP_UNAVAILABLE;
}

static tmap_status copies_nothing(const tmap_op_info *op, const tmap_judge *judge, tmap_diags *diags) {
    tmap_diag diag = tmap_rule_diag("mode-unavailable", judge);
    diag.field = (int)TMAP_FIELD_OP;
    diag.key = tmap_field_get((int)TMAP_FIELD_OP)->name;
    TMAP_SAY(diag.message, "op %s works on a map and copies nothing", op->name);
    TMAP_SAY(diag.fix.words, "use the map after the op; no elements move");
    tmap_diags_add(diags, &diag);
    return TMAP_UNAVAILABLE;
}

/* Rule copy-shared-fits bounds the footprint far below 2^32. A prefetch needs no shared memory and gets this bound. */
#define PREFETCH_MAX_B ((uint64_t)16 << 20)

static bool fits(const tmap_derived *derived) {
    return derived->footprint_B <= UINT32_MAX && derived->payload_B <= UINT32_MAX;
}

/* Whether the prediction for this copy depends on the alternative. The evidence is searched only then: the search takes
 * more time than the rest of the copy. */
static bool depends_on(const tmap_copy *copy, int alternative) {
    const tmap_map_params *map = &copy->map.params;
    if (alternative == TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT)
        return map->interleave == TMAP_INTERLEAVE_NONE && map->mode != TMAP_MODE_LINEAR &&
               tmap_inner_global_B(copy->map.type, map->dims_el[0]) % 16 != 0;
    if (alternative == TMAP_ALTERNATIVE_IM2COL_BATCH_STEP)
        return tmap_mode_get((int)map->mode)->im2col && map->element_strides[tmap_image_dims_of(map).batch] != 1;
    if (alternative == TMAP_ALTERNATIVE_STRIDE_HIGH_BITS) return tmap_has_high_stride(map);
    if (alternative == TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS)
        return copy->params.op == TMAP_OP_REDUCE_ADD && map->mode != TMAP_MODE_LINEAR &&
               (map->type == TMAP_TYPE_F32 || map->type == TMAP_TYPE_TF32);
    return map->mode == TMAP_MODE_IM2COL_W128 && copy->params.w_halo > 1;
}

static void drop_high_strides(tmap_map *map) {
    for (int i = 0; i + 1 < TMAP_RANK_MAX; i++) map->params.strides_B[i] %= TMAP_STRIDE_LOW_B;
    map->derived = tmap_derive(&map->params, false);
}

static void choose_readings(tmap_copy *copy, const tmap_judge *judge) {
    tmap_archs archs = judge && judge->archs ? judge->archs : TMAP_ARCHS_ALL;
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) {
        if (!depends_on(copy, i)) continue;
        uint8_t assumed = judge ? judge->assume[i] : 0;
        int reading = assumed ? assumed - 1 : tmap_alternative_reading((tmap_alternative)i, archs);
        copy->readings[i] = reading != 0;
    }
    if (copy->readings[TMAP_ALTERNATIVE_STRIDE_HIGH_BITS]) drop_high_strides(&copy->map);
}

/* For a tiled map, sets only the dimensions of the channel and the batch: the rest of the walk is already 0. */
static void settle_pixels(tmap_copy *copy) {
    tmap_image_dims dims = tmap_image_dims_of(&copy->map.params);
    copy->pixels.channel = dims.channel, copy->pixels.batch = dims.batch;
    if (!tmap_mode_get((int)copy->map.params.mode)->im2col) return;
    copy->pixels = tmap_pixel_walk_of(&copy->map.params, &copy->params);
    if (copy->readings[TMAP_ALTERNATIVE_IM2COL_BATCH_STEP]) copy->pixels.batch_step = 1;
    if (copy->readings[TMAP_ALTERNATIVE_IM2COL_W128_HALO]) copy->pixels.halo_n = (uint32_t)copy->params.w_halo;
}

static void settle_start(tmap_copy *copy) {
    for (uint64_t i = copy->map.params.rank; i < TMAP_RANK_MAX; i++) copy->params.at[i] = 0;
    if (copy->op->four_rows) copy->params.at[0] = copy->params.column;
}

static bool is_linear(const tmap_copy *copy) {
    return copy->map.params.mode == TMAP_MODE_LINEAR;
}

static void settle_operands(tmap_copy *copy) {
    const tmap_reduction_info *reduction = copy->op->reduces ? tmap_copy_reduction(copy) : NULL;
    if (reduction) ((tmap_tile *)(void *)copy->reserved)->arithmetic = (uint8_t)reduction->arithmetic;
    settle_start(copy);
    settle_pixels(copy);
    copy->rank = tmap_copy_is_im2col(copy) || is_linear(copy) ? 2 : (int)copy->map.params.rank;
}

/* Gives the tensor a dimension 1 whose stride is one row of the box, so that row i of the box starts i rows after the
 * first. Rows of this tensor overlap. */
static void settle_linear(tmap_copy *copy, const tmap_derived *derived) {
    copy->map.params.strides_B[0] = copy->map.derived.pitch_B = derived->pitch_B;
    copy->map.params.element_strides[1] = 1;
}

/* Byte i is the mask of line i. No two bits of an address change the same bit of the mask, so the masks of the three
 * bits that select a line combine by OR. */
static void settle_lines(tmap_copy *copy) {
    static const uint64_t lines_with_bit[] = {0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    uint64_t masks = 0, each_line = 0x0101010101010101;
    for (int bit = 0; bit < 3; bit++)
        masks |= lines_with_bit[bit] & each_line * tmap_swizzle_mask(copy->map.swizzle, (uint64_t)TMAP_LINE_B << bit);
    memcpy(copy->line_masks, &masks, sizeof masks);
}

static void settle_box(tmap_copy *copy, const tmap_derived *derived) {
    for (int i = 0; i < TMAP_RANK_MAX; i++) copy->counts[i] = (uint32_t)derived->counts[i];
    copy->inner_B = (uint32_t)derived->inner_shared_B;
    copy->pitch_B = (uint32_t)derived->pitch_B;
    copy->rows_n = (uint32_t)derived->rows_n;
    copy->footprint_B = tmap_op_moves(copy->op) ? (uint32_t)derived->footprint_B : 0;
    copy->payload_B = tmap_op_moves(copy->op) ? (uint32_t)derived->payload_B : 0;
    settle_lines(copy);
}

/* The end of the elements of dimension `dim` that the copy touches: the end of the tensor, or the end of the tensor's
 * last 16-byte unit. */
static int64_t end_of_dim(const tmap_copy *copy, int dim) {
    uint64_t size = copy->map.params.dims_el[dim], bits = (uint64_t)copy->map.type->bits;
    bool store = copy->op->to_global && !copy->op->reduces && copy->map.params.interleave == TMAP_INTERLEAVE_NONE;
    bool whole = dim == 0 && store && copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT];
    return (int64_t)(whole ? tmap_round_up(size * bits, 128) / bits : size);
}

/* The bound of dimension `index_dim` of the box, which starts at `start` of dimension `dim` of the tensor. */
static void settle_bound(tmap_copy *copy, int index_dim, int dim, int64_t start, int64_t step) {
    uint32_t count = copy->counts[index_dim];
    int64_t end = end_of_dim(copy, dim);
    copy->inside_first[index_dim] = (uint32_t)tmap_steps_below(0, start, step, count);
    copy->inside_end[index_dim] = (uint32_t)tmap_steps_below(end, start, step, count);
}

/* Coordinates grow with the index, so the elements inside a dimension are one interval. The walk finds the bounds of
 * pixels later; only the channels have a bound that all pixels share. */
static void settle_bounds(tmap_copy *copy) {
    if (tmap_copy_is_im2col(copy)) {
        settle_bound(copy, 0, copy->pixels.channel, copy->params.at[copy->pixels.channel], 1);
        return;
    }
    int judged_n = is_linear(copy) ? 0 : copy->rank; /* linear: the rules require that all bytes are inside */
    for (int i = 0; i < judged_n; i++)
        settle_bound(copy, i, i, copy->params.at[i], (int64_t)copy->map.params.element_strides[i]);
    for (int i = judged_n; i < TMAP_RANK_MAX; i++) copy->inside_end[i] = copy->counts[i];
}

/* Refuses copies that only sm_107a and sm_107f accept: tmap checks these copies but does not predict them yet. */
static tmap_status predicts(const tmap_op_info *op, const tmap_copy_params *params, const tmap_map *map,
                            const tmap_judge *judge, tmap_diags *diags) {
    const tmap_qualifier_info *q;
    if (!op->emulated) return unavailable(judge, diags, TMAP_FIELD_OP, "op", op->name);
    if (op->to_global && tmap_mode_get((int)map->params.mode)->wide)
        return unavailable(judge, diags, TMAP_FIELD_OP, "a store or reduction in mode",
                           tmap_mode_get((int)map->params.mode)->name);
    for (int i = 0; params->qualifiers >> i && (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((params->qualifiers >> i & 1) && !q->predicted)
            return unavailable(judge, diags, TMAP_FIELD_QUALIFIERS, "qualifier", q->name);
    return TMAP_OK;
}

/* Sets the rest of *copy to 0. `map` and `params` may point into *copy. */
static void begin(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params) {
    if (map != &copy->map) tmap_copy_struct(&copy->map, map, sizeof *map);
    if (params != &copy->params) tmap_copy_struct(&copy->params, params, sizeof *params);
    tmap_zero_struct(&copy->op, sizeof *copy - offsetof(tmap_copy, op));
}

tmap_status tmap_copy_init(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params,
                           const tmap_judge *judge, tmap_diags *diags) {
    if (!copy || !map || !params) return tmap_bad_argument(diags, "copy, map or params is null");
    tmap_derived derived;
    tmap_status status = tmap_judge_copy(&map->params, params, judge, diags, &derived);
    if (status != TMAP_OK) return status;
    const tmap_op_info *op = tmap_op_get((int)params->op);
    if (op->on_map) return copies_nothing(op, judge, diags);
    status = predicts(op, params, map, judge, diags);
    if (status != TMAP_OK) return status;
    if (!tmap_op_moves(op) && derived.footprint_B > PREFETCH_MAX_B)
        return unavailable(judge, diags, TMAP_FIELD_BOX, "a box", "above 16 MiB");
    if (!fits(&derived)) return TMAP_INTERNAL;
    begin(copy, map, params);
    copy->op = op;
    choose_readings(copy, judge);
    copy->unit = tmap_unit_of(&copy->map.params, op->to_global);
    settle_operands(copy);
    if (is_linear(copy)) settle_linear(copy, &derived);
    settle_box(copy, &derived);
    settle_bounds(copy);
    tmap_settle_tile(copy);
    return TMAP_OK;
}

void tmap_copy_restart(tmap_copy *copy, const tmap_copy_params *params) {
    memcpy(copy->params.at, params->at, sizeof copy->params.at);
    memcpy(copy->params.rows, params->rows, sizeof copy->params.rows);
    copy->params.column = params->column;
    settle_start(copy);
    if (tmap_copy_is_im2col(copy)) settle_pixels(copy);
    settle_bounds(copy);
    tmap_settle_tile(copy);
}

void tmap_copy_move(tmap_copy *copy, const tmap_copy *like, const tmap_copy_params *params) {
    const tmap_copy_params start = *params;
    *copy = *like;
    tmap_copy_restart(copy, &start);
}
