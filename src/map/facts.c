/* Which facts about the hardware a copy's prediction rests on: only those that this copy makes use of. */
#include "map/coordinate.h"

typedef struct fact_list {
    const char **ids;
    size_t capacity, count;
} fact_list;

static void add(fact_list *list, const char *id) {
    if (list->count < list->capacity) list->ids[list->count] = id;
    list->count++;
}

static const char *const swizzle_facts[] = {
    [TMAP_SWIZZLE_32B] = "swizzle-32B",
    [TMAP_SWIZZLE_64B] = "swizzle-64B",
    [TMAP_SWIZZLE_128B] = "swizzle-128B",
    [TMAP_SWIZZLE_128B_ATOM_32B] = "swizzle-128B-atom32B",
    [TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = "swizzle-128B-atom32B-flip8B",
    [TMAP_SWIZZLE_128B_ATOM_64B] = "swizzle-128B-atom64B",
    [TMAP_SWIZZLE_96B] = "swizzle-96B",
};

/* How far the box reaches over the tensor, over all dimensions. */
typedef struct box_reach {
    bool below, above, partial_unit;
} box_reach;

static box_reach reach_of(const tmap_copy *copy) {
    box_reach r = {false, false, false};
    for (int i = 0; i < copy->rank; i++) {
        for (uint32_t k = 0; k < copy->counts[i]; k++) {
            int64_t c = tmap_copy_coordinate(copy, i, k);
            r.below |= c < 0;
            r.above |= c >= 0 && (uint64_t)c >= copy->map.params.dims_el[i];
        }
    }
    uint64_t row_B = tmap_inner_global_B(copy->map.type, copy->map.params.dims_el[0]);
    r.partial_unit =
        row_B % 16 != 0 && copy->params.at[0] + (int64_t)copy->counts[0] > (int64_t)copy->map.params.dims_el[0];
    return r;
}

static bool strided(const tmap_copy *copy) {
    for (int i = 1; i < copy->rank; i++)
        if (copy->map.params.element_strides[i] != 1) return true;
    return false;
}

static bool repeats_rows(const tmap_copy *copy) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (copy->params.rows[i] == copy->params.rows[j]) return true;
    return false;
}

static bool has_zero_stride(const tmap_copy *copy) {
    for (int i = 1; i < copy->rank; i++)
        if (copy->map.params.strides_B[i - 1] == 0 && copy->map.params.dims_el[i] > 1) return true;
    return false;
}

static void add_load_facts(fact_list *list, const tmap_copy *copy, box_reach reach) {
    bool four_rows = copy->op->four_rows;
    if (copy->map.type->tf32) {
        add(list, "tf32-round-nearest-even");
        add(list, "tf32-special-values");
    } else {
        add(list, "loads-copy-bits");
    }
    if (copy->pitch_B > copy->inner_B) {
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

static void add_reduction_facts(fact_list *list, const tmap_copy *copy) {
    const tmap_reduction_info *reduction = tmap_reduction_of(copy->params.op, copy->map.params.type);
    for (int i = 0; i < TMAP_REDUCTION_FACTS_MAX && reduction->facts[i]; i++) add(list, reduction->facts[i]);
    if (reduction->ordered && has_zero_stride(copy)) add(list, "reduce-overlap-order");
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
    if (reach.partial_unit) add(list, "store-partial-unit");
    if (strided(copy)) add(list, "store-element-strides");
    if (!copy->op->reduces && has_zero_stride(copy)) add(list, "store-overlap-order");
    if (four_rows) add(list, "gather4-row-order");
    if (four_rows && (reach.below || reach.above)) add(list, "scatter4-drops-rows");
    if (four_rows && repeats_rows(copy)) add(list, "scatter4-repeated-rows");
}

size_t tmap_copy_facts(const tmap_copy *copy, const char **ids, size_t capacity) {
    fact_list list = {ids, capacity, 0};
    if (copy->params.op == TMAP_OP_REPLACE) {
        add(&list, "desc-replaceable");
        return list.count;
    }
    add(&list, "coordinates-inner-first");
    if (copy->footprint_B > 0 && copy->rows_n > 1) add(&list, "box-order");
    if (copy->footprint_B > 0 && copy->pitch_B > copy->inner_B) add(&list, "row-pitch");
    if (strided(copy)) add(&list, "element-stride-counts");
    if (copy->footprint_B > 0 && copy->map.params.swizzle != TMAP_SWIZZLE_NONE) {
        add(&list, swizzle_facts[copy->map.params.swizzle]);
        add(&list, "swizzle-absolute-address");
    }
    if (copy->op->to_shared) {
        add_load_facts(&list, copy, reach_of(copy));
        add_cluster_facts(&list, copy);
    } else if (copy->op->to_global) {
        add_store_facts(&list, copy, reach_of(copy));
    } else {
        add(&list, "prefetch-changes-nothing");
        add(&list, "prefetch-sectors");
    }
    return list.count;
}
