/* params: numbers of maps and copies by their field. */
#pragma once

#include "base/private_api.h"
#include "base/wide.h"
#include "tmap/unstable/params_count.h"

/* Whether a field is of copies, else of maps. */
bool tmap_field_is_of_copy(tmap_field field);

/* Number i of a field, which for a field of one number is not looked at; `copy` may be NULL for fields of maps. */
TMAP_PRIVATE_API tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                                            int i);

/* Sets number i of a field of maps. */
TMAP_PRIVATE_API void tmap_field_set(tmap_map_params *map, tmap_field field, int i, uint64_t value);
