/* sequence: runs in which one thread is slower than all others. */
#include "sequence/delay.h"

/* A thread has at most one possible event, so at most one of the first two events belongs to the slow thread. */
static bool next_event(const tmap_machine *machine, int slow, tmap_event *event) {
    tmap_event events[2];
    size_t n = tmap_machine_ready(machine, events, 2);
    if (n == 0) return false;
    const tmap_step *step = &machine->program->steps[events[0].step];
    bool own = events[0].kind == EVENT_STEP && step->thread == slow;
    bool joins = events[0].kind == EVENT_SYNC && step->threads >> slow & 1;
    *event = events[n > 1 && (own || joins) ? 1 : 0];
    return true;
}

/* A step at which a thread waits forever: that of the slow thread if this thread waits; UINT32_MAX: all threads end. */
static uint32_t blocked_step(const tmap_machine *machine, int slow) {
    uint32_t at = tmap_machine_at(machine, slow);
    if (tmap_machine_is_held(machine, slow)) at = UINT32_MAX;
    for (int thread = 0; at == UINT32_MAX && thread < machine->program->sequence->threads_n; thread++)
        if (!tmap_machine_is_held(machine, thread)) at = tmap_machine_at(machine, thread);
    return at;
}

bool tmap_delay(const tmap_program *program, tmap_arena *arena, void *context,
                void (*found)(void *context, const tmap_machine *machine, uint32_t step)) {
    tmap_machine machine;
    tmap_event event;
    if (!tmap_machine_make(&machine, program, arena)) return false;
    for (int slow = 0; slow < program->sequence->threads_n; slow++) {
        tmap_machine_start(&machine);
        while (next_event(&machine, slow, &event)) tmap_machine_run(&machine, &event);
        uint32_t step = blocked_step(&machine, slow);
        if (step != UINT32_MAX) found(context, &machine, step);
    }
    return true;
}
