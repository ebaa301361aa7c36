/* Which cases break a rule. */
#pragma once

#include "tmap/unstable/fuzz.h"

/* Whether case `number` is one of those that break a rule. */
static inline bool tmap_fuzz_is_nearly(const tmap_fuzz *fuzz, uint64_t number) {
    return fuzz->nearly != 0 && number % fuzz->nearly == fuzz->nearly - 1;
}
