/*
 * The driver room against the stand-in libcuda. Built with STANDIN, STANDIN_V1 and STANDIN_SYMBOLS: the paths of the
 * stand-in with cuGetProcAddress_v2, with the old cuGetProcAddress alone, and with neither.
 */
#define _XOPEN_SOURCE 700 /* setenv, mkstemp, truncate */

#include <stdlib.h>
#include <unistd.h>

#include "text_fixture.h"

#include "driver/driver.h"
#include "tmap/unstable/driver.h"

static char log_path[] = "/tmp/standin-log-XXXXXX";

static int start(void **state) {
    (void)state;
    int file = mkstemp(log_path);
    return file < 0 ? -1 : close(file);
}

static int end(void **state) {
    (void)state;
    return unlink(log_path);
}

/* Every test starts with a working stand-in and an empty log. */
static int reset(void **state) {
    static const char *const variables[] = {"STANDIN_FAIL",     "STANDIN_VERSION",    "STANDIN_CC",  "STANDIN_MISSING",
                                            "STANDIN_FLIP_BIT", "STANDIN_ACCEPT_ALL", "TMAP_LIBCUDA"};
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) unsetenv(variables[i]);
    return setenv("STANDIN_LOG", log_path, 1) == 0 ? truncate(log_path, 0) : -1;
}

/* The log as one static string. */
static const char *calls(void) {
    static char text[16384];
    FILE *file = fopen(log_path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static size_t count_of(const char *text, const char *word) {
    size_t n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) n++;
    return n;
}

static tmap_driver *open_driver(const char *library) {
    tmap_diag why;
    tmap_driver *driver = NULL;
    tmap_status status = tmap_driver_open(library, 0, &driver, &why);
    if (status != TMAP_OK) fail_msg("%s", why.message);
    return driver;
}

/* The reason for which the stand-in at `library` cannot be opened. */
static const char *refusal(const char *library, int device) {
    static tmap_diag why;
    tmap_driver *driver = NULL;
    assert_int_equal(tmap_driver_open(library, device, &driver, &why), TMAP_UNAVAILABLE);
    assert_null(driver);
    return why.message;
}

/* Rank 3, no two numbers alike. */
static tmap_map_params some_map(void) {
    return (tmap_map_params){
        .type = TMAP_TYPE_BF16,
        .rank = 3,
        .has_address = true,
        .address = 0x7f1234567890,
        .dims_el = {4096, 301, 77},
        .strides_B = {8192, 2465792},
        .box_el = {64, 32, 5},
        .element_strides = {1, 3, 2},
        .swizzle = TMAP_SWIZZLE_128B,
        .l2_promotion = TMAP_L2_PROMOTION_256B,
        .oob_fill = TMAP_OOB_FILL_NAN,
    };
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

TEST(reports_the_opened_library) {
    setenv("STANDIN_VERSION", "12080", 1);
    setenv("STANDIN_CC", "103", 1);
    tmap_driver *driver = open_driver(STANDIN);
    const tmap_driver_info *about = tmap_driver_about(driver);
    assert_string_equal(about->library, STANDIN);
    assert_string_equal(about->device, "Stand-in GPU");
    assert_int_equal(about->version, 12080);
    assert_int_equal(about->chip, 103);
    tmap_driver_close(driver);
}

TEST(the_environment_names_the_library) {
    setenv("TMAP_LIBCUDA", STANDIN, 1);
    tmap_driver *driver = open_driver(NULL);
    assert_string_equal(tmap_driver_about(driver)->library, STANDIN);
    tmap_driver_close(driver);
}

TEST(no_context_remains) {
    tmap_driver_close(open_driver(STANDIN));
    assert_int_equal(count_of(calls(), "cuDevicePrimaryCtxRetain device=0 -> 0"), 1);
    assert_int_equal(count_of(calls(), "cuDevicePrimaryCtxRelease device=0 -> 0"), 1);
    expect_in(calls(), "cuCtxSetCurrent context=primary -> 0");
    expect_in(calls(), "cuCtxSetCurrent context=none -> 0");
    tmap_driver_close(NULL);
}

TEST(requests_entry_points_by_their_first_version) {
    tmap_driver_close(open_driver(STANDIN));
    expect_in(calls(), "cuGetProcAddress symbol=cuTensorMapEncodeTiled version=12000 -> 0");
    expect_in(calls(), "cuGetProcAddress symbol=cuTensorMapReplaceAddress version=12000 -> 0");
}

TEST(finds_entry_points_in_older_ways) {
    static const char *const libraries[] = {STANDIN_V1, STANDIN_SYMBOLS};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tmap_map_params map = some_map();
        tmap_descriptor descriptor;
        int result = -1;
        tmap_driver *driver = open_driver(libraries[i]);
        assert_int_equal(tmap_driver_encode(driver, &map, 0, &descriptor, &result), TMAP_OK);
        assert_int_equal(result, 0);
        tmap_driver_close(driver);
    }
}

typedef struct planted_failure {
    const char *fail;   /* STANDIN_FAIL */
    const char *call;   /* the reason must contain this call and the error */
    const char *advice; /* words of the advice */
    bool retained;      /* the context was retained and must be released */
} planted_failure;

static const planted_failure planted_failures[] = {
    {"cuDriverGetVersion=34", "cuDriverGetVersion returned CUDA_ERROR_STUB_LIBRARY (34)", "TMAP_LIBCUDA", false},
    {"cuInit=100", "cuInit returned CUDA_ERROR_NO_DEVICE (100)", "nvidia-smi", false},
    {"cuInit=999", "cuInit returned CUDA_ERROR_UNKNOWN (999)", "dmesg", false},
    {"cuInit=803", "cuInit returned CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "restart", false},
    {"cuInit=123456", "cuInit returned an unlisted CUresult (123456)", "cuda.h", false},
    {"cuDeviceGet=101", "cuDeviceGet returned CUDA_ERROR_INVALID_DEVICE (101)", "nvidia-smi -L", false},
    {"cuDeviceGetName=1", "cuDeviceGetName returned CUDA_ERROR_INVALID_VALUE (1)", "argument", false},
    {"cuDeviceGetAttribute=3:1", "cuDeviceGetAttribute returned CUDA_ERROR_NOT_INITIALIZED (3)", "cuInit", false},
    {"cuDeviceGetAttribute=4:2", "cuDeviceGetAttribute returned CUDA_ERROR_DEINITIALIZED (4)", "earlier", false},
    {"cuCtxGetCurrent=201", "cuCtxGetCurrent returned CUDA_ERROR_INVALID_CONTEXT (201)", "thread", false},
    {"cuDevicePrimaryCtxRetain=46", "cuDevicePrimaryCtxRetain returned CUDA_ERROR_DEVICE_UNAVAILABLE (46)",
     "another process", false},
    {"cuDevicePrimaryCtxRetain=2", "cuDevicePrimaryCtxRetain returned CUDA_ERROR_OUT_OF_MEMORY (2)", "free memory",
     false},
    {"cuCtxSetCurrent=700", "cuCtxSetCurrent returned CUDA_ERROR_ILLEGAL_ADDRESS (700)", "new process", true},
    {"cuGetProcAddress=500:1", "does not have cuTensorMapEncodeTiled", "install", true},
};

TEST(names_the_call_that_fails_and_what_to_do) {
    for (size_t i = 0; i < sizeof planted_failures / sizeof planted_failures[0]; i++) {
        const planted_failure *row = &planted_failures[i];
        reset(state);
        setenv("STANDIN_FAIL", row->fail, 1);
        const char *reason = refusal(STANDIN, 0);
        expect_in(reason, row->call);
        expect_in(reason, row->advice);
        assert_int_equal(count_of(calls(), "cuDevicePrimaryCtxRelease"), row->retained);
    }
}

TEST(every_call_of_opening_can_fail) {
    static const char *const names[] = {
#define CUDA_CALL(id, symbol, arguments) symbol,
#include "driver/calls.def"
#undef CUDA_CALL
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool planted = strncmp(names[i], "cuDevicePrimaryCtxRelease", 25) == 0; /* cannot fail an opening */
        for (size_t j = 0; j < sizeof planted_failures / sizeof planted_failures[0]; j++)
            planted = planted || strncmp(planted_failures[j].fail, names[i], strlen(names[i])) == 0;
        if (!planted) fail_msg("no failure is planted at %s", names[i]);
    }
}

TEST(no_driver_at_all) {
    const char *reason = refusal("/nonexistent/libcuda.so.1", 0);
    expect_in(reason, "cannot load /nonexistent/libcuda.so.1");
    expect_in(reason, "TMAP_LIBCUDA");
    expect_in(refusal("libm.so.6", 0), "libm.so.6 has no cuDriverGetVersion: it is not the CUDA driver");
}

TEST(an_old_driver) {
    setenv("STANDIN_VERSION", "11080", 1);
    const char *reason = refusal(STANDIN, 0);
    expect_in(reason, "too old: it is of CUDA 11.8");
    expect_in(reason, "525.60");
    assert_int_equal(count_of(calls(), "cuInit"), 0);
}

TEST(a_small_gpu) {
    setenv("STANDIN_CC", "86", 1);
    expect_in(refusal(STANDIN, 0), "Stand-in GPU has compute capability 8.6, and tensor maps need 9.0");
}

TEST(a_missing_device) {
    expect_in(refusal(STANDIN, 7), "cuDeviceGet returned CUDA_ERROR_INVALID_DEVICE (101)");
}

TEST(a_driver_without_tensor_maps) {
    setenv("STANDIN_MISSING", "cuTensorMapEncodeTiled", 1);
    expect_in(refusal(STANDIN, 0), "is of CUDA 13.0 but does not have cuTensorMapEncodeTiled");
}

TEST(a_record_is_filled_in_where_there_is_one) {
    tmap_driver *driver = NULL;
    tmap_diag why;
    setenv("STANDIN_FAIL", "cuInit=100", 1);
    assert_int_equal(tmap_driver_open(STANDIN, 0, &driver, NULL), TMAP_UNAVAILABLE);
    assert_int_equal(tmap_driver_open(STANDIN, 0, NULL, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_driver_open(STANDIN, 0, NULL, &why), TMAP_BAD_ARGUMENT);
    assert_string_equal(why.message, "driver is null");
}

/* ---- Encoding --------------------------------------------------------------------------------------------------- */

TEST(passes_exactly_the_arguments) {
    tmap_map_params map = some_map();
    tmap_descriptor descriptor;
    int result = -1;
    tmap_driver *driver = open_driver(STANDIN);
    assert_int_equal(tmap_driver_encode(driver, &map, 0xff, &descriptor, &result), TMAP_OK);
    assert_int_equal(result, 0);
    expect_in(calls(), "cuTensorMapEncodeTiled align=0 type=9 rank=3 address=0x7f1234567890 dims=4096,301,77 "
                       "strides=8192,2465792 box=64,32,5 element_strides=1,3,2 interleave=0 swizzle=3 l2_promotion=3 "
                       "oob_fill=1 -> 0\n");
    tmap_driver_close(driver);
}

/* Little-endian: the address; then kind 0, version 1, rank 3, type code 10 (bf16), swizzle 3, NaN, promotion 3, LARGE:
 * 1<<1 | 2<<4 | 10<<7 | 3<<13 | 1<<15 | 3<<17 | 1<<21 = 0x26e522. */
TEST(returns_the_bytes_of_the_driver) {
    static const uint8_t expected[12] = {0x90, 0x78, 0x56, 0x34, 0x12, 0x7f, 0, 0, 0x22, 0xe5, 0x26, 0x00};
    tmap_map_params map = some_map();
    tmap_descriptor descriptor;
    int result = -1;
    tmap_driver *driver = open_driver(STANDIN);
    tmap_driver_encode(driver, &map, 0, &descriptor, &result);
    assert_memory_equal(descriptor.bytes, expected, sizeof expected);
    tmap_driver_close(driver);
}

TEST(a_refusal_keeps_the_prefill) {
    tmap_map_params map = some_map();
    tmap_descriptor descriptor;
    int result = -1;
    map.box_el[0] = 257;
    tmap_driver *driver = open_driver(STANDIN);
    assert_int_equal(tmap_driver_encode(driver, &map, 0xa5, &descriptor, &result), TMAP_OK);
    assert_int_equal(result, 1);
    for (size_t i = 0; i < sizeof descriptor.bytes; i++) assert_int_equal(descriptor.bytes[i], 0xa5);
    tmap_driver_close(driver);
}

TEST(returns_every_curesult) {
    /* cuda.h: after code 700 all later work returns the same code. */
    static const int answers[] = {1, 4, 201, 700, 801, 999};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        char fail[64];
        tmap_map_params map = some_map();
        tmap_descriptor descriptor;
        int result = -1;
        reset(state);
        (void)snprintf(fail, sizeof fail, "cuTensorMapEncodeTiled=%d:2", answers[i]);
        setenv("STANDIN_FAIL", fail, 1);
        tmap_driver *driver = open_driver(STANDIN);
        for (int call = 1; call <= 3; call++) {
            assert_int_equal(tmap_driver_encode(driver, &map, 0, &descriptor, &result), TMAP_OK);
            assert_int_equal(result, call == 2 || (call == 3 && answers[i] == 700) ? answers[i] : 0);
        }
        tmap_driver_close(driver);
    }
}

TEST(rank_1_has_a_pointer_to_no_strides) {
    tmap_map_params map = some_map();
    tmap_descriptor descriptor;
    int result = -1;
    map.rank = 1;
    tmap_driver *driver = open_driver(STANDIN);
    tmap_driver_encode(driver, &map, 0, &descriptor, &result);
    expect_in(calls(), "rank=1 address=0x7f1234567890 dims=4096 strides= box=64");
    tmap_driver_call(driver, &(tmap_encode_call){.params = &map, .null_strides = true}, &descriptor, &result);
    expect_in(calls(), "strides=null box=64");
    tmap_driver_close(driver);
}

TEST(the_map_is_at_the_requested_place) {
    tmap_map_params map = some_map();
    tmap_descriptor straight, shifted;
    int result = -1;
    tmap_driver *driver = open_driver(STANDIN);
    tmap_driver_encode(driver, &map, 0, &straight, &result);
    tmap_driver_call(driver, &(tmap_encode_call){.params = &map, .map_offset_B = 64}, &shifted, &result);
    expect_in(calls(), "cuTensorMapEncodeTiled align=64 ");
    assert_memory_equal(straight.bytes, shifted.bytes, sizeof straight.bytes);
    tmap_driver_close(driver);
}

TEST(numbers_that_do_not_fit_never_reach_the_driver) {
    tmap_map_params maps[] = {some_map(), some_map(), some_map(), some_map(), some_map()};
    tmap_descriptor descriptor;
    int result = -1;
    maps[0].box_el[1] = (uint64_t)UINT32_MAX + 65;
    maps[1].element_strides[2] = (uint64_t)UINT32_MAX + 2;
    maps[2].rank = (uint64_t)UINT32_MAX + 3;
    maps[3].swizzle = TMAP_SWIZZLE_96B;
    maps[4].mode = TMAP_MODE_IM2COL;
    maps[4].lower_corner[0] = (int64_t)INT32_MIN - 1;
    tmap_driver *driver = open_driver(STANDIN);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(tmap_driver_encode(driver, &maps[i], 0, &descriptor, &result), TMAP_BAD_ARGUMENT);
    assert_int_equal(count_of(calls(), "cuTensorMapEncodeTiled align"), 0);
    tmap_driver_close(driver);
}

TEST(replaces_only_the_address) {
    tmap_map_params map = some_map();
    tmap_descriptor before, after;
    int result = -1;
    tmap_driver *driver = open_driver(STANDIN);
    tmap_driver_encode(driver, &map, 0, &before, &result);
    after = before;
    assert_int_equal(tmap_driver_replace_address(driver, &after, 0x100, &result), TMAP_OK);
    assert_int_equal(result, 0);
    assert_memory_equal(after.bytes, "\0\1\0\0\0\0\0\0", 8);
    assert_memory_equal(after.bytes + 8, before.bytes + 8, sizeof after.bytes - 8);
    assert_int_equal(tmap_driver_replace_address(driver, &after, 0x108, &result), TMAP_OK);
    assert_int_equal(result, 1);
    tmap_driver_close(driver);
}

TEST(a_driver_that_cannot_replace) {
    tmap_descriptor descriptor = {{0}};
    int result = -1;
    setenv("STANDIN_MISSING", "cuTensorMapReplaceAddress", 1);
    tmap_driver *driver = open_driver(STANDIN);
    assert_int_equal(tmap_driver_replace_address(driver, &descriptor, 0x100, &result), TMAP_UNAVAILABLE);
    tmap_driver_close(driver);
}

BEFORE_EACH(reset)

int main(void) {
    return tests_run(start, end);
}
