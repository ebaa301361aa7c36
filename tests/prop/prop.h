/*
 * prop: the common parts of the property tests: the number of cases and the seed, a failure as text, and the case as a
 * spec that `tmap` reads.
 */
#ifndef TMAP_TESTS_PROP_H
#define TMAP_TESTS_PROP_H

#include "text/print.h"
#include "tmap/unstable/gen.h"

typedef struct prop_options {
    uint64_t cases, seed;
} prop_options;

/* argv[1] or TMAP_CASES, argv[2] or TMAP_SEED; without them seed 1 and `cases` times TMAP_TIMES, which may be a
 * fraction such as 0.1. At least one case. */
prop_options prop_options_of(int argc, char **argv, uint64_t cases);

/* Returns the generator of case `number`; it depends only on the seed and this number. */
tmap_random prop_random(const prop_options *options, uint64_t number);

/* The first failure as text; empty if no check failed. */
typedef struct prop_failure {
    char text[640];
} prop_failure;

/* Returns false, so that a check can end with this call. */
bool prop_fail(prop_failure *failure, const char *format, ...) TMAP_PRINTF(2, 3);

/* Fails with the first rule that the map, or the copy (may be NULL) through it, breaks. */
bool prop_fail_refused(prop_failure *failure, const char *what, const tmap_map_params *map,
                       const tmap_copy_params *copy);

/* Prints the case on stderr: the failure, its number and seed, and the map with its copy (may be NULL) as a spec. */
void prop_print_case(const prop_options *options, uint64_t number, const prop_failure *failure,
                     const tmap_map_params *map, const tmap_copy_params *copy);

#endif
