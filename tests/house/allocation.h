/*
 * A case of memory that runs out: one call of a function, during which test_allocation.c makes allocation n fail. Each
 * file allocation_*.c contains a table of cases.
 */
#ifndef TMAP_TESTS_ALLOCATION_H
#define TMAP_TESTS_ALLOCATION_H

#include "scarce_memory.h"

/* How the current case is run. */
typedef struct allocation_attempt {
    const tmap_allocator *allocator; /* NULL: the C library's allocator fails */
    long left;
    bool again;
} allocation_attempt;

extern allocation_attempt attempt;

/* Evaluates to the result of the one call whose allocations fail. */
#define SCARCE(call) (scarce_arm(attempt.left, attempt.again), answer = (call), scarce_disarm(), answer)

typedef struct allocation_case {
    const char *function;
    tmap_status (*run)(void);
    bool hook;     /* the function accepts an allocator */
    bool many;     /* many allocations: only some of them fail, one at a time */
    bool never_in; /* only this process's allocations by the C library fail; the call may make none */
} allocation_case;

/*
 * The cases of one file. `begin` makes their arguments while memory is plentiful, `end` frees the arguments; both may
 * be NULL.
 */
typedef struct allocation_group {
    const char *name;
    const allocation_case *cases;
    size_t cases_n;
    int (*begin)(void **state), (*end)(void **state);
} allocation_group;

extern const allocation_group allocation_host, allocation_devices;

#endif
