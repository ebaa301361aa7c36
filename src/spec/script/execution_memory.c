/* spec: global memory of a run: bytes are generated on reading, except on pages that the run has written. */
#include <string.h>

#include "script/execution.h"

typedef struct tmap_execution_page {
    struct tmap_execution_page *next;
    uint64_t number;
    uint8_t bytes[TMAP_EXECUTION_PAGE_B];
} tmap_execution_page;

static void read_before(const tmap_execution_global *global, uint64_t offset, uint8_t *to, size_t size) {
    const tmap_memory *before = &global->before;
    if (before->bytes)
        memcpy(to, before->bytes + offset, size);
    else
        before->read(before->context, offset, to, size);
}

static tmap_execution_page **slot_of(tmap_execution_global *global, uint64_t number) {
    tmap_execution_page **slot = &global->pages[number % (sizeof global->pages / sizeof *global->pages)];
    while (*slot && (*slot)->number != number) slot = &(*slot)->next;
    return slot;
}

/* A new page with the initial contents; NULL when the allocation fails. */
static tmap_execution_page *make_page(tmap_execution_global *global, uint64_t number) {
    tmap_execution_page **slot = slot_of(global, number);
    if (*slot) return *slot;
    tmap_execution_page *page = tmap_arena_take(&global->run->arena, sizeof *page);
    if (!page) {
        global->run->no_memory = true;
        return NULL;
    }
    uint64_t begin = number * TMAP_EXECUTION_PAGE_B, left = global->before.size_B - begin;
    page->number = number;
    read_before(global, begin, page->bytes, left < TMAP_EXECUTION_PAGE_B ? (size_t)left : TMAP_EXECUTION_PAGE_B);
    *slot = page;
    return page;
}

static size_t part_of(uint64_t offset, size_t size) {
    size_t room = TMAP_EXECUTION_PAGE_B - (size_t)(offset % TMAP_EXECUTION_PAGE_B);
    return room < size ? room : size;
}

static void read_global(void *context, uint64_t offset, void *to, size_t size) {
    tmap_execution_global *global = context;
    uint8_t *at = to;
    for (size_t part; size > 0; at += part, offset += part, size -= part) {
        part = part_of(offset, size);
        const tmap_execution_page *page = *slot_of(global, offset / TMAP_EXECUTION_PAGE_B);
        if (page)
            memcpy(at, page->bytes + offset % TMAP_EXECUTION_PAGE_B, part);
        else
            read_before(global, offset, at, part);
    }
}

static void write_global(void *context, uint64_t offset, const void *from, size_t size) {
    tmap_execution_global *global = context;
    const uint8_t *at = from;
    for (size_t part; size > 0; at += part, offset += part, size -= part) {
        part = part_of(offset, size);
        tmap_execution_page *page = make_page(global, offset / TMAP_EXECUTION_PAGE_B);
        if (page) memcpy(page->bytes + offset % TMAP_EXECUTION_PAGE_B, at, part);
    }
}

tmap_memory tmap_execution_memory(struct tmap_execution *run, size_t tensor, const tmap_map *map,
                                  const tmap_execution_options *options) {
    tmap_execution_global *global = &run->globals[tensor];
    if (!global->ready) {
        bool given = options->globals && (options->globals[tensor].bytes || options->globals[tensor].read);
        global->before = given ? options->globals[tensor] : tmap_memory_index(&global->fill, map);
        global->run = run;
        global->ready = true;
    }
    return (tmap_memory){.size_B = global->before.size_B,
                         .first_B = global->before.first_B,
                         .read = read_global,
                         .write = write_global,
                         .context = global};
}
