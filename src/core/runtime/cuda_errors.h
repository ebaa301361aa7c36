/* CUresults by name: the inverse of tmap_cuda_error_name. */
#pragma once

#include <stddef.h>

#include "base/private_api.h"
#include "tmap/unstable/cuda_errors.h"

/* Writes the code of a CUresult's name. Returns false if cuda_errors.def does not have the name. */
TMAP_PRIVATE_API bool tmap_cuda_error_find(const char *name, int *result);
/* Whether cuda_errors.def has the code. */
TMAP_PRIVATE_API bool tmap_cuda_error_known(int result);
/*
 * Whether cuda.h states for the CUresult that the context is lost and every later call of the process returns the same
 * code. False for CUDA_ERROR_UNKNOWN (999), for which cuda.h does not state this, and for codes that cuda_errors.def
 * does not have.
 */
TMAP_PRIVATE_API bool tmap_cuda_error_sticky(int result);
/* The texts that tmap_cuda_error_of_text finds, besides the names. NULL: number `i` is not used. */
extern const size_t tmap_cuda_error_texts_n;
const char *tmap_cuda_error_text(size_t i);
