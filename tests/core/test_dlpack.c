/* runtime: maps from DLTensors. Expected numbers by hand from dlpack.h 1.1 and the rules that runtime.h states. */
#include "cmocka_all.h"
#include "refusal_line.h"

#include "hw/archs.h"
#include "tmap/runtime.h"

/* The ABI as dlpack.h 1.1 has it on 64-bit machines. */
_Static_assert(sizeof(tmap_dl_tensor) == 48, "DLTensor");
_Static_assert(offsetof(tmap_dl_tensor, data) == 0, "void *data");
_Static_assert(offsetof(tmap_dl_tensor, device.device_type) == 8, "DLDeviceType, 32 bits");
_Static_assert(offsetof(tmap_dl_tensor, device.device_id) == 12, "int32_t device_id");
_Static_assert(offsetof(tmap_dl_tensor, ndim) == 16, "int32_t ndim");
_Static_assert(offsetof(tmap_dl_tensor, dtype.code) == 20, "uint8_t code");
_Static_assert(offsetof(tmap_dl_tensor, dtype.bits) == 21, "uint8_t bits");
_Static_assert(offsetof(tmap_dl_tensor, dtype.lanes) == 22, "uint16_t lanes");
_Static_assert(offsetof(tmap_dl_tensor, shape) == 24, "int64_t *shape");
_Static_assert(offsetof(tmap_dl_tensor, strides) == 32, "int64_t *strides");
_Static_assert(offsetof(tmap_dl_tensor, byte_offset) == 40, "uint64_t byte_offset");

enum { INT, UINT, FLOAT, HANDLE, BFLOAT, COMPLEX, BOOL, E3M4, E4M3, E4M3B11, E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, E8M0 };
enum { E2M3 = 15, E3M2, E2M1 };
enum { CUDA = 2, CUDA_HOST = 3, CUDA_MANAGED = 13 };

/* A bf16 matrix of 100 x 64 elements with a row stride of 72; it starts 64 B after the start of its allocation. */
typedef struct example {
    int64_t shape[8], strides[8], box[8];
    tmap_dl_tensor tensor;
} example;

static void begin(example *e) {
    *e = (example){.shape = {100, 64}, .strides = {72, 1}, .box = {32, 64}};
    e->tensor.data = (void *)(uintptr_t)0x10000;
    e->tensor.device.device_type = CUDA;
    e->tensor.ndim = 2;
    e->tensor.dtype.code = BFLOAT, e->tensor.dtype.bits = 16, e->tensor.dtype.lanes = 1;
    e->tensor.shape = e->shape;
    e->tensor.strides = e->strides;
    e->tensor.byte_offset = 64;
}

static void set_type(example *e, int code, int bits, int lanes) {
    e->tensor.dtype.code = (uint8_t)code;
    e->tensor.dtype.bits = (uint8_t)bits;
    e->tensor.dtype.lanes = (uint16_t)lanes;
}

static tmap_map_params taken(example *e) {
    tmap_map_params p;
    tmap_diag refusal;
    if (tmap_params_from_dlpack(&e->tensor, e->box, &p, &refusal) != TMAP_OK) fail_msg("%s", refusal.message);
    return p;
}

static void expect_refused(example *e, const char *slug, const char *words) {
    tmap_diag refusal;
    char tag[64];
    tmap_map_params p, before;
    memset(&p, 0x5a, sizeof p);
    before = p;
    tmap_status status = tmap_params_from_dlpack(&e->tensor, e->box, &p, &refusal);
    if (status != TMAP_REFUSED) fail_msg("%s: answered %s", words, tmap_status_name(status));
    snprintf(tag, sizeof tag, " [%s]", slug);
    if (!strstr(line_of(&refusal), words) || !strstr(line_of(&refusal), tag))
        fail_msg("%s, %s: \"%s\"", words, tag, line_of(&refusal));
    assert_non_null(strstr(line_of(&refusal), "; allowed: "));
    assert_non_null(strstr(line_of(&refusal), "; fix: "));
    assert_true(tmap_rule_find(slug) >= 0);
    assert_memory_equal(&p, &before, sizeof p);
    assert_int_equal(tmap_params_from_dlpack(&e->tensor, e->box, &p, NULL), TMAP_REFUSED);
}

/* ---- Tensors that become maps ----------------------------------------------------------------------------------- */

TEST(the_order_is_reversed) {
    example e;
    begin(&e);
    tmap_map_params p = taken(&e);
    assert_int_equal(p.mode, TMAP_MODE_TILED);
    assert_int_equal(p.type, TMAP_TYPE_BF16);
    assert_int_equal(p.rank, 2);
    assert_true(p.has_address && p.address == 0x10040);
    assert_int_equal(p.dims_el[0], 64);
    assert_int_equal(p.dims_el[1], 100);
    assert_int_equal(p.strides_B[0], 144);
    assert_int_equal(p.box_el[0], 64);
    assert_int_equal(p.box_el[1], 32);
    assert_int_equal(p.element_strides[0], 1);
    assert_int_equal(p.element_strides[1], 1);
    assert_int_equal(p.interleave, TMAP_INTERLEAVE_NONE);
    assert_int_equal(p.swizzle, TMAP_SWIZZLE_NONE);
    assert_int_equal(tmap_build_check(&p, TMAP_ARCHS_90, NULL), TMAP_OK);
}

TEST(five_dimensions_in_any_stride_order) {
    example e;
    begin(&e);
    e.tensor.ndim = 5;
    memcpy(e.shape, (const int64_t[]){2, 3, 4, 5, 64}, 5 * sizeof *e.shape);
    memcpy(e.strides, (const int64_t[]){128, 0, 3840, 256, 1}, 5 * sizeof *e.strides);
    memcpy(e.box, (const int64_t[]){2, 1, 4, 5, 64}, 5 * sizeof *e.box);
    tmap_map_params p = taken(&e);
    static const uint64_t dims[] = {64, 5, 4, 3, 2}, strides[] = {512, 7680, 0, 256}, box[] = {64, 5, 4, 1, 2};
    assert_memory_equal(p.dims_el, dims, sizeof dims);
    assert_memory_equal(p.strides_B, strides, sizeof strides);
    assert_memory_equal(p.box_el, box, sizeof box);
    assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_OK);
}

TEST(types) {
    static const struct {
        int code, bits, lanes;
        tmap_type type;
        int64_t columns;            /* of the tensor, compact in rows; the box is one row */
        uint64_t dim0_el, stride_B; /* of the map */
    } rows[] = {
        {INT, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {UINT, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {BOOL, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E3M4, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E4M3, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E4M3B11, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E4M3FN, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E4M3FNUZ, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E5M2, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E5M2FNUZ, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {E8M0, 8, 1, TMAP_TYPE_U8, 32, 32, 32},
        {INT, 16, 1, TMAP_TYPE_U16, 32, 32, 64},
        {UINT, 16, 1, TMAP_TYPE_U16, 32, 32, 64},
        {INT, 32, 1, TMAP_TYPE_S32, 32, 32, 128},
        {UINT, 32, 1, TMAP_TYPE_U32, 32, 32, 128},
        {INT, 64, 1, TMAP_TYPE_S64, 32, 32, 256},
        {UINT, 64, 1, TMAP_TYPE_U64, 32, 32, 256},
        {FLOAT, 16, 1, TMAP_TYPE_F16, 32, 32, 64},
        {BFLOAT, 16, 1, TMAP_TYPE_BF16, 32, 32, 64},
        {FLOAT, 32, 1, TMAP_TYPE_F32, 32, 32, 128},
        {FLOAT, 64, 1, TMAP_TYPE_F64, 32, 32, 256},
        {UINT, 4, 1, TMAP_TYPE_B4X16, 64, 64, 32},
        {INT, 4, 1, TMAP_TYPE_B4X16, 64, 64, 32},
        {E2M1, 4, 1, TMAP_TYPE_B4X16, 64, 64, 32},
        {E2M1, 4, 2, TMAP_TYPE_B4X16, 64, 128, 64},
        {UINT, 4, 2, TMAP_TYPE_B4X16, 64, 128, 64},
        {E2M1, 4, 16, TMAP_TYPE_B4X16, 64, 64, 32},
        {UINT, 4, 16, TMAP_TYPE_B4X16, 64, 64, 32},
        {E2M3, 6, 1, TMAP_TYPE_B6X16_P32, 128, 128, 96},
        {E3M2, 6, 1, TMAP_TYPE_B6X16_P32, 128, 128, 96},
        {E3M2, 6, 16, TMAP_TYPE_B6X16_P32, 128, 128, 96},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int given = 0; given < 2; given++) { /* NULL strides, and the same strides written out */
            example e;
            begin(&e);
            set_type(&e, rows[i].code, rows[i].bits, rows[i].lanes);
            e.shape[0] = 8, e.shape[1] = e.box[1] = rows[i].columns, e.box[0] = 1;
            e.strides[0] = rows[i].columns;
            if (!given) e.tensor.strides = NULL;
            tmap_map_params p = taken(&e);
            if (p.type != rows[i].type || p.dims_el[0] != rows[i].dim0_el || p.dims_el[1] != 8 ||
                p.strides_B[0] != rows[i].stride_B || p.box_el[0] != rows[i].dim0_el || p.box_el[1] != 1)
                fail_msg("row %zu: another map", i);
            assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_OK);
        }
    }
}

/* PyTorch writes the stride 1 for a dimension of size 1; other libraries write any number. */
TEST(the_stride_of_one_entry_is_ignored) {
    static const struct {
        int64_t shape[3], strides[3];
        uint64_t wanted_B[2];
    } rows[] = {
        {{1, 1, 64}, {1, 1, 1}, {128, 128}},  /* a row of 64 */
        {{1, 1, 60}, {1, 1, 1}, {128, 128}},  /* 120 B, rounded up */
        {{1, 5, 64}, {1, 80, 1}, {160, 160}}, /* the stride of the next inner dimension */
        {{5, 1, 64}, {80, 1, 1}, {128, 160}},
        {{5, 1, 64}, {80, 400, 1}, {800, 160}}, /* valid in a map, so kept */
        {{5, 1, 64}, {80, 0, 1}, {0, 160}},
        {{5, 1, 64}, {80, -1, 1}, {128, 160}},
        {{5, 1, 64}, {80, INT64_MAX, 1}, {128, 160}},
        {{5, 1, 64}, {80, INT64_C(1) << 39, 1}, {128, 160}}, /* 2^40 B */
        {{5, 4, 1}, {64, 16, -7}, {32, 128}},                /* the last dimension, too */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        example e;
        begin(&e);
        e.tensor.ndim = 3;
        memcpy(e.shape, rows[i].shape, sizeof rows[i].shape);
        memcpy(e.strides, rows[i].strides, sizeof rows[i].strides);
        memcpy(e.box, (const int64_t[]){1, 1, 16}, 3 * sizeof *e.box);
        tmap_map_params p = taken(&e);
        assert_int_equal(p.strides_B[0], rows[i].wanted_B[0]);
        assert_int_equal(p.strides_B[1], rows[i].wanted_B[1]);
        assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_OK);
    }
}

TEST(null_strides_are_compact) {
    example e;
    begin(&e);
    e.tensor.ndim = 4;
    memcpy(e.shape, (const int64_t[]){7, 1, 3, 24}, 4 * sizeof *e.shape);
    e.tensor.strides = NULL;
    tmap_map_params p = taken(&e);
    assert_int_equal(p.strides_B[0], 48);
    assert_int_equal(p.strides_B[1], 144);
    assert_int_equal(p.strides_B[2], 144);
    e.tensor.ndim = 1;
    p = taken(&e);
    assert_int_equal(p.rank, 1);
}

TEST(devices) {
    static const int reached[] = {CUDA, CUDA_HOST, CUDA_MANAGED}, others[] = {0, 1, 4, 10, 11, 12, 14, 18, -1};
    example e;
    begin(&e);
    for (size_t i = 0; i < COUNT(reached); i++) {
        e.tensor.device.device_type = reached[i];
        taken(&e);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        char words[32];
        e.tensor.device.device_type = others[i];
        snprintf(words, sizeof words, "device_type is %d", others[i]);
        expect_refused(&e, "dlpack-device", words);
    }
}

TEST(the_box_may_be_set_later) {
    example e;
    tmap_map_params p;
    begin(&e);
    assert_int_equal(tmap_params_from_dlpack(&e.tensor, NULL, &p, NULL), TMAP_OK);
    assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_REFUSED);
    p.box_el[0] = p.box_el[1] = 64;
    assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_OK);
}

/* ---- Tensors that are refused ----------------------------------------------------------------------------------- */

TEST(other_types_are_refused) {
    static const struct {
        int code, bits, lanes;
        const char *words;
    } rows[] = {
        {COMPLEX, 64, 1, "dtype is complex (code 5) of 64 bits and 1 lane,"},
        {HANDLE, 64, 1, "handle"},
        {FLOAT, 8, 1, "float (code 2) of 8 bits"},
        {FLOAT, 128, 1, "128 bits"},
        {BFLOAT, 32, 1, "bfloat (code 4) of 32 bits"},
        {BOOL, 1, 1, "bool (code 6) of 1 bits"},
        {INT, 24, 1, "24 bits"},
        {INT, 0, 1, "0 bits"},
        {UINT, 2, 1, "2 bits"},
        {E4M3FN, 16, 1, "float8_e4m3fn (code 10) of 16 bits"},
        {E8M0, 7, 1, "float8_e8m0fnu"},
        {E2M3, 8, 1, "float6_e2m3fn (code 15) of 8 bits"},
        {E2M1, 8, 1, "float4_e2m1fn (code 17) of 8 bits"},
        {18, 8, 1, "unknown (code 18)"},
        {255, 255, 65535, "unknown (code 255) of 255 bits and 65535 lanes"},
        {FLOAT, 16, 2, "16 bits and 2 lanes"},
        {FLOAT, 32, 4, "32 bits and 4 lanes"},
        {INT, 8, 0, "8 bits and 0 lanes"},
        {E4M3FN, 8, 16, "8 bits and 16 lanes"},
        {E2M1, 4, 0, "0 lanes"},
        {E2M1, 4, 4, "4 lanes"},
        {E2M1, 4, 32, "32 lanes"},
        {E2M3, 6, 2, "2 lanes"},
        {E2M3, 6, 4, "4 lanes"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        example e;
        begin(&e);
        set_type(&e, rows[i].code, rows[i].bits, rows[i].lanes);
        expect_refused(&e, "dlpack-dtype", rows[i].words);
    }
}

/* tmap checks the rank before it reads an array. */
TEST(ranks_and_arrays) {
    static const int32_t ranks[] = {0, -1, 6, INT32_MAX, INT32_MIN};
    example e;
    begin(&e);
    e.tensor.shape = e.tensor.strides = NULL;
    for (size_t i = 0; i < COUNT(ranks); i++) {
        char words[32];
        e.tensor.ndim = ranks[i];
        snprintf(words, sizeof words, "ndim is %d", (int)ranks[i]);
        expect_refused(&e, "rank-range", words);
        expect_refused(&e, "rank-range", ranks[i] > 0 ? "fold" : ranks[i] == 0 ? "size 1" : "set ndim");
    }
    e.tensor.ndim = 5;
    expect_refused(&e, "dlpack-size", "shape is null");
}

TEST(sizes) {
    example e;
    begin(&e);
    e.shape[0] = -1;
    expect_refused(&e, "dlpack-size", "shape[0] is -1");
    begin(&e);
    e.shape[1] = INT64_MIN;
    expect_refused(&e, "dlpack-size", "shape[1] is -9223372036854775808");
    begin(&e);
    e.box[1] = -8;
    expect_refused(&e, "dlpack-size", "box[1] is -8");
    begin(&e);
    e.shape[0] = e.shape[1] = e.box[0] = e.box[1] = INT64_MAX; /* the size in pairs must not wrap around */
    set_type(&e, E2M1, 4, 2);
    tmap_map_params p = taken(&e);
    assert_true(p.dims_el[0] == 2 * (uint64_t)INT64_MAX && p.box_el[0] == 2 * (uint64_t)INT64_MAX);
    assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_REFUSED);
}

TEST(strides) {
    example e;
    begin(&e);
    e.strides[1] = 2;
    expect_refused(&e, "inner-contiguous", "strides[1] is 2");
    e.strides[1] = 0;
    expect_refused(&e, "inner-contiguous", "strides[1] is 0");
    e.strides[1] = -1;
    expect_refused(&e, "inner-contiguous", "strides[1] is -1");
    begin(&e);
    e.strides[0] = -72;
    expect_refused(&e, "dlpack-strides", "strides[0] is -72");
    begin(&e);
    set_type(&e, E2M1, 4, 1);
    e.strides[0] = 63;
    expect_refused(&e, "dlpack-strides", "63 values of 4 bits");
    e.tensor.strides = NULL;
    e.shape[1] = 63;
    expect_refused(&e, "dlpack-strides", "63 values of 4 bits");
    begin(&e);
    set_type(&e, E2M3, 6, 1);
    e.strides[0] = 130; /* 97.5 B */
    expect_refused(&e, "dlpack-strides", "130 values of 6 bits");
}

/* Products beyond 64 bits exceed the limits of a map and are refused; they never wrap around. */
TEST(strides_do_not_wrap) {
    static const struct {
        int code, bits, lanes;
    } kinds[] = {{FLOAT, 64, 1}, {UINT, 8, 1}, {E2M1, 4, 1}, {E2M1, 4, 2}, {E2M3, 6, 1}};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tmap_diag refusal;
        example e;
        begin(&e);
        set_type(&e, kinds[i].code, kinds[i].bits, kinds[i].lanes);
        e.strides[0] = INT64_MAX / 8 * 8;
        tmap_map_params p = taken(&e);
        assert_int_equal(tmap_build_check(&p, 0, &refusal), TMAP_REFUSED);
        assert_non_null(strstr(line_of(&refusal), "[stride-limit]"));
        begin(&e);
        set_type(&e, kinds[i].code, kinds[i].bits, kinds[i].lanes);
        e.tensor.strides = NULL;
        e.tensor.ndim = 5;
        for (int k = 0; k < 5; k++) e.shape[k] = INT64_C(1) << 32;
        p = taken(&e);
        assert_true(p.strides_B[3] >= UINT64_C(1) << 40);
        assert_int_equal(tmap_build_check(&p, 0, NULL), TMAP_REFUSED);
    }
}

TEST(addresses) {
    example e;
    begin(&e);
    e.tensor.data = NULL;
    expect_refused(&e, "dlpack-data", "data is null");
    e.shape[0] = 0; /* no elements and no data: the error names the size */
    tmap_map_params p = taken(&e);
    tmap_diag refusal;
    assert_int_equal(tmap_build_check(&p, 0, &refusal), TMAP_REFUSED);
    assert_non_null(strstr(line_of(&refusal), "[dim-extent]"));
    begin(&e);
    e.tensor.byte_offset = UINT64_MAX - 0xffff;
    expect_refused(&e, "dlpack-data", "byte_offset is 18446744073709486080");
    begin(&e);
    e.tensor.byte_offset = 8;
    p = taken(&e);
    assert_int_equal(tmap_build_check(&p, 0, &refusal), TMAP_REFUSED);
    assert_non_null(strstr(line_of(&refusal), "[address-align]"));
}
