/*
 * The bytes that the copies of the field (bench/field.def) write, against the oracle, at several shared addresses.
 *
 *   prop_field [cases]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/field_cases.h"
#include "prop/checks.h"

/* Lines 0, 1 and 5 of a swizzle's pattern. The rules do not allow all of them for every map. */
static const uint64_t shared[] = {1024, 1024 + 128, 1024 + 5 * 128};

enum { SHARED_N = sizeof shared / sizeof *shared, CASES_N = FIELD_CASES_N * SHARED_N };

static bool check(const tmap_copy *copy, prop_failure *failure) {
    check_case c = check_case_of(copy);
    bool good = c.elements ? copy->op->to_shared ? check_load(&c, failure) : check_store(&c, failure)
                           : prop_fail(failure, "out of memory");
    check_case_end(&c);
    return good;
}

static bool run_case(const prop_options *options, uint64_t number, uint64_t *compared) {
    const field_case *c = &field_cases[number % FIELD_CASES_N];
    tmap_map_params map_params = field_map(c);
    tmap_copy_params params = field_copy(c);
    tmap_map map;
    tmap_copy copy;
    prop_failure failure = {{0}};
    params.shared = shared[number / FIELD_CASES_N];
    bool good = tmap_map_init(&map, &map_params, NULL, NULL) == TMAP_OK;
    if (good && tmap_copy_init(&copy, &map, &params, NULL, NULL) == TMAP_OK) {
        good = check(&copy, &failure);
        ++*compared;
    } else if (number < FIELD_CASES_N) {
        good = prop_fail_refused(&failure, "a copy of the field", &map_params, &params);
    }
    if (!good) prop_print_case(options, number, &failure, &map_params, &params);
    return good;
}

/* Fewer cases are spread over the table: 97 has no common factor with their number. */
int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, CASES_N);
    uint64_t compared = 0, n = options.cases < CASES_N ? options.cases : CASES_N;
    for (uint64_t i = 0; i < n; i++)
        if (!run_case(&options, i * 97 % CASES_N, &compared)) return EXIT_FAILURE;
    printf("field: %" PRIu64 " copies compared\n", compared);
    return compared * 2 >= n ? EXIT_SUCCESS : EXIT_FAILURE;
}
