/* The memory that a copy starts from or leaves behind: a file of bytes, or an array where the name ends in .npy. */
#pragma once

#include "files/files.h"
#include "files/npy.h"

typedef struct data_blob {
    uint8_t *bytes;         /* may be written; NULL where `fortran` is not. Free with blob_free */
    const uint8_t *fortran; /* of a mapped array in Fortran order: its data, which blob_copy puts in C order */
    size_t size;
    file_bytes mapped; /* where the bytes are those of a mapped file */
    bool is_array;
    npy_array array; /* type, shape and order of the file, where it is one */
} data_blob;

/* A regular file is mapped: only what is looked at is read. Answers an exit code, as blob_write; what is wrong was
 * said.
 */
int blob_read(const char *path, data_blob *blob);
/* Copies bytes, which are inside `size`, in C order. */
void blob_copy(const data_blob *blob, size_t offset_B, void *to, size_t size);
/* `like`, an array of this size, gives type and shape of an array that is written; else (NULL, too) it is 1-D u1. */
int blob_write(const char *path, const uint8_t *bytes, size_t size, const npy_array *like);
void blob_free(data_blob *blob);
