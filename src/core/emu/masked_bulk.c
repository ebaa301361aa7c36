/* Copies without a tensor map that move only some of their bytes (PTX ISA 9.4, cp.async.bulk). */
#include "emu/masked_bulk.h"

#include <string.h>

#include "params/derive.h"

/* Bytes first_B to end_B of the copy, and the start of the copy in the memory. */
typedef struct moved {
    uint64_t global_B, first_B, end_B;
} moved;

/* Of a copy of 16 bytes, ignoring up to 15 bytes at each end can ignore every byte. */
static moved moved_of(const tmap_copy *copy, const tmap_memory *global) {
    uint64_t first = copy->params.ignore_left_B, end = copy->footprint_B - copy->params.ignore_right_B;
    return (moved){.global_B = (uint64_t)copy->params.at[0] * copy->unit.global_B - global->first_B,
                   .first_B = first < end ? first : 0,
                   .end_B = first < end ? end : 0};
}

static bool reaches(const moved *m, const tmap_memory *global) {
    uint64_t first = m->global_B + m->first_B, size = m->end_B - m->first_B;
    return size == 0 || (first <= global->size_B && size <= global->size_B - first);
}

static tmap_copy_result result_of(const tmap_copy *copy, uint64_t written_B) {
    return (tmap_copy_result){.tx_B = copy->payload_B,
                              .footprint_B = copy->footprint_B,
                              .written_B = written_B,
                              .untouched_B = copy->footprint_B - written_B,
                              .ctas = copy->params.cta_mask};
}

tmap_status tmap_load_some(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared,
                           tmap_copy_result *result) {
    const moved m = moved_of(copy, global);
    uint64_t size = m.end_B - m.first_B;
    if (!reaches(&m, global)) return TMAP_REFUSED;
    if (global->bytes)
        memcpy(shared + m.first_B, global->bytes + (m.global_B + m.first_B), size);
    else
        global->read(global->context, m.global_B + m.first_B, shared + m.first_B, size);
    *result = result_of(copy, size);
    return TMAP_OK;
}

static void put(tmap_memory *global, uint64_t offset_B, const uint8_t *from, size_t size) {
    if (global->bytes)
        memcpy(global->bytes + offset_B, from, size);
    else
        global->write(global->context, offset_B, from, size);
}

/* Bit i of the mask is for byte i of every 16 bytes. */
tmap_status tmap_store_some(const tmap_copy *copy, const uint8_t *shared, tmap_memory *global,
                            tmap_copy_result *result) {
    const moved m = moved_of(copy, global);
    uint64_t mask = copy->params.byte_mask, written_B = 0, size;
    if (!reaches(&m, global)) return TMAP_REFUSED;
    for (uint64_t at = 0; at < m.end_B; at += size) {
        uint64_t past = at % TMAP_LINEAR_ALIGN_B, bits = mask >> past,
                 end = (uint64_t)1 << (TMAP_LINEAR_ALIGN_B - past);
        bool copied = bits & 1;
        size = (uint64_t)__builtin_ctzll(copied ? ~bits : bits | end);
        if (copied) put(global, m.global_B + at, shared + at, size);
        written_B += copied ? size : 0;
    }
    *result = result_of(copy, written_B);
    return TMAP_OK;
}
