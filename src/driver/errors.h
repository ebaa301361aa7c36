/* CUresults by name: the way back from tmap_cuda_error_name. */
#pragma once

#include "base/private_api.h"
#include "tmap/unstable/driver.h"

/* The code of a CUresult's name; false when errors.def does not have it. */
TMAP_PRIVATE_API bool tmap_cuda_error_find(const char *name, int *result);
/* Whether errors.def has the code. */
TMAP_PRIVATE_API bool tmap_cuda_error_known(int result);
/*
 * Whether cuda.h says of the CUresult that the context is lost: every later call of the process returns the same code.
 * False for CUDA_ERROR_UNKNOWN (999), of which cuda.h does not say so, and for codes that errors.def does not have.
 */
TMAP_PRIVATE_API bool tmap_cuda_error_sticky(int result);

/*
 * The CUresult that a terminated text names, by its name in cuda.h or by what cuGetErrorString says of it. False: the
 * text names none.
 */
bool tmap_cuda_error_of_text(const char *text, int *result);
