/*
 * Memory that runs out: one case for each public function that allocates (tests/house/check_allocation.py compares the
 * tables of allocation_*.c with the library). For n = 0, 1, 2, … allocation n fails, alone or with all later ones,
 * until the function succeeds. Until then the function must return TMAP_NO_MEMORY, must not change its results, and
 * must free everything that it allocated.
 */
#include "allocation.h"

#include <stdlib.h>

#include "cmocka_all.h"
#include "sanitized.h"

allocation_attempt attempt;

#define ALLOCATIONS_MAX 1000000
/* Sanitizers are ten times as slow, so with sanitizers some of the later allocations are skipped. In a case with many
 * allocations, each of the first 16 fails, then one in each doubling of n, or with sanitizers one in four doublings.
 * With sanitizers such a case runs only with the hook, if it has one. */
#define FIRST_OF_MANY 16
#define SKIPS_FROM    (SANITIZED ? 4 : ALLOCATIONS_MAX)
#define MANY_GROW     (SANITIZED ? 15 : 1)

/* Returns false if the call succeeded. */
static bool one_failed(const allocation_case *c, long n) {
    attempt.left = n;
    scarce.failed = false;
    long live = scarce.live;
    tmap_status status = c->run();
    const char *whose = attempt.allocator ? "hook" : "C library";
    if (scarce.live != live)
        fail_msg("%s: %s, allocation %ld: %ld blocks are not freed", c->function, whose, n, scarce.live - live);
    if (scarce.sizes_differ) fail_msg("%s: a block is freed or resized with a wrong old size", c->function);
    if (status == TMAP_OK && !scarce.failed) return false;
    if (status != TMAP_NO_MEMORY)
        fail_msg("%s: %s, allocation %ld fails: the call returns %s", c->function, whose, n, tmap_status_name(status));
    return true;
}

static long next_to_fail(const allocation_case *c, long n) {
    if (!c->many) return n + 1 + n / SKIPS_FROM;
    return n < FIRST_OF_MANY ? n + 1 : n + n * MANY_GROW;
}

static void until_it_succeeds(const allocation_case *c) {
    long n = 0;
    while (n < ALLOCATIONS_MAX && one_failed(c, n)) n = next_to_fail(c, n);
    assert_true(n < ALLOCATIONS_MAX && (n > 0 || c->never_in));
}

static void reports_missing_memory(void **state) {
    const allocation_case *c = *state;
    for (int hook = c->many && SANITIZED ? c->hook : 0; hook <= c->hook; hook++)
        for (int again = 0; again < (c->many ? 1 : 2); again++) {
            attempt = (allocation_attempt){.allocator = hook ? &scarce_allocator : NULL, .again = again == 1};
            until_it_succeeds(c);
        }
}

/* Returns false if a case failed or a block was not freed. */
static bool run_group(const allocation_group *group) {
    struct CMUnitTest *tests = calloc(group->cases_n, sizeof *tests);
    if (!tests) return false;
    for (size_t i = 0; i < group->cases_n; i++) {
        const allocation_case *c = &group->cases[i];
        tests[i] = (struct CMUnitTest){c->function, reports_missing_memory, NULL, NULL, (void *)c};
    }
    int failed = _cmocka_run_group_tests(group->name, tests, group->cases_n, group->begin, group->end);
    free(tests);
    if (scarce.live != 0) print_error("%s: %ld blocks are not freed\n", group->name, scarce.live);
    return failed == 0 && scarce.live == 0;
}

int main(void) {
    bool host = run_group(&allocation_host), devices = run_group(&allocation_devices);
    return !(host && devices);
}
