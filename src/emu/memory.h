/* Global memory as executors see it: a row at a time, wherever it comes from. */
#ifndef TMAP_EMU_MEMORY_H
#define TMAP_EMU_MEMORY_H

#include "tmap/emu.h"

/* The longest row: 256 elements of 8 bytes. */
#define TMAP_ROW_B_MAX 2048

/* `size` bytes at `offset`: where they lie, or a copy of them in `buffer` (of TMAP_ROW_B_MAX). */
const uint8_t *tmap_memory_view(const tmap_memory *memory, uint64_t offset, size_t size, uint8_t *buffer);
void tmap_memory_put(const tmap_memory *memory, uint64_t offset, const uint8_t *from, size_t size);

/* TMAP_BAD_ARGUMENT or TMAP_REFUSED when the copy needs bytes that the image or the memory does not have. */
tmap_status tmap_copy_reaches(const tmap_copy *copy, const tmap_memory *global, size_t shared_size);

#endif
