/* tmap's declarations of the CUDA driver's ABI and its tables, compared with the cuda.h of this machine. */
#include <stdlib.h>

#include "cmocka_all.h"
#include <cuda.h>

#include "driver/cuda_abi.h"
#include "runtime/cuda_errors.h"
#include "tmap/unstable/driver.h"

_Static_assert(sizeof(CUtensorMap) == CUDA_TENSOR_MAP_B, "a descriptor's size");
_Static_assert(_Alignof(CUtensorMap) <= CUDA_TENSOR_MAP_ALIGN_B, "a descriptor's alignment");
_Static_assert(sizeof(tmap_descriptor) == sizeof(CUtensorMap), "ours is as large");
_Static_assert(_Alignof(tmap_descriptor) >= 64, "the API asks for 64");
_Static_assert(sizeof(CUresult) == sizeof(cuda_result), "CUresult");
_Static_assert(sizeof(CUdevice) == sizeof(cuda_device), "CUdevice");
_Static_assert(sizeof(CUcontext) == sizeof(cuda_context), "CUcontext");
_Static_assert(sizeof(cuuint64_t) == sizeof(uint64_t) && sizeof(cuuint32_t) == sizeof(uint32_t), "integers");
_Static_assert(sizeof(CUtensorMapDataType) == sizeof(int) && sizeof(CUtensorMapSwizzle) == sizeof(int), "enums");
_Static_assert(CUDA_SUCCESS == CUDA_SUCCESS_CODE, "success");
_Static_assert((int)CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == CUDA_ATTRIBUTE_CAPABILITY_MAJOR, "major");
_Static_assert((int)CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == CUDA_ATTRIBUTE_CAPABILITY_MINOR, "minor");
_Static_assert((int)CU_GET_PROC_ADDRESS_DEFAULT == CUDA_PROC_ADDRESS_DEFAULT, "flags");

/*
 * Calls of the real functions with arguments of tmap's types: a wrong number of arguments or another pointer type is a
 * compile error.
 */
_Static_assert(sizeof(cuTensorMapEncodeTiled((CUtensorMap *)0, (CUtensorMapDataType)0, (uint32_t)0, (void *)0,
                                             (const uint64_t *)0, (const uint64_t *)0, (const uint32_t *)0,
                                             (const uint32_t *)0, (CUtensorMapInterleave)0, (CUtensorMapSwizzle)0,
                                             (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0)) == sizeof(int),
               "cuTensorMapEncodeTiled");
_Static_assert(sizeof(cuTensorMapEncodeIm2col((CUtensorMap *)0, (CUtensorMapDataType)0, (uint32_t)0, (void *)0,
                                              (const uint64_t *)0, (const uint64_t *)0, (const int *)0, (const int *)0,
                                              (uint32_t)0, (uint32_t)0, (const uint32_t *)0, (CUtensorMapInterleave)0,
                                              (CUtensorMapSwizzle)0, (CUtensorMapL2promotion)0,
                                              (CUtensorMapFloatOOBfill)0)) == sizeof(int),
               "cuTensorMapEncodeIm2col");
#if CUDA_VERSION >= 12080
_Static_assert(sizeof(cuTensorMapEncodeIm2colWide((CUtensorMap *)0, (CUtensorMapDataType)0, (uint32_t)0, (void *)0,
                                                  (const uint64_t *)0, (const uint64_t *)0, 0, 0, (uint32_t)0,
                                                  (uint32_t)0, (const uint32_t *)0, (CUtensorMapInterleave)0,
                                                  (CUtensorMapIm2ColWideMode)0, (CUtensorMapSwizzle)0,
                                                  (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0)) ==
                   sizeof(int),
               "cuTensorMapEncodeIm2colWide");
_Static_assert((int)CU_TENSOR_MAP_IM2COL_WIDE_MODE_W == 0 && (int)CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 == 1, "wide");
#endif
_Static_assert(sizeof(cuTensorMapReplaceAddress((CUtensorMap *)0, (void *)0)) == sizeof(int),
               "cuTensorMapReplaceAddress");
#if CUDA_VERSION >= 13050
_Static_assert(sizeof(cuTensorMapSetAllocationClass((CUtensorMap *)0, (CUtensorMapAllocClass)0,
                                                    (CUtensorMapAllocClass *)0)) == sizeof(int),
               "cuTensorMapSetAllocationClass");
_Static_assert((int)CU_TENSOR_MAP_ALLOC_CLASS_AUTO == TMAP_ALLOCATION_AUTO &&
                   (int)CU_TENSOR_MAP_ALLOC_CLASS_SMALL == TMAP_ALLOCATION_SMALL &&
                   (int)CU_TENSOR_MAP_ALLOC_CLASS_LARGE == TMAP_ALLOCATION_LARGE,
               "CUtensorMapAllocClass");
#endif
_Static_assert(sizeof(cuGetProcAddress("", (void **)0, 0, (uint64_t)0, (CUdriverProcAddressQueryResult *)0)) ==
                   sizeof(int),
               "cuGetProcAddress_v2");
_Static_assert(sizeof(cuDeviceGetName((char *)0, 0, (CUdevice)0)) == sizeof(int), "cuDeviceGetName");
_Static_assert(sizeof(cuDeviceGetAttribute((int *)0, (CUdevice_attribute)0, (CUdevice)0)) == sizeof(int),
               "cuDeviceGetAttribute");
_Static_assert(sizeof(cuDevicePrimaryCtxRetain((CUcontext *)0, (CUdevice)0)) == sizeof(int), "retain");
_Static_assert(sizeof(cuDevicePrimaryCtxRelease((CUdevice)0)) == sizeof(int), "release");
_Static_assert(sizeof(cuCtxGetCurrent((CUcontext *)0)) == sizeof(int), "cuCtxGetCurrent");
_Static_assert(sizeof(cuCtxSetCurrent((CUcontext)0)) == sizeof(int), "cuCtxSetCurrent");

_Static_assert(sizeof(CUdeviceptr) == sizeof(uint64_t), "CUdeviceptr");
_Static_assert((int)CUDA_ERROR_NOT_READY == CUDA_ERROR_NOT_READY_CODE, "not ready");
#if CUDA_VERSION >= 13050
_Static_assert((int)CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE == CUDA_ATTRIBUTE_LARGE_TENSOR_MIN, "large");
#endif
_Static_assert((int)CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == CUDA_ATTRIBUTE_SHARED_OPTIN, "shared");
_Static_assert((int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == CUDA_FUNCTION_DYNAMIC_SHARED, "dynamic shared");
_Static_assert((int)CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED == CUDA_FUNCTION_NONPORTABLE_CLUSTER,
               "cluster");
_Static_assert((int)CU_JIT_ERROR_LOG_BUFFER == CUDA_JIT_ERROR_LOG, "error log");
_Static_assert((int)CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == CUDA_JIT_ERROR_LOG_B, "its size");
_Static_assert((int)CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == CUDA_LAUNCH_CLUSTER_DIMENSION, "cluster dimension");
_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cuda_launch_attribute), "CUlaunchAttribute");
_Static_assert(offsetof(CUlaunchAttribute, value) == offsetof(cuda_launch_attribute, value), "its value");
_Static_assert(sizeof(CUlaunchConfig) == sizeof(cuda_launch_config), "CUlaunchConfig");
_Static_assert(offsetof(CUlaunchConfig, blockDimX) == offsetof(cuda_launch_config, block), "its block");
_Static_assert(offsetof(CUlaunchConfig, sharedMemBytes) == offsetof(cuda_launch_config, shared_B), "its memory");
_Static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(cuda_launch_config, stream), "its stream");
_Static_assert(offsetof(CUlaunchConfig, attrs) == offsetof(cuda_launch_config, attributes), "its attributes");
_Static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(cuda_launch_config, attributes_n), "their number");
_Static_assert(sizeof(cuMemAlloc((CUdeviceptr *)0, (size_t)0)) == sizeof(int), "cuMemAlloc_v2");
_Static_assert(sizeof(cuMemcpyHtoD((CUdeviceptr)0, (const void *)0, (size_t)0)) == sizeof(int), "cuMemcpyHtoD_v2");
_Static_assert(sizeof(cuMemcpyDtoH((void *)0, (CUdeviceptr)0, (size_t)0)) == sizeof(int), "cuMemcpyDtoH_v2");
_Static_assert(sizeof(cuModuleLoadDataEx((CUmodule *)0, (const void *)0, 0u, (CUjit_option *)0, (void **)0)) ==
                   sizeof(int),
               "cuModuleLoadDataEx");
_Static_assert(sizeof(cuModuleGetFunction((CUfunction *)0, (CUmodule)0, "")) == sizeof(int), "cuModuleGetFunction");
_Static_assert(sizeof(cuFuncSetAttribute((CUfunction)0, (CUfunction_attribute)0, 0)) == sizeof(int),
               "cuFuncSetAttribute");
_Static_assert(sizeof(cuLaunchKernelEx((const CUlaunchConfig *)0, (CUfunction)0, (void **)0, (void **)0)) ==
                   sizeof(int),
               "cuLaunchKernelEx");
_Static_assert(sizeof(cuStreamQuery((CUstream)0)) == sizeof(int), "cuStreamQuery");

typedef struct constant {
    const char *name;
    int value;
} constant;

#define CONSTANT(name)                                                                                                 \
    { #name, (int)name }

static const constant types[] = {
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_UINT8),         CONSTANT(CU_TENSOR_MAP_DATA_TYPE_UINT16),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_UINT32),        CONSTANT(CU_TENSOR_MAP_DATA_TYPE_INT32),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_UINT64),        CONSTANT(CU_TENSOR_MAP_DATA_TYPE_INT64),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_FLOAT16),       CONSTANT(CU_TENSOR_MAP_DATA_TYPE_FLOAT32),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_FLOAT64),       CONSTANT(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ),   CONSTANT(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ),
#if CUDA_VERSION >= 12080
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B),  CONSTANT(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B),
    CONSTANT(CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B),
#endif
};

static const constant interleaves[] = {
    CONSTANT(CU_TENSOR_MAP_INTERLEAVE_NONE),
    CONSTANT(CU_TENSOR_MAP_INTERLEAVE_16B),
    CONSTANT(CU_TENSOR_MAP_INTERLEAVE_32B),
};

static const constant swizzles[] = {
    CONSTANT(CU_TENSOR_MAP_SWIZZLE_NONE),          CONSTANT(CU_TENSOR_MAP_SWIZZLE_32B),
    CONSTANT(CU_TENSOR_MAP_SWIZZLE_64B),           CONSTANT(CU_TENSOR_MAP_SWIZZLE_128B),
#if CUDA_VERSION >= 12080
    CONSTANT(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B), CONSTANT(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B),
    CONSTANT(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B),
#endif
};

static const constant promotions[] = {
    CONSTANT(CU_TENSOR_MAP_L2_PROMOTION_NONE),
    CONSTANT(CU_TENSOR_MAP_L2_PROMOTION_L2_64B),
    CONSTANT(CU_TENSOR_MAP_L2_PROMOTION_L2_128B),
    CONSTANT(CU_TENSOR_MAP_L2_PROMOTION_L2_256B),
};

static const constant fills[] = {
    CONSTANT(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
    CONSTANT(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
};

#define EACH(c, table) (const constant *c = (table); c < (table) + sizeof(table) / sizeof((table)[0]); c++)

/* ---- CUresult: names, numbers and comments are read from the text of cuda.h ------------------------------------- */

#define HEADER_MAX 4000000

typedef struct enumerator {
    char name[64], comment[2048];
    int value;
} enumerator;

static enumerator enumerators[200];
static size_t enumerators_n;

/* Reads a comment and replaces each run of spaces, line ends and stars by one space. */
static const char *read_comment(const char *at, char *comment, size_t size) {
    const char *end = strstr(at, "*/");
    size_t used = 0;
    assert_non_null(end);
    for (; at < end; at++) {
        bool gap = strchr(" \n*/", *at) != NULL;
        if ((gap && (used == 0 || comment[used - 1] == ' ')) || used + 1 == size) continue;
        comment[used] = *at;
        if (gap) comment[used] = ' ';
        used++;
    }
    comment[used] = '\0';
    return end + 2;
}

static int read_enumerators(void **state) {
    (void)state;
    char *text = calloc(HEADER_MAX, 1);
    FILE *file = fopen(CUDA_HEADER, "rb");
    assert_non_null(text);
    assert_non_null(file);
    assert_in_range(fread(text, 1, HEADER_MAX - 1, file), 1, HEADER_MAX - 2);
    fclose(file);
    const char *at = strstr(text, "typedef enum cudaError_enum"), *end = strstr(text, "} CUresult;");
    assert_true(at != NULL && end != NULL);
    while ((at = strpbrk(at + 1, "/C")) != NULL && at < end) {
        enumerator *next = &enumerators[enumerators_n];
        if (at[0] == '/' && at[1] == '*') at = read_comment(at, next->comment, sizeof next->comment);
        if (sscanf(at, "%63[A-Z_0-9] = %d", next->name, &next->value) != 2) continue;
        assert_in_range(++enumerators_n, 1, sizeof enumerators / sizeof enumerators[0] - 1);
        at += strcspn(at, "\n");
    }
    free(text);
    return enumerators_n > 80 ? 0 : -1; /* CUDA 12.0 has 85 constants */
}

static const enumerator *enumerator_of(const char *name) {
    for (size_t i = 0; i < enumerators_n; i++)
        if (strcmp(enumerators[i].name, name) == 0) return &enumerators[i];
    return NULL;
}

TEST(errors_have_the_names_of_cuda_h) {
    for (size_t i = 0; i < enumerators_n; i++) {
        int value = -1;
        assert_string_equal(tmap_cuda_error_name(enumerators[i].value), enumerators[i].name);
        assert_true(tmap_cuda_error_find(enumerators[i].name, &value));
        assert_int_equal(value, enumerators[i].value);
    }
}

TEST(every_error_of_ours_is_in_cuda_h) {
    static const char *const ours[] = {
#define CUDA_ERROR_ROW(name, ...) name,
#include "runtime/cuda_errors.def"
#undef CUDA_ERROR_ROW
    };
    if (CUDA_VERSION < 13050) skip(); /* an older header lacks the newer codes */
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (!enumerator_of(ours[i])) fail_msg("%s is not in cuda.h", ours[i]);
}

TEST(sticky_errors_are_those_that_cuda_h_names) {
    static const char *const words[] = {"any further CUDA work will return the same error",
                                        "The context cannot be used anymore",
                                        "the process must be terminated and relaunched"};
    size_t sticky_n = 0;
    for (size_t i = 0; i < enumerators_n; i++) {
        bool said = false;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            said = said || strstr(enumerators[i].comment, words[w]);
        if (tmap_cuda_error_sticky(enumerators[i].value) != said)
            fail_msg("%s: cuda.h says \"%s\"", enumerators[i].name, enumerators[i].comment);
        sticky_n += said;
    }
    assert_in_range(sticky_n, 9, 20); /* 700, 702, 710, 714 to 719 in every version */
}

/* `cu_name` with `prefix` is the name of constant `c`, and `cu` its value. */
static void assert_row(const constant *c, const char *prefix, const char *cu_name, int cu) {
    assert_non_null(cu_name);
    assert_int_equal(strncmp(c->name, prefix, strlen(prefix)), 0);
    assert_string_equal(c->name + strlen(prefix), cu_name);
    assert_int_equal(cu, c->value);
}

TEST(types_have_the_numbers_of_cuda_h) {
    for
        EACH(c, types) {
            const tmap_type_info *row = tmap_type_get(c->value);
            assert_non_null(row);
            assert_row(c, "CU_TENSOR_MAP_DATA_TYPE_", row->cu_name, row->cu);
        }
}

TEST(interleaves_have_the_numbers_of_cuda_h) {
    for
        EACH(c, interleaves) {
            const tmap_interleave_info *row = tmap_interleave_get(c->value);
            assert_non_null(row);
            assert_row(c, "CU_TENSOR_MAP_INTERLEAVE_", row->cu_name, row->cu);
        }
}

TEST(swizzles_have_the_numbers_of_cuda_h) {
    for
        EACH(c, swizzles) {
            const tmap_swizzle_info *row = tmap_swizzle_get(c->value);
            assert_non_null(row);
            assert_row(c, "CU_TENSOR_MAP_SWIZZLE_", row->cu_name, row->cu);
        }
}

TEST(promotions_have_the_numbers_of_cuda_h) {
    for
        EACH(c, promotions) {
            const tmap_choice_info *row = tmap_l2_promotion_get(c->value);
            assert_non_null(row);
            assert_row(c, "CU_TENSOR_MAP_L2_PROMOTION_", row->cu_name, row->cu);
        }
}

TEST(fills_have_the_numbers_of_cuda_h) {
    for
        EACH(c, fills) {
            const tmap_choice_info *row = tmap_oob_fill_get(c->value);
            assert_non_null(row);
            assert_row(c, "CU_TENSOR_MAP_FLOAT_OOB_FILL_", row->cu_name, row->cu);
        }
}

int main(void) {
    return tests_run(read_enumerators, NULL);
}
