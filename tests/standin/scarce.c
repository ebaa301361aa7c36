/*
 * Preloaded: the allocation with the number SCARCE_FAILS fails; with SCARCE_STAYS all later ones fail, too. At the end
 * the number of allocations is written to the file SCARCE_COUNT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_long number;
static long fails;
static bool stays;

static bool fails_now(void) {
    long own = ++number;
    if (fails == 0 || (stays ? own < fails : own != fails)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails_now() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return fails_now() ? NULL : __libc_realloc(block, size);
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("SCARCE_FAILS");
    stays = getenv("SCARCE_STAYS") != NULL;
    number = 0;
    fails = given ? strtol(given, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("SCARCE_COUNT");
    long counted = number;
    fails = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", counted);
    (void)fclose(file);
}
