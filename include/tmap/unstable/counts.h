/*
 * hw, counts: the number of rows of each table of hw in this version, and sets of rows. Row numbers are 0 to the count
 * - 1.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_COUNTS_H
#define TMAP_COUNTS_H

#include "tmap/hw.h"

enum {
    TMAP_ARCH_COUNT = 0
#define TMAP_ARCH(...) +1
#include "tmap/hw/archs.def"
#undef TMAP_ARCH
    ,
    TMAP_TYPE_COUNT = 0
#define TMAP_TYPE(...) +1
#include "tmap/hw/types.def"
#undef TMAP_TYPE
    ,
    TMAP_SWIZZLE_COUNT = 0
#define TMAP_SWIZZLE(...) +1
#include "tmap/hw/swizzles.def"
#undef TMAP_SWIZZLE
    ,
    TMAP_INTERLEAVE_COUNT = 0
#define TMAP_INTERLEAVE(...) +1
#include "tmap/hw/interleaves.def"
#undef TMAP_INTERLEAVE
    ,
    TMAP_L2_PROMOTION_COUNT = 0
#define TMAP_L2_PROMOTION(...) +1
#include "tmap/hw/promotions.def"
#undef TMAP_L2_PROMOTION
    ,
    TMAP_OOB_FILL_COUNT = 0
#define TMAP_OOB_FILL(...) +1
#include "tmap/hw/fills.def"
#undef TMAP_OOB_FILL
    ,
    TMAP_ALLOCATION_COUNT = 0
#define TMAP_ALLOCATION_CLASS(...) +1
#include "tmap/hw/allocation_classes.def"
#undef TMAP_ALLOCATION_CLASS
    ,
    TMAP_MODE_COUNT = 0
#define TMAP_MODE(...) +1
#include "tmap/hw/modes.def"
#undef TMAP_MODE
    ,
    TMAP_OP_COUNT = 0
#define TMAP_OP(...) +1
#include "tmap/hw/ops.def"
#undef TMAP_OP
    ,
    TMAP_QUALIFIER_COUNT = 0
#define TMAP_QUALIFIER(...) +1
#include "tmap/hw/qualifiers.def"
#undef TMAP_QUALIFIER
    ,
    TMAP_OPS_REDUCING = 0
#define TMAP_OP(...)
#define TMAP_OP_REDUCING(id, ...) | 1 << TMAP_OP_REDUCE_##id
#include "tmap/hw/ops.def"
#undef TMAP_OP
    ,
    TMAP_QUALIFIERS_REPORT = 0
#define TMAP_QUALIFIER(...)
#define TMAP_QUALIFIER_REPORT(id, ...) | 1 << TMAP_QUALIFIER_REPORT_##id
#include "tmap/hw/qualifiers.def"
#undef TMAP_QUALIFIER
    ,
    TMAP_SPACE_COUNT = TMAP_SPACE_GENERIC + 1,
    TMAP_DESC_COUNT = 0
#define TMAP_DESCRIPTOR_FIELD(...) +1
#include "tmap/hw/descriptor.def"
#undef TMAP_DESCRIPTOR_FIELD
    ,
    TMAP_REPLACEABLE_COUNT = 0
#define TMAP_REPLACEABLE(...) +1
#include "tmap/hw/replaceables.def"
#undef TMAP_REPLACEABLE
    ,
};

#define TMAP_ARCHS_ALL (((tmap_archs)1 << TMAP_ARCH_COUNT) - 1)

#endif
