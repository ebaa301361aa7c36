/* sequence: whether tensor memory is allocated while it is used. Source: PTX ISA 9.2, tcgen05.alloc, tcgen05.dealloc.
 */
#pragma once

#include "sequence/order.h"

typedef enum tmap_allocation_fault {
    ALLOCATION_GOOD,
    ALLOCATION_MISSING, /* an access to columns, or their deallocation, while they are not allocated */
    ALLOCATION_TWICE,
    ALLOCATION_KEPT, /* no deallocation before the end */
} tmap_allocation_fault;

/* Judges an access when it is the last access so far. Columns that no step of the sequence allocates are accepted. */
tmap_allocation_fault tmap_allocation_judge(const tmap_order *order, size_t access);
/* Judges an access at the end. */
tmap_allocation_fault tmap_allocation_end(const tmap_order *order, size_t access);
