/*
 * The one kernel of all executors: it moves bytes between rows and their swizzled place in shared memory. Within a
 * 128-byte line, byte i is at i ^ mask. Pieces below the lowest bit of the mask stay whole. Applying the mask twice
 * gives the place back, so reading and writing differ only in direction.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tmap/hw.h"
#include "walk/blocks.h"

/* A function that is not inlined: its caller saves fewer registers on paths without the call. */
#define TMAP_APART __attribute__((noinline))

/* Inlines a function, so that each constant size of a row has its own code. Builds with sanitizers or without
 * optimization do not inline: gcc would compile such a file for a minute. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define TMAP_ALWAYS_INLINE static inline
#else
#define TMAP_ALWAYS_INLINE __attribute__((always_inline)) static inline
#endif

#define TMAP_MASKS      8                  /* number of consecutive lines before the masks repeat */
#define TMAP_MASKS_128B 0x7060504030201000 /* of the 128-byte swizzle, from a line with mask 0 on */
/* An expression for each of these lines. With constant indices, entries of arrays can stay in registers. */
#define TMAP_EACH_MASK(line) line(0), line(1), line(2), line(3), line(4), line(5), line(6), line(7)

/* `bytes` is shared memory from the start of a 128-byte line. The bytes of `masks`, the lowest first, are the masks of
 * the first TMAP_MASKS lines; then the masks repeat. 0: no swizzle. */
typedef struct tmap_image {
    uint8_t *bytes;
    uint64_t masks;
} tmap_image;

/* The masks from line `line` on; `masks` starts with line 0. */
static inline uint64_t tmap_turned(uint64_t masks, uint64_t line) {
    uint64_t turn = line % TMAP_MASKS * 8;
    return masks >> turn | masks << (-turn & 63);
}

/* The image at a shared address. Mask i of `line_masks` is that of the lines i, i + TMAP_MASKS, ... from address 0. */
static inline tmap_image tmap_image_at(uint8_t *bytes, uint64_t shared, const uint8_t line_masks[TMAP_MASKS]) {
    uint64_t masks;
    memcpy(&masks, line_masks, sizeof masks);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    masks = __builtin_bswap64(masks);
#endif
    return (tmap_image){bytes, tmap_turned(masks, shared / TMAP_LINE_B)};
}

/* The masks from the line with byte `at` of the image on. */
static inline uint64_t tmap_masks_from(const tmap_image *image, uint32_t at) {
    return tmap_turned(image->masks, at / TMAP_LINE_B);
}

/* The masks from the next line on. */
static inline uint64_t tmap_next_mask(uint64_t masks) {
    return masks >> 8 | masks << 56;
}

/* The mask of a line. */
static inline uint32_t tmap_mask_in(uint64_t masks, uint64_t line) {
    return (uint8_t)(masks >> line % TMAP_MASKS * 8);
}

/* Writes rows into the image. The function only reads the rows. */
void tmap_image_put(const tmap_image *image, const tmap_rows *rows);
/* Reads rows out of the image. */
void tmap_image_get(const tmap_image *image, const tmap_rows *rows);
/*
 * Sets every byte of rows_n rows of `size` bytes, the first at offset `at`, to `pattern`, little-endian and repeated
 * from the first byte of a row. All 16-bit parts of the pattern are equal, so a swizzle does not change it and rows may
 * start on any element.
 */
void tmap_image_fill(const tmap_image *image, uint32_t at, uint32_t at_step, uint32_t size, uint32_t rows_n,
                     uint16_t pattern);

/* The same of consecutive rows with equal bytes, as most are: whole lines are filled directly, because the swizzle only
 * moves equal bytes within such a line. */
static inline void tmap_image_fill_next(const tmap_image *image, uint32_t at, uint32_t at_step, uint32_t size,
                                        uint32_t rows_n, uint16_t pattern) {
    uint32_t all = size * rows_n;
    if (at_step == size && pattern == 0 && (image->masks == 0 || (at | all) % TMAP_LINE_B == 0))
        memset(image->bytes + at, 0, all);
    else
        tmap_image_fill(image, at, at_step, size, rows_n, pattern);
}

/* Moves rows one way, into an image or out of it. */
typedef void tmap_row_kernel(const tmap_image *image, const tmap_rows *rows);

/* Rows of `size` bytes of data, with fill before and after them. The pattern, little-endian, repeats from the first
 * byte of the row, fill included. */
typedef struct tmap_edges {
    uint32_t size;
    uint16_t pattern;
} tmap_edges;

/* Puts the rows of a block, whose places in memory are relative to `bytes`, and the fill around each (before_B, after_B
 * of the block), in one pass. */
typedef void tmap_put_edges(const tmap_image *image, uint8_t *bytes, const tmap_block *block, tmap_edges edges);

typedef struct tmap_edge_kernel {
    tmap_put_edges *put;
    bool exact; /* reads no byte outside the data */
} tmap_edge_kernel;

/* Puts the rows of a memory of bytes_n bytes by a function of tmap_image_edges. */
void tmap_image_put_edges(tmap_edge_kernel kernel, const tmap_image *image, uint8_t *bytes, uint64_t bytes_n,
                          const tmap_block *block, tmap_edges edges);

/* Moves the rows of a block, of `size` bytes each, whose places in memory are relative to `bytes`. */
typedef void tmap_block_kernel(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size);

/* Moves the rows of a block (map/tile_rows.h), of `size` bytes each, from memory at `bytes` into the image (the
 * function then only reads the memory), or the other way. */
void tmap_image_move(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size, bool put);

/* Kernels that permute a block at once: of 64, 32, 64 and 16 bytes. The last use the compiler's vectors. */
typedef enum tmap_blocks {
    TMAP_BLOCKS_AVX512,
    TMAP_BLOCKS_AVX2,
    TMAP_BLOCKS_NEON,
    TMAP_BLOCKS_UNITS,
    TMAP_BLOCKS_COUNT
} tmap_blocks;

/*
 * The functions for blocks of one size, by direction: out of the image, into the image.
 *  swizzled   for rows that consist of whole blocks
 *  edged_put  for rows with fill of 16, 32, 64 or 128 bytes, whole blocks that start at multiples of their size
 *  loops      for blocks of any loops or of named rows; rows consist of whole blocks, each inside one line
 *  by_units   rows with fill are moved in fewer instructions by the smallest blocks
 *  narrower   the kernels for blocks of half the size; NULL for the smallest blocks
 * The rest is NULL except for the widest blocks of an instruction set.
 *  plain      for images without a swizzle, rows of any size at any place
 *  part       for rows that are each inside one block, blocks apart; NULL: units move them
 *  line_part  for rows that are each inside one line and in two of its blocks, lines apart; NULL: others move them
 *  plain_edges  for rows of at least a block, fill included, without a swizzle; reads no byte outside the data
 *  edges      for other rows with fill: without a swizzle, or whole blocks; NULL: there is no such function
 */
typedef struct tmap_row_kernels {
    uint32_t block_B;
    bool exact; /* edged_put reads no byte outside the data */
    bool by_units;
    const struct tmap_row_kernels *narrower;
    tmap_block_kernel *loops[2];
    tmap_row_kernel *plain[2], *swizzled[2], *part[2], *line_part[2];
    tmap_put_edges *edged_put, *plain_edges, *edges;
    void (*fill)(uint8_t *to, size_t size, uint16_t pattern);
} tmap_row_kernels;

/* 64 bytes each. A block that begins i bytes before the second part has i bytes of 0, then 0xff. */
#define TMAP_FF_4  0xff, 0xff, 0xff, 0xff
#define TMAP_FF_16 TMAP_FF_4, TMAP_FF_4, TMAP_FF_4, TMAP_FF_4
static const uint8_t tmap_zeros_ff_zeros[3 * 64] = {[64] = TMAP_FF_16, TMAP_FF_16, TMAP_FF_16, TMAP_FF_16};

extern const tmap_row_kernels tmap_halves_kernels, tmap_units_kernels; /* portable */
#if defined(__x86_64__)
extern const tmap_row_kernels tmap_avx512_kernels, tmap_avx2_kernels;

/* AVX-512 with instructions for bytes. */
#define TMAP_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

static inline bool tmap_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#elif defined(__aarch64__)
extern const tmap_row_kernels tmap_neon_kernels;
#endif

/* NULL on a machine without the instructions. */
static inline const tmap_row_kernels *tmap_kernels_get(tmap_blocks blocks) {
#if defined(__x86_64__)
    if (blocks == TMAP_BLOCKS_AVX512 && tmap_has_avx512()) return &tmap_avx512_kernels;
    if (blocks == TMAP_BLOCKS_AVX2 && __builtin_cpu_supports("avx2")) return &tmap_avx2_kernels;
#elif defined(__aarch64__)
    if (blocks == TMAP_BLOCKS_NEON) return &tmap_neon_kernels;
#endif
    return blocks == TMAP_BLOCKS_UNITS ? &tmap_halves_kernels : NULL;
}

static inline const tmap_row_kernels *tmap_widest_kernels(void) {
    const tmap_row_kernels *kernels = NULL;
    for (int blocks = 0; !kernels; blocks++) kernels = tmap_kernels_get((tmap_blocks)blocks);
    return kernels;
}

/* The widest of the kernels whose blocks divide `places`, a multiple of a unit. Some masks do not exchange the halves
 * of units. */
static inline const tmap_row_kernels *tmap_kernels_that_divide(const tmap_row_kernels *kernels, uint32_t places,
                                                               uint64_t masks) {
    const uint64_t halves = 0x0808080808080808;
    while ((places & (kernels->block_B - 1)) != 0) kernels = kernels->narrower;
    return kernels == &tmap_halves_kernels && (masks & halves) == 0 ? &tmap_units_kernels : kernels;
}

/* Moves one loop after the other, in passes over columns. */
void tmap_image_move_in_passes(const tmap_image *image, uint8_t *bytes, const tmap_block *block,
                               const tmap_moves *moves, bool put);

/* Moves the rows of a block by one kernel. Returns false and does nothing if the moves require more. */
static inline bool tmap_image_move_at_once(const tmap_image *image, uint8_t *bytes, const tmap_block *block,
                                           const tmap_moves *moves, bool put) {
    const tmap_row_kernels *kernels = tmap_widest_kernels();
    bool plain = moves->way == TMAP_WAY_ROWS && image->masks == 0;
    if (moves->way <= TMAP_WAY_CONTAINERS) return false;
    if (!plain) kernels = tmap_kernels_that_divide(kernels, moves->places, image->masks);
    if (moves->way == TMAP_WAY_LOOPS) {
        kernels->loops[put](image, bytes, block, moves->rows.size);
        return true;
    }
    tmap_rows rows = moves->rows;
    rows.row = bytes + block->global_B;
    (plain ? kernels->plain : kernels->swizzled)[put](image, &rows);
    return true;
}

static inline void tmap_image_move_tile(const tmap_image *image, uint8_t *bytes, const tmap_tile *tile, bool put) {
    if (!tmap_image_move_at_once(image, bytes, &tile->data, &tile->moves, put))
        tmap_image_move_in_passes(image, bytes, &tile->data, &tile->moves, put);
}

/* Declares the kernels that row_loops.h defines under a name. */
#define TMAP_ROW_KERNELS(name, size)                                                                                   \
    .block_B = (size), .swizzled = {name##_swizzled_get, name##_swizzled_put}, .edged_put = name##_edged_put,          \
    .loops = {name##_loops_get, name##_loops_put}
#define TMAP_WIDEST_KERNELS(name, size)                                                                                \
    TMAP_ROW_KERNELS(name, size), .plain = {name##_plain_get, name##_plain_put}, .plain_edges = name##_plain_edges,    \
                                  .fill = name##_fill

/* Whether the rows of all loops are equally far apart in the image. */
static inline bool tmap_rows_follow(const tmap_block *block) {
    bool follow = true;
    for (int i = 1; i < block->loops_n; i++)
        follow &= block->loops[i].at_step == block->loops[i - 1].at_step * block->loops[i - 1].n;
    return follow;
}

/* As tmap_image_edges, by the widest kernels of an instruction set. */
static inline tmap_edge_kernel tmap_edges_by(const tmap_row_kernels *kernels, const tmap_image *image, uint32_t width,
                                             uint32_t at_step) {
    bool slots = width % TMAP_UNIT_B == 0 && (width & (width - 1)) == 0 && width <= TMAP_LINE_B,
         plain = image->masks == 0;
    if (slots && (at_step & (width - 1)) == 0) {
        kernels = tmap_kernels_that_divide(kernels, kernels->by_units ? TMAP_UNIT_B : width, image->masks);
        return (tmap_edge_kernel){kernels->edged_put, kernels->exact};
    }
    if (plain && width >= kernels->block_B * (kernels->edges ? 8 : 1))
        return (tmap_edge_kernel){kernels->plain_edges, true};
    return (tmap_edge_kernel){plain || (width | at_step) % 64 == 0 ? kernels->edges : NULL, true};
}

/* The function for rows of `width` bytes, fill included, whose first bytes are at multiples of `at_step`. `put` is NULL
 * if the machine has none. */
static inline tmap_edge_kernel tmap_image_edges(const tmap_image *image, uint32_t width, uint32_t at_step) {
    return tmap_edges_by(tmap_widest_kernels(), image, width, at_step);
}
