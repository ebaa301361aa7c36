/* Memory through the allocator hook. */
#pragma once

#include "base/private_api.h"
#include "tmap/base.h"

/* Calls the hook's resize, or the C library's for a NULL allocator. A NULL block resized to 0 bytes calls neither. */
TMAP_PRIVATE_API void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size);

/* Returns `size` zeroed bytes aligned to 64 bytes, for structs that contain a descriptor: allocators guarantee less
 * alignment. NULL when the allocation fails. Free with tmap_give_aligned and the same size. */
TMAP_PRIVATE_API void *tmap_take_aligned(const tmap_allocator *allocator, size_t size);
TMAP_PRIVATE_API void tmap_give_aligned(const tmap_allocator *allocator, void *block, size_t size);

/* memcpy and memset, not inlined. GCC copies and zeroes structs of some hundred bytes with "rep movsq" and "rep stosq";
 * each of these costs 15 ns to start. */
void tmap_copy_struct(void *to, const void *from, size_t size);
void tmap_zero_struct(void *to, size_t size);
