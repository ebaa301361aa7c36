/* Global memory for executors, from any source of bytes. */
#pragma once

#include "tmap/emu.h"
#include "walk/blocks.h"

/* The longest row: 256 pixels of a 32-byte slice. */
#define TMAP_ROW_B_MAX 8192

/* Rows that go through a buffer. Functions may write this many bytes after the rows that they produce; kernels of rows
 * with fill may also read as many before and after the rows. */
#define TMAP_SLACK_B 128
typedef struct tmap_buffer {
    /* vectors in it are in one line of the cache */
    _Alignas(64) uint8_t bytes[TMAP_SLACK_B + 2 * TMAP_ROW_B_MAX + TMAP_SLACK_B];
} tmap_buffer;

/* The number of rows of `size` bytes that the buffer holds, at least one. */
static inline uint32_t tmap_buffer_rows(uint32_t size) {
    return 2 * TMAP_ROW_B_MAX / size;
}

/* Rows of the innermost loop of a block: `rows_n` rows of `size` bytes, the first at `global_B`. */
typedef struct tmap_global_rows {
    uint64_t global_B, index;
    const tmap_loop *loop;
    uint32_t size, rows_n;
} tmap_global_rows;

/* The fill of a memory that tmap_memory_index made for the copy's tensor, if each offset has one element; else NULL. */
const tmap_index_fill *tmap_index_of(const tmap_memory *memory, const tmap_copy *copy);

/* Writes rows of a memory of tmap_memory_random that start at its 64-bit words. Returns false and does nothing for
 * other rows. */
bool tmap_random_rows(const tmap_memory *memory, const tmap_global_rows *rows, uint8_t *to);

/* Reads the rows into consecutive memory. `fill` may be NULL. */
void tmap_memory_get(const tmap_memory *memory, const tmap_index_fill *fill, const tmap_global_rows *rows, uint8_t *to);

/* Writes the rows back, in their order. */
void tmap_memory_put(const tmap_memory *memory, const tmap_global_rows *rows, const uint8_t *from);

/* TMAP_BAD_ARGUMENT or TMAP_REFUSED when the copy needs bytes that the image or the memory does not have. */
tmap_status tmap_copy_reaches(const tmap_copy *copy, const tmap_memory *global, size_t shared_size);

/* The tile of a copy that only moves its rows, if the memory contains the tensor and the image the box; else NULL. */
static inline const tmap_tile *tmap_moved_tile(const tmap_copy *copy, const tmap_memory *global, size_t shared_size) {
    const tmap_tile *tile = tmap_tile_of(copy);
    bool moved = tile->moved && global->bytes && global->first_B == 0 && copy->map.derived.span_B <= global->size_B &&
                 shared_size >= copy->footprint_B;
    return moved ? tile : NULL;
}

/* The result of a copy that writes these bytes, some of which are fill. */
static inline void tmap_moved_result(const tmap_copy *copy, uint64_t written_B, uint64_t filled_B,
                                     tmap_copy_result *result) {
    *result = (tmap_copy_result){.tx_B = copy->payload_B,
                                 .footprint_B = copy->footprint_B,
                                 .written_B = written_B,
                                 .filled_B = filled_B,
                                 .untouched_B = copy->footprint_B - written_B,
                                 .ctas = copy->params.cta_mask};
}
