/* Loads: runs of data copied, runs outside the tensor filled. */
#include "emu/memory.h"
#include "emu/permute.h"

#include <string.h>

#define FILL_B 128

typedef struct load {
    const tmap_copy *copy;
    const tmap_memory *global;
    tmap_image image;
    uint8_t fill[FILL_B]; /* the fill value repeated */
} load;

/* Every type's NaN is 0x7ff7 repeated, so the pattern may be cut at any element. */
static void make_fill(const tmap_copy *copy, uint8_t fill[FILL_B]) {
    uint64_t value = copy->map.params.oob_fill == TMAP_OOB_FILL_NAN ? copy->map.type->nan : 0;
    uint32_t value_B = copy->map.type->unit_shared_B;
    for (uint32_t i = 0; i < FILL_B; i++) fill[i] = (uint8_t)(value >> (i % value_B * 8));
}

static void round_row(const uint8_t *from, uint8_t *to, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t bits;
        memcpy(&bits, from + i, sizeof bits);
        bits = tmap_tf32_round(bits);
        memcpy(to + i, &bits, sizeof bits);
    }
}

static void load_data(const load *l, const tmap_run *run) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    size_t size = (size_t)run->units_n * l->copy->map.type->unit_global_B;
    for (uint32_t row = 0; row < run->rows_n; row++) {
        const uint8_t *from = tmap_memory_view(l->global, run->global_B + row * run->global_step_B, size, buffer);
        if (l->copy->map.type->tf32) {
            round_row(from, buffer, size);
            from = buffer;
        }
        tmap_image_put(&l->image, run->box_B + row * run->box_step_B, from, size);
    }
}

static void load_fill(const load *l, const tmap_run *run) {
    uint32_t size = run->units_n * l->copy->map.type->unit_shared_B;
    for (uint32_t row = 0; row < run->rows_n; row++) {
        uint32_t at = run->box_B + row * run->box_step_B;
        for (uint32_t i = 0; i < size; i += FILL_B)
            tmap_image_put(&l->image, at + i, l->fill, size - i < FILL_B ? size - i : FILL_B);
    }
}

tmap_status tmap_emulate_load(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared, size_t shared_size,
                              tmap_copy_result *result) {
    if (!copy->op->to_shared) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    load l = {copy, global, {shared, copy->params.shared / TMAP_LINE_B, copy->line_masks}, {0}};
    uint64_t filled_B = 0;
    tmap_walk walk;
    tmap_run run;
    make_fill(copy, l.fill);
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind == TMAP_RUN_DATA) {
            load_data(&l, &run);
        } else {
            load_fill(&l, &run);
            filled_B += (uint64_t)run.units_n * run.rows_n * copy->map.type->unit_shared_B;
        }
    }
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = copy->payload_B,
                                 .filled_B = filled_B,
                                 .untouched_B = copy->footprint_B - copy->payload_B};
    return TMAP_OK;
}
