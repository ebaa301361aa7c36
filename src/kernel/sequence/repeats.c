/*
 * sequence: whether the states of an execution repeat with the rounds of its loops. If they do, the sequence with any
 * number of periods more has the same findings:
 *
 * The steps of a loop repeat after a period, from `loop_begin` to `loop_end` of each thread. At the first step of a
 * period, the state is what determines all later events: where the threads, barriers, groups and operations are, and
 * which events the threads, the phases, the operations and the fences have in their sets. An event is known by its
 * distance from its thread's next step, or by its number before the second period of the loop. Events that are older
 * than DEPTH periods are in the state only as a kind: each set must have all events of a step or none, as one period
 * later. The machine is deterministic, and a set changes only by unions and by new events. So if three successive
 * states are equal, the steps between two of them may be executed any number of times, each time with the same state
 * at the end, and the steps after the loop find the state that they find here.
 *
 * Each pair of accesses then has a pair here with the same verdict: the same later step, in its period or after the
 * loop, and the earlier step at the same distance, or at the largest distance of its kind. A fence between the two has
 * the same events as here; a fence that is older than EFFECTS periods has fewer events than that of the period after.
 * That one execution shows all others is also a comparison of sets (phases.c).
 */
#include "sequence/repeats.h"

#include "sequence/sets.h"
#include "sequence/states.h"

/* In periods before the next step of a thread. The effect of a step older than EFFECTS adds nothing to that of the step
 * a period later but old events. The sets of an effect end up to a period before it. */
enum { EFFECTS = 2, DEPTH = EFFECTS + 2 };

typedef struct reading {
    const tmap_machine *machine;
    const tmap_order *order;
    uint64_t hash;
    bool uniform;
} reading;

static void put(reading *r, uint64_t word) {
    r->hash = tmap_states_hash(r->hash, &word, sizeof word);
}

static const tmap_sequence_thread *lead_of(const reading *r, int thread) {
    return &r->order->program->sequence->threads[thread];
}

static uint32_t done_by(const reading *r, int thread) {
    return r->machine->next[thread] - r->order->program->begin[thread];
}

static uint32_t step_at(const reading *r, int thread, uint32_t at) {
    return r->order->program->order[r->order->program->begin[thread] + at];
}

/* The first step of a thread that is known by its place before the next step: after the first period. */
static uint32_t first_of(const reading *r, int thread) {
    const tmap_sequence_thread *lead = lead_of(r, thread);
    return lead->period ? lead->loop_begin + lead->period : done_by(r, thread);
}

static bool is_old(const reading *r, int thread, uint32_t at, uint32_t periods) {
    return at >= first_of(r, thread) && at < done_by(r, thread) - periods * lead_of(r, thread)->period;
}

/* The three events of a step in all parts of a set. */
static uint64_t bits_of(const reading *r, const uint64_t *set, uint32_t step) {
    const uint32_t steps_n = (uint32_t)r->order->program->sequence->steps_n;
    uint64_t bits = 0;
    for (size_t part = 0; part < r->order->words; part += r->order->part)
        for (uint32_t i = 0; i < 3; i++) bits = bits << 1 | has(set + part, step + i * steps_n);
    return bits;
}

static void put_set(reading *r, const uint64_t *set) {
    for (int thread = 0; thread < r->order->program->sequence->threads_n; thread++) {
        uint32_t period = lead_of(r, thread)->period;
        uint64_t word = 0;
        for (uint32_t at = 0; at < done_by(r, thread); at++) {
            uint64_t bits = bits_of(r, set, step_at(r, thread, at));
            bool old = is_old(r, thread, at, DEPTH);
            if (old) r->uniform &= bits == bits_of(r, set, step_at(r, thread, at + period));
            if (!old) word = (word * 0x9e3779b97f4a7c15) ^ (word >> 29) ^ bits;
        }
        put(r, word);
    }
}

static bool is_grouped(const tmap_step *step) {
    return step->kind == TMAP_STEP_ASYNC && step->completes != TMAP_COMPLETES_TX &&
           step->completes != TMAP_COMPLETES_TCGEN05;
}

/* The operation of a step, or its fence. */
static void put_effect(reading *r, int thread, uint32_t at) {
    uint32_t step = step_at(r, thread, at), group = r->machine->groups[step];
    const tmap_step *row = &r->order->program->steps[step];
    bool old = is_old(r, thread, at, EFFECTS), op = r->machine->ops[step] != OP_NONE;
    if (old) r->uniform &= !op || (r->machine->ops[step] == OP_DONE && (!is_grouped(row) || group > 0));
    if (old) return;
    put(r, r->machine->ops[step]);
    bool early = lead_of(r, thread)->period > 0 && at < first_of(r, thread);
    put(r, group == 0 ? UINT64_MAX : early ? 0 : *tmap_machine_groups(r->machine, row) - group);
    if (op) put_set(r, set_of(r->order, r->order->ops, step));
    if (row->kind == TMAP_STEP_FENCE || row->kind == TMAP_STEP_SYNC || row->kind >= TMAP_STEP_LAUNCH)
        put_set(r, set_of(r->order, r->order->fences, step));
}

/* Whether a wait leaves only groups of the last period incomplete. */
static bool is_recent(const reading *r, int thread, const tmap_step *wait) {
    const uint32_t end = done_by(r, thread);
    uint32_t groups = 0;
    for (uint32_t at = end - lead_of(r, thread)->period; at < end; at++) {
        const tmap_step *step = &r->order->program->steps[step_at(r, thread, at)];
        groups += step->kind == TMAP_STEP_COMMIT && step->barrier < 0 && step->completes == wait->completes;
    }
    return wait->pending <= groups;
}

static void put_thread(reading *r, int thread, uint32_t round) {
    const tmap_sequence_thread *lead = lead_of(r, thread);
    const uint32_t done = done_by(r, thread), after = r->order->after[thread];
    const uint32_t at = after == UINT32_MAX ? 0 : after - step_at(r, thread, 0);
    put(r, done - round * lead->period);
    put(r, after == UINT32_MAX ? after : at < first_of(r, thread) ? at : at - done);
    for (uint32_t i = 0; i < done; i++) put_effect(r, thread, i);
    for (uint32_t i = done - lead->period; i < done; i++) {
        const tmap_step *step = &r->order->program->steps[step_at(r, thread, i)];
        r->uniform &= step->kind != TMAP_STEP_WAIT_GROUP || is_recent(r, thread, step);
    }
}

static void put_barriers(reading *r) {
    for (int i = 0; i < r->order->program->barriers_n; i++) {
        tmap_mbarrier state = r->machine->barriers[i];
        if (state.phases > 1) state.phases = 2 + (state.phases & 1);
        r->hash = tmap_states_hash(r->hash, &state, sizeof state);
    }
}

/* Whether each thread is in its loop, and all periods that the state compares are executed. */
static bool is_inside(const reading *r) {
    for (int thread = 0; thread < r->order->program->sequence->threads_n; thread++) {
        const tmap_sequence_thread *lead = lead_of(r, thread);
        uint32_t least = lead->loop_begin + (DEPTH + 1) * lead->period, done = done_by(r, thread);
        if (lead->period && (done < least || done > lead->loop_end)) return false;
    }
    return true;
}

static uint64_t hash_state(const tmap_machine *machine, const tmap_order *order, uint32_t round) {
    reading r = {machine, order, 1, true};
    if (!is_inside(&r)) return 0;
    put_barriers(&r);
    for (const uint64_t *set = order->sets; set < order->ops; set += order->words) put_set(&r, set);
    for (int thread = 0; thread < order->program->sequence->threads_n && r.uniform; thread++)
        put_thread(&r, thread, round);
    return r.uniform ? r.hash : 0;
}

void tmap_repeats_note(tmap_repeats *repeats, tmap_machine *machine, const tmap_order *order) {
    const tmap_sequence *sequence = order->program->sequence;
    int leader = 0;
    while (leader < sequence->threads_n && sequence->threads[leader].period == 0) leader++;
    if (leader == sequence->threads_n || repeats->found) return;
    const tmap_sequence_thread *lead = &sequence->threads[leader];
    uint32_t done = machine->next[leader] - order->program->begin[leader], in_loop = done - lead->loop_begin;
    if (done < lead->loop_begin || in_loop % lead->period || in_loop / lead->period == repeats->period) return;
    repeats->period = in_loop / lead->period;
    uint64_t hash = hash_state(machine, order, repeats->period);
    repeats->equal_n = hash == 0 ? 0 : hash == repeats->hash && repeats->equal_n > 0 ? repeats->equal_n + 1 : 1;
    repeats->hash = hash;
    repeats->found = repeats->equal_n == 3;
    for (int i = 0; i < order->program->barriers_n; i++) {
        uint32_t *phases = &machine->barriers[i].phases, before = repeats->phases[i];
        repeats->phases[i] = *phases;
        if (repeats->found) *phases += (*phases - before) * lead->missing;
    }
}
