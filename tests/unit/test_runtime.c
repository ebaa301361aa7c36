/*
 * The builder for runtimes: descriptors, reasons, changes to descriptors, and the choice between native and driver. The
 * driver is the stand-in's encoder, which shares nothing with src/.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "assert_bytes.h"
#include "standin/encode.h"
#include "tmap/gen.h"
#include "tmap/runtime.h"

#define ADDRESS UINT64_C(0x7f0000001000)

/* 4096 x 8192 f16, box 64 x 128, swizzle 128B. */
static tmap_map_params gemm(void) {
    tmap_map_params p = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    p.dims_el[0] = 4096, p.dims_el[1] = 8192;
    p.strides_B[0] = 8192;
    p.box_el[0] = 64, p.box_el[1] = 128;
    p.swizzle = TMAP_SWIZZLE_128B;
    p.has_address = true;
    p.address = ADDRESS;
    return p;
}

/* 64 x 32 f16 in rows of 256 B: less than 128 KiB, with gaps. */
static tmap_map_params small_with_gaps(void) {
    tmap_map_params p = gemm();
    p.dims_el[0] = 64, p.dims_el[1] = 32;
    p.strides_B[0] = 256;
    return p;
}

static tmap_descriptor built(const tmap_map_params *params) {
    tmap_descriptor d;
    char reason[256];
    if (tmap_build(params, 0, &d, reason, sizeof reason) != TMAP_OK) fail_msg("%s", reason);
    return d;
}

static void assert_says(const char *reason, const char *words) {
    if (strstr(reason, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", reason, words);
}

/* Whatever stands in brackets at the end is a rule that `tmap explain` knows. */
static void assert_names_a_rule(const char *reason) {
    const char *bracket = strrchr(reason, '[');
    char slug[64];
    if (bracket == NULL || sscanf(bracket, "[%63[a-z0-9-]]", slug) != 1) fail_msg("no rule in \"%s\"", reason);
    if (tmap_rule_find(slug) < 0) fail_msg("no such rule: %s", slug);
}

/* ---- Building --------------------------------------------------------------------------------------------------- */

typedef struct bits {
    unsigned lo, width;
    uint64_t value;
} bits;

/* Every bit that is set, by hand from what is published of the 128 bytes: version 1 at 65, rank - 1 at 68, type code at
 * 71, interleave 75, swizzle 77, fill 79, tf32 80, promotion 81, atomicity 83; strides / 16 from 96 (their bits from 36
 * on from 224), sizes - 1 from 256, element strides - 1 from 416, boxes - 1 from 440. */
static const struct {
    tmap_map_params map;
    bits set[28];
} by_hand[] = {
    {{.type = TMAP_TYPE_F16,
      .rank = 2,
      .has_address = true,
      .address = ADDRESS,
      .dims_el = {4096, 8192},
      .strides_B = {8192},
      .box_el = {64, 128},
      .element_strides = {1, 1},
      .swizzle = TMAP_SWIZZLE_128B},
     {{0, 64, ADDRESS},
      {65, 3, 1},
      {68, 3, 1},
      {71, 4, 6},
      {77, 2, 3},
      {96, 32, 512},
      {256, 32, 4095},
      {288, 32, 8191},
      {440, 8, 63},
      {448, 8, 127}}},
    {{.type = TMAP_TYPE_TF32,
      .rank = 5,
      .has_address = true,
      .address = 0x10,
      .dims_el = {UINT64_C(1) << 32, 2, 3, 4, 5},
      .strides_B = {(UINT64_C(1) << 36) + 16, 0x20, (UINT64_C(1) << 40) - 16, 0x40},
      .box_el = {4, 2, 3, 4, 256},
      .element_strides = {3, 8, 1, 2, 3}, /* the first is ignored */
      .l2_promotion = TMAP_L2_PROMOTION_256B,
      .oob_fill = TMAP_OOB_FILL_NAN},
     {{0, 64, 0x10}, {65, 3, 1},
      {68, 3, 4},    {71, 4, 7},
      {79, 1, 1},    {80, 1, 1},
      {81, 2, 3},    {96, 32, 1},
      {128, 32, 2},  {160, 32, 0xffffffff},
      {192, 32, 4},  {224, 4, 1},
      {232, 4, 15},  {256, 32, 0xffffffff},
      {288, 32, 1},  {320, 32, 2},
      {352, 32, 3},  {384, 32, 4},
      {419, 3, 7},   {425, 3, 1},
      {428, 3, 2},   {440, 8, 3},
      {448, 8, 1},   {456, 8, 2},
      {464, 8, 3},   {472, 8, 255}}},
    {{.type = TMAP_TYPE_B4X16_P64,
      .rank = 1,
      .has_address = true,
      .address = 0x20,
      .dims_el = {256},
      .box_el = {128},
      .element_strides = {1},
      .swizzle = TMAP_SWIZZLE_128B_ATOM_32B},
     {{0, 64, 0x20}, {65, 3, 1}, {71, 4, 12}, {77, 2, 3}, {83, 2, 1}, {256, 32, 255}, {440, 8, 127}}},
    {{.type = TMAP_TYPE_BF16, /* without an address: 0 */
      .rank = 3,
      .address = ADDRESS,
      .dims_el = {8, 8, 2},
      .strides_B = {256, 2048},
      .box_el = {8, 1, 1},
      .element_strides = {2, 1, 1},
      .interleave = TMAP_INTERLEAVE_32B,
      .swizzle = TMAP_SWIZZLE_32B},
     {{65, 3, 1},
      {68, 3, 2},
      {71, 4, 10},
      {75, 2, 2},
      {77, 2, 1},
      {96, 32, 16},
      {128, 32, 128},
      {256, 32, 7},
      {288, 32, 7},
      {320, 32, 1},
      {416, 3, 1},
      {440, 8, 7}}},
};

static void descriptors_are_as_published(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(by_hand); i++) {
        uint8_t expected[TMAP_DESCRIPTOR_B] = {0};
        for (size_t k = 0; k < COUNT(by_hand[i].set); k++)
            standin_put(expected, by_hand[i].set[k].lo, by_hand[i].set[k].width, by_hand[i].set[k].value);
        tmap_descriptor d = built(&by_hand[i].map);
        assert_bytes_equal(d.bytes, expected, sizeof expected);
    }
}

static void a_refusal_names_field_rule_and_fix(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d, before;
    char reason[256];
    p.box_el[0] = 128;
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_build(&p, 0, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    assert_string_equal(reason, "box[0] spans 256 B; swizzle 128B takes at most 128 B; given: 128 x f16 = 256 B; "
                                "allowed: at most 128 B; fix: box[0]: 64, or swizzle: none [box-inner-span]");
    p.dims_el[1] = 0, p.strides_B[0] = 8; /* warnings beside errors are not counted */
    p.address = 0;
    assert_int_equal(tmap_build_check(&p, 0, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "dims[1] is 0");
    assert_says(reason, ", and 2 more [dim-extent]");
}

static void the_reason_is_always_terminated(void **state) {
    (void)state;
    tmap_map_params good = gemm(), bad = gemm();
    char reason[300], whole[300];
    bad.box_el[0] = 128;
    assert_int_equal(tmap_build_check(&bad, 0, whole, sizeof whole), TMAP_REFUSED);
    for (size_t size = 1; size < sizeof reason; size++) {
        memset(reason, '?', sizeof reason);
        assert_int_equal(tmap_build_check(&bad, 0, reason, size), TMAP_REFUSED);
        size_t length = strlen(whole) < size ? strlen(whole) : size - 1;
        assert_int_equal(strlen(reason), length);
        assert_memory_equal(reason, whole, length);
        assert_int_equal(reason[size], '?');
    }
    assert_int_equal(tmap_build_check(&good, 0, reason, sizeof reason), TMAP_OK);
    assert_string_equal(reason, "");
    assert_int_equal(tmap_build_check(&bad, 0, NULL, 0), TMAP_REFUSED);
    assert_int_equal(tmap_build_check(&bad, 0, NULL, 100), TMAP_REFUSED);
    assert_int_equal(tmap_build_check(&bad, 0, reason, 0), TMAP_REFUSED);
}

#define REFUSES_NULL(name, call)                                                                                       \
    do {                                                                                                               \
        memset(reason, '?', sizeof reason);                                                                            \
        assert_int_equal(call, TMAP_BAD_ARGUMENT);                                                                     \
        assert_string_equal(reason, name " is null");                                                                  \
    } while (0)

static void null_pointers_are_named(void **state) {
    (void)state;
    char reason[64];
    tmap_map_params p = gemm();
    tmap_dl_tensor tensor = {0};
    tmap_descriptor d;
    tmap_backend backend = {0};
    REFUSES_NULL("params", tmap_build(NULL, 0, &d, reason, sizeof reason));
    REFUSES_NULL("descriptor", tmap_build(&p, 0, NULL, reason, sizeof reason));
    REFUSES_NULL("params", tmap_build_check(NULL, 0, reason, sizeof reason));
    REFUSES_NULL("descriptor", tmap_replace_address(NULL, 0, 0, reason, sizeof reason));
    REFUSES_NULL("descriptor", tmap_replace_tensor(NULL, 2, NULL, NULL, 0, reason, sizeof reason));
    REFUSES_NULL("tensor", tmap_params_from_dlpack(NULL, NULL, &p, reason, sizeof reason));
    REFUSES_NULL("params", tmap_params_from_dlpack(&tensor, NULL, NULL, reason, sizeof reason));
    REFUSES_NULL("backend", tmap_backend_build(NULL, &p, &d, reason, sizeof reason));
    for (int driver = 0; driver < 2; driver++) {
        backend.uses_driver = driver == 1;
        REFUSES_NULL("params", tmap_backend_build(&backend, NULL, &d, reason, sizeof reason));
        REFUSES_NULL("descriptor", tmap_backend_build(&backend, &p, NULL, reason, sizeof reason));
    }
    tmap_backend_options options = {.maps_n = 1};
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_backend_init(NULL, &options), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_backend_init(&backend, NULL), TMAP_BAD_ARGUMENT);
    /* Whatever lay there, it is native then, and says why. */
    for (int i = 0; i < 2; i++) {
        memset(&backend, 0xff, sizeof backend);
        assert_int_equal(tmap_backend_init(&backend, i == 0 ? NULL : &options), TMAP_BAD_ARGUMENT);
        assert_false(backend.uses_driver);
        assert_null(backend.driver);
        assert_non_null(strstr(backend.reason, i == 0 ? "options is NULL" : "maps is NULL"));
    }
    assert_int_equal(tmap_build(NULL, 0, NULL, NULL, 0), TMAP_BAD_ARGUMENT);
}

static void architectures_are_asked(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    char reason[256];
    p.swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
    assert_int_equal(tmap_build_check(&p, 0, reason, sizeof reason), TMAP_OK);
    assert_int_equal(tmap_build_check(&p, TMAP_ARCHS_100, reason, sizeof reason), TMAP_OK);
    assert_string_equal(reason, "");
    assert_int_equal(tmap_build_check(&p, TMAP_ARCH_BIT(SM_90A), reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "sm_90a");
    assert_names_a_rule(reason);
}

/* ---- Changing --------------------------------------------------------------------------------------------------- */

static void changes_are_as_if_built_anew(void **state) {
    (void)state;
    char reason[256];
    for (uint64_t i = 0; i < 2000; i++) {
        tmap_random random = {i};
        tmap_map_params p, other;
        tmap_random_map(&random, false, &p);
        if (p.mode != TMAP_MODE_TILED) continue;
        other = p;
        other.address ^= UINT64_C(1) << tmap_random_between(&random, 5, 46);
        for (uint64_t k = 0; k < p.rank; k++)
            other.dims_el[k] = (p.dims_el[k] + 1) / 2 + 128 - (p.dims_el[k] + 1) / 2 % 128;
        for (uint64_t k = 1; k < p.rank; k++) other.strides_B[k - 1] = p.strides_B[k - 1] / 64 * 32;
        tmap_descriptor d = built(&p), wanted = built(&other);
        if (tmap_replace_address(&d, other.address, 0, reason, sizeof reason) != TMAP_OK ||
            tmap_replace_tensor(&d, (int)p.rank, other.dims_el, NULL, 0, reason, sizeof reason) != TMAP_OK ||
            tmap_replace_tensor(&d, (int)p.rank, NULL, other.strides_B, 0, reason, sizeof reason) != TMAP_OK)
            fail_msg("map %d: %s", (int)i, reason);
        assert_bytes_equal(d.bytes, wanted.bytes, sizeof d.bytes);
        assert_int_equal(tmap_replace_tensor(&d, (int)p.rank, p.dims_el, p.strides_B, 0, NULL, 0), TMAP_OK);
        assert_int_equal(tmap_replace_address(&d, p.address, 0, NULL, 0), TMAP_OK);
        wanted = built(&p);
        assert_bytes_equal(d.bytes, wanted.bytes, sizeof d.bytes);
    }
}

/* A driver may set bits that no document explains, and leave what it likes in dimensions that the map does not have. */
static void other_bits_stay(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    const uint64_t dims[] = {64, 64}, strides[] = {16384};
    for (unsigned bit = 0; bit < 1024; bit++) {
        bool changed = bit < 64 || (bit >= 96 && bit < 128) || (bit >= 224 && bit < 228) || (bit >= 256 && bit < 320);
        tmap_descriptor d = built(&p);
        d.bytes[bit / 8] = (uint8_t)(d.bytes[bit / 8] ^ 1u << bit % 8);
        tmap_descriptor before = d;
        if (changed || tmap_replace_address(&d, 0x7f0000004000, 0, NULL, 0) != TMAP_OK) continue;
        if (tmap_replace_tensor(&d, 2, dims, strides, 0, NULL, 0) != TMAP_OK) continue;
        standin_put(before.bytes, 0, 64, 0x7f0000004000);
        standin_put(before.bytes, 96, 32, 1024);
        standin_put(before.bytes, 256, 32, 63);
        standin_put(before.bytes, 288, 32, 63);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

static void another_rank_is_no_change(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before = d;
    const uint64_t dims[] = {64, 64, 64}, strides[] = {16384, 16384};
    char reason[256];
    const int ranks[] = {-1, 0, 1, 3, 6, INT32_MAX};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        assert_int_equal(tmap_replace_tensor(&d, ranks[i], dims, strides, 0, reason, sizeof reason), TMAP_BAD_ARGUMENT);
        assert_says(reason, "the map has rank 2");
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

typedef struct refused_change {
    const char *rule;
    uint64_t address, dims[2], stride_B;
} refused_change;

static void refused_changes_leave_the_descriptor(void **state) {
    (void)state;
    static const refused_change rows[] = {
        {"address-align", ADDRESS + 8, {4096, 8192}, 8192},
        {"dim-extent", ADDRESS, {0, 8192}, 8192},
        {"dim-extent", ADDRESS, {4096, (UINT64_C(1) << 32) + 1}, 8192},
        {"dim-extent", ADDRESS, {UINT64_MAX, UINT64_MAX}, 8192},
        {"stride-align", ADDRESS, {4096, 8192}, 8200},
        {"stride-limit", ADDRESS, {4096, 2}, UINT64_C(1) << 40},
        {"stride-limit", ADDRESS, {4096, 8192}, UINT64_MAX - 15},
        {"tensor-span", ADDRESS, {4096, UINT64_C(1) << 32}, (UINT64_C(1) << 40) - 16},
        {"tensor-span", UINT64_MAX - 15, {4096, 8192}, 8192},
    };
    tmap_map_params p = gemm();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char reason[256];
        tmap_descriptor d = built(&p), before = d;
        tmap_status status = tmap_replace_address(&d, rows[i].address, 0, reason, sizeof reason);
        if (status == TMAP_OK)
            status = tmap_replace_tensor(&d, 2, rows[i].dims, &rows[i].stride_B, 0, reason, sizeof reason);
        assert_int_equal(status, TMAP_REFUSED);
        assert_says(reason, rows[i].rule);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

/* RA1: the alignment that the map was made for. */
static void a_new_address_keeps_the_alignment(void **state) {
    (void)state;
    static const size_t wants_32[] = {2, 3}; /* the padded type, the interleaved one */
    for (size_t i = 0; i < COUNT(wants_32); i++) {
        tmap_descriptor d = built(&by_hand[wants_32[i]].map);
        char reason[256];
        assert_int_equal(tmap_replace_address(&d, ADDRESS + 16, 0, reason, sizeof reason), TMAP_REFUSED);
        assert_says(reason, "a multiple of 32 B");
        assert_int_equal(tmap_replace_address(&d, ADDRESS + 32, 0, reason, sizeof reason), TMAP_OK);
    }
}

static void what_is_no_tensor_map_is_refused(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before;
    char reason[256];
    standin_put(d.bytes, 71, 4, 15); /* no type */
    before = d;
    assert_int_equal(tmap_replace_address(&d, ADDRESS, 0, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[desc-type-code]");
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    for (uint64_t i = 0; i < 2000; i++) { /* garbage: any answer, and nothing written on refusal */
        tmap_random random = {i};
        for (size_t k = 0; k < sizeof d.bytes; k++) d.bytes[k] = (uint8_t)tmap_random_next(&random);
        before = d;
        tmap_status status = tmap_replace_address(&d, ADDRESS, 0, reason, sizeof reason);
        if (status == TMAP_OK) continue;
        assert_int_equal(status, TMAP_REFUSED);
        assert_names_a_rule(reason);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    }
}

static bool bit_85(const tmap_descriptor *d) {
    return d->bytes[10] >> 5 & 1;
}

/* nvbug 5736804: not in a tensor with gaps of less than 128 KiB = 512 rows of 256 B. */
static void bit_85_follows_the_tensor(void **state) {
    (void)state;
    static const struct {
        uint64_t dims[2], stride_B;
        bool stays;
    } rows[] = {
        {{64, 32}, 256, false},  {{64, 512}, 256, false}, /* 511 x 256 + 128 B */
        {{64, 513}, 256, true},  {{64, 32}, 128, true},   /* dense */
        {{128, 32}, 128, false}, {{4096, 8192}, 8192, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params p = gemm();
        tmap_descriptor d = built(&p);
        standin_put(d.bytes, 85, 1, 1);
        assert_int_equal(tmap_replace_tensor(&d, 2, rows[i].dims, &rows[i].stride_B, 0, NULL, 0), TMAP_OK);
        assert_int_equal(bit_85(&d), rows[i].stays);
    }
    tmap_map_params p = small_with_gaps();
    tmap_descriptor d = built(&p);
    standin_put(d.bytes, 85, 1, 1);
    assert_int_equal(tmap_replace_address(&d, ADDRESS, 0, NULL, 0), TMAP_OK);
    assert_false(bit_85(&d));
}

/* ---- Native or driver ------------------------------------------------------------------------------------------- */

/* What the driver below does otherwise than it should. */
static struct {
    int flips_bit;         /* of every descriptor; 0: none */
    uint64_t flips_dim;    /* only of maps with this size of dimension 0; 0: of all */
    uint32_t refuses_rank; /* 0: none */
    int answers;           /* a CUresult to every call; 0: none */
    bool accepts_all;
} fault;

static int reset_faults(void **state) {
    (void)state;
    memset(&fault, 0, sizeof fault);
    return 0;
}

static int some_driver(void *out, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int promotion,
                       int fill) {
    const standin_map map = {type,       rank,    (uintptr_t)address, dims, strides, box, element_strides,
                             interleave, swizzle, promotion,          fill};
    if (fault.answers) return fault.answers;
    if ((uintptr_t)out % 128 != 0 || rank == fault.refuses_rank) return 1;
    if (!fault.accepts_all && !standin_valid(&map, 100)) return 1;
    standin_encode(&map, out);
    if (fault.flips_bit && (!fault.flips_dim || dims[0] == fault.flips_dim))
        ((uint8_t *)out)[fault.flips_bit / 8] ^= (uint8_t)(1u << fault.flips_bit % 8);
    return 0;
}

static tmap_backend backend_of(const tmap_map_params *maps, size_t maps_n) {
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .driver_version = 13000, .maps = maps, .maps_n = maps_n};
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    return backend;
}

static void without_a_driver_it_is_native(void **state) {
    (void)state;
    tmap_backend backend;
    tmap_backend_options options = {.archs = TMAP_ARCHS_90};
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    assert_string_equal(backend.reason, "native: no driver was given");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_OK);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
    p.swizzle = TMAP_SWIZZLE_128B_ATOM_64B;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_REFUSED); /* by its archs */
}

static void it_is_native_where_both_agree(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    tmap_backend backend = backend_of(&p, 1);
    assert_false(backend.uses_driver);
    assert_int_equal(backend.compared_n, 513);
    assert_int_equal(backend.differing_n, 0);
    assert_string_equal(backend.reason, "native: the driver of CUDA 13.0 agrees on 513 maps");
    fault.answers = 201; /* nobody asks */
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_OK);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
}

static void the_driver_builds_where_they_differ(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    fault.flips_bit = 65; /* version 0 */
    tmap_backend backend = backend_of(NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.compared_n, 512);
    assert_int_equal(backend.differing_n, 512);
    assert_int_equal(backend.result, 0);
    assert_int_equal(backend.difference.field, TMAP_DESC_VERSION);
    assert_int_equal(backend.difference.a, 1);
    assert_int_equal(backend.difference.b, 0);
    assert_says(backend.reason, "driver: the driver of CUDA 13.0 differs on 512 of 512 maps; in a ");
    assert_says(backend.reason, "version is 0, natively 1");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_OK);
    standin_put(native.bytes, 65, 3, 0);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
    p.box_el[0] = 128;
    char reason[256];
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[box-inner-span]");
}

static void a_map_of_the_caller_may_tell(void **state) {
    (void)state;
    tmap_map_params maps[] = {gemm(), gemm()};
    maps[1].dims_el[0] = 3459;
    fault.flips_bit = 585; /* of no field */
    fault.flips_dim = 3459;
    tmap_backend backend = backend_of(maps, 1);
    assert_false(backend.uses_driver);
    backend = backend_of(maps, 2);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.differing_n, 1);
    assert_int_equal(backend.differs.dims_el[0], 3459);
    assert_says(backend.reason, "differs on 1 of 514 maps; in a f16 map of rank 2 bits from 585 on are 0x1");
}

static void maps_of_the_caller_keep_the_rules(void **state) {
    (void)state;
    tmap_map_params maps[] = {gemm(), gemm()};
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .maps = maps, .maps_n = 2};
    maps[1].box_el[1] = 300;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_REFUSED);
    assert_says(backend.reason, "native: maps[1] is not to be compared: box[1] is 300");
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &(tmap_descriptor){{0}}, NULL, 0), TMAP_OK);
    maps[1] = gemm(); /* 96B has no number of the driver */
    maps[1].box_el[0] = 48;
    maps[1].swizzle = TMAP_SWIZZLE_96B;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    assert_int_equal(backend.compared_n, 513);
}

static void what_the_driver_refuses(void **state) {
    (void)state;
    char reason[256];
    tmap_descriptor d, before;
    fault.refuses_rank = 5;
    tmap_backend backend = backend_of(NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.differs.rank, 5);
    assert_int_equal(backend.result, 1);
    assert_says(backend.reason, "map of rank 5 that the rules allow (CUresult 1)");
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[encode-status]");
    fault.answers = 201;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, reason, sizeof reason), TMAP_UNAVAILABLE);
    assert_says(reason, "CUresult 201; fix: make a CUDA context current in this thread [current-context]");
    fault.answers = 719;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, reason, sizeof reason), TMAP_UNAVAILABLE);
    assert_says(reason, "CUresult 719 [encode-status]");
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    tmap_map_params p = gemm();
    p.box_el[0] = 48;
    p.swizzle = TMAP_SWIZZLE_96B;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_UNAVAILABLE);
    assert_says(reason, "96B");
}

static void a_driver_that_cannot_be_asked(void **state) {
    (void)state;
    static const int results[] = {3, 4, 201, 700, 801, 999, -1};
    for (size_t i = 0; i < COUNT(results); i++) {
        tmap_backend backend;
        tmap_backend_options options = {.driver = some_driver};
        tmap_map_params p = gemm();
        tmap_descriptor d;
        char said[32];
        fault.answers = results[i];
        assert_int_equal(tmap_backend_init(&backend, &options), TMAP_UNAVAILABLE);
        assert_false(backend.uses_driver);
        snprintf(said, sizeof said, "it answered CUresult %d", results[i]);
        assert_says(backend.reason, said);
        assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_OK); /* natively */
    }
}

static void the_driver_may_be_the_judge(void **state) {
    (void)state;
    char reason[256];
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .driver_is_judge = true};
    tmap_descriptor d;
    fault.flips_bit = 65;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    tmap_map_params p = gemm();
    p.box_el[0] = 128;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[box-inner-span]"); /* the driver refused, the rules say why */
    fault.accepts_all = true;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_OK);
    assert_int_equal(d.bytes[55], 127);
    static const uint64_t ranks[] = {6, 1000, UINT64_MAX}; /* what its arguments cannot say is refused all the same */
    for (size_t i = 0; i < COUNT(ranks); i++) {
        p = gemm();
        p.rank = ranks[i];
        assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);
        assert_says(reason, "[rank-range]");
    }
    p = gemm();
    p.box_el[1] = (UINT64_C(1) << 32) + 8;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[box-extent]");
    p = gemm();
    p.type = (tmap_type)77, p.interleave = (tmap_interleave)-1, p.swizzle = (tmap_swizzle)99;
    fault.accepts_all = false;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "[type-code]");
}

/* A driver of before the fix sets the bit everywhere. */
static void bit_85_of_the_driver_is_settled(void **state) {
    (void)state;
    tmap_map_params maps[] = {small_with_gaps(), gemm()};
    tmap_descriptor d;
    fault.flips_bit = 85;
    fault.flips_dim = 64;
    tmap_backend backend = backend_of(maps, 1);
    assert_false(backend.uses_driver); /* settled, it is as the native one */
    fault.flips_dim = 0;
    backend = backend_of(NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &d, NULL, 0), TMAP_OK);
    assert_false(bit_85(&d));
    assert_int_equal(tmap_backend_build(&backend, &maps[1], &d, NULL, 0), TMAP_OK);
    assert_true(bit_85(&d));
    maps[0].allocation_B = 131072; /* a large allocation around a small tensor */
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &d, NULL, 0), TMAP_OK);
    assert_true(bit_85(&d));
}

#define THREADS 4

typedef struct worker {
    const tmap_backend *backend;
    uint64_t first;
    bool right;
} worker;

/* Every third map is refused. */
static bool build_one(const tmap_backend *backend, uint64_t i) {
    tmap_map_params p = gemm();
    tmap_descriptor d, wanted;
    char reason[256];
    p.address += i * 16;
    if (i % 3 == 0) {
        p.box_el[1] = 257 + i;
        return tmap_backend_build(backend, &p, &d, reason, sizeof reason) == TMAP_REFUSED &&
               strstr(reason, "[box-extent]") != NULL;
    }
    const standin_map map = {.type = 6,
                             .rank = 2,
                             .address = p.address,
                             .dims = p.dims_el,
                             .strides = p.strides_B,
                             .box = (const uint32_t[]){64, 128},
                             .element_strides = (const uint32_t[]){1, 1},
                             .swizzle = 3};
    standin_encode(&map, wanted.bytes);
    standin_put(wanted.bytes, 65, 1, !backend->uses_driver);
    return tmap_backend_build(backend, &p, &d, reason, sizeof reason) == TMAP_OK &&
           memcmp(d.bytes, wanted.bytes, sizeof d.bytes) == 0;
}

static void *build_many(void *context) {
    worker *w = context;
    w->right = true;
    for (uint64_t i = w->first; i < w->first + 2000 && w->right; i++) w->right = build_one(w->backend, i);
    return NULL;
}

static void threads_share_a_backend(void **state) {
    (void)state;
    for (int flips = 0; flips < 2; flips++) {
        fault.flips_bit = flips ? 65 : 0;
        const tmap_backend backend = backend_of(NULL, 0);
        const tmap_backend before = backend;
        pthread_t threads[THREADS];
        worker workers[THREADS];
        assert_int_equal(backend.uses_driver, flips);
        for (size_t i = 0; i < THREADS; i++) {
            workers[i] = (worker){&backend, i * 2000, false};
            assert_int_equal(pthread_create(&threads[i], NULL, build_many, &workers[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_true(workers[i].right);
        }
        assert_memory_equal(&backend, &before, sizeof backend);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_as_published),
        cmocka_unit_test(a_refusal_names_field_rule_and_fix),
        cmocka_unit_test(the_reason_is_always_terminated),
        cmocka_unit_test(null_pointers_are_named),
        cmocka_unit_test(architectures_are_asked),
        cmocka_unit_test(changes_are_as_if_built_anew),
        cmocka_unit_test(other_bits_stay),
        cmocka_unit_test(another_rank_is_no_change),
        cmocka_unit_test(refused_changes_leave_the_descriptor),
        cmocka_unit_test(a_new_address_keeps_the_alignment),
        cmocka_unit_test(what_is_no_tensor_map_is_refused),
        cmocka_unit_test(bit_85_follows_the_tensor),
        cmocka_unit_test_setup(without_a_driver_it_is_native, reset_faults),
        cmocka_unit_test_setup(it_is_native_where_both_agree, reset_faults),
        cmocka_unit_test_setup(the_driver_builds_where_they_differ, reset_faults),
        cmocka_unit_test_setup(a_map_of_the_caller_may_tell, reset_faults),
        cmocka_unit_test_setup(maps_of_the_caller_keep_the_rules, reset_faults),
        cmocka_unit_test_setup(what_the_driver_refuses, reset_faults),
        cmocka_unit_test_setup(a_driver_that_cannot_be_asked, reset_faults),
        cmocka_unit_test_setup(the_driver_may_be_the_judge, reset_faults),
        cmocka_unit_test_setup(bit_85_of_the_driver_is_settled, reset_faults),
        cmocka_unit_test_setup(threads_share_a_backend, reset_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
