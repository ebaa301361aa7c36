/* Compile-time checks of tables and of the target machine. */
#pragma once

#include <stddef.h>

/* Checks that an array has one row for every number of an enum. */
#define TMAP_ROWS(array, count)                                                                                        \
    _Static_assert(sizeof(array) / sizeof *(array) == (size_t)(count), #array " has a row for every one of " #count)

/* Defines a function that returns the row of an array with a number, or NULL for a number without a row. */
#define TMAP_ROW_GETTER(type, name, array)                                                                             \
    const type *name(int i) {                                                                                          \
        return i >= 0 && i < (int)(sizeof(array) / sizeof *(array)) ? &(array)[i] : NULL;                              \
    }

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "descriptors and elements are stored as memory holds them");
#ifndef __wasm__ /* not for the WebAssembly module of the pages, which never calls a driver */
_Static_assert(sizeof(void *) == 8, "addresses of the driver and sizes of tensors have 64 bits");
#endif
