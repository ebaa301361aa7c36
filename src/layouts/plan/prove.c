/* plan: the proof of a plan of tiles: the origin of every byte is the origin that the wanted layout gives. */
#include <inttypes.h>

#include "plan/layout_parts.h"
#include "plan/origins.h"

#define BLOCK 1024 /* number of elements in one call for places */

/* Offset + 1 of an element of the tile in global memory; 0: outside the tensor. */
static uint64_t wanted_origin(const tmap_plan_request *request, int64_t element, int64_t element_B) {
    uint64_t offset = 0;
    for (int d = request->tile.rank - 1; d >= 0; d--) {
        int64_t at = request->begin.at[d] + element % request->tile.at[d];
        element /= request->tile.at[d];
        if (at < 0 || at >= request->shape.at[d]) return 0;
        offset += (uint64_t)at * (uint64_t)request->strides_el[d];
    }
    return offset * (uint64_t)element_B + 1;
}

static tmap_status differs(const tmap_origins *origins, int64_t element, int64_t at, uint64_t wanted,
                           tmap_diag *refusal) {
    char how[120];
    tmap_origins_say(origins, at, wanted, how, sizeof how);
    return tmap_refuse(refusal, "plan-proof", "element %" PRId64 " of the tile, at byte %" PRId64 ", %s", element, at,
                       how);
}

static tmap_status compare(const tmap_origins *origins, const tmap_plan_request *request, tmap_diag *refusal) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    int64_t elements = tmap_layout_size(&request->shared), written = tmap_origins_written_B(origins);
    int64_t places[BLOCK];
    for (int64_t e = 0; e < elements; e++) {
        size_t n = (size_t)(elements - e < BLOCK ? elements - e : BLOCK);
        if (e % BLOCK == 0) tmap_layout_offsets(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M), e, n, places);
        uint64_t wanted = wanted_origin(request, e, element_B);
        int64_t place = places[e % BLOCK];
        int64_t b = tmap_origins_differ(origins, place, element_B, wanted);
        if (b >= 0) return differs(origins, e, place * element_B + b, wanted == 0 ? 0 : wanted + (uint64_t)b, refusal);
    }
    if (written == elements * element_B) return TMAP_OK;
    return tmap_refuse(refusal, "plan-proof", "the copies write %" PRId64 " bytes, but the tile has %" PRId64, written,
                       elements * element_B);
}

static tmap_copy_params copy_by_number(const void *plan, uint64_t i) {
    return tmap_plan_copy(plan, i);
}

tmap_status tmap_plan_prove(const tmap_plan *plan, const tmap_plan_request *request, const tmap_allocator *allocator,
                            tmap_diag *refusal) {
    if (refusal) *refusal = tmap_refusal_of(NULL);
    if (!tmap_type_get((int)request->type))
        return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "type %d does not exist", (int)request->type);
    tmap_origins origins;
    int64_t span_el = tmap_layout_span(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M));
    tmap_status status = tmap_origins_init(&origins, &plan->map, span_el, allocator, refusal);
    if (status != TMAP_OK) return status;
    status = tmap_origins_find(&origins, copy_by_number, plan, plan->copies_n, request->shared_address, refusal);
    if (status == TMAP_OK) status = compare(&origins, request, refusal);
    tmap_origins_free(&origins, allocator);
    return status;
}
