/*
 * NumPy arrays of a copy: whether a file of global memory has the tensor's type and shape, and the array of a tile or a
 * tensor. A shape is outermost first, as in NumPy.
 */
#pragma once

#include "files/npy.h"
#include "tmap/map.h"

/* The elements of the box in the layout of shared memory, swizzled, with the padding of rows: the type and shape of
 * -o. */
npy_array array_of_tile(const tmap_copy *copy);
/* The tensor's memory, with the padding of rows. One dimension of bytes if no array has these strides. */
npy_array array_of_tensor(const tmap_map *map);

/* Warns on stderr if type, byte order, shape or order of a file differ from those of the tensor's memory. */
void array_warn_misfit(const char *path, const npy_array *file, const char *tensor, const tmap_map *map);
