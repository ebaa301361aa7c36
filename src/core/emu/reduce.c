/* Reductions: combines runs of data with global memory. Data outside the tensor is dropped. */
#include "emu/arithmetic.h"
#include "emu/global_memory.h"
#include "emu/permute.h"

typedef struct reduction {
    const tmap_copy *copy;
    tmap_image image;
    tmap_memory *global;
    tmap_reduce *reduce; /* for the rows of a block */
    uint64_t written_B;
} reduction;

/* Reduces a row of a memory that has only functions for reading and writing. */
static void reduce_through(const reduction *r, uint64_t offset, const uint8_t *from, uint32_t size) {
    uint8_t buffer[TMAP_ROW_B_MAX];
    r->global->read(r->global->context, offset, buffer, size);
    r->reduce(&(tmap_reduced){.to = buffer, .from = from, .size = size, .rows_n = 1});
    r->global->write(r->global->context, offset, buffer, size);
}

/* For rows that share no bytes: collects the rows, combines them at once, and writes them back. */
static void reduce_together(const reduction *r, const tmap_global_rows *rows, const uint8_t *operands) {
    tmap_buffer there;
    const tmap_image image = {.bytes = there.bytes};
    const tmap_rows all = {.row = r->global->bytes + rows->global_B,
                           .row_step = (ptrdiff_t)rows->loop->global_step,
                           .at_step = rows->size,
                           .size = rows->size,
                           .rows_n = rows->rows_n};
    tmap_image_put(&image, &all);
    r->reduce(
        &(tmap_reduced){.to = there.bytes, .from = operands, .size = (size_t)rows->size * rows->rows_n, .rows_n = 1});
    tmap_image_get(&image, &all);
}

/* Rows that share global bytes are combined one by one, in box order. Rows that share none are combined together if
 * they are too short for vectors. */
static void reduce_rows(const reduction *r, const tmap_global_rows *rows, const uint8_t *operands) {
    uint64_t step = rows->loop->global_step;
    bool whole = rows->size % TMAP_VECTOR_B_MIN == 0, apart = rows->rows_n > 1 && step >= rows->size;
    if (!r->global->bytes)
        for (uint32_t i = 0; i < rows->rows_n; i++)
            reduce_through(r, rows->global_B + i * step, operands + (size_t)i * rows->size, rows->size);
    else if (!whole && apart)
        reduce_together(r, rows, operands);
    else
        r->reduce(&(tmap_reduced){.to = r->global->bytes + rows->global_B,
                                  .from = operands,
                                  .to_step = (ptrdiff_t)step,
                                  .from_step = rows->size,
                                  .size = rows->size,
                                  .rows_n = rows->rows_n});
}

static void reduce_in_place(const reduction *r, const tmap_block *block, const tmap_moves *moves) {
    tmap_place_of_rows place = tmap_first_place(block);
    tmap_reduced rows = {.from = r->image.bytes,
                         .to_step = moves->rows.row_step,
                         .from_step = moves->rows.at_step,
                         .size = moves->rows.size,
                         .rows_n = moves->rows.rows_n,
                         .masks = r->image.masks};
    do {
        rows.to = r->global->bytes + place.global_B, rows.at = place.at;
        r->reduce(&rows);
    } while (moves->way != TMAP_WAY_ROWS && tmap_next_place(block, &place));
}

/* Gets as many rows at once as the buffer holds: of several loops, if all rows are equally far apart in the image. */
static void reduce_through_buffer(const reduction *r, const tmap_block *block) {
    const tmap_loop *loop = &block->loops[0];
    const uint32_t size = block->units_n * r->copy->unit.global_B, room = tmap_buffer_rows(size);
    const bool follow = tmap_rows_follow(block);
    uint64_t left = tmap_block_rows(block), next = 0, held = 0;
    tmap_place_of_rows place = tmap_first_place(block);
    tmap_buffer operands;
    do {
        for (uint32_t done = 0, n; done < loop->n; done += n, next += n) {
            uint64_t more = follow ? left : loop->n - done;
            if (next == held) {
                next = 0, held = more < room ? more : room, left -= held;
                tmap_image_get(&r->image, &(tmap_rows){.row = operands.bytes,
                                                       .row_step = size,
                                                       .at = place.at + done * loop->at_step,
                                                       .at_step = loop->at_step,
                                                       .size = size,
                                                       .rows_n = (uint32_t)held});
            }
            n = loop->n - done < held - next ? loop->n - done : (uint32_t)(held - next);
            reduce_rows(
                r,
                &(tmap_global_rows){
                    .global_B = place.global_B + done * loop->global_step, .loop = loop, .size = size, .rows_n = n},
                operands.bytes + next * size);
        }
    } while (tmap_next_place(block, &place));
}

/* Rows that do not consist of vectors, and lines with a swizzle that the vectors cannot follow, go through a buffer. */
static void reduce_all(reduction *r, const tmap_block *block, const tmap_moves *moves) {
    tmap_op op = r->copy->params.op;
    int arithmetic = tmap_tile_of(r->copy)->arithmetic;
    bool halves = op == TMAP_OP_REDUCE_ADD && arithmetic == TMAP_ARITHMETIC_F16;
    uint32_t places = r->image.masks == 0 ? moves->rows.size : moves->places;
    const tmap_reductions *reductions = tmap_reductions_of_places(places, halves);
    bool vectors = places % TMAP_VECTOR_B_MIN == 0 && moves->in_lines && (r->image.masks & ~reductions->lines) == 0;
    r->reduce = reductions->functions[op][arithmetic];
    if (vectors && r->global->bytes)
        reduce_in_place(r, block, moves);
    else
        reduce_through_buffer(r, block);
}

static void reduce_block(void *context, const tmap_block *block) {
    reduction *r = context;
    uint32_t size = block->units_n * r->copy->unit.global_B;
    tmap_moves moves;
    tmap_moves_set(&moves, block, size, r->image.masks == 0);
    r->written_B += tmap_block_rows(block) * size;
    reduce_all(r, block, &moves);
}

tmap_status tmap_emulate_reduce(const tmap_copy *copy, const uint8_t *shared, size_t shared_size, tmap_memory *global,
                                tmap_copy_result *result) {
    if (!copy || !shared || !global || !result || !copy->op->reduces) return TMAP_BAD_ARGUMENT;
    const tmap_tile *tile = tmap_moved_tile(copy, global, shared_size);
    tmap_status status = tile ? TMAP_OK : tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    /* the image is only read */
    reduction r = {.copy = copy,
                   .image = tmap_image_at((uint8_t *)(uintptr_t)shared, copy->params.shared, copy->line_masks),
                   .global = global};
    bool floats = copy->params.op == TMAP_OP_REDUCE_ADD && tmap_tile_of(copy)->arithmetic >= TMAP_ARITHMETIC_F16;
    uint64_t before = floats ? tmap_float_begin() : 0;
    if (!tile)
        tmap_each_block(copy, &(tmap_block_choice){.origin_B = global->first_B}, reduce_block, &r);
    else if (tile->some)
        reduce_all(&r, &tile->data, &tile->moves);
    if (floats) tmap_float_end(before);
    tmap_moved_result(copy, tile ? tile->data_B : r.written_B, 0, result);
    return TMAP_OK;
}

tmap_status tmap_emulate(const tmap_copy *copy, uint8_t *shared, size_t shared_size, tmap_memory *global,
                         tmap_copy_result *result) {
    if (!copy) return TMAP_BAD_ARGUMENT;
    if (copy->op->to_shared) return tmap_emulate_load(copy, global, shared, shared_size, result);
    if (copy->op->reduces) return tmap_emulate_reduce(copy, shared, shared_size, global, result);
    if (copy->op->to_global) return tmap_emulate_store(copy, shared, shared_size, global, result);
    tmap_status status = !global || !result ? TMAP_BAD_ARGUMENT : tmap_copy_reaches(copy, global, shared_size);
    if (status == TMAP_OK) *result = (tmap_copy_result){.tx_B = 0};
    return status;
}
