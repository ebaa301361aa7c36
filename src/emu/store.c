/* Stores: runs of data copied back, what lies outside the tensor dropped. */
#include "emu/memory.h"
#include "emu/permute.h"

static void store_data(const tmap_copy *copy, const tmap_image *image, const tmap_memory *global, const tmap_run *run) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    size_t size = (size_t)run->units_n * copy->map.type->unit_global_B;
    for (uint32_t row = 0; row < run->rows_n; row++) {
        tmap_image_get(image, run->box_B + row * run->box_step_B, buffer, size);
        tmap_memory_put(global, run->global_B + row * run->global_step_B, buffer, size);
    }
}

tmap_status tmap_emulate_store(const tmap_copy *copy, const uint8_t *shared, size_t shared_size, tmap_memory *global,
                               tmap_copy_result *result) {
    if (!copy->op->to_global || copy->op->reduces) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    /* Only read: tmap_image_get. */
    tmap_image image = {(uint8_t *)(uintptr_t)shared, copy->params.shared / TMAP_LINE_B, copy->line_masks};
    uint64_t written_B = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        store_data(copy, &image, global, &run);
        written_B += (uint64_t)run.units_n * run.rows_n * copy->map.type->unit_global_B;
    }
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = written_B,
                                 .untouched_B = copy->footprint_B - written_B};
    return TMAP_OK;
}
