/* spec: what is asked about the sizes of a file. */
#ifndef TMAP_SPEC_SIZES_H
#define TMAP_SPEC_SIZES_H

#include "spec/spec.h"

struct tmap_spec_conditions {
    tmap_arena arena;
    tmap_conditions list;
    tmap_allocator own_allocator;
};

/* None yet; NULL: no memory. */
tmap_spec_conditions *tmap_conditions_new(const tmap_spec *spec);

/* Adds a finding, and answers true, where the numbers of a tensor, or of a copy (SIZE_MAX: none), need sizes that have
 * no value. */
bool tmap_refuse_sizes(const tmap_spec *spec, size_t tensor, size_t copy, const tmap_judge *judge, tmap_diags *diags);

#endif
