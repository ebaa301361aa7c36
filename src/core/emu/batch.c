/* Many copies that differ only in their start. */
#include "emu/global_memory.h"
#include "emu/permute.h"
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

static void add(tmap_copies_result *sum, const tmap_copy_result *part, uint64_t n) {
    sum->total.tx_B += part->tx_B * n;
    sum->total.footprint_B += part->footprint_B * n;
    sum->total.written_B += part->written_B * n;
    sum->total.filled_B += part->filled_B * n;
    sum->total.untouched_B += part->untouched_B * n;
    sum->total.ctas = part->ctas;
    sum->done_n += n;
}

/* ---- Tiles inside the tensor ------------------------------------------------------------------------------------ */

/*
 * Loads of tiles whose elements are all inside the tensor have equal blocks at different places. They wait in a queue,
 * and are moved together. If each tile moved at once, checking the next start would wait for the tile's stores: a
 * processor delays loads from addresses that end in the same twelve bits as a pending store.
 */
#define QUEUED_MAX 32

typedef struct inside_tiles {
    const tmap_memory *global;
    tmap_tile tile;  /* the first */
    size_t first, n; /* the numbers of the queued copies: first .. first + n - 1 */
    uint64_t global_B[QUEUED_MAX];
} inside_tiles;

/* Adds copy `i` to the queue if the queue has room and the copy only moves a tile. */
static bool enqueue(inside_tiles *tiles, const tmap_copy *copy, size_t i) {
    const tmap_tile *tile = tmap_moved_tile(copy, tiles->global, copy->footprint_B);
    if (!tile || !tile->all || tiles->n == QUEUED_MAX || !copy->op->to_shared) return false;
    if (copy->op->four_rows || copy->map.type->tf32 || tile->moves.way == TMAP_WAY_CONTAINERS) return false;
    if (tiles->n == 0) tiles->first = i, tiles->tile = *tile;
    tiles->global_B[tiles->n++] = tile->data.global_B;
    return true;
}

static void move_queued(inside_tiles *tiles, const tmap_copy *copy, const tmap_images *images,
                        tmap_copies_result *result) {
    tmap_image image = tmap_image_at(NULL, copy->params.shared, copy->line_masks);
    tmap_copy_result each;
    for (size_t i = 0; i < tiles->n; i++) {
        image.bytes = images->bytes + (tiles->first + i) * images->step_B;
        tiles->tile.data.global_B = tiles->global_B[i];
        tmap_image_move_tile(&image, tiles->global->bytes, &tiles->tile, true);
    }
    tmap_moved_result(copy, copy->payload_B, 0, &each);
    add(result, &each, tiles->n);
    tiles->n = 0;
}

/* ---- All copies ------------------------------------------------------------------------------------------------- */

static tmap_status run_one(const tmap_copy *copy, size_t i, const tmap_images *images, tmap_memory *global,
                           tmap_copies_result *total) {
    tmap_copy_result result;
    uint8_t *image = images->bytes ? images->bytes + i * images->step_B : NULL;
    tmap_status status = tmap_emulate(copy, image, copy->footprint_B, global, &result);
    if (status == TMAP_OK) add(total, &result, 1);
    return status;
}

tmap_status tmap_copies_run_judged(const tmap_copy *like, const int64_t *starts, size_t n, const tmap_images *images,
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
    tmap_status status = TMAP_OK;
    read_start(like, starts, &params);
    tmap_start_rules rules;
    tmap_trial trial;
    tmap_trial_begin_starts(&trial, map, &params, judge, &rules);
    size_t numbers_n = tmap_start_numbers(like);
    inside_tiles tiles;
    tiles.global = global, tiles.n = 0;
    for (size_t i = 0; i < n && status == TMAP_OK; i++) {
        read_start(like, starts + i * numbers_n, &params);
        bool allowed = tmap_trial_allows_start(&trial, &rules);
        if (allowed) tmap_copy_restart(&copy, &params);
        if (allowed && enqueue(&tiles, &copy, i)) continue;
        if (tiles.n > 0) move_queued(&tiles, &copy, images, result);
        if (!allowed) return tmap_check_copy(map, &params, judge, diags);
        if (!enqueue(&tiles, &copy, i)) status = run_one(&copy, i, images, global, result);
    }
    if (tiles.n > 0) move_queued(&tiles, &copy, images, result);
    return status;
}

tmap_status tmap_copies_run(const tmap_copy *like, const int64_t *starts, size_t n, const tmap_images *images,
                            tmap_memory *global, const tmap_judge *judge, tmap_copies_result *result,
                            tmap_diags *diags) {
    if (like && starts && images && global && n > 0 && have_room(like, n, images)) {
        tmap_copy_params params = like->params;
        read_start(like, starts, &params);
        if (tmap_check_copy(&like->map.params, &params, judge, NULL) != TMAP_OK) {
            if (result) *result = (tmap_copies_result){0};
            return result ? tmap_check_copy(&like->map.params, &params, judge, diags) : TMAP_BAD_ARGUMENT;
        }
    }
    return tmap_copies_run_judged(like, starts, n, images, global, judge, result, diags);
}
