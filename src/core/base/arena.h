/* base: an arena. Blocks are allocated one by one and freed all at once. */
#pragma once

#include "base/private_api.h"
#include "tmap/base.h"

typedef struct tmap_arena_chunk tmap_arena_chunk;

/* Start from a zeroed arena and set `allocator` (NULL: the C library's). */
typedef struct tmap_arena {
    const tmap_allocator *allocator;
    tmap_arena_chunk *chunks; /* the newest first */
} tmap_arena;

/* `size` zeroed bytes, aligned for any type. NULL when the allocation fails. */
TMAP_PRIVATE_API void *tmap_arena_take(tmap_arena *arena, size_t size);
/* As tmap_arena_take, for `count` objects of `size` bytes. */
TMAP_PRIVATE_API void *tmap_arena_array(tmap_arena *arena, size_t count, size_t size);
/* A copy of text[0..size) with a terminating zero byte. */
TMAP_PRIVATE_API char *tmap_arena_text(tmap_arena *arena, const char *text, size_t size);
/* Moves all blocks of `other`, which is then empty, to `arena`. */
void tmap_arena_join(tmap_arena *arena, tmap_arena *other);
TMAP_PRIVATE_API void tmap_arena_free(tmap_arena *arena);

/* A state of an arena, to which tmap_arena_return frees all later blocks. */
typedef struct tmap_arena_mark {
    tmap_arena_chunk *chunk;
    size_t used;
} tmap_arena_mark;

tmap_arena_mark tmap_arena_here(const tmap_arena *arena);
void tmap_arena_return(tmap_arena *arena, tmap_arena_mark mark);
