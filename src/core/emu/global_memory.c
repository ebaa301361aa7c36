/* Views of global memory. */
#include "emu/global_memory.h"

#include "emu/permute.h"
#include "emu/synthetic_memory.h"
#include "walk/extent.h"

static void get_index(const tmap_index_fill *fill, const tmap_global_rows *rows, uint8_t *to) {
    unsigned bits = (unsigned)tmap_type_get((int)fill->params.type)->bits;
    tmap_index_write(
        to, fill->base + rows->index,
        &(tmap_index_rows){.step = rows->loop->index_step, .bits = bits, .size = rows->size, .rows_n = rows->rows_n});
}

void tmap_memory_get(const tmap_memory *memory, const tmap_index_fill *fill, const tmap_global_rows *rows,
                     uint8_t *to) {
    if (fill) {
        get_index(fill, rows, to);
        return;
    }
    if (tmap_random_rows(memory, rows, to)) return;
    for (uint32_t i = 0; i < rows->rows_n; i++, to += rows->size)
        memory->read(memory->context, rows->global_B + i * rows->loop->global_step, to, rows->size);
}

static void put_bytes(uint8_t *bytes, const tmap_global_rows *rows, const uint8_t *from) {
    const tmap_image image = {.bytes = (uint8_t *)(uintptr_t)from}; /* only read */
    tmap_image_get(&image, &(tmap_rows){.row = bytes + rows->global_B,
                                        .row_step = (ptrdiff_t)rows->loop->global_step,
                                        .at_step = rows->size,
                                        .size = rows->size,
                                        .rows_n = rows->rows_n});
}

void tmap_memory_put(const tmap_memory *memory, const tmap_global_rows *rows, const uint8_t *from) {
    if (memory->bytes) {
        put_bytes(memory->bytes, rows, from);
        return;
    }
    for (uint32_t i = 0; i < rows->rows_n; i++, from += rows->size)
        memory->write(memory->context, rows->global_B + i * rows->loop->global_step, from, rows->size);
}

tmap_status tmap_copy_reaches(const tmap_copy *copy, const tmap_memory *global, size_t shared_size) {
    if (shared_size < copy->footprint_B) return TMAP_BAD_ARGUMENT;
    bool past_tensor = copy->op->to_global && copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT];
    bool has_all = global->first_B == 0 && !past_tensor && copy->map.derived.span_B <= global->size_B;
    if (has_all || tmap_copy_extent_from(copy, global->first_B).end_B <= global->size_B) return TMAP_OK;
    return TMAP_REFUSED;
}
