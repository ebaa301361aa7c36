/* sequence: the machine that executes the steps. Source of their effects: PTX ISA 9.1, mbarrier and cp.async.bulk. */
#include "sequence/machine.h"

#include <string.h>

/* ---- The program ---------------------------------------------------------------------------------------------- */

static bool sort_by_thread(tmap_program *program, tmap_arena *arena) {
    const tmap_sequence *s = program->sequence;
    program->order = tmap_arena_array(arena, s->steps_n, sizeof *program->order);
    program->begin = tmap_arena_array(arena, (size_t)s->threads_n + 1, sizeof *program->begin);
    if (!program->order || !program->begin) return false;
    uint32_t n = 0;
    for (int thread = 0; thread < s->threads_n; thread++) {
        program->begin[thread] = n;
        for (size_t i = 0; i < s->steps_n; i++)
            if (s->steps[i].thread == thread) program->order[n++] = (uint32_t)i;
    }
    program->begin[s->threads_n] = n;
    return true;
}

static bool find_launches(tmap_program *program, tmap_arena *arena) {
    const tmap_sequence *s = program->sequence;
    program->launch = tmap_arena_array(arena, (size_t)s->threads_n, sizeof *program->launch);
    if (!program->launch) return false;
    memset(program->launch, 0xff, (size_t)s->threads_n * sizeof *program->launch);
    for (uint32_t i = 0; i < s->steps_n; i++) {
        const tmap_step *step = &s->steps[program->order[i]];
        for (int thread = 0; thread < s->threads_n && step->kind == TMAP_STEP_LAUNCH; thread++)
            if (step->threads >> thread & 1) program->launch[thread] = i;
    }
    return true;
}

static void number_barriers(tmap_program *program) {
    const tmap_sequence *s = program->sequence;
    for (size_t i = 0; i < s->regions_n; i++) program->barrier_of[i] = -1;
    for (size_t i = 0; i < s->steps_n; i++) {
        int region = s->steps[i].barrier;
        if (region < 0 || program->barrier_of[region] >= 0) continue;
        program->barrier_of[region] = program->barriers_n;
        program->region_of[program->barriers_n++] = region;
    }
}

/* The part of the second region that the first region covers. */
static enum tmap_overlap compare(const tmap_region *first, const tmap_region *second) {
    if (first->memory != second->memory) return APART;
    uint64_t common_B = 0, second_B = 0;
    size_t at = 0;
    for (size_t i = 0; i < second->pieces_n; i++) {
        tmap_piece piece = second->pieces[i];
        second_B += piece.end_B - piece.begin_B;
        while (at < first->pieces_n && first->pieces[at].end_B <= piece.begin_B) at++;
        for (size_t j = at; j < first->pieces_n && first->pieces[j].begin_B < piece.end_B; j++) {
            uint64_t begin = first->pieces[j].begin_B > piece.begin_B ? first->pieces[j].begin_B : piece.begin_B;
            uint64_t end = first->pieces[j].end_B < piece.end_B ? first->pieces[j].end_B : piece.end_B;
            common_B += end - begin;
        }
    }
    return common_B == 0 ? APART : common_B == second_B ? COVERED : PARTLY;
}

/* Regions that are only read are not compared with each other. */
static bool compare_regions(tmap_program *program, tmap_arena *arena) {
    const tmap_sequence *s = program->sequence;
    size_t n = s->regions_n;
    bool *written = tmap_arena_array(arena, n, sizeof *written);
    if (!written) return false;
    for (size_t i = 0; i < s->steps_n; i++) {
        for (int k = 0; k < s->steps[i].writes_n; k++) written[s->steps[i].writes[k]] = true;
        if (s->steps[i].barrier >= 0) written[s->steps[i].barrier] = true;
        if (s->steps[i].map >= 0) written[s->steps[i].map] = true;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (written[i] || written[j])
                program->overlap[i * n + j] = (uint8_t)compare(&s->regions[i], &s->regions[j]);
    return true;
}

bool tmap_program_make(tmap_program *program, const tmap_sequence *sequence, tmap_arena *arena) {
    size_t n = sequence->regions_n;
    *program = (tmap_program){.sequence = sequence, .steps = sequence->steps};
    program->barrier_of = tmap_arena_array(arena, n, sizeof *program->barrier_of);
    program->region_of = tmap_arena_array(arena, n, sizeof *program->region_of);
    program->overlap = tmap_arena_array(arena, n * n, 1);
    if (!program->barrier_of || !program->region_of || !program->overlap) return false;
    number_barriers(program);
    return compare_regions(program, arena) && sort_by_thread(program, arena) && find_launches(program, arena);
}

enum tmap_overlap tmap_program_overlap(const tmap_program *program, int first, int second) {
    return program->overlap[(size_t)first * program->sequence->regions_n + (size_t)second];
}

/* ---- States --------------------------------------------------------------------------------------------------- */

bool tmap_machine_make(tmap_machine *machine, const tmap_program *program, tmap_arena *arena) {
    size_t steps_n = program->sequence->steps_n, threads_n = (size_t)program->sequence->threads_n;
    size_t barriers_n = (size_t)program->barriers_n;
    size_t words_n = threads_n + steps_n + threads_n * GROUP_KINDS;
    machine->program = program;
    machine->size = barriers_n * sizeof *machine->barriers + words_n * sizeof(uint32_t) + steps_n;
    machine->barriers = tmap_arena_take(arena, machine->size);
    if (!machine->barriers) return false;
    machine->next = (uint32_t *)(machine->barriers + barriers_n);
    machine->groups = machine->next + threads_n;
    machine->made = machine->groups + steps_n;
    machine->ops = (uint8_t *)(machine->made + threads_n * GROUP_KINDS);
    memset(machine->barriers, 0, machine->size);
    memcpy(machine->next, program->begin, threads_n * sizeof *machine->next);
    return true;
}

uint32_t tmap_machine_at(const tmap_machine *machine, int thread) {
    uint32_t at = machine->next[thread];
    return at < machine->program->begin[thread + 1] ? machine->program->order[at] : UINT32_MAX;
}

/* ---- Possible events ------------------------------------------------------------------------------------------ */

uint32_t *tmap_machine_groups(const tmap_machine *machine, const tmap_step *step) {
    int kind = step->completes > TMAP_COMPLETES_BULK ? (int)step->completes - TMAP_COMPLETES_BULK : 0;
    return &machine->made[step->thread * GROUP_KINDS + kind];
}

static bool same_kind(const tmap_step *op, const tmap_step *waiting) {
    return op->kind == TMAP_STEP_ASYNC && op->thread == waiting->thread && op->completes == waiting->completes;
}

uint32_t tmap_step_arrivals(const tmap_step *step) {
    return step->kind == TMAP_STEP_COMMIT && step->completes == TMAP_COMPLETES_TCGEN05 ? 1 : step->count;
}

bool tmap_step_allocates(const tmap_step *step) {
    return step->kind == TMAP_STEP_ALLOC || step->kind == TMAP_STEP_DEALLOC;
}

bool tmap_machine_waits_for(const tmap_machine *machine, const tmap_step *wait, uint32_t op) {
    uint32_t group = machine->groups[op], made = *tmap_machine_groups(machine, wait);
    bool complete = group > 0 && group <= tmap_groups_complete(made, wait->pending);
    return complete && same_kind(&machine->program->steps[op], wait);
}

/* The numbers of the steps of a step's thread. */
static const uint32_t *first_of(const tmap_machine *machine, const tmap_step *step) {
    return machine->program->order + machine->program->begin[step->thread];
}

static const uint32_t *end_of(const tmap_machine *machine, const tmap_step *step) {
    return machine->program->order + machine->program->begin[step->thread + 1];
}

static bool groups_complete(const tmap_machine *machine, const tmap_step *wait) {
    enum tmap_op_state wanted = wait->reads_only ? OP_READ : OP_DONE;
    for (const uint32_t *op = first_of(machine, wait); op < end_of(machine, wait); op++)
        if (tmap_machine_waits_for(machine, wait, *op) && machine->ops[*op] < wanted) return false;
    return true;
}

static bool is_unfinished(uint8_t op) {
    return op == OP_ISSUED || op == OP_READ;
}

/* Whether threads have executed all steps, and all their operations are complete. */
static bool have_ended(const tmap_machine *machine, uint64_t threads) {
    const tmap_program *program = machine->program;
    for (int thread = 0; thread < program->sequence->threads_n; thread++) {
        if (!(threads >> thread & 1)) continue;
        if (program->sequence->threads[thread].is_cut || tmap_machine_at(machine, thread) != UINT32_MAX) return false;
        for (uint32_t i = program->begin[thread]; i < program->begin[thread + 1]; i++)
            if (is_unfinished(machine->ops[program->order[i]])) return false;
    }
    return true;
}

static bool has_started(const tmap_machine *machine, int thread) {
    const tmap_program *program = machine->program;
    uint32_t launch = program->launch[thread];
    if (launch == UINT32_MAX || machine->next[thread] > program->begin[thread]) return true;
    const tmap_step *step = &program->steps[program->order[launch]];
    return machine->next[step->thread] > launch && have_ended(machine, step->after);
}

bool tmap_machine_is_cut(const tmap_machine *machine) {
    const tmap_sequence *sequence = machine->program->sequence;
    for (int thread = 0; thread < sequence->threads_n; thread++)
        if (sequence->threads[thread].is_cut && tmap_machine_at(machine, thread) == UINT32_MAX) return true;
    return false;
}

bool tmap_machine_is_held(const tmap_machine *machine, int thread) {
    uint32_t at = tmap_machine_at(machine, thread);
    return at != UINT32_MAX && (!has_started(machine, thread) || machine->program->steps[at].kind == TMAP_STEP_JOIN);
}

/* Whether all threads of a bar.sync are at a bar.sync of the same threads. */
static bool all_there(const tmap_machine *machine, uint64_t threads) {
    for (int thread = 0; thread < machine->program->sequence->threads_n; thread++) {
        if (!(threads >> thread & 1)) continue;
        uint32_t at = tmap_machine_at(machine, thread);
        if (at == UINT32_MAX) return false;
        const tmap_step *step = &machine->program->steps[at];
        if (step->kind != TMAP_STEP_SYNC || step->threads != threads || !has_started(machine, thread)) return false;
    }
    return true;
}

bool tmap_machine_can_step(const tmap_machine *machine, int thread) {
    uint32_t at = tmap_machine_at(machine, thread);
    if (at == UINT32_MAX || !has_started(machine, thread)) return false;
    const tmap_step *step = &machine->program->steps[at];
    switch ((int)step->kind) {
    case TMAP_STEP_WAIT: return tmap_mbarrier_passes(tmap_machine_barrier(machine, step), step->parity);
    case TMAP_STEP_WAIT_GROUP: return groups_complete(machine, step);
    case TMAP_STEP_SYNC: return all_there(machine, step->threads);
    case TMAP_STEP_JOIN: return have_ended(machine, step->threads);
    default: return true;
    }
}

bool tmap_machine_commit_complete(const tmap_machine *machine, uint32_t commit) {
    const tmap_step *step = &machine->program->steps[commit];
    for (const uint32_t *op = first_of(machine, step); *op != commit; op++)
        if (same_kind(&machine->program->steps[*op], step) && machine->ops[*op] < OP_DONE) return false;
    return true;
}

/* Skips eight operations at once. Bits 0 and 1 differ from each other in OP_ISSUED (01) and OP_READ (10), and are equal
 * in OP_NONE (00) and OP_DONE (11). */
uint32_t tmap_machine_unfinished(const tmap_machine *machine, uint32_t from) {
    const uint32_t end = (uint32_t)machine->program->sequence->steps_n;
    uint64_t ops;
    for (; from + sizeof ops <= end; from += sizeof ops) {
        memcpy(&ops, machine->ops + from, sizeof ops);
        if ((ops ^ ops >> 1) & 0x0101010101010101) break;
    }
    while (from < end && !is_unfinished(machine->ops[from])) from++;
    return from < end ? from : UINT32_MAX;
}

/* A copy from shared memory ends its reads before it is complete, and a thread may wait for the end of the reads. */
bool tmap_machine_is_reading(const tmap_machine *machine, uint32_t op) {
    const tmap_step *step = &machine->program->steps[op];
    bool reads_first = step->kind == TMAP_STEP_ASYNC && step->completes == TMAP_COMPLETES_BULK;
    return reads_first && machine->ops[op] == OP_ISSUED;
}

tmap_event tmap_machine_thread_event(const tmap_machine *machine, int thread) {
    uint32_t at = tmap_machine_at(machine, thread);
    bool sync = machine->program->steps[at].kind == TMAP_STEP_SYNC;
    return (tmap_event){.kind = sync ? EVENT_SYNC : EVENT_STEP, .step = at};
}

tmap_event tmap_machine_op_event(const tmap_machine *machine, uint32_t op) {
    return (tmap_event){.kind = tmap_machine_is_reading(machine, op) ? EVENT_READ : EVENT_DONE, .step = op};
}

size_t tmap_machine_ready(const tmap_machine *machine, tmap_event *events, size_t most) {
    const tmap_program *program = machine->program;
    size_t n = 0;
    uint64_t synced = 0;
    for (int thread = 0; thread < program->sequence->threads_n && n < most; thread++) {
        if (synced >> thread & 1 || !tmap_machine_can_step(machine, thread)) continue;
        events[n] = tmap_machine_thread_event(machine, thread);
        if (events[n].kind == EVENT_SYNC) synced |= program->steps[events[n].step].threads;
        n++;
    }
    for (uint32_t op = 0; n < most && (op = tmap_machine_unfinished(machine, op)) != UINT32_MAX; op++)
        if (program->steps[op].kind != TMAP_STEP_COMMIT || tmap_machine_commit_complete(machine, op))
            events[n++] = tmap_machine_op_event(machine, op);
    return n;
}

/* ---- Effects of events ---------------------------------------------------------------------------------------- */

/* Returns the barrier of a step if arrivals and bytes end its phase; -1: they do not. */
static int take(tmap_machine *machine, const tmap_step *step, int64_t arrivals, int64_t tx_B) {
    bool ends = tmap_mbarrier_take(tmap_machine_barrier(machine, step), arrivals, tx_B);
    return ends ? machine->program->barrier_of[step->barrier] : -1;
}

static int arrive(tmap_machine *machine, const tmap_step *step) {
    return take(machine, step, (int64_t)tmap_step_arrivals(step), (int64_t)step->tx_B);
}

static void commit(tmap_machine *machine, const tmap_step *step, uint32_t number) {
    if (step->barrier >= 0) {
        machine->ops[number] = OP_ISSUED;
        return;
    }
    uint32_t group = ++*tmap_machine_groups(machine, step);
    for (const uint32_t *op = first_of(machine, step); op < end_of(machine, step); op++) {
        bool open = machine->ops[*op] != OP_NONE && machine->groups[*op] == 0;
        if (open && same_kind(&machine->program->steps[*op], step)) machine->groups[*op] = group;
    }
}

/* tcgen05.wait waits for all earlier tcgen05.ld or tcgen05.st of the thread, without a commit. */
static void issue(tmap_machine *machine, const tmap_step *step, uint32_t number) {
    bool commits = step->completes == TMAP_COMPLETES_TCGEN05_LD || step->completes == TMAP_COMPLETES_TCGEN05_ST;
    machine->ops[number] = OP_ISSUED;
    if (commits) machine->groups[number] = ++*tmap_machine_groups(machine, step);
}

static int run_step(tmap_machine *machine, const tmap_step *step, uint32_t number) {
    machine->next[step->thread]++;
    switch ((int)step->kind) {
    case TMAP_STEP_ASYNC: issue(machine, step, number); break;
    case TMAP_STEP_COMMIT: commit(machine, step, number); break;
    case TMAP_STEP_INIT: /* undefined for an initialized barrier; here the barrier begins again */
        *tmap_machine_barrier(machine, step) = tmap_mbarrier_init(step->count, 0);
        break;
    case TMAP_STEP_INVAL: *tmap_machine_barrier(machine, step) = (tmap_mbarrier){.ready = 0}; break;
    case TMAP_STEP_ARRIVE: return arrive(machine, step);
    }
    return -1;
}

static int run_done(tmap_machine *machine, const tmap_step *step, uint32_t number) {
    machine->ops[number] = OP_DONE;
    if (step->barrier < 0) return -1;
    if (step->kind == TMAP_STEP_COMMIT) return arrive(machine, step);
    return take(machine, step, 0, -(int64_t)step->tx_B);
}

bool tmap_step_delivers(const tmap_step *step) {
    return step->kind == TMAP_STEP_ASYNC && step->completes == TMAP_COMPLETES_TX && step->tx_B > 0;
}

static bool delivers_at(const tmap_machine *machine, uint32_t number, const tmap_step *step) {
    const tmap_step *copy = &machine->program->steps[number];
    return tmap_step_delivers(copy) && copy->barrier == step->barrier;
}

int64_t tmap_machine_undelivered(const tmap_machine *machine, const tmap_step *step) {
    int64_t bytes = -tmap_machine_barrier(machine, step)->early_B;
    for (uint32_t i = 0; (i = tmap_machine_unfinished(machine, i)) != UINT32_MAX; i++)
        if (delivers_at(machine, i, step)) bytes += (int64_t)machine->program->steps[i].tx_B;
    return bytes;
}

/* Copies complete `bytes` at the barrier of a step. If some bytes remain, any of the copies may be incomplete. Returns
 * the barrier if its phase ends. */
static int deliver(tmap_machine *machine, const tmap_step *step, int64_t bytes) {
    tmap_mbarrier *barrier = tmap_machine_barrier(machine, step);
    bool all = bytes == tmap_machine_undelivered(machine, step);
    barrier->early_B = all ? 0 : barrier->early_B + bytes;
    for (uint32_t i = 0; all && (i = tmap_machine_unfinished(machine, i)) != UINT32_MAX; i++)
        if (delivers_at(machine, i, step)) machine->ops[i] = OP_DONE;
    return take(machine, step, 0, -bytes);
}

void tmap_machine_run(tmap_machine *machine, tmap_event *event) {
    const tmap_step *step = &machine->program->steps[event->step];
    event->phase_of = -1;
    switch (event->kind) {
    case EVENT_STEP: event->phase_of = run_step(machine, step, event->step); break;
    case EVENT_SYNC:
        for (int thread = 0; thread < machine->program->sequence->threads_n; thread++)
            machine->next[thread] += (uint32_t)(step->threads >> thread & 1);
        break;
    case EVENT_READ: machine->ops[event->step] = OP_READ; break;
    case EVENT_DONE: event->phase_of = run_done(machine, step, event->step); break;
    case EVENT_BYTES: event->phase_of = deliver(machine, step, tmap_machine_barrier(machine, step)->tx_B); break;
    case EVENT_EXCESS: (void)deliver(machine, step, tmap_machine_undelivered(machine, step)); break;
    }
}
