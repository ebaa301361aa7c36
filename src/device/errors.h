/* CUresults by name: the way back from tmap_cuda_error_name. */
#ifndef DEVICE_ERRORS_H
#define DEVICE_ERRORS_H

#include "tmap/driver.h"

/* The code of a CUresult's name; false when errors.def does not have it. */
bool tmap_cuda_error_find(const char *name, int *result);
/* Whether errors.def has the code. */
bool tmap_cuda_error_known(int result);

#endif
