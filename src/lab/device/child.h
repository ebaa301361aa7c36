/*
 * A process that works for this process and may be lost: an error in it, or in a driver that it uses, ends only that
 * process. Requests and replies are messages through a pair of sockets. The process always ends by SIGKILL, so none of
 * its parent's exit handlers run in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag/refuse.h"

typedef struct child_process {
    pid_t pid; /* 0: no process runs */
    int socket;
} child_process;

/* The work of the process, which ends when this function returns. */
typedef void child_work(const void *context, int socket);

/* Returns false if no process can be started; *refusal then contains the reason. */
bool tmap_child_start(child_process *child, child_work *work, const void *context, tmap_diag *refusal);

/* Sends a whole message. Returns false when the other end is closed. */
bool tmap_child_send(int socket, const void *message, size_t size);

#define OPEN_LIMIT_MS 120000 /* cuInit takes seconds, and tens of seconds on machines with many GPUs */

typedef enum child_answer { CHILD_ANSWERS, CHILD_DIED, CHILD_SILENT } child_answer;

/* Waits at most `limit_ms` for a message of `size` bytes. */
child_answer tmap_child_await(const child_process *child, int64_t limit_ms, void *message, size_t size);

/* Waits for the process to end, and kills it after a time limit. `how` (may be NULL) receives in words how it ended. */
void tmap_child_stop(child_process *child, char how[64]);
/* Kills a process that does not answer. */
void tmap_child_kill(child_process *child);
