/* shrink: makes a failing map and copy smaller, one number at a time, as long as they still fail. */
#ifndef TMAP_TESTS_SHRINK_H
#define TMAP_TESTS_SHRINK_H

#include "prop/prop.h"

/* Whether a map and a copy (possibly refused ones) fail; the failure is then filled in. */
typedef bool (*shrink_fails)(const tmap_map_params *map, const tmap_copy_params *copy, prop_failure *failure);

/* Replaces the case and its failure by the smallest that was found. */
void shrink(tmap_map_params *map, tmap_copy_params *copy, prop_failure *failure, shrink_fails fails);

#endif
