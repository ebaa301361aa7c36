/* The memory that a copy starts from or leaves behind: a file of bytes, or an array where the name ends in .npy. */
#ifndef TMAP_TOOL_DATA_FILE_H
#define TMAP_TOOL_DATA_FILE_H

#include "files/files.h"
#include "files/npy.h"

typedef struct data_blob {
    uint8_t *bytes; /* may be written; free with blob_free */
    size_t size;
    file_bytes mapped; /* where the bytes are those of a mapped file */
    bool is_array;
    npy_array array; /* type, shape and order of the file, where it is one */
} data_blob;

/* A regular file is mapped: only what is looked at is read. Arrays in Fortran order are put in C order. Both answer an
 * exit code; what is wrong was said. */
int blob_read(const char *path, data_blob *blob);
/* `like`, an array of this size, gives type and shape of an array that is written; else (NULL, too) it is 1-D u1. */
int blob_write(const char *path, const uint8_t *bytes, size_t size, const npy_array *like);
void blob_free(data_blob *blob);

#endif
