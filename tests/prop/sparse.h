/*
 * sparse: a memory of any size whose bytes are computed on first access, so that copies through tensors of many
 * gigabytes can be compared byte by byte.
 */
#ifndef TMAP_TESTS_SPARSE_H
#define TMAP_TESTS_SPARSE_H

#include "oracle/oracle.h"
#include "tmap/emu.h"

enum { SPARSE_PAGE_B = 256 };

typedef struct sparse_page {
    uint64_t number; /* number of the page; UINT64_MAX: unused entry */
    uint8_t bytes[SPARSE_PAGE_B];
} sparse_page;

typedef struct sparse {
    uint64_t seed;
    sparse_page *pages; /* a hash table, a power of two of them */
    uint64_t pages_n, used_n;
    uint64_t last;      /* the entry of the last access */
    uint64_t refused_n; /* accesses of the library outside [0, size_B) */
    uint64_t size_B;
} sparse;

/* A memory whose bytes depend only on the seed. */
sparse sparse_begin(uint64_t seed);
void sparse_end(sparse *memory);

/* Returns the byte of an address. The pointer is valid until the next call. */
uint8_t *sparse_at(sparse *memory, uint64_t address);

/* Returns the numbers of the `used_n` used pages; the caller frees them. */
uint64_t *sparse_pages(const sparse *memory);

/* The memory as a memory of the library with `size_B` bytes, and as a memory of the oracle. */
tmap_memory sparse_for_tmap(sparse *memory, uint64_t size_B);
oracle_memory sparse_for_oracle(sparse *memory);

#endif
