/*
 * sequence: runs a sequence once and reports its errors. One run is enough for pairs of accesses: order comes from
 * arrivals and completions, not from the time at which they happen, so two steps without an order in one run have no
 * order in any run. Waits have one more run for each thread (delay.h).
 */
#include <string.h>

#include "base/arena.h"
#include "diag/refuse.h"
#include "sequence/allocation.h"
#include "sequence/delay.h"
#include "sequence/explore.h"
#include "sequence/order.h"

/* The limit for pairs of steps leaves room for the other findings. */
enum { PAIRS_MAX = 64, REPORTED_MAX = 192, TX_MOST_B = (1 << 20) - 1 };

/* A fault between two places of a file is reported once, even if a loop repeats it. */
typedef struct reported {
    tmap_pair_fault fault;
    int earlier_line, later_line, earlier_column, later_column;
} reported;

typedef struct checking {
    const tmap_sequence *sequence;
    const tmap_judge *judge;
    tmap_diags *diags;
    tmap_program program;
    tmap_order order;
    tmap_machine machine;
    tmap_exploration exploration;
    bool *races;                           /* by step */
    uint64_t *expected_B, *arrived_B;      /* by barrier: the sums over all phases */
    const tmap_step **expects, **delivers; /* by barrier: one step of each kind, for findings */
    reported reported[REPORTED_MAX];
    size_t reported_n;
    const tmap_step *unlisted; /* the first step of a pair that is not listed */
    size_t errors;
} checking;

/* ---- Findings ------------------------------------------------------------------------------------------------- */

static tmap_diag begin_finding(checking *c, const char *rule, const tmap_step *step) {
    tmap_diag diag = tmap_rule_diag(rule, c->judge);
    diag.mark = step->mark;
    diag.subject = c->sequence->threads[step->thread].name;
    return diag;
}

static void end_finding(checking *c, const tmap_diag *diag) {
    c->errors += diag->severity == TMAP_ERROR;
    tmap_diags_add(c->diags, diag);
}

static void note_step(tmap_diag *diag, const checking *c, const tmap_step *step, const char *what) {
    if (diag->notes_n == TMAP_NOTES_MAX) return;
    tmap_note *note = &diag->notes[diag->notes_n++];
    *note = (tmap_note){.field = -1, .dim = -1, .mark = step->mark};
    TMAP_SAY(note->text, "%s: %s by %s", what, step->text, c->sequence->threads[step->thread].name);
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

static const char *region_name(const checking *c, int region) {
    return c->sequence->regions[region].name;
}

/* ---- Pairs ---------------------------------------------------------------------------------------------------- */

/* Whether another thread has the same name: both represent many threads. */
static bool has_twin(const checking *c, int thread) {
    for (int i = 0; i < c->sequence->threads_n; i++)
        if (i != thread && c->sequence->threads[i].name == c->sequence->threads[thread].name) return true;
    return false;
}

/* Whether the thread of step `one` executes the same step of the file as `two`, and before `one`. */
static bool has_executed(const checking *c, uint32_t one, const tmap_step *two) {
    const tmap_step *steps = c->sequence->steps;
    for (uint32_t i = 0; i < one; i++)
        if (steps[i].thread == steps[one].thread && steps[i].mark.line == two->mark.line &&
            steps[i].mark.column == two->mark.column && strcmp(steps[i].text, two->text) == 0)
            return true;
    return false;
}

/* Whether the thread of an operation has a commit or a wait_group of the same kind after the operation, before step
 * `end`. */
static bool has_before(const checking *c, uint32_t number, size_t end, tmap_step_kind kind) {
    const tmap_step *steps = c->sequence->steps;
    for (size_t i = number + 1; i < end; i++)
        if (steps[i].kind == kind && steps[i].thread == steps[number].thread &&
            steps[i].completes == steps[number].completes)
            return true;
    return false;
}

/* Suggests how the later step can wait for the earlier step. */
static void say_wait(tmap_diag *diag, const checking *c, const tmap_event_access *earlier, const tmap_step *later) {
    const tmap_step *step = &c->sequence->steps[earlier->step];
    const char *name = c->sequence->threads[step->thread].name, *thread = c->sequence->threads[later->thread].name;
    bool async = step->kind == TMAP_STEP_ASYNC, same = step->thread == later->thread;
    const char *then = same             ? ""
                       : name == thread ? ", then a sync of all its threads"
                                        : ", then a barrier that both threads use";
    /* A commit after the later step of the same thread is too late. */
    const size_t steps_n = c->sequence->steps_n, end = same ? (size_t)(later - c->sequence->steps) : steps_n;
    bool commit = has_before(c, earlier->step, end, TMAP_STEP_COMMIT);
    bool far =
        step->barrier >= 0 && c->sequence->regions[step->barrier].block != c->sequence->threads[later->thread].block;
    if (!same && name == thread && has_executed(c, earlier->step, later))
        tmap_say_fix(diag, "in %s, between this step and '%s': a sync of all its threads", thread, step->text);
    else if (async && step->completes == TMAP_COMPLETES_TX)
        tmap_say_fix(diag, "in %s, before this step: %s %s, at which the copy completes", thread,
                     far ? "sync: cluster, after a thread that waits for" : "wait for", region_name(c, step->barrier));
    else if (async && step->completes == TMAP_COMPLETES_BULK)
        tmap_say_fix(diag, "in %s, after the %swait_group: %s%s", name,
                     commit ? "commit of the copy: " : "copy: commit: bulk, ", earlier->writes ? "bulk" : "bulk_read",
                     then);
    else if (async && step->completes == TMAP_COMPLETES_WGMMA)
        tmap_say_fix(diag, "in %s, after the %swait_group: wgmma%s", name,
                     commit ? "commit of the wgmma: " : "wgmma: commit: wgmma, ", then);
    else if (async && step->completes == TMAP_COMPLETES_TCGEN05)
        tmap_say_fix(diag,
                     "in %s, after the earlier step: commit: tcgen05 at a barrier; in %s, before this step: wait "
                     "for this barrier",
                     name, thread);
    else if (async && !same && has_before(c, earlier->step, steps_n, TMAP_STEP_WAIT_GROUP))
        tmap_say_fix(diag, "in %s, after the wait_group of the earlier step: %s", name, then + strlen(", then "));
    else if (async)
        tmap_say_fix(diag, "in %s, after the earlier step: wait_group: tcgen05_%s%s", name,
                     step->completes == TMAP_COMPLETES_TCGEN05_LD ? "ld" : "st", then);
    else
        tmap_say_fix(diag, "%s%s must arrive at a barrier after %s, and %s must wait for this barrier before this step",
                     has_twin(c, step->thread) ? "all threads of " : "", name,
                     has_twin(c, step->thread) ? "their steps (or sync, and one of them arrives)" : "its step", thread);
}

static void say_no_order(tmap_diag *diag, const checking *c, const tmap_event_access *earlier,
                         const tmap_event_access *later) {
    const tmap_step *one = &c->sequence->steps[earlier->step], *two = &c->sequence->steps[later->step];
    const char *name = region_name(c, later->region);
    bool init = one->kind == TMAP_STEP_INIT;
    if (init)
        TMAP_SAY(diag->message, "'%s' uses %s, and nothing orders this use after the init of the barrier", two->text,
                 name);
    else if (tmap_step_allocates(one))
        TMAP_SAY(diag->message, "'%s' uses %s, and nothing orders this use after '%s'", two->text, name, one->text);
    else if (tmap_step_allocates(two))
        TMAP_SAY(diag->message, "'%s' is executed, and nothing orders it after the completion of '%s'", two->text,
                 one->text);
    else if (later->writes && earlier->writes)
        TMAP_SAY(diag->message, "'%s' writes %s, which '%s' also writes, and nothing orders the two writes", two->text,
                 name, one->text);
    else if (later->writes)
        TMAP_SAY(diag->message, "'%s' writes %s, and nothing orders this write after the read by '%s'", two->text, name,
                 one->text);
    else
        TMAP_SAY(diag->message, "'%s' reads %s, and nothing orders this read after the write by '%s'", two->text, name,
                 one->text);
    if (init || two->kind == TMAP_STEP_INIT)
        tmap_say_fix(diag, "after the inits: fence: mbarrier_init, then a sync of all threads that use the barriers");
    else
        say_wait(diag, c, earlier, two);
}

static void say_no_fence(tmap_diag *diag, const checking *c, tmap_pair_fault fault, const tmap_event_access *earlier,
                         const tmap_event_access *later) {
    const tmap_step *one = &c->sequence->steps[earlier->step], *two = &c->sequence->steps[later->step];
    const char *name = region_name(c, later->region), *writer = c->sequence->threads[one->thread].name;
    if (fault == PAIR_NO_ASYNC_FENCE) {
        TMAP_SAY(diag->message,
                 "'%s' %s %s through the async proxy, and no fence makes the bytes of '%s' visible to this proxy",
                 two->text, later->writes ? "writes" : "reads", name, one->text);
        tmap_say_fix(diag, "in %s, right after the earlier step: fence: proxy_async", writer);
    } else if (fault == PAIR_NO_REUSE_FENCE) {
        TMAP_SAY(diag->message, "'%s' writes %s through the async proxy, and no fence orders it after '%s'", two->text,
                 name, one->text);
        tmap_say_fix(diag, "in %s, right after the earlier step: fence: proxy_async", writer);
    } else if (fault == PAIR_NO_INIT_FENCE) {
        TMAP_SAY(diag->message, "'%s' completes at %s, and no fence makes the init of the barrier visible to the copy",
                 two->text, name);
        tmap_say_fix(diag, "in %s, right after the inits: fence: mbarrier_init", writer);
    } else if (fault == PAIR_NO_TCGEN05_BEFORE || fault == PAIR_NO_TCGEN05_AFTER) {
        bool before = fault == PAIR_NO_TCGEN05_BEFORE;
        TMAP_SAY(diag->message, "'%s' uses %s after '%s', and no tcgen05.fence::%s_thread_sync orders them", two->text,
                 name, one->text, before ? "before" : "after");
        if (before)
            tmap_say_fix(diag, "in %s, before the arrival at the barrier: fence: tcgen05_before", writer);
        else
            tmap_say_fix(diag, "in %s, after the wait for the barrier: fence: tcgen05_after",
                         c->sequence->threads[two->thread].name);
    } else if (fault == PAIR_NO_RELEASE) {
        TMAP_SAY(diag->message,
                 "'%s' uses map %s, and no release makes the change by '%s' visible to the tensormap proxy", two->text,
                 name, one->text);
        tmap_say_fix(diag, "in %s, after the change: fence: tensormap_release, or publish", writer);
    } else {
        TMAP_SAY(diag->message, "'%s' uses map %s without an acquire of the map after '%s'", two->text, name,
                 one->text);
        tmap_say_fix(diag, "in %s, before the copy: fence: tensormap_acquire, map: %s",
                     c->sequence->threads[two->thread].name, name);
    }
}

/* Names the step between two others whose release or acquire has too small a scope. */
static void say_narrow(tmap_diag *diag, checking *c, const tmap_step *one, const tmap_step *two, int region) {
    const tmap_step *narrow = c->order.narrow != UINT32_MAX ? &c->sequence->steps[c->order.narrow] : one;
    TMAP_SAY(diag->message, "'%s' uses %s after '%s', and '%s' between them %s", two->text, region_name(c, region),
             one->text, narrow->text,
             narrow->relaxed ? "is relaxed, which orders nothing" : "has a scope that is too narrow");
    TMAP_SAY(diag->given, "%s", narrow->relaxed ? "sem: relaxed" : "scope: cta");
    TMAP_SAY(diag->allowed, "%s", narrow->relaxed ? "sem: release, or a fence acq_rel" : "scope: cluster, gpu or sys");
    bool tensor = c->sequence->regions[region].tensor_memory;
    tmap_say_fix(diag, "in %s: %s", c->sequence->threads[narrow->thread].name,
                 !narrow->relaxed ? "scope: cluster"
                 : tensor ? "leave out 'sem', or fence tcgen05_before before an arrival, tcgen05_after after a wait"
                          : "leave out 'sem', or fence acq_rel before an arrival and after a wait");
    note_step(diag, c, narrow, "the step that does not order the two");
}

static const char *rule_of(tmap_pair_fault fault, bool init) {
    switch (fault) {
    case PAIR_NARROW: return "sequence-scope";
    case PAIR_NO_ASYNC_FENCE: return "sequence-async-fence";
    case PAIR_NO_REUSE_FENCE: return "sequence-async-reuse";
    case PAIR_NO_INIT_FENCE: return "sequence-barrier-init";
    case PAIR_NO_RELEASE: return "sequence-map-release";
    case PAIR_NO_ACQUIRE: return "sequence-map-acquire";
    case PAIR_NO_TCGEN05_BEFORE:
    case PAIR_NO_TCGEN05_AFTER: return "sequence-tcgen05-fence";
    case PAIR_NO_ORDER:
    case PAIR_GOOD: break;
    }
    return init ? "sequence-barrier-init" : "sequence-order";
}

/* Marks a finding for tmap_add_results with the region that one of its steps reads. `at` and `length` are free for the
 * mark: a sequence has no expression. */
static void mark_read(tmap_diag *diag, const checking *c, const tmap_event_access *access) {
    const tmap_step *row = &c->sequence->steps[access->step];
    for (int i = 0; i < tmap_all_reads_n(row); i++) {
        if (tmap_read_region(row, i) != access->region || access->writes) continue;
        diag->at = (size_t)access->step * TMAP_SEQUENCE_READS_MAX + (size_t)i;
        diag->length = 1;
    }
}

static void found_pair(void *context, tmap_pair_fault fault, const tmap_event_access *earlier,
                       const tmap_event_access *later) {
    checking *c = context;
    const tmap_step *one = &c->sequence->steps[earlier->step], *two = &c->sequence->steps[later->step];
    if (fault == PAIR_NO_ORDER) c->races[earlier->step] = c->races[later->step] = true;
    if (!is_new(c, fault, one, two)) return;
    tmap_diag diag = begin_finding(c, rule_of(fault, one->kind == TMAP_STEP_INIT), two);
    if (fault == PAIR_NO_ORDER)
        say_no_order(&diag, c, earlier, later);
    else if (fault == PAIR_NARROW)
        say_narrow(&diag, c, one, two, later->region);
    else
        say_no_fence(&diag, c, fault, earlier, later);
    note_step(&diag, c, one, "the earlier step");
    mark_read(&diag, c, earlier);
    mark_read(&diag, c, later);
    end_finding(c, &diag);
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
    for (int k = 0; k < step->writes_n; k++)
        if (tmap_program_overlap(&c->program, step->writes[k], region) != APART) return true;
    return false;
}

/* Returns a step of another thread that writes bytes of the region. Without such a step, returns one that follows
 * `reader` in its thread, or NULL. */
static const tmap_step *find_writer(const checking *c, int region, const tmap_step *reader) {
    const tmap_step *own = NULL;
    for (size_t i = 0; i < c->sequence->steps_n; i++) {
        const tmap_step *step = &c->sequence->steps[i];
        if (!writes_to(c, step, region)) continue;
        if (step->thread != reader->thread) return step;
        if (step > reader && !own) own = step;
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
        tmap_diag diag = begin_finding(c, "sequence-unwritten", step);
        const tmap_step *writer = find_writer(c, access->region, step);
        TMAP_SAY(diag.message, "'%s' reads %s, which no earlier step has written", step->text,
                 region_name(c, access->region));
        if (!writer)
            tmap_say_fix(&diag, "write or copy to these bytes in an earlier step");
        else if (writer->thread == step->thread)
            tmap_say_fix(&diag, "move this step after the step that writes these bytes, and after its completion");
        else if (c->sequence->threads[writer->thread].name == c->sequence->threads[step->thread].name)
            tmap_say_fix(&diag, "before this step: a sync of all threads of %s",
                         c->sequence->threads[step->thread].name);
        else
            tmap_say_fix(&diag, "before this step, wait for the step that writes these bytes");
        if (writer) note_step(&diag, c, writer, "the step that writes these bytes");
        end_finding(c, &diag);
    }
}

static void say_allocation(checking *c, const tmap_event_access *access, tmap_allocation_fault fault) {
    const tmap_step *step = &c->sequence->steps[access->step];
    const char *name = region_name(c, access->region);
    if (fault == ALLOCATION_GOOD || !is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag diag = begin_finding(c, "sequence-allocation", step);
    if (fault == ALLOCATION_MISSING) {
        TMAP_SAY(diag.message, "'%s' uses %s, which is not allocated at this step", step->text, name);
        tmap_say_fix(&diag, "tcgen05_alloc before all uses of %s, tcgen05_dealloc after all of them", name);
    } else if (fault == ALLOCATION_TWICE) {
        TMAP_SAY(diag.message, "'%s' allocates %s, which is already allocated", step->text, name);
        tmap_say_fix(&diag, "one step tcgen05_alloc for %s, by one thread or warp of the thread block", name);
    } else {
        TMAP_SAY(diag.message, "the thread block ends before %s is deallocated", name);
        tmap_say_fix(&diag, "tcgen05_dealloc of %s after its last use", name);
    }
    end_finding(c, &diag);
}

static void judge_allocations(checking *c, size_t first, bool end) {
    for (size_t i = first; i < c->order.accesses_n; i++)
        say_allocation(c, &c->order.accesses[i],
                       end ? tmap_allocation_end(&c->order, i) : tmap_allocation_judge(&c->order, i));
}

static void found_left(void *context, const tmap_event_access *access) {
    checking *c = context;
    const tmap_step *step = &c->sequence->steps[access->step];
    if (!is_new(c, PAIR_GOOD, step, step)) return;
    bool commit = has_before(c, access->step, c->sequence->steps_n, TMAP_STEP_COMMIT);
    tmap_diag diag = begin_finding(c, "sequence-exit", step);
    TMAP_SAY(diag.message, "the thread block may end before '%s' has %s %s", step->text,
             access->writes ? "written" : "read", region_name(c, access->region));
    if (step->kind != TMAP_STEP_ASYNC)
        tmap_say_fix(&diag, "after this step, before the thread block that has %s ends: sync: cluster",
                     region_name(c, access->region));
    else if (step->completes == TMAP_COMPLETES_BULK)
        tmap_say_fix(&diag, "%swait_group: %s before %s ends", commit ? "" : "commit: bulk, then ",
                     access->writes ? "bulk" : "bulk_read", c->sequence->threads[step->thread].name);
    else if (step->completes >= TMAP_COMPLETES_TCGEN05_LD)
        tmap_say_fix(&diag, "wait_group: tcgen05_%s before %s ends",
                     step->completes == TMAP_COMPLETES_TCGEN05_LD ? "ld" : "st",
                     c->sequence->threads[step->thread].name);
    else if (step->completes == TMAP_COMPLETES_TX)
        tmap_say_fix(&diag, "wait for %s before the thread block ends", region_name(c, step->barrier));
    else if (step->completes == TMAP_COMPLETES_WGMMA)
        tmap_say_fix(&diag, "%swait_group: wgmma before %s ends", commit ? "" : "commit: wgmma, then ",
                     c->sequence->threads[step->thread].name);
    else
        tmap_say_fix(&diag, "after this step: commit: tcgen05 at a barrier; wait for it before the thread block ends");
    end_finding(c, &diag);
}

/* ---- Barriers ------------------------------------------------------------------------------------------------- */

static void count_bytes(checking *c, const tmap_event *event) {
    const tmap_step *step = &c->sequence->steps[event->step];
    if (step->barrier < 0) return;
    int barrier = c->program.barrier_of[step->barrier];
    if (event->kind == EVENT_STEP && step->kind == TMAP_STEP_ARRIVE && step->tx_B > 0) {
        c->expected_B[barrier] += step->tx_B;
        c->expects[barrier] = step;
    }
    if (event->kind == EVENT_STEP && step->kind == TMAP_STEP_ASYNC) {
        c->arrived_B[barrier] += step->tx_B;
        c->delivers[barrier] = step;
    }
}

static void judge_bytes(checking *c) {
    for (int barrier = 0; barrier < c->program.barriers_n; barrier++) {
        uint64_t expected = c->expected_B[barrier], arrived = c->arrived_B[barrier];
        const tmap_step *step = c->expects[barrier] ? c->expects[barrier] : c->delivers[barrier];
        if (expected == arrived || !step) continue;
        tmap_diag diag = begin_finding(c, "sequence-tx", step);
        TMAP_SAY(diag.message, "%s expects %llu B in all, but the copies that complete there deliver %llu B",
                 region_name(c, c->program.region_of[barrier]), (unsigned long long)expected,
                 (unsigned long long)arrived);
        TMAP_SAY(diag.given, "expect_tx: %llu B in total", (unsigned long long)expected);
        TMAP_SAY(diag.allowed, "%llu B", (unsigned long long)arrived);
        tmap_say_fix(&diag,
                     "in each phase, expect the sum of the bytes of its copies, including parts outside the tensor");
        if (c->delivers[barrier] && c->delivers[barrier] != step)
            note_step(&diag, c, c->delivers[barrier], "a copy that completes there");
        end_finding(c, &diag);
    }
}

static void judge_arrival(checking *c, const tmap_event *event) {
    const tmap_step *step = &c->sequence->steps[event->step];
    if (step->kind != TMAP_STEP_ARRIVE || event->kind != EVENT_STEP) return;
    const tmap_barrier_state *barrier = &c->machine.barriers[c->program.barrier_of[step->barrier]];
    const char *name = region_name(c, step->barrier);
    bool unready = !barrier->ready, many = barrier->ready && (int64_t)step->count > barrier->pending;
    bool far = step->tx_B > TX_MOST_B || barrier->tx_B + (int64_t)step->tx_B > TX_MOST_B;
    if ((!unready && !many && !far) || !is_new(c, PAIR_GOOD, step, step)) return;
    tmap_diag diag = begin_finding(c, far ? "sequence-tx" : "sequence-arrivals", step);
    if (far) {
        TMAP_SAY(diag.message, "%s expects %lld B in a phase", name, (long long)(barrier->tx_B + (int64_t)step->tx_B));
        TMAP_SAY(diag.allowed, "at most %d B, 2^20 - 1", TX_MOST_B);
        tmap_say_fix(&diag, "use several barriers, or copy less in one phase");
    } else if (unready) {
        TMAP_SAY(diag.message, "'%s' arrives at %s, which has no init", step->text, name);
        tmap_say_fix(&diag, "init %s first", name);
    } else {
        long long all = (long long)barrier->count - barrier->pending + step->count;
        TMAP_SAY(diag.message, "'%s' arrives %u time%s at %s, whose pending count is %lld", step->text, step->count,
                 step->count == 1 ? "" : "s", name, (long long)barrier->pending);
        if (step->count > barrier->count)
            tmap_say_fix(&diag, "arrivals: %lld for %s, or fewer arrivals in this step", all, name);
        else
            tmap_say_fix(&diag, "before this step, wait until the phase of %s has ended; or arrivals: %lld for %s",
                         name, all, name);
    }
    end_finding(c, &diag);
}

/* ---- Hangs ---------------------------------------------------------------------------------------------------- */

/* Whether a thread never ends. */
static bool judge_hang(checking *c) {
    bool hangs = false;
    for (int thread = 0; thread < c->sequence->threads_n; thread++) {
        uint32_t at = tmap_machine_at(&c->machine, thread);
        if (at == UINT32_MAX) continue;
        hangs = true;
        const tmap_step *step = &c->sequence->steps[at];
        if (!is_new(c, PAIR_NO_ORDER, step, step)) continue;
        tmap_diag diag = begin_finding(c, "sequence-hang", step);
        uint32_t cause = tmap_hang_cause(&c->machine, at);
        tmap_say_hang(&diag, &c->machine, at, cause);
        if (cause != at) note_step(&diag, c, &c->sequence->steps[cause], "the first step that waits");
        end_finding(c, &diag);
    }
    return hangs;
}

/* A step that waits forever in a run in which its thread, or another thread, is slower than all others. */
static void found_slow(void *context, const tmap_machine *machine, uint32_t number) {
    checking *c = context;
    const tmap_step *step = &c->sequence->steps[tmap_hang_cause(machine, number)];
    if (!is_new(c, PAIR_NO_ORDER, step, step)) return;
    tmap_diag diag = begin_finding(c, "sequence-hang", step);
    tmap_say_slow(&diag, machine, (uint32_t)(step - c->sequence->steps));
    end_finding(c, &diag);
}

/* The finding after the last pair that is listed. */
static void say_unlisted(checking *c) {
    if (!c->unlisted) return;
    tmap_diag diag = begin_finding(c, "sequence-order", c->unlisted);
    TMAP_SAY(diag.message, "'%s', and perhaps other steps, also lack an order or a fence, and are not listed",
             c->unlisted->text);
    TMAP_SAY(diag.allowed, "%d pairs of steps are listed", PAIRS_MAX);
    tmap_say_fix(&diag, "correct the listed pairs first, then check again");
    end_finding(c, &diag);
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* Runs steps of threads before completions, so every asynchronous operation happens as late as possible. */
static bool run_one(checking *c) {
    tmap_event event;
    if (tmap_machine_ready(&c->machine, &event, 1) == 0) return false;
    judge_arrival(c, &event);
    count_bytes(c, &event);
    size_t accesses_n = c->order.accesses_n;
    tmap_order_before(&c->order, &c->machine, &event);
    judge_reads(c, accesses_n);
    judge_allocations(c, accesses_n, false);
    tmap_machine_run(&c->machine, &event);
    tmap_order_after(&c->order, &event);
    return true;
}

static void say_unexplored(checking *c) {
    uint32_t step = 0;
    while (!c->races[step]) step++;
    tmap_diag diag = begin_finding(c, "sequence-order", &c->sequence->steps[step]);
    diag.severity = TMAP_ADVICE;
    TMAP_SAY(diag.message, "the search for possible results ended after %llu states: other results are possible",
             (unsigned long long)c->exploration.states_n);
    tmap_say_fix(&diag, "fewer rounds of loops, or correct the first findings and check again");
    end_finding(c, &diag);
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
    size_t steps_n = c->sequence->steps_n + 1, regions_n = c->sequence->regions_n + 1;
    c->races = tmap_arena_array(arena, steps_n, sizeof *c->races);
    c->exploration.contents =
        tmap_arena_array(arena, steps_n * TMAP_SEQUENCE_READS_MAX, sizeof *c->exploration.contents);
    c->expected_B = tmap_arena_array(arena, regions_n, sizeof *c->expected_B);
    c->arrived_B = tmap_arena_array(arena, regions_n, sizeof *c->arrived_B);
    c->expects = tmap_arena_array(arena, regions_n, sizeof *c->expects);
    c->delivers = tmap_arena_array(arena, regions_n, sizeof *c->delivers);
    bool room = c->races && c->exploration.contents && c->expected_B && c->arrived_B && c->expects && c->delivers;
    if (!room || !tmap_program_make(&c->program, c->sequence, arena)) return false;
    if (!tmap_machine_make(&c->machine, &c->program, arena)) return false;
    return tmap_order_make(&c->order, &c->program, arena);
}

static bool check(checking *c, tmap_arena *arena, tmap_sequence_result *result) {
    size_t first = c->diags ? c->diags->count : 0;
    if (!begin(c, arena)) return false;
    c->order.context = c;
    c->order.found = found_pair;
    while (run_one(c)) {
    }
    say_unlisted(c);
    bool ends = !judge_hang(c);
    judge_bytes(c);
    if (ends) tmap_order_end(&c->order, c, found_left);
    if (ends) judge_allocations(c, 0, true);
    if (ends && !tmap_delay(&c->program, arena, c, found_slow)) return false;
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
