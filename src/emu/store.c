/* Stores: runs of data copied back, what lies outside the tensor dropped. */
#include "emu/memory.h"
#include "emu/units.h"

/* Row by row through a buffer, to memory that takes bytes by a function. */
static void store_rows(const tmap_image *image, const tmap_memory *global, const tmap_run *run, tmap_rows rows) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    rows.row = buffer;
    rows.rows_n = 1;
    for (uint32_t i = 0; i < run->rows_n; i++, rows.at += rows.at_step) {
        tmap_image_get(image, &rows);
        tmap_memory_put(global, run->global_B + i * run->global_step_B, buffer, rows.size);
    }
}

/* One row of containers: read, brought together, written. */
static void store_units(const tmap_copy *copy, const tmap_image *image, const tmap_memory *global, const tmap_run *run,
                        uint32_t row) {
    uint8_t units_B[TMAP_ROW_B_MAX], row_B[TMAP_ROW_B_MAX];
    tmap_rows units = tmap_units_of_row(copy, run, row);
    size_t size = (size_t)units.rows_n * copy->unit.global_B;
    uint64_t offset = run->global_B + row * run->global_step_B;
    units.row = units_B;
    tmap_image_get(image, &units);
    tmap_pack_values(row_B, units_B, units.rows_n * copy->unit.values, copy->unit.value_bits);
    tmap_memory_put(global, offset, row_B, size);
}

static void store_data(const tmap_copy *copy, const tmap_image *image, const tmap_memory *global, const tmap_run *run) {
    if (copy->unit.shared_value_bits != copy->unit.value_bits) {
        for (uint32_t i = 0; i < run->rows_n; i++) store_units(copy, image, global, run, i);
        return;
    }
    tmap_rows rows = {.row_step = run->global_step_B,
                      .at = run->box_B,
                      .at_step = run->box_step_B,
                      .size = run->units_n * copy->unit.global_B,
                      .rows_n = run->rows_n};
    if (!global->bytes) {
        store_rows(image, global, run, rows);
        return;
    }
    rows.row = tmap_memory_at(global, run->global_B);
    tmap_image_get(image, &rows);
}

tmap_status tmap_emulate_store(const tmap_copy *copy, const uint8_t *shared, size_t shared_size, tmap_memory *global,
                               tmap_copy_result *result) {
    if (!copy || !shared || !global || !result) return TMAP_BAD_ARGUMENT;
    if (!copy->op->to_global || copy->op->reduces) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    /* tmap_image_get only reads the image. */
    tmap_image image = {(uint8_t *)(uintptr_t)shared, copy->params.shared / TMAP_LINE_B, copy->line_masks};
    uint64_t written_B = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        store_data(copy, &image, global, &run);
        written_B += (uint64_t)run.units_n * run.rows_n * copy->unit.global_B;
    }
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = written_B,
                                 .untouched_B = copy->footprint_B - written_B};
    return TMAP_OK;
}
