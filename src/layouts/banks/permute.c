/* banks: plans a permutation of a warp's data. */
#include "tmap/unstable/banks_permute.h"

#include <inttypes.h>

#include "banks/permute.h"
#include "layout/iter_lists.h"

/* ---- Checks of the request -------------------------------------------------------------------------------------- */

#define THREADS_MAX 1024

static int64_t extent_at(const tmap_permute_side *side, int d) {
    return side->has_stage && side->stage_dim == d ? 1 : side->end.at[d] - side->begin.at[d];
}

static tmap_status check_sizes(const tmap_permute_side *source, const tmap_permute_side *destination, int threads,
                               tmap_diag *error) {
    int bits = source->bits;
    if (threads < TMAP_LANES || threads > THREADS_MAX || threads % TMAP_LANES != 0)
        return tmap_refuse_with(error, -1, "a multiple of 32 threads, at most 1024", "the number of threads is %d",
                                threads);
    if (bits != destination->bits)
        return tmap_refuse_with(error, 1, "one type for both sides",
                                "the source has elements of %d bits, the "
                                "destination elements of %d bits",
                                bits, destination->bits);
    if (source->begin.rank != destination->begin.rank)
        return tmap_refuse_with(error, 1, "boxes of the same rank", "the boxes have ranks %d and %d",
                                source->begin.rank, destination->begin.rank);
    for (int d = 0; d < source->begin.rank; d++) {
        int64_t a = extent_at(source, d), b = extent_at(destination, d);
        if (a != b)
            return tmap_refuse_with(
                error, 1, "boxes of the same extents",
                "dimension %d of the box is %" PRId64 " in the source, %" PRId64 " in the destination", d, a, b);
    }
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128) return TMAP_OK;
    return tmap_refuse_with(error, -1, "elements of 1, 2, 4, 8 or 16 bytes", "the elements have %d bits", bits);
}

static tmap_status check_plain(const tmap_layout *layout, int operand, tmap_diag *error) {
    if (!layout->has_swizzle) return tmap_layout_check_memory(layout, operand, error);
    return tmap_refuse_with(error, operand, "use layouts without a swizzle; the XOR of the lanes replaces it",
                            "the layout has a swizzle");
}

/* The box of one side, merged, and its offset. */
static tmap_status cut_at(const tmap_permute_side *side, const tmap_shape *begin, const tmap_shape *end, int operand,
                          tmap_layout *box, int64_t *offset, tmap_diag *error) {
    bool found = false;
    if (tmap_layout_slice(side->layout, &side->shape, begin, end, box, &found, error) != TMAP_OK) {
        if (error) error->operand = operand;
        return TMAP_REFUSED;
    }
    if (!found)
        return tmap_refuse_with(error, operand, "a box that slice can cut out of the layout",
                                "the box is not a layout");
    *offset = tmap_values_get(&box->offset, tmap_axis_get(TMAP_AXIS_ID_M));
    box->offset.n = 0;
    tmap_layout_canonical(box, box);
    return TMAP_OK;
}

#define STAGES_MAX 1024

/* The boxes of all stages must have one layout and evenly spaced offsets. */
static tmap_status cut_stages(const tmap_permute_side *side, int operand, const tmap_layout *first, int64_t offset,
                              int64_t *step, tmap_diag *error) {
    tmap_shape begin = side->begin, end = side->end;
    int64_t stages = side->shape.at[side->stage_dim];
    *step = 0;
    for (int64_t stage = 1; stage < stages; stage++) {
        tmap_layout box;
        int64_t at = 0;
        begin.at[side->stage_dim] = stage, end.at[side->stage_dim] = stage + 1;
        if (cut_at(side, &begin, &end, operand, &box, &at, error) != TMAP_OK) return TMAP_REFUSED;
        if (stage == 1) *step = at - offset;
        if (!tmap_layout_identical(&box, first) || at - offset != stage * *step)
            return tmap_refuse_with(error, operand, "stages that are one stride apart",
                                    "stage %" PRId64 " is not %" PRId64 " times as far as stage 1", stage, stage);
    }
    return TMAP_OK;
}

static tmap_status cut(const tmap_permute_side *side, int operand, tmap_layout *box, int64_t *offset, int64_t *step,
                       tmap_diag *error) {
    tmap_shape begin = side->begin, end = side->end;
    *step = 0;
    if (check_plain(side->layout, operand, error) != TMAP_OK) return TMAP_REFUSED;
    if (!side->has_stage) return cut_at(side, &begin, &end, operand, box, offset, error);
    if (side->stage_dim < 0 || side->stage_dim >= side->shape.rank || side->shape.at[side->stage_dim] > STAGES_MAX)
        return tmap_refuse_with(error, operand, "a dimension of at most 1024 stages",
                                "the dimension of the stages does not exist, or has more than 1024 stages");
    begin.at[side->stage_dim] = 0, end.at[side->stage_dim] = 1;
    if (cut_at(side, &begin, &end, operand, box, offset, error) != TMAP_OK) return TMAP_REFUSED;
    return cut_stages(side, operand, box, *offset, step, error);
}

/* Whether an iter continues, in steps of its whole reach, with the stride before it. */
static bool continues(int64_t before, const tmap_iter *iter) {
    return (tmap_i128)before == (tmap_i128)iter->extent * iter->stride;
}

/* Splits both boxes at the boundaries of both. */
static tmap_status align(tmap_permute *plan, const tmap_layout *from, const tmap_layout *to, tmap_diag *error) {
    tmap_layout a, b;
    int starts[1][TMAP_ITERS_MAX + 1];
    tmap_shape shape_a = tmap_iters_extents(&from->shard), shape_b;
    if (tmap_layout_group_many(to, &shape_a, 1, &b, starts, NULL) != TMAP_OK)
        return tmap_refuse_with(error, 1, "extents that divide each other, such as powers of two",
                                "the layouts' iters have boundaries that do not divide each other");
    shape_b = tmap_iters_extents(&b.shard);
    if (tmap_layout_group_many(from, &shape_b, 1, &a, starts, NULL) != TMAP_OK)
        return tmap_refuse_with(error, 0, "extents that divide each other, such as powers of two",
                                "the layouts' iters have boundaries that do not divide each other");
    plan->extent.rank = plan->from.rank = plan->to.rank = 0;
    for (int i = 0; i < a.shard.n; i++) {
        int at = plan->extent.rank;
        const tmap_iter *x = &a.shard.at[i], *y = &b.shard.at[i];
        if (x->extent == 1) continue;
        bool go_on = at > 0 && continues(plan->from.at[at - 1], x) && continues(plan->to.at[at - 1], y);
        if (go_on)
            plan->extent.at[--at] *= x->extent;
        else
            plan->extent.at[at] = x->extent;
        plan->from.at[at] = x->stride;
        plan->to.at[at] = y->stride;
        plan->extent.rank = plan->from.rank = plan->to.rank = at + 1;
    }
    return TMAP_OK;
}

static tmap_status check_count(tmap_permute *plan, int threads, tmap_diag *error) {
    int64_t n = 1;
    for (int i = 0; i < plan->extent.rank; i++) n *= plan->extent.at[i];
    int64_t slots = n / threads;
    plan->warps = threads / TMAP_LANES;
    plan->slots = (int)slots;
    if (n % threads == 0 && slots > 0 && slots <= TMAP_PERMUTE_SLOTS_MAX && (slots & (slots - 1)) == 0) return TMAP_OK;
    tmap_refuse_operand(error, -1, "the box has %" PRId64 " element%s for %d %s", n, TMAP_PLURAL(n), threads,
                        threads == TMAP_LANES ? "lanes" : "threads");
    return tmap_say_fix(error, "%d elements, or this number times 2, 4, 8, 16 or 32", threads);
}

/* ---- Addresses -------------------------------------------------------------------------------------------------- */

/* Requires every element to have its own place, of 0 or more, at every stage. */
static tmap_status check_places(const tmap_permute *plan, bool destination, tmap_diag *error) {
    const tmap_shape *strides = destination ? &plan->to : &plan->from;
    int64_t low = destination ? plan->to_offset : plan->from_offset;
    int64_t stage = destination ? plan->to_stage : plan->from_stage;
    tmap_coverage coverage;
    if (stage < 0) low += (plan->stages - 1) * stage;
    for (int i = 0; i < strides->rank; i++)
        if (strides->at[i] < 0) low += (plan->extent.at[i] - 1) * strides->at[i];
    tmap_status status = tmap_permute_coverage(plan, destination, &coverage, error);
    if (status != TMAP_OK) return status;
    if (!coverage.injective)
        return tmap_refuse_with(error, destination, "a layout with a place for every element",
                                "two elements of the box have the same place");
    if (low >= 0) return TMAP_OK;
    return tmap_refuse_with(error, destination, "add an offset, so that no address is below 0",
                            "an element of the box is at %" PRId64, low);
}

/* Counts by the phases of the hardware: lanes may share words, and wide elements need several phases. */
static tmap_status count(const tmap_permute *plan, bool destination, tmap_conflicts *total, tmap_diag *error) {
    tmap_layout flat = {.shard = {.n = 1, .at = {{INT64_MAX, 1, tmap_axis_get(TMAP_AXIS_ID_M)}}}};
    tmap_access access = {.bits = 8 * plan->bytes, .width = 1};
    for (int first = 0; first < plan->warps * TMAP_LANES; first += TMAP_LANES)
        for (int slot = 0; slot < plan->slots; slot++) {
            for (int lane = 0; lane < TMAP_LANES; lane++)
                access.lanes[lane] = tmap_permute_address(plan, destination, first + lane, slot);
            if (tmap_conflicts_add(total, &flat, &access, NULL, NULL, NULL) != TMAP_OK)
                return tmap_refuse_with(error, destination, "a smaller offset and smaller strides",
                                        "the addresses in bytes do not fit 64 bits");
        }
    return TMAP_OK;
}

/* ---- The plan --------------------------------------------------------------------------------------------------- */

static int64_t stages_of(const tmap_permute_side *side) {
    return side->has_stage ? side->shape.at[side->stage_dim] : 1;
}

tmap_status tmap_permute_plan(const tmap_permute_side *source, const tmap_permute_side *destination, int threads,
                              tmap_permute *plan, tmap_diag *error) {
    tmap_permute made = {.bytes = source->bits / 8};
    tmap_layout from, to;
    if (check_sizes(source, destination, threads, error) != TMAP_OK) return TMAP_REFUSED;
    if (cut(source, 0, &from, &made.from_offset, &made.from_stage, error) != TMAP_OK) return TMAP_REFUSED;
    if (cut(destination, 1, &to, &made.to_offset, &made.to_stage, error) != TMAP_OK) return TMAP_REFUSED;
    made.stages = source->has_stage ? stages_of(source) : stages_of(destination);
    if (source->has_stage && destination->has_stage && stages_of(destination) != made.stages)
        return tmap_refuse_with(error, 1, "the same number of stages on both sides",
                                "the source has %" PRId64 " stages, the destination %" PRId64, made.stages,
                                stages_of(destination));
    if (align(&made, &from, &to, error) != TMAP_OK) return TMAP_REFUSED;
    if (check_count(&made, threads, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_status status = check_places(&made, false, error);
    if (status == TMAP_OK) status = check_places(&made, true, error);
    if (status != TMAP_OK) return status;
    if (tmap_permute_choose(&made, error) != TMAP_OK) return TMAP_REFUSED;
    status = count(&made, false, &made.reads, error);
    if (status == TMAP_OK) status = count(&made, true, &made.writes, error);
    if (status == TMAP_OK) *plan = made;
    return status;
}
