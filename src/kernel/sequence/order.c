/*
 * sequence: the order of events. Source: PTX ISA 9.1, Memory Consistency Model: causality order is built from program
 * order and synchronization; two accesses by different proxies are ordered only if a proxy fence is between them in
 * that order. cp.async.bulk: an implicit generic-async proxy fence follows its completion, so the copy is ordered for
 * both proxies before the steps of a thread that waited for it. The model makes no difference between a read before a
 * write and a write before a read. mbarrier operations have release and acquire semantics by default, at a scope; the
 * complete-tx operation of a copy has the scope of the cluster.
 *
 * Tensor memory: Memory Consistency Model for 5th generation of TensorCore operations, Canonical synchronization
 * patterns. tcgen05.mma operations of one accumulator are executed in the order of their issue. All other pairs require
 * the completion of the earlier operation (tcgen05.commit, or tcgen05.wait by its thread), and, except after
 * tcgen05.wait in the same thread, a tcgen05.fence::after_thread_sync before the later operation. Before the
 * synchronization of two threads the earlier thread also requires a tcgen05.fence::before_thread_sync, which
 * tcgen05.commit contains. The fences also order across relaxed arrivals and waits.
 */
#include "sequence/order.h"

#include <string.h>

#include "sequence/phases.h"
#include "sequence/sets.h"

/* ---- Sets ----------------------------------------------------------------------------------------------------- */

static uint32_t read_event(const tmap_order *order, uint32_t step) {
    return (uint32_t)order->program->sequence->steps_n + step;
}

static uint32_t write_event(const tmap_order *order, uint32_t step) {
    return 2 * (uint32_t)order->program->sequence->steps_n + step;
}

static bool states_scope(const tmap_sequence *s) {
    for (size_t i = 0; i < s->steps_n; i++)
        if (s->steps[i].scope != TMAP_REACHES_ENOUGH || s->steps[i].relaxed) return true;
    return false;
}

static bool make_sets(tmap_order *order, const tmap_sequence *s, tmap_arena *arena) {
    size_t steps = s->steps_n, threads = (size_t)s->threads_n, barriers = (size_t)order->program->barriers_n;
    uint64_t **const parts[] = {&order->threads,  &order->released, &order->observed, &order->open,  &order->complete,
                                &order->previous, &order->waits,    &order->ops,      &order->fences};
    const size_t sets_n[] = {threads,  2 * threads, 2 * threads, 2 * barriers, 2 * barriers,
                             barriers, barriers,    steps,       steps};
    const size_t parts_n = sizeof parts / sizeof *parts;
    for (size_t i = 0; i < parts_n; i++) order->sets_n += sets_n[i] * order->words;
    order->sets = tmap_arena_array(arena, order->sets_n, sizeof *order->sets);
    uint64_t *at = order->sets;
    for (size_t i = 0; at && i < parts_n; at += sets_n[i++] * order->words) *parts[i] = at;
    return at != NULL;
}

bool tmap_order_make(tmap_order *order, const tmap_program *program, tmap_arena *arena) {
    const tmap_sequence *s = program->sequence;
    size_t most_accesses = s->steps_n * (TMAP_SEQUENCE_READS_MAX + 6); /* reads, 4 writes, a map, a barrier */
    size_t threads = (size_t)s->threads_n;
    *order = (tmap_order){
        .program = program, .part = (3 * s->steps_n + 63) / 64 + 1, .narrow = UINT32_MAX, .varies = UINT32_MAX};
    order->words = (states_scope(s) ? 4 : 2) * order->part;
    order->meeting = tmap_arena_array(arena, 1, order->words * sizeof(uint64_t));
    order->fence_steps = tmap_arena_array(arena, s->steps_n, sizeof *order->fence_steps);
    order->accesses = tmap_arena_array(arena, most_accesses, sizeof *order->accesses);
    order->after = tmap_arena_array(arena, threads, sizeof *order->after);
    for (size_t i = 0; order->after && i < threads; i++) order->after[i] = UINT32_MAX;
    return make_sets(order, s, arena) && order->meeting && order->fence_steps && order->accesses && order->after;
}

void tmap_order_copy(tmap_order *to, const tmap_order *from) {
    memcpy(to->sets, from->sets, from->sets_n * sizeof *to->sets);
    memcpy(to->fence_steps, from->fence_steps, from->fences_n * sizeof *to->fence_steps);
    memcpy(to->accesses, from->accesses, from->accesses_n * sizeof *to->accesses);
    memcpy(to->after, from->after, (size_t)from->program->sequence->threads_n * sizeof *to->after);
    to->fences_n = from->fences_n;
    to->accesses_n = from->accesses_n;
    to->narrow = from->narrow;
}

/* ---- Scopes --------------------------------------------------------------------------------------------------- */

/* Whether a scope reaches a thread of another thread block (`remote`) or of the same thread block. */
static bool reaches(tmap_step_reach scope, bool remote) {
    return !remote || scope != TMAP_REACHES_CTA;
}

static int block_of(const tmap_order *order, int thread) {
    return order->program->sequence->threads[thread].block;
}

static assumption assumed_by(const tmap_step *step, bool far) {
    return !far ? IF_REACHED : step->relaxed ? IF_RELEASED : AS_IT_IS;
}

/* Adds the events that a thread's release orders: all earlier events, or for a relaxed release the events before the
 * thread's last fence. */
static void release(tmap_order *order, const tmap_step *step, bool remote, uint64_t *to) {
    const uint64_t *past = set_of(order, order->threads, (size_t)step->thread);
    bool far = reaches(step->scope, remote);
    join_if(order, assumed_by(step, far), to, past);
    if (step->relaxed && far) join(order, to, set_of(order, order->released, 2 * (size_t)step->thread + remote));
    if (!far || step->relaxed) order->narrow = (uint32_t)(step - order->program->steps);
}

static void acquire(tmap_order *order, const tmap_step *step, bool remote, const uint64_t *from) {
    uint64_t *past = set_of(order, order->threads, (size_t)step->thread);
    bool far = reaches(step->scope, remote);
    join_if(order, assumed_by(step, far), past, from);
    if (step->relaxed && far) join(order, set_of(order, order->observed, 2 * (size_t)step->thread + remote), from);
    if (step->relaxed) order->narrow = (uint32_t)(step - order->program->steps);
}

static void fence_all(tmap_order *order, const tmap_step *step, uint64_t *past) {
    for (size_t remote = 0; remote < 2; remote++) {
        if (!reaches(step->scope, remote != 0)) continue;
        join(order, past, set_of(order, order->observed, 2 * (size_t)step->thread + remote));
        join(order, set_of(order, order->released, 2 * (size_t)step->thread + remote), past);
    }
}

/* ---- Pairs of accesses ---------------------------------------------------------------------------------------- */

typedef bool has_function(const tmap_order *order, const uint64_t *set, uint32_t event);

static bool has_ordered(const tmap_order *order, const uint64_t *set, uint32_t event) {
    (void)order;
    return has(set, event);
}

/* Whether a step is a fence of this kind. A launch, and the end of kernels, make all accesses visible to all proxies; a
 * map in global memory still requires an acquire. Source: PTX ISA 9.1, griddepcontrol.wait; CUDA Programming Guide 13,
 * the tensor map in global memory. */
static bool is_fence(const tmap_step *step, tmap_step_fence fence) {
    if (step->kind == TMAP_STEP_FENCE) return step->fence == fence;
    return fence != TMAP_FENCE_TENSORMAP_ACQUIRE && fence < TMAP_FENCE_TCGEN05_BEFORE;
}

/* Whether a fence is between the event `earlier` and `past`. An acquire of a map must be for `map`, unless `map` is
 * -1. */
static bool fenced(const tmap_order *order, has_function *holds, tmap_step_fence fence, int map, uint32_t earlier,
                   const uint64_t *past) {
    for (size_t i = 0; i < order->fences_n; i++) {
        uint32_t step = order->fence_steps[i];
        const tmap_step *row = &order->program->steps[step];
        if (!is_fence(row, fence) || !holds(order, past, step)) continue;
        if (!holds(order, set_of(order, order->fences, step), earlier)) continue;
        bool other = map >= 0 && row->map >= 0 && tmap_program_overlap(order->program, row->map, map) == APART;
        if (!other) return true;
    }
    return false;
}

/* Whether a sync of threads is between the event `earlier` and `past`. */
static bool is_separated(const tmap_order *order, uint32_t earlier, const uint64_t *past) {
    for (uint32_t i = 0; i < order->program->sequence->steps_n; i++)
        if (order->program->steps[i].kind == TMAP_STEP_SYNC && has(past, i) &&
            has(set_of(order, order->fences, i), earlier))
            return true;
    return false;
}

static tmap_pair_fault judge_map(const tmap_order *order, const tmap_event_access *earlier, const uint64_t *past,
                                 int map) {
    tmap_step_fence releases = TMAP_FENCE_TENSORMAP_RELEASE, acquires = TMAP_FENCE_TENSORMAP_ACQUIRE;
    if (!fenced(order, has_ordered, releases, -1, earlier->event, past)) return PAIR_NO_RELEASE;
    if (fenced(order, has_ordered, acquires, map, earlier->event, past)) return PAIR_GOOD;
    return fenced(order, has_wide, acquires, map, earlier->event, past) ? PAIR_NARROW : PAIR_NO_ACQUIRE;
}

/*
 * All threads of a warp, or of a warp group, execute a .sync.aligned instruction before one of them continues, but this
 * orders no memory accesses. DeepGEMM and CUTLASS (operands or scale factors in registers) rely on it for reads.
 */
static tmap_pair_fault unordered(const tmap_order *order, const tmap_event_access *earlier, const uint64_t *past) {
    return !earlier->writes && has_if(order, IN_TIME, past, earlier->event) ? PAIR_IN_TIME : PAIR_NO_ORDER;
}

/* fence.mbarrier_init makes the init visible by itself, so the barrier of the threads may be relaxed. */
static tmap_pair_fault judge_order(const tmap_order *order, const tmap_event_access *earlier, const uint64_t *past) {
    if (has(past, earlier->event)) return PAIR_GOOD;
    if (!has_wide(order, past, earlier->event)) return unordered(order, earlier, past);
    bool init = order->program->steps[earlier->step].kind == TMAP_STEP_INIT;
    bool visible = init && fenced(order, has_wide, TMAP_FENCE_MBARRIER_INIT, -1, earlier->event, past);
    return visible ? PAIR_GOOD : PAIR_NARROW;
}

/*
 * Whether the hardware executes two operations of tensor memory in the order of their issue. PTX lists a tcgen05.cp
 * before a tcgen05.mma, but not a tcgen05.mma before a tcgen05.cp that overwrites its scale factors: CUTLASS and
 * DeepGEMM rely on this order.
 */
static bool is_pipelined(const tmap_order *order, const tmap_event_access *earlier, const tmap_event_access *later) {
    const tmap_step *one = &order->program->steps[earlier->step], *two = &order->program->steps[later->step];
    bool both = one->kind == TMAP_STEP_ASYNC && one->completes == TMAP_COMPLETES_TCGEN05 &&
                two->kind == TMAP_STEP_ASYNC && two->completes == TMAP_COMPLETES_TCGEN05;
    if (!both || later->proxy != PROXY_TENSOR) return false;
    if (one->tensor_copy || two->tensor_copy) return true;
    return earlier->writes && later->writes && earlier->region == later->region;
}

static tmap_pair_fault judge_tensor(const tmap_order *order, const tmap_event_access *earlier,
                                    const tmap_event_access *later, const uint64_t *past) {
    const tmap_step *one = &order->program->steps[earlier->step], *two = &order->program->steps[later->step];
    bool pipelined = is_pipelined(order, earlier, later), own = one->thread == two->thread;
    bool commits = one->completes == TMAP_COMPLETES_TCGEN05 && !pipelined;
    uint32_t event = pipelined ? earlier->step : earlier->event;
    if (!has_wide(order, past, event)) return unordered(order, earlier, past);
    if (tmap_step_allocates(one) || tmap_step_allocates(two))
        return PAIR_GOOD; /* synchronous: the order of execution is enough */
    if (!has_if(order, IF_RELEASED, past, event)) return PAIR_NARROW;
    if (own && !commits) return PAIR_GOOD;
    uint32_t after = order->after[two->thread];
    const uint64_t *acquired = after == UINT32_MAX ? NULL : set_of(order, order->fences, after);
    if (acquired && has_wide(order, acquired, commits ? event : earlier->step)) return PAIR_GOOD;
    if (!has(past, event)) return PAIR_NARROW;
    bool before = commits || fenced(order, has_wide, TMAP_FENCE_TCGEN05_BEFORE, -1, earlier->step, past);
    return before ? PAIR_NO_TCGEN05_AFTER : PAIR_NO_TCGEN05_BEFORE;
}

static tmap_pair_fault judge_pair(const tmap_order *order, const tmap_event_access *earlier,
                                  const tmap_event_access *later, const uint64_t *past) {
    if (later->proxy == PROXY_TENSOR) return judge_tensor(order, earlier, later, past);
    tmap_pair_fault fault = judge_order(order, earlier, past);
    if (fault != PAIR_GOOD) return fault;
    bool changes_map = earlier->proxy == PROXY_GENERIC && later->proxy == PROXY_TENSORMAP;
    if (changes_map) return judge_map(order, earlier, past, later->region);
    fault = tmap_pair_without_fence(earlier->proxy, earlier->writes, later->proxy);
    if (fault == PAIR_GOOD) return fault;
    if (fenced(order, has_ordered, TMAP_FENCE_PROXY_ASYNC, -1, earlier->event, past)) return PAIR_GOOD;
    if (order->program->steps[earlier->step].kind == TMAP_STEP_INVAL) return PAIR_GOOD; /* the next init has a fence */
    if (!earlier->writes || !later->atomic) return fault;
    if (fenced(order, has_wide, TMAP_FENCE_MBARRIER_INIT, -1, earlier->event, past)) return PAIR_GOOD;
    return is_separated(order, earlier->event, past) ? PAIR_NO_INIT_FENCE_AFTER_SYNC : PAIR_NO_INIT_FENCE;
}

/* Whether the time of an init or an inval matters: it has no order with a use of the barrier. */
static bool is_life(const tmap_order *order, const tmap_event_access *access) {
    return order->program->steps[access->step].barrier == access->region && !access->atomic;
}

/* Compares an access with all earlier accesses; `past` is the set of events before the access. */
static void enter(tmap_order *order, tmap_event_access access, const uint64_t *past) {
    for (size_t i = 0; i < order->accesses_n; i++) {
        const tmap_event_access *earlier = &order->accesses[i];
        if ((!earlier->writes && !access.writes) || (earlier->atomic && access.atomic)) continue;
        if (earlier->step == access.step && earlier->proxy == access.proxy) continue;
        if (tmap_program_overlap(order->program, earlier->region, access.region) == APART) continue;
        order->pairs_n++;
        tmap_pair_fault fault = judge_pair(order, earlier, &access, past);
        uint32_t life = is_life(order, earlier) ? earlier->step : access.step;
        tmap_order_vary(order, life, fault == PAIR_NO_ORDER && (is_life(order, earlier) || is_life(order, &access)));
        if (fault != PAIR_GOOD) order->found(order->context, order, fault, earlier, &access);
        if (!is_pipelined(order, earlier, &access)) continue;
        uint64_t *op = set_of(order, order->ops, access.step); /* complete after the earlier operation */
        add(order, op, read_event(order, earlier->step));
        add(order, op, write_event(order, earlier->step));
    }
    order->accesses[order->accesses_n++] = access;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

static void enter_barrier(tmap_order *order, uint32_t step, uint32_t event, tmap_proxy proxy, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    bool init = s->kind == TMAP_STEP_INIT || s->kind == TMAP_STEP_INVAL;
    if (s->barrier >= 0) enter(order, (tmap_event_access){event, step, s->barrier, proxy, true, !init}, past);
}

static void enter_regions(tmap_order *order, uint32_t step, uint32_t reading, uint32_t writing, tmap_proxy proxy,
                          const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    const tmap_region *regions = order->program->sequence->regions;
    for (int i = 0; i < s->reads_n + s->writes_n; i++) {
        bool writes = i >= s->reads_n;
        int region = writes ? s->writes[i - s->reads_n] : s->reads[i];
        tmap_proxy through = regions[region].tensor_memory ? PROXY_TENSOR : proxy;
        uint32_t event = writes ? writing : reading;
        enter(order, (tmap_event_access){event, step, region, through, writes, writes && s->atomic}, past);
    }
}

/* A cp.async copies through the generic proxy. Source: PTX ISA 9.1, Async proxy. */
static tmap_proxy proxy_of(const tmap_step *op) {
    return op->completes == TMAP_COMPLETES_CP_ASYNC ? PROXY_GENERIC : PROXY_ASYNC;
}

/* An operation starts when its step is executed, and happens at any later time. */
static void issue(tmap_order *order, uint32_t step, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *op = set_of(order, order->ops, step);
    join(order, op, past);
    add(order, op, step);
    uint32_t reading = read_event(order, step), writing = write_event(order, step);
    if (s->map >= 0) enter(order, (tmap_event_access){reading, step, s->map, PROXY_TENSORMAP, false, false}, op);
    enter_regions(order, step, reading, writing, proxy_of(s), op);
    if (s->kind == TMAP_STEP_ASYNC) enter_barrier(order, step, writing, PROXY_ASYNC, op);
    add(order, op, reading);
    add(order, op, writing);
}

/* A tcgen05.commit, or a cp.async.mbarrier.arrive, arrives after the earlier operations of its thread. */
static void commit(tmap_order *order, const tmap_machine *machine, uint32_t step, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    if (s->barrier < 0) return;
    uint64_t *op = set_of(order, order->ops, step);
    join(order, op, past);
    for (uint32_t i = 0; i < order->program->sequence->steps_n; i++) {
        const tmap_step *before = &order->program->steps[i];
        bool waits = before->kind == TMAP_STEP_ASYNC && before->thread == s->thread &&
                     before->completes == s->completes && machine->ops[i] != OP_NONE;
        if (waits) join(order, op, set_of(order, order->ops, i));
    }
    add(order, op, step);
    enter_barrier(order, step, write_event(order, step), proxy_of(s), op);
    add(order, op, write_event(order, step));
}

static void wait_group(tmap_order *order, const tmap_machine *machine, uint32_t step) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *past = set_of(order, order->threads, (size_t)s->thread);
    for (uint32_t op = 0; op < order->program->sequence->steps_n; op++) {
        if (!tmap_machine_waits_for(machine, s, op)) continue;
        bool written = has(past, write_event(order, op));
        join(order, past, set_of(order, order->ops, op));
        uint32_t writing = write_event(order, op);
        for (size_t part = 0; s->reads_only && !written && part < order->words; part += order->part)
            past[part + writing / 64] &= ~(1ULL << writing % 64);
    }
}

static bool spans_blocks(const tmap_order *order, const tmap_step *sync) {
    for (int thread = 0; thread < order->program->sequence->threads_n; thread++)
        if (sync->threads >> thread & 1 && block_of(order, thread) != block_of(order, sync->thread)) return true;
    return false;
}

/* bar.sync, or barrier.cluster: its wait acquires, and its arrive releases unless it is relaxed. */
static void sync(tmap_order *order, const tmap_step *step, const tmap_machine *machine) {
    int threads_n = order->program->sequence->threads_n;
    bool remote = spans_blocks(order, step);
    memset(order->meeting, 0, order->words * sizeof *order->meeting);
    for (int thread = 0; thread < threads_n; thread++) {
        if (!(step->threads >> thread & 1)) continue;
        uint32_t own = tmap_machine_at(machine, thread);
        add(order, set_of(order, order->threads, (size_t)thread), own);
        if (step->aligned) join_if(order, IN_TIME, order->meeting, set_of(order, order->threads, (size_t)thread));
        if (step->aligned) continue;
        release(order, &order->program->steps[own], remote, order->meeting);
    }
    for (int thread = 0; thread < threads_n; thread++) {
        if (!(step->threads >> thread & 1)) continue;
        join(order, set_of(order, order->threads, (size_t)thread), order->meeting);
        join(order, set_of(order, order->fences, tmap_machine_at(machine, thread)), order->meeting);
    }
}

/* Two fences of the tensormap proxy synchronize if the scope of each fence contains the other's thread. */
static bool fences_meet(const tmap_order *order, const tmap_step *one, const tmap_step *two) {
    bool remote = block_of(order, one->thread) != block_of(order, two->thread);
    return reaches(one->scope, remote) && reaches(two->scope, remote);
}

/* Adds to the events of a fence after_thread_sync the tcgen05 operations before each fence before_thread_sync in
 * `past`, and those whose completion is in `past`. */
static void execute_after(tmap_order *order, uint32_t step, const uint64_t *past) {
    uint64_t *set = set_of(order, order->fences, step);
    for (size_t i = 0; i < order->fences_n; i++) {
        uint32_t number = order->fence_steps[i];
        bool before = is_fence(&order->program->steps[number], TMAP_FENCE_TCGEN05_BEFORE);
        if (before && has_if(order, IF_RELEASED, past, number)) join(order, set, set_of(order, order->fences, number));
    }
    for (uint32_t i = 0; i < order->program->sequence->steps_n; i++) {
        const tmap_step *op = &order->program->steps[i];
        if (op->kind != TMAP_STEP_ASYNC || op->completes != TMAP_COMPLETES_TCGEN05) continue;
        if (has_if(order, IF_RELEASED, past, read_event(order, i))) add(order, set, read_event(order, i));
        if (has_if(order, IF_RELEASED, past, write_event(order, i))) add(order, set, write_event(order, i));
    }
    order->after[order->program->steps[step].thread] = step;
}

static void execute_fence(tmap_order *order, uint32_t step, uint64_t *past) {
    uint64_t *set = set_of(order, order->fences, step);
    const tmap_step *row = &order->program->steps[step];
    bool acquires = row->fence == TMAP_FENCE_TENSORMAP_ACQUIRE;
    if (row->fence == TMAP_FENCE_ACQ_REL) fence_all(order, row, past);
    bool after = row->fence == TMAP_FENCE_TCGEN05_AFTER;
    if (after) execute_after(order, step, past);
    if (!acquires && !after) join(order, set, past);
    for (size_t i = 0; acquires && i < order->fences_n; i++) {
        uint32_t number = order->fence_steps[i];
        const tmap_step *other = &order->program->steps[number];
        if (!is_fence(other, TMAP_FENCE_TENSORMAP_RELEASE) || !has(past, number)) continue;
        bool meet = fences_meet(order, other, row);
        join_if(order, meet ? AS_IT_IS : IF_REACHED, set, set_of(order, order->fences, number));
        if (!meet) order->narrow = other->scope == TMAP_REACHES_CTA ? number : step;
    }
    order->fence_steps[order->fences_n++] = step;
}

static void wait(tmap_order *order, uint32_t step) {
    const tmap_step *s = &order->program->steps[step];
    const uint64_t *past = set_of(order, order->threads, (size_t)s->thread);
    size_t barrier = 2 * (size_t)order->program->barrier_of[s->barrier];
    for (size_t remote = 0; remote < 2; remote++) {
        const uint64_t *from = set_of(order, order->complete, barrier + remote);
        bool far = reaches(s->scope, remote != 0);
        for (size_t i = 0; !far && i < order->part; i++)
            if (from[i] & ~past[i]) order->narrow = step;
        acquire(order, s, remote != 0, from);
    }
}

static void arrive(tmap_order *order, const tmap_step *step) {
    size_t barrier = 2 * (size_t)order->program->barrier_of[step->barrier];
    bool remote = order->program->sequence->regions[step->barrier].block != block_of(order, step->thread);
    release(order, step, remote, set_of(order, order->open, barrier + remote));
}

/* Adds the events of threads that have ended, and of their operations. */
static void join_ends(const tmap_order *order, uint64_t threads, uint64_t *set) {
    const tmap_sequence *s = order->program->sequence;
    for (int thread = 0; thread < s->threads_n; thread++)
        if (threads >> thread & 1) join(order, set, set_of(order, order->threads, (size_t)thread));
    for (uint32_t i = 0; i < s->steps_n; i++)
        if (threads >> s->steps[i].thread & 1) join(order, set, set_of(order, order->ops, i));
}

/* A launch and a join are fences of all proxies. */
static void launch_or_join(tmap_order *order, uint32_t step, uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    if (s->kind == TMAP_STEP_JOIN) join_ends(order, s->threads, past);
    join(order, set_of(order, order->fences, step), past);
    order->fence_steps[order->fences_n++] = step;
}

/* The first event of a launched thread follows its launch and the end of earlier threads. */
static void start(tmap_order *order, const tmap_machine *machine, int thread) {
    uint32_t launch = order->program->launch[thread];
    if (launch == UINT32_MAX || machine->next[thread] > order->program->begin[thread]) return;
    uint32_t step = order->program->order[launch];
    uint64_t *set = set_of(order, order->fences, step);
    join_ends(order, order->program->steps[step].after, set);
    join(order, set_of(order, order->threads, (size_t)thread), set);
}

static void run_step(tmap_order *order, const tmap_machine *machine, uint32_t step) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *past = set_of(order, order->threads, (size_t)s->thread);
    switch ((int)s->kind) {
    case TMAP_STEP_ALLOC:
    case TMAP_STEP_DEALLOC:
    case TMAP_STEP_ACCESS: enter_regions(order, step, step, step, PROXY_GENERIC, past); break;
    case TMAP_STEP_ASYNC: issue(order, step, past); break;
    case TMAP_STEP_COMMIT: commit(order, machine, step, past); break;
    case TMAP_STEP_WAIT_GROUP: wait_group(order, machine, step); break;
    case TMAP_STEP_INIT:
    case TMAP_STEP_INVAL:
    case TMAP_STEP_ARRIVE:
    case TMAP_STEP_WAIT: enter_barrier(order, step, step, PROXY_GENERIC, past); break; /* after the init */
    }
    if (s->kind == TMAP_STEP_WAIT) wait(order, step);
    add(order, past, step);
    if (s->kind == TMAP_STEP_LAUNCH || s->kind == TMAP_STEP_JOIN) launch_or_join(order, step, past);
    if (s->kind == TMAP_STEP_FENCE) execute_fence(order, step, past);
    if (s->kind == TMAP_STEP_ARRIVE) arrive(order, s);
}

/* complete_tx has the cluster's scope. */
static void complete(tmap_order *order, uint32_t step) {
    int region = order->program->steps[step].barrier;
    if (region < 0) return;
    size_t barrier = 2 * (size_t)order->program->barrier_of[region];
    join(order, set_of(order, order->open, barrier), set_of(order, order->ops, step));
}

/* Completes all copies of a barrier. */
static void complete_all(tmap_order *order, const tmap_machine *machine, const tmap_step *step) {
    for (uint32_t i = 0; (i = tmap_machine_unfinished(machine, i)) != UINT32_MAX; i++)
        if (tmap_step_delivers(&order->program->steps[i]) && order->program->steps[i].barrier == step->barrier)
            complete(order, i);
}

/* If copies complete only the bytes that a phase expects, and others remain, any of the copies may be incomplete. */
static bool completes_all(const tmap_order *order, const tmap_machine *machine, const tmap_event *event) {
    const tmap_step *step = &order->program->steps[event->step];
    if (event->kind != EVENT_BYTES) return event->kind == EVENT_EXCESS;
    return tmap_machine_undelivered(machine, step) == tmap_machine_barrier(machine, step)->tx_B;
}

/* ---- Events ---------------------------------------------------------------------------------------------------- */

void tmap_order_before(tmap_order *order, const tmap_machine *machine, const tmap_event *event) {
    const tmap_step *step = &order->program->steps[event->step];
    uint64_t starting = event->kind == EVENT_SYNC   ? step->threads
                        : event->kind == EVENT_STEP ? 1ULL << step->thread
                                                    : 0;
    for (int thread = 0; thread < order->program->sequence->threads_n; thread++)
        if (starting >> thread & 1) start(order, machine, thread);
    tmap_order_judge_phase(order, machine, event);
    if (event->kind == EVENT_STEP) run_step(order, machine, event->step);
    if (event->kind == EVENT_SYNC) sync(order, step, machine);
    if (event->kind == EVENT_DONE) complete(order, event->step);
    if (completes_all(order, machine, event)) complete_all(order, machine, step);
}

void tmap_order_after(tmap_order *order, const tmap_event *event) {
    if (event->phase_of >= 0) tmap_order_end_phase(order, (size_t)event->phase_of, event->step);
}

bool tmap_order_is_left(const tmap_order *order, const tmap_event_access *access) {
    const tmap_sequence *s = order->program->sequence;
    int block = s->regions[access->region].block;
    if (block < 0) return false;
    for (int thread = 0; thread < s->threads_n; thread++)
        if (block_of(order, thread) == block &&
            has_wide(order, set_of(order, order->threads, (size_t)thread), access->event))
            return false;
    return true;
}
