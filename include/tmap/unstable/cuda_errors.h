/*
 * CUresults: their names and remedies. tmap is built without CUDA; a test compares the codes with cuda.h, if installed.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_CUDA_ERRORS_H
#define TMAP_CUDA_ERRORS_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns "CUDA_ERROR_INVALID_VALUE" and so on for the codes of cuda.h 13.5, "an unlisted CUresult" for others. */
TMAP_API const char *tmap_cuda_error_name(int result);
/* Returns one line with a remedy for a CUresult, or NULL if tmap has none. */
TMAP_API const char *tmap_cuda_error_hint(int result);

#ifdef __cplusplus
}
#endif

#endif
