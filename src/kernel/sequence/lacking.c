/*
 * sequence: the wait that a thread lacks. Another thread arrives at a barrier after its access, and no thread waits
 * there, or the thread waits there too few times. Such an arrival shows which barrier the author meant.
 */
#include "diag/refuse.h"
#include "sequence/texts.h"

enum { LINKS_MOST = 2 };

static const tmap_step *end_of(const tmap_sequence *s) {
    return s->steps + s->steps_n;
}

static bool is_arrival(const tmap_step *step) {
    return step->kind == TMAP_STEP_ARRIVE || (step->kind == TMAP_STEP_COMMIT && step->barrier >= 0);
}

/* Whether the last wait of a thread before another copy to the same bytes is at this barrier. */
static bool guards(const tmap_sequence *s, int barrier, const tmap_step *copy) {
    const tmap_step *wait = NULL;
    for (const tmap_step *step = s->steps; step < end_of(s); step++) {
        if (step->thread != copy->thread) continue;
        if (step->kind == TMAP_STEP_WAIT) wait = step;
        bool other = step != copy && step->writes_n > 0 && copy->writes_n > 0 && step->writes[0] == copy->writes[0];
        if (other && wait && wait->barrier == barrier) return true;
    }
    return false;
}

/* Whether no thread waits at the barrier of an arrival; or, unless `nobody`, the thread of `then` waits there, but too
 * few times before `then`. The first wait for an empty buffer has parity 1 and ends at once. */
static bool lacks(const tmap_sequence *s, const tmap_step *arrival, const tmap_step *then, bool nobody) {
    unsigned waits_n = 0, arrivals_n = 0;
    const tmap_step *first = NULL;
    for (const tmap_step *step = s->steps; step < end_of(s); step++) {
        bool own = step->thread == then->thread && tmap_waits_at(step, arrival->barrier);
        if (nobody && tmap_waits_at(step, arrival->barrier)) return false;
        if (own && !first) first = step;
        waits_n += own && step < then;
        arrivals_n += step <= arrival && step->thread == arrival->thread && step->barrier == arrival->barrier &&
                      step->kind == arrival->kind;
    }
    if (!first || waits_n == 0) return nobody || first;
    return waits_n < arrivals_n + first->parity && guards(s, arrival->barrier, then);
}

/* The step of another thread of the same name that is written in the same place, in the same round; else `step`. */
static const tmap_step *twin_of(const tmap_sequence *s, const tmap_step *step, int thread) {
    for (const tmap_step *twin = s->steps; twin < end_of(s); twin++)
        if (twin->thread == thread && tmap_is_not_elected(s, step, twin)) return twin;
    return step;
}

static int region_of(const tmap_step *step, bool writes) {
    return writes && step->writes_n > 0 ? step->writes[0] : step->reads_n > 0 ? step->reads[0] : step->barrier;
}

/* Whether a thread arrives at a barrier between two of its steps. */
static bool arrives_between(const tmap_step *begin, const tmap_step *end, int barrier) {
    for (const tmap_step *step = begin; step < end; step++)
        if (step->thread == begin->thread && is_arrival(step) && step->barrier == barrier) return true;
    return false;
}

/* The first arrival after step `end` in the round of `op`, by the thread of `op` or one of the same name, that `then`
 * lacks; any arrival if `then` is NULL. */
static const tmap_step *arrival_after(const tmap_sequence *s, const tmap_step *op, const tmap_step *end, bool writes,
                                      const tmap_step *then, bool nobody) {
    bool commits = op->kind == TMAP_STEP_ASYNC && op == end;
    for (int thread = 0; thread < s->threads_n; thread++) {
        if (s->threads[thread].name != s->threads[op->thread].name || (then && thread == then->thread)) continue;
        for (const tmap_step *step = twin_of(s, end, thread) + 1; step < end_of(s); step++) {
            if (step->thread != thread || (commits && step->kind == TMAP_STEP_ARRIVE)) continue;
            if (tmap_is_same_line(step, op) && region_of(step, writes) != region_of(op, writes)) break;
            if (!is_arrival(step) || arrives_between(op, end, step->barrier)) continue;
            if (!then || lacks(s, step, then, nobody)) return step;
        }
    }
    return NULL;
}

static bool is_load(const tmap_step *step) {
    return step->kind == TMAP_STEP_ASYNC && step->completes == TMAP_COMPLETES_TX && step->writes_n > 0;
}

static bool reads_from(const tmap_step *step, int region) {
    for (int i = 0; i < step->reads_n; i++)
        if (step->reads[i] == region) return true;
    return false;
}

/* Whether the thread of `then` has waited for fewer copies to a region than it has read. */
static bool is_unawaited(const tmap_sequence *s, const tmap_step *copy, const tmap_step *then) {
    int copies_n = 0, waits_n = 0, reads_n = 0;
    for (const tmap_step *step = s->steps; step < end_of(s); step++) {
        bool own = step->thread == then->thread;
        copies_n += step <= copy && step->thread == copy->thread && is_load(step) && step->barrier == copy->barrier &&
                    step->writes[0] == copy->writes[0];
        waits_n += own && step < then && tmap_waits_at(step, copy->barrier);
        reads_n += own && step <= then && reads_from(step, copy->writes[0]);
    }
    return waits_n > 0 && waits_n < copies_n && reads_n >= copies_n;
}

/* The first arrival that `then` lacks, by a thread after its wait for a barrier, or by a thread that waits for an
 * arrival of this thread, and so on. */
static const tmap_step *arrival_after_wait(const tmap_sequence *s, int barrier, const tmap_step *then, bool nobody,
                                           int links) {
    const tmap_step *found = NULL;
    uint64_t tried = 1ULL << then->thread;
    for (const tmap_step *wait = s->steps; wait < end_of(s) && !found; wait++) {
        if (!tmap_waits_at(wait, barrier) || tried >> wait->thread & 1) continue;
        tried |= 1ULL << wait->thread;
        found = arrival_after(s, wait, wait, false, then, nobody);
        const tmap_step *next = found || links == 0 ? NULL : arrival_after(s, wait, wait, false, NULL, false);
        if (next) found = arrival_after_wait(s, next->barrier, then, nobody, links - 1);
    }
    return found;
}

static const tmap_step *arrival_of(const tmap_sequence *s, const tmap_step *op, bool writes, const tmap_step *then,
                                   bool nobody) {
    if (is_load(op))
        return nobody ? arrival_after_wait(s, op->barrier, then, true, 0) : is_unawaited(s, op, then) ? op : NULL;
    const tmap_step *end = op->kind == TMAP_STEP_ASYNC ? tmap_completing_wait(s, op, writes, op) : op;
    return arrival_after(s, op, end ? end : op, writes, then, nobody);
}

/* The arrival of a thread that reads the bytes that `one` writes, before the same thread writes them again. */
static const tmap_step *arrival_of_readers(const tmap_sequence *s, const tmap_step *one, const tmap_step *then,
                                           bool nobody) {
    const tmap_step *found = NULL;
    uint64_t tried = 1ULL << then->thread;
    for (const tmap_step *step = s->steps; step < end_of(s) && !found; step++) {
        if (!reads_from(step, one->writes[0]) || tried >> step->thread & 1) continue;
        tried |= 1ULL << step->thread;
        found = arrival_of(s, step, false, then, nobody);
    }
    return found;
}

/* The step before which the wait comes: the arrival that expects the bytes of a copy, or the step. */
static const tmap_step *place_of(const tmap_sequence *s, const tmap_step *then) {
    const tmap_step *place = then;
    for (const tmap_step *step = s->steps; step < then; step++) {
        if (step->thread != then->thread) continue;
        bool arrives = step->kind == TMAP_STEP_ARRIVE && step->barrier == then->barrier;
        if (step->mark.line == then->mark.line) place = then;
        if (arrives && step->mark.line < then->mark.line) place = step;
    }
    return place;
}

static bool say(tmap_diag *diag, const tmap_sequence *s, const tmap_step *arrival, const tmap_step *then) {
    if (!arrival) return false;
    tmap_say_fix(diag, "in %s, before '%s': wait for %s, at which %s arrives", s->threads[then->thread].name,
                 place_of(s, then)->text, s->regions[arrival->barrier].name, s->threads[arrival->thread].name);
    return true;
}

const tmap_step *tmap_sync_between(const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    uint64_t both = (uint64_t)1 << one->thread | (uint64_t)1 << two->thread;
    const tmap_step *sync = NULL;
    int syncs_n = 0;
    for (const tmap_step *step = s->steps; step < two; step++)
        syncs_n += step->kind == TMAP_STEP_SYNC && step->thread == two->thread && (step->threads & both) == both;
    for (const tmap_step *step = s->steps; step < s->steps + s->steps_n && syncs_n > 0; step++) {
        if (step->kind != TMAP_STEP_SYNC || step->thread != one->thread || (step->threads & both) != both) continue;
        syncs_n--;
        sync = step;
    }
    return sync && sync > one ? sync : NULL;
}

bool tmap_say_lacking_wait(tmap_diag *diag, const tmap_sequence *s, const tmap_step *one, bool writes,
                           const tmap_step *two, bool nobody) {
    bool same = one->thread == two->thread;
    const tmap_step *found = !same                          ? arrival_of(s, one, writes, two, nobody)
                             : is_load(one) && is_load(two) ? arrival_of_readers(s, one, two, nobody)
                                                            : NULL;
    if (found || same || !nobody) return say(diag, s, found, two);
    return !tmap_sync_between(s, one, two) && say(diag, s, arrival_of(s, two, false, one, true), one);
}

/* Whether a thread waits for a barrier in the round of a step, before the step. */
static bool has_waited(const tmap_sequence *s, const tmap_step *then) {
    bool waited = false;
    for (const tmap_step *step = s->steps; step < then; step++)
        if (step->thread == then->thread)
            waited = step->mark.line != then->mark.line && (waited || step->kind == TMAP_STEP_WAIT);
    return waited;
}

bool tmap_say_lacking_arrival(tmap_diag *diag, const tmap_sequence *s, const tmap_step *arrival) {
    const tmap_step *found = arrival_after_wait(s, arrival->barrier, arrival, true, LINKS_MOST);
    if (!found && !has_waited(s, arrival)) found = arrival_after_wait(s, arrival->barrier, arrival, false, LINKS_MOST);
    return say(diag, s, found, arrival);
}
