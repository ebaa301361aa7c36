/* Pages in an open hash table. A page is filled from the seed on first use. */
#include "prop/sparse.h"
#include "hash/splitmix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size) {
    void *block = malloc(size);
    if (block) return block;
    fputs("out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

static sparse_page *empty_pages(uint64_t n) {
    sparse_page *pages = allocate(n * sizeof *pages);
    for (uint64_t i = 0; i < n; i++) pages[i].number = UINT64_MAX;
    return pages;
}

sparse sparse_begin(uint64_t seed) {
    return (sparse){.seed = seed, .pages = empty_pages(64), .pages_n = 64};
}

void sparse_end(sparse *memory) {
    free(memory->pages);
    memory->pages = NULL;
}

static sparse_page *slot_of(sparse *memory, uint64_t number) {
    uint64_t i = tmap_splitmix64(number) & (memory->pages_n - 1);
    while (memory->pages[i].number != number && memory->pages[i].number != UINT64_MAX)
        i = (i + 1) & (memory->pages_n - 1);
    return &memory->pages[i];
}

static void grow(sparse *memory) {
    sparse_page *old = memory->pages;
    uint64_t old_n = memory->pages_n;
    memory->pages_n *= 2;
    memory->pages = empty_pages(memory->pages_n);
    for (uint64_t i = 0; i < old_n; i++)
        if (old[i].number != UINT64_MAX) *slot_of(memory, old[i].number) = old[i];
    free(old);
}

/*
 * Random 64-bit words. In one of four words, both 32-bit halves are near a tie of TF32, or are infinities, NaNs and
 * subnormals.
 */
static uint64_t word(uint64_t seed, uint64_t number) {
    uint64_t x = tmap_splitmix64(seed + number);
    switch (x >> 32 & 15) {
    case 0: return x & 0xFFFFF001FFFFF001u;
    case 1: return (x & 0xFFFFF000FFFFF000u) | 0x0000100000001000u;
    case 2: return x | 0x7F8000007F800000u;
    case 3: return x & 0x807FFFFF807FFFFFu;
    default: return x;
    }
}

static void make(sparse *memory, sparse_page *page, uint64_t number) {
    page->number = number;
    for (uint64_t i = 0; i < SPARSE_PAGE_B; i += 8) {
        uint64_t bits = word(memory->seed, (number * SPARSE_PAGE_B + i) / 8);
        for (int byte = 0; byte < 8; byte++) page->bytes[i + (uint64_t)byte] = (uint8_t)(bits >> 8 * byte);
    }
    memory->used_n++;
}

uint8_t *sparse_at(sparse *memory, uint64_t address) {
    uint64_t number = address / SPARSE_PAGE_B;
    sparse_page *page = &memory->pages[memory->last];
    if (page->number != number) {
        if (memory->used_n * 2 >= memory->pages_n) grow(memory);
        page = slot_of(memory, number);
        if (page->number == UINT64_MAX) make(memory, page, number);
        memory->last = (uint64_t)(page - memory->pages);
    }
    return &page->bytes[address % SPARSE_PAGE_B];
}

uint64_t *sparse_pages(const sparse *memory) {
    uint64_t *numbers = allocate((memory->used_n + 1) * sizeof *numbers);
    uint64_t n = 0;
    for (uint64_t i = 0; i < memory->pages_n; i++)
        if (memory->pages[i].number != UINT64_MAX) numbers[n++] = memory->pages[i].number;
    return numbers;
}

static bool has(sparse *memory, uint64_t offset_B, size_t size) {
    bool everywhere = memory->size_B == UINT64_MAX;
    if (everywhere || (offset_B <= memory->size_B && size <= memory->size_B - offset_B)) return true;
    memory->refused_n++;
    return false;
}

static void read_bytes(void *context, uint64_t offset_B, void *to, size_t size) {
    if (!has(context, offset_B, size)) return;
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = *sparse_at(context, offset_B + i);
}

static void write_bytes(void *context, uint64_t offset_B, const void *from, size_t size) {
    if (!has(context, offset_B, size)) return;
    for (size_t i = 0; i < size; i++) *sparse_at(context, offset_B + i) = ((const uint8_t *)from)[i];
}

tmap_memory sparse_for_tmap(sparse *memory, uint64_t size_B) {
    memory->size_B = size_B;
    return (tmap_memory){.size_B = size_B, .read = read_bytes, .write = write_bytes, .context = memory};
}

static uint8_t *byte_at(void *context, uint64_t address) {
    return sparse_at(context, address);
}

oracle_memory sparse_for_oracle(sparse *memory) {
    return (oracle_memory){.byte = byte_at, .context = memory};
}
