/* base: memory in chunks of growing size. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/memory.h"

#define CHUNK_FIRST_B ((size_t)16 << 10)
#define CHUNK_MOST_B  ((size_t)1 << 20)

struct tmap_arena_chunk {
    tmap_arena_chunk *older;
    size_t size, used; /* in bytes */
    alignas(max_align_t) unsigned char bytes[];
};

static size_t chunk_size(const tmap_arena *arena, size_t wanted) {
    size_t size = CHUNK_FIRST_B;
    if (arena->chunks) size = arena->chunks->size < CHUNK_MOST_B ? arena->chunks->size * 2 : CHUNK_MOST_B;
    return size < wanted ? wanted : size;
}

static tmap_arena_chunk *new_chunk(tmap_arena *arena, size_t wanted) {
    size_t size = chunk_size(arena, wanted);
    tmap_arena_chunk *chunk = tmap_resize(arena->allocator, NULL, 0, sizeof *chunk + size);
    if (!chunk) return NULL;
    *chunk = (tmap_arena_chunk){.older = arena->chunks, .size = size};
    arena->chunks = chunk;
    return chunk;
}

static void *take_aligned(tmap_arena *arena, size_t size, size_t align) {
    tmap_arena_chunk *chunk = arena->chunks;
    size_t at = chunk ? (chunk->used + align - 1) / align * align : 0;
    if (!chunk || at > chunk->size || chunk->size - at < size) {
        chunk = new_chunk(arena, size);
        at = 0;
    }
    if (!chunk) return NULL;
    chunk->used = at + size;
    return memset(chunk->bytes + at, 0, size);
}

void *tmap_arena_take(tmap_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    return take_aligned(arena, size, alignof(max_align_t));
}

void *tmap_arena_array(tmap_arena *arena, size_t count, size_t size) {
    return count > SIZE_MAX / 2 / size ? NULL : tmap_arena_take(arena, count * size);
}

char *tmap_arena_text(tmap_arena *arena, const char *text, size_t size) {
    char *copy = size < SIZE_MAX / 2 ? take_aligned(arena, size + 1, 1) : NULL;
    if (copy && size) memcpy(copy, text, size);
    return copy;
}

void tmap_arena_join(tmap_arena *arena, tmap_arena *other) {
    tmap_arena_chunk **oldest = &other->chunks;
    while (*oldest) oldest = &(*oldest)->older;
    *oldest = arena->chunks;
    arena->chunks = other->chunks;
    other->chunks = NULL;
}

tmap_arena_mark tmap_arena_here(const tmap_arena *arena) {
    return (tmap_arena_mark){arena->chunks, arena->chunks ? arena->chunks->used : 0};
}

void tmap_arena_return(tmap_arena *arena, tmap_arena_mark mark) {
    while (arena->chunks != mark.chunk) {
        tmap_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->older;
        tmap_resize(arena->allocator, chunk, sizeof *chunk + chunk->size, 0);
    }
    if (mark.chunk) mark.chunk->used = mark.used;
}

void tmap_arena_free(tmap_arena *arena) {
    tmap_arena_return(arena, (tmap_arena_mark){NULL, 0});
}
