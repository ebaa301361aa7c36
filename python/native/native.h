/*
 * Loops and bit work for the Python library, which would be slow in Python. They allocate nothing and cannot fail:
 * their callers own arrays of the right size.
 */
#ifndef TMAP_PYTHON_NATIVE_H
#define TMAP_PYTHON_NATIVE_H

#include "tmap/emu.h"
#include "tmap/unstable/layout.h"

/*
 * The places of all elements of the box of `copy`, in box order with dimension 0 fastest: for each element its shared
 * address, its offset from the tensor's address (-1 where it has none), and copy->map.params.rank coordinates,
 * innermost first.
 */
void tmap_native_places(const tmap_copy *copy, int64_t *shared, int64_t *global, int64_t *at);

/* Finds the index in the box of the element that contains the byte at a shared address. If the byte contains several
 * values, finds the first. Returns false if no element contains the byte. */
bool tmap_native_owner(const tmap_copy *copy, uint64_t address, uint32_t index[TMAP_RANK_MAX]);

/* A map as one copy or one launch needs it. Python holds the struct in bytes, and keeps its pointers alive. */
typedef struct tmap_native_map {
    const tmap_map *map;
    const tmap_judge *judge;
    bool outer_first; /* the order of coordinates */
    int float_code;   /* DLPack's code of arrays whose elements have the type of the map; -1: any, as for integers */
} tmap_native_map;

/* The places of copy `copy` of elements 0 .. n - 1 of a layout: for each axis, in the order of tmap_layout_axes, n
 * coordinates. */
void tmap_native_layout_places(const tmap_layout *layout, int64_t copy, int64_t n, int64_t *places);

#endif
