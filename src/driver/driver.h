/* What the driver room shares among its files and offers to the recordings. */
#pragma once

#include "base/private_api.h"
#include "driver/cuda_abi.h"
#include "tmap/unstable/driver.h"

struct tmap_driver {
    void *library; /* of dlopen */
#define CUDA_CALL(id, symbol, arguments) cuda_##id *id;
#include "driver/calls.def"
#undef CUDA_CALL
    cuda_encode_tiled *encode_tiled;
    cuda_encode_im2col *encode_im2col;           /* NULL when the driver has none */
    cuda_encode_im2col_wide *encode_im2col_wide; /* of CUDA 12.8; NULL before */
    cuda_replace_address *replace_address;       /* NULL when the driver has none */
    cuda_set_class *set_class;                   /* of CUDA 13.5; NULL before */
    cuda_device device;
    bool retained, entered; /* the primary context is ours to release; `previous` is to be put back */
    cuda_context previous;
    tmap_driver_info info;
};

/* Puts the address of a symbol of the driver's library into the function pointer `function`; false when it has none. */
TMAP_PRIVATE_API bool tmap_driver_symbol(const tmap_driver *driver, const char *symbol, void *function);

/* An encode call in the ways in which only a recording calls it. */
typedef struct tmap_encode_call {
    const tmap_map_params *params; /* its arrays are passed whole, entries from the rank on included */
    uint8_t prefill;
    uint32_t map_offset_B; /* of the output pointer from a multiple of 128, at most 128 */
    bool null_strides;
} tmap_encode_call;

/* As tmap_driver_encode. */
TMAP_PRIVATE_API tmap_status tmap_driver_call(tmap_driver *driver, const tmap_encode_call *call,
                                              tmap_descriptor *descriptor, int *result);
