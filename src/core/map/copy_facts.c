/* The facts about the hardware that a copy's prediction depends on: only the facts that concern this copy. */
#include <string.h>

#include "map/coordinate.h"

#include "tmap/unstable/evidence.h"

typedef struct fact_list {
    const char **ids;
    size_t capacity, count;
} fact_list;

static void add(fact_list *list, const char *id) {
    if (list->count < list->capacity) list->ids[list->count] = id;
    list->count++;
}

static void add_if_any(fact_list *list, const char *id) {
    if (id) add(list, id);
}

static void add_reading(fact_list *list, const tmap_copy *copy, tmap_alternative alternative) {
    add(list, tmap_alternative_get((int)alternative)->facts[copy->readings[alternative]]);
}

/* How far the box extends over the tensor, over all dimensions. */
typedef struct box_reach {
    bool below, above, partial_unit;
} box_reach;

static void reach_to(box_reach *r, const tmap_copy *copy, int dim, int64_t c) {
    r->below |= c < 0;
    r->above |= c >= 0 && (uint64_t)c >= copy->map.params.dims_el[dim];
}

static box_reach reach_of_tile(const tmap_copy *copy) {
    box_reach r = {false, false, false};
    for (int i = 0; i < copy->rank; i++)
        for (uint32_t k = 0; k < copy->counts[i]; k++) reach_to(&r, copy, i, tmap_copy_coordinate(copy, i, k));
    return r;
}

static box_reach reach_of_column(const tmap_copy *copy) {
    box_reach r = {false, false, false};
    int64_t at[TMAP_RANK_MAX];
    for (uint32_t pixel = 0; pixel < copy->counts[1]; pixel++) {
        tmap_pixel_at(&copy->pixels, copy->params.at, pixel, at);
        for (int i = 0; i < TMAP_RANK_MAX; i++) reach_to(&r, copy, i, at[i]);
    }
    int channel = copy->pixels.channel;
    reach_to(&r, copy, channel, copy->params.at[channel] + copy->counts[0] - 1);
    return r;
}

static box_reach reach_of(const tmap_copy *copy) {
    box_reach r = tmap_copy_is_im2col(copy) ? reach_of_column(copy) : reach_of_tile(copy);
    const tmap_map_params *params = &copy->map.params;
    bool sliced = params->interleave != TMAP_INTERLEAVE_NONE;
    r.partial_unit = !sliced && tmap_inner_global_B(copy->map.type, params->dims_el[0]) % 16 != 0 &&
                     copy->params.at[0] + (int64_t)copy->counts[0] > (int64_t)params->dims_el[0];
    return r;
}

static bool strided(const tmap_copy *copy) {
    if (tmap_copy_is_im2col(copy)) return false;
    for (int i = 1; i < copy->rank; i++)
        if (copy->map.params.element_strides[i] != 1) return true;
    return false;
}

/* Whether two of the four rows are the same row of the tensor. Rows outside the tensor are filled or dropped. */
static bool repeats_rows(const tmap_copy *copy) {
    const int64_t *rows = copy->params.rows;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (rows[i] == rows[j] && rows[i] >= 0 && (uint64_t)rows[i] < copy->map.params.dims_el[1]) return true;
    return false;
}

/* Whether elements of the box may share bytes, judged on a part of the tensor that is as large as the box. */
static bool box_overlaps(const tmap_copy *copy) {
    const tmap_map_params *map = &copy->map.params;
    if (copy->op->four_rows || tmap_copy_is_im2col(copy)) return tmap_map_overlaps(map);
    tmap_map_params box = *map;
    box.rank = 0;
    for (int i = 0; i < copy->rank; i++) {
        uint64_t reach = i == 0 ? copy->counts[0] : (uint64_t)(copy->counts[i] - 1) * map->element_strides[i] + 1;
        if (i > 0 && reach == 1) continue;
        if (i > 0) box.strides_B[box.rank - 1] = map->strides_B[i - 1];
        box.dims_el[box.rank++] = reach < map->dims_el[i] ? reach : map->dims_el[i];
    }
    return tmap_map_overlaps(&box);
}

/* Whether an im2col map has a traversal stride other than 1 along dimensions first .. first + n - 1. */
static bool steps_over(const tmap_copy *copy, int first, int n) {
    for (int i = first; i < first + n; i++)
        if (copy->map.params.element_strides[i] != 1) return true;
    return false;
}

static bool reads_past_the_end(const tmap_copy *copy) {
    int64_t at[TMAP_RANK_MAX];
    tmap_pixel_at(&copy->pixels, copy->params.at, copy->counts[1] - 1, at);
    return at[copy->pixels.batch] >= (int64_t)copy->map.params.dims_el[copy->pixels.batch];
}

static void add_wide_facts(fact_list *list, const tmap_copy *copy) {
    const tmap_walked *w = &copy->pixels.walked[0];
    bool w128 = copy->map.params.mode == TMAP_MODE_IM2COL_W128;
    add(list, "im2col-w-walk");
    if (w->start < w->lower) add(list, "im2col-w-left-start");
    if (copy->params.w_halo && w128) add_reading(list, copy, TMAP_ALTERNATIVE_IM2COL_W128_HALO);
    if (copy->params.w_halo && !w128) add(list, "im2col-w-halo");
}

static void add_pixel_facts(fact_list *list, const tmap_copy *copy) {
    tmap_image_dims dims = tmap_image_dims_of(&copy->map.params);
    const int64_t *offsets = copy->params.offsets;
    bool wide = tmap_mode_get((int)copy->map.params.mode)->wide;
    if (wide)
        add_wide_facts(list, copy);
    else
        add(list, "im2col-walk");
    if (offsets[0] || offsets[1] || offsets[2]) add(list, "im2col-offsets");
    if (steps_over(copy, dims.first_spatial, dims.walked_n)) add(list, "im2col-steps");
    if (steps_over(copy, dims.batch, 1)) add_reading(list, copy, TMAP_ALTERNATIVE_IM2COL_BATCH_STEP);
    if (reads_past_the_end(copy)) add(list, "im2col-past-last-image");
    if (copy->inside_end[0] < copy->counts[0]) add(list, "im2col-channels");
    if (copy->op->to_global) add(list, "im2col-store");
}

static void add_slice_facts(fact_list *list, const tmap_copy *copy, box_reach reach) {
    add(list, "interleave-dims");
    add(list, "interleave-one-slice");
    add(list, "interleave-pixels-packed");
    if (copy->map.params.element_strides[0] != 1) add(list, "interleave-step");
    if (copy->op->to_shared && (reach.below || reach.above || copy->map.type->tf32)) add(list, "interleave-elements");
    bool swizzled = copy->map.params.swizzle != TMAP_SWIZZLE_NONE;
    if (swizzled && copy->map.params.interleave == TMAP_INTERLEAVE_16B) add(list, "interleave-16B-swizzle");
    if (copy->map.params.interleave == TMAP_INTERLEAVE_32B && copy->map.params.swizzle != TMAP_SWIZZLE_32B)
        add(list, "interleave-32B-atom32B");
    add_if_any(list, copy->map.type->interleave_fact);
}

static void add_packed_facts(fact_list *list, const tmap_copy *copy, box_reach reach) {
    const tmap_type_info *type = copy->map.type;
    bool padded = type->box0_exact != 0, apart = type->unit_stored_B != 0;
    if (copy->op->to_shared || !apart) add_if_any(list, type->fact);
    for (int i = 0; i < 2 && apart && copy->op->to_global; i++) add_if_any(list, type->store_facts[i]);
    if (padded && copy->map.params.swizzle != TMAP_SWIZZLE_NONE) add(list, "packed-swizzle-padded");
    if (padded && copy->op->to_shared && (reach.below || reach.above)) add(list, "packed-fill-gap");
}

static void add_load_facts(fact_list *list, const tmap_copy *copy, box_reach reach) {
    bool four_rows = copy->op->four_rows;
    if (copy->map.type->tf32) {
        add(list, "tf32-round-nearest-even");
        add(list, "tf32-special-values");
    } else {
        add(list, "loads-copy-bits");
    }
    if (copy->pitch_B > copy->inner_B || copy->unit.pitch_B > copy->unit.shared_B) {
        add(list, "gap-untouched");
        add(list, "tx-payload");
    }
    if (reach.below || reach.above) {
        add(list, copy->map.params.oob_fill == TMAP_OOB_FILL_NAN ? "oob-nan-bits" : "oob-zero-fill");
        add(list, "oob-counts-in-tx");
        if (four_rows) add(list, "gather4-oob-rows");
    }
    if (reach.below) add(list, "oob-negative");
    if (four_rows) add(list, "gather4-row-order");
    if (four_rows && repeats_rows(copy)) add(list, "gather4-repeated-rows");
    if (four_rows && strided(copy)) add(list, "gather4-element-strides");
}

static void add_cluster_facts(fact_list *list, const tmap_copy *copy) {
    if (copy->params.cta_mask) {
        add(list, "multicast-same-offset");
        add(list, "multicast-barriers");
    }
    if (copy->params.cta_group) add(list, "cta-group-barrier");
}

/* The rows of reductions contain the fact of the first reading. Returns the fact of the reading that the copy uses. */
static const char *reading_of_sums(const tmap_copy *copy, const char *fact) {
    const tmap_alternative_info *info = tmap_alternative_get(TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS);
    bool other = copy->readings[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS] && strcmp(fact, info->facts[0]) == 0;
    return other ? info->facts[1] : fact;
}

static void add_reduction_facts(fact_list *list, const tmap_copy *copy) {
    const tmap_reduction_info *reduction = tmap_copy_reduction(copy);
    add(list, "reduce-relaxed");
    for (int i = 0; i < TMAP_REDUCTION_FACTS_MAX && reduction->facts[i]; i++)
        add(list, reading_of_sums(copy, reduction->facts[i]));
    if (reduction->ordered && box_overlaps(copy)) add(list, "reduce-overlap-order");
}

static void add_store_facts(fact_list *list, const tmap_copy *copy, box_reach reach) {
    bool four_rows = copy->op->four_rows;
    if (copy->op->reduces)
        add_reduction_facts(list, copy);
    else
        add(list, copy->map.type->tf32 ? "tf32-store" : "stores-copy-bits");
    if (copy->map.params.swizzle != TMAP_SWIZZLE_NONE) add(list, "swizzle-is-involution");
    if (copy->pitch_B > copy->inner_B) add(list, "store-pitch");
    if (reach.below || reach.above) add(list, "store-clips");
    if (reach.partial_unit && !copy->op->reduces) add_reading(list, copy, TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT);
    if (reach.partial_unit && copy->op->reduces) add(list, "store-partial-unit");
    if (strided(copy)) add(list, "store-element-strides");
    if (!copy->op->reduces && box_overlaps(copy)) add(list, "store-overlap-order");
    if (four_rows) add(list, "gather4-row-order");
    if (four_rows && (reach.below || reach.above)) add(list, "scatter4-drops-rows");
    if (four_rows && repeats_rows(copy)) add(list, "scatter4-repeated-rows");
}

static void add_linear_facts(fact_list *list, const tmap_copy *copy) {
    bool remote = tmap_copy_is_remote(copy);
    if (tmap_op_moves(copy->op)) add(list, "bulk-bytes");
    if (copy->op->to_shared || remote) add(list, "bulk-tx");
    if (remote) add(list, "bulk-remote");
    if (copy->params.byte_mask) add(list, "bulk-byte-mask");
    if (copy->params.ignore_left_B | copy->params.ignore_right_B) add(list, "bulk-ignored-bytes");
    if (copy->op->reduces) add_reduction_facts(list, copy);
    if (copy->params.cache_hint) add(list, "l2-hints-change-nothing");
    add_cluster_facts(list, copy);
    if (tmap_op_moves(copy->op)) return;
    add(list, "prefetch-changes-nothing");
    add(list, "prefetch-sectors");
}

/* A tensor without an address starts at 0. */
static bool wraps(const tmap_copy *copy) {
    uint64_t span_B = copy->map.derived.span_B, address = copy->map.params.has_address ? copy->map.params.address : 0;
    return span_B == UINT64_MAX || address + (span_B - 1) < address;
}

size_t tmap_copy_facts(const tmap_copy *copy, const char **ids, size_t capacity) {
    fact_list list = {ids, capacity, 0};
    if (copy->op->on_map) {
        add(&list, copy->params.op == TMAP_OP_REPLACE     ? "desc-replaceable"
                   : copy->params.op == TMAP_OP_QUERY_MAP ? "desc-allocation-class"
                                                          : "map-operations-keep-it");
        if (copy->params.map_space == TMAP_SPACE_SHARED) add(&list, "map-operations-keep-it");
        return list.count;
    }
    if (copy->map.params.mode == TMAP_MODE_LINEAR) {
        add_linear_facts(&list, copy);
        return list.count;
    }
    add(&list, "coordinates-inner-first");
    if (copy->footprint_B > 0 && copy->rows_n > 1) add(&list, "box-order");
    if (copy->footprint_B > 0 && copy->pitch_B > copy->inner_B) add(&list, "row-pitch");
    if (strided(copy)) add(&list, "element-stride-counts");
    if (copy->footprint_B > 0 && copy->map.params.swizzle != TMAP_SWIZZLE_NONE) {
        add(&list, copy->map.swizzle->fact);
        add(&list, "swizzle-absolute-address");
    }
    if (wraps(copy)) add(&list, "address-wrap");
    bool high = tmap_has_high_stride(&copy->map.params) || copy->readings[TMAP_ALTERNATIVE_STRIDE_HIGH_BITS];
    if (high) add_reading(&list, copy, TMAP_ALTERNATIVE_STRIDE_HIGH_BITS);
    if (copy->map.params.l2_promotion != TMAP_L2_PROMOTION_NONE || copy->params.cache_hint)
        add(&list, "l2-hints-change-nothing");
    box_reach reach = reach_of(copy);
    if (tmap_copy_is_im2col(copy)) add_pixel_facts(&list, copy);
    if (copy->map.params.interleave != TMAP_INTERLEAVE_NONE)
        add_slice_facts(&list, copy, reach);
    else if (copy->map.type->bits < 8)
        add_packed_facts(&list, copy, reach);
    if (copy->op->to_shared) {
        add_load_facts(&list, copy, reach);
        add_cluster_facts(&list, copy);
    } else if (copy->op->to_global) {
        add_store_facts(&list, copy, reach);
    } else {
        if (copy->op->four_rows) add(&list, "gather4-row-order");
        add(&list, "prefetch-changes-nothing");
        add(&list, "prefetch-sectors");
    }
    return list.count;
}
