/*
 * The part of the CUDA driver's ABI that tmap calls, declared here so that the build needs no cuda.h.
 * tests/lab/test_cuda_abi.c compares these declarations with cuda.h where cuda.h is installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUDA_SUCCESS_CODE 0

/* cuTensorMapEncodeTiled: since CUDA 12.0, for compute capability 9.0 and above. */
#define CUDA_TENSOR_MAP_VERSION  12000
#define CUDA_IM2COL_WIDE_VERSION 12080 /* cuTensorMapEncodeIm2colWide */
#define CUDA_SET_CLASS_VERSION   13050 /* cuTensorMapSetAllocationClass */
#define CUDA_TENSOR_MAP_CHIP     90

#define CUDA_ATTRIBUTE_CAPABILITY_MAJOR 75
#define CUDA_ATTRIBUTE_CAPABILITY_MINOR 76
#define CUDA_ATTRIBUTE_LARGE_TENSOR_MIN 160 /* of CUDA 13.5 */
#define CUDA_PROC_ADDRESS_DEFAULT       0

#define CUDA_TENSOR_MAP_B       128
#define CUDA_TENSOR_MAP_ALIGN_B 128

typedef int cuda_result;
typedef int cuda_device;
typedef struct cuda_context_opaque *cuda_context;
typedef struct cuda_module_opaque *cuda_module;
typedef struct cuda_function_opaque *cuda_function;
typedef struct cuda_stream_opaque *cuda_stream;

#define CUDA_ERROR_NOT_READY_CODE 600

/* CUdevice_attribute, CUfunction_attribute, CUjit_option, CUlaunchAttributeID */
#define CUDA_ATTRIBUTE_SHARED_OPTIN       97
#define CUDA_FUNCTION_DYNAMIC_SHARED      8
#define CUDA_FUNCTION_NONPORTABLE_CLUSTER 14
#define CUDA_JIT_ERROR_LOG                5
#define CUDA_JIT_ERROR_LOG_B              6
#define CUDA_LAUNCH_CLUSTER_DIMENSION     4

#define CUDA_HOST_MEMORY_MAPPED 2 /* CU_MEMHOSTALLOC_DEVICEMAP */

/* The part of CUlaunchAttribute up to the cluster's dimension. */
typedef struct cuda_launch_attribute {
    int id;
    char pad[4];
    union {
        uint32_t cluster[3];
        char room[64];
    } value;
} cuda_launch_attribute;

/* CUlaunchConfig */
typedef struct cuda_launch {
    uint32_t grid[3], block[3], shared_B;
    cuda_stream stream;
    cuda_launch_attribute *attributes;
    uint32_t attributes_n;
} cuda_launch_config;

#define CUDA_CALL(id, symbol, arguments) typedef cuda_result cuda_##id arguments;
#include "driver/calls.def"
#include "driver/gpu_calls.def"
#undef CUDA_CALL

/* cuGetProcAddress has its fifth argument since CUDA 12.0. The symbol of the library never has it. */
typedef cuda_result cuda_get_proc_v1(const char *symbol, void **function, int version, uint64_t flags);
typedef cuda_result cuda_get_proc_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);

typedef cuda_result cuda_encode_tiled(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                                      const uint64_t *global_dim, const uint64_t *global_strides,
                                      const uint32_t *box_dim, const uint32_t *element_strides, int interleave,
                                      int swizzle, int l2_promotion, int oob_fill);
typedef cuda_result cuda_encode_im2col(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                                       const uint64_t *global_dim, const uint64_t *global_strides,
                                       const int *lower_corner, const int *upper_corner, uint32_t channels_per_pixel,
                                       uint32_t pixels_per_column, const uint32_t *element_strides, int interleave,
                                       int swizzle, int l2_promotion, int oob_fill);
typedef cuda_result cuda_encode_im2col_wide(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                                            const uint64_t *global_dim, const uint64_t *global_strides,
                                            int lower_corner, int upper_corner, uint32_t channels_per_pixel,
                                            uint32_t pixels_per_column, const uint32_t *element_strides, int interleave,
                                            int mode, int swizzle, int l2_promotion, int oob_fill);
typedef cuda_result cuda_replace_address(void *tensor_map, void *global_address);
typedef cuda_result cuda_set_class(void *tensor_map, int allocation_class, int *out_allocation_class);
