/* Global memory as executors see it, wherever its bytes come from. */
#ifndef TMAP_EMU_MEMORY_H
#define TMAP_EMU_MEMORY_H

#include "tmap/emu.h"

/* The longest row: 256 pixels of a 32-byte slice. */
#define TMAP_ROW_B_MAX 8192

/* Where the byte `offset` after the tensor's address is, of memory that has bytes. */
static inline uint8_t *tmap_memory_at(const tmap_memory *memory, uint64_t offset) {
    return memory->bytes + (offset - memory->first_B);
}

/* `size` bytes at `offset` into `to`. */
void tmap_memory_get(const tmap_memory *memory, uint64_t offset, uint8_t *to, size_t size);

/* `size` bytes of `from` to `offset`. */
void tmap_memory_put(const tmap_memory *memory, uint64_t offset, const uint8_t *from, size_t size);

/* TMAP_BAD_ARGUMENT or TMAP_REFUSED when the copy needs bytes that the image or the memory does not have. */
tmap_status tmap_copy_reaches(const tmap_copy *copy, const tmap_memory *global, size_t shared_size);

#endif
