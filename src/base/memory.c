/* Memory through the allocator hook. */
#include "base/memory.h"

#include <stdlib.h>

void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size) {
    if (block == NULL && new_size == 0) return NULL;
    if (allocator) return allocator->resize(allocator->context, block, block != NULL ? old_size : 0, new_size);
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}
