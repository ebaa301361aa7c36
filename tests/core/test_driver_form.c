/*
 * Descriptors as driver 580 writes them, and the calls that drivers are known to accept. Sources: cicuvc
 * (nvidia-sass-document at 1de8d4ef, notes/sm90/arch/cutensormap.md: 13 printed descriptors; tests/asm_construct/
 * test_tmap_helper.py: 26 calls), driver 580.65 on an RTX 5090; NVIDIA CCCL at 571f2fc3,
 * libcudacxx/test/libcudacxx/cuda/tma/make_tma_descriptor.pass.cpp. The stand-in's encoder, which is written from the
 * first document, has the words that the document does not print.
 */
#include <string.h>

#include "cmocka_all.h"
#include "standin/encode.h"
#include "tmap/codec.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/gen.h"

#define ADDRESS UINT64_C(0x0be00000)

/* The arguments of a call, as in cuda.h: numbers of enums are the driver's. box[0] is 0 for im2col. */
typedef struct driver_call {
    int type, rank;
    uint64_t dims[5], strides[4];
    uint32_t box[5], element_strides[5];
    int interleave, swizzle;
    int lower[3], upper[3];
    uint32_t channels, pixels;
} driver_call;

/* The driver's numbers and tmap's are the same, except for swizzle 96B. An element stride that is not given is 1. */
static tmap_map_params params_of(const driver_call *call) {
    tmap_map_params p = tmap_map_params_tiled((tmap_type)call->type, (uint64_t)call->rank);
    p.has_address = true;
    p.address = ADDRESS;
    p.interleave = (tmap_interleave)call->interleave;
    p.swizzle = (tmap_swizzle)call->swizzle;
    for (int i = 0; i < call->rank; i++) {
        p.dims_el[i] = call->dims[i];
        p.box_el[i] = call->box[i];
        p.element_strides[i] = call->element_strides[i] ? call->element_strides[i] : 1;
    }
    memcpy(p.strides_B, call->strides, sizeof call->strides);
    if (call->box[0] != 0) return p;
    p.mode = TMAP_MODE_IM2COL;
    p.channels_per_pixel = call->channels;
    p.pixels_per_column = call->pixels;
    for (int i = 0; i < call->rank - 2; i++) p.lower_corner[i] = call->lower[i], p.upper_corner[i] = call->upper[i];
    return p;
}

static tmap_descriptor by_standin(const driver_call *call, int driver) {
    uint32_t steps[5];
    tmap_descriptor bytes;
    for (int i = 0; i < 5; i++) steps[i] = call->element_strides[i] ? call->element_strides[i] : 1;
    const standin_map map = {.type = call->type,
                             .rank = (uint32_t)call->rank,
                             .address = ADDRESS,
                             .dims = call->dims,
                             .strides = call->strides,
                             .box = call->box[0] ? call->box : NULL,
                             .element_strides = steps,
                             .interleave = call->interleave,
                             .swizzle = call->swizzle,
                             .lower = call->lower,
                             .upper = call->upper,
                             .channels = call->channels,
                             .pixels = call->pixels,
                             .driver = driver};
    assert_true(standin_valid(&map, 120));
    standin_encode(&map, bytes.bytes);
    return bytes;
}

static tmap_map frozen(const driver_call *call) {
    tmap_map map;
    tmap_map_params params = params_of(call);
    const tmap_judge judge = {.archs = tmap_archs_of_chip(120)};
    if (tmap_map_init(&map, &params, &judge, NULL) != TMAP_OK) fail_msg("type %d rank %d", call->type, call->rank);
    return map;
}

/* ---- 13 printed descriptors -------------------------------------------------------------------------------------- */

#define BASE .type = 6, .rank = 2, .dims = {16, 16}, .strides = {32}, .box = {16, 8}
typedef struct printed {
    driver_call call;
    uint32_t control, tile_B, swizzle; /* words 2, 16, 18 */
} printed;

static const printed printed_words[] = {
    {{BASE}, 0x310, 0x100, 0x10},
    {{.type = 6, .rank = 3, .dims = {16, 16, 256}, .strides = {32, 16}, .box = {16, 8, 8}}, 0x200320, 2048, 0x10},
    {{.type = 0, .rank = 2, .dims = {16, 16}, .strides = {16}, .box = {16, 8}}, 0x010, 128, 0x10},
    {{.type = 2, .rank = 2, .dims = {16, 16}, .strides = {64}, .box = {16, 8}}, 0x110, 512, 0x10},
    {{.type = 8, .rank = 2, .dims = {16, 16}, .strides = {128}, .box = {16, 8}}, 0x490, 1024, 0x10},
    {{.type = 9, .rank = 2, .dims = {16, 16}, .strides = {32}, .box = {16, 8}}, 0x510, 256, 0x10},
    {{.type = 11, .rank = 2, .dims = {16, 16}, .strides = {64}, .box = {16, 8}}, 0x10390, 512, 0x10},
    {{.type = 13, .rank = 2, .dims = {256, 16}, .strides = {128}, .box = {128, 8}}, 0x590, 0, 0x10},
    {{BASE, .swizzle = 1}, 0x2310, 256, 0x100},
    {{BASE, .swizzle = 2}, 0x4310, 256, 0x200},
    {{BASE, .swizzle = 3}, 0x6310, 256, 0x400},
    {{BASE, .swizzle = 4}, 0x86310, 256, 0x400},
    {{.type = 6, .rank = 2, .dims = {4096, 16}, .strides = {8192}, .box = {16, 8}}, 0x200310, 256, 0x10},
};

static uint32_t word(const tmap_descriptor *d, int i) {
    return d->bytes[4 * i] | (uint32_t)d->bytes[4 * i + 1] << 8 | (uint32_t)d->bytes[4 * i + 2] << 16 |
           (uint32_t)d->bytes[4 * i + 3] << 24;
}

/* Bit 21 of word 2 is the allocation class. tmap chooses another class where the tensor's strides overlap. */
TEST(printed_words_are_tmaps) {
    assert_int_equal(COUNT(printed_words), 13);
    for (size_t i = 0; i < COUNT(printed_words); i++) {
        const printed *row = &printed_words[i];
        tmap_map map = frozen(&row->call);
        tmap_descriptor ours, standin = by_standin(&row->call, 580);
        uint32_t but_class = ~(i == 1 ? UINT32_C(1) << 21 : 0);
        assert_true(tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &ours));
        assert_int_equal(word(&ours, 2) & but_class, row->control & but_class);
        assert_int_equal(word(&ours, 16), row->tile_B);
        assert_int_equal(word(&ours, 18), row->swizzle);
        assert_int_equal(word(&standin, 2), row->control);
        assert_int_equal(word(&standin, 16), row->tile_B);
        assert_int_equal(word(&standin, 18), row->swizzle);
    }
    static const uint32_t base[32] = {[0] = 0x0be00000,  [2] = 0x310, [3] = 2,      [8] = 15,   [9] = 15,
                                      [13] = 0x0f000000, [14] = 7,    [16] = 0x100, [18] = 0x10};
    tmap_map map = frozen(&printed_words[0].call);
    tmap_descriptor ours;
    tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &ours);
    for (int i = 0; i < 32; i++) assert_int_equal(word(&ours, i), base[i]);
}

/* ---- 26 calls ---------------------------------------------------------------------------------------------------- */

#define SQUARE(number, pitch)                                                                                          \
    {                                                                                                                  \
        .type = (number), .rank = 2, .dims = {16, 16}, .strides = {pitch}, .box = { 16, 8 }                            \
    }
#define PACKED(number, pitch)                                                                                          \
    {                                                                                                                  \
        .type = (number), .rank = 2, .dims = {256, 16}, .strides = {pitch}, .box = { 128, 8 }                          \
    }
static const driver_call accepted[] = {
    SQUARE(0, 16),
    SQUARE(1, 32),
    SQUARE(2, 64),
    SQUARE(6, 32),
    SQUARE(8, 128),
    SQUARE(9, 32),
    SQUARE(11, 64),
    PACKED(13, 128),
    PACKED(14, 256),
    PACKED(15, 256),
    {.type = 6, .rank = 1, .dims = {16}, .box = {16}},
    {.type = 6, .rank = 3, .dims = {16, 16, 8}, .strides = {32, 16}, .box = {16, 8, 8}},
    {.type = 6, .rank = 5, .dims = {16, 16, 8, 8, 8}, .strides = {32, 512, 4096, 32768}, .box = {8, 8, 8, 8, 8}},
    {BASE, .swizzle = 1},
    {BASE, .swizzle = 2},
    {BASE, .swizzle = 3},
    {BASE, .swizzle = 4},
    {BASE, .swizzle = 5},
    {BASE, .swizzle = 6},
    {.type = 6, .rank = 3, .dims = {16, 16, 8}, .strides = {32, 16}, .box = {16, 8, 8}, .element_strides = {2, 3, 4}},
    {.type = 6, .rank = 3, .dims = {16, 16, 256}, .strides = {32, 16}, .box = {16, 8, 8}},
    {.type = 6, .rank = 2, .dims = {70000, 16}, .strides = {32}, .box = {16, 8}},
    {.type = 6,
     .rank = 3,
     .dims = {16, 16, 16},
     .strides = {512, 32},
     .box = {16, 8, 16},
     .interleave = 2,
     .swizzle = 4},
    {.type = 6,
     .rank = 3,
     .dims = {16, 16, 16},
     .strides = {256, 32},
     .lower = {-100},
     .upper = {1000},
     .channels = 16,
     .pixels = 64,
     .element_strides = {2, 1, 1}},
    {.type = 6,
     .rank = 4,
     .dims = {16, 16, 16, 16},
     .strides = {512, 32, 256},
     .lower = {-2, 3},
     .upper = {8, 16},
     .channels = 8,
     .pixels = 8},
    {.type = 6,
     .rank = 5,
     .dims = {16, 16, 16, 16, 16},
     .strides = {512, 32, 256, 2048},
     .lower = {-16, -16, -16},
     .upper = {15, 15, 15},
     .channels = 8,
     .pixels = 8},
};

static void no_finding_about_bits(const tmap_descriptor *d) {
    tmap_diag items[4];
    tmap_diags diags = {.items = items, .capacity = 4, .fixed = true};
    (void)tmap_check_descriptor(d, NULL, &diags);
    for (size_t i = 0; i < diags.count; i++)
        if (strcmp(items[i].rule, "desc-small-allocation") != 0) fail_msg("%s", items[i].message);
}

/* Everything but the class is the driver's; the CuTe DSL's form is the same map, with version 1 and no upper half. */
TEST(calls_have_the_drivers_bytes) {
    assert_int_equal(COUNT(accepted), 26);
    for (size_t i = 0; i < COUNT(accepted); i++) {
        tmap_map map = frozen(&accepted[i]);
        tmap_descriptor ours, dsl, standin = by_standin(&accepted[i], 580), old = by_standin(&accepted[i], 0);
        tmap_map_params decoded;
        assert_true(tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &ours));
        assert_true(tmap_descriptor_encode(&map, &dsl));
        no_finding_about_bits(&standin);
        assert_true(tmap_descriptor_equal(&ours, &standin) && tmap_descriptor_equal(&dsl, &standin));
        assert_true(tmap_descriptor_equal(&dsl, &old));
        standin.bytes[10] = (uint8_t)((standin.bytes[10] & ~0x20) | (ours.bytes[10] & 0x20));
        assert_memory_equal(ours.bytes, standin.bytes, sizeof ours.bytes);
        for (int byte = 64; byte < TMAP_DESCRIPTOR_B; byte++) assert_int_equal(dsl.bytes[byte], 0);
        assert_int_equal(tmap_descriptor_decode(&standin, &decoded, NULL, NULL), TMAP_OK);
        assert_true(decoded.element_strides[0] == params_of(&accepted[i]).element_strides[0]);
    }
}

/* One sample of im2col with interleave: f16, 16B, 8 channels, 8 pixels: word 16 is 0x400. */
TEST(the_sample_with_interleave) {
    const driver_call call = {.type = 6,
                              .rank = 4,
                              .dims = {16, 16, 16, 16},
                              .strides = {512, 32, 256},
                              .upper = {8, 8},
                              .channels = 8,
                              .pixels = 8,
                              .interleave = 1};
    tmap_map map = frozen(&call);
    tmap_descriptor ours;
    assert_true(tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &ours));
    assert_int_equal(word(&ours, 16), 0x400);
}

/* ---- The calls of CCCL's test ------------------------------------------------------------------------------------ */

/* The test of CCCL fails if the driver rejects a call. It repeats each call without interleave for each interleave. */
typedef struct accepted_calls {
    int chip, calls;
} accepted_calls;

static void accept(accepted_calls *a, const tmap_map_params *params) {
    const tmap_judge judge = {.archs = tmap_archs_of_chip(a->chip)};
    tmap_diag items[8];
    tmap_diags diags = {.items = items, .capacity = COUNT(items), .fixed = true};
    a->calls++;
    if (tmap_check_map(params, &judge, &diags) != TMAP_OK)
        fail_msg("call %d on %d: %s", a->calls, a->chip, items[0].message);
}

/* A dense tensor whose dimensions all have `size` elements. */
static tmap_map_params cube(tmap_type type, uint64_t rank, uint64_t size, uint64_t box, uint64_t address) {
    tmap_map_params p = tmap_map_params_tiled(type, rank);
    for (uint64_t i = 0; i < rank; i++) p.dims_el[i] = size, p.box_el[i] = box;
    assert_true(tmap_map_params_dense(&p));
    p.has_address = true;
    p.address = address;
    return p;
}

static void accept_choice(accepted_calls *a, tmap_type type, int interleave, const tmap_map_params *choices) {
    uint64_t box = 128 / (uint64_t)tmap_type_get((int)type)->bits;
    tmap_map_params p = cube(type, 3, 128, box, ADDRESS);
    p.interleave = (tmap_interleave)interleave;
    p.swizzle = choices->swizzle, p.l2_promotion = choices->l2_promotion, p.oob_fill = choices->oob_fill;
    accept(a, &p);
}

static void accept_types(accepted_calls *a, int interleave, const tmap_map_params *choices) {
    static const tmap_type integers[] = {TMAP_TYPE_U8, TMAP_TYPE_U16, TMAP_TYPE_U32, TMAP_TYPE_U64},
                           floats[] = {TMAP_TYPE_F16, TMAP_TYPE_F32, TMAP_TYPE_F64, TMAP_TYPE_BF16};
    if (choices->oob_fill == TMAP_OOB_FILL_ZERO) {
        accept_choice(a, TMAP_TYPE_S32, interleave, choices);
        accept_choice(a, TMAP_TYPE_S64, interleave, choices);
        for (int i = 0; i < 4; i++) accept_choice(a, integers[i], 0, choices);
        if (a->chip >= 100) accept_choice(a, TMAP_TYPE_B4X16, 0, choices);
    }
    for (int i = 0; i < 4; i++) accept_choice(a, floats[i], 0, choices);
}

static void accept_enums(accepted_calls *a) {
    for (int combination = 0; combination < 2 * 4 * 7 * 3; combination++) {
        int interleave = combination % 3, swizzle = combination / 3 % 7;
        const tmap_map_params choices = {.swizzle = (tmap_swizzle)swizzle,
                                         .l2_promotion = (tmap_l2_promotion)(combination / 21 % 4),
                                         .oob_fill = (tmap_oob_fill)(combination / 84)};
        if (a->chip < 100 && swizzle > 3) continue;
        if (interleave != 2 || swizzle == 1) accept_types(a, interleave, &choices);
    }
}

static void accept_limits(accepted_calls *a) {
    tmap_map_params p = cube(TMAP_TYPE_S32, 5, 128, 4, ADDRESS);
    accept(a, &p);
    static const struct {
        uint64_t rank, offset_B;
        tmap_interleave interleave;
    } slices[] = {{3, 0, 1}, {3, 0, 2}, {4, 16, 0}, {4, 16, 1}, {4, 0, 2}};
    for (size_t i = 0; i < COUNT(slices); i++) {
        p = cube(TMAP_TYPE_S32, slices[i].rank, 128, 4, ADDRESS + slices[i].offset_B);
        p.interleave = slices[i].interleave;
        p.swizzle = p.interleave == TMAP_INTERLEAVE_32B ? TMAP_SWIZZLE_32B : TMAP_SWIZZLE_NONE;
        accept(a, &p);
    }
    p = cube(TMAP_TYPE_S32, 2, 16, 16, ADDRESS);
    p.dims_el[0] = UINT64_C(1) << 32, p.strides_B[0] = UINT64_C(4) << 32;
    accept(a, &p);
    p.dims_el[0] = 128, p.strides_B[0] = (UINT64_C(1) << 40) - 16;
    accept(a, &p);
    p.strides_B[0] = 0;
    accept(a, &p);
    p = cube(TMAP_TYPE_S32, 1, 256, 256, ADDRESS);
    accept(a, &p);
    p = cube(TMAP_TYPE_S32, 3, 128, 16, ADDRESS);
    for (int i = 0; i < 3; i++) p.element_strides[i] = 8;
    accept(a, &p);
    p.interleave = TMAP_INTERLEAVE_16B;
    accept(a, &p);
}

TEST(calls_of_cccl_are_allowed) {
    accepted_calls hopper = {.chip = 90}, blackwell = {.chip = 100};
    accept_enums(&hopper), accept_limits(&hopper);
    accept_enums(&blackwell), accept_limits(&blackwell);
    assert_int_equal(hopper.calls, 516);
    assert_int_equal(blackwell.calls, 912);
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

/* Each bit of a descriptor, flipped, moves data, except in the numbers that differ between encoders. */
TEST(keys_ignore_what_moves_no_data) {
    tmap_map map = frozen(&printed_words[8].call);
    tmap_descriptor driver, dsl, key;
    tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &driver);
    tmap_descriptor_encode(&map, &dsl);
    for (unsigned bit = 0; bit < 8 * TMAP_DESCRIPTOR_B; bit++) {
        tmap_descriptor flipped = driver;
        flipped.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bool step_0 = bit >= 416 && bit < 419; /* the bytes of the tile are those of another step */
        bool ignored = step_0 || bit == 65 || bit == 85 || bit == 520 || bit == 584; /* the last two make a word 0 */
        assert_int_equal(tmap_descriptor_equal(&flipped, &dsl), ignored);
        tmap_field_diff diff;
        assert_int_equal(tmap_descriptor_diff(&driver, &flipped, &diff, 1), 1);
        assert_int_equal(tmap_field_diff_moves_data(&driver, &flipped, &diff), !ignored);
    }
    tmap_descriptor_poke(&dsl, TMAP_DESC_ELEMENT_STRIDE_0, 3);
    assert_true(tmap_descriptor_equal(&dsl, &driver));
    tmap_descriptor_poke(&dsl, TMAP_DESC_INTERLEAVE, 1);
    tmap_descriptor_key(&dsl, &key);
    assert_int_equal(tmap_descriptor_peek(&key, TMAP_DESC_ELEMENT_STRIDE_0), 3);
}

/* A descriptor of a random map, in one of the forms, or random bits. */
static tmap_descriptor random_descriptor(tmap_random *random) {
    tmap_map_params params;
    tmap_map map;
    tmap_descriptor d;
    uint64_t choice = tmap_random_between(random, 0, 9);
    tmap_random_map(random, false, &params);
    bool encodes = tmap_map_init(&map, &params, NULL, NULL) == TMAP_OK &&
                   tmap_descriptor_encode_as(&map, choice < 6 ? TMAP_ENCODER_DRIVER : TMAP_ENCODER_DSL, &d);
    for (size_t i = 0; (!encodes || choice == 9) && i < sizeof d.bytes; i++)
        d.bytes[i] = (uint8_t)tmap_random_next(random);
    return d;
}

/* One bit, one bit of a number on which copies may not depend, or one number. */
static void change(tmap_random *random, tmap_descriptor *d) {
    static const tmap_descriptor_field quiet[] = {TMAP_DESC_VERSION,      TMAP_DESC_TILE_BYTES,
                                                  TMAP_DESC_SWIZZLE_WORD, TMAP_DESC_ELEMENT_STRIDE_0,
                                                  TMAP_DESC_INTERLEAVE,   TMAP_DESC_ALLOCATION_CLASS};
    uint64_t bit = tmap_random_between(random, 0, 1023), choice = tmap_random_between(random, 0, 4);
    tmap_descriptor_field any = (tmap_descriptor_field)(bit % TMAP_DESC_COUNT), field = quiet[bit % COUNT(quiet)];
    if (choice == 0) d->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    if (choice == 1) tmap_descriptor_poke(d, field, tmap_descriptor_peek(d, field) ^ UINT64_C(1) << bit % 10);
    if (choice == 2) tmap_descriptor_poke(d, any, tmap_random_next(random));
    if (choice > 2) tmap_descriptor_poke(d, field, bit & 1);
}

/* tmap diff, caches, and recordings agree on whether two descriptors move the same data. */
TEST(differences_decide_equality) {
    static tmap_field_diff diffs[1024];
    tmap_random random = {1};
    size_t equal_n = 0;
    for (int i = 0; i < 40000; i++) {
        tmap_descriptor a = random_descriptor(&random), b = a;
        for (int changes = i % 3; changes >= 0; changes--) change(&random, &b);
        size_t n = tmap_descriptor_diff(&a, &b, diffs, COUNT(diffs)), moving_n = 0;
        for (size_t k = 0; k < n; k++) moving_n += tmap_field_diff_moves_data(&a, &b, &diffs[k]);
        bool equal = tmap_descriptor_equal(&a, &b);
        if (equal != (moving_n == 0)) fail_msg("pair %d: equal %d, %zu differences move data", i, equal, moving_n);
        equal_n += equal && n > 0;
    }
    if (equal_n < 4000) fail_msg("only %zu pairs are equal", equal_n);
}

/* tensormap.replace leaves the driver's words as they are: they belong to the old box. */
TEST(a_replaced_box_is_reported) {
    tmap_map map = frozen(&printed_words[0].call);
    tmap_descriptor d, before;
    tmap_diag items[2];
    tmap_diags diags = {.items = items, .capacity = 2, .fixed = true};
    tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &d);
    before = d;
    tmap_descriptor_replace(
        &d, &(tmap_copy_params){.op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_BOX, .ordinal = 1, .value = 16});
    assert_false(tmap_descriptor_equal(&d, &before));
    assert_int_equal(tmap_check_descriptor(&d, NULL, &diags), TMAP_OK);
    assert_int_equal(diags.count, 1);
    assert_string_equal(items[0].rule, "desc-upper-half");
    assert_string_equal(items[0].given, "0x100");
    assert_string_equal(items[0].allowed, "0 or 0x200");
}
