/*
 * sequence: runs a sequence once and reports its errors. One execution is enough if no step may belong to another phase
 * of its barrier in another execution (phases.h). Otherwise all executions are searched (search.h).
 */
#include <string.h>

#include "base/arena.h"
#include "diag/refuse.h"
#include "rule/finding.h"
#include "sequence/allocation.h"
#include "sequence/explore.h"
#include "sequence/repeats.h"
#include "sequence/search.h"
#include "sequence/texts.h"

/* The limit for pairs of steps leaves room for the other findings. */
enum { PAIRS_MAX = 64, REPORTED_MAX = 192 };

/* A fault between two places of a file is reported once, even if a loop repeats it. */
typedef struct reported {
    tmap_pair_fault fault;
    int earlier_line, later_line, earlier_column, later_column;
} reported;

/* Of a barrier: the sums over all phases, and one step of each kind, for findings. */
typedef struct barrier_life {
    uint64_t expected_B, arrived_B;
    const tmap_step *expects, *delivers, *init; /* init: the last init or inval */
} barrier_life;

typedef struct checking {
    const tmap_sequence *sequence;
    const tmap_judge *judge;
    tmap_diags *diags;
    tmap_diag unseen; /* a finding that does not fit into the list */
    tmap_program program;
    tmap_order order;
    tmap_machine machine;
    tmap_exploration exploration;
    tmap_repeats repeats;
    bool *races; /* by step */
    barrier_life *barriers;
    reported reported[REPORTED_MAX];
    size_t reported_n;
    const tmap_step *unlisted; /* the first step of a pair that is not listed */
    bool searching;            /* all executions; false: the first one */
    bool hangs;                /* the first execution hangs */
    size_t errors;
} checking;

/* ---- Findings ------------------------------------------------------------------------------------------------- */

/* Adds a finding, at most as severe as `most`, whose texts the caller writes. */
static tmap_diag *find_graded(checking *c, const char *rule, const tmap_step *step, tmap_severity most) {
    tmap_diag diag = tmap_rule_diag_at(rule, most, c->judge);
    diag.mark = step->mark;
    diag.subject = c->sequence->threads[step->thread].name;
    c->errors += diag.severity == TMAP_ERROR;
    tmap_diag *added = tmap_diags_add(c->diags, &diag);
    return added ? added : &c->unseen;
}

static tmap_diag *find(checking *c, const char *rule, const tmap_step *step) {
    return find_graded(c, rule, step, TMAP_ERROR);
}

static bool is_new(checking *c, tmap_pair_fault fault, const tmap_step *earlier, const tmap_step *later) {
    reported one = {fault, earlier->mark.line, later->mark.line, earlier->mark.column, later->mark.column};
    for (size_t i = 0; i < c->reported_n; i++)
        if (memcmp(&c->reported[i], &one, sizeof one) == 0) return false;
    bool pair = fault != PAIR_GOOD && earlier != later;
    if (pair && c->reported_n >= PAIRS_MAX && !c->unlisted) c->unlisted = later;
    if (c->reported_n >= (pair ? PAIRS_MAX : REPORTED_MAX)) return false;
    c->reported[c->reported_n++] = one;
    return true;
}

static bool is_at(const tmap_step *step, int line, int column) {
    return step->mark.line == line && step->mark.column == column;
}

static const char *region_name(const checking *c, int region) {
    return c->sequence->regions[region].name;
}

/* ---- Pairs ---------------------------------------------------------------------------------------------------- */

/* Marks a finding for tmap_add_results with the region that one of its steps reads, and the other step. `at` and
 * `length` are free for the mark: a sequence has no expression. */
static void mark_read(tmap_diag *diag, const checking *c, const tmap_event_access *access, uint32_t other) {
    const tmap_step *row = &c->sequence->steps[access->step];
    for (int i = 0; i < tmap_all_reads_n(row); i++) {
        if (tmap_read_region(row, i) != access->region || access->writes) continue;
        diag->at = (size_t)access->step * TMAP_SEQUENCE_READS_MAX + (size_t)i;
        diag->length = other + 1;
    }
}

/* A missing fence or sync after inits is reported once, at the last of the inits that one fence makes visible: no step
 * between them makes earlier inits known to other threads. */
static const tmap_step *last_init(const checking *c, const tmap_step *init) {
    const tmap_step *last = init;
    for (const tmap_step *step = init; step < c->sequence->steps + c->sequence->steps_n; step++) {
        if (step->thread != init->thread) continue;
        if (step->kind == TMAP_STEP_SYNC || step->kind == TMAP_STEP_ARRIVE || step->kind == TMAP_STEP_ASYNC) break;
        if (step->kind == TMAP_STEP_INIT) last = step;
    }
    return last;
}

static bool is_new_pair(checking *c, tmap_pair_fault fault, const tmap_step *one, const tmap_step *two) {
    if (fault == PAIR_NO_ACQUIRE) return is_new(c, fault, two, two); /* one acquire for all changes */
    if (one->kind != TMAP_STEP_INIT || fault == PAIR_NARROW) return is_new(c, fault, one, two);
    const tmap_step *last = last_init(c, one);
    if (fault != PAIR_NO_ORDER) return is_new(c, PAIR_NO_INIT_FENCE, last, last);
    return is_new(c, fault, last, &c->sequence->steps[c->program.order[c->program.begin[two->thread]]]);
}

/* A missing fence or sync is a warning where kernels that work omit it. */
static tmap_severity severity_of(tmap_pair_fault fault, const tmap_step *earlier) {
    bool cp_async = earlier->kind == TMAP_STEP_ASYNC && earlier->completes == TMAP_COMPLETES_CP_ASYNC;
    bool omitted =
        fault == PAIR_IN_TIME || fault == PAIR_NO_INIT_FENCE_AFTER_SYNC || (fault == PAIR_NO_ASYNC_FENCE && cp_async);
    return omitted ? TMAP_WARNING : TMAP_ERROR;
}

/* Whether two steps have a finding of this fault, or have no order, in an earlier execution. */
static bool is_known(const checking *c, tmap_pair_fault fault, const tmap_step *one, const tmap_step *two) {
    for (size_t i = 0; i < c->reported_n; i++) {
        const reported *r = &c->reported[i];
        bool same = is_at(one, r->earlier_line, r->earlier_column) && is_at(two, r->later_line, r->later_column);
        bool turned = is_at(two, r->earlier_line, r->earlier_column) && is_at(one, r->later_line, r->later_column);
        if ((same || turned) && (r->fault == fault || r->fault == PAIR_NO_ORDER)) return true;
    }
    return false;
}

static void found_pair(void *context, const tmap_order *order, tmap_pair_fault fault, const tmap_event_access *earlier,
                       const tmap_event_access *later) {
    checking *c = context;
    const tmap_step *one = &c->sequence->steps[earlier->step], *two = &c->sequence->steps[later->step];
    if (fault == PAIR_NO_ORDER) c->races[earlier->step] = c->races[later->step] = true;
    if (c->searching && is_known(c, fault, one, two)) return;
    if (!is_new_pair(c, fault, one, two)) return;
    tmap_diag *diag = find_graded(c, tmap_pair_rule(fault, one->kind == TMAP_STEP_INIT), two, severity_of(fault, one));
    tmap_say_pair(diag, order, fault, earlier, later);
    if (c->searching && fault == PAIR_NO_ORDER)
        tmap_say_other_phase(diag, c->sequence, &c->sequence->steps[c->order.varies]);
    for (int i = 0; i < 2 && fault == PAIR_NO_ORDER; i++)
        mark_read(diag, c, i == 0 ? earlier : later, i == 0 ? later->step : earlier->step);
}

/* ---- Missing data --------------------------------------------------------------------------------------------- */

/* The end of the bytes of a region that one of the first accesses has written, from `at` on; `at` if none has. */
static uint64_t written_to(const checking *c, int region, size_t accesses_n, uint64_t at) {
    for (size_t i = 0; i < accesses_n; i++) {
        const tmap_event_access *access = &c->order.accesses[i];
        bool writes = access->writes && !tmap_step_allocates(&c->sequence->steps[access->step]);
        if (!writes || tmap_program_overlap(&c->program, access->region, region) == APART) continue;
        const tmap_region *written = &c->sequence->regions[access->region];
        for (size_t j = 0; j < written->pieces_n; j++)
            if (written->pieces[j].begin_B <= at && at < written->pieces[j].end_B) return written->pieces[j].end_B;
    }
    return at;
}

static bool is_written(const checking *c, int region, size_t accesses_n) {
    const tmap_region *row = &c->sequence->regions[region];
    for (size_t i = 0; i < row->pieces_n; i++) {
        uint64_t at = row->pieces[i].begin_B, next;
        while (at < row->pieces[i].end_B && (next = written_to(c, region, accesses_n, at)) > at) at = next;
        if (at < row->pieces[i].end_B) return false;
    }
    return true;
}

static bool writes_to(const checking *c, const tmap_step *step, int region) {
    if (tmap_step_allocates(step)) return false;
    for (int k = 0; k < step->writes_n; k++)
        if (tmap_program_overlap(&c->program, step->writes[k], region) != APART) return true;
    return false;
}

/* Returns a step of another thread that writes bytes of the region, unless the thread of `reader` also executes this
 * step, after `reader`. Without such a step, returns one of the thread of `reader` that is written after `reader` in
 * the file, so that `reader` can follow it, or NULL. */
static const tmap_step *find_writer(const checking *c, int region, const tmap_step *reader) {
    const tmap_step *own = NULL, *end = c->sequence->steps + c->sequence->steps_n;
    for (const tmap_step *step = c->sequence->steps; step < end; step++) {
        if (!writes_to(c, step, region)) continue;
        if (step->thread != reader->thread && !tmap_executes(reader + 1, end, reader->thread, step)) return step;
        if (step->thread == reader->thread && step > reader && step->mark.line > reader->mark.line && !own) own = step;
    }
    return own;
}

/* Reports the reads of shared memory among the accesses from `first` on that no earlier step has written. */
static void judge_reads(checking *c, size_t first) {
    for (size_t i = first; i < c->order.accesses_n; i++) {
        const tmap_event_access *access = &c->order.accesses[i];
        const tmap_step *step = &c->sequence->steps[access->step];
        if (access->writes || c->sequence->regions[access->region].block < 0) continue;
        if (is_written(c, access->region, first) || !is_new(c, PAIR_GOOD, step, step)) continue;
        tmap_diag *diag = find(c, "sequence-unwritten", step);
        const tmap_step *writer = find_writer(c, access->region, step);
        TMAP_SAY(diag->message, "'%s' reads %s, which no earlier step has written", step->text,
                 region_name(c, access->region));
        if (!writer)
            tmap_say_fix(diag, "write or copy to these bytes in an earlier step");
        else if (tmap_say_lacking_wait(diag, c->sequence, writer, true, step, true))
            ;
        else if (writer->thread == step->thread)
            tmap_say_fix(diag, "move this step after the step that writes these bytes, and after its completion");
        else if (c->sequence->threads[writer->thread].name == c->sequence->threads[step->thread].name)
            tmap_say_fix(diag, "before this step: a sync of all threads of %s",
                         c->sequence->threads[step->thread].name);
        else
            tmap_say_fix(diag, "before this step, wait for the step that writes these bytes");
        if (writer) tmap_note_step(diag, c->sequence, writer, "the step that writes these bytes");
    }
}

static void say_allocation(checking *c, const tmap_event_access *access, tmap_allocation_fault fault) {
    const tmap_step *step = &c->sequence->steps[access->step];
    const char *name = region_name(c, access->region);
    if (fault == ALLOCATION_GOOD || !is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag *diag = find(c, "sequence-allocation", step);
    if (fault == ALLOCATION_MISSING) {
        TMAP_SAY(diag->message, "'%s' uses %s, which is not allocated at this step", step->text, name);
        tmap_say_fix(diag, "tcgen05_alloc before all uses of %s, tcgen05_dealloc after all of them", name);
    } else if (fault == ALLOCATION_TWICE) {
        TMAP_SAY(diag->message, "'%s' allocates %s, which is already allocated", step->text, name);
        tmap_say_fix(diag, "one step tcgen05_alloc for %s, by one thread or warp of the thread block", name);
    } else {
        TMAP_SAY(diag->message, "the thread block ends before %s is deallocated", name);
        tmap_say_fix(diag, "tcgen05_dealloc of %s after its last use", name);
    }
}

static void judge_allocations(checking *c, size_t first, bool end) {
    for (size_t i = first; i < c->order.accesses_n; i++)
        say_allocation(c, &c->order.accesses[i],
                       end ? tmap_allocation_end(&c->order, i) : tmap_allocation_judge(&c->order, i));
}

/* Reports accesses to a block's memory that may happen after its end. An arrival of tcgen05.commit at a barrier of its
 * own block is a warning: kernels end while such arrivals are pending. */
static void judge_left(checking *c) {
    for (size_t i = 0; i < c->order.accesses_n; i++) {
        const tmap_event_access *access = &c->order.accesses[i];
        const tmap_step *step = &c->sequence->steps[access->step];
        if (!tmap_order_is_left(&c->order, access) || !is_new(c, PAIR_GOOD, step, step)) continue;
        bool own = c->sequence->regions[access->region].block == c->sequence->threads[step->thread].block;
        bool arrives = step->kind == TMAP_STEP_COMMIT && own;
        tmap_diag *diag = find_graded(c, "sequence-exit", step, arrives ? TMAP_WARNING : TMAP_ERROR);
        tmap_say_left(diag, &c->order, &c->machine, access);
    }
}

/* ---- Barriers ------------------------------------------------------------------------------------------------- */

static void count_bytes(checking *c, const tmap_event *event) {
    const tmap_step *step = &c->sequence->steps[event->step];
    if (step->barrier < 0) return;
    barrier_life *barrier = &c->barriers[c->program.barrier_of[step->barrier]];
    if (event->kind == EVENT_STEP && step->kind == TMAP_STEP_ARRIVE && step->tx_B > 0) {
        barrier->expected_B += step->tx_B;
        barrier->expects = step;
    }
    if (event->kind == EVENT_STEP && step->kind == TMAP_STEP_ASYNC) {
        barrier->arrived_B += step->tx_B;
        barrier->delivers = step;
    }
}

static void judge_bytes(checking *c) {
    for (int i = 0; i < c->program.barriers_n; i++) {
        const barrier_life *barrier = &c->barriers[i];
        unsigned long long expected = barrier->expected_B, arrived = barrier->arrived_B;
        const tmap_step *step = barrier->expects ? barrier->expects : barrier->delivers;
        if (expected == arrived || !step) continue;
        tmap_diag *diag = find(c, "sequence-tx", step);
        TMAP_SAY(diag->message, "%s expects %llu B in all, but the copies that complete there deliver %llu B",
                 region_name(c, c->program.region_of[i]), expected, arrived);
        TMAP_SAY(diag->given, "expect_tx: %llu B in total", expected);
        TMAP_SAY(diag->allowed, "%llu B", arrived);
        tmap_say_fix(diag,
                     "in each phase, expect the sum of the bytes of its copies, including parts outside the tensor");
        if (barrier->delivers && barrier->delivers != step)
            tmap_note_step(diag, c->sequence, barrier->delivers, "a copy that completes there");
    }
}

/* Reports an init of an initialized barrier, and an inval or a use of a barrier that is not initialized. Kernels that
 * ship have such an init between two phases. Source: PTX ISA 9.1, mbarrier.init, mbarrier.inval. */
static void judge_life(checking *c, const tmap_event *event) {
    const tmap_step *step = &c->sequence->steps[event->step];
    if (event->kind != EVENT_STEP || step->barrier < 0) return;
    int number = c->program.barrier_of[step->barrier];
    const char *name = region_name(c, step->barrier);
    const tmap_mbarrier *barrier = &c->machine.barriers[number];
    const tmap_step *last = c->barriers[number].init;
    bool init = step->kind == TMAP_STEP_INIT, inval = step->kind == TMAP_STEP_INVAL;
    bool ready = barrier->ready, good = init ? !ready : ready || (!last && !inval);
    bool loses = tmap_mbarrier_loses(barrier);
    if (init || inval) c->barriers[number].init = step;
    if (good || (last && tmap_is_not_elected(c->sequence, last, step)) || !is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag *diag = find_graded(c, init || inval ? "sequence-barrier-init" : "sequence-arrivals", step,
                                  init && !loses ? TMAP_WARNING : TMAP_ERROR);
    if (init) {
        TMAP_SAY(diag->message, "'%s' initializes %s, which is already initialized%s", step->text, name,
                 loses ? TMAP_MBARRIER_LOSES : "");
        tmap_say_fix(diag, "leave out this step; or, if no thread uses %s any more, first its inval", name);
    } else {
        TMAP_SAY(diag->message, "'%s' uses %s%s", step->text, name, last ? " after its inval" : ", which has no init");
        tmap_say_fix(diag, inval && !last ? "leave out this step" : "first init %s again, or leave out the inval",
                     name);
    }
    if (last) tmap_note_step(diag, c->sequence, last, "the earlier step");
}

/* The arrivals of all threads of a name in a step. */
static long long group_arrivals(const checking *c, const tmap_step *one) {
    long long sum = tmap_step_arrivals(one);
    for (size_t i = 0; i < c->sequence->steps_n; i++)
        if (tmap_is_not_elected(c->sequence, one, &c->sequence->steps[i]))
            sum += tmap_step_arrivals(&c->sequence->steps[i]);
    return sum;
}

static void say_many(checking *c, const tmap_step *step, long long count, const tmap_mbarrier *barrier) {
    long long all = (long long)barrier->count - barrier->pending + count, group = group_arrivals(c, step);
    const char *name = region_name(c, step->barrier);
    if (!is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag *diag = find(c, "sequence-arrivals", step);
    tmap_say_many(diag, step->text, count, name, barrier);
    if (group > count && group > barrier->count) {
        TMAP_SAY(diag->message, "the threads of %s make %lld arrivals at %s in '%s'; its count is %u",
                 c->sequence->threads[step->thread].name, group, name, step->text, barrier->count);
        tmap_say_fix(diag, "arrivals: %lld for %s%s", group, name,
                     step->kind == TMAP_STEP_ARRIVE ? "; or one arrival in this step, with elect: true" : "");
    } else if (count > barrier->count) {
        tmap_say_fix(diag, "arrivals: %lld for %s, or fewer arrivals in this step", all, name);
    } else if (!tmap_say_lacking_arrival(diag, c->sequence, step)) {
        tmap_say_fix(diag, "before this step, wait until the phase of %s has ended; or arrivals: %lld for %s", name,
                     all, name);
    }
}

static void judge_expected(checking *c, const tmap_step *step, const tmap_mbarrier *barrier) {
    int64_t far = tmap_mbarrier_overflow(barrier, step->tx_B);
    bool unready = !barrier->ready && !c->barriers[c->program.barrier_of[step->barrier]].init;
    const char *name = region_name(c, step->barrier);
    if ((!far && !unready) || !is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag *diag = find(c, far ? "sequence-tx" : "sequence-arrivals", step);
    if (far) {
        tmap_say_overflow(diag, name, far);
    } else {
        TMAP_SAY(diag->message, "'%s' arrives at %s, which has no init", step->text, name);
        tmap_say_fix(diag, "init %s first", name);
    }
}

/* Returns false at an arrival too many: its effect is undefined. */
static bool judge_arrival(checking *c, const tmap_machine *machine, const tmap_event *event) {
    const tmap_step *step = &c->sequence->steps[event->step];
    bool arrives = event->kind == EVENT_STEP && step->kind == TMAP_STEP_ARRIVE;
    bool commits = event->kind == EVENT_DONE && step->kind == TMAP_STEP_COMMIT;
    if (!arrives && !commits) return true;
    const tmap_mbarrier *barrier = tmap_machine_barrier(machine, step);
    if (arrives) judge_expected(c, step, barrier);
    int64_t count = (int64_t)tmap_step_arrivals(step);
    if (!barrier->ready || count <= barrier->pending) return true;
    say_many(c, step, count, barrier);
    return false;
}

/* ---- Hangs ---------------------------------------------------------------------------------------------------- */

static void say_waiting(checking *c, uint32_t at) {
    const tmap_step *step = &c->sequence->steps[at];
    if (!is_new(c, PAIR_NO_ORDER, step, step)) return;
    tmap_diag *diag = find(c, "sequence-hang", step);
    uint32_t cause = tmap_hang_cause(&c->machine, at);
    tmap_say_hang(diag, &c->machine, at, cause);
    if (cause != at) tmap_note_step(diag, c->sequence, &c->sequence->steps[cause], "the first step that waits");
}

/* Reports threads that never end. A thread that waits for the end of another thread is reported only if no other is. */
static void judge_hang(checking *c) {
    bool found = false;
    for (int held = 0; held < 2 && !found; held++) {
        for (int thread = 0; thread < c->sequence->threads_n; thread++) {
            uint32_t at = tmap_machine_at(&c->machine, thread);
            if (at == UINT32_MAX) continue;
            c->hangs = true;
            if (tmap_machine_is_held(&c->machine, thread) != (held > 0)) continue;
            found = true;
            say_waiting(c, at);
        }
    }
}

/* A step that waits forever in some executions. */
static void found_hang(void *context, const tmap_machine *machine, uint32_t number) {
    checking *c = context;
    const tmap_step *step = &c->sequence->steps[tmap_hang_cause(machine, number)];
    if (c->hangs || tmap_machine_is_cut(machine) || !is_new(c, PAIR_NO_ORDER, step, step)) return;
    tmap_diag *diag = find(c, "sequence-hang", step);
    tmap_say_slow(diag, machine, (uint32_t)(step - c->sequence->steps));
}

/* The finding after the last pair that is listed. */
static void say_unlisted(checking *c) {
    if (!c->unlisted) return;
    tmap_diag *diag = find(c, "sequence-order", c->unlisted);
    TMAP_SAY(diag->message, "'%s', and perhaps other steps, also lack an order or a fence, and are not listed",
             c->unlisted->text);
    TMAP_SAY(diag->allowed, "%d pairs of steps are listed", PAIRS_MAX);
    tmap_say_fix(diag, "correct the listed pairs first, then check again");
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* Runs steps of threads before completions, so every asynchronous operation happens as late as possible. Returns false
 * if the execution ends at an event whose effect is undefined. */
static bool run_threads_first(checking *c) {
    tmap_event event;
    while (tmap_machine_ready(&c->machine, &event, 1) > 0) {
        tmap_repeats_note(&c->repeats, &c->machine, &c->order);
        judge_life(c, &event);
        if (!judge_arrival(c, &c->machine, &event)) {
            if (c->order.varies == UINT32_MAX) c->order.varies = event.step;
            return false;
        }
        count_bytes(c, &event);
        size_t accesses_n = c->order.accesses_n;
        tmap_order_before(&c->order, &c->machine, &event);
        judge_reads(c, accesses_n);
        judge_allocations(c, accesses_n, false);
        tmap_machine_run(&c->machine, &event);
        tmap_order_after(&c->order, &event);
    }
    return true;
}

static void say_unexplored(checking *c) {
    uint32_t step = 0;
    while (!c->races[step]) step++;
    tmap_diag *diag = find_graded(c, "sequence-order", &c->sequence->steps[step], TMAP_ADVICE);
    TMAP_SAY(diag->message, "the search for possible results ended after %llu states: other results are possible",
             (unsigned long long)c->exploration.states_n);
    tmap_say_fix(diag, "fewer rounds of loops, or correct the first findings and check again");
}

static bool explore(checking *c, tmap_arena *arena, tmap_sequence_result *result) {
    bool any = false;
    for (size_t i = 0; i < c->sequence->steps_n; i++) any |= c->races[i];
    result->all_states = true;
    if (!any) return true;
    c->exploration.races = c->races;
    if (!tmap_explore(&c->exploration, &c->program, arena)) return false;
    if (!c->exploration.all) say_unexplored(c);
    result->visited_states_n = c->exploration.states_n;
    result->all_states = c->exploration.all;
    for (size_t i = 0; i < c->sequence->steps_n * TMAP_SEQUENCE_READS_MAX; i++) {
        const tmap_contents *contents = &c->exploration.contents[i];
        if (contents->tags_n > 1) result->results_n += (uint64_t)contents->tags_n - 1 + contents->more;
    }
    return true;
}

static bool begin(checking *c, tmap_arena *arena) {
    size_t steps_n = c->sequence->steps_n, regions_n = c->sequence->regions_n;
    c->races = tmap_arena_array(arena, steps_n, sizeof *c->races);
    c->exploration.contents =
        tmap_arena_array(arena, steps_n * TMAP_SEQUENCE_READS_MAX, sizeof *c->exploration.contents);
    c->barriers = tmap_arena_array(arena, regions_n, sizeof *c->barriers);
    bool room = c->races && c->exploration.contents && c->barriers;
    if (!room || !tmap_program_make(&c->program, c->sequence, arena)) return false;
    c->repeats.phases = tmap_arena_array(arena, regions_n, sizeof *c->repeats.phases);
    if (!c->repeats.phases || !tmap_machine_make(&c->machine, &c->program, arena)) return false;
    return tmap_order_make(&c->order, &c->program, arena);
}

static void judge_end(checking *c) {
    if (tmap_machine_is_cut(&c->machine)) return;
    judge_hang(c);
    judge_bytes(c);
    if (c->hangs) return;
    judge_left(c);
    judge_allocations(c, 0, true);
}

static bool judge_search(void *context, const tmap_machine *machine, const tmap_event *event) {
    const checking *c = context;
    const tmap_step *step = &c->sequence->steps[event->step];
    bool life = event->kind == EVENT_STEP && step->barrier >= 0;
    bool ready = life && tmap_machine_barrier(machine, step)->ready;
    if (life && ready == (step->kind == TMAP_STEP_INIT)) return false; /* undefined, and reported by judge_life */
    return judge_arrival(context, machine, event);
}

static void say_undecided(checking *c, const tmap_search *search) {
    const tmap_step *step = &c->sequence->steps[c->order.varies];
    tmap_diag *diag = find(c, "sequence-undecided", step);
    TMAP_SAY(diag->message,
             "not all executions are checked: the phase of '%s' depends on the speed of the threads, and the search "
             "ended after %llu states",
             step->text, (unsigned long long)search->states_n);
    if (c->errors > 0) {
        tmap_say_fix(diag, "correct the errors of the sequence first, then check again");
    } else {
        tmap_say_phase(diag, c->sequence, step);
        TMAP_SAY_MORE(diag->fix.words, "; or fewer rounds, so that the search ends");
    }
}

/* Searches all executions, unless the first one shows that all have its order. */
static bool search(checking *c, bool ended, tmap_arena *arena, tmap_sequence_result *result) {
    tmap_search all = {&c->program, c, found_pair, judge_search, found_hang, .is_brief = c->errors > 0};
    bool only = ended && tmap_order_is_only(&c->order, &c->machine);
    result->repeats = only && c->repeats.found;
    if (only) return true;
    c->searching = true;
    if (!tmap_search_run(&all, arena)) return false;
    if (!all.all) say_undecided(c, &all);
    return true;
}

static bool check(checking *c, tmap_arena *arena, tmap_sequence_result *result) {
    size_t first = c->diags ? c->diags->count : 0;
    if (!begin(c, arena)) return false;
    c->order.context = c;
    c->order.found = found_pair;
    bool defined = run_threads_first(c);
    if (defined) judge_end(c);
    if (!search(c, defined, arena, result)) return false;
    say_unlisted(c);
    result->pairs_n = c->order.pairs_n;
    bool explored = explore(c, arena, result);
    tmap_add_results(c->sequence, &c->exploration, c->diags, first);
    return explored;
}

tmap_status tmap_sequence_check(const tmap_sequence *sequence, const tmap_judge *judge, const tmap_allocator *allocator,
                                tmap_diags *diags, tmap_sequence_result *result) {
    tmap_sequence_result own = {0};
    if (!result) result = &own;
    *result = own;
    if (!tmap_sequence_is_valid(sequence)) return TMAP_BAD_ARGUMENT;
    tmap_arena arena = {.allocator = allocator};
    checking *c = tmap_arena_take(&arena, sizeof *c);
    bool room = c != NULL;
    if (room) {
        *c = (checking){.sequence = sequence, .judge = judge, .diags = diags};
        room = check(c, &arena, result);
    }
    tmap_status status = !room ? TMAP_NO_MEMORY : c->errors > 0 ? TMAP_REFUSED : TMAP_OK;
    tmap_arena_free(&arena);
    return status;
}
