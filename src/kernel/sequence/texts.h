/* sequence: the texts of findings about accesses. */
#pragma once

#include "sequence/order.h"

/* Adds a note with another step. */
void tmap_note_step(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step, const char *what);
/* Writes the message, the fix and the notes of a fault between two accesses. */
void tmap_say_pair(tmap_diag *diag, const tmap_order *order, tmap_pair_fault fault, const tmap_event_access *earlier,
                   const tmap_event_access *later);
/* Writes the fix for a step that may belong to different phases. */
void tmap_say_phase(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step);
/* As tmap_say_phase, for a fault that only some executions have: continues its message. */
void tmap_say_other_phase(tmap_diag *diag, const tmap_sequence *s, const tmap_step *step);
/* Writes the message and the fix of an access that may happen after the end of its thread block. */
void tmap_say_left(tmap_diag *diag, const tmap_order *order, const tmap_machine *machine,
                   const tmap_event_access *access);
/* Whether two steps are of the same place of the file. */
static inline bool tmap_is_same_line(const tmap_step *one, const tmap_step *two) {
    return one->mark.line == two->mark.line && one->mark.column == two->mark.column;
}
static inline bool tmap_waits_at(const tmap_step *step, int barrier) {
    return step->kind == TMAP_STEP_WAIT && step->barrier == barrier;
}
/* The commit that an operation requires before its wait_group: "commit: bulk, ", or "". */
const char *tmap_commit_word(const tmap_step *op);
/* Whether several threads of one name execute the same step, which only one of them must execute. */
bool tmap_is_not_elected(const tmap_sequence *s, const tmap_step *one, const tmap_step *two);
/* Whether a thread executes, in the steps from `begin` to before `end`, a step of the same place of the file. */
bool tmap_executes(const tmap_step *begin, const tmap_step *end, int thread, const tmap_step *like);
/* Whether a loop repeats a step, so that a change of the step changes others. */
bool tmap_is_repeated(const tmap_sequence *s, const tmap_step *step);
/* The first wait_group after the step `from` that waits for an access of an operation; NULL: none. */
const tmap_step *tmap_completing_wait(const tmap_sequence *s, const tmap_step *op, bool writes, const tmap_step *from);
/* The last sync before `two` in which the threads of both steps take part, as a step of the thread of `one`. NULL: no
 * such sync follows `one`. */
const tmap_step *tmap_sync_between(const tmap_sequence *s, const tmap_step *one, const tmap_step *two);
/* Writes the fix for two accesses, or for an arrival too many, if a thread lacks a wait. Returns whether it does.
 * `nobody`: only waits for arrivals for which no thread waits. */
bool tmap_say_lacking_wait(tmap_diag *diag, const tmap_sequence *s, const tmap_step *one, bool writes,
                           const tmap_step *two, bool nobody);
bool tmap_say_lacking_arrival(tmap_diag *diag, const tmap_sequence *s, const tmap_step *arrival);
