/*
 * Point: 1
 * Proves: for each block kernel of this machine (AVX-512, AVX2, the compiler's vectors) and for the choice between
 *     them: the kernel moves byte i of a line to and from byte i ^ mask of this line, for all sixteen masks of bits
 *     3 to 6. The statement holds for every line of a pattern, for every size of 1 to 160 bytes, and for every place
 *     in a line. No other byte changes.
 * Assumes: a kernel moves bytes independently of their values: in a run, each byte contains the number of its place.
 * Bounds: for the choice: rows of up to 160 bytes, 256 or 176 bytes apart. For a kernel: whole blocks of up to 256
 *     bytes, up to 17 rows. For rows that follow one another, of 16, 32 and 64 bytes: up to 80 rows.
 * Tool: run
 * Sources: src/core/emu/masked_avx512.c src/core/emu/permute.c src/core/emu/permute_neon.c src/core/emu/permute_x86.c
 *     src/core/map/tile_rows.c src/core/map/pixels.c src/core/params/derive.c src/core/params/dim_order.c src/core/hw/tables.c
 *     src/core/hw/swizzle.c src/core/text/print.c src/core/base/sink.c src/core/base/memory.c
 */
#include "emu/permute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 40, IMAGE_B = LINES * TMAP_LINE_B, ROWS_N = 17, NARROW_N = 80, MASKS_N = 16, ROW_STEP = 271 };

static uint8_t image_bytes[IMAGE_B], expected_image[IMAGE_B], memory[NARROW_N * ROW_STEP], expected[sizeof memory];
static size_t memory_B; /* of a check: the bytes of its rows */
static unsigned long checked;

/* Label `which` of a place: the two labels of two runs identify a place. */
static uint8_t label(size_t place, int which, uint8_t salt) {
    return (uint8_t)((which ? place >> 8 : place) ^ salt);
}

static void fresh(int which) {
    for (size_t i = 0; i < sizeof image_bytes; i++) expected_image[i] = image_bytes[i] = label(i, which, 0);
    for (size_t i = 0; i < memory_B; i++) expected[i] = memory[i] = label(i, which, 0x80);
}

static void expect(const tmap_image *image, const tmap_rows *rows, bool put) {
    for (uint32_t row = 0; row < rows->rows_n; row++)
        for (uint32_t i = 0; i < rows->size; i++) {
            uint32_t at = rows->at + row * rows->at_step + i;
            uint32_t place = at ^ tmap_mask_in(image->masks, at / TMAP_LINE_B);
            if (put)
                expected_image[place] = memory[row * rows->row_step + i];
            else
                expected[row * rows->row_step + i] = image_bytes[place];
        }
}

static void refute(const tmap_image *image, const tmap_rows *rows, bool put, const char *kernel) {
    printf("DISPROVED: %s %s: %u rows of %u B, %u B apart, from %u on; masks from 0x%x\n", kernel, put ? "put" : "get",
           rows->rows_n, rows->size, rows->at_step, rows->at, tmap_mask_in(image->masks, 0));
    exit(1);
}

/* Tests the kernels `by`, or without kernels the functions that choose a kernel. */
static void check(const tmap_row_kernels *by, const char *name, const tmap_image *image, tmap_rows rows, bool put) {
    memory_B = (size_t)rows.rows_n * ROW_STEP;
    for (int which = 0; which < 2; which++) {
        fresh(which);
        rows.row = memory;
        expect(image, &rows, put);
        if (by)
            by->swizzled[put](image, &rows);
        else
            (put ? tmap_image_put : tmap_image_get)(image, &rows);
        bool same =
            memcmp(image_bytes, expected_image, sizeof image_bytes) == 0 && memcmp(memory, expected, memory_B) == 0;
        if (!same) refute(image, &rows, put, name);
    }
    checked++;
}

static void each_of_kernel(const tmap_row_kernels *kernels, const char *name, const tmap_image *image) {
    for (uint32_t at = 0; at < TMAP_LINE_B; at += kernels->block_B)
        for (uint32_t size = kernels->block_B; size <= 2 * TMAP_LINE_B; size += kernels->block_B)
            for (uint32_t rows_n = 1; rows_n <= ROWS_N && rows_n * 2 * TMAP_LINE_B + at < IMAGE_B; rows_n += 8)
                for (int put = 0; put < 2; put++)
                    check(kernels, name, image,
                          (tmap_rows){.row_step = ROW_STEP,
                                      .at = at,
                                      .at_step = size > TMAP_LINE_B ? 2 * TMAP_LINE_B : TMAP_LINE_B,
                                      .size = size,
                                      .rows_n = rows_n},
                          put);
}

static void each_of_choice(const tmap_image *image) {
    for (uint32_t at = 0; at < TMAP_LINE_B; at++)
        for (uint32_t size = 1; size <= 160; size++)
            for (int i = 0; i < 4; i++)
                check(NULL, "chosen", image,
                      (tmap_rows){.row_step = ROW_STEP,
                                  .at = at,
                                  .at_step = i < 2 ? 2 * TMAP_LINE_B : 176,
                                  .size = size,
                                  .rows_n = 3},
                      i % 2 != 0);
}

static void each_narrow(const tmap_image *image) {
    for (uint32_t size = 16; size <= 64; size *= 2)
        for (uint32_t at = 0; at < TMAP_LINE_B; at += size)
            for (uint32_t rows_n = 1; rows_n <= NARROW_N && at + rows_n * size <= IMAGE_B; rows_n++)
                for (int put = 0; put < 2; put++)
                    check(NULL, "chosen", image,
                          (tmap_rows){.row_step = ROW_STEP, .at = at, .at_step = size, .size = size, .rows_n = rows_n},
                          put);
}

int main(void) {
    static const char *const names[] = {"AVX-512", "AVX2", "NEON", "vectors of the compiler"};
    uint8_t masks[TMAP_MASKS];
    for (uint32_t first = 0; first < MASKS_N; first++) {
        for (uint32_t k = 0; k < TMAP_MASKS; k++) masks[k] = (uint8_t)((first + 5 * k) % MASKS_N * 8);
        const tmap_image image = tmap_image_at(image_bytes, first * TMAP_LINE_B, masks);
        for (int blocks = 0; blocks < TMAP_BLOCKS_COUNT; blocks++) {
            const tmap_row_kernels *k = tmap_kernels_get((tmap_blocks)blocks);
            if (!k && first == 0) printf("skipped: this machine has no %s\n", names[blocks]);
            for (; k; k = k->narrower) each_of_kernel(k, names[blocks], &image);
        }
        each_of_choice(&image);
        each_narrow(&image);
    }
    printf("PROVED: %lu moves\n", checked);
    return 0;
}
