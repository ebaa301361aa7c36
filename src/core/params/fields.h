/* params: the numbers of maps and copies, by field. */
#pragma once

#include "base/private_api.h"
#include "base/wide.h"
#include "tmap/diag.h"
#include "tmap/unstable/params_count.h"

/* Whether a field belongs to copies. All other fields belong to maps. */
bool tmap_field_is_of_copy(tmap_field field);

/* The name of a field in a text: "box", "boxDim" or "box_el"; the spec's name if the driver has no such parameter, or
 * PTX no such operand. */
const char *tmap_field_name(tmap_field field, tmap_naming names);

/* How the values of a field are written. */
typedef enum tmap_number_kind {
    TMAP_KIND_WORD, /* of the field's table (rule/field_words.h) */
    TMAP_KIND_SET,  /* of such words; the number has a bit for each */
    TMAP_KIND_NUMBER,
    TMAP_KIND_BITS, /* a hexadecimal number */
    TMAP_KIND_SIGNED,
} tmap_number_kind;

TMAP_PRIVATE_API tmap_number_kind tmap_field_kind(tmap_field field);
/* Whether maps of this mode, or copies of this operation through maps of this mode, have the field. NULL: of any. */
TMAP_PRIVATE_API bool tmap_field_applies(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field);
/* The number of entries of the field for the rank of the map, or without a map of the copy; may be negative if the rank
 * is too low. */
TMAP_PRIVATE_API int tmap_field_count(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field);
/* The most entries that the field can have. */
TMAP_PRIVATE_API int tmap_field_room(tmap_field field);

/* Number i of a field. A field of one number ignores i. `copy` may be NULL for fields of maps, `map` for fields of
 * copies. */
TMAP_PRIVATE_API tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                                            int i);
bool tmap_field_is_zero(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field);
TMAP_PRIVATE_API void tmap_field_set(tmap_map_params *map, tmap_copy_params *copy, tmap_field field, int i,
                                     uint64_t value);
