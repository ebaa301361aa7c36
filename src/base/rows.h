/* What the compiler holds tables and machines to. */
#pragma once

#include <stddef.h>

/* An array with a row for every number of an enum is as long as the enum. */
#define TMAP_ROWS(array, count)                                                                                        \
    _Static_assert(sizeof(array) / sizeof *(array) == (size_t)(count), #array " has a row for every one of " #count)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "descriptors and elements are stored as memory holds them");
#ifndef __wasm__ /* the module of the pages, which meets no driver */
_Static_assert(sizeof(void *) == 8, "addresses of the driver and sizes of tensors have 64 bits");
#endif
