/* Other programs whose output tmap reads. */
#pragma once

#include "tmap/base.h"

/* The exit status of a program that is not in PATH, as in a shell. */
#define PROGRAM_MISSING 127

/*
 * Runs command[0], whose stdin is the descriptor `in`, and writes its stdout to `output`. Returns its exit status, or
 * -1 if it cannot be started or a signal ends it.
 */
int program_run(const char *const *command, int in, tmap_sink *output);
