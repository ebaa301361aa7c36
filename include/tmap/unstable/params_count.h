/*
 * params: the number of rows of the table of fields in this version. Field numbers are 0 to the count - 1.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PARAMS_COUNT_H
#define TMAP_PARAMS_COUNT_H

#include "tmap/params.h"

enum {
    TMAP_FIELD_COUNT = 0
#define TMAP_FIELD(...) +1
#include "tmap/params/fields.def"
#undef TMAP_FIELD
};

#endif
