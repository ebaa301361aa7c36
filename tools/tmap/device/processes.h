/* Programs that run side by side within a time limit, each with its output in a file. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "tmap/base.h"

typedef struct process {
    tmap_text words;   /* of the program and its arguments, one a line */
    char output[4096]; /* the file that receives stdout and stderr */
    char rows[4096];   /* the file to which it appends its results as rows (output/rows.h) */
    pid_t pid;         /* 0: has ended */
    int status;        /* as a shell reports it; 127: the program cannot be started */
} process;

enum { STATUS_LATE = 124, STATUS_KILLED = 137 }; /* as `timeout -k` reports them */

/*
 * Runs the processes until all have ended, and calls `meanwhile` until then, a hundred times a second. At the limit,
 * and after an interrupt of this process, they receive SIGTERM, and 5 s later SIGKILL. They also receive SIGTERM when
 * this process dies. Returns the highest status; after the limit STATUS_LATE or STATUS_KILLED.
 */
int processes_run(process *all, size_t n, double limit_s, void (*meanwhile)(void *context), void *context);
