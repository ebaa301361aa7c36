/*
 * The .npy format of NumPy (numpy.lib.format, versions 1 to 3): a header in Python's notation, then an array's memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_RANK_MAX  64
#define NPY_DESCR_MAX 32

typedef struct npy_array {
    char descr[NPY_DESCR_MAX]; /* the element's type: "<f4" */
    size_t item_B;
    bool fortran_order;
    size_t shape[NPY_RANK_MAX]; /* in NumPy's order */
    int rank;
    size_t header_B; /* size of the header; the data follows */
    size_t data_B;
} npy_array;

/* Reads the header and compares it with the size of the file. Returns NULL, or the error as text. */
const char *npy_parse(const uint8_t *file, size_t size, npy_array *array);

static inline bool npy_is_c_order(const npy_array *array) {
    return !array->fortran_order || array->rank < 2;
}

/* Copies `size` bytes of the array in C order, from offset_B on, to `to`. `data` has the order of the file. Reads only
 * the elements in the range, which must be inside data_B. */
void npy_read_c_order(const npy_array *array, const uint8_t *data, size_t offset_B, void *to, size_t size);

#define NPY_HEADER_MAX 2048
/* Writes the header of an array in C order to `header` (NPY_HEADER_MAX bytes). Returns its size. */
size_t npy_write_header(const npy_array *array, uint8_t *header);

/* A one-dimensional array of bytes. */
npy_array npy_of_bytes(size_t size);
