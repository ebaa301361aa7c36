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
/* Whether several threads of one name execute the same step, which only one of them must execute. */
bool tmap_is_not_elected(const tmap_sequence *s, const tmap_step *one, const tmap_step *two);
/* Whether the thread of step `one` executes the same step of the file as `two`, and after `one`. */
bool tmap_executes_later(const tmap_sequence *s, const tmap_step *one, const tmap_step *two);
