/* Reductions: runs of data combined with what lies in global memory; what lies outside the tensor is dropped. */
#include <string.h>

#include "emu/arithmetic.h"
#include "emu/memory.h"
#include "emu/permute.h"
#include "tmap/unstable/walk.h"

typedef struct reduction {
    const tmap_copy *copy;
    tmap_image image;
    tmap_memory *global;
    tmap_reduce_row *reduce;
} reduction;

/* In place where there are bytes, else through a buffer. */
static void reduce_row(const reduction *r, uint64_t offset, const uint8_t *from, size_t count, size_t size) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    if (r->global->bytes) {
        r->reduce(tmap_memory_at(r->global, offset), from, count);
        return;
    }
    tmap_memory_get(r->global, offset, buffer, size);
    r->reduce(buffer, from, count);
    tmap_memory_put(r->global, offset, buffer, size);
}

/* Row after row, so that rows that share global bytes are combined one after the other, in box order. */
static void reduce_run(const reduction *r, const tmap_run *run) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    tmap_rows rows = {.row = buffer, .at = run->box_B, .size = run->units_n * r->copy->unit.global_B, .rows_n = 1};
    size_t count = rows.size / ((uint32_t)r->copy->map.type->bits / 8);
    for (uint32_t i = 0; i < run->rows_n; i++, rows.at += run->box_step_B) {
        tmap_image_get(&r->image, &rows);
        reduce_row(r, run->global_B + i * run->global_step_B, buffer, count, rows.size);
    }
}

tmap_status tmap_emulate_reduce(const tmap_copy *copy, const uint8_t *shared, size_t shared_size, tmap_memory *global,
                                tmap_copy_result *result) {
    if (!copy || !shared || !global || !result) return TMAP_BAD_ARGUMENT;
    const tmap_reduction_info *info = tmap_reduction_of(copy->params.op, copy->map.params.type);
    if (!info) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    /* tmap_image_get only reads the image. */
    reduction r = {copy,
                   {(uint8_t *)(uintptr_t)shared, copy->params.shared / TMAP_LINE_B, copy->line_masks},
                   global,
                   tmap_reduce_row_of(info)};
    uint64_t written_B = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        reduce_run(&r, &run);
        written_B += (uint64_t)run.units_n * run.rows_n * copy->unit.global_B;
    }
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = written_B,
                                 .untouched_B = copy->footprint_B - written_B};
    return TMAP_OK;
}

tmap_status tmap_emulate(const tmap_copy *copy, uint8_t *shared, size_t shared_size, tmap_memory *global,
                         tmap_copy_result *result) {
    if (!copy || !global || !result) return TMAP_BAD_ARGUMENT;
    if (copy->op->to_shared) return tmap_emulate_load(copy, global, shared, shared_size, result);
    if (copy->op->reduces) return tmap_emulate_reduce(copy, shared, shared_size, global, result);
    if (copy->op->to_global) return tmap_emulate_store(copy, shared, shared_size, global, result);
    *result = (tmap_copy_result){.tx_B = 0};
    return tmap_copy_reaches(copy, global, shared_size);
}
