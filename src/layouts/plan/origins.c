/* plan: the origins of bytes in shared memory. */
#include "plan/origins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "layout/xor_maps.h"
#include "plan/layout_parts.h"

/* far above the shared memory of every architecture */
#define IMAGE_MOST_B ((int64_t)1 << 24)

static tmap_type plain_type(const tmap_type_info *type) {
    static const tmap_type by_log2[] = {TMAP_TYPE_U8, TMAP_TYPE_U16, TMAP_TYPE_U32, TMAP_TYPE_U64};
    return by_log2[tmap_log2_of(type->unit_shared_B) & 3]; /* 1, 2, 4 or 8 bytes */
}

tmap_status tmap_origins_init(tmap_origins *origins, const tmap_map_params *map, int64_t span_el,
                              const tmap_allocator *allocator, tmap_diag *refusal) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    tmap_map_params plain = *map;
    *origins = (tmap_origins){.size_B = tmap_times(span_el, tmap_plan_element_B(type))};
    if (origins->size_B > IMAGE_MOST_B)
        return tmap_refuse(refusal, "plan-proof", "the wanted layout requires more than %d MiB",
                           (int)(IMAGE_MOST_B >> 20));
    origins->size_B = origins->size_B / 1024 * 1024 + 2048;
    plain.type = plain_type(type);
    plain.oob_fill = TMAP_OOB_FILL_ZERO;
    if (tmap_map_init(&origins->map, &plain, NULL, NULL) != TMAP_OK)
        return tmap_refuse(refusal, "plan-proof", "the rules reject the plan's map");
    origins->image = tmap_resize(allocator, NULL, 0, (size_t)origins->size_B);
    origins->at = tmap_resize(allocator, NULL, 0, (size_t)origins->size_B * sizeof *origins->at);
    if (origins->image && origins->at) return TMAP_OK;
    tmap_origins_free(origins, allocator);
    return TMAP_NO_MEMORY;
}

void tmap_origins_free(tmap_origins *origins, const tmap_allocator *allocator) {
    if (origins->image) (void)tmap_resize(allocator, origins->image, (size_t)origins->size_B, 0);
    if (origins->at) (void)tmap_resize(allocator, origins->at, (size_t)origins->size_B * sizeof *origins->at, 0);
    origins->image = NULL, origins->at = NULL;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static void read_round(void *context, uint64_t offset_B, void *to, size_t size) {
    const int shift = 8 * *(const int *)context;
    uint8_t *bytes = to;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((offset_B + i + 1) >> shift);
}

static void read_ones(void *context, uint64_t offset_B, void *to, size_t size) {
    (void)context;
    (void)offset_B;
    memset(to, 1, size);
}

typedef struct origin_run {
    tmap_origins *origins;
    tmap_copy_by_number *copy;
    const void *plan;
    uint64_t n, address;
} origin_run;

static tmap_status run_copies(const origin_run *r, const tmap_memory *memory) {
    const tmap_origins *o = r->origins;
    for (uint64_t i = 0; i < r->n; i++) {
        tmap_copy_params params = r->copy(r->plan, i);
        tmap_copy copy;
        tmap_copy_result result;
        params.op = TMAP_OP_LOAD;
        if (tmap_copy_init(&copy, &o->map, &params, NULL, NULL) != TMAP_OK) return TMAP_REFUSED;
        int64_t at = (int64_t)(params.shared - r->address);
        if (at < 0 || at + copy.footprint_B > o->size_B) return TMAP_REFUSED;
        tmap_status status = tmap_emulate_load(&copy, memory, o->image + at, (size_t)(o->size_B - at), &result);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}

/* TMAP_NOT_WRITTEN keeps all its bits, so every place is treated alike, which vectors can do. */
_Static_assert(TMAP_NOT_WRITTEN == UINT64_MAX, "all bits are 1");

static void add_round(const tmap_origins *o, int shift) {
    const uint8_t *image = o->image;
    uint64_t *at = o->at;
    for (int64_t i = 0, n = o->size_B; i < n; i++) at[i] |= (uint64_t)image[i] << shift;
}

/* Runs one round for each byte of an offset into the tensor. The first round only shows which bytes are written. */
static tmap_status find(const origin_run *r) {
    tmap_origins *o = r->origins;
    int round = 0;
    tmap_memory memory = {.size_B = INT64_MAX, .read = read_ones, .context = &round};
    memset(o->image, 0xff, (size_t)o->size_B);
    tmap_status status = run_copies(r, &memory);
    for (int64_t i = 0; i < o->size_B; i++) o->at[i] = o->image[i] == 0xff ? TMAP_NOT_WRITTEN : 0;
    memory.read = read_round;
    for (; round < 8 && o->map.derived.span_B >> 8 * round != 0 && status == TMAP_OK; round++) {
        status = run_copies(r, &memory);
        add_round(o, 8 * round);
    }
    return status;
}

tmap_status tmap_origins_find(tmap_origins *origins, tmap_copy_by_number *copy, const void *plan, uint64_t n,
                              uint64_t address, tmap_diag *refusal) {
    origin_run r = {.origins = origins, .copy = copy, .plan = plan, .n = n, .address = address};
    tmap_status status = find(&r);
    if (status != TMAP_REFUSED) return status;
    return tmap_refuse(refusal, "plan-proof",
                       "the rules reject a copy of the plan, or a copy writes outside the wanted layout");
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

int64_t tmap_origins_differ(const tmap_origins *origins, int64_t place, int64_t element_B, uint64_t wanted) {
    for (int64_t b = 0; b < element_B; b++)
        if (origins->at[place * element_B + b] != (wanted == 0 ? 0 : wanted + (uint64_t)b)) return b;
    return -1;
}

void tmap_origins_say(const tmap_origins *origins, int64_t at, uint64_t wanted, char *text, size_t size) {
    if (origins->at[at] == TMAP_NOT_WRITTEN)
        (void)snprintf(text, size, "is not written");
    else
        (void)snprintf(text, size, "comes from byte %" PRId64 " of the tensor, not %" PRId64 " (-1: outside)",
                       (int64_t)origins->at[at] - 1, (int64_t)wanted - 1);
}

int64_t tmap_origins_written_B(const tmap_origins *origins) {
    int64_t written = 0;
    for (int64_t i = 0; i < origins->size_B; i++) written += origins->at[i] != TMAP_NOT_WRITTEN;
    return written;
}
