/* fix: the values of fields as text, in the notation of specs. */
#pragma once

#include "base/private_api.h"
#include "tmap/params.h"

/* Writes "KEY: VALUE", for n > 0 "KEY: [VALUE, ...]" with the first n numbers of the field. `copy` may be NULL for
 * fields of maps. A number without a name is written as a number. */
TMAP_PRIVATE_API void tmap_field_print(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy,
                                       tmap_field field, int n);
