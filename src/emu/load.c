/* Loads: runs of data copied, runs outside the tensor filled. */
#include "emu/memory.h"
#include "emu/units.h"

#include <string.h>

typedef struct load {
    const tmap_copy *copy;
    const tmap_memory *global;
    tmap_image image;
} load;

static void round_row(uint8_t *row, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        bits = tmap_tf32_round(bits);
        memcpy(row + i, &bits, sizeof bits);
    }
}

/* Row by row through a buffer: bytes that are made as they are read, or rounded on the way. */
static void load_rows(const load *l, const tmap_run *run, tmap_rows rows) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    rows.row = buffer;
    rows.rows_n = 1;
    for (uint32_t i = 0; i < run->rows_n; i++, rows.at += rows.at_step) {
        tmap_memory_get(l->global, run->global_B + i * run->global_step_B, buffer, rows.size);
        if (l->copy->map.type->tf32) round_row(buffer, rows.size);
        tmap_image_put(&l->image, &rows);
    }
}

/* Containers with a gap behind each, which is left as it was. */
static void load_units(const load *l, const tmap_run *run) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    tmap_container_rows containers = {.row_step = run->global_step_B,
                                      .at = run->box_B,
                                      .at_step = run->box_step_B,
                                      .size = l->copy->unit.shared_B,
                                      .units_n = run->units_n,
                                      .rows_n = run->rows_n};
    if (l->global->bytes) {
        containers.row = tmap_memory_at(l->global, run->global_B);
        if (tmap_containers_put(&l->image, &containers)) return;
    }
    for (uint32_t i = 0; i < run->rows_n; i++) {
        tmap_rows units = tmap_units_of_row(l->copy, run, i);
        tmap_memory_get(l->global, run->global_B + i * run->global_step_B, buffer, (size_t)units.size * units.rows_n);
        units.row = buffer;
        tmap_image_put(&l->image, &units);
    }
}

static void load_data(const load *l, const tmap_run *run) {
    if (tmap_units_have_gaps(&l->copy->unit)) {
        load_units(l, run);
        return;
    }
    tmap_rows rows = {.row_step = run->global_step_B,
                      .at = run->box_B,
                      .at_step = run->box_step_B,
                      .size = run->units_n * l->copy->unit.global_B,
                      .rows_n = run->rows_n};
    if (!l->global->bytes || l->copy->map.type->tf32) {
        load_rows(l, run, rows);
        return;
    }
    rows.row = tmap_memory_at(l->global, run->global_B);
    tmap_image_put(&l->image, &rows);
}

/* Every type's NaN is one 16-bit pattern repeated. */
static void load_fill(const load *l, const tmap_run *run) {
    const tmap_copy *copy = l->copy;
    bool nan = copy->map.params.oob_fill == TMAP_OOB_FILL_NAN, gaps = tmap_units_have_gaps(&copy->unit);
    uint16_t pattern = nan ? (uint16_t)copy->map.type->nan : 0;
    tmap_rows rows = {.at = run->box_B,
                      .at_step = run->box_step_B,
                      .size = run->units_n * copy->unit.shared_B,
                      .rows_n = run->rows_n};
    if (!gaps) tmap_image_fill(&l->image, &rows, pattern);
    for (uint32_t i = 0; gaps && i < run->rows_n; i++) {
        tmap_rows units = tmap_units_of_row(copy, run, i);
        tmap_image_fill(&l->image, &units, pattern);
    }
}

tmap_status tmap_emulate_load(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared, size_t shared_size,
                              tmap_copy_result *result) {
    if (!copy || !global || !shared || !result || !copy->op->to_shared) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    load l = {copy, global, {shared, copy->params.shared / TMAP_LINE_B, copy->line_masks}};
    uint64_t filled_B = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind == TMAP_RUN_DATA) {
            load_data(&l, &run);
        } else {
            load_fill(&l, &run);
            filled_B += (uint64_t)run.units_n * run.rows_n * copy->unit.shared_B;
        }
    }
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = copy->payload_B,
                                 .filled_B = filled_B,
                                 .untouched_B = copy->footprint_B - copy->payload_B,
                                 .ctas = copy->params.cta_mask};
    return TMAP_OK;
}
