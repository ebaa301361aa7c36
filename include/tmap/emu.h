/*
 * emu: executes copies on the CPU, byte for byte: loads write shared memory, stores and reductions write global memory.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_EMU_H
#define TMAP_EMU_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Global memory that begins `first_B` bytes after the tensor's address, modulo 2^64. The memory is either the array
 * `bytes`, or two functions: `read` computes bytes on demand, `write` accepts bytes. Offsets passed to the functions
 * count from the beginning of the memory and are less than size_B. If size_B is UINT64_MAX the memory has every
 * address, and a row that begins at one of the last offsets continues at offset 0.
 */
typedef struct tmap_memory {
    uint64_t size_B;
    uint8_t *bytes; /* NULL: loads call `read`, stores `write`, reductions both. Loads only read the array */
    void (*read)(void *context, uint64_t offset_B, void *to, size_t size);
    void (*write)(void *context, uint64_t offset_B, const void *from, size_t size);
    void *context;
    uint64_t first_B;
} tmap_memory;

/* Counts of an executed copy. */
typedef struct tmap_copy_result {
    uint64_t tx_B;        /* loads: transaction bytes (complete_tx); other copies: payload */
    uint64_t footprint_B; /* rows x pitch of the box in shared memory */
    uint64_t written_B;   /* bytes written at the destination, fill included */
    uint64_t filled_B;    /* bytes of written_B that are out-of-bounds fill */
    uint64_t untouched_B; /* footprint_B - written_B: gaps, and for stores the clipped part of the box */
    uint64_t ctas; /* multicast: the thread blocks, one bit each; every block receives this image at the copy's shared
                      address, and tx_B at its own barrier; 0: only the block that issues the copy */
    uint64_t reserved[2]; /* 0 */
} tmap_copy_result;

/*
 * Executes a load or gather4: writes the box to `shared`. `shared` is the shared memory from the copy's shared address
 * on, at least copy->footprint_B bytes; bytes after the footprint are not written, because swizzled rows have the
 * swizzle's span as pitch and a swizzle moves bytes only within their span. Returns TMAP_REFUSED, and writes nothing,
 * if `global` does not contain all bytes that the copy reads; TMAP_BAD_ARGUMENT if `shared` is too small or the copy is
 * not a load.
 */
TMAP_API tmap_status tmap_emulate_load(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared,
                                       size_t shared_size, tmap_copy_result *result) TMAP_MUST_USE;

/*
 * Executes a store or scatter4: reads `shared`, as in tmap_emulate_load, and writes the part of the box that is inside
 * the tensor. Returns as tmap_emulate_load does.
 */
TMAP_API tmap_status tmap_emulate_store(const tmap_copy *copy, const uint8_t *shared, size_t shared_size,
                                        tmap_memory *global, tmap_copy_result *result) TMAP_MUST_USE;

/*
 * Executes a reduction: combines the part of the box that is inside the tensor with the elements in `global`, which are
 * read and written element by element in box order. tmap_copy_facts lists the facts on which the arithmetic is based.
 * Returns as tmap_emulate_load does.
 */
TMAP_API tmap_status tmap_emulate_reduce(const tmap_copy *copy, const uint8_t *shared, size_t shared_size,
                                         tmap_memory *global, tmap_copy_result *result) TMAP_MUST_USE;

/* The global memory that a copy of any kind accesses, with the bytes that a byte mask or .ignore_oob skips. A copy to
 * the shared memory of another CTA has no sectors. */
typedef struct tmap_footprint {
    uint64_t sectors_n;   /* distinct sectors that contain a byte of an element inside the tensor */
    uint64_t sectors_B;   /* bytes of these sectors */
    uint64_t bytes_B;     /* bytes of the elements inside the tensor, each byte counted once */
    uint64_t data_B;      /* bytes of the elements inside the tensor, counted as often as the copy accesses each */
    uint64_t reserved[2]; /* 0 */
} tmap_footprint;

/*
 * Computes the footprint of a copy in global memory; a prefetch has no other effect. Sectors are aligned for the map's
 * address, or for an address that is a multiple of 32 if the map has none. Returns TMAP_NO_MEMORY if `allocator` (NULL:
 * the C library's allocator) has no memory; nothing is allocated if the rows of the box have rising addresses.
 */
TMAP_API tmap_status tmap_copy_footprint(const tmap_copy *copy, const tmap_allocator *allocator,
                                         tmap_footprint *footprint) TMAP_MUST_USE;

/*
 * Executes a copy of any operation: calls the function above for that operation. A prefetch changes nothing, and
 * `shared` may be NULL for a prefetch.
 */
TMAP_API tmap_status tmap_emulate(const tmap_copy *copy, uint8_t *shared, size_t shared_size, tmap_memory *global,
                                  tmap_copy_result *result) TMAP_MUST_USE;

/*
 * Returns the result of a reduction for one element. `old`, `operand` and the result are the element's bits, in the low
 * bits.
 */
TMAP_API uint64_t tmap_reduce_value(const tmap_reduction_info *reduction, uint64_t old, uint64_t operand)
    TMAP_NONNULL(1);

/*
 * Rounds the bits of an f32 value as a load of a tf32 map does: to nearest even with 10 mantissa bits; any NaN becomes
 * 0x7fffe000.
 */
TMAP_API uint32_t tmap_tf32_round(uint32_t bits);

/* Memory whose bytes are computed on demand. The fill, which is the memory's `context`, must outlive the memory. */

/*
 * Element i of the tensor contains the low bits of base + i; bytes between rows are 0. Elements are numbered in the
 * order of dims, innermost fastest; in an interleaved tensor first all elements of a slice, then the next pixel. The
 * base is 0 unless the caller sets it.
 */
typedef struct tmap_index_fill {
    tmap_map_params params;
    uint64_t base;
} tmap_index_fill;
TMAP_API tmap_memory tmap_memory_index(tmap_index_fill *fill, const tmap_map *map) TMAP_NONNULL(1, 2);

/* The 64-bit little-endian word k (bytes 8k..8k+7) is splitmix64(seed + k). */
typedef struct tmap_random_fill {
    uint64_t seed;
} tmap_random_fill;
TMAP_API tmap_memory tmap_memory_random(tmap_random_fill *fill, uint64_t seed, uint64_t size_B) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
