/*
 * driver: calls the CUDA driver, which dlopen loads. tmap is built without CUDA; if cuda.h is installed, a test
 * compares tmap's own declarations of the driver's ABI with it.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_DRIVER_H
#define TMAP_DRIVER_H

#include "tmap/codec.h"
#include "tmap/unstable/cuda_errors.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_driver tmap_driver;

/* The driver and its device. */
typedef struct tmap_driver_info {
    char library[256];      /* the file that was loaded */
    int version;            /* cuDriverGetVersion: 13000 is 13.0 */
    char device[256];       /* name of the device */
    int chip;               /* the device's compute capability x 10 */
    int large_tensor_min_B; /* attribute 160, TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: the bytes from the map's address that
                               allocation class LARGE requires; INT_MAX: the class has no effect on the device; 0: the
                               driver is older than CUDA 13.5 or does not return the attribute */
} tmap_driver_info;

/*
 * Loads libcuda, initializes it, and makes the primary context of the device current. `library` NULL: the environment
 * variable TMAP_LIBCUDA, else libcuda.so.1. Returns TMAP_UNAVAILABLE if a part is missing: *refusal (may be NULL) names
 * the part and the fix. Close the driver with tmap_driver_close.
 */
TMAP_API tmap_status tmap_driver_open(const char *library, int device, tmap_driver **driver,
                                      tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_driver_close(tmap_driver *driver);
TMAP_API const tmap_driver_info *tmap_driver_about(const tmap_driver *driver) TMAP_NONNULL(1);

/*
 * Calls cuTensorMapEncodeTiled, EncodeIm2col or EncodeIm2colWide with these parameters, without a check. *result is the
 * CUresult. The descriptor is first filled with `prefill`, so that bytes which the driver does not write can be
 * recognized. Returns TMAP_OK if the driver was called, whatever its result; TMAP_UNAVAILABLE if this driver has no
 * such entry point; TMAP_BAD_ARGUMENT for numbers that do not fit the types of its arguments, for a rank above 8, and
 * for a mode or a swizzle that the driver's API cannot express.
 */
TMAP_API tmap_status tmap_driver_encode(tmap_driver *driver, const tmap_map_params *params, uint8_t prefill,
                                        tmap_descriptor *descriptor, int *result);
/* Calls cuTensorMapReplaceAddress; *result is the CUresult. Returns as tmap_driver_encode does. */
TMAP_API tmap_status tmap_driver_replace_address(tmap_driver *driver, tmap_descriptor *descriptor, uint64_t address,
                                                 int *result);

/*
 * Calls cuTensorMapSetAllocationClass: *result is the CUresult, *out (may be NULL) the class that the driver reports.
 * Returns TMAP_OK if the driver was called, TMAP_UNAVAILABLE if it is older than CUDA 13.5.
 */
TMAP_API tmap_status tmap_driver_set_allocation_class(tmap_driver *driver, tmap_descriptor *descriptor,
                                                      tmap_allocation_class allocation_class,
                                                      tmap_allocation_class *out, int *result);

#ifdef __cplusplus
}
#endif

#endif
