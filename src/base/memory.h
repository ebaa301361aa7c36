/* Memory through the allocator hook. */
#ifndef TMAP_BASE_MEMORY_H
#define TMAP_BASE_MEMORY_H

#include "tmap/base.h"

/* The hook's resize, or the C library's for a NULL allocator. No block of no size asks neither. */
void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size);

#endif
