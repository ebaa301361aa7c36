/* The builder for runtimes: reasons, changes to descriptors, DLTensors, and the choice between native and driver. */
#include <pthread.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/runtime.h"

/* 4096 x 8192 f16, box 64 x 128, swizzle 128B, at 0x7f0000001000. */
static tmap_map_params gemm(void) {
    tmap_map_params p = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    p.dims_el[0] = 4096, p.dims_el[1] = 8192;
    p.strides_B[0] = 8192;
    p.box_el[0] = 64, p.box_el[1] = 128;
    p.swizzle = TMAP_SWIZZLE_128B;
    p.has_address = true;
    p.address = 0x7f0000001000;
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

/* ---- Building --------------------------------------------------------------------------------------------------- */

/* Fields at their published bits: address 0..63, dims from 256 and box from 440 minus one, strides / 16 from 96. */
static void the_bits_lie_where_they_are_published(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p);
    uint64_t address;
    uint32_t dims[2], stride;
    memcpy(&address, d.bytes, 8);
    memcpy(dims, d.bytes + 32, 8);
    memcpy(&stride, d.bytes + 12, 4);
    assert_true(address == 0x7f0000001000);
    assert_int_equal(dims[0], 4095);
    assert_int_equal(dims[1], 8191);
    assert_int_equal(stride, 512);
    assert_int_equal(d.bytes[55], 63);
    assert_int_equal(d.bytes[56], 127);
}

static void a_refusal_names_field_rule_and_fix(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d, before;
    char reason[256], cut[16];
    p.box_el[0] = 128;
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_build(&p, 0, &d, reason, sizeof reason), TMAP_REFUSED);
    assert_memory_equal(&d, &before, sizeof d);
    assert_says(reason, "box[0]");
    assert_says(reason, "256 B");
    assert_says(reason, "fix: ");
    assert_says(reason, "[box-inner-span]");
    assert_int_equal(tmap_build_check(&p, 0, cut, sizeof cut), TMAP_REFUSED);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_int_equal(tmap_build_check(&p, 0, NULL, 0), TMAP_REFUSED);
    assert_int_equal(tmap_build(NULL, 0, &d, reason, sizeof reason), TMAP_BAD_ARGUMENT);
}

static void architectures_are_asked(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    char reason[256];
    p.swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
    assert_int_equal(tmap_build_check(&p, TMAP_ARCH_BIT(SM_100A), reason, sizeof reason), TMAP_OK);
    assert_string_equal(reason, "");
    assert_int_equal(tmap_build_check(&p, TMAP_ARCH_BIT(SM_90A), reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "sm_90a");
}

/* ---- Changing --------------------------------------------------------------------------------------------------- */

static void changes_are_as_if_built_anew(void **state) {
    (void)state;
    char reason[256];
    tmap_map_params p = gemm(), other = p;
    tmap_descriptor d = built(&p), wanted;

    other.address = 0x7f0000002010;
    wanted = built(&other);
    assert_int_equal(tmap_replace_address(&d, other.address, 0, reason, sizeof reason), TMAP_OK);
    assert_memory_equal(&d, &wanted, sizeof d);

    other.dims_el[0] = 2000, other.dims_el[1] = (uint64_t)1 << 20;
    wanted = built(&other);
    assert_int_equal(tmap_replace_dims(&d, other.dims_el, 0, reason, sizeof reason), TMAP_OK);
    assert_memory_equal(&d, &wanted, sizeof d);

    other.strides_B[0] = ((uint64_t)1 << 39) + 16;
    wanted = built(&other);
    assert_int_equal(tmap_replace_strides(&d, other.strides_B, 0, reason, sizeof reason), TMAP_OK);
    assert_memory_equal(&d, &wanted, sizeof d);
}

static void refused_changes_leave_the_descriptor(void **state) {
    (void)state;
    char reason[256];
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before = d;
    const uint64_t dims[] = {0, 8192}, strides[] = {8200};
    assert_int_equal(tmap_replace_address(&d, 0x7f0000001008, 0, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "address");
    assert_int_equal(tmap_replace_dims(&d, dims, 0, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "dims[0]");
    assert_int_equal(tmap_replace_strides(&d, strides, 0, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "strides[0]");
    assert_int_equal(tmap_replace_strides(&d, NULL, 0, reason, sizeof reason), TMAP_BAD_ARGUMENT);
    assert_memory_equal(&d, &before, sizeof d);
}

/* A driver may set bits that no document explains. */
static void unknown_bits_stay(void **state) {
    (void)state;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p);
    d.bytes[100] = 0x80;
    assert_int_equal(tmap_replace_address(&d, 0x7f0000004000, 0, NULL, 0), TMAP_OK);
    assert_int_equal(d.bytes[100], 0x80);
}

/* ---- DLPack ----------------------------------------------------------------------------------------------------- */

typedef struct dl_case {
    const char *name;
    int code, bits, lanes;
    int64_t shape[2], strides[2]; /* outermost first; strides 0: NULL */
    int64_t box[2];
    int type; /* -1: refused, saying `words` */
    uint64_t dims[2], stride_B, box0;
    const char *words;
} dl_case;

/* Expected numbers by the rules of runtime.h: the last dimension is the first, strides in elements times their bytes.
 */
static const dl_case dl_cases[] = {
    {"f16", 2, 16, 1, {100, 64}, {72, 1}, {32, 64}, TMAP_TYPE_F16, {64, 100}, 144, 64, NULL},
    {"bf16, compact", 4, 16, 1, {100, 64}, {0}, {32, 64}, TMAP_TYPE_BF16, {64, 100}, 128, 64, NULL},
    {"f32", 2, 32, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_F32, {8, 8}, 32, 8, NULL},
    {"f64", 2, 64, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_F64, {8, 8}, 64, 8, NULL},
    {"s32", 0, 32, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_S32, {8, 8}, 32, 8, NULL},
    {"u32", 1, 32, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_U32, {8, 8}, 32, 8, NULL},
    {"s64", 0, 64, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_S64, {8, 8}, 64, 8, NULL},
    {"s16", 0, 16, 1, {8, 8}, {0}, {8, 8}, TMAP_TYPE_U16, {8, 8}, 16, 8, NULL},
    {"bool", 6, 8, 1, {8, 16}, {0}, {8, 16}, TMAP_TYPE_U8, {16, 8}, 16, 16, NULL},
    {"float8_e4m3fn", 10, 8, 1, {8, 16}, {0}, {8, 16}, TMAP_TYPE_U8, {16, 8}, 16, 16, NULL},
    {"float4, a value an element", 17, 4, 1, {8, 64}, {0}, {8, 32}, TMAP_TYPE_B4X16, {64, 8}, 32, 32, NULL},
    {"float4, a pair an element", 17, 4, 2, {8, 32}, {0}, {8, 16}, TMAP_TYPE_B4X16, {64, 8}, 32, 32, NULL},
    {"uint4 by sixteen", 1, 4, 16, {8, 4}, {0}, {8, 2}, TMAP_TYPE_B4X16, {64, 8}, 32, 32, NULL},
    {"float6", 15, 6, 1, {8, 128}, {0}, {8, 128}, TMAP_TYPE_B6X16_P32, {128, 8}, 96, 128, NULL},
    {"complex", 5, 64, 1, {8, 8}, {0}, {8, 8}, -1, {0}, 0, 0, "dtype: code 5 of 64 bits"},
    {"f16 vector", 2, 16, 2, {8, 8}, {0}, {8, 8}, -1, {0}, 0, 0, "2 lanes of 16 bits"},
    {"float4 by three", 17, 4, 3, {8, 8}, {0}, {8, 8}, -1, {0}, 0, 0, "3 lanes of 4 bits"},
    {"last stride", 2, 16, 1, {8, 8}, {8, 2}, {8, 8}, -1, {0}, 0, 0, "strides[1]: 2; the last dimension"},
    {"negative stride", 2, 16, 1, {8, 8}, {-8, 1}, {8, 8}, -1, {0}, 0, 0, "strides[0]: -8 is negative"},
    {"negative size", 2, 16, 1, {-1, 8}, {8, 1}, {8, 8}, -1, {0}, 0, 0, "shape[0]: -1 is negative"},
    {"negative box", 2, 16, 1, {8, 8}, {8, 1}, {8, -8}, -1, {0}, 0, 0, "box[1]: -8 is negative"},
    {"half bytes", 17, 4, 1, {8, 63}, {63, 1}, {8, 32}, -1, {0}, 0, 0, "63 elements of 4 bits"},
};

static tmap_dl_tensor dl_tensor(dl_case *c) {
    tmap_dl_tensor t = {.data = (void *)(uintptr_t)0x10000, .ndim = 2, .shape = c->shape, .byte_offset = 64};
    t.device.device_type = 2;
    t.dtype.code = (uint8_t)c->code;
    t.dtype.bits = (uint8_t)c->bits;
    t.dtype.lanes = (uint16_t)c->lanes;
    if (c->strides[1] != 0) t.strides = c->strides;
    return t;
}

static void dltensors_become_maps(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof dl_cases / sizeof *dl_cases; i++) {
        dl_case c = dl_cases[i];
        tmap_dl_tensor tensor = dl_tensor(&c);
        tmap_map_params p;
        char reason[256];
        tmap_status status = tmap_params_from_dlpack(&tensor, c.box, &p, reason, sizeof reason);
        if (c.type < 0) {
            assert_int_equal(status, TMAP_REFUSED);
            assert_says(reason, c.words);
            continue;
        }
        if (status != TMAP_OK) fail_msg("%s: %s", c.name, reason);
        if ((int)p.type != c.type || p.dims_el[0] != c.dims[0] || p.dims_el[1] != c.dims[1] ||
            p.strides_B[0] != c.stride_B || p.box_el[0] != c.box0 || p.box_el[1] != (uint64_t)c.box[0])
            fail_msg("%s: another map", c.name);
        assert_true(p.has_address && p.address == 0x10040);
        assert_int_equal(tmap_build_check(&p, 0, reason, sizeof reason), TMAP_OK);
    }
}

static void what_is_no_tensor_of_a_gpu(void **state) {
    (void)state;
    dl_case c = dl_cases[0];
    tmap_dl_tensor tensor = dl_tensor(&c);
    tmap_map_params p;
    char reason[256];
    tensor.device.device_type = 1;
    assert_int_equal(tmap_params_from_dlpack(&tensor, NULL, &p, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "device: type 1");
    tensor = dl_tensor(&c);
    tensor.ndim = 6;
    assert_int_equal(tmap_params_from_dlpack(&tensor, NULL, &p, reason, sizeof reason), TMAP_REFUSED);
    assert_says(reason, "ndim: 6");
    tensor = dl_tensor(&c);
    tensor.shape = NULL;
    assert_int_equal(tmap_params_from_dlpack(&tensor, NULL, &p, reason, sizeof reason), TMAP_REFUSED);
    tensor = dl_tensor(&c);
    tensor.strides = NULL;
    c.shape[0] = c.shape[1] = INT64_MAX; /* must not wrap */
    assert_int_equal(tmap_params_from_dlpack(&tensor, NULL, &p, reason, sizeof reason), TMAP_OK);
    assert_true(p.strides_B[0] == 2 * (uint64_t)INT64_MAX);
    assert_int_equal(tmap_build_check(&p, 0, reason, sizeof reason), TMAP_REFUSED);
}

/* ---- Native or driver ------------------------------------------------------------------------------------------- */

static int driver_flips, driver_refuses; /* what the driver below does otherwise */

/* A driver that is the native encoder, or one that sets another bit, or refuses rank 5. */
static int some_driver(void *out, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int promotion,
                       int fill) {
    tmap_map_params p = tmap_map_params_tiled((tmap_type)type, rank);
    p.has_address = true;
    p.address = (uintptr_t)address;
    p.interleave = (tmap_interleave)interleave;
    p.swizzle = (tmap_swizzle)swizzle;
    p.l2_promotion = (tmap_l2_promotion)promotion;
    p.oob_fill = (tmap_oob_fill)fill;
    for (uint32_t i = 0; i < rank; i++) {
        p.dims_el[i] = dims[i];
        p.box_el[i] = box[i];
        p.element_strides[i] = element_strides[i];
        if (i > 0) p.strides_B[i - 1] = strides[i - 1];
    }
    tmap_descriptor d;
    if (driver_refuses && rank == 5) return 1;
    if (tmap_build(&p, 0, &d, NULL, 0) != TMAP_OK) return 1;
    if (driver_flips) d.bytes[100] ^= 1;
    memcpy(out, d.bytes, sizeof d.bytes);
    return 0;
}

static void the_native_encoder_builds_where_it_agrees(void **state) {
    (void)state;
    tmap_backend backend;
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    driver_flips = driver_refuses = 0;
    tmap_backend_init(&backend, some_driver, 0, &p, 1);
    assert_false(backend.uses_driver);
    assert_int_equal(backend.compared_n, 257);
    assert_says(backend.reason, "agrees with the driver on 257 maps");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL, 0), TMAP_OK);
    assert_memory_equal(&d, &native, sizeof d);
    tmap_backend_init(&backend, NULL, 0, &p, 1);
    assert_false(backend.uses_driver);
    assert_says(backend.reason, "there is no driver");
}

static void the_driver_builds_where_they_differ(void **state) {
    (void)state;
    tmap_backend backend;
    tmap_map_params p = gemm();
    tmap_descriptor d;
    char reason[256];
    driver_flips = 1, driver_refuses = 0;
    tmap_backend_init(&backend, some_driver, 0, NULL, 0);
    assert_true(backend.uses_driver);
    assert_says(backend.reason, "encodes map 1 otherwise");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_OK);
    assert_int_equal(d.bytes[100], 1);
    p.box_el[0] = 128;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_REFUSED);

    driver_flips = 0, driver_refuses = 1;
    tmap_backend_init(&backend, some_driver, 0, NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.differs.rank, 5);
    assert_says(backend.reason, "refuses map");
    p = backend.differs;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, reason, sizeof reason), TMAP_UNAVAILABLE);
    assert_says(reason, "CUresult 1");
    driver_refuses = 0;
}

typedef struct worker {
    const tmap_backend *backend;
    uint64_t first;
    bool right;
} worker;

static void *build_many(void *context) {
    worker *w = context;
    w->right = true;
    for (uint64_t i = 0; i < 2000 && w->right; i++) {
        tmap_map_params p = gemm();
        tmap_descriptor d;
        uint64_t address;
        p.address += (w->first + i) * 16;
        w->right = tmap_backend_build(w->backend, &p, &d, NULL, 0) == TMAP_OK;
        memcpy(&address, d.bytes, 8);
        w->right = w->right && address == p.address;
    }
    return NULL;
}

static void threads_share_a_backend(void **state) {
    (void)state;
    tmap_backend backend;
    pthread_t threads[4];
    worker workers[4];
    driver_flips = driver_refuses = 0;
    tmap_backend_init(&backend, some_driver, 0, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        workers[i] = (worker){&backend, i * 2000, false};
        assert_int_equal(pthread_create(&threads[i], NULL, build_many, &workers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_lie_where_they_are_published),
        cmocka_unit_test(a_refusal_names_field_rule_and_fix),
        cmocka_unit_test(architectures_are_asked),
        cmocka_unit_test(changes_are_as_if_built_anew),
        cmocka_unit_test(refused_changes_leave_the_descriptor),
        cmocka_unit_test(unknown_bits_stay),
        cmocka_unit_test(dltensors_become_maps),
        cmocka_unit_test(what_is_no_tensor_of_a_gpu),
        cmocka_unit_test(the_native_encoder_builds_where_it_agrees),
        cmocka_unit_test(the_driver_builds_where_they_differ),
        cmocka_unit_test(threads_share_a_backend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
