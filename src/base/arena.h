/* base: memory that is taken piece by piece and given back all at once. */
#pragma once

#include "base/private_api.h"
#include "tmap/base.h"

typedef struct tmap_arena_chunk tmap_arena_chunk;

/* Set `allocator` (NULL: the C library's) in a zeroed one. */
typedef struct tmap_arena {
    const tmap_allocator *allocator;
    tmap_arena_chunk *chunks; /* the newest first */
} tmap_arena;

/* Zeroed, aligned for anything; NULL when there is no memory. */
TMAP_PRIVATE_API void *tmap_arena_take(tmap_arena *arena, size_t size);
/* The same for `count` things of `size`. */
void *tmap_arena_array(tmap_arena *arena, size_t count, size_t size);
/* A terminated copy of text[0..size). */
TMAP_PRIVATE_API char *tmap_arena_text(tmap_arena *arena, const char *text, size_t size);
TMAP_PRIVATE_API void tmap_arena_free(tmap_arena *arena);
