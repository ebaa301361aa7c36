/* spec: what is asked about the sizes of a file. */
#pragma once

#include "spec/spec.h"

struct tmap_spec_conditions {
    tmap_arena arena;
    tmap_conditions list;
    tmap_allocator own_allocator;
};

/* None yet; NULL: no memory. */
tmap_spec_conditions *tmap_conditions_new(const tmap_spec *spec);

/* The finding that sizes have no value: bit i is size i. Without a place, and without a fix. */
tmap_diag tmap_missing_sizes(const tmap_spec *spec, uint32_t missing, const tmap_judge *judge);

/* Adds a finding, and answers true, where the numbers of a tensor, or of a copy (SIZE_MAX: none), need sizes that have
 * no value. */
bool tmap_refuse_sizes(const tmap_spec *spec, size_t tensor, size_t copy, const tmap_judge *judge, tmap_diags *diags);
