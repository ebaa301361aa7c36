/* language: permute_layout as a function of the language. */
#include <string.h>

#include "language/fn_swizzle.h"
#include "language/functions.h"
#include "tmap/unstable/banks_permute.h"

/* The whole shape, where no box is given; a number stands for a range of one. */
static bool take_box(tmap_call *call, int arg, tmap_permute_side *side) {
    const tmap_value *box = call->args[arg];
    side->begin = (tmap_shape){.rank = side->shape.rank};
    side->end = side->shape;
    if (!box) return true;
    bool list = box->kind == TMAP_VALUE_LIST;
    size_t n = list ? box->as.list.n : 1;
    if (n != (size_t)side->shape.rank)
        return tmap_call_refuse_with(call, arg, "one range a dimension", "a box of %zu ranges in a shape of rank %d", n,
                                     side->shape.rank);
    for (size_t d = 0; d < n; d++)
        if (!tmap_value_range(call, arg, list ? &box->as.list.items[d] : box, &side->begin.at[d], &side->end.at[d]))
            return false;
    return true;
}

static bool take_side(tmap_call *call, int arg, int shape_arg, int box_arg, tmap_permute_side *side) {
    side->layout = call->args[arg]->as.layout;
    side->shape.rank = side->layout->shard.n;
    for (int i = 0; i < side->shape.rank; i++) side->shape.at[i] = side->layout->shard.at[i].extent;
    return tmap_arg_shape(call, shape_arg, &side->shape) && tmap_arg_bits(call, 2, &side->bits) &&
           take_box(call, box_arg, side);
}

static bool take_scope(tmap_call *call, int arg, tmap_scope *scope) {
    const char *name = tmap_arg_name(call, arg);
    *scope = TMAP_SCOPE_WARP;
    if (!name) return true;
    for (int s = TMAP_SCOPE_THREAD; s <= TMAP_SCOPE_KERNEL; s++) {
        *scope = (tmap_scope)s;
        if (strcmp(name, tmap_scope_name(*scope)) == 0) return true;
    }
    return tmap_call_refuse_with(call, arg, "thread, warp, warpgroup, cta, cluster or kernel", "there is no scope %s",
                                 name);
}

static bool give_plan(tmap_call *call, const tmap_permute *plan, const char *code, tmap_value *result) {
    tmap_record_maker maker;
    if (!tmap_record_begin(call->eval, &maker, 12)) return false;
    tmap_record_int(&maker, "elements_a_lane", plan->slots);
    tmap_record_int(&maker, "k", plan->k);
    tmap_record_int(&maker, "shift", plan->shift);
    tmap_record_int(&maker, "mask", plan->mask);
    if (!tmap_give_ints(call, tmap_record_add(&maker, "extent"), plan->extent.at, (size_t)plan->extent.rank) ||
        !tmap_give_ints(call, tmap_record_add(&maker, "source_stride"), plan->from.at, (size_t)plan->from.rank) ||
        !tmap_give_ints(call, tmap_record_add(&maker, "destination_stride"), plan->to.at, (size_t)plan->to.rank))
        return false;
    tmap_record_int(&maker, "source_offset", plan->from_offset);
    tmap_record_int(&maker, "destination_offset", plan->to_offset);
    tmap_record_int(&maker, "read_passes", (int64_t)plan->reads.passes);
    tmap_record_int(&maker, "write_passes", (int64_t)plan->writes.passes);
    return tmap_give_text(call, tmap_record_add(&maker, "cuda"), code) && tmap_record_end(&maker, result);
}

bool tmap_fn_permute_layout(tmap_call *call, tmap_value *result) {
    tmap_permute_side source = {0}, destination = {0};
    tmap_scope scope;
    tmap_permute plan;
    if (!take_side(call, 0, 3, 4, &source) || !take_side(call, 1, 3, 4, &destination) || !take_scope(call, 5, &scope))
        return false;
    if (!tmap_eval_spend(call->eval, 1 << 18)) return false;
    if (!tmap_call_went(call, tmap_permute_plan(&source, &destination, scope, &plan, call->eval->error))) return false;
    tmap_text text = {.allocator = call->eval->arena.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_permute_cuda(&sink, "permute_layout", &plan);
    if (sink.failed) call->eval->no_memory = true;
    bool ok = !sink.failed && give_plan(call, &plan, text.data, result);
    tmap_text_free(&text);
    return ok;
}
