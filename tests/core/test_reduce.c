/* Reductions: which exist, and their results for an element and for a box. Expected values by hand. */
#include "cmocka_all.h"
#include "copy_fixture.h"
#include "emu/arithmetic.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/tables.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* ---- The existing reductions ------------------------------------------------------------------------------------ */

#define TYPE(id)  (1u << TMAP_TYPE_##id)
#define INTEGERS  (TYPE(U32) | TYPE(S32) | TYPE(U64) | TYPE(S64))
#define HALVES    (TYPE(F16) | TYPE(BF16))
#define FLOATS_32 (TYPE(F32) | TYPE(F32_FTZ) | TYPE(TF32) | TYPE(TF32_FTZ))

/*
 * PTX ISA 9.1, cp.reduce.async.bulk.tensor: add accepts u32 s32 u64 f32 f16 bf16, min and max u32 s32 u64 s64 f16 bf16,
 * inc and dec u32, the others 32 and 64 bits.
 */
TEST(pairs_are_the_documented_ones) {
    static const struct {
        tmap_op op;
        unsigned types;
    } rows[] = {
        {TMAP_OP_REDUCE_ADD, TYPE(U32) | TYPE(S32) | TYPE(U64) | HALVES | FLOATS_32},
        {TMAP_OP_REDUCE_MIN, INTEGERS | HALVES},
        {TMAP_OP_REDUCE_MAX, INTEGERS | HALVES},
        {TMAP_OP_REDUCE_INC, TYPE(U32)},
        {TMAP_OP_REDUCE_DEC, TYPE(U32)},
        {TMAP_OP_REDUCE_AND, INTEGERS},
        {TMAP_OP_REDUCE_OR, INTEGERS},
        {TMAP_OP_REDUCE_XOR, INTEGERS},
        {TMAP_OP_STORE, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int type = 0; type < TMAP_TYPE_COUNT; type++)
            assert_int_equal(tmap_reduction_of(rows[i].op, (tmap_type)type) != NULL, rows[i].types >> type & 1);
}

static bool is_fact(const char *id) {
    const tmap_fact_info *fact;
    for (int i = 0; (fact = tmap_fact_get(i)) != NULL; i++)
        if (strcmp(fact->id, id) == 0) return true;
    return false;
}

TEST(rows_are_sound) {
    const tmap_reduction_info *r;
    int n = 0;
    for (; (r = tmap_reduction_get(n)) != NULL; n++) {
        for (unsigned by = TMAP_REDUCES_TENSOR; by <= TMAP_REDUCES_CLUSTER; by <<= 1) /* each pair once */
            if (r->by & by) assert_ptr_equal(tmap_reduction_by((tmap_reduces)by, r->op, r->type), r);
        assert_true(tmap_op_get((int)r->op)->reduces);
        assert_non_null(r->facts[0]);
        for (int i = 0; i < TMAP_REDUCTION_FACTS_MAX && r->facts[i]; i++) assert_true(is_fact(r->facts[i]));
    }
    assert_int_equal(n, 37);
    assert_null(tmap_reduction_get(-1));
}

/* ---- An element ------------------------------------------------------------------------------------------------- */

#define ADD TMAP_OP_REDUCE_ADD
#define MIN TMAP_OP_REDUCE_MIN
#define MAX TMAP_OP_REDUCE_MAX
#define INC TMAP_OP_REDUCE_INC
#define DEC TMAP_OP_REDUCE_DEC

/* clang-format off */
static const struct {
    tmap_op op;
    tmap_type type;
    uint64_t old, operand, result;
} elements[] = {
    /* integers wrap, and have the sign of their type */
    {ADD, TMAP_TYPE_U32, 0xFFFFFFFF, 2, 1},
    {ADD, TMAP_TYPE_S32, 0x7FFFFFFF, 1, 0x80000000},
    {ADD, TMAP_TYPE_U64, 0xFFFFFFFFFFFFFFFF, 0x10, 0xF},
    {MIN, TMAP_TYPE_U32, 0xFFFFFFFF, 1, 1},
    {MIN, TMAP_TYPE_S32, 0xFFFFFFFF, 1, 0xFFFFFFFF},
    {MAX, TMAP_TYPE_U64, 0x8000000000000000, 1, 0x8000000000000000},
    {MAX, TMAP_TYPE_S64, 0x8000000000000000, 1, 1},
    {TMAP_OP_REDUCE_AND, TMAP_TYPE_U32, 0xF0F0F0F0, 0xFF00FF00, 0xF000F000},
    {TMAP_OP_REDUCE_OR, TMAP_TYPE_S64, 0x00F0, 0x8000000000000000, 0x80000000000000F0},
    {TMAP_OP_REDUCE_XOR, TMAP_TYPE_U64, 0xFFFF, 0x10FF00, 0x1000FF},
    /* inc: 0 for values from the operand on; dec: the operand for 0 and for values above the operand */
    {INC, TMAP_TYPE_U32, 6, 7, 7},
    {INC, TMAP_TYPE_U32, 7, 7, 0},
    {INC, TMAP_TYPE_U32, 0xFFFFFFFF, 7, 0},
    {INC, TMAP_TYPE_U32, 0, 0, 0},
    {DEC, TMAP_TYPE_U32, 7, 7, 6},
    {DEC, TMAP_TYPE_U32, 0, 7, 7},
    {DEC, TMAP_TYPE_U32, 8, 7, 7},
    /* f16: 1 + 2^-11 is a tie to even below, 1 + 2^-10 + 2^-11 one to even above; 65504 + 16 is a tie to infinity */
    {ADD, TMAP_TYPE_F16, 0x3C00, 0x1000, 0x3C00},
    {ADD, TMAP_TYPE_F16, 0x3C01, 0x1000, 0x3C02},
    {ADD, TMAP_TYPE_F16, 0x3C00, 0x1001, 0x3C01},
    {ADD, TMAP_TYPE_F16, 0x7BFF, 0x4C00, 0x7C00},
    {ADD, TMAP_TYPE_F16, 0x7BFF, 0x4BFF, 0x7BFF},
    {ADD, TMAP_TYPE_F16, 0x0001, 0x0001, 0x0002},
    {ADD, TMAP_TYPE_F16, 0x0400, 0x8001, 0x03FF},
    {ADD, TMAP_TYPE_F16, 0x03FF, 0x0001, 0x0400},
    {ADD, TMAP_TYPE_F16, 0x8000, 0x8000, 0x8000},
    {ADD, TMAP_TYPE_F16, 0x8000, 0x0000, 0x0000},
    {ADD, TMAP_TYPE_F16, 0x3C00, 0xBC00, 0x0000},
    {ADD, TMAP_TYPE_F16, 0x7C00, 0xFC00, 0x7FFF},
    {ADD, TMAP_TYPE_F16, 0xFC00, 0x7BFF, 0xFC00},
    {ADD, TMAP_TYPE_F16, 0xFE01, 0x3C00, 0x7FFF},
    /* bf16: 1 + 2^-8 is a tie to even; the largest number and half its last place */
    {ADD, TMAP_TYPE_BF16, 0x3F80, 0x3B80, 0x3F80},
    {ADD, TMAP_TYPE_BF16, 0x3F81, 0x3B80, 0x3F82},
    {ADD, TMAP_TYPE_BF16, 0x7F7F, 0x7B00, 0x7F80},
    {ADD, TMAP_TYPE_BF16, 0x0001, 0x8003, 0x8002},
    /*
     * f32: 1 + 2^-24 ties to even, 2^24 + 1 too; the sum of a large and a small number depends on the lost bits
     */
    {ADD, TMAP_TYPE_F32, 0x3F800000, 0x33800000, 0x3F800000},
    {ADD, TMAP_TYPE_F32, 0x3F800000, 0x33800001, 0x3F800001},
    {ADD, TMAP_TYPE_F32, 0x4B800000, 0x3F800000, 0x4B800000},
    {ADD, TMAP_TYPE_F32, 0x3F800000, 0x80000001, 0x3F800000},
    {ADD, TMAP_TYPE_F32, 0x7F7FFFFF, 0x73000000, 0x7F800000},
    {ADD, TMAP_TYPE_F32, 0x00000001, 0x00000001, 0x00000002},
    {ADD, TMAP_TYPE_F32, 0x00800000, 0x80000001, 0x007FFFFF},
    {ADD, TMAP_TYPE_F32, 0xFF800001, 0x3F800000, 0x7FFFFFFF},
    /* with ftz a subnormal operand is zero, and a subnormal sum becomes zero with its sign */
    {ADD, TMAP_TYPE_F32_FTZ, 0x00000001, 0x3F800000, 0x3F800000},
    {ADD, TMAP_TYPE_F32_FTZ, 0x007FFFFF, 0x007FFFFF, 0x00000000},
    {ADD, TMAP_TYPE_F32_FTZ, 0x807FFFFF, 0x80000001, 0x80000000},
    {ADD, TMAP_TYPE_F32_FTZ, 0x80800001, 0x00800000, 0x80000000},
    {ADD, TMAP_TYPE_F32_FTZ, 0x00800000, 0x00800000, 0x01000000},
    {ADD, TMAP_TYPE_TF32, 0x3F800001, 0x00000000, 0x3F800001},
    {ADD, TMAP_TYPE_TF32_FTZ, 0x00000001, 0x00000000, 0x00000000},
    /* a number and a NaN give the number; -0 is below +0 */
    {MIN, TMAP_TYPE_F16, 0x7E00, 0x3C00, 0x3C00},
    {MAX, TMAP_TYPE_F16, 0x3C00, 0xFE01, 0x3C00},
    {MAX, TMAP_TYPE_F16, 0xFE01, 0x7D01, 0x7FFF},
    {MIN, TMAP_TYPE_F16, 0x0000, 0x8000, 0x8000},
    {MAX, TMAP_TYPE_F16, 0x8000, 0x0000, 0x0000},
    {MIN, TMAP_TYPE_F16, 0xFC00, 0xFBFF, 0xFC00},
    {MIN, TMAP_TYPE_BF16, 0x0001, 0x8001, 0x8001},
    {MAX, TMAP_TYPE_BF16, 0x7F80, 0x7F7F, 0x7F80},
    {MAX, TMAP_TYPE_BF16, 0xBF80, 0xC000, 0xBF80},
};
/* clang-format on */

TEST(elements_by_hand) {
    for (size_t i = 0; i < COUNT(elements); i++) {
        const tmap_reduction_info *r = tmap_reduction_of(elements[i].op, elements[i].type);
        assert_non_null(r);
        uint64_t result = tmap_reduce_value(r, elements[i].old, elements[i].operand);
        if (result != elements[i].result)
            fail_msg("row %d, %s of %s: 0x%llx and 0x%llx give 0x%llx, not 0x%llx", (int)i,
                     tmap_op_get((int)r->op)->name, tmap_type_get((int)r->type)->name,
                     (unsigned long long)elements[i].old, (unsigned long long)elements[i].operand,
                     (unsigned long long)result, (unsigned long long)elements[i].result);
    }
}

/* Bits above the width of the element are ignored. */
TEST(bits_above_the_element_do_not_matter) {
    const tmap_reduction_info *r = tmap_reduction_of(ADD, TMAP_TYPE_F16);
    assert_int_equal(tmap_reduce_value(r, 0xABCD3C00, 0x12343C00), 0x4000);
}

/* ---- A box ------------------------------------------------------------------------------------------------------ */

static tmap_copy_result reduce(const tmap_copy *copy) {
    tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(tmap_emulate_reduce(copy, shared_bytes, MEMORY_B, &memory, &result), TMAP_OK);
    return result;
}

/* 6 x 5 numbers in rows of 32 B; a box {4, 2} at (4, 4) has two columns and one row inside. */
TEST(boxes_are_clipped) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U32, 2);
    map.dims_el[0] = 6, map.dims_el[1] = 5;
    map.box_el[0] = 4, map.box_el[1] = 2;
    map.strides_B[0] = 32;
    tmap_copy copy = box_copy(ADD, &map, AT(4, 4), 0);
    count_u32(global_bytes, 0, 100, 48);
    count_u32(expected_bytes, 0, 100, 48);
    count_u32(shared_bytes, 0, 1000, 8);
    put_u32(expected_bytes, 4 * 32 + 16, 136 + 1000);
    put_u32(expected_bytes, 4 * 32 + 20, 137 + 1001);
    tmap_copy_result result = reduce(&copy);
    expect_global();
    expect_counts(&result, 32, 8, 0, 24);
}

/* The box has every other row of the tensor, 16 B in each 128-byte line. The swizzle changes bit 4 of the second row's
 * address. */
TEST(swizzled_and_strided_boxes) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(4, 8), DIMS(4, 4));
    map.element_strides[1] = 2;
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(MAX, &map, AT(0, 1), 0);
    count_u32(global_bytes, 0, 0, 32);
    count_u32(expected_bytes, 0, 0, 32);
    count_u32(shared_bytes, 0, 4, 4); /* row 1 has 4 .. 7: nothing changes */
    count_u32(shared_bytes, 128 + 16, 50, 4);
    count_u32(expected_bytes, 3 * 16, 50, 4);
    tmap_copy_result result = reduce(&copy);
    expect_global();
    expect_counts(&result, 32, 32, 0, 2 * 128 - 32);
}

/* The box has 3 x 3 rows of one line each, of 6 x 3 rows of the tensor: the second and the third block of rows start
 * inside the pattern of eight lines. Unit u of line n is at unit u ^ n % 8 of the line (PTX ISA 5.5.7). */
TEST(blocks_of_lines_inside_the_pattern) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 3, DIMS(32, 6, 3), DIMS(32, 3, 3));
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(ADD, &map, AT(0, 0, 0), 0);
    count_u32(global_bytes, 0, 0, 18 * 32);
    count_u32(expected_bytes, 0, 0, 18 * 32);
    for (uint32_t n = 0; n < 9; n++) {
        uint32_t row = n / 3 * 6 + n % 3;
        for (uint32_t u = 0; u < 8; u++) count_u32(shared_bytes, n * 128 + (u ^ n % 8) * 16, 1000 * n + 4 * u, 4);
        for (uint32_t x = 0; x < 32; x++) put_u32(expected_bytes, row * 128 + 4 * x, row * 32 + x + 1000 * n + x);
    }
    tmap_copy_result result = reduce(&copy);
    expect_global();
    expect_counts(&result, 9 * 128, 9 * 128, 0, 0);
}

/* Four rows at the same bytes: each row is added, in box order where the order matters. */
TEST(rows_that_share_bytes_are_all_combined) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(4, 4), DIMS(4, 4));
    map.strides_B[0] = 0;
    tmap_copy copy = box_copy(ADD, &map, AT(0, 0), 0);
    count_u32(global_bytes, 0, 7, 4);
    count_u32(shared_bytes, 0, 0, 16);
    for (uint32_t x = 0; x < 4; x++) put_u32(expected_bytes, 4 * x, 7 + x + 4 * x + 24);
    reduce(&copy);
    expect_global();
}

typedef struct read_write {
    uint8_t bytes[64];
    size_t read, written;
} read_write;

static void read_bytes(void *context, uint64_t offset, void *to, size_t size) {
    read_write *m = context;
    memcpy(to, m->bytes + offset, size);
    m->read += size;
}

static void write_bytes(void *context, uint64_t offset, const void *from, size_t size) {
    read_write *m = context;
    memcpy(m->bytes + offset, from, size);
    m->written += size;
}

TEST(memory_by_functions) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(4, 4), DIMS(4, 2));
    tmap_copy copy = box_copy(TMAP_OP_REDUCE_XOR, &map, AT(0, 1), 0);
    read_write m = {{0}, 0, 0};
    tmap_memory memory = {.size_B = sizeof m.bytes, .read = read_bytes, .write = write_bytes, .context = &m};
    tmap_copy_result result;
    count_u32(m.bytes, 0, 0, 16);
    count_u32(shared_bytes, 0, 4, 8);
    assert_int_equal(tmap_emulate(&copy, shared_bytes, MEMORY_B, &memory, &result), TMAP_OK);
    for (size_t i = 0; i < 64; i++) assert_int_equal(m.bytes[i], i >= 16 && i < 48 ? 0 : i % 4 == 0 ? i / 4 : 0);
    assert_int_equal(m.read, 32);
    assert_int_equal(m.written, 32);
}

TEST(other_operations_are_refused) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(4, 4), DIMS(4, 2));
    tmap_copy copy = box_copy(TMAP_OP_STORE, &map, AT(0, 1), 0), sum = box_copy(ADD, &map, AT(0, 1), 0);
    tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes};
    tmap_copy_result result;
    assert_int_equal(tmap_emulate_reduce(&copy, shared_bytes, MEMORY_B, &memory, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_emulate_store(&sum, shared_bytes, MEMORY_B, &memory, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_emulate_reduce(&sum, shared_bytes, 31, &memory, &result), TMAP_BAD_ARGUMENT);
    memory.size_B = 47;
    assert_int_equal(tmap_emulate_reduce(&sum, shared_bytes, MEMORY_B, &memory, &result), TMAP_REFUSED);
    expect_global();
}

/* ---- The facts of a reduction ------------------------------------------------------------------------------------ */

TEST(facts_are_those_of_the_arithmetic) {
    static const struct {
        tmap_op op;
        tmap_type type;
        const char *fact, *not ;
    } rows[] = {
        {ADD, TMAP_TYPE_U32, "reduce-integers", "reduce-overlap-order"},
        {ADD, TMAP_TYPE_F16, "reduce-half-subnormals", "reduce-f32-subnormals"},
        {ADD, TMAP_TYPE_F32, "reduce-f32-subnormals", "reduce-tf32"},
        {ADD, TMAP_TYPE_TF32, "reduce-tf32", "tf32-store"},
        {MIN, TMAP_TYPE_BF16, "reduce-half-min-max", "reduce-nan"},
        {INC, TMAP_TYPE_U32, "reduce-inc-dec", "stores-copy-bits"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = tiled(rows[i].type, 2, DIMS(8, 4), DIMS(8, 2));
        tmap_copy copy = box_copy(rows[i].op, &map, AT(0, 1), 0);
        assert_true(rests_on(&copy, rows[i].fact));
        assert_false(rests_on(&copy, rows[i].not ));
    }
}

#define KEPT    "reduce-f32-subnormals"
#define FLUSHED "reduce-f32-subnormals-flushed"

/*
 * Both readings of a sum through an f32 or tf32 map. The second one is the arithmetic of red.add.f32 in global memory
 * (PTX ISA 9.1, red): the sum of two largest subnormals is zero with its sign. Without the flush, the sum is 2 x (2^23
 * - 1) units of 2^-149.
 */
TEST(subnormals_have_two_readings) {
    static const struct {
        tmap_type type;
        int alternative, reading;
        uint32_t sum;
        const char *fact;
    } rows[] = {
        {TMAP_TYPE_F32, TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS, 0, 0x80FFFFFE, KEPT},
        {TMAP_TYPE_F32, TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS, 1, 0x80000000, FLUSHED},
        {TMAP_TYPE_TF32, TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS, 1, 0x80000000, FLUSHED},
        {TMAP_TYPE_F32_FTZ, TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS, 1, 0x80000000, KEPT},
        {TMAP_TYPE_F32, TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT, 1, 0x80FFFFFE, KEPT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params params = tiled(rows[i].type, 1, DIMS(4), DIMS(4));
        tmap_judge judge = {.assume = {0}};
        tmap_memory memory = {.size_B = MEMORY_B, .bytes = global_bytes};
        tmap_copy_result result;
        tmap_map map;
        tmap_copy copy;
        judge.assume[rows[i].alternative] = (uint8_t)(rows[i].reading + 1);
        put_u32(global_bytes, 0, 0x807FFFFF);
        put_u32(shared_bytes, 0, 0x807FFFFF);
        assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
        assert_int_equal(tmap_copy_init(&copy, &map, &(tmap_copy_params){.op = ADD, .at_n = 1}, &judge, NULL), TMAP_OK);
        assert_int_equal(tmap_emulate(&copy, shared_bytes, MEMORY_B, &memory, &result), TMAP_OK);
        put_u32(expected_bytes, 0, rows[i].sum);
        assert_memory_equal(global_bytes, expected_bytes, 4);
        assert_true(rests_on(&copy, rows[i].fact));
        assert_int_not_equal(rests_on(&copy, KEPT), rests_on(&copy, FLUSHED));
    }
}

/* Only if several values reach one element and the order changes the result. */
TEST(some_reductions_depend_on_the_order) {
    tmap_map_params map = tiled(TMAP_TYPE_U32, 2, DIMS(4, 4), DIMS(4, 4));
    map.strides_B[0] = 0;
    tmap_copy sum = box_copy(ADD, &map, AT(0, 0), 0), up = box_copy(INC, &map, AT(0, 0), 0);
    assert_false(rests_on(&sum, "reduce-overlap-order"));
    assert_true(rests_on(&up, "reduce-overlap-order"));
}

/* Sums are those of the usual mode, and the caller's mode and flags are the same afterwards. */
TEST(the_callers_mode_is_kept) {
#if defined(__x86_64__)
    /* all exceptions masked; FTZ and DAZ; rounded up; no flag set; the flag of inexact results set */
    static const unsigned modes[] = {0x9fc0, 0x5f80, 0x1f80, 0x1fa0};
    const unsigned before = _mm_getcsr();
    tmap_map_params map = tiled(TMAP_TYPE_F32, 1, DIMS(64), DIMS(64));
    tmap_copy sum = box_copy(ADD, &map, AT(0), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        memset(global_bytes, 0, MEMORY_B);
        memset(shared_bytes, 0, MEMORY_B);
        memset(expected_bytes, 0, MEMORY_B);
        put_u32(global_bytes, 0, 1), put_u32(shared_bytes, 0, 1), put_u32(expected_bytes, 0, 2);
        put_u32(global_bytes, 4, 0x3f800000), put_u32(shared_bytes, 4, 1), put_u32(expected_bytes, 4, 0x3f800000);
        _mm_setcsr(modes[i]);
        uint64_t value = tmap_reduce_value(tmap_reduction_of(ADD, TMAP_TYPE_F32), 0x3f800000, 1),
                 subnormal = tmap_reduce_value(tmap_reduction_of(ADD, TMAP_TYPE_F32), 1, 1);
        unsigned after_value = _mm_getcsr();
        reduce(&sum);
        unsigned after_box = _mm_getcsr();
        _mm_setcsr(before);
        assert_int_equal(value, 0x3f800000);
        assert_int_equal(subnormal, 2);
        assert_memory_equal(global_bytes, expected_bytes, 256);
        assert_int_equal(after_value, modes[i]);
        assert_int_equal(after_box, modes[i]);
    }
#else
    skip();
#endif
}

/* Each instruction set of this machine has functions of its own, and tmap uses the widest. */
TEST(instruction_sets) {
    const tmap_reductions *sets[TMAP_VECTORS_COUNT], *widest = NULL;
    for (int v = TMAP_VECTORS_COUNT - 1; v >= 0; v--) {
        sets[v] = tmap_reductions_get((tmap_vectors)v);
        for (int w = v + 1; w < TMAP_VECTORS_COUNT; w++) assert_true(!sets[v] || sets[v] != sets[w]);
        if (sets[v]) widest = sets[v];
    }
    assert_non_null(sets[TMAP_VECTORS_PORTABLE]);
    assert_ptr_equal(tmap_reductions_best(), widest);
#if defined(__x86_64__)
    bool avx512 =
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    assert_int_equal(sets[TMAP_VECTORS_AVX512] != NULL, avx512);
    assert_int_equal(sets[TMAP_VECTORS_AVX2] != NULL, __builtin_cpu_supports("avx2") != 0);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    assert_non_null(sets[TMAP_VECTORS_OF_MACHINE]);
#endif
}

BEFORE_EACH(fresh_memories)
