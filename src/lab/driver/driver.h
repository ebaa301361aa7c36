/* Declarations that the files of the driver room share, and that recordings use. */
#pragma once

#include "driver/cuda_abi.h"
#include "tmap/unstable/driver.h"

struct tmap_driver {
    void *library; /* handle of dlopen */
#define CUDA_CALL(id, symbol, arguments) cuda_##id *id;
#include "driver/calls.def"
#undef CUDA_CALL
    cuda_encode_tiled *encode_tiled;
    cuda_encode_im2col *encode_im2col;           /* NULL if the driver does not have it */
    cuda_encode_im2col_wide *encode_im2col_wide; /* of CUDA 12.8; NULL in older drivers */
    cuda_replace_address *replace_address;       /* NULL if the driver does not have it */
    cuda_set_class *set_class;                   /* of CUDA 13.5; NULL in older drivers */
    cuda_device device;
    bool retained, entered; /* the primary context must be released; `previous` must be restored */
    cuda_context previous;
    tmap_driver_info info;
};

/* Writes the address of a symbol of the driver's library into function pointer `function`. Returns false if the library
 * does not have the symbol. */
bool tmap_driver_symbol(const tmap_driver *driver, const char *symbol, void *function);

/* An encode call with the variations that only recordings use. */
typedef struct tmap_encode_call {
    const tmap_map_params *params; /* its arrays are passed whole, including entries after the rank */
    uint8_t prefill;
    uint32_t map_offset_B; /* offset of the output pointer from a multiple of 128; at most 128 */
    bool null_strides;
    bool undocumented; /* passes tmap's number of a swizzle for which cuda.h has none */
} tmap_encode_call;

/* As tmap_driver_encode, with these variations. */
tmap_status tmap_driver_call(tmap_driver *driver, const tmap_encode_call *call, tmap_descriptor *descriptor,
                             int *result);
