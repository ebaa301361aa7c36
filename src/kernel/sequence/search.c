/* sequence: runs every order of the events at barriers, depth first. */
#include "sequence/search.h"

#include <string.h>

#include "sequence/states.h"

/* EVENTS_MAX: one event for each thread, and two for each barrier. */
enum { EVENTS_MAX = 512, DEPTH_MAX = 1024, MEMORY_MAX_B = 1 << 26, WORK_MAX = 1 << 27, WORK_BRIEF = 1 << 25 };

typedef struct moment {
    tmap_machine machine;
    tmap_order order;
} moment;

typedef struct searching {
    tmap_search *out;
    tmap_arena *arena;
    tmap_states seen;
    moment *moments; /* by depth: the states of the execution in which the search chooses an event */
    int depths_n;
    int64_t work_left; /* words that may still be copied, hashed or compared */
    bool no_memory;
} searching;

/* ---- Events ---------------------------------------------------------------------------------------------------- */

/* Whether the order of a step and steps of other threads matters: the steps at barriers. */
static bool is_choice(const tmap_step *step) {
    return step->kind == TMAP_STEP_INIT || step->kind == TMAP_STEP_INVAL || step->kind == TMAP_STEP_ARRIVE ||
           step->kind == TMAP_STEP_WAIT;
}

/* Returns false if the execution ends. */
static bool run_event(searching *s, moment *now, tmap_event *event) {
    s->work_left -= (int64_t)now->order.accesses_n + (int64_t)now->order.words;
    if (!s->out->judge(s->out->context, &now->machine, event)) return false;
    tmap_order_before(&now->order, &now->machine, event);
    tmap_machine_run(&now->machine, event);
    tmap_order_after(&now->order, event);
    return true;
}

/* The next event of a thread, or of an operation, that commutes with all others. */
static bool next_local(const moment *now, tmap_event *event) {
    const tmap_program *program = now->machine.program;
    for (int thread = 0; thread < program->sequence->threads_n; thread++) {
        uint32_t at = tmap_machine_at(&now->machine, thread);
        if (at == UINT32_MAX || is_choice(&program->steps[at]) || !tmap_machine_can_step(&now->machine, thread))
            continue;
        *event = tmap_machine_thread_event(&now->machine, thread);
        return true;
    }
    for (uint32_t i = 0; (i = tmap_machine_unfinished(&now->machine, i)) != UINT32_MAX; i++) {
        if (program->steps[i].kind == TMAP_STEP_COMMIT || tmap_step_delivers(&program->steps[i])) continue;
        *event = tmap_machine_op_event(&now->machine, i);
        return true;
    }
    return false;
}

static bool settle(searching *s, moment *now) {
    tmap_event event;
    while (s->work_left > 0 && next_local(now, &event))
        if (!run_event(s, now, &event)) return false;
    return true;
}

/* The bytes of copies at a barrier whose phase lacks nothing else. */
static size_t list_bytes(const moment *now, int barrier, tmap_event *events) {
    const tmap_program *program = now->machine.program;
    const tmap_mbarrier *state = &now->machine.barriers[barrier];
    uint32_t copy = 0;
    size_t n = 0;
    if (!state->ready || state->pending > 0 || state->tx_B <= 0) return 0;
    for (; (copy = tmap_machine_unfinished(&now->machine, copy)) != UINT32_MAX; copy++) {
        const tmap_step *step = &program->steps[copy];
        if (tmap_step_delivers(step) && program->barrier_of[step->barrier] == barrier) break;
    }
    if (copy == UINT32_MAX) return 0;
    int64_t bytes = tmap_machine_undelivered(&now->machine, &program->steps[copy]);
    if (bytes >= state->tx_B) events[n++] = (tmap_event){.kind = EVENT_BYTES, .step = copy};
    if (bytes > state->tx_B) events[n++] = (tmap_event){.kind = EVENT_EXCESS, .step = copy};
    return n;
}

static size_t list_choices(const moment *now, tmap_event events[EVENTS_MAX]) {
    const tmap_program *program = now->machine.program;
    size_t n = 0;
    for (int thread = 0; thread < program->sequence->threads_n; thread++)
        if (tmap_machine_can_step(&now->machine, thread))
            events[n++] = tmap_machine_thread_event(&now->machine, thread);
    for (int barrier = 0; barrier < program->barriers_n && n + 2 < EVENTS_MAX; barrier++)
        n += list_bytes(now, barrier, events + n);
    for (uint32_t i = 0; n < EVENTS_MAX && (i = tmap_machine_unfinished(&now->machine, i)) != UINT32_MAX; i++)
        if (program->steps[i].kind == TMAP_STEP_COMMIT && tmap_machine_commit_complete(&now->machine, i))
            events[n++] = (tmap_event){.kind = EVENT_DONE, .step = i};
    return n;
}

/* If nothing else is possible: the bytes that no phase has expected yet. */
static size_t list_last_bytes(const moment *now, tmap_event *event) {
    const tmap_program *program = now->machine.program;
    for (uint32_t i = 0; (i = tmap_machine_unfinished(&now->machine, i)) != UINT32_MAX; i++) {
        if (!tmap_step_delivers(&program->steps[i])) continue;
        *event = (tmap_event){.kind = EVENT_EXCESS, .step = i};
        return 1;
    }
    return 0;
}

/* Whether an arrival ends a phase that expects no bytes, while copies may have completed some. */
static bool may_be_early(const moment *now, const tmap_event *event) {
    const tmap_step *step = &now->machine.program->steps[event->step];
    bool arrives = step->kind == TMAP_STEP_ARRIVE || event->kind == EVENT_DONE;
    if (!arrives) return false;
    const tmap_mbarrier *barrier = tmap_machine_barrier(&now->machine, step);
    int64_t count = (int64_t)tmap_step_arrivals(step);
    return barrier->pending == count && barrier->tx_B + (int64_t)step->tx_B == 0 &&
           tmap_machine_undelivered(&now->machine, step) > 0;
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

static bool enter(searching *s, const moment *now) {
    const tmap_order *order = &now->order;
    size_t threads_n = (size_t)now->machine.program->sequence->threads_n;
    uint64_t hash = tmap_states_hash(1, now->machine.barriers, now->machine.size);
    hash = tmap_states_hash(hash, order->sets, order->sets_n * sizeof *order->sets);
    hash = tmap_states_hash(hash, order->after, threads_n * sizeof *order->after);
    s->work_left -= (int64_t)order->sets_n;
    return tmap_states_enter(&s->seen, hash);
}

static bool make_moment(searching *s, moment *now) {
    if (now->machine.program) return true;
    s->no_memory = !tmap_machine_make(&now->machine, s->out->program, s->arena) ||
                   !tmap_order_make(&now->order, s->out->program, s->arena);
    now->order.context = s->out->context;
    now->order.found = s->out->found;
    return !s->no_memory;
}

static void copy_moment(moment *to, const moment *from) {
    memcpy(to->machine.barriers, from->machine.barriers, from->machine.size);
    tmap_order_copy(&to->order, &from->order);
}

static void find_hang(const searching *s, const moment *now) {
    for (int thread = 0; thread < s->out->program->sequence->threads_n; thread++) {
        uint32_t at = tmap_machine_at(&now->machine, thread);
        if (at == UINT32_MAX || tmap_machine_is_held(&now->machine, thread)) continue;
        s->out->hangs(s->out->context, &now->machine, at);
        return;
    }
}

static void visit(searching *s, int depth);

/* `early`: copies complete all their bytes before the event. */
static void visit_after(searching *s, int depth, tmap_event event, bool early) {
    if (depth + 1 == s->depths_n || s->work_left <= 0) {
        s->out->all = false;
        return;
    }
    moment *next = &s->moments[depth + 1];
    if (!make_moment(s, next)) return;
    copy_moment(next, &s->moments[depth]);
    s->work_left -= (int64_t)next->order.sets_n;
    tmap_event excess = {.kind = EVENT_EXCESS, .step = event.step};
    if (early) tmap_machine_run(&next->machine, &excess);
    if (run_event(s, next, &event) && settle(s, next)) visit(s, depth + 1);
}

static void visit(searching *s, int depth) {
    tmap_event events[EVENTS_MAX];
    moment *now = &s->moments[depth];
    if (!enter(s, now)) return;
    size_t n = list_choices(now, events);
    if (n == 0) n = list_last_bytes(now, events);
    if (n == 0) find_hang(s, now);
    for (size_t i = 0; i < n && !s->no_memory; i++) {
        visit_after(s, depth, events[i], false);
        if (may_be_early(now, &events[i])) visit_after(s, depth, events[i], true);
    }
}

static size_t size_of(const moment *now) {
    return now->machine.size + now->order.sets_n * sizeof(uint64_t) +
           now->machine.program->sequence->steps_n * TMAP_SEQUENCE_READS_MAX * sizeof(tmap_event_access);
}

bool tmap_search_run(tmap_search *search, tmap_arena *arena) {
    searching s = {.out = search, .arena = arena, .work_left = search->is_brief ? WORK_BRIEF : WORK_MAX};
    search->all = true;
    s.seen.table = tmap_arena_array(arena, TMAP_STATES_TABLE, sizeof *s.seen.table);
    s.moments = tmap_arena_array(arena, DEPTH_MAX, sizeof *s.moments);
    if (!s.seen.table || !s.moments || !make_moment(&s, s.moments)) return false;
    size_t depths = MEMORY_MAX_B / size_of(s.moments);
    s.depths_n = depths < 2 ? 2 : depths > DEPTH_MAX ? DEPTH_MAX : (int)depths;
    if (settle(&s, s.moments)) visit(&s, 0);
    search->states_n = s.seen.n;
    search->all &= !s.seen.full && s.work_left > 0;
    return !s.no_memory;
}
