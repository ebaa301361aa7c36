/* Memory through the allocator hook. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN_B 64

void *tmap_resize(const tmap_allocator *allocator, void *block, size_t old_size, size_t new_size) {
    if (!block && new_size == 0) return NULL;
    if (allocator) return allocator->resize(allocator->context, block, block ? old_size : 0, new_size);
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

void tmap_copy_struct(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

void tmap_zero_struct(void *to, size_t size) {
    memset(to, 0, size);
}

/* The block starts with 1 to 64 bytes of padding. The last byte of the padding holds the padding's length. */
void *tmap_take_aligned(const tmap_allocator *allocator, size_t size) {
    if (size > SIZE_MAX - ALIGN_B) return NULL;
    uint8_t *block = tmap_resize(allocator, NULL, 0, size + ALIGN_B);
    if (!block) return NULL;
    size_t before_B = ALIGN_B - (uintptr_t)block % ALIGN_B;
    block[before_B - 1] = (uint8_t)before_B;
    return memset(block + before_B, 0, size);
}

void tmap_give_aligned(const tmap_allocator *allocator, void *block, size_t size) {
    uint8_t *bytes = block;
    if (bytes) (void)tmap_resize(allocator, bytes - bytes[-1], size + ALIGN_B, 0);
}
