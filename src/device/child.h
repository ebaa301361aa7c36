/*
 * A process that works for this one and may be lost: what it does to itself, or a driver to it, ends that process and
 * not this one. Requests and replies are messages through a pair of sockets. The process always ends by SIGKILL, so
 * that nothing of its parent's runs in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag/refuse.h"

typedef struct child_process {
    pid_t pid; /* 0: none runs */
    int socket;
} child_process;

/* What the process does: it ends when this returns. */
typedef void child_work(const void *context, int socket);

/* False: the system starts no process, and *refusal says why. */
bool tmap_child_start(child_process *child, child_work *work, const void *context, tmap_diag *refusal);

/* Sends a whole message; false when nobody is there to read it. */
bool tmap_child_send(int socket, const void *message, size_t size);

typedef enum child_answer { CHILD_ANSWERS, CHILD_DIED, CHILD_SILENT } child_answer;

/* Waits at most `limit_ms` for a message of `size` bytes. */
child_answer tmap_child_await(const child_process *child, int64_t limit_ms, void *message, size_t size);

/* Lets the process end by itself, and ends it when it does not. `how` (may be NULL) is in words how it ended. */
void tmap_child_stop(child_process *child, char how[64]);
/* Ends a process that is silent. */
void tmap_child_kill(child_process *child);
