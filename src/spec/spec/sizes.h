/* spec: functions on the sizes of a file. */
#pragma once

#include "spec/spec.h"

struct tmap_spec_conditions {
    tmap_arena arena;
    tmap_conditions list; /* in the arena */
    tmap_allocator own_allocator;
};

/* An empty list of conditions; NULL when the allocation fails. */
tmap_spec_conditions *tmap_conditions_new(const tmap_spec *spec);

/* The finding for sizes without a value: bit i is size i. Has no place and no fix. */
tmap_diag tmap_missing_sizes(const tmap_spec *spec, uint32_t missing, const tmap_judge *judge);

/* If the numbers of a tensor, or of a copy (SIZE_MAX: none), depend on sizes without a value, adds a finding and
 * returns true. */
bool tmap_refuse_sizes(const tmap_spec *spec, size_t tensor, size_t copy, const tmap_judge *judge, tmap_diags *diags);
