/*
 * Global memory of an emulated copy: a file's bytes, or bytes that are generated on reading, and a log of the writes in
 * their order.
 */
#pragma once

#include "files/data_file.h"
#include "tmap/emu.h"

typedef enum fill_kind { FILL_INDEX, FILL_RANDOM } fill_kind;

typedef struct memory_fill {
    bool given;
    fill_kind kind;
    uint64_t seed;
} memory_fill;

/* Reads "index" or "random:SEED" into a fill: the `take` of an option. */
bool take_fill(void *at, const char *value);

typedef struct memory_write {
    uint64_t offset_B; /* from the tensor's address */
    size_t size_B;
    size_t at; /* in log_bytes */
} memory_write;

typedef struct global_memory {
    tmap_memory before; /* contents before the copy; its functions have offsets from the tensor's address */
    tmap_index_fill index;
    tmap_random_fill random;
    uint8_t *image; /* all of it after the copy if the caller keeps it, else NULL; before.size_B bytes */
    bool owns_image;
    memory_write *log;
    size_t log_n, log_capacity;
    uint8_t *log_bytes;
    size_t log_bytes_n, log_bytes_capacity;
    bool out_of_memory;
} global_memory;

/*
 * Bytes are generated on reading and never stored. The struct must not move afterwards. The memory ends with the
 * tensor; with the last 16-byte unit, if stores of the copy's readings write whole units; or with the allocation, if
 * the tensor wraps at 2^64 or its address is not the allocation's.
 */
void memory_begin_fill(global_memory *memory, const tmap_copy *copy, const memory_fill *fill);
/* A file's bytes, not copied. Stores change them, except those of an array in Fortran order, which is read on
 * demand. */
void memory_begin_file(global_memory *memory, data_blob *file);
void memory_end(global_memory *memory);

#define IMAGE_SIZE_MAX ((uint64_t)1 << 30)
/* Stores all of a filled memory, so that it can be written to a file. Returns false when the allocation fails. */
bool memory_keep_image(global_memory *memory);

/* The memory for the emulator. */
tmap_memory memory_for_copy(global_memory *memory);

/* Reads the present bytes, from the tensor's address on. The caller must stay inside the memory. */
void memory_read(const global_memory *memory, uint64_t offset_B, void *to, size_t size);
