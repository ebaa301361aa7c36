/* language: the function permute_layout. */
#include <string.h>

#include "language/functions.h"
#include "layout/iter_lists.h"
#include "tmap/unstable/banks_permute.h"

enum { SOURCE, DESTINATION, TYPE, SHAPE, BOX, SCOPE, THREADS, DESTINATION_TYPE, DESTINATION_SHAPE, DESTINATION_BOX };

/* A range. A number is a range of one; a word is a coordinate that is known at run time. */
static bool take_range(tmap_call *call, int arg, const tmap_value *value, int d, tmap_permute_side *side) {
    if (value->kind != TMAP_VALUE_WORD) return tmap_value_range(call, arg, value, &side->begin.at[d], &side->end.at[d]);
    if (side->has_stage)
        return tmap_call_refuse_with(call, arg, "one word, as in (stage, 0:4, 0:32)",
                                     "a second coordinate that is known at run time: %s", value->as.text);
    side->has_stage = true, side->stage_dim = d;
    return true;
}

/* The box, or the whole shape if the call has no box. */
static bool take_box(tmap_call *call, int arg, tmap_permute_side *side) {
    const tmap_value *box = call->args[arg];
    side->begin = (tmap_shape){.rank = side->shape.rank};
    side->end = side->shape;
    if (!box) return true;
    bool list = box->kind == TMAP_VALUE_LIST;
    size_t n = list ? box->as.list.n : 1;
    if (!tmap_call_count(call, arg, (int)n, "range", side->shape.rank, "dimension")) return false;
    for (size_t d = 0; d < n; d++)
        if (!take_range(call, arg, list ? &box->as.list.items[d] : box, (int)d, side)) return false;
    return true;
}

/* The argument `own`, or if it is omitted, the argument for both sides. */
static int arg_or(const tmap_call *call, int own, int shared) {
    return call->args[own] ? own : shared;
}

static bool take_side(tmap_call *call, int arg, tmap_permute_side *side) {
    bool to = arg == DESTINATION;
    int shape = to ? arg_or(call, DESTINATION_SHAPE, SHAPE) : SHAPE;
    side->layout = call->args[arg]->as.layout;
    side->shape = call->args[shape] ? call->read[shape].as.shape : tmap_iters_extents(&side->layout->shard);
    side->bits = (int)call->read[to ? arg_or(call, DESTINATION_TYPE, TYPE) : TYPE].integer;
    return take_box(call, to ? arg_or(call, DESTINATION_BOX, BOX) : BOX, side);
}

/* 32 threads for a warp; for a block, the argument `threads`. */
static bool check_threads(const tmap_call *call, int threads) {
    const char *scope = call->args[SCOPE] ? call->args[SCOPE]->as.text : NULL;
    if (!scope || (strcmp(scope, "cta") == 0 && call->args[THREADS])) return true;
    if (strcmp(scope, "cta") == 0)
        return tmap_call_refuse_with(call, SCOPE, "threads=128", "the number of threads of the cta is missing");
    if (strcmp(scope, "warp") == 0 && threads == TMAP_LANES) return true;
    return tmap_call_refuse_with(call, SCOPE, "warp, or cta with threads=128",
                                 "scope=%s with %d threads is not supported", scope, threads);
}

static bool give_plan(tmap_call *call, const tmap_permute *plan, tmap_value *result) {
    TMAP_STRUCTURE(s);
    tmap_text code;
    tmap_structure_int(&s, "elements_a_lane", plan->slots);
    if (plan->warps > 1) tmap_structure_int(&s, "warps", plan->warps);
    tmap_structure_int(&s, "k", plan->k);
    tmap_structure_int(&s, "shift", plan->shift);
    tmap_structure_int(&s, "mask", plan->mask);
    if (!tmap_give_ints(call->eval, tmap_structure_add(&s, "extent"), plan->extent.at, (size_t)plan->extent.rank) ||
        !tmap_give_ints(call->eval, tmap_structure_add(&s, "source_stride"), plan->from.at, (size_t)plan->from.rank) ||
        !tmap_give_ints(call->eval, tmap_structure_add(&s, "destination_stride"), plan->to.at, (size_t)plan->to.rank))
        return false;
    tmap_structure_int(&s, "source_offset", plan->from_offset);
    tmap_structure_int(&s, "destination_offset", plan->to_offset);
    if (plan->stages > 1) {
        tmap_structure_int(&s, "stages", plan->stages);
        tmap_structure_int(&s, "source_stage", plan->from_stage);
        tmap_structure_int(&s, "destination_stage", plan->to_stage);
    }
    tmap_structure_int(&s, "read_passes", (int64_t)plan->reads.passes);
    tmap_structure_int(&s, "write_passes", (int64_t)plan->writes.passes);
    tmap_sink sink = tmap_give_begin(call->eval, &code);
    tmap_permute_cuda(&sink, "permute_layout", plan);
    return tmap_give_end(call->eval, &code, &sink, tmap_structure_add(&s, "cuda")) &&
           tmap_structure_give(call->eval, &s, result);
}

bool tmap_fn_permute_layout(tmap_call *call, tmap_value *result) {
    tmap_permute_side source = {0}, destination = {0};
    int threads = (int)call->read[THREADS].integer;
    tmap_permute plan;
    if (!take_side(call, SOURCE, &source) || !take_side(call, DESTINATION, &destination) ||
        !check_threads(call, threads))
        return false;
    if (!tmap_eval_spend(call->eval, (uint64_t)threads << 13)) return false;
    tmap_status status = tmap_permute_plan(&source, &destination, threads, &plan, call->eval->error);
    return tmap_call_succeeded(call, status) && give_plan(call, &plan, result);
}
