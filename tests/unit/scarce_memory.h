/*
 * Memory that fails when it is told to, for everything that a test program is linked from: the allocator hook, and the
 * C library's allocator below the library's objects (the program is linked with --wrap for these). Blocks are counted,
 * and the hook's sizes are held to what was asked for.
 */
#ifndef TMAP_TESTS_SCARCE_MEMORY_H
#define TMAP_TESTS_SCARCE_MEMORY_H

#include "tmap/base.h"

typedef struct scarce_memory {
    bool armed;        /* else every allocation succeeds */
    bool again;        /* later ones fail, too */
    long left;         /* allocations until one fails */
    bool failed;       /* one did */
    long live;         /* blocks now allocated */
    bool sizes_differ; /* the hook was told another old size than a block has */
} scarce_memory;

extern scarce_memory scarce;

void scarce_arm(long left, bool again);
void scarce_disarm(void);

/* The hook. */
extern const tmap_allocator scarce_allocator;

#endif
