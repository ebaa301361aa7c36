/* Memory through the allocator hook. */
#ifndef TMAP_BASE_MEMORY_H
#define TMAP_BASE_MEMORY_H

#include "tmap/base.h"

/* The hook's resize, or the C library's for a NULL allocator. No block of no size asks neither. */
void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size);

/*
 * `size` zeroed bytes, aligned for structs with a descriptor in them (64 B): allocators promise less. NULL when there
 * is no memory. tmap_give_aligned gives them back, with the same size.
 */
void *tmap_take_aligned(const tmap_allocator *allocator, size_t size);
void tmap_give_aligned(const tmap_allocator *allocator, void *block, size_t size);

#endif
