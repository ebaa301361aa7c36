/* What the compiler holds tables and machines to. */
#ifndef TMAP_BASE_ROWS_H
#define TMAP_BASE_ROWS_H

#include <stddef.h>

/* An array with a row for every number of an enum is as long as the enum. */
#define TMAP_ROWS(array, count)                                                                                        \
    _Static_assert(sizeof(array) / sizeof *(array) == (size_t)(count), #array " has a row for every one of " #count)

#endif
