/* Block kernels for aarch64: NEON moves 64 bytes in pieces of 1, by a table lookup in four registers. */
#include "emu/permute.h"

#if defined(__aarch64__)
#include <arm_neon.h>

typedef uint8x16x4_t block64;

static inline block64 read_block(const uint8_t *from) {
    return vld1q_u8_x4(from);
}

static inline void write_block(uint8_t *to, block64 data) {
    for (int u = 0; u < 4; u++) vst1q_u8(to + 16 * u, data.val[u]);
}

/* An order is the mask in each byte: byte i of the result is byte i ^ mask of the block. */
static inline block64 permute(block64 data, uint8x16_t order) {
    const uint8x16_t bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8x16_t first = veorq_u8(bytes, order);
    return (block64){{vqtbl4q_u8(data, first), vqtbl4q_u8(data, veorq_u8(first, vdupq_n_u8(16))),
                      vqtbl4q_u8(data, veorq_u8(first, vdupq_n_u8(32))),
                      vqtbl4q_u8(data, veorq_u8(first, vdupq_n_u8(48)))}};
}

/* Exchanges whole units by a constant mask. The compiler only renames registers, so no instruction is needed. */
static inline block64 exchange(block64 data, uint32_t mask) {
    uint32_t u = mask % 64 / 16;
    return (block64){{data.val[u], data.val[1 ^ u], data.val[2 ^ u], data.val[3 ^ u]}};
}

/* Reads a block, with `fill` where the bits of `data` are 0. */
static inline block64 read_data(const uint8_t *from, block64 data, block64 fill) {
    block64 block = read_block(from);
    for (int u = 0; u < 4; u++) block.val[u] = vbslq_u8(data.val[u], block.val[u], fill.val[u]);
    return block;
}

#define TARGET
#define BLOCK_B                     64
#define NAME(x)                     neon_##x
#define BLOCK                       block64
#define ORDER_TYPE                  uint8x16_t
#define READ(from)                  read_block((const uint8_t *)(from))
#define WRITE(to, data)             write_block((uint8_t *)(to), data)
#define ORDER(mask)                 vdupq_n_u8((uint8_t)((mask) % 64))
#define PERMUTE(data, order)        permute(data, order)
#define EXCHANGE(data, mask)        exchange(data, mask)
#define READ_DATA(from, data, fill) read_data(from, data, fill)
#define WIDEST
#include "emu/row_loops.h"

const tmap_row_kernels tmap_neon_kernels = {TMAP_WIDEST_KERNELS(neon, 64), .by_units = true,
                                            .narrower = &tmap_halves_kernels};

#endif
