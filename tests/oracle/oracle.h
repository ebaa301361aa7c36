/*
 * oracle: the slow reference. It executes a tensor copy element by element and byte by byte. It is written only from
 * the texts (PTX ISA 5.5 and the notes on published measurements), in the order of the texts. It shares no code with
 * the library and accepts plain numbers, so a mistake goes unnoticed only if it is made twice.
 *
 * Everything is innermost first. The element of an interleaved map is one channel slice.
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
    ORACLE_PADDED, /* the same, but 16 values occupy 16 bytes of shared memory */
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

typedef enum oracle_mode { ORACLE_TILED, ORACLE_IM2COL, ORACLE_IM2COL_W, ORACLE_IM2COL_W128 } oracle_mode;

typedef struct oracle_map {
    oracle_mode mode;
    oracle_kind kind;
    oracle_number number; /* the number format of a value in reductions */
    uint32_t bits;        /* bits of one value */
    int rank;
    uint64_t size[ORACLE_RANK_MAX];   /* of the tensor, in elements */
    uint64_t stride[ORACLE_RANK_MAX]; /* of the tensor, in bytes; [0] is not used, dimension 0 is packed */
    uint64_t box[ORACLE_RANK_MAX];    /* in elements */
    uint64_t step[ORACLE_RANK_MAX];   /* traversal stride; [0] is used only with interleave */
    uint64_t slice_B;                 /* interleave: 16 or 32; 0 without */
    int64_t lower[3], upper[3];       /* im2col: corners, w first; the wide modes have only [0] */
    uint64_t channels, pixels;        /* im2col */
    oracle_swizzle swizzle;
    bool nan_fill;
} oracle_map;

typedef enum oracle_op {
    ORACLE_LOAD,
    ORACLE_STORE,
    ORACLE_REDUCE,
    ORACLE_PREFETCH, /* no visible effect */
    ORACLE_GATHER4,
    ORACLE_SCATTER4,
    ORACLE_PREFETCH_GATHER4,
} oracle_op;

typedef struct oracle_copy {
    oracle_op op;
    oracle_reduction reduction;     /* for ORACLE_REDUCE */
    int64_t start[ORACLE_RANK_MAX]; /* for four rows [0] is the column */
    int64_t rows[4];                /* gather4, scatter4 and prefetch_gather4 */
    int64_t offsets[3];             /* im2col loads, w first */
    uint64_t w_halo, w_offset;      /* loads of the wide modes */
    uint64_t shared;                /* address of the box in shared memory, a multiple of 128 */
    bool whole_units;               /* stores write all of the last 16 bytes of a row: triton-lang/triton issue 11583 */
    bool batch_by_one;              /* only D, H and W have traversal strides: a possible reading of PTX ISA 5.5.4.2 */
    bool halos_grouped;             /* halos of im2col::w::128 as in the model of roundandr/Allegro */
    bool narrow_sixes;              /* a target with the wider rules for stores of b6p2x16: PTX ISA 9.4, sm_103a */
    bool backwards;                 /* process the elements from last to first: shows where the order matters */
} oracle_copy;

/* Memory byte by byte: returns a pointer to the byte of an address, or NULL if the memory does not have the address. */
typedef struct oracle_memory {
    uint8_t *(*byte)(void *context, uint64_t address);
    void *context;
} oracle_memory;

/* `size` bytes with the addresses from `first` on, modulo 2^64. */
typedef struct oracle_window {
    uint8_t *bytes;
    uint64_t first, size;
} oracle_window;

/* Returns the window as memory; the window must outlive the memory. */
oracle_memory oracle_window_memory(oracle_window *window);

typedef struct oracle_result {
    uint64_t payload_B; /* the bytes that the barrier counts */
    uint64_t written_B; /* at the destination */
    uint64_t filled_B;  /* of these, out-of-bounds fill */
    uint64_t stray_B;   /* accesses to addresses that the memories do not have; they are skipped */
} oracle_result;

/* The place of one element of the box. */
typedef struct oracle_element {
    int64_t at[ORACLE_RANK_MAX]; /* tensor coordinates */
    bool inside;
    uint64_t global_B;   /* from the tensor's address, modulo 2^64: an address has 64 bits; only inside */
    uint64_t global_bit; /* from the lowest bit of that byte */
    uint64_t box_bit;    /* from the box's first byte, before the swizzle */
} oracle_element;

/* Whether the operation has a column and four rows. */
static inline bool oracle_four_rows(const oracle_copy *copy) {
    return copy->op == ORACLE_GATHER4 || copy->op == ORACLE_SCATTER4 || copy->op == ORACLE_PREFETCH_GATHER4;
}

/* Whether the copy is a prefetch, which has no visible effect. */
static inline bool oracle_prefetches(const oracle_copy *copy) {
    return copy->op == ORACLE_PREFETCH || copy->op == ORACLE_PREFETCH_GATHER4;
}

/* Elements of the box in each dimension; 1 from the rank on. im2col: channels and pixels. */
void oracle_counts(const oracle_map *map, const oracle_copy *copy, uint64_t counts[ORACLE_RANK_MAX]);

/* Bits of one element in global memory: of a value, or of a slice. */
uint64_t oracle_element_bits(const oracle_map *map);

/* Bytes from row to row of the box in shared memory. */
uint64_t oracle_pitch(const oracle_map *map);

/*
 * Bytes of shared memory that the box occupies. A swizzle moves bytes within its span, so packed slices occupy whole
 * spans.
 */
uint64_t oracle_footprint(const oracle_map *map, const oracle_copy *copy);

oracle_element oracle_locate(const oracle_map *map, const oracle_copy *copy, const uint64_t index[ORACLE_RANK_MAX]);

/* All elements of the box, in the order of oracle_index; NULL without memory. The caller frees them. */
oracle_element *oracle_elements(const oracle_map *map, const oracle_copy *copy, uint64_t *elements_n);

/* The shared address of byte `offset` of a box at `shared`, a multiple of 128. */
uint64_t oracle_swizzled(oracle_swizzle swizzle, uint64_t shared, uint64_t offset);

/*
 * Returns the number of 32-byte sectors that contain a byte of an element inside the tensor at `address`; SIZE_MAX if
 * memory runs out.
 */
size_t oracle_sectors(const oracle_map *map, const oracle_copy *copy, uint64_t address);

/* The bits of a 32-bit float after a load through a TF32 map. */
uint32_t oracle_tf32(uint32_t bits);

/* The index of element number n of the box; the first dimension changes fastest. */
void oracle_index(const uint64_t counts[ORACLE_RANK_MAX], uint64_t n, uint64_t index[ORACLE_RANK_MAX]);

/*
 * The CUresult with which a GPU stops, or 0. Reasons: a box that is not 128-byte aligned in shared memory, a first
 * coordinate that is not a multiple of 16 bytes or of a padded row, a store that starts before the tensor or that can
 * leave the image, an im2col copy that starts outside its pixel box, a reduction that does not exist for the type.
 */
enum { ORACLE_ILLEGAL_INSTRUCTION = 715, ORACLE_MISALIGNED_ADDRESS = 716 };
int oracle_error(const oracle_map *map, const oracle_copy *copy);

/* Executes the copy. Addresses of `global` are offsets from the tensor's address. */
oracle_result oracle_run(const oracle_map *map, const oracle_copy *copy, oracle_memory global, oracle_memory shared);

#endif
