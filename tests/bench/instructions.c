/* Calls one kernel of aarch64 a number of times, for instructions.sh. instructions CASE TIMES */
#include "emu/arithmetic.h"
#include "emu/permute.h"

#include <stdio.h>
#include <stdlib.h>
#include <tmap/unstable/counts.h>

enum { BYTES = 64 << 10 };
static uint8_t image_bytes[BYTES] __attribute__((aligned(1024))), rows_bytes[BYTES];

static const uint8_t masks_128B[TMAP_MASKS] = {0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70},
                     masks_64B[TMAP_MASKS] = {0x00, 0x10, 0x20, 0x30, 0x00, 0x10, 0x20, 0x30};

/* 8 KiB: rows of a load, by the kernels of a kind. */
static void move(tmap_blocks blocks, const uint8_t *masks, uint32_t row_B, uint64_t first_line) {
    const tmap_image image = tmap_image_at(image_bytes, first_line * TMAP_LINE_B, masks);
    tmap_kernels_get(blocks)->swizzled[1](&image, &(tmap_rows){rows_bytes, row_B + 64, row_B, row_B, 8192 / row_B, 0});
}

static void reduce(tmap_vectors vectors, tmap_op op, tmap_arithmetic arithmetic) {
    uint64_t before = tmap_float_begin();
    tmap_reductions_get(vectors)->functions[op][arithmetic](
        &(tmap_reduced){image_bytes, rows_bytes, 128, 128, 128, 64});
    tmap_float_end(before);
}

static void run(int number) {
    switch (number) {
    case 0: move(TMAP_BLOCKS_NEON, masks_128B, 128, 0); break;
    case 1: move(TMAP_BLOCKS_UNITS, masks_128B, 128, 0); break;
    case 2: move(TMAP_BLOCKS_NEON, masks_128B, 128, 3); break;
    case 3: move(TMAP_BLOCKS_UNITS, masks_128B, 128, 3); break;
    case 4: move(TMAP_BLOCKS_NEON, masks_64B, 64, 0); break;
    case 5: move(TMAP_BLOCKS_UNITS, masks_64B, 64, 0); break;
    case 6: reduce(TMAP_VECTORS_OF_MACHINE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_F32); break;
    case 7: reduce(TMAP_VECTORS_PORTABLE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_F32); break;
    case 8: reduce(TMAP_VECTORS_OF_MACHINE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_F16); break;
    case 9: reduce(TMAP_VECTORS_PORTABLE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_F16); break;
    case 10: reduce(TMAP_VECTORS_OF_MACHINE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_BF16); break;
    case 11: reduce(TMAP_VECTORS_PORTABLE, TMAP_OP_REDUCE_ADD, TMAP_ARITHMETIC_BF16); break;
    default: break;
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    for (int i = atoi(argv[2]); i > 0; i--) run(atoi(argv[1]));
    return 0;
}
