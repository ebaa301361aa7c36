/* execute: chooses the lanes that run next, and judges a state in which no lane can run. */
#include "execute/machine.h"

#include <string.h>

#include "diag/refuse.h"

#define QUANTUM 4096 /* instructions of a warp before the next warp */

/* ---- Groups of lanes ---- */

static void remove_group(run_warp *w, int i) {
    w->groups[i] = w->groups[--w->groups_n];
}

/* Lanes at the same instruction become one group. Returns the group. */
static int merge(run_warp *w, int i) {
    for (int k = 0; k < w->groups_n; k++) {
        run_group *a = &w->groups[i], *b = &w->groups[k];
        bool open = b->state == RUN_READY || b->state == RUN_CONVERGING;
        if (k == i || b->pc != a->pc || b->frame != a->frame || !open) continue;
        a->lanes |= b->lanes;
        remove_group(w, k);
        if (i == w->groups_n) i = k;
        k--;
    }
    return i;
}

static void wake(run_machine *m, run_warp *w, run_group *g) {
    if (g->state == RUN_AT_RENDEZVOUS) {
        run_know(m, w, w->live, m->rendezvous[g->barrier].done);
        run_take_votes(m, w, g);
    }
    g->state = RUN_READY;
}

/* The group that runs next: of those that can, the one at the first instruction. -1: none. */
static int next_group(run_machine *m, run_warp *w) {
    int best = -1;
    for (int i = 0; i < w->groups_n; i++) {
        if (w->groups[i].state != RUN_READY && run_is_ready(m, w, &w->groups[i])) wake(m, w, &w->groups[i]);
        if (w->groups[i].state != RUN_READY) continue;
        if (best < 0 || w->groups[i].pc < w->groups[best].pc) best = i;
    }
    return best >= 0 ? merge(w, best) : best;
}

static uint32_t end_of(const run_machine *m, const run_group *g) {
    return (g->frame ? g->frame->function : m->kernel)->end;
}

static bool run_warp_now(run_machine *m, run_warp *w) {
    int i;
    bool any = false;
    uint64_t end = m->steps + QUANTUM < m->steps_max ? m->steps + QUANTUM : m->steps_max;
    while (m->steps < end && (i = next_group(m, w)) >= 0) {
        run_group *g = &w->groups[i];
        any = true;
        while (g->lanes && g->state == RUN_READY && g->pc < end_of(m, g) && m->steps < end) {
            run_step(m, w, g);
            if (w->groups_n > 1) break;
        }
        if (g->lanes && g->pc >= end_of(m, g)) {
            w->live &= ~g->lanes;
            g->lanes = 0;
            run_leave(m, w);
        }
        if (g->lanes == 0) remove_group(w, i);
    }
    return any;
}

/* Lanes that wait for others of their warp or warp group go on without them; or, give_up: try_wait returns false, once
 * for each state of the barriers. */
static bool let_go(run_machine *m, bool give_up) {
    bool any = false;
    for (uint32_t i = 0; i < m->warps_n; i++)
        for (int k = 0; k < m->warps[i].groups_n; k++) {
            run_group *g = &m->warps[i].groups[k];
            if (give_up ? g->state != RUN_AT_MBARRIER || g->gave_up == m->events + 1
                        : g->state != RUN_CONVERGING && g->state != RUN_AT_WARPGROUP)
                continue;
            any = true;
            g->give_up = give_up;
            g->alone = !give_up;
            if (!give_up) g->state = RUN_READY;
        }
    return any;
}

/* ---- The end of a run ---- */

/* Whether the phase for which the warp waits has ended, and the next phase, too: then the wait does not see it. */
static bool is_missed(const run_machine *m, const run_group *g, uint32_t phase) {
    return ptx_says(&m->program->instructions[g->pc], ".parity") && m->barriers[g->barrier].now.phases > phase + 1;
}

static void say_wait(run_machine *m, const run_warp *w, const run_group *g) {
    const run_mbarrier *b = &m->barriers[g->barrier];
    tmap_mbarrier now = b->now;
    uint32_t phase = run_least_phases(m, w, b);
    tmap_diag *diag = run_find_at(m, TMAP_ERROR, "sequence-hang", g->pc, UINT32_MAX);
    now.phases -= b->first;
    tmap_say_waits(diag, run_text_of(m, g->pc), &now, run_name_of(m, b->cta, b->offset).text, g->parity);
    tmap_say_lacks(diag, &now, g->parity, true);
    if (!is_missed(m, g, phase)) return;
    TMAP_SAY_MORE(diag->message, "; phase %u is over, and so is the next", phase - b->first);
    tmap_say_fix(diag, "give mbarrier.init all arrivals of a phase, or let the arriving threads wait for each phase");
}

static void say_rendezvous(run_machine *m, const run_group *g) {
    const run_rendezvous *r = &m->rendezvous[g->barrier];
    int number = g->barrier % RUN_RENDEZVOUS_MAX;
    bool cluster = number == RUN_RENDEZVOUS_MAX - 1;
    char name[32] = "barrier.cluster", of[32] = "";
    if (!cluster) TMAP_SAY(name, "barrier %d", number);
    if (r->expected) TMAP_SAY(of, " of %u", r->expected);
    tmap_diag *diag = run_find(m, TMAP_ERROR, "sequence-hang", g->pc - 1, UINT32_MAX, NULL,
                               "%s waits forever: %u%s threads arrived", name, r->arrived, of);
    if (cluster)
        tmap_say_fix(diag, "execute barrier.cluster.arrive in all threads of the cluster");
    else if (r->arrived % RUN_LANES != 0) /* bar.sync counts whole warps */
        tmap_say_fix(diag, "execute it in all threads that it counts");
    else
        tmap_say_fix(diag, "execute it in all threads that it counts, or count only those that do: bar.sync %d, %u",
                     number, r->arrived);
}

/* A wait that ends in every round for the same parity does not wait for new phases, and its thread arrives too early:
 * then others wait forever. */
static bool judge_parities(run_machine *m) {
    bool any = false;
    for (int i = 0; i < m->barriers_n; i++) {
        const run_mbarrier *b = &m->barriers[i];
        if (!b->now.ready || b->waits.stale_n < 2 || b->waits.both || b->now.phases < b->first + 2) continue;
        run_find(m, TMAP_ERROR, "sequence-hang", b->waits.instruction, UINT32_MAX,
                 "flip the parity after each phase of this mbarrier",
                 "'%s' waits for parity %u of %s in %u rounds, and not for a new phase: then other waits never end",
                 run_text_of(m, b->waits.instruction), b->waits.parity, run_name_of(m, b->cta, b->offset).text,
                 b->waits.stale_n + 1);
        any = true;
    }
    return any;
}

/* Whether nothing of the phase has come to an mbarrier of copies: the thread that issues them may wait elsewhere. */
static bool is_idle(const run_mbarrier *b) {
    return b->last_filled > 0 && b->now.tx_B == 0 && b->now.pending == (int64_t)b->now.count;
}

/* Threads at a barrier may wait for those at an mbarrier, which are the cause, and these for other mbarriers. */
static bool judge_hang(run_machine *m, run_state at, bool idle) {
    bool any = false;
    for (uint32_t i = 0; i < m->warps_n; i++)
        for (int k = 0; k < m->warps[i].groups_n; k++) {
            const run_group *g = &m->warps[i].groups[k];
            if (g->state != at) continue;
            any = true;
            if (at == RUN_AT_RENDEZVOUS) say_rendezvous(m, g);
            if (at != RUN_AT_MBARRIER || is_idle(&m->barriers[g->barrier]) != idle) continue;
            /* where only bytes are missing, they are the cause, and reported */
            if (!tmap_mbarrier_lacks_bytes(&m->barriers[g->barrier].now)) say_wait(m, &m->warps[i], g);
        }
    return any;
}

/* The bytes that a phase lacks may be those of a thread block which filled the phase before, and now waits for a phase
 * of arrivals alone: these arrivals are the cause. */
static bool judge_late_blocks(run_machine *m) {
    uint32_t late = 0;
    bool any = false;
    for (int i = 0; i < m->barriers_n; i++) {
        const run_mbarrier *b = &m->barriers[i];
        if (!tmap_mbarrier_lacks_bytes(&b->now) || !run_is_awaited(m, i)) continue;
        uint32_t missing = b->filled_by_last & ~b->filled_by;
        if (missing == 0 || (missing >> b->cta & 1)) return false; /* these bytes may be the cause */
        late |= missing;
    }
    for (uint32_t i = 0; late && i < m->warps_n; i++)
        for (int k = 0; (late >> m->warps[i].cta & 1) && k < m->warps[i].groups_n; k++) {
            const run_group *g = &m->warps[i].groups[k];
            if (g->state != RUN_AT_MBARRIER || m->barriers[g->barrier].last_filled > 0) continue;
            say_wait(m, &m->warps[i], g);
            any = true;
        }
    return any;
}

static void judge_rest(run_machine *m) {
    if (!run_is_sure(m) || m->scattered || m->no_memory || !run_data_agrees(m) || judge_late_blocks(m)) return;
    /* threads at another mbarrier may have copies to issue */
    for (int i = 0; i < m->barriers_n; i++)
        if (m->barriers[i].now.tx_B < 0 || run_is_awaited(m, i) || !run_is_awaited(m, -1)) run_judge_bytes(m, i);
    if (run_is_awaited(m, -1) && judge_parities(m)) return;
    if (judge_hang(m, RUN_AT_MBARRIER, false) && judge_hang(m, RUN_AT_MBARRIER, true)) return;
    if (judge_hang(m, RUN_AT_RENDEZVOUS, false)) return;
    for (int i = 0; i < m->barriers_n; i++)
        if (m->barriers[i].now.ready) run_judge_awaited(m, i, "the kernel ends");
    for (uint32_t i = 0; i < m->ctas_n * m->warps_n; i++)
        run_judge_remote(m, i / m->warps_n, &m->memories[i / m->warps_n].remote[i % m->warps_n]);
    run_judge_columns(m);
}

void run_all(run_machine *m) {
    bool any = true;
    while (any && m->steps < m->steps_max && !m->no_memory) {
        any = false;
        for (uint32_t i = 0; i < m->warps_n; i++) any |= run_warp_now(m, &m->warps[i]);
        if (!any) any = let_go(m, false) || let_go(m, true);
    }
    if (m->steps < m->steps_max) judge_rest(m);
}
