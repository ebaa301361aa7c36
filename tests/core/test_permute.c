/*
 * The permutation kernels of all executors, for each instruction set of this machine and the portable one, byte by byte
 * against the oracle's swizzle: rows in, rows out, and fill. No other byte changes.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "cmocka_all.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "assert_bytes.h"
#include "emu/containers.h"
#include "oracle/oracle.h"
#include "tmap/hw.h"

/* Four shared addresses, at different places of the swizzle's pattern. */
enum { IMAGE_B = 16 << 10, ROWS_B = 288 << 10, SHARED_STEP = 384 };

typedef struct shape {
    uint32_t at, at_step, size, rows_n;
    uint64_t row_step;
} shape;

/*
 * Rows of one line, in multiples of eight and with a remainder; half a line and several lines; two rows per line;
 * pieces of 16 and 8 bytes; rows at any address, also with one byte in the next line.
 */
static const shape shapes[] = {
    {0, 128, 128, 64, 4160}, {0, 128, 128, 8, 128},    {128, 128, 128, 13, 131}, {256, 128, 128, 7, 200},
    {0, 128, 64, 20, 64},    {64, 128, 64, 20, 100},   {0, 256, 256, 9, 256},    {0, 512, 512, 5, 513},
    {0, 64, 64, 33, 72},     {0, 32, 32, 30, 48},      {32, 128, 96, 17, 96},    {0, 192, 192, 12, 192},
    {16, 128, 48, 11, 50},   {0, 16, 16, 40, 16},      {48, 80, 80, 21, 80},     {8, 128, 56, 9, 56},
    {2, 128, 30, 9, 31},     {0, 1024, 1024, 3, 1024}, {384, 128, 128, 16, 128}, {0, 128, 128, 1, 128},
    {16, 128, 106, 20, 999}, {48, 128, 80, 20, 81},    {0, 128, 90, 64, 200},    {0, 128, 127, 9, 127},
    {32, 64, 31, 33, 40},    {0, 64, 62, 33, 64},      {16, 32, 14, 30, 15},     {0, 16, 15, 40, 33},
    {64, 128, 16, 9, 300},   {16, 512, 200, 5, 201},   {96, 128, 32, 11, 32},    {80, 128, 48, 13, 48},
    {0, 128, 2, 70, 2},      {16, 128, 112, 8, 4160},  {48, 16, 16, 141, 80},    {96, 32, 32, 77, 40},
    {64, 64, 64, 37, 64},    {16, 16, 16, 3, 16},      {115, 128, 14, 20, 31},   {3, 256, 126, 9, 300},
    {64, 128, 42, 9, 43},
};

static const struct {
    tmap_swizzle swizzle;
    oracle_swizzle oracle;
} swizzles[] = {
    {TMAP_SWIZZLE_NONE, ORACLE_NO_SWIZZLE},
    {TMAP_SWIZZLE_32B, ORACLE_32B},
    {TMAP_SWIZZLE_64B, ORACLE_64B},
    {TMAP_SWIZZLE_128B, ORACLE_128B},
    {TMAP_SWIZZLE_128B_ATOM_32B, ORACLE_128B_ATOM_32B},
    {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, ORACLE_128B_ATOM_32B_FLIP_8B},
    {TMAP_SWIZZLE_128B_ATOM_64B, ORACLE_128B_ATOM_64B},
};

static uint8_t image_bytes[IMAGE_B], expected_image[IMAGE_B], rows_bytes[ROWS_B], rows_before[ROWS_B];

/* Fills image and rows with bytes that depend on their offset. */
static void fresh(void) {
    static uint8_t rows[ROWS_B], image[IMAGE_B];
    if (rows[1] == 0) {
        for (size_t i = 0; i < ROWS_B; i++) rows[i] = (uint8_t)(i * 0x9e3779b1u >> 13);
        for (size_t i = 0; i < IMAGE_B; i++) image[i] = (uint8_t)(i * 0x85ebca6bu >> 11);
    }
    memcpy(image_bytes, image, IMAGE_B);
    memcpy(expected_image, image, IMAGE_B);
    memcpy(rows_bytes, rows, ROWS_B);
    memcpy(rows_before, rows, ROWS_B);
}

/* `size` bytes before a page that cannot be accessed, so that a read after them is seen in every build. */
static uint8_t *before_guard(size_t size) {
    enum { PAGE_B = 1 << 16, ALL_B = ROWS_B + 2 * PAGE_B };
    static uint8_t *end;
    if (!end) {
        uint8_t *pages = mmap(NULL, ALL_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        end = pages + ALL_B - PAGE_B;
        assert_int_equal(mprotect(end, PAGE_B, PROT_NONE), 0);
    }
    assert_true(size <= ROWS_B);
    return end - size;
}

typedef enum move { PUT, GET, FILL } move;

/* Moves the rows with a kernel for blocks, which accepts only some shapes. */
static bool carry_out_by(const tmap_row_kernels *kernels, const tmap_image *image, const tmap_rows *rows, move m) {
    if (!kernels || m == FILL) return false;
    bool swizzled = image->masks != 0 || !kernels->plain[m == PUT];
    if (swizzled && (rows->at | rows->at_step | rows->size) % kernels->block_B != 0) return false;
    (swizzled ? kernels->swizzled : kernels->plain)[m == PUT](image, rows);
    return true;
}

/* Moves the rows with `kernels`; `blocks` TMAP_BLOCKS_COUNT: with the kernels that tmap chooses. */
static bool carry_out(const tmap_image *image, const tmap_rows *rows, int blocks, const tmap_row_kernels *kernels,
                      move m) {
    if (blocks < TMAP_BLOCKS_COUNT) return carry_out_by(kernels, image, rows, m);
    if (m == PUT) tmap_image_put(image, rows);
    if (m == GET) tmap_image_get(image, rows);
    if (m == FILL) tmap_image_fill(image, rows->at, rows->at_step, rows->size, rows->rows_n, 0x7ff7);
    return true;
}

static unsigned carried_out[TMAP_BLOCKS_COUNT + 1];

static void check(const shape *s, size_t swizzle, uint64_t shared, int blocks, const tmap_row_kernels *kernels,
                  move m) {
    uint8_t masks[8];
    for (uint32_t line = 0; line < 8; line++)
        masks[line] =
            (uint8_t)tmap_swizzle_mask(tmap_swizzle_get((int)swizzles[swizzle].swizzle), (uint64_t)line * 128);
    tmap_image image = tmap_image_at(image_bytes, shared, masks);
    tmap_rows rows = {rows_bytes, (ptrdiff_t)s->row_step, s->at_step, s->size, s->rows_n, s->at};
    fresh();
    if (!carry_out(&image, &rows, blocks, kernels, m)) return;
    carried_out[blocks]++;
    for (uint64_t row = 0; row < s->rows_n; row++)
        for (uint64_t i = 0; i < s->size; i++) {
            uint64_t at = oracle_swizzled(swizzles[swizzle].oracle, shared, s->at + row * s->at_step + i) - shared;
            uint8_t *in_row = &rows_before[row * s->row_step + i];
            if (m == PUT) expected_image[at] = *in_row;
            if (m == FILL) expected_image[at] = i % 2 == 0 ? 0xf7 : 0x7f;
            if (m == GET) *in_row = image_bytes[at];
        }
    assert_bytes_equal(image_bytes, expected_image, IMAGE_B);
    assert_bytes_equal(rows_bytes, rows_before, ROWS_B);
}

static bool may_be_filled(const shape *s) {
    return s->at % 2 == 0 && s->size % 2 == 0;
}

/* The kernels of every width. */
static void check_all(const shape *s, size_t swizzle, uint64_t shared, int blocks, move m) {
    const tmap_row_kernels *kernels = blocks < TMAP_BLOCKS_COUNT ? tmap_kernels_get((tmap_blocks)blocks) : NULL;
    check(s, swizzle, shared, blocks, kernels, m);
    while (kernels && (kernels = kernels->narrower) != NULL) check(s, swizzle, shared, blocks, kernels, m);
}

static void rows_are_where_the_oracle_predicts(void **state) {
    const shape *s = *state;
    for (size_t swizzle = 0; swizzle < COUNT(swizzles); swizzle++)
        for (uint64_t shared = 0; shared <= 1024 + 384; shared += SHARED_STEP)
            for (int blocks = 0; blocks <= TMAP_BLOCKS_COUNT; blocks++)
                for (int m = PUT; m <= (may_be_filled(s) ? FILL : GET); m++)
                    check_all(s, swizzle, shared, blocks, (move)m);
}

/* ---- Blocks of rows in nested loops ----------------------------------------------------------------------------- */

/* Numbers of rows, and their distances in memory and in the image: more than eight lines, with a remainder, fewer than
 * eight; lines that do not follow one another, which tmap_image_move alone accepts. */
static const struct nested {
    uint32_t at, n[3];
    uint64_t steps[3];
    uint32_t at_steps[3]; /* 0: lines follow one another */
} nested[] = {
    {0, {4, 4, 4}, {128, 700, 5000}},
    {128, {3, 3, 3}, {200, 900, 6000}},
    {384, {2, 3, 1}, {300, 650, 0}},
    {1024, {1, 7, 2}, {0, 131, 2000}},
    {128, {5, 3, 2}, {128, 700, 5000}, {128, 1024, 4096}},
    {0, {4, 2, 2}, {128, 700, 5000}, {256, 1024, 2048}},
};

static unsigned lines_moved[TMAP_BLOCKS_COUNT + 1];

/* Lines, and parts of slots that are powers of two. */
static const uint32_t sizes[] = {128, 64, 48, 32, 16};

static bool move_nested(const tmap_image *image, const tmap_block *block, uint32_t size, int blocks, move m) {
    const tmap_row_kernels *kernels = blocks < TMAP_BLOCKS_COUNT ? tmap_kernels_get((tmap_blocks)blocks) : NULL;
    if (!kernels && blocks < TMAP_BLOCKS_COUNT) return false;
    while (kernels && size % kernels->block_B != 0) kernels = kernels->narrower;
    if (kernels)
        kernels->loops[m == PUT](image, rows_bytes, block, size);
    else
        tmap_image_move(image, rows_bytes, block, size, m == PUT);
    return true;
}

static void check_nested(const struct nested *s, uint32_t size, size_t swizzle, uint64_t shared, int blocks, move m) {
    uint8_t masks[8];
    for (uint32_t line = 0; line < 8; line++)
        masks[line] =
            (uint8_t)tmap_swizzle_mask(tmap_swizzle_get((int)swizzles[swizzle].swizzle), (uint64_t)line * 128);
    const tmap_image image = tmap_image_at(image_bytes, shared, masks);
    uint32_t slot = size == 48 ? 64 : size, step = slot;
    tmap_block block = {.units_n = size, .at = s->at / 128 * slot, .global_B = 77, .loops_n = 3};
    for (int i = 0; i < 3; i++) {
        if (s->at_steps[i] != 0) step = s->at_steps[i] / 128 * slot;
        block.loops[i] = (tmap_loop){.n = s->n[i], .at_step = step, .global_step = s->steps[i]};
        step *= s->n[i];
    }
    fresh();
    if (!move_nested(&image, &block, size, blocks, m)) return;
    lines_moved[blocks]++;
    for (uint32_t k = 0; k < s->n[2]; k++)
        for (uint32_t j = 0; j < s->n[1]; j++)
            for (uint32_t i = 0; i < s->n[0]; i++)
                for (uint64_t byte = 0; byte < size; byte++) {
                    const tmap_loop *loops = block.loops;
                    uint64_t logical =
                        block.at + i * loops[0].at_step + j * loops[1].at_step + k * loops[2].at_step + byte;
                    uint64_t at = oracle_swizzled(swizzles[swizzle].oracle, shared, logical) - shared;
                    uint8_t *global = &rows_before[77 + i * s->steps[0] + j * s->steps[1] + k * s->steps[2] + byte];
                    if (m == PUT)
                        expected_image[at] = *global;
                    else
                        *global = image_bytes[at];
                }
    assert_bytes_equal(image_bytes, expected_image, IMAGE_B);
    assert_bytes_equal(rows_bytes, rows_before, ROWS_B);
}

static void nested_rows_are_where_the_oracle_predicts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(nested) * COUNT(sizes); i++)
        for (size_t swizzle = 0; swizzle < COUNT(swizzles); swizzle++)
            for (uint64_t shared = 0; shared <= 1024 + 384; shared += SHARED_STEP)
                for (int blocks = 0; blocks <= TMAP_BLOCKS_COUNT; blocks++)
                    for (int m = PUT; m <= GET; m++)
                        check_nested(&nested[i / COUNT(sizes)], sizes[i % COUNT(sizes)], swizzle, shared, blocks,
                                     (move)m);
}

/* ---- Containers -------------------------------------------------------------------------------------------------- */

static const tmap_container_rows containers[] = {
    /* rows of one line, in multiples of eight and with a remainder */
    {.at_step = 128, .units_n = 8, .rows_n = 64, .row_step = 1040},
    {.at = 384, .at_step = 128, .units_n = 8, .rows_n = 13, .row_step = 97},
    {.at_step = 128, .units_n = 8, .rows_n = 7, .row_step = 96},
    /* half a line, several lines, separate lines; in fours, in twos, and single */
    {.at = 64, .at_step = 64, .units_n = 4, .rows_n = 33, .row_step = 50},
    {.at_step = 256, .units_n = 16, .rows_n = 9, .row_step = 192},
    {.at_step = 512, .units_n = 8, .rows_n = 9, .row_step = 200},
    {.at = 32, .at_step = 96, .units_n = 6, .rows_n = 21, .row_step = 75},
    {.at = 96, .at_step = 32, .units_n = 2, .rows_n = 40, .row_step = 32},
    {.at = 16, .at_step = 80, .units_n = 5, .rows_n = 11, .row_step = 64},
};

static unsigned containers_put[TMAP_BLOCKS_COUNT + 1];

static bool put_containers(const tmap_image *image, const tmap_container_rows *rows, int blocks) {
    if (blocks == TMAP_BLOCKS_UNITS) return tmap_containers_put_lines(image, rows);
    if (blocks < TMAP_BLOCKS_COUNT) return tmap_containers_put_blocks(image, rows, (tmap_blocks)blocks);
    tmap_containers_put(image, rows);
    return true;
}

/* PTX ISA 5.5.1, figures 5 and 6: values first, then a gap, 16 bytes in total; the swizzle moves whole containers. */
static void check_containers(tmap_container_rows rows, size_t swizzle, uint64_t shared, int blocks) {
    uint8_t masks[9] = {[8] = 1}; /* the last byte is not a mask */
    for (uint32_t line = 0; line < 8; line++)
        masks[line] =
            (uint8_t)tmap_swizzle_mask(tmap_swizzle_get((int)swizzles[swizzle].swizzle), (uint64_t)line * 128);
    const tmap_image image = tmap_image_at(image_bytes, shared, masks);
    fresh();
    size_t memory_B = (size_t)(rows.rows_n - 1) * (size_t)rows.row_step + (size_t)rows.units_n * rows.size;
    rows.row = memcpy(before_guard(memory_B), rows_bytes, memory_B);
    bool put = put_containers(&image, &rows, blocks);
    if (blocks == TMAP_BLOCKS_UNITS)
        assert_int_equal(put, rows.units_n == 8 && rows.at % 128 == 0 && rows.at_step % 128 == 0);
    if (!put) return;
    containers_put[blocks]++;
    for (uint64_t row = 0; row < rows.rows_n; row++)
        for (uint64_t i = 0; i < (uint64_t)rows.units_n * rows.size; i++) {
            uint64_t logical = rows.at + row * rows.at_step + i / rows.size * 16 + i % rows.size;
            uint64_t at = oracle_swizzled(swizzles[swizzle].oracle, shared, logical) - shared;
            expected_image[at] = rows_before[row * (size_t)rows.row_step + i];
        }
    assert_bytes_equal(image_bytes, expected_image, IMAGE_B);
}

static void containers_are_where_the_oracle_predicts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(containers) * 2; i++)
        for (size_t swizzle = 0; swizzle < COUNT(swizzles); swizzle++)
            for (uint64_t shared = 0; shared <= 1024 + 384; shared += 384)
                for (int blocks = 0; blocks <= TMAP_BLOCKS_COUNT; blocks++) {
                    tmap_container_rows rows = containers[i / 2];
                    rows.size = i % 2 ? 12 : 8;
                    if (swizzles[swizzle].oracle == ORACLE_128B_ATOM_32B_FLIP_8B && blocks < TMAP_BLOCKS_COUNT)
                        continue; /* starts inside a container: tmap does not use the kernels */
                    check_containers(rows, swizzle, shared, blocks);
                }
}

/* ---- Rows with fill at their ends ------------------------------------------------------------------------------- */

/* Rows of one line and of more, half lines, and pieces of 16 bytes; fill before the data, after, and on both sides. */
static const struct edged_rows {
    uint32_t at, at_step, size, rows_n, before_B, after_B;
    uint64_t row_step;
} edged[] = {
    {0, 128, 90, 64, 0, 38, 4160},
    {128, 128, 106, 20, 16, 6, 999},
    {0, 128, 96, 9, 32, 0, 131},
    {256, 256, 130, 9, 70, 56, 513},
    {64, 128, 20, 9, 44, 0, 40},
    {0, 64, 2, 33, 31, 31, 72},
    {0, 16, 10, 40, 0, 6, 16},
    {48, 16, 9, 21, 7, 0, 33},
    {32, 80, 64, 12, 3, 13, 81},
    {0, 512, 64, 5, 256, 192, 64},
    {384, 128, 127, 4, 0, 1, 4160},
    {0, 48, 40, 17, 2, 6, 50},
    {48, 16, 9, 141, 3, 4, 33},
    {96, 32, 13, 77, 0, 19, 40},
    {64, 64, 33, 37, 30, 1, 72},
    {96, 32, 1, 7, 31, 0, 500},
    {32, 64, 5, 9, 0, 27, 50},
    {16, 48, 9, 21, 7, 0, 33},
    /* rows apart, whole lines, lines apart; rows of memory that overlap the fill of their neighbours */
    {64, 192, 33, 13, 30, 1, 72},
    {0, 128, 101, 24, 27, 0, 101},
    {128, 128, 1, 17, 60, 67, 130},
    {0, 256, 65, 9, 63, 0, 300},
    {128, 384, 100, 11, 14, 14, 99},
    {0, 16, 5, 100, 4, 7, 9},
    {32, 32, 21, 50, 0, 11, 22},
    {0, 32, 8, 40, 16, 8, 8},
    {0, 16, 7, 8, 9, 0, 0},
    {64, 16, 15, 4, 1, 0, 15},
    {0, 16, 5, 24, 4, 7, 0},
    {0, 16, 9, 40, 3, 4, 33},
    {0, 32, 13, 40, 12, 7, 40},
};

static unsigned edges_put[TMAP_BLOCKS_COUNT];

static void check_edges(const struct edged_rows *s, size_t swizzle, uint64_t shared, tmap_blocks blocks) {
    const uint32_t width = s->before_B + s->size + s->after_B;
    uint8_t masks[8];
    for (uint32_t line = 0; line < 8; line++)
        masks[line] =
            (uint8_t)tmap_swizzle_mask(tmap_swizzle_get((int)swizzles[swizzle].swizzle), (uint64_t)line * 128);
    const tmap_image image = tmap_image_at(image_bytes, shared, masks);
    const tmap_row_kernels *kernels = tmap_kernels_get(blocks);
    if (!kernels || s->at % s->at_step % width != 0) return;
    const tmap_edge_kernel edges = tmap_edges_by(kernels, &image, width, s->at_step);
    if (blocks == TMAP_BLOCKS_AVX512 && swizzles[swizzle].oracle == ORACLE_NO_SWIZZLE) assert_non_null(edges.put);
    if (!edges.put) return;
    fresh();
    size_t memory_B = (size_t)(s->rows_n - 1) * s->row_step + s->size;
    uint8_t *memory = malloc(memory_B); /* bytes before and after the data are not read */
    assert_non_null(memory);
    memcpy(memory, rows_before, memory_B);
    const tmap_block rows = {.before_B = s->before_B,
                             .after_B = s->after_B,
                             .at = s->at + s->before_B,
                             .loops_n = 1,
                             .loops = {{s->rows_n, s->at_step, s->row_step, 0}}};
    tmap_image_put_edges(edges, &image, memory, memory_B, &rows, (tmap_edges){s->size, 0x7ff7});
    edges_put[blocks]++;
    assert_memory_equal(memory, rows_before, memory_B);
    free(memory);
    for (uint64_t i = 0; i < s->rows_n; i++)
        for (uint64_t k = 0; k < width; k++) {
            uint64_t at = oracle_swizzled(swizzles[swizzle].oracle, shared, s->at + i * s->at_step + k) - shared;
            bool data = k >= s->before_B && k < s->before_B + s->size;
            uint8_t fill = k % 2 == 0 ? 0xf7 : 0x7f;
            expected_image[at] = data ? rows_before[i * s->row_step + k - s->before_B] : fill;
        }
    assert_bytes_equal(image_bytes, expected_image, IMAGE_B);
}

static void edges_are_where_the_oracle_predicts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(edged); i++)
        for (size_t swizzle = 0; swizzle < COUNT(swizzles); swizzle++)
            for (uint64_t shared = 0; shared <= 1024 + 384; shared += 384)
                for (int blocks = 0; blocks < TMAP_BLOCKS_COUNT; blocks++)
                    check_edges(&edged[i], swizzle, shared, (tmap_blocks)blocks);
    for (int blocks = 0; blocks < TMAP_BLOCKS_COUNT; blocks++)
        if (tmap_kernels_get((tmap_blocks)blocks)) assert_true(edges_put[blocks] > 4 * COUNT(edged));
}

/* Every instruction set of this machine was used. */
static void every_kernel_was_used(void **state) {
    (void)state;
    const unsigned *used[] = {carried_out, containers_put, lines_moved};
    for (size_t i = 0; i < COUNT(used); i++) {
        assert_true(used[i][TMAP_BLOCKS_UNITS] > 0 && used[i][TMAP_BLOCKS_COUNT] > 0);
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) assert_true(used[i][TMAP_BLOCKS_AVX2] > 0);
        if (__builtin_cpu_supports("avx512vl")) assert_true(used[i][TMAP_BLOCKS_AVX512] > 0);
#endif
    }
#if defined(__aarch64__)
    assert_true(carried_out[TMAP_BLOCKS_NEON] > 0);
#endif
}

int main(void) {
    static struct CMUnitTest tests[COUNT(shapes) + 4];
    static char names[COUNT(shapes)][64];
    for (size_t i = 0; i < COUNT(shapes); i++) {
        snprintf(names[i], sizeof names[i], "%u rows of %u B, %u B apart, from %u on", shapes[i].rows_n, shapes[i].size,
                 shapes[i].at_step, shapes[i].at);
        tests[i] = (struct CMUnitTest){names[i], rows_are_where_the_oracle_predicts, NULL, NULL,
                                       (void *)(uintptr_t)&shapes[i]};
    }
    tests[COUNT(shapes)] = (struct CMUnitTest)cmocka_unit_test(containers_are_where_the_oracle_predicts);
    tests[COUNT(shapes) + 1] = (struct CMUnitTest)cmocka_unit_test(nested_rows_are_where_the_oracle_predicts);
    tests[COUNT(shapes) + 2] = (struct CMUnitTest)cmocka_unit_test(every_kernel_was_used);
    tests[COUNT(shapes) + 3] = (struct CMUnitTest)cmocka_unit_test(edges_are_where_the_oracle_predicts);
    return _cmocka_run_group_tests("permute", tests, COUNT(tests), NULL, NULL) != 0;
}
