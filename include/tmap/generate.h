/*
 * generate: code to paste, which needs nothing of tmap: C that makes a spec's driver calls, and CUDA C++ that carries
 * its copies out. What it says of sizes, fences and architectures comes from the same tables as everything else.
 */
#ifndef TMAP_GENERATE_H
#define TMAP_GENERATE_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor, under the name that the code is to have for it. `axes`: names of its dimensions, innermost first. */
typedef struct tmap_code_tensor {
    const char *name;
    const tmap_map_params *params;
    const char *const *axes;
} tmap_code_tensor;

/* A copy, and the tensor that it goes through. */
typedef struct tmap_code_copy {
    const char *name;
    const tmap_code_tensor *tensor;
    const tmap_copy_params *params;
} tmap_code_copy;

/*
 * C11 and C++11: a function encode_NAME(map, globalAddress) for each tensor, which calls cuTensorMapEncodeTiled,
 * cuTensorMapEncodeIm2col or cuTensorMapEncodeIm2colWide and answers its CUresult. `source` is named in the first line.
 * The parameters are written as they are: check them before.
 */
TMAP_API void tmap_generate_host(tmap_sink *sink, const char *source, const tmap_code_tensor *tensors, size_t n);

/*
 * CUDA C++: a kernel copy_NAME for each copy, with the instruction as inline PTX, its barrier or bulk group, the
 * expected bytes, the fences of its direction, and shared memory of the alignment that the swizzle asks for.
 * Coordinates are parameters of the kernel. TMAP_REFUSED, with what could be written on the sink, when no instruction
 * does one of the copies: `refused` is its index.
 */
TMAP_API tmap_status tmap_generate_cuda(tmap_sink *sink, const char *source, const tmap_code_copy *copies, size_t n,
                                        size_t *refused);

#ifdef __cplusplus
}
#endif

#endif
