/*
 * plan: the wanted layout taken apart. A part is a digit of a tile's dimension: it moves by one stride in shared memory
 * and by another in global memory. Parts that shared memory has densely one after the other may lie in a box; the
 * others become loops of copies.
 */
#pragma once

#include "base/wide.h"
#include "diag/refuse.h"
#include "tmap/unstable/plan.h"
#include "util/print.h"

typedef struct tmap_part {
    int dim;        /* of the tile, outermost 0 */
    int64_t extent; /* at least 2 */
    int64_t inner;  /* how many elements along dim one step is */
    int64_t shared; /* stride in shared memory, in elements */
} tmap_part;

typedef struct tmap_parts {
    int n;
    tmap_part at[TMAP_ITERS_MAX]; /* by shared stride, ascending */
    int chain_n;                  /* so many lie densely from the first on */
    tmap_swizzle swizzle;
    int64_t offset; /* of the layout, in elements */
} tmap_parts;

/* The bytes of a box's row are a multiple of so many (PTX ISA 5.5.3.1; rule box-inner-align). */
#define TMAP_ROW_STEP_B 16

/* Bytes of a type whose values are whole ones and lie apart. */
int64_t tmap_plan_element_B(const tmap_type_info *type);

/* The same request with dimensions that continue each other as one; false where none do. */
bool tmap_plan_flatten(const tmap_plan_request *request, tmap_plan_request *flat);

tmap_status tmap_parts_of(const tmap_plan_request *request, tmap_parts *parts, tmap_diag *refusal);

/* Of numbers from 0 on; INT64_MAX where it does not fit. */
static inline int64_t tmap_times(int64_t a, int64_t b) {
    uint64_t product = tmap_mul_saturate((uint64_t)a, (uint64_t)b);
    return product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

/* Refuses with the first error among `diags`; TMAP_OK where `status` is. */
tmap_status tmap_plan_told(tmap_status status, const tmap_diags *diags, tmap_diag *refusal);

/* Errors of these architectures alone. */
tmap_judge tmap_plan_judge(tmap_archs archs);

/* A swizzled layout's 0 lies where the pattern begins. */
tmap_status tmap_plan_check_phase(const tmap_swizzle_info *swizzle, uint64_t address, tmap_diag *refusal);

/* The map and the copies when the first `boxed_n` parts lie in the box; refused by the rules of maps and copies. */
tmap_status tmap_plan_with_box(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, tmap_plan *plan,
                               tmap_diag *refusal);
