/* sequence: the texts of findings about accesses. */
#include "sequence/texts.h"

#include <string.h>

#include "diag/refuse.h"

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

static const char *thread_name(const tmap_sequence *s, const tmap_step *step) {
    return s->threads[step->thread].name;
}

static bool is_before(const tmap_step *one, const tmap_step *two) {
    return one->mark.line != two->mark.line ? one->mark.line < two->mark.line : one->mark.column < two->mark.column;
}

void tmap_note_step(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step, const char *what) {
    if (diag->notes_n == TMAP_NOTES_MAX) return;
    tmap_note *note = &diag->notes[diag->notes_n++];
    *note = (tmap_note){.field = -1, .dim = -1, .mark = step->mark};
    TMAP_SAY(note->text, "%s: %s by %s", what, step->text, thread_name(s, step));
}

/* Whether another thread has the same name: both represent many threads. */
static bool has_twin(const tmap_sequence *s, int thread) {
    for (int i = 0; i < s->threads_n; i++)
        if (i != thread && s->threads[i].name == s->threads[thread].name) return true;
    return false;
}

/* The commit or wait_group of an operation's thread and kind that first follows `from`, before step `end`; or NULL. */
static const tmap_step *group_step(const tmap_step *op, const tmap_step *from, const tmap_step *end,
                                   tmap_step_kind kind) {
    for (const tmap_step *step = from + 1; step < end; step++)
        if (step->kind == kind && step->thread == op->thread && step->completes == op->completes) return step;
    return NULL;
}

/* The arrival of a thread at a barrier between the steps `begin` and `end`: the last or the first. NULL: none. */
static const tmap_step *arrival_between(int thread, int barrier, const tmap_step *begin, const tmap_step *end,
                                        bool last) {
    const tmap_step *found = NULL;
    for (const tmap_step *step = begin; step < end && (last || !found); step++)
        if (step->thread == thread && step->kind == TMAP_STEP_ARRIVE && step->barrier == barrier) found = step;
    return found;
}

/* The last wait of the thread of `two` before `two` at a barrier at which the thread of `one` arrives; NULL: none. */
static const tmap_step *wait_for_thread(const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    for (const tmap_step *wait = two; wait-- > s->steps;)
        if (wait->thread == two->thread && wait->kind == TMAP_STEP_WAIT &&
            arrival_between(one->thread, wait->barrier, s->steps, s->steps + s->steps_n, false))
            return wait;
    return NULL;
}

/* ---- Pairs without an order ----------------------------------------------------------------------------------- */

/* Two accesses, their steps, the names of the threads, and that of the bytes. */
typedef struct pair {
    const tmap_sequence *s;
    const tmap_event_access *earlier, *later;
    const tmap_step *one, *two;
    const char *thread_of_one, *thread_of_two, *name;
} pair;

/* The word of wait_group for an access of an asynchronous operation. */
static const char *group_word(const tmap_step *op, bool writes) {
    static const char *const words[] = {
        [TMAP_COMPLETES_TX] = NULL,
        [TMAP_COMPLETES_BULK] = "bulk_read",
        [TMAP_COMPLETES_WGMMA] = "wgmma",
        [TMAP_COMPLETES_TCGEN05] = NULL,
        [TMAP_COMPLETES_TCGEN05_LD] = "tcgen05_ld",
        [TMAP_COMPLETES_TCGEN05_ST] = "tcgen05_st",
        [TMAP_COMPLETES_CP_ASYNC] = "cp_async",
    };
    return op->completes == TMAP_COMPLETES_BULK && writes ? "bulk" : words[op->completes];
}

/* Whether the thread of a step waits at a barrier before the step. */
static bool waits_at(const tmap_sequence *s, int barrier, const tmap_step *end) {
    for (const tmap_step *step = s->steps; step < end; step++)
        if (step->thread == end->thread && tmap_waits_at(step, barrier)) return true;
    return false;
}

/* Whether `later` waits for a step of the thread of `from` after `from`, or for a step of another thread that does, and
 * so on. seen: the threads whose steps were examined. */
static bool leads_to(const tmap_sequence *s, const tmap_step *from, const tmap_step *later, uint64_t *seen) {
    *seen |= (uint64_t)1 << later->thread;
    for (const tmap_step *wait = s->steps; wait < later; wait++) {
        bool waits = wait->thread == later->thread && wait->barrier >= 0 && tmap_waits_at(wait, wait->barrier);
        if (!waits || waits_at(s, wait->barrier, wait)) continue; /* the first wait at each barrier */
        for (const tmap_step *step = s->steps + s->steps_n; step-- > s->steps;) {
            if (step->barrier != wait->barrier || tmap_waits_at(step, wait->barrier)) continue;
            if (step->thread == from->thread && step > from) return true;
            bool known = step->thread == from->thread || (*seen >> step->thread & 1);
            if (!known && leads_to(s, from, step, seen)) return true;
        }
    }
    return false;
}

/* The arrival of the thread of `one` that lets the thread of `two` execute `two`, and that is written before the end of
 * the access of `one`, which it must follow; NULL: none. */
static const tmap_step *early_arrival(const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    const tmap_step *wait = one->thread == two->thread ? NULL : wait_for_thread(s, one, two);
    if (!wait) return NULL;
    const tmap_step *arrival = arrival_between(one->thread, wait->barrier, s->steps, one, true);
    if (arrival && is_before(arrival, one)) return arrival;
    if (one->kind != TMAP_STEP_ASYNC) return NULL;
    return arrival_between(one->thread, wait->barrier, one, s->steps + s->steps_n, false);
}

/* Suggests to move an arrival that comes before the end of an access. Returns false if no arrival comes too early. */
static bool say_early_arrival(tmap_diag *diag, const tmap_sequence *s, const tmap_event_access *access,
                              const tmap_step *other) {
    const tmap_step *step = &s->steps[access->step], *arrival = early_arrival(s, step, other);
    const char *name = thread_name(s, step);
    if (!arrival || (step->kind == TMAP_STEP_ASYNC && step->completes == TMAP_COMPLETES_TX)) return false;
    const tmap_step *last = step;
    if (step->kind == TMAP_STEP_ASYNC) {
        last = tmap_completing_wait(s, step, access->writes, arrival);
        const tmap_step *first = tmap_completing_wait(s, step, access->writes, step);
        if (step < arrival && first && first < arrival) return false;
    }
    bool cp_async = step->completes == TMAP_COMPLETES_CP_ASYNC;
    if (!last && (cp_async || step->completes == TMAP_COMPLETES_TCGEN05)) {
        tmap_say_fix(diag, "in %s, in place of '%s': commit: %s at %s", name, arrival->text,
                     cp_async ? "cp_async" : "tcgen05", s->regions[arrival->barrier].name);
        return true;
    }
    if (!last || !is_before(arrival, last)) return false;
    tmap_say_fix(diag, "in %s: move '%s' after '%s'", name, arrival->text, last->text);
    return true;
}

/* Whether the thread of `two` waits before `two` for the completion of copy `one`, or for an arrival of its thread. */
static bool has_waited(const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    if (one->completes == TMAP_COMPLETES_TX && waits_at(s, one->barrier, two)) return true;
    return wait_for_thread(s, one, two) != NULL;
}

/* Whether a copy fills its stage again: the thread of step `reader` has waited for fewer phases than the thread of the
 * copy has filled by this step of the file. */
static bool is_refill(const tmap_sequence *s, const tmap_step *copy, const tmap_step *reader) {
    int phases_n = 0;
    for (const tmap_step *step = s->steps; step <= copy; step++)
        phases_n += step->thread == copy->thread && step->barrier == copy->barrier && tmap_is_same_line(step, copy);
    for (const tmap_step *step = s->steps; step < reader; step++)
        phases_n -= step->thread == reader->thread && tmap_waits_at(step, copy->barrier);
    return copy->completes == TMAP_COMPLETES_TX && phases_n > 0 && waits_at(s, copy->barrier, reader);
}

/* Suggests how a step can wait for the steps of another thread, or of all threads of its name. */
static void say_arrive(tmap_diag *diag, const tmap_sequence *s, const tmap_step *first, const tmap_step *then) {
    bool twins = has_twin(s, first->thread);
    tmap_say_fix(diag, "%s%s must arrive at a barrier after %s, and %s must wait for this barrier before '%s'",
                 twins ? "all threads of " : "", thread_name(s, first),
                 twins ? "their steps (or sync, and one of them arrives)" : "its step", thread_name(s, then),
                 then->text);
}

/* Suggests a smaller `pending` for the last wait_group before `later`, the step that needs the end of the access. NULL:
 * before the end of the thread, but no wait_group in a loop, which may keep groups in flight. Returns false if no such
 * wait_group has a larger `pending`, or if nothing can order a step of another thread after it. */
static bool say_pending(tmap_diag *diag, const tmap_sequence *s, const tmap_event_access *access,
                        const tmap_step *later) {
    const tmap_step *op = &s->steps[access->step], *found = NULL;
    const tmap_step *end = !later ? NULL : op->thread == later->thread ? later : early_arrival(s, op, later);
    if (later && !end) end = tmap_sync_between(s, op, later);
    uint32_t groups_n = *tmap_commit_word(op) ? 0 : 1, pending = 0;
    bool ordered = !later || end || has_twin(s, op->thread);
    for (const tmap_step *step = op + 1; step < s->steps + s->steps_n && step != end; step++) {
        bool twin = later && !end && has_twin(s, op->thread);
        if (twin && tmap_is_same_line(step, later) && strcmp(step->text, later->text) == 0) break;
        if (step->thread != op->thread) continue;
        if (step->completes != op->completes) continue;
        groups_n += step->kind == TMAP_STEP_COMMIT && step->barrier < 0;
        if (step->kind != TMAP_STEP_WAIT_GROUP || groups_n == 0 || (access->writes && step->reads_only)) continue;
        found = step;
        pending = later ? groups_n - 1 : 0;
    }
    uint64_t seen = 0;
    ordered = ordered || (found && leads_to(s, found, later, &seen));
    if (!found || !ordered || pending >= found->pending || (!later && tmap_is_repeated(s, found))) return false;
    tmap_say_fix(diag, "in %s: pending: %u in '%s'", thread_name(s, op), pending, found->text);
    return true;
}

/* Suggests how the later step can wait for an asynchronous operation. */
static void say_wait(tmap_diag *diag, const pair *p) {
    const tmap_sequence *s = p->s;
    const tmap_step *step = p->one, *later = p->two, *end = s->steps + s->steps_n;
    const char *name = p->thread_of_one, *thread = p->thread_of_two;
    bool same = step->thread == later->thread;
    const char *then = same             ? ""
                       : name == thread ? ", then a sync of all its threads"
                                        : ", then a barrier that both threads use";
    const char *word = group_word(step, p->earlier->writes);
    bool far = step->barrier >= 0 && s->regions[step->barrier].block != s->threads[later->thread].block;
    /* A commit or a wait after the later step of the same thread is too late. */
    bool commit = group_step(step, step, same ? later : end, TMAP_STEP_COMMIT) || !*tmap_commit_word(step);
    const tmap_step *wait = same ? NULL : group_step(step, step, end, TMAP_STEP_WAIT_GROUP);
    const tmap_step *arrival = group_step(step, step, end, TMAP_STEP_COMMIT);
    if (step->completes == TMAP_COMPLETES_CP_ASYNC && arrival && arrival->barrier >= 0)
        tmap_say_fix(diag, "in %s, before this step: wait for %s, at which the cp.async arrives", thread,
                     s->regions[arrival->barrier].name);
    else if (step->completes == TMAP_COMPLETES_TX && waits_at(s, step->barrier, later))
        tmap_say_fix(diag, "in %s, a wait for %s before this step ends too early: correct its parity, or the expect_tx",
                     thread, s->regions[step->barrier].name);
    else if (step->completes == TMAP_COMPLETES_TX)
        tmap_say_fix(diag, "in %s, before this step: %s %s, at which the copy completes", thread,
                     far ? "sync: cluster, after a thread that waits for" : "wait for", s->regions[step->barrier].name);
    else if (step->completes == TMAP_COMPLETES_TCGEN05)
        tmap_say_fix(diag,
                     "in %s, after the earlier step: commit: tcgen05 at a barrier; in %s, before this step: wait "
                     "for this barrier",
                     name, thread);
    else if (*tmap_commit_word(step) && say_pending(diag, s, p->earlier, later))
        return;
    else if (wait && !*tmap_commit_word(step))
        tmap_say_fix(diag, "in %s, after the wait_group of the earlier step: %s", name, then + strlen(", then "));
    else
        tmap_say_fix(diag, "in %s, after the %s%s: %swait_group: %s%s", name,
                     *tmap_commit_word(step) && commit ? "commit of the " : "",
                     step->completes == TMAP_COMPLETES_BULK    ? "copy"
                     : step->completes == TMAP_COMPLETES_WGMMA ? "wgmma"
                                                               : "earlier step",
                     commit ? "" : tmap_commit_word(step), word, then);
}

/* Suggests an order between a step of the host and a step of a kernel that it has launched. */
static void say_host(tmap_diag *diag, const tmap_sequence *s, const tmap_step *host, const tmap_step *kernel,
                     bool prepares) {
    const tmap_step *launch = s->steps;
    while (launch < host && !(launch->kind == TMAP_STEP_LAUNCH && launch->threads >> kernel->thread & 1)) launch++;
    if (prepares && launch < host)
        tmap_say_fix(diag,
                     "in %s: move '%s' before '%s'; or, if the kernel must read the old bytes, sync: all before it",
                     thread_name(s, host), host->text, launch->text);
    else
        tmap_say_fix(diag, "in %s, before '%s': sync: all", thread_name(s, host), host->text);
}

/* Suggests an order between steps of two kernels. */
static void say_kernels(tmap_diag *diag, const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    bool turned = s->threads[one->thread].kernel > s->threads[two->thread].kernel;
    const tmap_step *first = turned ? two : one, *second = turned ? one : two; /* by the launches */
    const tmap_step *join = s->steps;
    while (join < second && !(join->kind == TMAP_STEP_JOIN && join->thread == second->thread)) join++;
    if (join < second)
        tmap_say_fix(diag,
                     "griddepcontrol: wait also in the kernels between %s and %s: a wait is for the previous kernel",
                     thread_name(s, first), thread_name(s, second));
    else
        tmap_say_fix(diag, "in %s, before '%s': griddepcontrol: wait", thread_name(s, second), second->text);
}

static void say_order(tmap_diag *diag, const pair *p) {
    const tmap_sequence *s = p->s;
    const tmap_step *one = p->one, *two = p->two;
    const tmap_sequence_thread *of_one = &s->threads[one->thread], *of_two = &s->threads[two->thread];
    if (of_one->kernel < 0 && of_two->kernel >= 0)
        say_host(diag, s, one, two, !p->later->writes);
    else if (of_two->kernel < 0 && of_one->kernel >= 0)
        say_host(diag, s, two, one, !p->earlier->writes);
    else if (of_one->kernel != of_two->kernel)
        say_kernels(diag, s, one, two);
    else if (tmap_is_not_elected(s, one, two))
        tmap_say_fix(diag, "elect: true in this step, so that one thread of %s executes it", of_two->name);
    else if (of_one != of_two && of_one->name == of_two->name && tmap_executes(s->steps, one, one->thread, two))
        tmap_say_fix(diag, "in %s, between this step and '%s': a sync of all its threads", of_two->name, one->text);
    else if (tmap_say_lacking_wait(diag, s, one, p->earlier->writes, two, true) ||
             say_early_arrival(diag, s, p->earlier, two) ||
             tmap_say_lacking_wait(diag, s, one, p->earlier->writes, two, false) ||
             (has_waited(s, one, two) && say_early_arrival(diag, s, p->later, one)))
        return;
    else if (one->kind == TMAP_STEP_ASYNC && is_refill(s, one, two))
        say_arrive(diag, s, two, one);
    else if (one->kind == TMAP_STEP_ASYNC)
        say_wait(diag, p);
    else if (one->kind == TMAP_STEP_COMMIT)
        tmap_say_fix(diag, "in %s, before this step: wait for %s", of_two->name, s->regions[one->barrier].name);
    else
        say_arrive(diag, s, one, two);
}

static void say_fault(tmap_diag *diag, tmap_pair_fault fault, const pair *p) {
    tmap_say_fault(diag, fault,
                   (tmap_pair_text){p->two->text, p->one->text, p->name, p->later->writes, p->earlier->writes,
                                    tmap_step_allocates(p->two)});
}

static void say_no_order(tmap_diag *diag, const pair *p) {
    const tmap_step *one = p->one, *two = p->two;
    bool init = one->kind == TMAP_STEP_INIT, not_elected = tmap_is_not_elected(p->s, one, two);
    if (not_elected && p->later->writes && p->earlier->writes)
        TMAP_SAY(diag->message, "several threads execute '%s', and each of them writes all of %s", two->text, p->name);
    else if (two->kind == TMAP_STEP_INVAL)
        TMAP_SAY(diag->message, "'%s' ends the use of %s, and nothing orders it after '%s'", two->text, p->name,
                 one->text);
    else if (init || one->kind == TMAP_STEP_INVAL)
        TMAP_SAY(diag->message, "'%s' uses %s, and nothing orders this use after the %s of the barrier", two->text,
                 p->name, init ? "init" : "inval");
    else if (tmap_step_allocates(one))
        TMAP_SAY(diag->message, "'%s' uses %s, and nothing orders this use after '%s'", two->text, p->name, one->text);
    else
        say_fault(diag, PAIR_NO_ORDER, p);
    if (not_elected || (!init && two->kind != TMAP_STEP_INIT))
        say_order(diag, p);
    else
        tmap_say_fix(diag, "after the inits: fence: mbarrier_init, then a sync of all threads that use the barriers");
}

static void say_in_time(tmap_diag *diag, const pair *p) {
    TMAP_SAY(diag->message,
             "'%s' writes %s after '%s' of other threads, and PTX does not define this order: a wgmma or an elect.sync "
             "between them is not a sync of memory accesses",
             p->two->text, p->name, p->one->text);
    tmap_say_fix(diag, "in %s, before one thread continues for all: a sync of all its threads; or each thread arrives",
                 p->thread_of_one);
}

/* ---- Pairs without a fence ------------------------------------------------------------------------------------ */

static void say_no_tcgen05_fence(tmap_diag *diag, bool before, const pair *p) {
    TMAP_SAY(diag->message, "'%s' uses %s after '%s', and no tcgen05.fence::%s_thread_sync orders them", p->two->text,
             p->name, p->one->text, before ? "before" : "after");
    if (before)
        tmap_say_fix(diag, "in %s, before the arrival at the barrier: fence: tcgen05_before", p->thread_of_one);
    else
        tmap_say_fix(diag, "in %s, after the wait for the barrier: fence: tcgen05_after", p->thread_of_two);
}

static void say_no_async_fence(tmap_diag *diag, const pair *p) {
    const tmap_step *one = p->one;
    say_fault(diag, PAIR_NO_ASYNC_FENCE, p);
    const tmap_step *wait = group_step(one, one, p->s->steps + p->s->steps_n, TMAP_STEP_WAIT_GROUP);
    if (one->kind == TMAP_STEP_ASYNC && !wait)
        tmap_say_fix(diag, "in %s, after its wait and before this step: fence: proxy_async", p->thread_of_two);
    else
        tmap_say_fix(diag, "in %s, right after the %s: fence: proxy_async", p->thread_of_one,
                     one->kind == TMAP_STEP_ASYNC ? "wait_group of the earlier step" : "earlier step");
}

static void say_no_fence(tmap_diag *diag, tmap_pair_fault fault, const pair *p) {
    if (fault == PAIR_NO_REUSE_FENCE) {
        say_fault(diag, fault, p);
        tmap_say_fix(diag, "in %s, right after the earlier step: fence: proxy_async", p->thread_of_one);
    } else if (fault == PAIR_NO_INIT_FENCE || fault == PAIR_NO_INIT_FENCE_AFTER_SYNC) {
        TMAP_SAY(diag->message, "'%s' completes at %s, and no fence makes the init of the barrier visible to the %s",
                 p->two->text, p->name, p->two->kind == TMAP_STEP_COMMIT ? "arrival" : "copy");
        tmap_say_fix(diag, "in %s, right after the inits: fence: mbarrier_init", p->thread_of_one);
    } else if (fault == PAIR_NO_RELEASE) {
        TMAP_SAY(diag->message,
                 "'%s' uses map %s, and no release makes the change by '%s' visible to the tensormap proxy",
                 p->two->text, p->name, p->one->text);
        tmap_say_fix(diag, "in %s, after the change: fence: tensormap_release, or publish", p->thread_of_one);
    } else {
        TMAP_SAY(diag->message, "'%s' uses map %s without an acquire of the map after '%s'", p->two->text, p->name,
                 p->one->text);
        tmap_say_fix(diag, "in %s, before the copy: fence: tensormap_acquire, map: %s", p->thread_of_two, p->name);
    }
}

/* Names the step between two others whose release or acquire has too small a scope. */
static void say_narrow(tmap_diag *diag, const tmap_order *order, const pair *p) {
    const tmap_step *narrow = order->narrow != UINT32_MAX ? &p->s->steps[order->narrow] : p->one;
    TMAP_SAY(diag->message, "'%s' uses %s after '%s', and '%s' between them %s", p->two->text, p->name, p->one->text,
             narrow->text, narrow->relaxed ? "is relaxed, which orders nothing" : "has a scope that is too narrow");
    TMAP_SAY(diag->given, "%s", narrow->relaxed ? "sem: relaxed" : "scope: cta");
    TMAP_SAY(diag->allowed, "%s", narrow->relaxed ? "sem: release, or a fence acq_rel" : "scope: cluster, gpu or sys");
    tmap_say_fix(diag, "in %s: %s", thread_name(p->s, narrow),
                 !narrow->relaxed ? "scope: cluster"
                 : p->s->regions[p->later->region].tensor_memory
                     ? "leave out 'sem', or fence tcgen05_before before an arrival, tcgen05_after after a wait"
                     : "leave out 'sem', or fence acq_rel before an arrival and after a wait");
    tmap_note_step(diag, p->s, narrow, "the step that does not order the two");
}

void tmap_say_pair(tmap_diag *diag, const tmap_order *order, tmap_pair_fault fault, const tmap_event_access *earlier,
                   const tmap_event_access *later) {
    const tmap_sequence *s = order->program->sequence;
    const tmap_step *one = &s->steps[earlier->step], *two = &s->steps[later->step];
    const pair p = {
        s, earlier, later, one, two, thread_name(s, one), thread_name(s, two), s->regions[later->region].name};
    if (fault == PAIR_NO_ORDER)
        say_no_order(diag, &p);
    else if (fault == PAIR_IN_TIME)
        say_in_time(diag, &p);
    else if (fault == PAIR_NARROW)
        say_narrow(diag, order, &p);
    else if (fault == PAIR_NO_TCGEN05_BEFORE || fault == PAIR_NO_TCGEN05_AFTER)
        say_no_tcgen05_fence(diag, fault == PAIR_NO_TCGEN05_BEFORE, &p);
    else if (fault == PAIR_NO_ASYNC_FENCE)
        say_no_async_fence(diag, &p);
    else
        say_no_fence(diag, fault, &p);
    tmap_note_step(diag, s, one, "the earlier step");
}

void tmap_say_phase(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step) {
    const char *name = s->regions[step->barrier].name, *thread = s->threads[step->thread].name;
    if (step->kind == TMAP_STEP_WAIT)
        tmap_say_fix(diag, "in %s, before '%s': wait for the previous phase of %s; or correct the parity of '%s'",
                     thread, step->text, name, step->text);
    else if (step->kind == TMAP_STEP_ASYNC)
        tmap_say_fix(
            diag,
            "in each phase of %s, expect the bytes of its copies; in %s, before '%s': wait for the previous phase",
            name, thread, step->text);
    else
        tmap_say_fix(diag, "in %s, before '%s': wait for the previous phase of %s", thread, step->text, name);
}

void tmap_say_other_phase(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step) {
    TMAP_SAY_MORE(diag->message, " in executions in which %s'%s'%s",
                  step->kind == TMAP_STEP_ASYNC ? "a phase ends before " : "", step->text,
                  step->kind == TMAP_STEP_ASYNC ? " is complete" : " meets another phase");
    tmap_say_phase(diag, s, step);
}

/* ---- The end of a thread block -------------------------------------------------------------------------------- */

/* The last thread of the block of a barrier that waits at this barrier; else its first thread. */
static int waiting_thread(const tmap_sequence *s, int barrier) {
    int found = -1;
    for (size_t i = 0; i < s->steps_n; i++)
        if (tmap_waits_at(&s->steps[i], barrier) && s->threads[s->steps[i].thread].block == s->regions[barrier].block)
            found = s->steps[i].thread;
    for (int thread = 0; thread < s->threads_n && found < 0; thread++)
        if (s->threads[thread].block == s->regions[barrier].block) found = thread;
    return found;
}

/* An arrival of tcgen05.commit for which no thread of the barrier's block waits. */
static void say_pending_arrival(tmap_diag *diag, const tmap_order *order, const tmap_machine *machine,
                                const tmap_step *step) {
    const tmap_sequence *s = order->program->sequence;
    const char *name = s->regions[step->barrier].name;
    const tmap_mbarrier *barrier = tmap_machine_barrier(machine, step);
    int thread = waiting_thread(s, step->barrier);
    TMAP_SAY(diag->message, "the thread block may end before '%s' has arrived at %s", step->text, name);
    if (!barrier->ready)
        tmap_say_fix(diag, "before the inval of %s: wait for %s", name, name);
    else if (barrier->pending != (int64_t)barrier->count || barrier->phases == 0)
        tmap_say_fix(diag, "leave out this commit: its phase of %s never ends", name);
    else
        tmap_say_fix(diag, "in %s, before it ends: wait for parity %u of %s%s", s->threads[thread].name,
                     (barrier->phases - 1) & 1, name,
                     strchr(name, '[') ? ", and for the last phase of each other stage" : "");
}

void tmap_say_left(tmap_diag *diag, const tmap_order *order, const tmap_machine *machine,
                   const tmap_event_access *access) {
    const tmap_sequence *s = order->program->sequence;
    const tmap_step *step = &s->steps[access->step];
    const char *name = s->regions[access->region].name, *word = group_word(step, access->writes);
    bool committed = group_step(step, step, s->steps + s->steps_n, TMAP_STEP_COMMIT);
    const char *commit = committed ? "" : tmap_commit_word(step);
    TMAP_SAY(diag->message, "the thread block may end before '%s' has %s %s", step->text,
             access->writes ? "written" : "read", name);
    if (step->kind == TMAP_STEP_COMMIT)
        say_pending_arrival(diag, order, machine, step);
    else if (step->kind != TMAP_STEP_ASYNC)
        tmap_say_fix(diag, "after this step, before the thread block that has %s ends: sync: cluster", name);
    else if (step->completes == TMAP_COMPLETES_TX)
        tmap_say_fix(diag, "wait for %s before the thread block ends", s->regions[step->barrier].name);
    else if (step->completes == TMAP_COMPLETES_TCGEN05)
        tmap_say_fix(diag, "after this step: commit: tcgen05 at a barrier; wait for it before the thread block ends");
    else if (!say_pending(diag, s, access, NULL))
        tmap_say_fix(diag, "%s%swait_group: %s before %s ends", commit, *commit ? "then " : "", word,
                     thread_name(s, step));
}
