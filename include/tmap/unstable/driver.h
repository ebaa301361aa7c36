/*
 * driver: calls the CUDA driver, which dlopen loads. tmap is built without CUDA; if cuda.h is installed, a test
 * compares tmap's own declarations of the driver's ABI with it.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_DRIVER_H
#define TMAP_DRIVER_H

#include "tmap/codec.h"

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
 * Loads libcuda, initialises it, and makes the primary context of the device current. `library` NULL: the environment
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
 * recognised. Returns TMAP_OK if the driver was called, whatever its result; TMAP_UNAVAILABLE if this driver has no
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

/* Returns "CUDA_ERROR_INVALID_VALUE" and so on for the codes of cuda.h 13.5, "an unlisted CUresult" for others. */
TMAP_API const char *tmap_cuda_error_name(int result);
/* Returns one line with a remedy for a CUresult, or NULL if tmap has none. */
TMAP_API const char *tmap_cuda_error_hint(int result);
/* Returns the CUresult with this number or name, -1 for none. The name may lack CUDA_ERROR_, or be that of a
 * cudaError_t; the case, '-', '_' and blanks do not count. */
TMAP_API int tmap_cuda_error_of_word(const char *word) TMAP_NONNULL(1);
/* Finds the CUresult in a text, by its name in cuda.h or by the text of cuGetErrorString. Returns false for none. */
TMAP_API bool tmap_cuda_error_of_text(const char *text, int *result) TMAP_NONNULL(1, 2);

/* What a user of a wrong map or copy sees: "hang", "zeros", "misaligned-address", … */
typedef struct tmap_symptom_info {
    const char *name;
    const char *words;    /* other words for it, separated by spaces */
    const char *text;     /* the usual causes, the most frequent first */
    const char *commands; /* that find the cause, one in each line */
    const char *related;  /* rules and facts, separated by spaces */
} tmap_symptom_info;

TMAP_API const tmap_symptom_info *tmap_symptom_get(int symptom); /* NULL after the last */
/* Returns the symptom whose name or word, or name of a CUresult, is the phrase, else the first one that has words of
 * the phrase; -1: none. The case, '-', '_' and blanks do not count. */
TMAP_API int tmap_symptom_find(const char *phrase) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
