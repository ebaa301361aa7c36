/*
 * Point: 5
 * Proves: the texts, the arena and the aligned blocks of room base have no undefined behaviour except in the listed
 *     alarms, for texts and blocks of any size, any alignment of memory, and an allocator that fails at any call.
 * Assumes: alignment is not part of the proof (tests/proofs/eva.h). The alarms are false alarms of Eva, which does
 *     not record relations between two values. sink.c and arena.c: text_reserve, and the test of `chunk->size - at`,
 *     have already checked the free space. arena.c, out of bounds read: the bytes are in a chunk; all chunks of
 *     this proof share one memory. memory.c: the padding is 1 to 64 bytes, and the byte before the block contains the
 *     length of the padding; Eva records neither the last bits of an address nor an address minus this length.
 * Bounds: memory of 64 KiB, texts of up to 64 bytes, two calls of each function.
 * Tool: eva
 * Sources: src/core/base/arena.c src/core/base/memory.c src/core/base/sink.c src/core/base/status.c
 * Alarms: src/core/base/sink.c: precondition of memcpy: 1; src/core/base/sink.c: out of bounds write: 1;
 *     src/core/base/arena.c: precondition of memset: 1; src/core/base/arena.c: precondition of memcpy: 1;
 *     src/core/base/arena.c: pointer comparison: 1; src/core/base/arena.c: out of bounds read: 1;
 *     src/core/base/memory.c: out of bounds write: 1; src/core/base/memory.c: precondition of memset: 1;
 *     src/core/base/memory.c: pointer comparison: 3; src/core/base/memory.c: out of bounds read: 1
 */
#include "any.h"
#include "base/arena.h"
#include "base/memory.h"

static unsigned char memory[1 << 16];
static char from[64];

static void *resize_any(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context, (void)block, (void)old_size;
    return new_size <= sizeof memory && any_int ? memory : NULL;
}

static const tmap_allocator allocator = {.resize = resize_any};

static unsigned long at_most(unsigned long most) {
    unsigned long value = any_long;
    return value <= most ? value : most;
}

static void texts(void) {
    tmap_text text = {.allocator = &allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_write(&sink, from, at_most(64)), tmap_write(&sink, from, at_most(64));
    tmap_puts(&sink, "text");
    tmap_text_free(&text), tmap_text_free(NULL);
}

static void arenas(void) {
    tmap_arena arena = {.allocator = &allocator};
    (void)tmap_arena_take(&arena, any_long), (void)tmap_arena_array(&arena, any_long, 16);
    (void)tmap_arena_text(&arena, from, at_most(64)), (void)tmap_arena_take(&arena, any_long);
    tmap_arena_free(&arena);
}

static void aligned(void) {
    unsigned long size = any_long;
    void *block = tmap_take_aligned(&allocator, size);
    tmap_give_aligned(&allocator, block, size), tmap_give_aligned(&allocator, NULL, size);
}

int main(void) {
    texts();
    arenas();
    aligned();
    (void)tmap_status_name((tmap_status)any_int), (void)tmap_version();
    return 0;
}
