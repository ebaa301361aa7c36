/* Batches of copies against the same copies executed one at a time: images, memory, verdicts, and sums. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "copy_fixture.h"
#include "tmap/unstable/emu_batch.h"
#include "tmap/unstable/gen.h"

/* Each 16-bit element of the memory is its number. */
static void count_rows(void) {
    for (size_t i = 0; i < MEMORY_B / 2; i++) put_u16(global_bytes, 2 * i, (uint16_t)i);
}

/* 64 x 256 elements in boxes of 8 x 8, 128 bytes each. */
static tmap_copy small_box(tmap_op op) {
    tmap_map_params map = tiled(TMAP_TYPE_U16, 2, DIMS(64, 256), DIMS(8, 8));
    return box_copy(op, &map, AT(0, 0), 0);
}

static tmap_memory all_of_global(void) {
    return (tmap_memory){.size_B = MEMORY_B, .bytes = global_bytes};
}

TEST(neighbouring_boxes_are_one_step_apart) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = all_of_global();
    const int64_t starts[] = {8, 1, 56, 250, 0, -4};
    const tmap_images images = {shared_bytes, 256, MEMORY_B};
    tmap_copies_result result;
    count_rows();
    assert_int_equal(tmap_start_numbers(&like), 2);
    assert_int_equal(tmap_copies_run(&like, starts, 3, &images, &memory, NULL, &result, NULL), TMAP_OK);
    for (size_t tile = 0; tile < 3; tile++)
        for (int64_t row = 0; row < 8; row++)
            for (int64_t column = 0; column < 8; column++) {
                int64_t x = starts[2 * tile] + column, y = starts[2 * tile + 1] + row;
                uint16_t number = y < 0 || y >= 256 ? 0 : (uint16_t)(64 * y + x);
                put_u16(expected_bytes, 256 * tile + (size_t)(16 * row + 2 * column), number);
            }
    expect_shared();
    assert_int_equal(result.done_n, 3);
    expect_counts(&result.total, 3 * 128, 3 * 128, (2 + 4) * 16, 0);
}

/* The memory starts at row 16 of the tensor, and is larger than the whole tensor. */
TEST(memory_may_start_inside_the_tensor) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes, .first_B = 16 * 128};
    const int64_t starts[] = {8, 16, 56, 40, 0, 17};
    const tmap_images images = {shared_bytes, 128, MEMORY_B};
    tmap_copies_result result;
    count_rows();
    assert_int_equal(tmap_copies_run(&like, starts, 3, &images, &memory, NULL, &result, NULL), TMAP_OK);
    for (size_t i = 0; i < 3 * 64; i++) {
        int64_t x = starts[2 * (i / 64)] + (int64_t)(i % 8), y = starts[2 * (i / 64) + 1] + (int64_t)(i / 8 % 8);
        put_u16(expected_bytes, 2 * i, (uint16_t)(64 * (y - 16) + x));
    }
    expect_shared();
    assert_int_equal(result.done_n, 3);
}

/*
 * tmap collects up to 32 boxes that are inside the tensor and executes them together. Two of these 100 boxes are partly
 * outside, and the start of copy 80 is refused.
 */
TEST(many_boxes_keep_their_order) {
    enum { BOXES_N = 100, REFUSED = 80 };
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = all_of_global();
    int64_t starts[2 * BOXES_N];
    const tmap_images images = {shared_bytes, 128, MEMORY_B};
    tmap_copies_result result;
    count_rows();
    for (int i = 0; i < BOXES_N; i++) starts[2 * i] = i % 45 == 44 ? 56 : 8 * (i % 7), starts[2 * i + 1] = 2 * i;
    for (int i = 44; i < BOXES_N; i += 45) starts[2 * i + 1] = 252;
    assert_int_equal(tmap_copies_run(&like, starts, BOXES_N, &images, &memory, NULL, &result, NULL), TMAP_OK);
    for (size_t i = 0; i < 64 * BOXES_N; i++) {
        int64_t x = starts[2 * (i / 64)] + (int64_t)(i % 8), y = starts[2 * (i / 64) + 1] + (int64_t)(i / 8 % 8);
        put_u16(expected_bytes, 2 * i, y < 256 ? (uint16_t)(64 * y + x) : 0);
    }
    expect_shared();
    assert_int_equal(result.done_n, BOXES_N);
    expect_counts(&result.total, BOXES_N * 128, BOXES_N * 128, 2 * 4 * 16, 0);

    memset(shared_bytes, UNTOUCHED, MEMORY_B);
    memset(expected_bytes + REFUSED * 128, UNTOUCHED, MEMORY_B - REFUSED * 128);
    starts[2 * REFUSED] = 4; /* not a multiple of 8 elements */
    assert_int_equal(tmap_copies_run(&like, starts, BOXES_N, &images, &memory, NULL, &result, NULL), TMAP_REFUSED);
    expect_shared();
    assert_int_equal(result.done_n, REFUSED);
    expect_counts(&result.total, REFUSED * 128, REFUSED * 128, 4 * 16, 0);
}

/* Every box is stored from the same image, so rows 0 and 8 of the tensor receive the same bytes. */
TEST(stores_may_share_an_image) {
    tmap_copy like = small_box(TMAP_OP_STORE);
    tmap_memory memory = all_of_global();
    const int64_t starts[] = {0, 0, 0, 8};
    const tmap_images images = {shared_bytes, 0, 128};
    tmap_copies_result result;
    for (size_t i = 0; i < 64; i++) put_u16(shared_bytes, 2 * i, (uint16_t)(1000 + i));
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, NULL, &result, NULL), TMAP_OK);
    for (size_t tile = 0; tile < 2; tile++)
        for (size_t i = 0; i < 64; i++)
            put_u16(expected_bytes, 128 * (8 * tile + i / 8) + 2 * (i % 8), (uint16_t)(1000 + i));
    expect_global();
    assert_int_equal(result.done_n, 2);
}

/*
 * Boxes of u16 must start at a multiple of 8 elements; the third box does not. The images of earlier boxes are loaded,
 * that of the third is untouched.
 */
TEST(the_first_refused_start_ends_the_batch) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = all_of_global();
    const int64_t starts[] = {0, 0, 8, 0, 4, 0, 16, 0};
    const tmap_images images = {shared_bytes, 128, MEMORY_B};
    tmap_copies_result result;
    tmap_diags diags = {0};
    memset(global_bytes, 7, MEMORY_B);
    memset(expected_bytes, 7, 256);
    assert_int_equal(tmap_copies_run(&like, starts, 4, &images, &memory, NULL, &result, &diags), TMAP_REFUSED);
    assert_int_equal(result.done_n, 2);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].rule, "copy-inner-align");
    expect_shared();
    tmap_diags_free(&diags);
}

TEST(memory_may_end_before_a_copy) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = {.size_B = 8 * 128, .bytes = global_bytes};
    const int64_t starts[] = {0, 0, 0, 1};
    const tmap_images images = {shared_bytes, 128, MEMORY_B};
    tmap_copies_result result;
    tmap_diags diags = {0};
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, NULL, &result, &diags), TMAP_REFUSED);
    assert_int_equal(result.done_n, 1);
    assert_int_equal(diags.count, 0);
}

/* If the judge makes advice an error, the advice refuses a start. */
TEST(the_judge_sets_the_severities) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = all_of_global();
    const int64_t starts[] = {0, 0, 0, 256};
    const tmap_images images = {shared_bytes, 128, MEMORY_B};
    tmap_copies_result result;
    tmap_judge strict = {0};
    strict.levels[tmap_rule_find("copy-outside")] = TMAP_LEVEL_ERROR;
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, NULL, &result, NULL), TMAP_OK);
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, &strict, &result, NULL), TMAP_REFUSED);
    assert_int_equal(result.done_n, 1);
}

/* PTX specifies no order for two equal rows of a scatter4; a rule reports them. */
TEST(rows_of_a_start_may_be_refused) {
    tmap_map_params map = tiled(TMAP_TYPE_U16, 2, DIMS(64, 256), DIMS(8, 1));
    tmap_copy like = rows_copy(TMAP_OP_SCATTER4, &map, 0, AT(0, 1, 2, 3));
    tmap_memory memory = all_of_global();
    const int64_t starts[] = {8, 4, 5, 6, 7, 8, 4, 5, 4, 7};
    const tmap_images images = {shared_bytes, 0, MEMORY_B};
    tmap_copies_result result;
    tmap_judge strict = {0};
    strict.levels[tmap_rule_find("scatter-repeated-rows")] = TMAP_LEVEL_ERROR;
    assert_int_equal(tmap_start_numbers(&like), 5);
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, NULL, &result, NULL), TMAP_OK);
    assert_int_equal(tmap_copies_run(&like, starts, 2, &images, &memory, &strict, &result, NULL), TMAP_REFUSED);
    assert_int_equal(result.done_n, 1);
}

TEST(images_have_room) {
    static const struct {
        tmap_op op;
        size_t n, step_B, size_B;
        tmap_status status;
    } rows[] = {
        {TMAP_OP_LOAD, 2, 128, 256, TMAP_OK},
        {TMAP_OP_LOAD, 2, 128, 255, TMAP_BAD_ARGUMENT},
        {TMAP_OP_LOAD, 2, 127, 4096, TMAP_BAD_ARGUMENT},
        {TMAP_OP_LOAD, 1, 0, 128, TMAP_OK},
        {TMAP_OP_LOAD, 1, 0, 127, TMAP_BAD_ARGUMENT},
        {TMAP_OP_LOAD, 0, 0, 0, TMAP_OK},
        {TMAP_OP_LOAD, 2, SIZE_MAX, SIZE_MAX, TMAP_BAD_ARGUMENT},
        {TMAP_OP_STORE, 2, 16, 144, TMAP_OK},
        {TMAP_OP_STORE, 2, 16, 143, TMAP_BAD_ARGUMENT},
        {TMAP_OP_PREFETCH, 2, 0, 0, TMAP_OK},
    };
    const int64_t starts[4] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_copy like = small_box(rows[i].op);
        tmap_memory memory = all_of_global();
        const tmap_images images = {shared_bytes, rows[i].step_B, rows[i].size_B};
        tmap_copies_result result;
        tmap_status status = tmap_copies_run(&like, starts, rows[i].n, &images, &memory, NULL, &result, NULL);
        if (status != rows[i].status) fail_msg("row %zu: status %d", i, (int)status);
        assert_int_equal(result.done_n, status == TMAP_OK ? rows[i].n : 0);
    }
}

TEST(null_is_a_bad_argument) {
    tmap_copy like = small_box(TMAP_OP_LOAD);
    tmap_memory memory = all_of_global();
    const int64_t starts[2] = {0};
    const tmap_images images = {shared_bytes, 128, MEMORY_B}, nowhere = {NULL, 128, MEMORY_B};
    tmap_copies_result r;
    assert_int_equal(tmap_copies_run(NULL, starts, 1, &images, &memory, NULL, &r, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copies_run(&like, NULL, 1, &images, &memory, NULL, &r, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copies_run(&like, starts, 1, NULL, &memory, NULL, &r, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copies_run(&like, starts, 1, &nowhere, &memory, NULL, &r, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copies_run(&like, starts, 1, &images, NULL, NULL, &r, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copies_run(&like, starts, 1, &images, &memory, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
}

/* ---- Random copies, one by one and in a batch -------------------------------------------------------------------- */

enum { STARTS_N = 6, CASES_N = 4000, IMAGE_B_MAX = 4096, TENSOR_B_MAX = 1 << 20 };

/*
 * Memory with every address: a read returns bytes computed from the offset, a write adds its bytes and offset to a sum.
 */
static void read_offsets(void *context, uint64_t offset_B, void *to, size_t size) {
    uint8_t *bytes = to;
    (void)context;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((offset_B + i) * 0x9e3779b97f4a7c15u >> 56);
}

static void sum_writes(void *context, uint64_t offset_B, const void *from, size_t size) {
    uint64_t *sum = context;
    const uint8_t *bytes = from;
    for (size_t i = 0; i < size; i++) *sum = (*sum ^ (bytes[i] + 1) * (offset_B + i + 1)) * 0x100000001b3u;
}

/* The outcome: the status, the copies done, the transaction bytes, the fill, and all bytes written. */
typedef struct outcome {
    tmap_status status;
    uint64_t done_n, tx_B, filled_B, written;
} outcome;

static tmap_memory every_address(uint64_t *sum) {
    return (tmap_memory){.size_B = UINT64_MAX, .read = read_offsets, .write = sum_writes, .context = sum};
}

/*
 * Gives `memory` the same content as an array, for a load from a small tensor; otherwise returns NULL and changes
 * nothing. The caller frees the array.
 */
static uint8_t *in_bytes(const tmap_copy *like, tmap_memory *memory) {
    size_t size = (size_t)like->map.derived.span_B;
    if (!like->op->to_shared || like->map.derived.span_B > TENSOR_B_MAX) return NULL;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    read_offsets(NULL, 0, bytes, size);
    *memory = (tmap_memory){.size_B = size, .bytes = bytes};
    return bytes;
}

static uint8_t *images_of(const tmap_copy *like) {
    size_t size = STARTS_N * (size_t)like->footprint_B;
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 37);
    return bytes;
}

static void end_images(uint8_t *bytes, const tmap_copy *like, outcome *o) {
    sum_writes(&o->written, 0, bytes, STARTS_N * (size_t)like->footprint_B);
    free(bytes);
}

static outcome one_by_one(const tmap_copy *like, const tmap_copy_params starts[STARTS_N], const tmap_judge *judge) {
    outcome o = {0};
    tmap_memory memory = every_address(&o.written);
    uint8_t *bytes = images_of(like);
    for (size_t i = 0; i < STARTS_N && o.status == TMAP_OK; i++) {
        tmap_copy copy;
        tmap_copy_result result;
        o.status = tmap_copy_init(&copy, &like->map, &starts[i], judge, NULL);
        if (o.status != TMAP_OK) break;
        o.status = tmap_emulate(&copy, bytes + i * like->footprint_B, like->footprint_B, &memory, &result);
        if (o.status == TMAP_OK) o.done_n++, o.tx_B += result.tx_B, o.filled_B += result.filled_B;
    }
    end_images(bytes, like, &o);
    return o;
}

static outcome in_a_batch(const tmap_copy *like, const tmap_copy_params starts[STARTS_N], const tmap_judge *judge) {
    outcome o = {0};
    tmap_memory memory = every_address(&o.written);
    uint8_t *bytes = images_of(like);
    int64_t numbers[STARTS_N * TMAP_RANK_MAX], *next = numbers;
    for (size_t i = 0; i < STARTS_N; i++) {
        if (like->op->four_rows) *next++ = starts[i].column;
        for (uint64_t k = 0; k < (like->op->four_rows ? 4 : like->map.params.rank); k++)
            *next++ = like->op->four_rows ? starts[i].rows[k] : starts[i].at[k];
    }
    const tmap_images images = {bytes, like->footprint_B, STARTS_N * (size_t)like->footprint_B};
    tmap_copies_result result;
    uint8_t *tensor = in_bytes(like, &memory);
    o.status = tmap_copies_run(like, numbers, STARTS_N, &images, &memory, judge, &result, NULL);
    free(tensor);
    o.done_n = result.done_n, o.tx_B = result.total.tx_B, o.filled_B = result.total.filled_B;
    end_images(bytes, like, &o);
    return o;
}

/*
 * Random coordinates for a copy of the same map. One in four has a number that a rule may refuse: an offset of up to
 * 40, a number beyond 32 bits, or the same row twice.
 */
static void start_from(tmap_random *random, const tmap_map_params *map, tmap_copy_params *params) {
    tmap_copy_params other;
    do tmap_random_copy(random, map, &other);
    while (tmap_op_get((int)other.op)->four_rows != tmap_op_get((int)params->op)->four_rows);
    memcpy(params->at, other.at, sizeof params->at);
    memcpy(params->rows, other.rows, sizeof params->rows);
    params->column = other.column;
    uint64_t number = tmap_random_between(random, 0, 4);
    int64_t by = (int64_t)tmap_random_between(random, 0, 80) - 40;
    switch (tmap_random_between(random, 0, 15)) {
    case 0:
    case 1: params->at[number] += by, params->rows[number % 4] += by; break;
    case 2: params->column += by; break;
    case 3: params->at[number] += (int64_t)1 << 33, params->column += (int64_t)1 << 33; break;
    case 4: params->rows[1] = params->rows[0]; break;
    default: break;
    }
}

/* Every second case uses a judge that makes all advice an error. */
TEST(batches_equal_single_copies) {
    tmap_judge strict = {.warnings_are_errors = true};
    memset(strict.levels, TMAP_LEVEL_ERROR, sizeof strict.levels);
    tmap_random random = {20261123};
    size_t cases_n = 0, refused_n = 0, pixels_n = 0;
    while (cases_n < CASES_N) {
        tmap_map_params map_params;
        tmap_map map;
        tmap_copy_params params;
        tmap_copy like;
        tmap_copy_params starts[STARTS_N];
        tmap_random_map(&random, true, &map_params);
        tmap_random_copy(&random, &map_params, &params);
        if (tmap_map_init(&map, &map_params, NULL, NULL) != TMAP_OK) continue;
        if (tmap_copy_init(&like, &map, &params, NULL, NULL) != TMAP_OK || like.footprint_B > IMAGE_B_MAX) continue;
        for (size_t i = 0; i < STARTS_N; i++) {
            starts[i] = params;
            if (i > 0) start_from(&random, &map_params, &starts[i]);
        }
        const tmap_judge *judge = cases_n % 2 == 0 ? NULL : &strict;
        outcome single = one_by_one(&like, starts, judge), batch = in_a_batch(&like, starts, judge);
        assert_memory_equal(&single, &batch, sizeof single);
        cases_n++, refused_n += single.status == TMAP_REFUSED, pixels_n += like.pixels.walked_n > 0;
    }
    assert_in_range(refused_n, CASES_N / 40, CASES_N * 39 / 40);
    assert_in_range(pixels_n, CASES_N / 40, CASES_N);
}

BEFORE_EACH(fresh_memories)
