/* Options, seeds and reports of the property tests. */
#include "prop/prop.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash/splitmix.h"
#include "tmap/unstable/spec.h"

static uint64_t number_of(const char *argument, const char *variable, uint64_t otherwise) {
    const char *text = argument ? argument : getenv(variable);
    return !text || *text == '\0' ? otherwise : strtoull(text, NULL, 0);
}

prop_options prop_options_of(int argc, char **argv, uint64_t cases) {
    const char *times = getenv("TMAP_TIMES");
    double scaled = (double)cases * (times ? strtod(times, NULL) : 1);
    return (prop_options){
        .cases = number_of(argc > 1 ? argv[1] : NULL, "TMAP_CASES", scaled < 1 ? 1 : (uint64_t)scaled),
        .seed = number_of(argc > 2 ? argv[2] : NULL, "TMAP_SEED", 1),
    };
}

/*
 * Different seeds give different cases: with the sum of seed and number, neighbouring seeds would share almost all
 * cases.
 */
tmap_random prop_random(const prop_options *options, uint64_t number) {
    return (tmap_random){.state = tmap_splitmix64(tmap_splitmix64(options->seed) ^ number)};
}

bool prop_fail(prop_failure *failure, const char *format, ...) {
    if (failure->text[0] != '\0') return false;
    va_list args;
    va_start(args, format);
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
    return false;
}

bool prop_fail_refused(prop_failure *failure, const char *what, const tmap_map_params *map,
                       const tmap_copy_params *copy) {
    tmap_diag findings[8];
    tmap_diags diags = {.items = findings, .capacity = 8, .fixed = true};
    if (tmap_check_map(map, NULL, &diags) == TMAP_OK && copy) tmap_check_copy(map, copy, NULL, &diags);
    for (size_t i = 0; i < diags.count; i++)
        if (findings[i].severity == TMAP_ERROR)
            return prop_fail(failure, "%s is refused: %s [%s]", what, findings[i].message, findings[i].rule);
    return prop_fail(failure, "%s is refused, but breaks no rule", what);
}

static bool to_stderr(void *context, const char *text, size_t size) {
    (void)context;
    return fwrite(text, 1, size, stderr) == size;
}

void prop_print_case(const prop_options *options, uint64_t number, const prop_failure *failure,
                     const tmap_map_params *map, const tmap_copy_params *copy) {
    tmap_sink sink = {.write = to_stderr};
    fprintf(stderr, "%s\ncase %" PRIu64 " of seed %" PRIu64 "\n", failure->text, number, options->seed);
    tmap_spec_write(&sink, "map", map);
    if (copy) tmap_spec_write_copies(&sink, "map", copy, (const char *const[]){"copy"}, 1);
}
