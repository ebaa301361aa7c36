/* sequence: waits that never end: their cause and their texts. */
#include "diag/refuse.h"
#include "sequence/texts.h"

enum { THREADS_MAX = TMAP_SEQUENCE_THREADS_MAX };

/* ---- The cause ------------------------------------------------------------------------------------------------ */

static bool is_untouched(const tmap_mbarrier *barrier) {
    return barrier->ready && barrier->phases == 0 && barrier->pending == (int64_t)barrier->count && barrier->tx_B == 0;
}

/* Whether copies complete at the barrier of a step. */
static bool has_copies(const tmap_machine *machine, const tmap_step *step) {
    const tmap_sequence *s = machine->program->sequence;
    for (size_t i = 0; i < s->steps_n; i++)
        if (s->steps[i].kind == TMAP_STEP_ASYNC && s->steps[i].barrier == step->barrier) return true;
    return false;
}

/* Whether `step`, which waits, can continue only after `later`, or after a step like it. */
static bool needs(const tmap_machine *machine, const tmap_step *step, const tmap_step *later) {
    if (step->kind == TMAP_STEP_SYNC) return later->kind == TMAP_STEP_SYNC && later->threads == step->threads;
    if (step->kind != TMAP_STEP_WAIT || later->barrier != step->barrier) return false;
    const tmap_mbarrier *barrier = tmap_machine_barrier(machine, step);
    if (!barrier->ready) return later->kind == TMAP_STEP_INIT;
    if (barrier->pending > 0) return later->kind == TMAP_STEP_ARRIVE || later->kind == TMAP_STEP_COMMIT;
    return barrier->tx_B > 0 && later->kind == TMAP_STEP_ASYNC;
}

/* Whether a step that thread `other` has not reached would let `thread` continue. */
static bool depends(const tmap_machine *machine, int thread, int other) {
    const tmap_program *program = machine->program;
    uint32_t at = tmap_machine_at(machine, thread);
    if (at == UINT32_MAX || thread == other) return false;
    for (uint32_t i = machine->next[other] + 1; i < program->begin[other + 1]; i++) {
        const tmap_step *step = &program->steps[at], *later = &program->steps[program->order[i]];
        if (needs(machine, step, later)) return true;
        /* the copies after the expectation of a later phase belong to that phase */
        if (later->kind == TMAP_STEP_ARRIVE && later->barrier == step->barrier && later->tx_B > 0) return false;
    }
    return false;
}

/* The number of waits, or of syncs, of a thread that are like `step`, among its steps before index `end`. */
static uint32_t count_like(const tmap_program *program, const tmap_step *step, int thread, uint32_t end) {
    uint32_t n = 0;
    for (uint32_t i = program->begin[thread]; i < end; i++) {
        const tmap_step *other = &program->steps[program->order[i]];
        n += other->kind == step->kind &&
             (step->kind == TMAP_STEP_WAIT ? other->barrier == step->barrier : other->threads == step->threads);
    }
    return n;
}

/* The number of waits of the thread of a step that waits, before it, at the same barrier. */
static uint32_t waits_before(const tmap_machine *machine, const tmap_step *step) {
    return count_like(machine->program, step, step->thread, machine->next[step->thread]);
}

/* Whether the threads of a sync execute it different numbers of times. */
static bool is_uneven(const tmap_machine *machine, const tmap_step *step) {
    const tmap_program *program = machine->program;
    if (step->kind != TMAP_STEP_SYNC) return false;
    uint32_t own = count_like(program, step, step->thread, program->begin[step->thread + 1]);
    for (int i = 0; i < program->sequence->threads_n; i++)
        if ((step->threads >> i & 1) && count_like(program, step, i, program->begin[i + 1]) != own) return true;
    return false;
}

/* By thread: the threads on which it depends, directly or not. Bit i is thread i. */
static void find_dependences(const tmap_machine *machine, uint64_t before[THREADS_MAX]) {
    int n = machine->program->sequence->threads_n;
    for (int thread = 0; thread < n; thread++) {
        before[thread] = 0;
        for (int other = 0; other < n; other++) before[thread] |= (uint64_t)depends(machine, thread, other) << other;
    }
    for (int between = 0; between < n; between++)
        for (int thread = 0; thread < n; thread++)
            if (before[thread] >> between & 1) before[thread] |= before[between];
}

/* Whether a thread depends on no thread, or only on threads that also depend on it. */
static bool is_first(const uint64_t before[THREADS_MAX], int thread, int threads_n) {
    for (int other = 0; other < threads_n; other++)
        if ((before[thread] >> other & 1) && !(before[other] >> thread & 1)) return false;
    return true;
}

/* Whether the step is the first wait at a barrier without copies, with parity 0. Such a barrier usually reports an
 * empty buffer, and the first wait for an empty buffer has parity 1. */
static bool is_wrong_start(const tmap_machine *machine, const tmap_step *step) {
    return step->kind == TMAP_STEP_WAIT && step->parity == 0 && is_untouched(tmap_machine_barrier(machine, step)) &&
           !has_copies(machine, step) && waits_before(machine, step) == 0;
}

/* Whether a step is the cause, and not another step that depends on it. */
static bool is_cause(const tmap_machine *machine, const tmap_step *step) {
    return is_wrong_start(machine, step) || is_uneven(machine, step) ||
           (step->kind == TMAP_STEP_WAIT && tmap_mbarrier_lacks_bytes(tmap_machine_barrier(machine, step)));
}

uint32_t tmap_hang_cause(const tmap_machine *machine, uint32_t number) {
    const tmap_step *steps = machine->program->steps, *step = &steps[number];
    int threads_n = machine->program->sequence->threads_n;
    uint64_t before[THREADS_MAX];
    uint32_t cause = number;
    find_dependences(machine, before);
    for (int thread = 0; thread < threads_n; thread++) {
        if (!(before[step->thread] >> thread & 1) || thread == step->thread) continue;
        uint32_t at = tmap_machine_at(machine, thread);
        bool mutual = before[thread] >> step->thread & 1, is_other = is_cause(machine, &steps[at]);
        if (mutual ? !is_other || is_cause(machine, step) : !is_first(before, thread, threads_n)) continue;
        if (is_other) return at;
        if (cause == number) cause = at;
    }
    return cause;
}

/* ---- Texts ---------------------------------------------------------------------------------------------------- */

static void say_wait(tmap_diag *diag, const tmap_machine *machine, const tmap_step *step) {
    const tmap_mbarrier *barrier = tmap_machine_barrier(machine, step);
    const char *name = machine->program->sequence->regions[step->barrier].name;
    if (!barrier->ready) {
        TMAP_SAY(diag->message, "'%s' waits forever: %s has no init", step->text, name);
        tmap_say_fix(diag, "init %s first", name);
        return;
    }
    tmap_say_waits(diag, step->text, barrier, name, step->parity);
    if (is_wrong_start(machine, step))
        tmap_say_fix(diag, "to pass the first wait, wait for parity 1; otherwise a thread must arrive first");
    else if (step->parity == 0 && is_untouched(barrier) && has_copies(machine, step))
        tmap_say_fix(diag, "before the wait, arrive at %s and issue the copies of the phase", name);
    else
        tmap_say_lacks(diag, barrier, step->parity, !tmap_is_repeated(machine->program->sequence, step));
}

void tmap_say_hang(tmap_diag *diag, const tmap_machine *machine, uint32_t number, uint32_t cause) {
    const tmap_step *step = &machine->program->steps[number], *first = &machine->program->steps[cause];
    if (step->kind == TMAP_STEP_WAIT) {
        say_wait(diag, machine, step);
    } else {
        TMAP_SAY(diag->message, "'%s' waits forever: not all of its threads %s", step->text,
                 step->kind == TMAP_STEP_JOIN ? "end" : "execute this step");
        tmap_say_fix(diag, "each participating thread must execute this step the same number of times");
    }
    if (cause != number)
        tmap_say_fix(diag, "first correct '%s' of %s, on which this step depends", first->text,
                     machine->program->sequence->threads[first->thread].name);
}

void tmap_say_slow(tmap_diag *diag, const tmap_machine *machine, uint32_t number) {
    const tmap_step *step = &machine->program->steps[number];
    const tmap_mbarrier *barrier = step->kind == TMAP_STEP_WAIT ? tmap_machine_barrier(machine, step) : NULL;
    const char *name = barrier ? machine->program->sequence->regions[step->barrier].name : NULL;
    if (barrier && barrier->pending == 0 && barrier->tx_B < 0) {
        TMAP_SAY(
            diag->message,
            "'%s' may end before its copies are complete, or never, if other copies complete %lld B at %s before their "
            "phase begins",
            step->text, -(long long)barrier->tx_B, name);
        tmap_say_fix(diag, "the threads that issue these copies must first wait until the previous phase ends");
    } else if (barrier && barrier->phases > 0) {
        TMAP_SAY(diag->message, "'%s' waits forever if phase %u of %s ends before this step", step->text,
                 barrier->phases - 1, name);
        tmap_say_fix(diag, "no thread may arrive at %s for the next phase before this wait ends", name);
    } else {
        TMAP_SAY(diag->message, "'%s' waits forever if some threads are slower than others", step->text);
        tmap_say_fix(diag, "order the arrivals at the barriers after the waits for the previous phase");
    }
}
