/*
 * A case of memory that runs out: the one call of a function of which test_allocation.c lets allocation n fail. Cases
 * lie in allocation_*.c, each file with a table of them.
 */
#ifndef TMAP_TESTS_ALLOCATION_H
#define TMAP_TESTS_ALLOCATION_H

#include "scarce_memory.h"

/* How a case is run now. */
typedef struct allocation_attempt {
    const tmap_allocator *allocator; /* NULL: the C library's fails */
    long left;
    bool again;
} allocation_attempt;

extern allocation_attempt attempt;

/* The one call whose allocations fail. */
#define SCARCE(call) (scarce_arm(attempt.left, attempt.again), answer = (call), scarce_disarm(), answer)

typedef struct allocation_case {
    const char *function;
    tmap_status (*run)(void);
    bool hook;     /* it takes an allocator */
    bool many;     /* allocations: not every one is tried, and only alone */
    bool never_in; /* the C library's allocations of this process: there need not be any */
} allocation_case;

/* A file's cases. `begin` makes what they are called with, while memory is plentiful, and `end` frees it; or NULL. */
typedef struct allocation_group {
    const char *name;
    const allocation_case *cases;
    size_t cases_n;
    int (*begin)(void **state), (*end)(void **state);
} allocation_group;

extern const allocation_group allocation_host, allocation_devices;

#endif
