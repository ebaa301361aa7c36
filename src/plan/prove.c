/*
 * plan: the proof. The copies run over a global memory whose byte at offset a holds, round by round, byte r of a + 1;
 * so every byte of shared memory tells where it came from: 0 nowhere in the tensor (filled), NOT_WRITTEN where no copy
 * wrote.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "plan/parts.h"

#define NOT_WRITTEN UINT64_MAX
/* Shared memory of any architecture is far below. */
#define IMAGE_MOST_B ((int64_t)1 << 24)

typedef struct proof {
    const tmap_plan *plan;
    const tmap_plan_request *request;
    tmap_map map;
    int64_t size_B; /* of the image, from the wanted layout's 0 on */
    uint8_t *image;
    uint64_t *origins; /* a byte of the image */
} proof;

/* ---- Where bytes come from -------------------------------------------------------------------------------------- */

static void read_round(void *context, uint64_t offset_B, void *to, size_t size) {
    const int *round = context;
    uint8_t *bytes = to;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((offset_B + i + 1) >> 8 * *round);
}

static void read_ones(void *context, uint64_t offset_B, void *to, size_t size) {
    (void)context;
    (void)offset_B;
    memset(to, 1, size);
}

/* Places do not depend on the type, but some types are rounded on the way: an integer of the size takes their place. */
static tmap_type plain_type(const tmap_type_info *type) {
    static const tmap_type by_log2[] = {TMAP_TYPE_U8, TMAP_TYPE_U16, TMAP_TYPE_U32, TMAP_TYPE_U64};
    int log2 = 0;
    while (1 << log2 < (int)type->unit_shared_B) log2++;
    return by_log2[log2];
}

static tmap_status run_copies(proof *p, tmap_memory *memory) {
    for (uint64_t i = 0; i < p->plan->copies_n; i++) {
        tmap_copy_params params = tmap_plan_copy(p->plan, i);
        tmap_copy copy;
        tmap_copy_result result;
        params.op = TMAP_OP_LOAD;
        if (tmap_copy_init(&copy, &p->map, &params, NULL, NULL) != TMAP_OK) return TMAP_REFUSED;
        int64_t at = (int64_t)(params.shared - p->request->shared_address);
        if (at < 0 || at + copy.footprint_B > p->size_B) return TMAP_REFUSED;
        tmap_status status = tmap_emulate_load(&copy, memory, p->image + at, (size_t)(p->size_B - at), &result);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}

static tmap_status find_origins(proof *p) {
    int round = 0;
    tmap_memory memory = {.size_B = INT64_MAX, .read = read_ones, .context = &round};
    memset(p->image, 0xff, (size_t)p->size_B);
    tmap_status status = run_copies(p, &memory);
    for (int64_t i = 0; i < p->size_B; i++) p->origins[i] = p->image[i] == 0xff ? NOT_WRITTEN : 0;
    memory.read = read_round;
    for (; round < 8 && status == TMAP_OK; round++) {
        status = run_copies(p, &memory);
        for (int64_t i = 0; i < p->size_B; i++)
            if (p->origins[i] != NOT_WRITTEN) p->origins[i] |= (uint64_t)p->image[i] << 8 * round;
    }
    return status;
}

/* ---- Where they are wanted from --------------------------------------------------------------------------------- */

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

static tmap_status differs(tmap_plan_refusal *refusal, int64_t element, int64_t place_B, uint64_t seen,
                           uint64_t wanted) {
    if (seen == NOT_WRITTEN)
        return tmap_plan_refuse(refusal, "plan-proof",
                                "element %" PRId64 " of the tile, at byte %" PRId64 ", is not written", element,
                                place_B);
    return tmap_plan_refuse(refusal, "plan-proof",
                            "element %" PRId64 " of the tile, at byte %" PRId64 ", comes from byte %" PRId64
                            " of the tensor, not %" PRId64 " (-1: outside)",
                            element, place_B, (int64_t)seen - 1, (int64_t)wanted - 1);
}

static tmap_status compare(const proof *p, tmap_plan_refusal *refusal) {
    const tmap_plan_request *request = p->request;
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    int64_t elements = tmap_layout_size(&request->shared), written = 0;
    for (int64_t e = 0; e < elements; e++) {
        int64_t place;
        tmap_layout_offsets(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M), e, 1, &place);
        uint64_t wanted = wanted_origin(request, e, element_B);
        for (int64_t b = 0; b < element_B; b++) {
            uint64_t seen = p->origins[place * element_B + b];
            if (seen != (wanted == 0 ? 0 : wanted + (uint64_t)b))
                return differs(refusal, e, place * element_B + b, seen, wanted == 0 ? 0 : wanted + (uint64_t)b);
        }
    }
    for (int64_t i = 0; i < p->size_B; i++) written += p->origins[i] != NOT_WRITTEN;
    if (written == elements * element_B) return TMAP_OK;
    return tmap_plan_refuse(refusal, "plan-proof", "the copies write %" PRId64 " bytes, the tile has %" PRId64, written,
                            elements * element_B);
}

/* ---- The proof -------------------------------------------------------------------------------------------------- */

/* Of the wanted layout, to the end of the line that the swizzle may reach. */
static int64_t image_B(const tmap_plan_request *request) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    int64_t span_B = tmap_times(tmap_layout_span(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M)), element_B);
    return span_B > IMAGE_MOST_B ? 0 : span_B / 1024 * 1024 + 2048;
}

static tmap_status prove(proof *p, tmap_plan_refusal *refusal) {
    tmap_map_params map = p->plan->map;
    map.type = plain_type(tmap_type_get((int)map.type));
    map.oob_fill = TMAP_OOB_FILL_ZERO;
    if (tmap_map_init(&p->map, &map, NULL, NULL) != TMAP_OK || find_origins(p) != TMAP_OK)
        return tmap_plan_refuse(refusal, "plan-proof",
                                "the plan's copies are refused, or write outside the wanted layout");
    return compare(p, refusal);
}

tmap_status tmap_plan_prove(const tmap_plan *plan, const tmap_plan_request *request, const tmap_allocator *allocator,
                            tmap_plan_refusal *refusal) {
    if (plan == NULL || request == NULL || tmap_type_get((int)request->type) == NULL) return TMAP_BAD_ARGUMENT;
    if (refusal != NULL) *refusal = (tmap_plan_refusal){.rule = NULL};
    proof p = {.plan = plan, .request = request, .size_B = image_B(request)};
    if (p.size_B == 0)
        return tmap_plan_refuse(refusal, "plan-proof", "the wanted layout takes more than %d MiB",
                                (int)(IMAGE_MOST_B >> 20));
    p.image = tmap_resize(allocator, NULL, 0, (size_t)p.size_B);
    p.origins = tmap_resize(allocator, NULL, 0, (size_t)p.size_B * sizeof *p.origins);
    tmap_status status = p.image && p.origins ? prove(&p, refusal) : TMAP_NO_MEMORY;
    (void)tmap_resize(allocator, p.image, (size_t)p.size_B, 0);
    (void)tmap_resize(allocator, p.origins, (size_t)p.size_B * sizeof *p.origins, 0);
    return status;
}
