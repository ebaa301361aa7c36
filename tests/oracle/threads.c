#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_LOG2 = 20, STATES_MAX = 1 << 18 };

/* What happens before an event, in causality order: the first `steps` actions of each thread, and the reads and the
 * writes of copies (one bit for each copy). */
typedef struct past {
    uint8_t steps[ORACLE_THREADS];
    uint8_t reads, writes;
} past;

/*
 * An mbarrier. All operations on the object are atomic read-modify-writes, so observation order continues from the
 * releases of one phase to the next; but a wait promises only the order of the completed phase.
 */
typedef struct barrier {
    int8_t pending;
    int8_t tx; /* pieces expected and not complete */
    uint8_t phase;
    past arrived, completed;
} barrier;

/* A store always completes, so a wait for its group always ends: only the order that the wait gives matters. */
typedef struct copy {
    uint8_t issued, group, pieces_left;
    past before;
} copy;

typedef struct world {
    uint8_t at[ORACLE_THREADS], groups[ORACLE_THREADS];
    past threads[ORACLE_THREADS];
    barrier barriers[ORACLE_BARRIERS];
    copy copies[ORACLE_COPIES];
    past fences[ORACLE_FENCES];
} world;

/* A copy or a fence: its thread, and its index among the actions of the thread. */
typedef struct place {
    int thread, index;
} place;

typedef struct run {
    const oracle_kernel *kernel;
    oracle_faults faults;
    place copies[ORACLE_COPIES], fences[ORACLE_FENCES];
    int copies_n, fences_n;
    int number[ORACLE_THREADS][ORACLE_ACTIONS]; /* of a copy or of a fence */
} run;

/* One access of memory; `copy` is -1 for accesses by the generic proxy. */
typedef struct access {
    place where;
    int copy;
    bool writes;
} access;

/* ---- States visited before ------------------------------------------------------------------------------------- */

typedef struct hash {
    uint64_t one, two;
} hash;

static hash table[1 << TABLE_LOG2];
static uint32_t used[STATES_MAX], used_n;

static hash hash_of(const world *w) {
    hash h = {14695981039346656037u, 0x9e3779b97f4a7c15u};
    const uint8_t *bytes = (const uint8_t *)w;
    for (size_t i = 0; i < sizeof *w; i++) {
        h.one = (h.one ^ bytes[i]) * 1099511628211u;
        h.two = (h.two + bytes[i] + 1) * 0xff51afd7ed558ccdu;
        h.two ^= h.two >> 29;
    }
    h.one |= 1;
    return h;
}

static bool is_new_state(run *r, const world *w) {
    hash h = hash_of(w);
    uint32_t at = (uint32_t)(h.two >> 40) & ((1u << TABLE_LOG2) - 1);
    for (; table[at].one; at = (at + 1) & ((1u << TABLE_LOG2) - 1))
        if (table[at].one == h.one && table[at].two == h.two) return false;
    if (used_n == STATES_MAX) {
        r->faults.all = false;
        return false;
    }
    table[at] = h;
    used[used_n++] = at;
    return true;
}

static void forget_states(void) {
    for (uint32_t i = 0; i < used_n; i++) table[used[i]] = (hash){0, 0};
    used_n = 0;
}

/* ---- Causality order ------------------------------------------------------------------------------------------- */

static void join(past *to, const past *from) {
    for (int i = 0; i < ORACLE_THREADS; i++)
        if (from->steps[i] > to->steps[i]) to->steps[i] = from->steps[i];
    to->reads |= from->reads;
    to->writes |= from->writes;
}

static bool contains(const past *p, const access *a) {
    if (a->copy < 0) return p->steps[a->where.thread] > a->where.index;
    return (a->writes ? p->writes : p->reads) >> a->copy & 1;
}

/* Whether a proxy fence is between an access and the event with the past `later`. */
static bool is_fenced(const run *r, const world *w, const access *earlier, const past *later) {
    for (int i = 0; i < r->fences_n; i++) {
        const place *fence = &r->fences[i];
        bool executed = w->at[fence->thread] > fence->index;
        if (executed && later->steps[fence->thread] > fence->index && contains(&w->fences[i], earlier)) return true;
    }
    return false;
}

static bool accesses(const oracle_action *a) {
    return a->kind <= ORACLE_STORE;
}

/* Compares an access with all accesses that were executed or issued before. */
static void judge(run *r, const world *w, const access *later, const past *before) {
    const oracle_action *own = &r->kernel->actions[later->where.thread][later->where.index];
    for (int thread = 0; thread < r->kernel->threads_n; thread++)
        for (int i = 0; i < w->at[thread]; i++) {
            const oracle_action *other = &r->kernel->actions[thread][i];
            if (!accesses(other) || other->buffer != own->buffer) continue;
            bool copies = other->kind == ORACLE_LOAD || other->kind == ORACLE_STORE;
            access earlier = {{thread, i},
                              copies ? r->number[thread][i] : -1,
                              other->kind == ORACLE_WRITE || other->kind == ORACLE_LOAD};
            if (!earlier.writes && !later->writes) continue;
            if (!contains(before, &earlier))
                r->faults.race = true;
            else if (earlier.copy < 0 && later->copy >= 0 && !is_fenced(r, w, &earlier, before))
                r->faults.unfenced = true;
        }
}

/* ---- Barriers -------------------------------------------------------------------------------------------------- */

static void end_phase(const run *r, world *w, int number) {
    barrier *b = &w->barriers[number];
    if (b->pending != 0 || b->tx != 0) return;
    b->phase ^= 1;
    b->pending = (int8_t)r->kernel->expected[number];
    join(&b->completed, &b->arrived);
}

/* Returns false at an arrival too many. */
static bool arrive(run *r, world *w, const oracle_action *a, const past *before) {
    barrier *b = &w->barriers[a->barrier];
    if (a->count > b->pending) {
        r->faults.over_arrival = true;
        return false;
    }
    b->tx = (int8_t)(b->tx + a->pieces);
    b->pending = (int8_t)(b->pending - a->count);
    join(&b->arrived, before);
    end_phase(r, w, a->barrier);
    return true;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static bool all_are_there(const run *r, const world *w) {
    for (int i = 0; i < r->kernel->threads_n; i++)
        if (w->at[i] >= r->kernel->actions_n[i] || r->kernel->actions[i][w->at[i]].kind != ORACLE_SYNC) return false;
    return true;
}

static bool can_step(const run *r, const world *w, int thread) {
    if (w->at[thread] >= r->kernel->actions_n[thread]) return false;
    const oracle_action *a = &r->kernel->actions[thread][w->at[thread]];
    if (a->kind == ORACLE_WAIT) return w->barriers[a->barrier].phase != a->parity;
    return a->kind != ORACLE_SYNC || (thread == 0 && all_are_there(r, w));
}

static void wait_group(const run *r, world *w, int thread, const oracle_action *a) {
    for (int i = 0; i < r->copies_n; i++) {
        const copy *c = &w->copies[i];
        if (r->copies[i].thread != thread || !c->issued || c->group == 0) continue;
        if (w->groups[thread] - c->group < a->pending) continue;
        w->threads[thread].reads |= (uint8_t)(1 << i);
        if (!a->reads) w->threads[thread].writes |= (uint8_t)(1 << i);
    }
}

static void issue(run *r, world *w, int thread, int index, const oracle_action *a) {
    int number = r->number[thread][index];
    access own = {{thread, index}, number, a->kind == ORACLE_LOAD};
    judge(r, w, &own, &w->threads[thread]);
    copy *c = &w->copies[number];
    *c = (copy){.issued = 1, .pieces_left = (uint8_t)a->pieces, .before = w->threads[thread]};
}

static void commit(const run *r, world *w, int thread) {
    w->groups[thread]++;
    for (int i = 0; i < r->copies_n; i++) {
        place at = r->copies[i];
        bool store = r->kernel->actions[at.thread][at.index].kind == ORACLE_STORE;
        if (at.thread == thread && store && w->copies[i].issued && w->copies[i].group == 0)
            w->copies[i].group = w->groups[thread];
    }
}

static void meet(const run *r, world *w) {
    past all = {{0}, 0, 0};
    for (int i = 0; i < r->kernel->threads_n; i++) {
        w->threads[i].steps[i] = ++w->at[i];
        join(&all, &w->threads[i]);
    }
    for (int i = 0; i < r->kernel->threads_n; i++) w->threads[i] = all;
}

/* Executes the next action of a thread. Returns false if the execution ends here. */
static bool step(run *r, world *w, int thread) {
    int index = w->at[thread];
    const oracle_action *a = &r->kernel->actions[thread][index];
    access own = {{thread, index}, -1, a->kind == ORACLE_WRITE};
    if (a->kind == ORACLE_SYNC) {
        meet(r, w);
        return true;
    }
    if (a->kind == ORACLE_READ || a->kind == ORACLE_WRITE) judge(r, w, &own, &w->threads[thread]);
    if (a->kind == ORACLE_LOAD || a->kind == ORACLE_STORE) issue(r, w, thread, index, a);
    if (a->kind == ORACLE_COMMIT) commit(r, w, thread);
    if (a->kind == ORACLE_WAIT_GROUP) wait_group(r, w, thread, a);
    w->threads[thread].steps[thread] = ++w->at[thread];
    if (a->kind == ORACLE_FENCE) w->fences[r->number[thread][index]] = w->threads[thread];
    if (a->kind == ORACLE_WAIT) join(&w->threads[thread], &w->barriers[a->barrier].completed);
    if (a->kind == ORACLE_LATE_ARRIVE)
        w->copies[r->number[thread][index]] = (copy){.issued = 1, .pieces_left = 1, .before = w->threads[thread]};
    return a->kind != ORACLE_ARRIVE || arrive(r, w, a, &w->threads[thread]);
}

/* complete_tx of some pieces of a load. The last piece releases the copy, and what is before it. */
static void deliver(const run *r, world *w, int number, int pieces) {
    place at = r->copies[number];
    int barrier_of = r->kernel->actions[at.thread][at.index].barrier;
    copy *c = &w->copies[number];
    barrier *b = &w->barriers[barrier_of];
    c->pieces_left = (uint8_t)(c->pieces_left - pieces);
    b->tx = (int8_t)(b->tx - pieces);
    if (c->pieces_left == 0) {
        join(&b->arrived, &c->before);
        b->arrived.steps[at.thread] =
            (uint8_t)(b->arrived.steps[at.thread] > at.index ? b->arrived.steps[at.thread] : at.index + 1);
        b->arrived.writes |= (uint8_t)(1 << number);
        memset(&c->before, 0, sizeof c->before);
    }
    end_phase(r, w, barrier_of);
}

/* ---- All executions -------------------------------------------------------------------------------------------- */

static void visit(run *r, const world *w);

static void visit_arrival(run *r, const world *w, int number, const oracle_action *a) {
    world next = *w;
    past before = w->copies[number].before;
    next.copies[number] = (copy){.issued = 1};
    if (arrive(r, &next, &(oracle_action){.barrier = a->barrier, .count = 1}, &before)) visit(r, &next);
}

static bool visit_late(run *r, const world *w, int number) {
    const oracle_action *a = &r->kernel->actions[r->copies[number].thread][r->copies[number].index];
    if (a->kind == ORACLE_STORE || w->copies[number].pieces_left == 0) return false;
    if (a->kind == ORACLE_LATE_ARRIVE) {
        visit_arrival(r, w, number, a);
        return true;
    }
    for (int pieces = 1; pieces <= w->copies[number].pieces_left; pieces++) {
        world next = *w;
        deliver(r, &next, number, pieces);
        visit(r, &next);
    }
    return true;
}

static void visit(run *r, const world *w) {
    if (!is_new_state(r, w)) return;
    bool moves = false, ended = true;
    for (int thread = 0; thread < r->kernel->threads_n; thread++) {
        ended &= w->at[thread] == r->kernel->actions_n[thread];
        if (!can_step(r, w, thread)) continue;
        moves = true;
        world next = *w;
        if (step(r, &next, thread)) visit(r, &next);
    }
    for (int i = 0; i < r->copies_n; i++) moves |= visit_late(r, w, i);
    if (!moves && !ended) r->faults.hang = true;
}

static void number_actions(run *r) {
    for (int thread = 0; thread < r->kernel->threads_n; thread++)
        for (int i = 0; i < r->kernel->actions_n[thread]; i++) {
            oracle_action_kind kind = r->kernel->actions[thread][i].kind;
            if (kind == ORACLE_LOAD || kind == ORACLE_STORE || kind == ORACLE_LATE_ARRIVE) {
                r->number[thread][i] = r->copies_n;
                r->copies[r->copies_n++] = (place){thread, i};
            }
            if (kind != ORACLE_FENCE) continue;
            r->number[thread][i] = r->fences_n;
            r->fences[r->fences_n++] = (place){thread, i};
        }
}

oracle_faults oracle_execute(const oracle_kernel *kernel) {
    run r = {.kernel = kernel, .faults = {.all = true}};
    world first;
    memset(&first, 0, sizeof first); /* also the padding, which is hashed */
    number_actions(&r);
    for (int i = 0; i < kernel->barriers_n; i++) first.barriers[i].pending = (int8_t)kernel->expected[i];
    visit(&r, &first);
    r.faults.states_n = used_n;
    forget_states();
    return r.faults;
}
