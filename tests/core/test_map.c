/* Rooms params, map and emu: derived numbers, freezing, and synthetic memory. */
#include "cmocka_all.h"
#include "emu/containers.h"
#include "emu/global_memory.h"
#include "emu/synthetic_memory.h"
#include "hw/archs.h"
#include "tmap/unstable/gen.h"

#include <tmap/emu.h>

static tmap_map_params tiled(tmap_type type, uint64_t rank, const uint64_t *dims, const uint64_t *box) {
    tmap_map_params params = tmap_map_params_tiled(type, rank);
    memcpy(params.dims_el, dims, rank * sizeof *dims);
    memcpy(params.box_el, box, rank * sizeof *box);
    assert_true(tmap_map_params_dense(&params));
    return params;
}

/* Rows by hand from PTX ISA 5.5.1.1, 5.5.3, 5.5.7 and the driver API's text: inner bytes and pitch of a row, rows,
 * transaction bytes, alignment of the pattern. */
TEST(derived_numbers) {
    static const struct {
        tmap_type type;
        tmap_swizzle swizzle;
        uint64_t rank, box[3], element_strides[3];
        uint64_t inner_B, pitch_B, rows_n, payload_B, align_B;
    } rows[] = {
        {TMAP_TYPE_F16, TMAP_SWIZZLE_128B, 2, {64, 128}, {1, 1}, 128, 128, 128, 16384, 1024},
        {TMAP_TYPE_F16, TMAP_SWIZZLE_NONE, 2, {64, 128}, {1, 1}, 128, 128, 128, 16384, 128},
        {TMAP_TYPE_F16, TMAP_SWIZZLE_NONE, 2, {256, 2}, {1, 1}, 512, 512, 2, 1024, 128},
        {TMAP_TYPE_U32, TMAP_SWIZZLE_128B, 2, {8, 5}, {1, 2}, 32, 128, 3, 96, 1024},
        {TMAP_TYPE_U8, TMAP_SWIZZLE_64B, 2, {48, 4}, {7, 1}, 48, 64, 4, 192, 512},
        {TMAP_TYPE_F32, TMAP_SWIZZLE_32B, 1, {8}, {1}, 32, 32, 1, 32, 256},
        {TMAP_TYPE_F64, TMAP_SWIZZLE_128B_ATOM_32B, 3, {16, 3, 9}, {1, 1, 4}, 128, 128, 9, 1152, 512},
        {TMAP_TYPE_BF16, TMAP_SWIZZLE_128B_ATOM_64B, 2, {64, 2}, {1, 1}, 128, 128, 2, 256, 256},
        {TMAP_TYPE_U8, TMAP_SWIZZLE_96B, 2, {96, 2}, {1, 1}, 96, 96, 2, 192, 256},
        {TMAP_TYPE_B4X16, TMAP_SWIZZLE_64B, 2, {64, 4}, {1, 1}, 32, 64, 4, 128, 512},
        {TMAP_TYPE_B4X16_P64, TMAP_SWIZZLE_128B, 2, {128, 4}, {1, 1}, 128, 128, 4, 256, 1024},
        {TMAP_TYPE_B6X16_P32, TMAP_SWIZZLE_NONE, 2, {128, 4}, {1, 1}, 128, 128, 4, 384, 128},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params params = tmap_map_params_tiled(rows[i].type, rows[i].rank);
        params.swizzle = rows[i].swizzle;
        for (uint64_t d = 0; d < rows[i].rank; d++) {
            params.box_el[d] = rows[i].box[d];
            params.element_strides[d] = rows[i].element_strides[d];
        }
        tmap_derived derived = tmap_derive(&params, false);
        assert_int_equal(derived.inner_shared_B, rows[i].inner_B);
        assert_int_equal(derived.pitch_B, rows[i].pitch_B);
        assert_int_equal(derived.rows_n, rows[i].rows_n);
        assert_int_equal(derived.payload_B, rows[i].payload_B);
        assert_int_equal(derived.footprint_B, rows[i].rows_n * rows[i].pitch_B);
        assert_int_equal(derived.shared_align_B, rows[i].align_B);
    }
}

TEST(derived_numbers_take_anything) {
    tmap_map_params params;
    memset(&params, 0xff, sizeof params);
    params.has_address = false;
    tmap_derived derived = tmap_derive(&params, true);
    assert_int_equal(derived.payload_B, 0); /* no such type: no number can be derived */
    params.type = TMAP_TYPE_U64;
    params.interleave = TMAP_INTERLEAVE_NONE;
    derived = tmap_derive(&params, false);
    assert_true(derived.inner_shared_B == UINT64_MAX);
    assert_true(derived.span_B == UINT64_MAX);
    memset(&params, 0, sizeof params);
    derived = tmap_derive(&params, false);
    assert_int_equal(derived.span_B, 0);
    assert_int_equal(derived.rows_n, 1);
}

TEST(limits_do_not_wrap) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 2);
    params.dims_el[0] = params.dims_el[1] = (uint64_t)1 << 32;
    params.strides_B[0] = ((uint64_t)1 << 40) - 16;
    params.box_el[0] = 256, params.box_el[1] = 1;
    /* (2^32 - 1)(2^40 - 16) + 2^32 > 2^64 */
    assert_true(tmap_derive(&params, false).span_B == UINT64_MAX);
    assert_int_equal(tmap_derive(&params, false).boxes[0], 1 << 24);
    for (int i = 0; i < 5; i++) params.dims_el[i] = (uint64_t)1 << 32;
    params.rank = 5;
    assert_false(tmap_map_params_dense(&params));
    assert_true(params.strides_B[0] == ((uint64_t)1 << 40) - 16);
}

TEST(freezing_sets_ignored_parameters) {
    tmap_map_params params = tiled(TMAP_TYPE_F16, 2, (uint64_t[]){64, 8}, (uint64_t[]){64, 8});
    params.dims_el[3] = 77, params.strides_B[3] = 3, params.element_strides[0] = 5;
    tmap_map map;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(map.params.dims_el[3], 1);
    assert_int_equal(map.params.strides_B[3], 0);
    assert_int_equal(map.params.element_strides[0], 1);
    tmap_map before = map;
    params.box_el[0] = 257;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_REFUSED);
    assert_memory_equal(&map, &before, sizeof map);
}

TEST(unpredicted_copies_are_reported) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 2, (uint64_t[]){64, 8}, (uint64_t[]){64, 8});
    tmap_copy_params replace = {.op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_ADDRESS, .value = 0x1000};
    tmap_diag storage[4];
    tmap_diags diags = {.items = storage, .capacity = 4, .fixed = true};
    tmap_judge judge = {.archs = TMAP_ARCH_BIT(SM_100A)};
    tmap_map map;
    tmap_copy copy;
    assert_int_equal(tmap_map_init(&map, &params, &judge, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, &replace, &judge, &diags), TMAP_UNAVAILABLE);
    assert_string_equal(storage[diags.count - 1].rule, "mode-unavailable");
}

static tmap_copy load_of(const tmap_map_params *params, int64_t column, int64_t row) {
    tmap_map map;
    tmap_copy copy;
    tmap_copy_params load = {.op = TMAP_OP_LOAD, .at = {column, row}, .at_n = 2, .shared = 1024};
    assert_int_equal(tmap_map_init(&map, params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, &load, NULL, NULL), TMAP_OK);
    return copy;
}

TEST(too_little_memory_writes_nothing) {
    tmap_map_params params = tiled(TMAP_TYPE_U8, 2, (uint64_t[]){32, 4}, (uint64_t[]){16, 2});
    tmap_copy copy = load_of(&params, 16, 2);
    uint8_t global[128] = {1}, shared[32];
    tmap_copy_result result;
    memset(shared, 0xcd, sizeof shared);
    /* The last byte that is read: row 3, column 31 = byte 127. */
    tmap_memory memory = {.size_B = 127, .bytes = global};
    assert_int_equal(tmap_emulate_load(&copy, &memory, shared, sizeof shared, &result), TMAP_REFUSED);
    for (size_t i = 0; i < sizeof shared; i++) assert_int_equal(shared[i], 0xcd);
    memory.size_B = 128;
    assert_int_equal(tmap_emulate_load(&copy, &memory, shared, sizeof shared - 1, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_emulate_load(&copy, &memory, shared, sizeof shared, &result), TMAP_OK);
    assert_int_equal(result.tx_B, 32);
}

TEST(index_fill_counts_elements) {
    /* 3 x 2 u16 in rows of 16 B: elements 0 1 2 | 3 4 5, the rest of a row is 0. */
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U16, 2);
    params.dims_el[0] = 3, params.dims_el[1] = 2, params.strides_B[0] = 16;
    params.box_el[0] = 8, params.box_el[1] = 1;
    static const uint8_t rows[22] = {0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 5, 0};
    tmap_map map;
    tmap_index_fill fill;
    uint8_t bytes[22];
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    tmap_memory memory = tmap_memory_index(&fill, &map);
    assert_int_equal(memory.size_B, 22);
    memory.read(memory.context, 0, bytes, sizeof bytes);
    assert_memory_equal(bytes, rows, sizeof rows);
    for (size_t i = 0; i < sizeof bytes; i++) {
        memory.read(memory.context, i, bytes, 1);
        assert_int_equal(bytes[0], rows[i]);
    }
}

/* One row: its stride of 0 moves nothing. */
TEST(index_fill_of_one_row) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U16, 2);
    params.dims_el[0] = 3, params.dims_el[1] = 1, params.strides_B[0] = 0;
    params.box_el[0] = 8, params.box_el[1] = 1;
    static const uint8_t row[6] = {0, 0, 1, 0, 2, 0};
    tmap_map map;
    tmap_index_fill fill;
    uint8_t bytes[6];
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    tmap_memory memory = tmap_memory_index(&fill, &map);
    memory.read(memory.context, 0, bytes, sizeof bytes);
    assert_memory_equal(bytes, row, sizeof row);
}

/* 2 x 3 x 2 x 2 x 2 of u8: each stride is twice the reach of the dimensions below, so bytes between rows are 0. */
TEST(index_fill_of_five_dimensions) {
    static const uint64_t dims[] = {2, 3, 2, 2, 2}, strides[] = {16, 64, 128, 256};
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 5);
    for (int i = 0; i < 5; i++) params.dims_el[i] = dims[i], params.box_el[i] = i == 0 ? 16 : 1;
    for (int i = 0; i < 4; i++) params.strides_B[i] = strides[i];
    tmap_map map;
    tmap_index_fill fill;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    tmap_memory memory = tmap_memory_index(&fill, &map);
    uint8_t expected[512] = {0}, bytes[512], number = 0;
    for (uint64_t row = 0; row < 24; row++) {
        uint64_t at = row % 3 * 16 + row / 3 % 2 * 64 + row / 6 % 2 * 128 + row / 12 * 256;
        for (uint64_t i = 0; i < 2; i++) expected[at + i] = number++;
    }
    assert_int_equal(memory.size_B, 482);
    memory.read(memory.context, 0, bytes, 482);
    assert_memory_equal(bytes, expected, 482);
}

/* The tensor's bytes, one value after the other: value `base` + number, in the low bits of its place. */
static void count_values(const tmap_map_params *map, uint64_t base, uint8_t *bytes) {
    uint64_t bits = (uint64_t)tmap_type_get((int)map->type)->bits, per_step = 1, steps = 1;
    if (map->interleave != TMAP_INTERLEAVE_NONE) per_step = (map->interleave == TMAP_INTERLEAVE_16B ? 128 : 256) / bits;
    for (uint64_t i = 0; i < map->rank; i++) steps *= map->dims_el[i];
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t rest = step / map->dims_el[0], at_bit = step % map->dims_el[0] * per_step * bits;
        for (uint64_t i = 1; i < map->rank; rest /= map->dims_el[i], i++)
            at_bit += rest % map->dims_el[i] * map->strides_B[i - 1] * 8;
        for (uint64_t bit = 0; bit < per_step * bits; bit++, at_bit++) {
            uint64_t value = base + step * per_step + bit / bits;
            bytes[at_bit / 8] |= (uint8_t)((value >> bit % bits & 1) << at_bit % 8);
        }
    }
}

/* Dimensions in any order of their strides, with gaps or without, and dimensions of one entry with any stride. */
static bool random_tensor(tmap_random *random, tmap_map_params *map) {
    static const tmap_type types[] = {TMAP_TYPE_U8,  TMAP_TYPE_U16,   TMAP_TYPE_F32,
                                      TMAP_TYPE_U64, TMAP_TYPE_B4X16, TMAP_TYPE_B6X16_P32};
    *map = tmap_map_params_tiled(types[tmap_random_between(random, 0, COUNT(types) - 1)],
                                 tmap_random_between(random, 1, 5));
    bool slices = map->rank >= 3 && map->type <= TMAP_TYPE_U16 && tmap_random_between(random, 0, 1);
    if (slices) map->interleave = tmap_random_between(random, 0, 1) ? TMAP_INTERLEAVE_16B : TMAP_INTERLEAVE_32B;
    if (map->interleave == TMAP_INTERLEAVE_32B) map->swizzle = TMAP_SWIZZLE_32B;
    uint64_t row_bits = (uint64_t)tmap_type_get((int)map->type)->bits, reach, last[5] = {0};
    for (uint64_t i = 0; i < map->rank; i++) map->dims_el[i] = tmap_random_between(random, 1, i == 0 ? 90 : 5);
    if (map->type == TMAP_TYPE_B4X16) map->dims_el[0] *= 2;
    if (map->type == TMAP_TYPE_B6X16_P32) map->dims_el[0] = 128;
    for (uint64_t i = 0; i < map->rank; i++) map->box_el[i] = i > 0 || slices ? 1 : 128;
    if (slices) row_bits = map->interleave == TMAP_INTERLEAVE_16B ? 128 : 256;
    reach = map->dims_el[0] * row_bits / 8;
    for (uint64_t n = 1; n < map->rank; n++) { /* the next free dimension, in any order */
        uint64_t dim = 1 + tmap_random_between(random, 0, map->rank - 2);
        while (last[dim]) dim = 1 + dim % (map->rank - 1);
        last[dim] = 1;
        uint64_t stride = (reach + 31) / 32 * 32 + 32 * tmap_random_between(random, 0, 1);
        if (map->dims_el[dim] == 1) stride = 32 * tmap_random_between(random, 0, 200);
        map->strides_B[dim - 1] = stride;
        reach += stride * (map->dims_el[dim] - 1);
    }
    return reach <= 1 << 15;
}

TEST(index_fill_of_any_tensor) {
    static uint8_t expected[1 << 15], bytes[1 << 15];
    const tmap_judge judge = {.archs = TMAP_ARCHS_100};
    unsigned cases_n = 0;
    for (uint64_t i = 0; i < 400; i++) {
        tmap_random random = {.state = i};
        tmap_map_params params;
        tmap_map map;
        tmap_index_fill fill;
        if (!random_tensor(&random, &params)) continue;
        assert_int_equal(tmap_map_init(&map, &params, &judge, NULL), TMAP_OK);
        tmap_memory memory = tmap_memory_index(&fill, &map);
        fill.base = i % 2 ? tmap_random_next(&random) : 0;
        memset(expected, 0, sizeof expected);
        count_values(&params, fill.base, expected);
        memory.read(memory.context, 0, bytes, memory.size_B);
        assert_memory_equal(bytes, expected, memory.size_B);
        for (int part = 0; part < 20; part++) {
            uint64_t first = tmap_random_between(&random, 0, memory.size_B - 1);
            uint64_t size = tmap_random_between(&random, 0, memory.size_B - first);
            memset(bytes, 0xcd, size);
            memory.read(memory.context, first, bytes, size);
            assert_memory_equal(bytes, expected + first, size);
        }
        cases_n++;
    }
    assert_true(cases_n > 200);
}

/* The numbers of a load are computed, not read, only from the memory of its own map, if an offset has one place. */
TEST(index_fill_of_its_own_map) {
    tmap_map_params params = tiled(TMAP_TYPE_U16, 3, (uint64_t[]){64, 4, 4}, (uint64_t[]){64, 4, 4}), other;
    const tmap_copy_params load = {.op = TMAP_OP_LOAD, .at_n = 3};
    tmap_index_fill fill;
    tmap_random_fill noise;
    tmap_map map;
    tmap_copy copy;
#define OF(changed, memory_)                                                                                           \
    (assert_int_equal(tmap_map_init(&map, &(changed), NULL, NULL), TMAP_OK),                                           \
     assert_int_equal(tmap_copy_init(&copy, &map, &load, NULL, NULL), TMAP_OK), tmap_index_of(&(memory_), &copy))
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    const tmap_memory memory = tmap_memory_index(&fill, &map);
    const tmap_memory random = tmap_memory_random(&noise, 1, 1 << 20);
    assert_ptr_equal(OF(params, memory), &fill);
    assert_null(OF(params, random));
    other = params, other.swizzle = TMAP_SWIZZLE_128B; /* the same tensor */
    assert_ptr_equal(OF(other, memory), &fill);
    other = params, other.type = TMAP_TYPE_F16;
    assert_null(OF(other, memory));
    other = params, other.dims_el[2] = 3;
    assert_null(OF(other, memory));
    other = params, other.strides_B[1] += 16;
    assert_null(OF(other, memory));
    other = params, other.interleave = TMAP_INTERLEAVE_16B;
    assert_null(OF(other, memory));
    /* rows that end where the next begins, that overlap by 16 bytes, that overlap once, and that wrap */
    static const struct {
        uint64_t dims[3], strides[2];
        bool one_place;
    } rows[] = {{{64, 4, 4}, {128, 512}, true},
                {{64, 4, 4}, {112, 512}, false},
                {{64, 4, 4}, {128, 496}, false},
                {{64, 1, 4}, {0, 128}, true},
                {{64, 1, 4}, {0, 112}, false},
                {{64, 4, 1}, {128, 0}, true},
                {{64, 4, 2}, {512, 128}, false},
                {{64, 2147483648, 1}, {8589934592, 0}, true},
                {{64, 2147483648, 1}, {17179869184, 0}, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        other = params;
        for (int d = 0; d < 3; d++) other.dims_el[d] = rows[i].dims[d];
        for (int d = 0; d < 2; d++) other.strides_B[d] = rows[i].strides[d];
        assert_int_equal(tmap_map_init(&map, &other, NULL, NULL), TMAP_OK);
        const tmap_memory own = tmap_memory_index(&fill, &map);
        assert_ptr_equal(OF(other, own), rows[i].one_place ? &fill : NULL);
    }
#undef OF
}

/* More rows than the emulator computes at once: element n of the tensor is element n of the box. */
TEST(index_fill_of_a_large_box) {
    enum { ELEMENTS_N = 64 * 256 * 2 };
    static uint32_t shared[ELEMENTS_N];
    tmap_map_params params = tiled(TMAP_TYPE_U32, 3, (uint64_t[]){64, 256, 2}, (uint64_t[]){64, 256, 2});
    const tmap_copy_params load = {.op = TMAP_OP_LOAD, .at_n = 3};
    tmap_map map;
    tmap_copy copy;
    tmap_index_fill fill;
    tmap_copy_result result;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, &load, NULL, NULL), TMAP_OK);
    tmap_memory memory = tmap_memory_index(&fill, &map);
    assert_int_equal(tmap_emulate_load(&copy, &memory, (uint8_t *)shared, sizeof shared, &result), TMAP_OK);
    for (uint32_t i = 0; i < ELEMENTS_N; i++) assert_int_equal(shared[i], i);
}

/* Rows of 6-bit values, one after another, and at most 64 bytes more (synthetic_memory.h). */
TEST(index_rows_end) {
    enum { ROW_B = 99, ROWS = 3 };
    uint8_t bytes[ROWS * ROW_B + 200];
    memset(bytes, 0xcd, sizeof bytes);
    tmap_index_write(bytes, 5, &(tmap_index_rows){.step = 1000, .bits = 6, .rows_n = ROWS, .size = ROW_B});
    for (size_t bit = 0; bit < ROWS * ROW_B * 8; bit++) {
        size_t row = bit / (ROW_B * 8), in_row = bit % (ROW_B * 8);
        size_t value = 5 + row * 1000 + in_row / 6;
        assert_int_equal(bytes[bit / 8] >> bit % 8 & 1, value >> in_row % 6 & 1);
    }
    for (size_t i = ROWS * ROW_B + 64; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0xcd);
}

/* Value i is in bits 6 i to 6 i + 5; the two high bits of a byte are dropped. At most 8 bytes more are written. */
TEST(sixes_are_packed) {
    for (uint32_t count = 8; count <= 128; count += 8) {
        uint8_t from[128], to[128];
        for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(37 * i + 11);
        memset(to, 0xcd, sizeof to);
        tmap_pack_sixes(to, from, count);
        for (uint32_t bit = 0; bit < 6 * count; bit++)
            assert_int_equal(to[bit / 8] >> bit % 8 & 1, from[bit / 6] >> bit % 6 & 1);
        for (uint32_t i = 6 * count / 8 + 8; i < sizeof to; i++) assert_int_equal(to[i], 0xcd);
    }
}

TEST(index_fill_packs_small_values) {
    tmap_judge judge = {.archs = TMAP_ARCHS_100};
    tmap_map map;
    tmap_index_fill fill;
    uint8_t bytes[6];
    tmap_map_params four = tiled(TMAP_TYPE_B4X16, 1, (uint64_t[]){64}, (uint64_t[]){64});
    assert_int_equal(tmap_map_init(&map, &four, &judge, NULL), TMAP_OK);
    tmap_memory memory = tmap_memory_index(&fill, &map);
    memory.read(memory.context, 7, bytes, 2); /* values 14, 15 | 16, 17, the low four bits of each */
    assert_int_equal(bytes[0], 0xfe);
    assert_int_equal(bytes[1], 0x10);
    tmap_map_params six = tiled(TMAP_TYPE_B6X16_P32, 1, (uint64_t[]){128}, (uint64_t[]){128});
    assert_int_equal(tmap_map_init(&map, &six, &judge, NULL), TMAP_OK);
    memory = tmap_memory_index(&fill, &map);
    memory.read(memory.context, 0, bytes, 3); /* 0, 1, 2, 3: 0 | 1 << 6 | 2 << 12 | 3 << 18 = 0x0c2040 */
    assert_int_equal(bytes[0], 0x40);
    assert_int_equal(bytes[1], 0x20);
    assert_int_equal(bytes[2], 0x0c);
    for (uint64_t offset = 0; offset < 90; offset++) {
        memory.read(memory.context, offset, bytes, 4);
        for (uint64_t bit = 0; bit < 32; bit++) {
            uint64_t at = offset * 8 + bit;
            assert_int_equal(bytes[bit / 8] >> bit % 8 & 1, at / 6 >> at % 6 & 1);
        }
    }
}

/* splitmix64 of 0 and of 1, little-endian, as published with the generator. */
TEST(random_fill_is_splitmix) {
    tmap_random_fill fill;
    tmap_memory memory = tmap_memory_random(&fill, 0, 1 << 20);
    uint8_t bytes[16];
    static const uint8_t expected[8] = {0xaf, 0xcd, 0x1d, 0x7b, 0x39, 0xa8, 0x20, 0xe2};
    memory.read(memory.context, 0, bytes, sizeof bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
    memory.read(memory.context, 3, bytes, 4);
    assert_memory_equal(bytes, expected + 3, 4);
}

/* The published generator: one word. */
static uint64_t splitmix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

TEST(random_fill_of_any_part) {
    tmap_random_fill fill;
    uint8_t bytes[320];
    tmap_memory memory = tmap_memory_random(&fill, UINT64_MAX - 5, UINT64_MAX);
    for (uint64_t offset = 0; offset < 24; offset++)
        for (size_t size = 0; size < 300; size++) {
            memset(bytes, 0xcd, sizeof bytes);
            memory.read(memory.context, offset, bytes, size);
            for (size_t i = 0; i < size; i++) {
                uint64_t word = splitmix64(UINT64_MAX - 5 + (offset + i) / 8);
                assert_int_equal(bytes[i], (uint8_t)(word >> (offset + i) % 8 * 8));
            }
            assert_int_equal(bytes[size], 0xcd);
        }
}
