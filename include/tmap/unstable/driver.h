/*
 * driver: the CUDA driver behind dlopen. tmap is built without CUDA; its own declarations of the driver's ABI are held
 * against cuda.h by a test where that is installed.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_DRIVER_H
#define TMAP_DRIVER_H

#include "tmap/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_driver tmap_driver;

typedef struct tmap_driver_info {
    char library[256];      /* the file that was loaded */
    int version;            /* cuDriverGetVersion: 13000 is 13.0 */
    char device[256];       /* name of device 0 */
    int chip;               /* its compute capability x 10 */
    int large_tensor_min_B; /* attribute 160, TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: the bytes from the base that allocation
                               class LARGE requires; INT_MAX: the class has no effect on the device; 0: the driver is
                               older than CUDA 13.5 or gives no answer */
} tmap_driver_info;

/*
 * Loads libcuda, initialises it, and makes the primary context of the device current. `library` NULL: the environment
 * variable TMAP_LIBCUDA, else libcuda.so.1. TMAP_UNAVAILABLE: *refusal (may be NULL) says what is missing and what to
 * do.
 */
TMAP_API tmap_status tmap_driver_open(const char *library, int device, tmap_driver **driver,
                                      tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_driver_close(tmap_driver *driver);
TMAP_API const tmap_driver_info *tmap_driver_about(const tmap_driver *driver) TMAP_NONNULL(1);

/*
 * cuTensorMapEncodeTiled, EncodeIm2col or EncodeIm2colWide with these parameters as they are, checked by nobody.
 * *result is the CUresult; the descriptor is filled with `prefill` first, so that bytes which the driver does not write
 * can be told. Answers TMAP_OK when the driver was asked, whatever it said; TMAP_UNAVAILABLE when this driver has no
 * such entry point; TMAP_BAD_ARGUMENT for numbers that its argument types cannot carry.
 */
TMAP_API tmap_status tmap_driver_encode(tmap_driver *driver, const tmap_map_params *params, uint8_t prefill,
                                        tmap_descriptor *descriptor, int *result);
TMAP_API tmap_status tmap_driver_replace_address(tmap_driver *driver, tmap_descriptor *descriptor, uint64_t address,
                                                 int *result);

/*
 * cuTensorMapSetAllocationClass: *result is the CUresult, *out (may be NULL) the class that the driver answers. Returns
 * TMAP_OK when the driver was asked, TMAP_UNAVAILABLE when it is older than CUDA 13.5.
 */
TMAP_API tmap_status tmap_driver_set_allocation_class(tmap_driver *driver, tmap_descriptor *descriptor,
                                                      tmap_allocation_class allocation_class,
                                                      tmap_allocation_class *out, int *result);

/* "CUDA_ERROR_INVALID_VALUE" and so on for the codes of cuda.h 13.5; "an unlisted CUresult" for others. */
TMAP_API const char *tmap_cuda_error_name(int result);
/* What to do about it, one line; NULL where there is nothing to say. */
TMAP_API const char *tmap_cuda_error_hint(int result);

#ifdef __cplusplus
}
#endif

#endif
