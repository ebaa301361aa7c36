/* params: the numbers of maps and copies, by field. */
#pragma once

#include "base/private_api.h"
#include "base/wide.h"
#include "tmap/diag.h"
#include "tmap/unstable/params_count.h"

/* Whether a field belongs to copies. All other fields belong to maps. */
bool tmap_field_is_of_copy(tmap_field field);
/* Whether the numbers of a field are signed integers, or enumerators. */
bool tmap_field_is_signed(tmap_field field);

/* The name of a field in a text: "box", "boxDim" or "box_el"; the spec's name if the driver has no such parameter. */
const char *tmap_field_name(tmap_field field, tmap_naming names);

/* Number i of a field. A field of one number ignores i. `copy` may be NULL for fields of maps. */
TMAP_PRIVATE_API tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                                            int i);

/* Sets number i of a field of maps. */
TMAP_PRIVATE_API void tmap_field_set(tmap_map_params *map, tmap_field field, int i, uint64_t value);
