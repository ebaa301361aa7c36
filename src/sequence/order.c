/*
 * sequence: which event happens before which one. Source: PTX ISA 9.1, Memory Consistency Model: causality order is
 * built from program order and synchronisation; two accesses by different proxies are ordered only where a proxy fence
 * lies between them in that order. cp.async.bulk: its completion is followed by an implicit generic-async proxy fence,
 * so that what a thread waited for is ordered for both proxies. A read before a write needs an order, and no fence: the
 * write cannot change what was read. mbarrier operations release and acquire unless they say otherwise.
 */
#include "sequence/order.h"

#include <string.h>

/* ---- Sets ----------------------------------------------------------------------------------------------------- */

static uint64_t *set_of(const tmap_order *order, uint64_t *sets, size_t i) {
    return sets + i * order->words;
}

static bool has(const uint64_t *set, uint32_t event) {
    return set[event / 64] >> event % 64 & 1;
}

static void add(uint64_t *set, uint32_t event) {
    set[event / 64] |= 1ULL << event % 64;
}

static void join(const tmap_order *order, uint64_t *set, const uint64_t *other) {
    for (size_t i = 0; i < order->words; i++) set[i] |= other[i];
}

static uint32_t read_event(const tmap_order *order, uint32_t step) {
    return (uint32_t)order->program->sequence->steps_n + step;
}

static uint32_t write_event(const tmap_order *order, uint32_t step) {
    return 2 * (uint32_t)order->program->sequence->steps_n + step;
}

bool tmap_order_make(tmap_order *order, const tmap_program *program, tmap_arena *arena) {
    const tmap_sequence *s = program->sequence;
    size_t most_accesses = s->steps_n * 10 + 1; /* 4 reads, 4 writes, a map, a barrier */
    *order = (tmap_order){.program = program, .words = (3 * s->steps_n + 63) / 64};
    size_t set_B = (order->words + 1) * sizeof(uint64_t);
    order->threads = tmap_arena_array(arena, (size_t)s->threads_n + 1, set_B);
    order->ops = tmap_arena_array(arena, s->steps_n + 1, set_B);
    order->fences = tmap_arena_array(arena, s->steps_n + 1, set_B);
    order->fence_steps = tmap_arena_array(arena, s->steps_n + 1, sizeof *order->fence_steps);
    order->open = tmap_arena_array(arena, (size_t)program->barriers_n + 1, set_B);
    order->complete = tmap_arena_array(arena, (size_t)program->barriers_n + 1, set_B);
    order->accesses = tmap_arena_array(arena, most_accesses, sizeof *order->accesses);
    return order->threads && order->ops && order->fences && order->fence_steps && order->open && order->complete &&
           order->accesses;
}

/* ---- Pairs of accesses ---------------------------------------------------------------------------------------- */

/* A fence after the event `earlier` and before what `past` holds; an acquire of the map where `map` is not -1. */
static bool fenced(const tmap_order *order, tmap_step_fence fence, int map, uint32_t earlier, const uint64_t *past) {
    for (size_t i = 0; i < order->fences_n; i++) {
        uint32_t step = order->fence_steps[i];
        const tmap_step *row = &order->program->steps[step];
        if (row->fence != fence || !has(past, step) || !has(set_of(order, order->fences, step), earlier)) continue;
        bool other = map >= 0 && row->map >= 0 && tmap_program_overlap(order->program, row->map, map) == APART;
        if (!other) return true;
    }
    return false;
}

static tmap_pair_fault judge_map(const tmap_order *order, const tmap_event_access *earlier, const uint64_t *past,
                                 int map) {
    if (!fenced(order, TMAP_FENCE_TENSORMAP_RELEASE, -1, earlier->event, past)) return PAIR_NO_RELEASE;
    return fenced(order, TMAP_FENCE_TENSORMAP_ACQUIRE, map, earlier->event, past) ? PAIR_GOOD : PAIR_NO_ACQUIRE;
}

static tmap_pair_fault judge_pair(const tmap_order *order, const tmap_event_access *earlier,
                                  const tmap_event_access *later, const uint64_t *past) {
    if (!has(past, earlier->event)) return PAIR_NO_ORDER;
    if (!earlier->writes || earlier->proxy == later->proxy || earlier->proxy == PROXY_ASYNC) return PAIR_GOOD;
    if (later->proxy == PROXY_TENSORMAP) return judge_map(order, earlier, past, later->region);
    if (later->proxy != PROXY_ASYNC) return PAIR_GOOD;
    if (fenced(order, TMAP_FENCE_PROXY_ASYNC, -1, earlier->event, past)) return PAIR_GOOD;
    if (!later->atomic) return PAIR_NO_ASYNC_FENCE;
    return fenced(order, TMAP_FENCE_MBARRIER_INIT, -1, earlier->event, past) ? PAIR_GOOD : PAIR_NO_INIT_FENCE;
}

/* Holds an access against all earlier ones; `past` is what happens before it. */
static void enter(tmap_order *order, tmap_event_access access, const uint64_t *past) {
    for (size_t i = 0; i < order->accesses_n; i++) {
        const tmap_event_access *earlier = &order->accesses[i];
        if ((!earlier->writes && !access.writes) || (earlier->atomic && access.atomic)) continue;
        if (earlier->step == access.step && earlier->proxy == access.proxy) continue;
        if (tmap_program_overlap(order->program, earlier->region, access.region) == APART) continue;
        order->pairs_n++;
        tmap_pair_fault fault = judge_pair(order, earlier, &access, past);
        if (fault != PAIR_GOOD) order->found(order->context, fault, earlier, &access);
    }
    order->accesses[order->accesses_n++] = access;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

static void enter_barrier(tmap_order *order, uint32_t step, uint32_t event, tmap_proxy proxy, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    bool init = s->kind == TMAP_STEP_INIT;
    if (s->barrier >= 0) enter(order, (tmap_event_access){event, step, s->barrier, proxy, true, !init}, past);
}

static void enter_regions(tmap_order *order, uint32_t step, uint32_t reading, uint32_t writing, tmap_proxy proxy,
                          const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    for (int i = 0; i < s->reads_n; i++)
        enter(order, (tmap_event_access){reading, step, s->reads[i], proxy, false, false}, past);
    for (int i = 0; i < s->writes_n; i++)
        enter(order, (tmap_event_access){writing, step, s->writes[i], proxy, true, s->atomic}, past);
}

/* An operation begins when its step is executed, and happens at any time from then on. */
static void issue(tmap_order *order, uint32_t step, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *op = set_of(order, order->ops, step);
    join(order, op, past);
    add(op, step);
    uint32_t reading = read_event(order, step), writing = write_event(order, step);
    if (s->map >= 0) enter(order, (tmap_event_access){reading, step, s->map, PROXY_TENSORMAP, false, false}, op);
    enter_regions(order, step, reading, writing, PROXY_ASYNC, op);
    if (s->kind == TMAP_STEP_ASYNC) enter_barrier(order, step, writing, PROXY_ASYNC, op);
    add(op, reading);
    add(op, writing);
}

/* A tcgen05.commit arrives after the operations of its thread so far. */
static void commit(tmap_order *order, const tmap_machine *machine, uint32_t step, const uint64_t *past) {
    const tmap_step *s = &order->program->steps[step];
    if (s->completes != TMAP_COMPLETES_TCGEN05) return;
    uint64_t *op = set_of(order, order->ops, step);
    join(order, op, past);
    for (uint32_t i = 0; i < order->program->sequence->steps_n; i++) {
        const tmap_step *before = &order->program->steps[i];
        bool waits = before->kind == TMAP_STEP_ASYNC && before->thread == s->thread &&
                     before->completes == TMAP_COMPLETES_TCGEN05 && machine->ops[i] != OP_NONE;
        if (waits) join(order, op, set_of(order, order->ops, i));
    }
    add(op, step);
    enter_barrier(order, step, write_event(order, step), PROXY_ASYNC, op);
    add(op, write_event(order, step));
}

static void wait_group(tmap_order *order, const tmap_machine *machine, uint32_t step) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *past = set_of(order, order->threads, (size_t)s->thread);
    for (uint32_t op = 0; op < order->program->sequence->steps_n; op++) {
        if (!tmap_machine_waits_for(machine, s, op)) continue;
        bool written = has(past, write_event(order, op));
        join(order, past, set_of(order, order->ops, op));
        uint32_t writing = write_event(order, op);
        if (s->reads_only && !written) past[writing / 64] &= ~(1ULL << writing % 64);
    }
}

static void sync(tmap_order *order, const tmap_step *step, const tmap_machine *machine) {
    int threads_n = order->program->sequence->threads_n;
    uint64_t *all = NULL;
    for (int round = 0; round < 2; round++) {
        for (int thread = 0; thread < threads_n; thread++) {
            if (!(step->threads >> thread & 1)) continue;
            uint64_t *past = set_of(order, order->threads, (size_t)thread);
            if (round == 0) add(past, tmap_machine_at(machine, thread));
            if (!all) all = past;
            if (round == 0) join(order, all, past);
            if (round == 1) join(order, past, all);
        }
    }
}

static void execute_fence(tmap_order *order, uint32_t step, const uint64_t *past) {
    uint64_t *set = set_of(order, order->fences, step);
    bool acquires = order->program->steps[step].fence == TMAP_FENCE_TENSORMAP_ACQUIRE;
    if (!acquires) join(order, set, past);
    for (size_t i = 0; acquires && i < order->fences_n; i++) {
        uint32_t release = order->fence_steps[i];
        if (order->program->steps[release].fence == TMAP_FENCE_TENSORMAP_RELEASE && has(past, release))
            join(order, set, set_of(order, order->fences, release));
    }
    order->fence_steps[order->fences_n++] = step;
}

static void run_step(tmap_order *order, const tmap_machine *machine, uint32_t step) {
    const tmap_step *s = &order->program->steps[step];
    uint64_t *past = set_of(order, order->threads, (size_t)s->thread);
    switch (s->kind) {
    case TMAP_STEP_ACCESS: enter_regions(order, step, step, step, PROXY_GENERIC, past); break;
    case TMAP_STEP_ASYNC: issue(order, step, past); break;
    case TMAP_STEP_COMMIT: commit(order, machine, step, past); break;
    case TMAP_STEP_WAIT_GROUP: wait_group(order, machine, step); break;
    case TMAP_STEP_INIT:
    case TMAP_STEP_ARRIVE: enter_barrier(order, step, step, PROXY_GENERIC, past); break;
    case TMAP_STEP_WAIT:
        enter_barrier(order, step, step, PROXY_GENERIC, past); /* ordered behind the init before it waits */
        join(order, past, set_of(order, order->complete, (size_t)order->program->barrier_of[s->barrier]));
        break;
    case TMAP_STEP_FENCE:
    case TMAP_STEP_SYNC: break;
    }
    add(past, step);
    if (s->kind == TMAP_STEP_FENCE) execute_fence(order, step, past);
    if (s->kind == TMAP_STEP_ARRIVE)
        join(order, set_of(order, order->open, (size_t)order->program->barrier_of[s->barrier]), past);
}

void tmap_order_before(tmap_order *order, const tmap_machine *machine, const tmap_event *event) {
    const tmap_step *step = &order->program->steps[event->step];
    if (event->kind == EVENT_STEP) run_step(order, machine, event->step);
    if (event->kind == EVENT_SYNC) sync(order, step, machine);
    if (event->kind == EVENT_DONE && step->barrier >= 0) {
        size_t barrier = (size_t)order->program->barrier_of[step->barrier];
        join(order, set_of(order, order->open, barrier), set_of(order, order->ops, event->step));
    }
}

void tmap_order_after(tmap_order *order, const tmap_event *event) {
    if (event->phase_of < 0) return;
    size_t barrier = (size_t)event->phase_of;
    join(order, set_of(order, order->complete, barrier), set_of(order, order->open, barrier));
}

void tmap_order_end(tmap_order *order, void *context, void (*left)(void *context, const tmap_event_access *access)) {
    const tmap_sequence *s = order->program->sequence;
    for (size_t i = 0; i < order->accesses_n; i++) {
        const tmap_event_access *access = &order->accesses[i];
        bool known = !s->regions[access->region].of_block;
        for (int thread = 0; thread < s->threads_n && !known; thread++)
            known = has(set_of(order, order->threads, (size_t)thread), access->event);
        if (!known) left(context, access);
    }
}
