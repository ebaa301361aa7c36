/* plan: splits the wanted layout into parts. */
#include "plan/layout_parts.h"
#include "layout/iter_lists.h"

#include <inttypes.h>
#include <string.h>

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

tmap_judge tmap_plan_judge(tmap_archs archs) {
    tmap_judge judge = {.archs = archs};
    judge.least = TMAP_ERROR;
    return judge;
}

tmap_status tmap_plan_first_error(tmap_status status, const tmap_diags *diags, tmap_diag *refusal) {
    if (status == TMAP_OK || !refusal) return status == TMAP_OK ? status : TMAP_REFUSED;
    *refusal = tmap_refusal_of(NULL);
    for (size_t i = 0; i < diags->count; i++) {
        if (diags->items[i].severity != TMAP_ERROR) continue;
        *refusal = diags->items[i];
        refusal->symptom = NULL; /* symptoms concern copies that run anyway; notes concern the text of a spec */
        refusal->notes_n = 0;
        break;
    }
    return TMAP_REFUSED;
}

/* far above the shared memory of every architecture */
#define STAGE_MAX_B ((int64_t)1 << 24)

int tmap_plan_mode(const tmap_layout *layout, const tmap_type_info *type) {
    return layout->has_swizzle ? tmap_xor_mode(&layout->swizzle, type->bits) : TMAP_SWIZZLE_NONE;
}

uint64_t tmap_plan_stage_B(const tmap_layout *shared, tmap_type type) {
    const tmap_type_info *info = tmap_type_get((int)type);
    if (!shared || !info) return 0;
    int mode = tmap_plan_mode(shared, info);
    uint64_t period_B = mode < 0 ? 0 : tmap_swizzle_period_B(tmap_swizzle_get(mode));
    uint64_t step_B = period_B > TMAP_LINE_B ? period_B : TMAP_LINE_B;
    int64_t span_B = tmap_times(tmap_layout_span(shared, tmap_axis_get(TMAP_AXIS_ID_M)), tmap_plan_element_B(info));
    return span_B > STAGE_MAX_B ? 0 : tmap_round_up((uint64_t)span_B, step_B);
}

tmap_status tmap_plan_check_phase(const tmap_swizzle_info *swizzle, uint64_t address, tmap_diag *refusal) {
    uint64_t period_B = tmap_swizzle_period_B(swizzle);
    if (period_B == 0 || address % period_B == 0) return TMAP_OK;
    (void)tmap_refuse(refusal, "plan-phase",
                      "place 0 of the layout is at shared address 0x%" PRIx64 "; its swizzle repeats every %" PRIu64
                      " B of absolute addresses",
                      address, period_B);
    return tmap_say_fix(refusal, "a shared address that is a multiple of %" PRIu64, period_B);
}

int64_t tmap_plan_element_B(const tmap_type_info *type) {
    return type->unit_values == 1 ? (int64_t)type->unit_shared_B : 0;
}

/* ---- The wanted layout ------------------------------------------------------------------------------------------ */

/* The layout must map to memory only, and each element to its own place. */
static tmap_status check_shared(const tmap_layout *layout, tmap_diag *refusal) {
    const tmap_axis *other = tmap_layout_other_axis(layout);
    if (other)
        return tmap_refuse(refusal, "plan-memory", "the wanted layout has the axis %s; a copy writes only to m",
                           other->name);
    if (tmap_layout_copies(layout) != 1)
        return tmap_refuse(refusal, "plan-memory", "the wanted layout has %" PRId64 " copies of each element",
                           tmap_layout_copies(layout));
    tmap_interval range = tmap_layout_range(layout, tmap_axis_get(TMAP_AXIS_ID_M));
    if (range.low >= 0) return TMAP_OK;
    (void)tmap_refuse(refusal, "plan-memory", "the wanted layout begins %" PRIu64 " elements before place 0",
                      0 - (uint64_t)range.low);
    return tmap_say_fix(refusal, "the same layout + %" PRIu64 ", and a shared address that is lower by the same amount",
                        0 - (uint64_t)range.low);
}

static tmap_status find_swizzle(const tmap_plan_request *request, tmap_parts *parts, tmap_diag *refusal) {
    const tmap_type_info *type = tmap_type_get((int)request->type);
    const tmap_xor *xor_ = &request->shared.swizzle;
    int mode = tmap_plan_mode(&request->shared, type);
    parts->swizzle = mode < 0 ? TMAP_SWIZZLE_NONE : (tmap_swizzle)mode;
    if (mode >= 0) return TMAP_OK;
    (void)tmap_refuse(refusal, "plan-swizzle", "swizzle(%d,%d,%d)%s is not a swizzle of tensor maps for type %s",
                      xor_->m, xor_->b, xor_->s, xor_->outer ? ", outer," : "", type->name);
    tmap_xor known;
    if (tmap_xor_of_mode(type->bits, TMAP_SWIZZLE_128B, &known, NULL) == TMAP_OK)
        tmap_say_fix(refusal, "swizzle(%d,B,3) with B 3 for 128B, 2 for 64B, 1 for 32B", known.m);
    return TMAP_REFUSED;
}

/* The affine part of the layout over the tile. */
static tmap_status group_by_tile(const tmap_plan_request *request, tmap_grouped *grouped, tmap_diag *refusal) {
    tmap_layout affine = request->shared;
    tmap_diag error;
    affine.has_swizzle = false;
    int64_t elements = tmap_layout_size(&affine), wanted = 1;
    for (int d = 0; d < request->tile.rank; d++) wanted = tmap_times(wanted, request->tile.at[d]);
    if (elements != wanted)
        return tmap_refuse(refusal, "plan-domain",
                           "the size of the wanted layout is %" PRId64 ", that of the tile %" PRId64, elements, wanted);
    if (tmap_layout_split(&affine, &request->tile, 1, grouped, &error) == TMAP_OK) return TMAP_OK;
    return tmap_refuse(refusal, "plan-domain", "the wanted layout does not cover the tile: %s", error.message);
}

/* The largest divisor of `extent` that is a multiple of `step` and at most `most`; if none, the largest up to
 * `most`. */
static int64_t divisor_below(int64_t extent, int64_t most, int64_t step) {
    int64_t largest = 1;
    for (int64_t d = most; d > 1; d--) {
        if (extent % d != 0) continue;
        if (d % step == 0) return d;
        if (largest == 1) largest = d;
    }
    return largest;
}

/* Adds a digit, in pieces of at most `most` if its extent has such a divisor. Pieces of a row are multiples of 16 B. */
static bool add_part(tmap_parts *parts, tmap_part part, int64_t most, int64_t element_B) {
    while (part.extent > 1) {
        int64_t step = part.shared == 1 ? TMAP_ROW_STEP_B / element_B : 1;
        int64_t piece = part.extent <= most ? part.extent : divisor_below(part.extent, most, step);
        if (piece == 1) piece = part.extent;
        if (parts->n == TMAP_ITERS_MAX) return false;
        parts->at[parts->n] = part;
        parts->at[parts->n++].extent = piece;
        part.extent /= piece;
        part.inner *= piece;
        part.shared *= piece;
    }
    return true;
}

/* A row of a box starts with the digit of stride 1 and is at most as wide as the swizzle's span. */
static int64_t most_of(const tmap_parts *parts, int64_t stride, int64_t element_B) {
    int64_t span_B = tmap_swizzle_get((int)parts->swizzle)->span_B;
    if (stride != 1 || span_B == 0 || span_B / element_B > TMAP_BOX_MAX) return TMAP_BOX_MAX;
    return span_B / element_B;
}

static bool is_before(const void *a, const void *b) {
    return ((const tmap_part *)a)->shared < ((const tmap_part *)b)->shared;
}

/* The second row of a box starts at the end of the first row, or one span of the swizzle after the start of the
 * first. */
static int count_chain(const tmap_parts *parts, int64_t element_B) {
    int64_t span = (int64_t)tmap_swizzle_get((int)parts->swizzle)->span_B / element_B, next = 1;
    int n = 0;
    for (; n < parts->n; n++) {
        bool padded = n > 0 && parts->at[0].extent * parts->at[0].shared == next && parts->at[n].shared == span;
        if (parts->at[n].shared != next && !padded) break;
        next = parts->at[n].shared * parts->at[n].extent;
    }
    return n;
}

tmap_status tmap_parts_of(const tmap_plan_request *request, tmap_parts *parts, tmap_diag *refusal) {
    tmap_grouped grouped = {.starts = {0}};
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    *parts = (tmap_parts){.n = 0};
    if (element_B == 0) return tmap_refuse(refusal, "plan-request", "the type has no elements of whole bytes");
    tmap_status status = check_shared(&request->shared, refusal);
    if (status == TMAP_OK) status = find_swizzle(request, parts, refusal);
    if (status == TMAP_OK) status = group_by_tile(request, &grouped, refusal);
    if (status != TMAP_OK) return status;
    parts->offset = request->shared.offset.n > 0 ? request->shared.offset.at[0].value : 0;
    for (int d = 0; d < request->tile.rank; d++) {
        int64_t inner = 1;
        for (int i = grouped.starts[d + 1] - 1; i >= grouped.starts[d]; i--) {
            const tmap_iter *iter = &grouped.layout.shard.at[i];
            if (!add_part(parts, (tmap_part){d, iter->extent, inner, iter->stride},
                          most_of(parts, iter->stride, element_B), element_B))
                return tmap_refuse(refusal, "plan-domain", "the wanted layout has more than %d digits", TMAP_ITERS_MAX);
            inner *= iter->extent;
        }
    }
    tmap_sort(parts->at, parts->n, sizeof parts->at[0], is_before);
    parts->chain_n = count_chain(parts, element_B);
    return TMAP_OK;
}
