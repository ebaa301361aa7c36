/* params: the numbers of maps and copies, by field. */
#pragma once

#include "base/private_api.h"
#include "base/wide.h"
#include "tmap/unstable/params_count.h"

/* Whether a field belongs to copies. All other fields belong to maps. */
bool tmap_field_is_of_copy(tmap_field field);
bool tmap_field_is_signed(tmap_field field);

/* Number i of a field. A field of one number ignores i. `copy` may be NULL for fields of maps. */
TMAP_PRIVATE_API tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                                            int i);

/* Sets number i of a field of maps. */
TMAP_PRIVATE_API void tmap_field_set(tmap_map_params *map, tmap_field field, int i, uint64_t value);
