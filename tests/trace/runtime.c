/* A program that looks up the driver's call in the CUDA runtime, as CUTLASS does. Prints the CUresult. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

int main(void) {
    static const cuuint64_t dims[] = {4096, 8192}, strides[] = {8192};
    static const cuuint32_t box[] = {64, 128}, ones[] = {1, 1};
    CUtensorMap map;
    void *found = NULL;
    encode_tiled *call;
    enum cudaDriverEntryPointQueryResult status;
    cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
    if (error != cudaSuccess || !found) {
        printf("no entry point: %s\n", cudaGetErrorString(error));
        return 9;
    }
    memcpy(&call, &found, sizeof call);
    printf("%d\n", (int)call(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)0x10000, dims, strides, box, ones,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return 0;
}
