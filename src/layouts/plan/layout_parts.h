/*
 * plan: the parts of the wanted layout. A part is a digit of a tile's dimension with one stride in shared memory and
 * another in global memory. Parts that are dense in shared memory may be in a box; the other parts become loops of
 * copies.
 */
#pragma once

#include "base/wide.h"
#include "diag/refuse.h"
#include "text/print.h"
#include "tmap/unstable/plan.h"

typedef struct tmap_part {
    int dim;        /* of the tile, outermost 0 */
    int64_t extent; /* at least 2 */
    int64_t inner;  /* one step, in elements along dim */
    int64_t shared; /* stride in shared memory, in elements */
} tmap_part;

typedef struct tmap_parts {
    int n;
    tmap_part at[TMAP_ITERS_MAX]; /* by shared stride, ascending */
    int chain_n;                  /* this many parts are dense, counted from the first */
    tmap_swizzle swizzle;
    int64_t offset; /* of the layout, in elements */
} tmap_parts;

/* The bytes of a box's row are a multiple of this (PTX ISA 5.5.3.1; rule box-inner-align). */
#define TMAP_ROW_STEP_B 16

/* The bytes of a value, for types with whole bytes and no padding. */
int64_t tmap_plan_element_B(const tmap_type_info *type);

/* The hardware mode of the layout's swizzle; -1: none. */
int tmap_plan_mode(const tmap_layout *layout, const tmap_type_info *type);

/* The same request with joined dimensions. Returns false if no dimensions can be joined. */
bool tmap_plan_flatten(const tmap_plan_request *request, tmap_plan_request *flat);

tmap_status tmap_parts_of(const tmap_plan_request *request, tmap_parts *parts, tmap_diag *refusal);

/* The product of numbers from 0 on; INT64_MAX on overflow. */
static inline int64_t tmap_times(int64_t a, int64_t b) {
    uint64_t product = tmap_mul_saturate((uint64_t)a, (uint64_t)b);
    return product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

/* Refuses with the first error in `diags`; returns TMAP_OK if `status` is TMAP_OK. */
tmap_status tmap_plan_first_error(tmap_status status, const tmap_diags *diags, tmap_diag *refusal);

/* A judge that reports only errors of these architectures. */
tmap_judge tmap_plan_judge(tmap_archs archs);

/* Element 0 of a swizzled layout must be at the start of the swizzle's pattern. */
tmap_status tmap_plan_check_phase(const tmap_swizzle_info *swizzle, uint64_t address, tmap_diag *refusal);

/* The map and the copies for a box with the first `boxed_n` parts. TMAP_REFUSED if the rules of maps and copies
 * refuse. */
tmap_status tmap_plan_with_box(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, tmap_plan *plan,
                               tmap_diag *refusal);
