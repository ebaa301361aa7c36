/* The memory before or after a copy: a file of bytes, or an array if the name ends in .npy. */
#pragma once

#include "files/files.h"
#include "files/npy.h"

typedef struct data_blob {
    uint8_t *bytes;         /* writable; NULL if `fortran` is not. Free with blob_free */
    const uint8_t *fortran; /* for a mapped array in Fortran order: its data, which blob_copy converts to C order */
    size_t size;
    file_bytes mapped; /* the mapped file with the bytes, if it is mapped */
    bool is_array;
    npy_array array; /* type, shape and order of the file, if it is an array */
} data_blob;

/* Maps a regular file, so that only the bytes that are used are read. Of a pipe or device, which may have no end, reads
 * `needed` bytes if there are as many. Reports errors and returns an exit code, as does blob_write. */
int blob_read(const char *path, uint64_t needed, data_blob *blob);
#define BLOB_WHOLE UINT64_MAX /* needed: all of a file of at most DATA_SIZE_MAX bytes */
/* Copies bytes in C order. The range must be inside `size`. */
void blob_copy(const data_blob *blob, size_t offset_B, void *to, size_t size);
/* `like`, an array of this size, gives type and shape of a written array. With NULL, an array is 1-D u1. */
int blob_write(const char *path, const uint8_t *bytes, size_t size, const npy_array *like);
void blob_free(data_blob *blob);
