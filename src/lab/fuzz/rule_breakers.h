/* The cases that break a rule. */
#pragma once

#include "tmap/unstable/fuzz.h"

/* Whether case `number` breaks a rule. */
static inline bool tmap_fuzz_breaks_rule(const tmap_fuzz *fuzz, uint64_t number) {
    return fuzz->breaks_one_in != 0 && number % fuzz->breaks_one_in == fuzz->breaks_one_in - 1;
}
