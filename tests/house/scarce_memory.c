#include "scarce_memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

scarce_memory scarce;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

void scarce_arm(long left, bool again) {
    scarce.armed = true;
    scarce.again = again;
    scarce.left = left;
    scarce.failed = false;
}

void scarce_disarm(void) {
    scarce.armed = false;
}

static bool fails(void) {
    if (!scarce.armed || scarce.left-- > 0) return false;
    bool now = scarce.again || !scarce.failed;
    scarce.failed = true;
    return now;
}

static void *counted(void *block) {
    scarce.live += block != NULL;
    return block;
}

/* ---- The C library's --------------------------------------------------------------------------------------------- */

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    if (fails()) return NULL;
    return block ? __real_realloc(block, size) : counted(__real_realloc(NULL, size));
}

void __wrap_free(void *block) {
    scarce.live -= block != NULL;
    __real_free(block);
}

/* ---- The hook ---------------------------------------------------------------------------------------------------- */

typedef struct head {
    alignas(max_align_t) size_t size;
} head;

static void *resize(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context;
    head *old = block ? (head *)block - 1 : NULL;
    scarce.sizes_differ |= old_size != (old ? old->size : 0);
    if (new_size == 0) {
        scarce.live -= old != NULL;
        __real_free(old);
        return NULL;
    }
    if (fails()) return NULL;
    head *made = __real_realloc(old, sizeof *made + new_size);
    if (!made) return NULL;
    scarce.live += old == NULL;
    made->size = new_size;
    return made + 1;
}

const tmap_allocator scarce_allocator = {resize, NULL};
