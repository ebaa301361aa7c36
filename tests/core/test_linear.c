/* Copies without a tensor map: the bytes that they move, from the documents and against the oracle. */
#include "cmocka_all.h"

#include <string.h>

#include "oracle/bridge.h"
#include "sanitized.h"
#include "tmap/emu.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/tables.h"
#include "tmap/unstable/walk.h"

enum { MEMORY_B = 4096, SHARED_B = 4096, SHARED_AT = 0x400 };

static tmap_map linear_map(tmap_type type, uint64_t elements, uint64_t address) {
    tmap_map_params params = tmap_map_params_tiled(type, 1);
    tmap_map map;
    params.mode = TMAP_MODE_LINEAR;
    params.dims_el[0] = elements;
    params.has_address = address != 0;
    params.address = address;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    return map;
}

static tmap_copy copy_of(const tmap_map *map, const tmap_copy_params *params) {
    tmap_copy copy;
    assert_int_equal(tmap_copy_init(&copy, map, params, NULL, NULL), TMAP_OK);
    return copy;
}

/* ---- Single copies, whose bytes the documents give --------------------------------------------------------------- */

TEST(a_load_moves_its_bytes) {
    const tmap_map map = linear_map(TMAP_TYPE_F32, 64, 0);
    const tmap_copy_params params = {.op = TMAP_OP_LOAD, .at = {8}, .at_n = 1, .size_B = 48, .shared = 0x410};
    const tmap_copy copy = copy_of(&map, &params);
    uint8_t bytes[256], shared[64];
    tmap_memory global = {.size_B = sizeof bytes, .bytes = bytes};
    tmap_copy_result result;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)i;
    memset(shared, 0xcd, sizeof shared);
    assert_int_equal(tmap_emulate(&copy, shared, sizeof shared, &global, &result), TMAP_OK);
    for (size_t i = 0; i < sizeof shared; i++) assert_int_equal(shared[i], i < 48 ? 32 + i : 0xcd);
    assert_int_equal(result.tx_B, 48);
    assert_int_equal(result.written_B, 48);
    assert_int_equal(result.filled_B, 0);
    global.size_B = 32 + 48 - 1; /* the memory ends inside the bytes */
    assert_int_equal(tmap_emulate(&copy, shared, sizeof shared, &global, &result), TMAP_REFUSED);
}

/* PTX ISA 9.4: bit i of byteMask enables byte i of every 16. */
TEST(a_byte_mask_selects_bytes) {
    const tmap_map map = linear_map(TMAP_TYPE_U8, 64, 0);
    const tmap_copy_params params = {.op = TMAP_OP_STORE, .at = {16}, .at_n = 1, .size_B = 32, .byte_mask = 0x8005};
    const tmap_copy copy = copy_of(&map, &params);
    uint8_t bytes[64] = {0}, shared[32];
    tmap_memory global = {.size_B = sizeof bytes, .bytes = bytes};
    tmap_copy_result result;
    for (size_t i = 0; i < sizeof shared; i++) shared[i] = (uint8_t)(100 + i);
    assert_int_equal(tmap_emulate(&copy, shared, sizeof shared, &global, &result), TMAP_OK);
    static const uint8_t written[] = {16, 18, 31, 32, 34, 47};
    for (size_t i = 0, next = 0; i < sizeof bytes; i++) {
        bool is_written = next < sizeof written && written[next] == i;
        assert_int_equal(bytes[i], is_written ? 100 + i - 16 : 0);
        next += is_written;
    }
    assert_int_equal(result.written_B, 6);
    assert_int_equal(result.tx_B, 32);
}

/* PTX ISA 9.4: .ignore_oob, up to 15 bytes at each end may be outside; the barrier counts the size. */
TEST(ignored_bytes_may_be_outside) {
    const tmap_map map = linear_map(TMAP_TYPE_F32, 13, 0x1004);
    const tmap_copy_params params = {
        .op = TMAP_OP_LOAD, .at = {-1}, .at_n = 1, .size_B = 64, .ignore_left_B = 4, .ignore_right_B = 8};
    const tmap_copy copy = copy_of(&map, &params);
    uint8_t bytes[52], shared[64];
    tmap_memory global = {.size_B = sizeof bytes, .bytes = bytes};
    tmap_copy_result result;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)i;
    memset(shared, 0xcd, sizeof shared);
    assert_int_equal(tmap_emulate(&copy, shared, sizeof shared, &global, &result), TMAP_OK);
    for (size_t i = 0; i < sizeof shared; i++) assert_int_equal(shared[i], i < 4 || i >= 56 ? 0xcd : i - 4);
    assert_int_equal(result.tx_B, 64);
    assert_int_equal(result.written_B, 52);
    global.size_B--;
    assert_int_equal(tmap_emulate(&copy, shared, sizeof shared, &global, &result), TMAP_REFUSED);
}

typedef struct bytes_of_functions {
    uint8_t bytes[256];
} bytes_of_functions;

static void read_bytes(void *context, uint64_t offset, void *to, size_t size) {
    assert_true(offset + size <= sizeof((bytes_of_functions *)context)->bytes);
    memcpy(to, ((bytes_of_functions *)context)->bytes + offset, size);
}

static void write_bytes(void *context, uint64_t offset, const void *from, size_t size) {
    assert_true(offset + size <= sizeof((bytes_of_functions *)context)->bytes);
    memcpy(((bytes_of_functions *)context)->bytes + offset, from, size);
}

/* Memory that functions read and write has the bytes of other memory; each side is refused one byte too far. */
TEST(functions_move_the_same_bytes) {
    const tmap_map map = linear_map(TMAP_TYPE_U8, 256, 0);
    const tmap_copy_params rows[] = {
        {.op = TMAP_OP_LOAD, .at = {32}, .at_n = 1, .size_B = 64, .ignore_left_B = 3, .ignore_right_B = 5},
        {.op = TMAP_OP_STORE, .at = {32}, .at_n = 1, .size_B = 64, .byte_mask = 0x70f1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tmap_copy copy = copy_of(&map, &rows[i]);
        bytes_of_functions by_functions;
        uint8_t bytes[256], image[64], same[64];
        for (size_t b = 0; b < 256; b++) bytes[b] = by_functions.bytes[b] = (uint8_t)(b * 7);
        for (size_t b = 0; b < 64; b++) image[b] = same[b] = (uint8_t)(b * 5 + 1);
        tmap_memory memory = {.size_B = 256, .bytes = bytes};
        tmap_memory functions = {.size_B = 256, .read = read_bytes, .write = write_bytes, .context = &by_functions};
        tmap_copy_result result, expected;
        assert_int_equal(tmap_emulate(&copy, image, sizeof image, &memory, &expected), TMAP_OK);
        assert_int_equal(tmap_emulate(&copy, same, sizeof same, &functions, &result), TMAP_OK);
        assert_memory_equal(same, image, sizeof image);
        assert_memory_equal(by_functions.bytes, bytes, sizeof bytes);
        assert_int_equal(result.written_B, expected.written_B);
        assert_int_equal(result.untouched_B, expected.untouched_B);
        uint64_t end = 96 - rows[i].ignore_right_B, first = 32 + rows[i].ignore_left_B;
        memory = (tmap_memory){.size_B = end - first, .bytes = bytes, .first_B = first};
        assert_int_equal(tmap_emulate(&copy, image, sizeof image, &memory, &result), TMAP_OK);
        memory.size_B--;
        assert_int_equal(tmap_emulate(&copy, image, sizeof image, &memory, &result), TMAP_REFUSED);
        memory = (tmap_memory){.size_B = 256, .bytes = bytes, .first_B = first + 1};
        assert_int_equal(tmap_emulate(&copy, image, sizeof image, &memory, &result), TMAP_REFUSED);
        memory = (tmap_memory){.size_B = 16, .bytes = bytes};
        assert_int_equal(tmap_emulate(&copy, image, sizeof image, &memory, &result), TMAP_REFUSED);
        assert_int_equal(tmap_emulate(&copy, image, sizeof image - 1, &memory, &result), TMAP_BAD_ARGUMENT);
    }
}

/* The shared memory of another CTA has no sectors of L2. */
TEST(remote_copies_touch_no_sectors) {
    const tmap_map map = linear_map(TMAP_TYPE_U8, 4096, 0x1000);
    const tmap_copy_params params = {
        .op = TMAP_OP_STORE, .at = {16}, .at_n = 1, .size_B = 48, .dst = TMAP_DST_CLUSTER, .shared = 0x400};
    const tmap_copy copy = copy_of(&map, &params);
    tmap_footprint footprint;
    assert_int_equal(tmap_copy_footprint(&copy, NULL, &footprint), TMAP_OK);
    assert_int_equal(footprint.sectors_n, 0);
    assert_int_equal(footprint.sectors_B, 0);
    assert_int_equal(footprint.bytes_B, 48);
    assert_int_equal(footprint.data_B, 48);
    assert_int_equal(tmap_copy_footprint(NULL, NULL, &footprint), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_copy_footprint(&copy, NULL, NULL), TMAP_BAD_ARGUMENT);
}

/* PTX ISA 9.4, cp.reduce.async.bulk: .add.f32 flushes subnormals; through a tensor map of f32 they are kept. */
TEST(a_sum_of_f32_flushes) {
    const tmap_reduction_info *linear = tmap_reduction_by(TMAP_REDUCES_LINEAR, TMAP_OP_REDUCE_ADD, TMAP_TYPE_F32);
    const tmap_reduction_info *tensor = tmap_reduction_of(TMAP_OP_REDUCE_ADD, TMAP_TYPE_F32);
    assert_int_equal(tmap_reduce_value(linear, 0x80000001, 0x80000001), 0x80000000);
    assert_int_equal(tmap_reduce_value(tensor, 0x80000001, 0x80000001), 0x80000002);
}

/* ---- The table of cp.reduce.async.bulk (PTX ISA 9.4) ------------------------------------------------------------ */

TEST(reductions_are_those_of_the_table) {
#define T(id) (1u << TMAP_TYPE_##id)
    const unsigned words = T(U32) | T(S32), wide = T(U64) | T(S64), halves = T(F16) | T(BF16);
    const struct {
        tmap_op op;
        unsigned linear, cluster;
    } rows[] = {
        {TMAP_OP_REDUCE_ADD, words | T(U64) | halves | T(F32) | T(F64), words | T(U64)},
        {TMAP_OP_REDUCE_MIN, words | wide | halves, words},
        {TMAP_OP_REDUCE_MAX, words | wide | halves, words},
        {TMAP_OP_REDUCE_INC, T(U32), T(U32)},
        {TMAP_OP_REDUCE_DEC, T(U32), T(U32)},
        {TMAP_OP_REDUCE_AND, words | wide, words},
        {TMAP_OP_REDUCE_OR, words | wide, words},
        {TMAP_OP_REDUCE_XOR, words | wide, words},
    };
#undef T
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int type = 0; tmap_type_get(type); type++) {
            bool linear = tmap_reduction_by(TMAP_REDUCES_LINEAR, rows[i].op, (tmap_type)type) != NULL;
            bool cluster = tmap_reduction_by(TMAP_REDUCES_CLUSTER, rows[i].op, (tmap_type)type) != NULL;
            assert_int_equal(linear, rows[i].linear >> type & 1);
            assert_int_equal(cluster, rows[i].cluster >> type & 1);
        }
}

/* ---- Spelling (PTX ISA 9.4) ------------------------------------------------------------------------------------- */

static bool append(void *context, const char *text, size_t size) {
    strncat(context, text, size);
    return true;
}

TEST(instructions_are_spelled) {
    static const struct {
        tmap_op op;
        tmap_dst dst;
        tmap_type type;
        uint32_t qualifiers;
        const char *text;
    } rows[] = {
        {TMAP_OP_LOAD, TMAP_DST_CTA, TMAP_TYPE_U8, TMAP_QUALIFIER_BIT(IGNORE_OOB) | TMAP_QUALIFIER_BIT(CACHE_HINT),
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob.L2::cache_hint [s], [there], size, "
         "lead, tail, [mb], policy;"},
        {TMAP_OP_STORE, TMAP_DST_CTA, TMAP_TYPE_U8, TMAP_QUALIFIER_BIT(CP_MASK) | TMAP_QUALIFIER_BIT(CACHE_HINT),
         "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [there], [s], size, policy, bytes;"},
        {TMAP_OP_STORE, TMAP_DST_CLUSTER, TMAP_TYPE_U8, 0,
         "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [peer], [s], size, [mb];"},
        {TMAP_OP_REDUCE_ADD, TMAP_DST_CTA, TMAP_TYPE_BF16, TMAP_QUALIFIER_BIT(CACHE_HINT),
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.bf16 [there], [s], size, "
         "policy;"},
        {TMAP_OP_REDUCE_MIN, TMAP_DST_CTA, TMAP_TYPE_F16, 0,
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [there], [s], size;"},
        {TMAP_OP_REDUCE_XOR, TMAP_DST_CTA, TMAP_TYPE_S64, 0,
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [there], [s], size;"},
        {TMAP_OP_REDUCE_ADD, TMAP_DST_CLUSTER, TMAP_TYPE_S32, 0,
         "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [peer], [s], size, "
         "[mb];"},
        {TMAP_OP_PREFETCH, TMAP_DST_CTA, TMAP_TYPE_U8, TMAP_QUALIFIER_BIT(CACHE_HINT),
         "cp.async.bulk.prefetch.L2.global.L2::cache_hint [there], size, policy;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256] = "";
        tmap_sink sink = {.write = append, .context = text};
        const tmap_instruction in = {.form = tmap_form_of(TMAP_MODE_LINEAR, rows[i].op, rows[i].dst, false, false),
                                     .op = rows[i].op,
                                     .rank = 1,
                                     .qualifiers = rows[i].qualifiers,
                                     .type = rows[i].type};
        tmap_instruction_print(&sink, &in, NULL, NULL);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(tmap_qualifier_misfit(&in), -1);
    }
}

/* ---- Against the oracle ----------------------------------------------------------------------------------------- */

static uint64_t below(tmap_random *random, uint64_t n) {
    return tmap_random_between(random, 0, n - 1);
}

static tmap_copy_params random_copy(tmap_random *random, uint64_t address) {
    tmap_copy_params copy = {.op = (tmap_op)below(random, TMAP_OP_REDUCE_XOR + 1), .at_n = 1};
    if (tmap_op_get((int)copy.op)->four_rows) copy.op = TMAP_OP_LOAD;
    copy.size_B = 16 * (1 + below(random, 120));
    copy.shared = SHARED_AT + 16 * below(random, 64);
    copy.at[0] = (int64_t)(16 * below(random, 64)) - (int64_t)(address % 16);
    if (copy.op == TMAP_OP_STORE && below(random, 3) == 0) copy.byte_mask = 1 + below(random, 0xffff);
    if (copy.op == TMAP_OP_LOAD && below(random, 3) == 0) {
        copy.ignore_left_B = below(random, 16);
        copy.ignore_right_B = below(random, 16);
    }
    if (tmap_op_get((int)copy.op)->to_global && !copy.byte_mask && below(random, 4) == 0) copy.dst = TMAP_DST_CLUSTER;
    return copy;
}

/* Runs the copy on tmap and on the oracle; both memories start with the same bytes. */
static void compare(const tmap_copy *copy, tmap_random *random) {
    uint8_t ours[MEMORY_B], theirs[MEMORY_B], our_shared[SHARED_B], their_shared[SHARED_B];
    for (size_t i = 0; i < MEMORY_B; i++) ours[i] = theirs[i] = (uint8_t)below(random, 256);
    for (size_t i = 0; i < SHARED_B; i++) our_shared[i] = their_shared[i] = (uint8_t)below(random, 256);
    tmap_memory global = {.size_B = MEMORY_B, .bytes = ours};
    tmap_copy_result result;
    uint64_t at = copy->params.shared;
    tmap_status status = tmap_emulate(copy, our_shared + at, SHARED_B - at, &global, &result);
    if (status != TMAP_OK)
        fail_msg("%s of %s from element %lld, %llu B: %s", copy->op->name, copy->map.type->name,
                 (long long)copy->params.at[0], (unsigned long long)copy->params.size_B, tmap_status_name(status));
    const oracle_linear linear = oracle_linear_of(&copy->map.params, &copy->params);
    oracle_window there = {.bytes = theirs, .first = copy->map.params.address, .size = MEMORY_B};
    oracle_window shared = {.bytes = their_shared, .size = SHARED_B};
    oracle_result expected = oracle_linear_run(&linear, oracle_window_memory(&there), oracle_window_memory(&shared));
    assert_memory_equal(ours, theirs, MEMORY_B);
    assert_memory_equal(our_shared, their_shared, SHARED_B);
    assert_int_equal(expected.stray_B, 0);
    if (!tmap_op_moves(copy->op)) return;
    assert_int_equal(result.written_B, expected.written_B);
    assert_int_equal(result.tx_B, expected.payload_B);
}

enum { COPIES = SANITIZED ? 5000 : 20000 };

/*
 * The rules accept each copy that the oracle executes, and reject each copy that stops the oracle or leaves its memory.
 */
TEST(random_copies_are_the_oracles) {
    tmap_random random = {.state = 20261123};
    int run = 0;
    for (int i = 0; i < COPIES; i++) {
        tmap_type type = (tmap_type)below(&random, TMAP_TYPE_F64 + 1);
        if (type == TMAP_TYPE_F32_FTZ || !tmap_type_get((int)type)) continue;
        uint64_t bytes = (uint64_t)tmap_type_get((int)type)->bits / 8;
        const tmap_map map = linear_map(type, MEMORY_B / bytes, 0x10000 + bytes * below(&random, 3));
        tmap_copy_params params = random_copy(&random, map.params.address);
        bool whole = params.at[0] % (int64_t)bytes == 0;
        params.at[0] /= (int64_t)bytes;
        tmap_copy copy;
        bool accepted = tmap_copy_init(&copy, &map, &params, NULL, NULL) == TMAP_OK;
        const oracle_linear linear = oracle_linear_of(&map.params, &params);
        int64_t first = (int64_t)(linear.there - map.params.address), end = first + (int64_t)linear.size;
        bool inside = first + (int64_t)linear.ignore_left >= 0 && end - (int64_t)linear.ignore_right <= MEMORY_B;
        bool sound = oracle_linear_error(&linear) == 0 && inside && linear.shared + linear.size <= SHARED_B;
        if (whole && accepted != sound)
            fail_msg("%s of %s: accepted %d, oracle %d; at %lld, size %llu, left %llu, right %llu, dst %d",
                     tmap_op_get((int)params.op)->name, tmap_type_get((int)type)->name, accepted, sound,
                     (long long)params.at[0], (unsigned long long)params.size_B,
                     (unsigned long long)params.ignore_left_B, (unsigned long long)params.ignore_right_B,
                     (int)params.dst);
        if (!accepted) continue;
        compare(&copy, &random);
        run++;
    }
    assert_in_range(run, COPIES / 4, COPIES);
}

/* Each element of the box is at the offset of the closed form, and the walk visits exactly the bytes of the copy. */
TEST(places_follow_one_another) {
    const tmap_map map = linear_map(TMAP_TYPE_U16, 2048, 0x10000);
    const tmap_copy_params params = {.op = TMAP_OP_LOAD, .at = {24}, .at_n = 1, .size_B = 1040, .shared = 0x430};
    const tmap_copy copy = copy_of(&map, &params);
    uint64_t n = 0;
    for (uint32_t row = 0; row < copy.counts[1]; row++)
        for (uint32_t x = 0; x < copy.counts[0]; x++, n++) {
            const uint32_t index[TMAP_RANK_MAX] = {x, row};
            tmap_place place;
            tmap_copy_locate(&copy, index, &place);
            assert_true(place.inside);
            assert_int_equal(place.at[0], 24 + n);
            assert_int_equal(place.global_B, 48 + 2 * n);
            assert_int_equal(place.shared, 0x430 + 2 * n);
        }
    assert_int_equal(2 * n, 1040);
    tmap_extent extent = tmap_copy_extent(&copy);
    assert_int_equal(extent.first_B, 48);
    assert_int_equal(extent.end_B, 48 + 1040);
    tmap_footprint footprint;
    assert_int_equal(tmap_copy_footprint(&copy, NULL, &footprint), TMAP_OK);
    assert_int_equal(footprint.bytes_B, 1040);
    assert_int_equal(footprint.sectors_n, (48 + 1040 + 31) / 32 - 48 / 32);
}
