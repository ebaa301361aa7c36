/*
 * sparse: a memory of any size whose bytes are made when they are first asked for, so that copies through tensors of
 * many gigabytes can be tried byte for byte.
 */
#ifndef TMAP_TESTS_SPARSE_H
#define TMAP_TESTS_SPARSE_H

#include "oracle/oracle.h"
#include "tmap/emu.h"

enum { SPARSE_PAGE_B = 256 };

typedef struct sparse_page {
    uint64_t number; /* of the page; UINT64_MAX: none lies here */
    uint8_t bytes[SPARSE_PAGE_B];
} sparse_page;

typedef struct sparse {
    uint64_t seed;
    sparse_page *pages; /* a hash table, a power of two of them */
    uint64_t pages_n, used_n;
    uint64_t refused_n; /* accesses of the library outside [0, size_B) that it was given */
    uint64_t size_B;
} sparse;

/* A memory whose bytes follow from the seed alone. */
sparse sparse_begin(uint64_t seed);
void sparse_end(sparse *memory);

/* The byte of an address. The pointer holds until the next call. */
uint8_t *sparse_at(sparse *memory, uint64_t address);

/* The numbers of the `used_n` pages that were made, to be freed. */
uint64_t *sparse_pages(const sparse *memory);

/* The memory as the library's, of `size_B`, and as the oracle's. */
tmap_memory sparse_for_tmap(sparse *memory, uint64_t size_B);
oracle_memory sparse_for_oracle(sparse *memory);

#endif
