/*
 * emu: executors of the traversal: what a load writes to shared memory, and a store or a reduction to global memory,
 * byte for byte.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_EMU_H
#define TMAP_EMU_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Global memory that begins `first_B` bytes after the tensor's address, modulo 2^64. Either `bytes`, or functions that
 * make bytes as they are read and take them as they are written; offsets given to them count from the beginning of the
 * memory and stay below size_B. Where size_B is UINT64_MAX the memory has every address, and a row that begins at one
 * of the last offsets goes on at offset 0.
 */
typedef struct tmap_memory {
    uint64_t size_B;
    uint8_t *bytes; /* NULL: use the functions. Loads only read it */
    void (*read)(void *context, uint64_t offset_B, void *to, size_t size);
    void (*write)(void *context, uint64_t offset_B, const void *from, size_t size);
    void *context;
    uint64_t first_B;
} tmap_memory;

typedef struct tmap_copy_result {
    uint64_t tx_B;        /* transaction bytes: what complete_tx counts (loads); payload of the others */
    uint64_t footprint_B; /* rows x pitch of the box in shared memory */
    uint64_t written_B;   /* bytes written at the destination, fill included */
    uint64_t filled_B;    /* of these, bytes from the out-of-bounds fill */
    uint64_t untouched_B; /* footprint_B - written_B: gaps, and for stores what was clipped */
    uint64_t ctas; /* multicast: the thread blocks, a bit each, of which every one has this image at the copy's shared
                      address and tx_B at its own barrier; 0: the one that the copy is of */
    uint64_t reserved[2]; /* 0 */
} tmap_copy_result;

/*
 * Loads and gather4: writes the box to `shared`, the bytes of shared memory from the copy's shared address on, at least
 * copy->footprint_B of them, and touches nothing behind: the pitch of swizzled rows is the span of the swizzle, and a
 * swizzle moves bytes within their span. TMAP_REFUSED, and nothing written, when `global` does not have the bytes that
 * are read; TMAP_BAD_ARGUMENT when `shared` is too small or the copy is no load.
 */
TMAP_API tmap_status tmap_emulate_load(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared,
                                       size_t shared_size, tmap_copy_result *result) TMAP_MUST_USE;

/* Stores and scatter4: reads `shared` as above and writes the part of the box that is inside the tensor. */
TMAP_API tmap_status tmap_emulate_store(const tmap_copy *copy, const uint8_t *shared, size_t shared_size,
                                        tmap_memory *global, tmap_copy_result *result) TMAP_MUST_USE;

/*
 * Reductions: combines the part of the box that is inside the tensor with what lies in `global`, which is read and
 * written, element by element in box order. tmap_copy_facts says what the arithmetic rests on.
 */
TMAP_API tmap_status tmap_emulate_reduce(const tmap_copy *copy, const uint8_t *shared, size_t shared_size,
                                         tmap_memory *global, tmap_copy_result *result) TMAP_MUST_USE;

/* L2 holds memory in sectors of this many bytes: what it fetches and evicts. */
#define TMAP_SECTOR_B 32

/* What a copy of any kind touches of global memory, as L2 sees it. */
typedef struct tmap_footprint {
    uint64_t sectors_n;   /* different sectors that have a byte of an element inside the tensor */
    uint64_t sectors_B;   /* their bytes */
    uint64_t bytes_B;     /* bytes of the elements inside the tensor, each once */
    uint64_t data_B;      /* bytes of the elements inside the tensor, each as often as the copy names it */
    uint64_t reserved[2]; /* 0 */
} tmap_footprint;

/*
 * The footprint of a copy, which is all that a prefetch does. Sectors are those of the map's address, or of one at a
 * multiple of 32 where the map has none. TMAP_NO_MEMORY (NULL: the C library's allocator); nothing is allocated where
 * the rows of the box have rising addresses.
 */
TMAP_API tmap_status tmap_copy_footprint(const tmap_copy *copy, const tmap_allocator *allocator,
                                         tmap_footprint *footprint) TMAP_MUST_USE;

/* Whichever of these the copy is; a prefetch changes nothing, and `shared` may be NULL for it. */
TMAP_API tmap_status tmap_emulate(const tmap_copy *copy, uint8_t *shared, size_t shared_size, tmap_memory *global,
                                  tmap_copy_result *result) TMAP_MUST_USE;

/* What a reduction makes of one element: the bits of `old` and `operand`, and of the result, in the low bits. */
TMAP_API uint64_t tmap_reduce_value(const tmap_reduction_info *reduction, uint64_t old, uint64_t operand)
    TMAP_NONNULL(1);

/* Rounds f32 bits as a load of a tf32 map does: to nearest even on 10 mantissa bits, any NaN to 0x7fffe000. */
TMAP_API uint32_t tmap_tf32_round(uint32_t bits);

/* Memory whose bytes are made as they are read; `context` must outlive it. */

/*
 * Element i of the tensor, counted in dims order (innermost fastest; of an interleaved tensor all elements of a slice,
 * then the next pixel), holds the low bits of base + i; bytes between rows are 0. The base is 0 until it is changed.
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
