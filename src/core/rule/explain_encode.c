/* The rules over the arguments of cuTensorMapEncodeTiled, for a program whose call failed. */

#include "hw/map_align.h"
#include "rule/finding.h"
#include "rule/rules.h"

typedef struct encode_arrays {
    const uint64_t *dims, *strides;
    const uint32_t *box, *element_strides;
} encode_arrays;

/* Makes `slug` the running rule and adds a finding of it. */
static tmap_diag *call_finding(tmap_trial *trial, const char *slug) {
    trial->rule = tmap_rule_row(tmap_rule_find(slug));
    return tmap_finding(trial, -1, -1, TMAP_ARCHS_ALL);
}

static void judge_pointer(tmap_trial *trial, const void *tensor_map) {
    unsigned past = (unsigned)((uintptr_t)tensor_map % TMAP_MAP_ALIGN_TYPE_B);
    if (tensor_map && past == 0) return;
    bool aligned = past % TMAP_MAP_ALIGN_B == 0;
    tmap_diag *d = call_finding(trial, !tensor_map ? "array-null"
                                       : aligned   ? "tensor-map-align-128"
                                                   : "tensor-map-align");
    if (!d) return;
    if (!tensor_map)
        tmap_say_message(d, "tensorMap is null");
    else
        tmap_say_message(d, "tensorMap is %u B past a multiple of %d B", aligned ? past : past % TMAP_MAP_ALIGN_B,
                         aligned ? TMAP_MAP_ALIGN_TYPE_B : TMAP_MAP_ALIGN_B);
    TMAP_SAY(d->fix.words, "tensorMap: an object of type CUtensorMap, which is alignas(128)");
}

static void judge_array(tmap_trial *trial, tmap_field field, const void *array, bool empty) {
    if (array || empty) return;
    tmap_trial_fail(trial, field, -1);
    tmap_diag *d = call_finding(trial, "array-null");
    if (!d) return;
    const char *name = tmap_field_get((int)field)->cu_name;
    tmap_say_message(d, "%s is null", name);
    TMAP_SAY(d->fix.words, "give %s an array of %s entries", name,
             field == TMAP_FIELD_STRIDES ? "tensorRank - 1" : "tensorRank");
}

#define STRIDES_TESTED 12040 /* the first CUDA release whose driver tests a pointer that it does not use */

/* For rank 1 the driver reads no stride. */
static void judge_unused_strides(tmap_trial *trial, const uint64_t *strides) {
    bool tests = tmap_trial_since(trial, STRIDES_TESTED);
    tmap_diag *d = strides || !tests ? NULL : call_finding(trial, "strides-null");
    if (!d) return;
    tmap_say_message(
        d, "globalStrides is null; from CUDA 12.4 on the driver rejects a null pointer, also for tensorRank 1");
    tmap_say_values(d, "null", "any pointer that is not null; no entry is read for tensorRank 1");
    TMAP_SAY(d->fix.words, "pass an array of one 0 as globalStrides");
}

static void take_arrays(tmap_map_params *map, const encode_arrays *from) {
    uint64_t n = map->rank < TMAP_RANK_MAX ? map->rank : TMAP_RANK_MAX;
    for (uint64_t i = 0; i < n; i++) {
        if (from->dims) map->dims_el[i] = from->dims[i];
        if (from->box) map->box_el[i] = from->box[i];
        if (from->element_strides) map->element_strides[i] = from->element_strides[i];
        if (from->strides && i + 1 < n) map->strides_B[i] = from->strides[i];
    }
}

static void judge_arrays(tmap_trial *trial, const encode_arrays *arrays) {
    uint64_t rank = trial->map->rank;
    judge_array(trial, TMAP_FIELD_DIMS, arrays->dims, rank == 0);
    judge_array(trial, TMAP_FIELD_STRIDES, arrays->strides, rank <= 1);
    if (rank == 1) judge_unused_strides(trial, arrays->strides);
    judge_array(trial, TMAP_FIELD_BOX, arrays->box, rank == 0);
    judge_array(trial, TMAP_FIELD_ELEMENT_STRIDES, arrays->element_strides, rank == 0);
}

tmap_status tmap_explain_encode_by(const tmap_judge *judge, const void *tensor_map, int data_type, uint32_t rank,
                                   const void *global_address, const uint64_t *global_dim,
                                   const uint64_t *global_strides, const uint32_t *box_dim,
                                   const uint32_t *element_strides, int interleave, int swizzle, int l2_promotion,
                                   int oob_fill, tmap_diags *diags) {
    if (tmap_check_reserved(NULL, NULL, judge, diags) != TMAP_OK) return TMAP_BAD_ARGUMENT;
    tmap_map_params map = {.type = (tmap_type)data_type,
                           .rank = rank,
                           .has_address = true,
                           .address = (uintptr_t)global_address,
                           .interleave = (tmap_interleave)interleave,
                           .swizzle = (tmap_swizzle)swizzle,
                           .l2_promotion = (tmap_l2_promotion)l2_promotion,
                           .oob_fill = (tmap_oob_fill)oob_fill};
    encode_arrays arrays = {global_dim, global_strides, box_dim, element_strides};
    take_arrays(&map, &arrays);
    tmap_trial trial;
    tmap_judge named = judge ? *judge : (tmap_judge){0};
    named.names = TMAP_NAMES_DRIVER;
    tmap_trial_begin_map(&trial, &map, &named, diags);
    trial.derived = tmap_derive(&map, false);
    judge_arrays(&trial, &arrays);
    tmap_trial_run(&trial, TMAP_ON_MAP);
    judge_pointer(&trial, tensor_map);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_explain_encode_tiled(const void *tensor_map, int data_type, uint32_t rank, const void *global_address,
                                      const uint64_t *global_dim, const uint64_t *global_strides,
                                      const uint32_t *box_dim, const uint32_t *element_strides, int interleave,
                                      int swizzle, int l2_promotion, int oob_fill, tmap_diags *diags) {
    return tmap_explain_encode_by(NULL, tensor_map, data_type, rank, global_address, global_dim, global_strides,
                                  box_dim, element_strides, interleave, swizzle, l2_promotion, oob_fill, diags);
}
