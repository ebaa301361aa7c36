/*
 * sequence: whether one execution shows all findings. It does if, by program order and the waits that ended, each
 * arrival and each completion is after the end of the phase before its own; each wait is executed after the end of the
 * phase before the phase for which it waits; and the next phase ends after the wait. By induction over its events,
 * every other execution then has the same phases, and its waits wait for the same phases: no event can happen before
 * the events that precede it here, and a barrier whose previous events have happened is in the same phase.
 */
#include "sequence/phases.h"

#include <string.h>

#include "sequence/sets.h"

void tmap_order_vary(tmap_order *order, uint32_t step, bool varies) {
    if (varies && order->varies == UINT32_MAX) order->varies = step;
}

static bool precedes_all(const tmap_order *order, const uint64_t *set, const uint64_t *past) {
    for (size_t i = part_of(order, IN_TIME); i < order->words; i++)
        if (set[i] & ~past[i]) return false;
    return true;
}

static void judge_phase(tmap_order *order, uint32_t step, const uint64_t *past) {
    int region = order->program->steps[step].barrier;
    if (region < 0) return;
    const uint64_t *set = set_of(order, order->complete, 2 * (size_t)order->program->barrier_of[region]);
    tmap_order_vary(order, step, !precedes_all(order, set, past) || !precedes_all(order, set + order->words, past));
}

static void judge_wait(tmap_order *order, uint32_t step, size_t barrier, const uint64_t *past) {
    tmap_order_vary(order, step, !precedes_all(order, set_of(order, order->previous, barrier), past));
    add(order, set_of(order, order->waits, barrier), step);
}

void tmap_order_judge_phase(tmap_order *order, const tmap_machine *machine, const tmap_event *event) {
    const tmap_step *step = &order->program->steps[event->step];
    const uint64_t *past = set_of(order, order->threads, (size_t)step->thread);
    if (event->kind == EVENT_DONE) judge_phase(order, event->step, set_of(order, order->ops, event->step));
    if (event->kind != EVENT_STEP || step->barrier < 0) return;
    int barrier = order->program->barrier_of[step->barrier];
    if (step->kind == TMAP_STEP_INIT) tmap_order_vary(order, event->step, machine->barriers[barrier].phases > 0);
    if (step->kind == TMAP_STEP_ARRIVE) judge_phase(order, event->step, past);
    if (step->kind == TMAP_STEP_WAIT) judge_wait(order, event->step, (size_t)barrier, past);
}

void tmap_order_end_phase(tmap_order *order, size_t barrier, uint32_t step) {
    uint64_t *open = set_of(order, order->open, 2 * barrier), *complete = set_of(order, order->complete, 2 * barrier);
    uint64_t *previous = set_of(order, order->previous, barrier), *waits = set_of(order, order->waits, barrier);
    memset(order->meeting, 0, order->words * sizeof *order->meeting);
    for (size_t i = 0; i < order->words; i++) {
        previous[i] = complete[i] | complete[i + order->words];
        order->meeting[i] = open[i] | open[i + order->words];
    }
    tmap_order_vary(order, step, !precedes_all(order, waits, order->meeting));
    memset(waits, 0, order->words * sizeof *waits);
    for (size_t i = 0; i < 2 * order->words; i++) complete[i] |= open[i];
}

/* A wait that never ends must also be after the end of the phase before. Bytes that no phase expects may end a phase
 * before other bytes complete. */
bool tmap_order_is_only(tmap_order *order, const tmap_machine *machine) {
    const tmap_program *program = order->program;
    for (int thread = 0; thread < program->sequence->threads_n; thread++) {
        uint32_t at = tmap_machine_at(machine, thread);
        if (at == UINT32_MAX || program->steps[at].kind != TMAP_STEP_WAIT) continue;
        tmap_order_vary(order, at, !tmap_machine_barrier(machine, &program->steps[at])->ready);
        judge_phase(order, at, set_of(order, order->threads, (size_t)thread));
    }
    for (uint32_t i = 0; i < program->sequence->steps_n; i++)
        if (tmap_step_delivers(&program->steps[i]))
            tmap_order_vary(order, i, tmap_machine_barrier(machine, &program->steps[i])->tx_B < 0);
    return order->varies == UINT32_MAX;
}
