/*
 * oracle: the slow reference. What a tiled tensor copy does, element by element and byte by byte, written from the
 * texts alone (PTX ISA 5.5 and the notes on published measurements), in their order. It shares no code with the library
 * and takes plain numbers, so that a mistake would have to be made twice to go unseen.
 *
 * Everything is innermost first. Maps without interleave only; padded types (16 values in 16 bytes) are only loaded.
 */
#ifndef TMAP_TESTS_ORACLE_H
#define TMAP_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/numbers.h"

enum { ORACLE_RANK_MAX = 5 };

typedef enum oracle_kind {
    ORACLE_INTEGER,
    ORACLE_FLOAT,
    ORACLE_TF32,   /* 32-bit floats that a load rounds */
    ORACLE_PACKED, /* values of less than a byte, contiguous in both memories */
    ORACLE_PADDED, /* the same, but 16 values take 16 bytes of shared memory */
} oracle_kind;

typedef enum oracle_swizzle {
    ORACLE_NO_SWIZZLE,
    ORACLE_32B,
    ORACLE_64B,
    ORACLE_96B,
    ORACLE_128B,
    ORACLE_128B_ATOM_32B,
    ORACLE_128B_ATOM_32B_FLIP_8B,
    ORACLE_128B_ATOM_64B,
} oracle_swizzle;

typedef struct oracle_map {
    oracle_kind kind;
    oracle_number number; /* what reductions take a value for */
    uint32_t bits;        /* of one value */
    int rank;
    uint64_t size[ORACLE_RANK_MAX];   /* of the tensor, in elements */
    uint64_t stride[ORACLE_RANK_MAX]; /* of the tensor, in bytes; [0] is not used, dimension 0 is packed */
    uint64_t box[ORACLE_RANK_MAX];    /* in elements */
    uint64_t step[ORACLE_RANK_MAX];   /* traversal stride; [0] is not used */
    oracle_swizzle swizzle;
    bool nan_fill;
} oracle_map;

typedef enum oracle_op {
    ORACLE_LOAD,
    ORACLE_STORE,
    ORACLE_REDUCE,
    ORACLE_PREFETCH, /* nothing that can be seen */
    ORACLE_GATHER4,
    ORACLE_SCATTER4,
} oracle_op;

typedef struct oracle_copy {
    oracle_op op;
    oracle_reduction reduction;     /* of ORACLE_REDUCE */
    int64_t start[ORACLE_RANK_MAX]; /* gather4 and scatter4: [0] is the column */
    int64_t rows[4];                /* gather4 and scatter4 */
    uint64_t shared;                /* address of the box in shared memory, a multiple of 128 */
    bool backwards;                 /* take the elements from last to first: shows where their order matters */
} oracle_copy;

/* Memory, byte by byte: where the byte of an address lies, or NULL for an address that it does not have. */
typedef struct oracle_memory {
    uint8_t *(*byte)(void *context, uint64_t address);
    void *context;
} oracle_memory;

/* `size` bytes that stand for the addresses from `first` on. */
typedef struct oracle_window {
    uint8_t *bytes;
    uint64_t first, size;
} oracle_window;

/* The window as memory; it must outlive it. */
oracle_memory oracle_window_memory(oracle_window *window);

typedef struct oracle_result {
    uint64_t payload_B; /* what the barrier counts */
    uint64_t written_B; /* at the destination */
    uint64_t filled_B;  /* of these, out-of-bounds fill */
    uint64_t stray_B;   /* accesses that the two memories do not have: they were not made */
} oracle_result;

/* Where one element of the box lies. */
typedef struct oracle_element {
    int64_t at[ORACLE_RANK_MAX]; /* tensor coordinates */
    bool inside;
    uint64_t global_bit; /* from the tensor's address; only inside */
    uint64_t box_bit;    /* from the box's first byte, before the swizzle */
} oracle_element;

/* Elements of the box a dimension; 1 from the rank on. */
void oracle_counts(const oracle_map *map, const oracle_copy *copy, uint64_t counts[ORACLE_RANK_MAX]);

/* Bytes from row to row of the box in shared memory. */
uint64_t oracle_pitch(const oracle_map *map);

oracle_element oracle_locate(const oracle_map *map, const oracle_copy *copy, const uint64_t index[ORACLE_RANK_MAX]);

/* The shared address of byte `offset` of a box at `shared`, a multiple of 128. */
uint64_t oracle_swizzled(oracle_swizzle swizzle, uint64_t shared, uint64_t offset);

/*
 * How many sectors of 32 bytes have a byte of an element inside the tensor, whose address is `address`. SIZE_MAX when
 * there is no memory.
 */
size_t oracle_sectors(const oracle_map *map, const oracle_copy *copy, uint64_t address);

/* The bits of a 32-bit float after a load through a TF32 map. */
uint32_t oracle_tf32(uint32_t bits);

/* Number n of the box in the order of its dimensions, the first one fastest. */
void oracle_index(const uint64_t counts[ORACLE_RANK_MAX], uint64_t n, uint64_t index[ORACLE_RANK_MAX]);

/* Carries the copy out. Addresses of `global` are offsets from the tensor's. */
oracle_result oracle_run(const oracle_map *map, const oracle_copy *copy, oracle_memory global, oracle_memory shared);

#endif
