/* The cases that break a rule. */
#pragma once

#include "tmap/unstable/fuzz.h"

/* Whether case `number` breaks a rule. */
static inline bool tmap_fuzz_breaks_rule(const tmap_fuzz *fuzz, uint64_t number) {
    return fuzz->nearly != 0 && number % fuzz->nearly == fuzz->nearly - 1;
}
