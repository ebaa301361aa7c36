/*
 * sequence: runs in which one thread is slower than all others. A wait compares only one bit of the number of a
 * barrier's phase: if the next phase also ends before a thread executes its wait, the wait waits for the wrong phase.
 */
#pragma once

#include "sequence/machine.h"

/*
 * Runs the sequence once for each thread, and executes a step of this thread only if nothing else can happen. Calls
 * `found` for a step that then waits forever, at most once for each thread. Returns false when an allocation fails.
 */
bool tmap_delay(const tmap_program *program, tmap_arena *arena, void *context,
                void (*found)(void *context, const tmap_machine *machine, uint32_t step));
