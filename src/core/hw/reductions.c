/* The table of reductions: which operations each type has. */
#include "base/rows.h"
#include "tmap/hw.h"
#include "tmap/unstable/tables.h"

#define HALF_ADD .facts = {"reduce-float-add", "reduce-half-subnormals", "reduce-nan"}
#define F32_ADD  .facts = {"reduce-float-add", "reduce-f32-subnormals", "reduce-nan"}
#define TF32_ADD .facts = {"reduce-float-add", "reduce-f32-subnormals", "reduce-nan", "reduce-tf32"}
#define F64_ADD  .facts = {"reduce-float-add", "reduce-nan"}
#define BULK_ADD .facts = {"reduce-float-add", "bulk-f32-subnormals", "reduce-nan"}
#define TENSOR   TMAP_REDUCES_TENSOR
#define LINEAR   TMAP_REDUCES_LINEAR
#define CLUSTER  TMAP_REDUCES_CLUSTER
static const tmap_reduction_info reductions[] = {
#define TMAP_REDUCTION(op_id, type_id, ...) {.op = TMAP_OP_##op_id, .type = TMAP_TYPE_##type_id, __VA_ARGS__},
#include "tmap/hw/reductions.def"
#undef TMAP_REDUCTION
};

#define REDUCTIONS_N ((int)(sizeof reductions / sizeof *reductions))

TMAP_ROW_GETTER(tmap_reduction_info, tmap_reduction_get, reductions)

const tmap_reduction_info *tmap_reduction_by(tmap_reduces by, tmap_op op, tmap_type type) {
    for (int i = 0; i < REDUCTIONS_N; i++)
        if (reductions[i].op == op && reductions[i].type == type && (reductions[i].by & by)) return &reductions[i];
    return NULL;
}

const tmap_reduction_info *tmap_reduction_of(tmap_op op, tmap_type type) {
    return tmap_reduction_by(TMAP_REDUCES_TENSOR, op, type);
}
