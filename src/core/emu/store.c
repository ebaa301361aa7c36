/* Stores: copies blocks of data back. The part outside the tensor is dropped. */
#include "emu/containers.h"
#include "emu/global_memory.h"
#include "emu/masked_bulk.h"

typedef struct store {
    const tmap_copy *copy;
    tmap_image image;
    bool direct; /* neither through a function nor from containers */
    tmap_memory *global;
    uint64_t written_B;
} store;

/* Goes through a buffer: for memory that a function writes, or from containers. */
static void store_through(const store *s, const tmap_block *block, uint32_t size) {
    const tmap_unit *unit = &s->copy->unit;
    const tmap_loop *loop = &block->loops[0];
    bool packed = unit->shared_value_bits != unit->value_bits;
    uint32_t row_B = block->units_n * unit->shared_B, rows_n = tmap_buffer_rows(row_B);
    tmap_place_of_rows place = tmap_first_place(block);
    tmap_buffer buffer;
    do {
        for (uint32_t done = 0, n; done < loop->n; done += n) {
            n = loop->n - done < rows_n ? loop->n - done : rows_n;
            tmap_image_get(&s->image, &(tmap_rows){.row = buffer.bytes,
                                                   .row_step = row_B,
                                                   .at = place.at + done * loop->at_step,
                                                   .at_step = loop->at_step,
                                                   .size = row_B,
                                                   .rows_n = n});
            if (packed) tmap_pack_sixes(buffer.bytes, buffer.bytes, row_B * n);
            tmap_memory_put(
                s->global,
                &(tmap_global_rows){
                    .global_B = place.global_B + done * loop->global_step, .loop = loop, .size = size, .rows_n = n},
                buffer.bytes);
        }
    } while (tmap_next_place(block, &place));
}

static void store_block(void *context, const tmap_block *block) {
    store *s = context;
    const tmap_unit *unit = &s->copy->unit;
    uint32_t size = block->units_n * unit->global_B;
    s->written_B += tmap_block_rows(block) * size;
    if (s->direct && (block->named_rows || !tmap_rows_overlap(block, size)))
        tmap_image_move(&s->image, s->global->bytes, block, size, false);
    else
        store_through(s, block, size);
}

/* Every copy except a tile whose rows are moved unchanged. */
TMAP_APART static tmap_status store_any(const tmap_copy *copy, const tmap_image *image, size_t shared_size,
                                        tmap_memory *global, tmap_copy_result *result) {
    if (shared_size >= copy->footprint_B && tmap_copies_some(copy))
        return tmap_store_some(copy, image->bytes, global, result);
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    store s;
    s.copy = copy, s.global = global, s.written_B = 0;
    s.direct = global->bytes && copy->unit.shared_value_bits == copy->unit.value_bits;
    s.image = *image;
    tmap_each_block(copy, &(tmap_block_choice){.origin_B = global->first_B, .named = s.direct}, store_block, &s);
    tmap_moved_result(copy, s.written_B, 0, result);
    return TMAP_OK;
}

tmap_status tmap_emulate_store(const tmap_copy *copy, const uint8_t *shared, size_t shared_size, tmap_memory *global,
                               tmap_copy_result *result) {
    if (!copy || !shared || !global || !result) return TMAP_BAD_ARGUMENT;
    if (!copy->op->to_global || copy->op->reduces) return TMAP_BAD_ARGUMENT;
    const tmap_tile *tile = tmap_moved_tile(copy, global, shared_size);
    /* the image is only read */
    const tmap_image image = tmap_image_at((uint8_t *)(uintptr_t)shared, copy->params.shared, copy->line_masks);
    if (!tile) return store_any(copy, &image, shared_size, global, result);
    if (tile->some) tmap_image_move_tile(&image, global->bytes, tile, false);
    tmap_moved_result(copy, tile->data_B, 0, result);
    return TMAP_OK;
}
