/*
 * Allocations that fail on request: those of the allocator hook, and those of the C library in all objects of a test
 * program (linked with --wrap for malloc and the like). The code counts blocks, and checks that each size given to the
 * hook is the block's size.
 */
#ifndef TMAP_TESTS_SCARCE_MEMORY_H
#define TMAP_TESTS_SCARCE_MEMORY_H

#include "tmap/base.h"

typedef struct scarce_memory {
    bool armed;        /* otherwise every allocation succeeds */
    bool again;        /* later ones fail, too */
    long left;         /* allocations before the one that fails */
    bool failed;       /* one allocation failed */
    long live;         /* blocks allocated now */
    bool sizes_differ; /* a call of the hook gave a wrong old size */
} scarce_memory;

extern scarce_memory scarce;

void scarce_arm(long left, bool again);
void scarce_disarm(void);

/* The hook. */
extern const tmap_allocator scarce_allocator;

#endif
