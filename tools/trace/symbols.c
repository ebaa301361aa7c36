/*
 * Symbols of loaded libraries, read from their dynamic sections (System V ABI, chapter 5; for DT_GNU_HASH the layout
 * that binutils and glibc share: 4 words, the Bloom filter in machine words, buckets, chains).
 */
#define _GNU_SOURCE
#include "symbols.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct search {
    const char *name;
    bool passed_this; /* the search has passed this library in the list */
    void *found;
} search;

typedef struct dynamic_tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash, *gnu_hash;
} dynamic_tables;

/* The dynamic linker relocates the pointers of a dynamic section, except where the section is read-only. */
static const void *table(ElfW(Addr) base, ElfW(Addr) pointer) {
    return (const void *)(pointer < base ? base + pointer : pointer); /* NOLINT(performance-no-int-to-ptr) */
}

static dynamic_tables tables_of(ElfW(Addr) base, const ElfW(Dyn) * entry) {
    dynamic_tables t = {.symbols = NULL};
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *place = table(base, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB) t.symbols = place;
        if (entry->d_tag == DT_STRTAB) t.strings = place;
        if (entry->d_tag == DT_HASH) t.hash = place;
        if (entry->d_tag == DT_GNU_HASH) t.gnu_hash = place;
    }
    return t;
}

/* The number of the last symbol of any chain, plus 1. The lowest bit of a chain's word ends the chain. */
static uint32_t gnu_symbols_n(const uint32_t *gnu_hash) {
    uint32_t buckets_n = gnu_hash[0], first = gnu_hash[1], bloom_n = gnu_hash[2], last = 0;
    const uint32_t *buckets = gnu_hash + 4 + bloom_n * (sizeof(ElfW(Addr)) / sizeof *gnu_hash);
    const uint32_t *chains = buckets + buckets_n;
    for (uint32_t i = 0; i < buckets_n; i++)
        if (buckets[i] > last) last = buckets[i];
    if (last < first) return 0;
    while ((chains[last - first] & 1) == 0) last++;
    return last + 1;
}

static void *find_symbol(ElfW(Addr) base, const dynamic_tables *t, const char *name) {
    if (!t->symbols || !t->strings) return NULL;
    uint32_t n = t->gnu_hash ? gnu_symbols_n(t->gnu_hash) : t->hash ? t->hash[1] : 0;
    for (uint32_t i = 0; i < n; i++) {
        const ElfW(Sym) *symbol = &t->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF || strcmp(t->strings + symbol->st_name, name) != 0) continue;
        return (void *)(base + symbol->st_value); /* NOLINT(performance-no-int-to-ptr) */
    }
    return NULL;
}

static int search_library(struct dl_phdr_info *library, size_t size, void *data) {
    static const char in_this = 0;
    search *s = data;
    (void)size;
    bool is_this = false;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        ElfW(Addr) begin = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)&in_this - begin < part->p_memsz) is_this = true;
        if (part->p_type == PT_DYNAMIC) dynamic = (const void *)begin; /* NOLINT(performance-no-int-to-ptr) */
    }
    if (s->passed_this && dynamic) {
        dynamic_tables t = tables_of(library->dlpi_addr, dynamic);
        s->found = find_symbol(library->dlpi_addr, &t, s->name);
    }
    s->passed_this = s->passed_this || is_this;
    return s->found != NULL;
}

void *next_symbol(const char *name) {
    search s = {.name = name};
    (void)dl_iterate_phdr(search_library, &s);
    return s.found;
}
