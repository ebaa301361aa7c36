/* Many copies that differ only in their start. */
#include "map/coordinate.h"
#include "rule/trial.h"
#include "tmap/unstable/emu_batch.h"

size_t tmap_start_numbers(const tmap_copy *copy) {
    return copy->op->four_rows ? 5 : (size_t)copy->map.params.rank;
}

static void read_start(const tmap_copy *like, const int64_t *numbers, tmap_copy_params *params) {
    if (!like->op->four_rows) {
        for (uint64_t i = 0; i < like->map.params.rank; i++) params->at[i] = numbers[i];
        return;
    }
    params->column = numbers[0];
    for (int i = 0; i < 4; i++) params->rows[i] = numbers[1 + i];
}

static bool have_room(const tmap_copy *like, size_t n, const tmap_images *images) {
    size_t image_B = like->footprint_B;
    if (image_B == 0) return true; /* a prefetch */
    if (!images->bytes || images->size_B < image_B) return false;
    if (like->op->to_shared && images->step_B < image_B && n > 1) return false;
    return images->step_B == 0 || (images->size_B - image_B) / images->step_B >= n - 1;
}

static void add(tmap_copy_result *sum, const tmap_copy_result *part) {
    sum->tx_B += part->tx_B;
    sum->footprint_B += part->footprint_B;
    sum->written_B += part->written_B;
    sum->filled_B += part->filled_B;
    sum->untouched_B += part->untouched_B;
    sum->ctas = part->ctas;
}

static tmap_status run_from(tmap_copy *copy, const tmap_copy_params *params, uint8_t *image, tmap_memory *global,
                            tmap_copy_result *total) {
    tmap_copy_result result;
    tmap_copy_restart(copy, params);
    tmap_status status = tmap_emulate(copy, image, copy->footprint_B, global, &result);
    if (status == TMAP_OK) add(total, &result);
    return status;
}

tmap_status tmap_copies_run(const tmap_copy *like, const int64_t *starts, size_t n, const tmap_images *images,
                            tmap_memory *global, const tmap_judge *judge, tmap_copies_result *result,
                            tmap_diags *diags) {
    if (!result) return TMAP_BAD_ARGUMENT;
    *result = (tmap_copies_result){0};
    if (!like || !starts || !images || !global) return TMAP_BAD_ARGUMENT;
    if (n == 0) return TMAP_OK;
    if (!have_room(like, n, images)) return TMAP_BAD_ARGUMENT;
    const tmap_map_params *map = &like->map.params;
    tmap_copy copy = *like;
    tmap_copy_params params = like->params;
    read_start(like, starts, &params);
    tmap_status status = tmap_check_copy(map, &params, judge, NULL);
    if (status != TMAP_OK) return tmap_check_copy(map, &params, judge, diags);
    tmap_start_rules rules;
    tmap_trial trial;
    tmap_trial_begin_starts(&trial, map, &params, judge, &rules);
    size_t numbers_n = tmap_start_numbers(like);
    for (size_t i = 0; i < n && status == TMAP_OK; i++) {
        read_start(like, starts + i * numbers_n, &params);
        if (!tmap_trial_allows_start(&trial, &rules)) return tmap_check_copy(map, &params, judge, diags);
        uint8_t *image = images->bytes ? images->bytes + i * images->step_B : NULL;
        status = run_from(&copy, &params, image, global, &result->total);
        result->done_n += status == TMAP_OK;
    }
    return status;
}
