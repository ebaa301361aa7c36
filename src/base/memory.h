/* Memory through the allocator hook. */
#pragma once

#include "base/private_api.h"
#include "tmap/base.h"

/* The hook's resize, or the C library's for a NULL allocator. No block of no size asks neither. */
TMAP_PRIVATE_API void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size);

/*
 * `size` zeroed bytes, aligned for structs with a descriptor in them (64 B): allocators promise less. NULL when there
 * is no memory. tmap_give_aligned gives them back, with the same size.
 */
TMAP_PRIVATE_API void *tmap_take_aligned(const tmap_allocator *allocator, size_t size);
TMAP_PRIVATE_API void tmap_give_aligned(const tmap_allocator *allocator, void *block, size_t size);

/* memcpy and memset out of line. GCC copies and zeroes structs of some hundred bytes by "rep movsq" and "rep stosq",
 * each of which costs 15 ns to start. */
void tmap_copy_struct(void *to, const void *from, size_t size);
void tmap_zero_struct(void *to, size_t size);
