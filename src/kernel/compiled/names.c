/* compiled, reader: a hash table with linear probing, at most half full. */
#include "compiled/names.h"

#include <string.h>

#include "base/memory.h"
#include "compiled/ptx.h"

#define BLOCKS_DEEP 64 /* blocks around a name that are searched: a deeper name is not declared */

/* FNV-1a over the text and the block. */
static size_t hash_of(const char *text, uint32_t size, uint32_t block) {
    uint64_t hash = 0xcbf29ce484222325u ^ block;
    for (uint32_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 29);
}

/* The slot of a name, or the free slot where it belongs. */
static ptx_name *slot_of(const ptx_names *names, const char *text, uint32_t size, uint32_t block) {
    for (size_t i = hash_of(text, size, block);; i++) {
        ptx_name *slot = &names->slots[i & (names->slots_n - 1)];
        if (!slot->text) return slot;
        if (slot->block == block && slot->size == size && memcmp(slot->text, text, size) == 0) return slot;
    }
}

static bool make_room(ptx_names *names) {
    ptx_names old = *names;
    if (2 * (names->used_n + 1) <= names->slots_n) return true;
    size_t n = old.slots_n ? 2 * old.slots_n : 256;
    ptx_name *slots = tmap_resize(old.allocator, NULL, 0, n * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, n * sizeof *slots);
    names->slots = slots;
    names->slots_n = n;
    for (size_t i = 0; i < old.slots_n; i++) {
        const ptx_name *name = &old.slots[i];
        if (name->text) *slot_of(names, name->text, name->size, name->block) = *name;
    }
    tmap_resize(old.allocator, old.slots, old.slots_n * sizeof *slots, 0);
    return true;
}

bool ptx_names_add(ptx_names *names, const ptx_name *name) {
    if (!make_room(names)) return false;
    ptx_name *slot = slot_of(names, name->text, name->size, name->block);
    names->used_n += !slot->text;
    *slot = *name;
    return true;
}

const ptx_name *ptx_names_find(const ptx_names *names, const char *text, uint32_t size, uint32_t block) {
    if (names->slots_n == 0) return NULL;
    for (int deep = 0; deep < BLOCKS_DEEP; deep++) {
        const ptx_name *slot = slot_of(names, text, size, block);
        if (slot->text) return slot;
        if (block == 0) return NULL;
        block = names->parents[block];
    }
    return NULL;
}

uint32_t ptx_names_open(ptx_names *names, uint32_t parent) {
    uint32_t *added = ptx_add(names->allocator, &names->parents, &names->blocks_n, sizeof *added);
    if (!added) return UINT32_MAX;
    *added = parent;
    return names->blocks_n - 1;
}

void ptx_names_free(ptx_names *names) {
    tmap_resize(names->allocator, names->slots, names->slots_n * sizeof *names->slots, 0);
    ptx_release(names->allocator, names->parents, names->blocks_n, sizeof *names->parents);
    *names = (ptx_names){.allocator = names->allocator};
}
