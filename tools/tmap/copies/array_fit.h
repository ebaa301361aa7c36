/*
 * NumPy arrays beside a copy: whether a file of global memory is the tensor's, and which array a tile or a tensor is.
 * Words: a shape is outermost first, as NumPy gives it.
 */
#pragma once

#include "files/npy.h"
#include "tmap/map.h"

/* The elements of the box as they lie in shared memory, swizzled, with the padding of rows: the type and shape of -o.
 */
npy_array array_of_tile(const tmap_copy *copy);
/* The tensor's memory, with the padding of rows; 1-D bytes where no array has its strides. */
npy_array array_of_tensor(const tmap_map *map);

/* Warns on stderr where type, byte order, shape or order of a file is not that of the tensor's memory. */
void array_warn_misfit(const char *path, const npy_array *file, const char *tensor, const tmap_map *map);
