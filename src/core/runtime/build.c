/* runtime: builds descriptors, and changes existing descriptors. */
#include "runtime/build.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "hw/descriptor_bits.h"
#include "params/allocation.h"
#include "tmap/runtime.h"

static void set_judge(tmap_judge *judge, tmap_archs archs, tmap_severity least) {
    tmap_zero_struct(judge, sizeof *judge);
    judge->archs = archs;
    judge->names = TMAP_NAMES_C;
    judge->least = (uint8_t)least;
}

/* The first run of the rules writes no texts. For a refusal or a warning, a second run writes them. */
tmap_status tmap_freeze(const tmap_map_params *params, tmap_archs archs, tmap_map *map, tmap_diag *refusal) {
    tmap_judge judge;
    tmap_diags counted = {.fixed = true};
    set_judge(&judge, archs, refusal ? TMAP_WARNING : TMAP_ERROR);
    tmap_status status = tmap_map_init(map, params, &judge, refusal ? &counted : NULL);
    if (!refusal || (status != TMAP_OK && status != TMAP_REFUSED && status != TMAP_BAD_ARGUMENT)) return status;
    tmap_zero_struct(refusal, sizeof *refusal);
    refusal->field = refusal->dim = -1;
    refusal->operand = TMAP_NO_OPERAND;
    if (status == TMAP_OK && counted.dropped == 0) return status;
    if (status != TMAP_OK) judge.least = TMAP_ERROR;
    tmap_first_finding first;
    (void)tmap_check_map(params, &judge, tmap_first_finding_begin(&first));
    (void)tmap_refuse_finding(refusal, &first);
    return status;
}

tmap_status tmap_build(const tmap_map_params *params, tmap_archs archs, tmap_descriptor *descriptor,
                       tmap_diag *refusal) {
    tmap_map map;
    if (!params) return tmap_refuse_null(refusal, "params");
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    tmap_status status = tmap_freeze(params, archs, &map, refusal);
    if (status != TMAP_OK || tmap_descriptor_encode(&map, descriptor)) return status;
    return tmap_fail(TMAP_UNAVAILABLE, refusal, "%s", tmap_descriptor_unknown_mode(map.params.mode));
}

tmap_status tmap_build_check(const tmap_map_params *params, tmap_archs archs, tmap_diag *refusal) {
    tmap_map map;
    if (!params) return tmap_refuse_null(refusal, "params");
    return tmap_freeze(params, archs, &map, refusal);
}

/* ---- Prepared maps ---------------------------------------------------------------------------------------------- */

/* The larger of the alignments that the type and the interleave require. Some architectures allow a smaller alignment
 * for some maps, so tmap_prepared_at builds the map again for an address with a smaller alignment. */
static uint64_t alignment_of(const tmap_map *map) {
    uint64_t of_type = (uint64_t)map->type->align_B;
    uint64_t of_interleave = (uint64_t)tmap_interleave_get((int)map->params.interleave)->align_B;
    return of_type > of_interleave ? of_type : of_interleave;
}

tmap_status tmap_prepare(const tmap_map_params *params, tmap_archs archs, tmap_prepared *prepared, tmap_diag *refusal) {
    tmap_map map;
    tmap_descriptor descriptor;
    if (!prepared) return tmap_refuse_null(refusal, "prepared");
    tmap_status status = tmap_build(params, archs, &descriptor, refusal);
    if (status != TMAP_OK) return status;
    tmap_judge judge;
    set_judge(&judge, archs, TMAP_ERROR);
    status = tmap_map_init(&map, params, &judge, NULL);
    if (status != TMAP_OK) return status;
    *prepared =
        (tmap_prepared){.params = *params, .archs = archs, .align_B = alignment_of(&map), .descriptor = descriptor};
    return TMAP_OK;
}

/* The rules of severity error require an address that is aligned and not null. No other bit depends on the address. */
tmap_status tmap_prepared_at(const tmap_prepared *prepared, uint64_t address, tmap_descriptor *descriptor,
                             tmap_diag *refusal) {
    if (!prepared) return tmap_refuse_null(refusal, "prepared");
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    if (address == 0 || address % prepared->align_B != 0) {
        tmap_map_params params = prepared->params;
        params.has_address = true;
        params.address = address;
        return tmap_build(&params, prepared->archs, descriptor, refusal);
    }
    *descriptor = prepared->descriptor;
    tmap_descriptor_poke(descriptor, TMAP_DESC_ADDRESS, address);
    return TMAP_OK;
}

/* ---- Changes ---------------------------------------------------------------------------------------------------- */

static tmap_status read_back(const tmap_descriptor *descriptor, tmap_archs archs, tmap_map_params *params,
                             tmap_diag *refusal) {
    tmap_judge judge;
    set_judge(&judge, archs, TMAP_ERROR);
    if (tmap_descriptor_decode(descriptor, params, &judge, NULL) == TMAP_OK) return TMAP_OK;
    tmap_first_finding first;
    (void)tmap_descriptor_decode(descriptor, params, &judge, tmap_first_finding_begin(&first));
    return tmap_refuse_finding(refusal, &first);
}

static tmap_descriptor_field nth(tmap_descriptor_field first, uint64_t i) {
    return (tmap_descriptor_field)(first + i);
}

/* Does not write the fields of dimensions that the map does not have. */
static void write_back(tmap_descriptor *descriptor, const tmap_map_params *params) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    memcpy(words, descriptor->bytes, sizeof words);
    tmap_words_poke(words, TMAP_DESC_ADDRESS, params->address);
    for (uint64_t i = 0; i < params->rank; i++) tmap_words_poke(words, nth(TMAP_DESC_DIM_0, i), params->dims_el[i] - 1);
    for (uint64_t i = 0; i + 1 < params->rank; i++)
        tmap_words_poke(words, nth(TMAP_DESC_STRIDE_0, i), params->strides_B[i] / 16);
    tmap_words_poke(words, TMAP_DESC_ALLOCATION_CLASS, tmap_allocation_class_of(params) == TMAP_ALLOCATION_LARGE);
    memcpy(descriptor->bytes, words, sizeof words);
    tmap_settle_allocation_class(descriptor, params);
}

/* A NULL member keeps the present value. */
typedef struct change {
    const uint64_t *address;
    uint64_t rank; /* the number of dimensions in the members below */
    const uint64_t *dims_el, *strides_B;
} change;

static tmap_status allow(const tmap_map_params *params, tmap_archs archs, tmap_diag *refusal) {
    tmap_judge judge;
    set_judge(&judge, archs, TMAP_ERROR);
    return tmap_check_map(params, &judge, NULL) == TMAP_OK ? TMAP_OK : tmap_build_check(params, archs, refusal);
}

static tmap_status apply(tmap_descriptor *descriptor, const change *to, tmap_archs archs, tmap_diag *refusal) {
    tmap_map_params params;
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    tmap_status status = read_back(descriptor, archs, &params, refusal);
    if (status != TMAP_OK) return status;
    if (!to->address && to->rank != params.rank)
        return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "rank is %" PRIu64 "; the map has rank %" PRIu64, to->rank,
                         params.rank);
    if (to->address) params.address = *to->address;
    if (to->dims_el) memcpy(params.dims_el, to->dims_el, params.rank * sizeof *params.dims_el);
    if (to->strides_B) memcpy(params.strides_B, to->strides_B, (params.rank - 1) * sizeof *params.strides_B);
    status = allow(&params, archs, refusal);
    if (status == TMAP_OK) write_back(descriptor, &params);
    return status;
}

tmap_status tmap_replace_address(tmap_descriptor *descriptor, uint64_t address, tmap_archs archs, tmap_diag *refusal) {
    return apply(descriptor, &(change){.address = &address}, archs, refusal);
}

tmap_status tmap_replace_tensor(tmap_descriptor *descriptor, uint64_t rank, const uint64_t *dims_el,
                                const uint64_t *strides_B, tmap_archs archs, tmap_diag *refusal) {
    const change to = {.rank = rank, .dims_el = dims_el, .strides_B = strides_B};
    return apply(descriptor, &to, archs, refusal);
}

/* ---- Allocation class -------------------------------------------------------------------------------------------- */

static bool is_small_with_gaps(const tmap_map_params *params) {
    uint64_t size_B = params->allocation_B ? tmap_allocated_B(params) : tmap_derive(params, false).span_B;
    return size_B < TMAP_LARGE_REGION_B && !tmap_map_fills_memory(params);
}

void tmap_settle_allocation_class(tmap_descriptor *descriptor, const tmap_map_params *params) {
    if (tmap_descriptor_peek(descriptor, TMAP_DESC_ALLOCATION_CLASS) != 0 && is_small_with_gaps(params))
        tmap_descriptor_poke(descriptor, TMAP_DESC_ALLOCATION_CLASS, 0);
}

tmap_status tmap_set_allocation_class(tmap_descriptor *descriptor, tmap_allocation_class allocation_class,
                                      tmap_allocation_class *out, tmap_diag *refusal) {
    tmap_map_params params;
    if (out) *out = TMAP_ALLOCATION_SMALL;
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    if (!tmap_allocation_class_get((int)allocation_class)) {
        (void)tmap_refuse(refusal, "allocation-class-code", "allocation_class is %d", (int)allocation_class);
        if (refusal) TMAP_SAY(refusal->allowed, "0 AUTO, 1 SMALL, 2 LARGE");
        tmap_say_fix(refusal, "one of these");
        return TMAP_REFUSED;
    }
    tmap_status status = read_back(descriptor, 0, &params, refusal);
    if (status != TMAP_OK) return status;
    params.allocation_class = allocation_class;
    tmap_allocation_class set = tmap_allocation_class_of(&params);
    tmap_descriptor_poke(descriptor, TMAP_DESC_ALLOCATION_CLASS, set == TMAP_ALLOCATION_LARGE);
    if (out) *out = set;
    return TMAP_OK;
}
