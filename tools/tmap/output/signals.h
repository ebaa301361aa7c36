/* Signals: what ends a command that runs for long, and the temporary files that no signal may leave. */
#pragma once

#include <stdbool.h>

/* mkstemp. A signal that ends the process removes the file from then on. `path` stays the caller's and unchanged until
 * it is forgotten. */
int temporary_make(char *path);
/* The same for a file that exists. */
void temporary_register(const char *path);
void temporary_forget(const char *path);

/* SIGBUS comes where another process makes a mapped file shorter, or where the disk is full under a file that is
 * written. From here on SIGBUS is reported and the exit code is that of files. */
void watch_mapped_files(void);

/* How long a device may go on with its batch after an interrupt: `timeout -k 5` is to find the command gone. */
#define INTERRUPTED_WITHIN_S 3

/* From here on the first SIGINT does not end the process, but is heard. */
void listen_for_interrupt(void);
/* The same for SIGINT and SIGTERM. The process ends by the signal where it still runs after so many seconds. */
void listen_for_interrupt_within(unsigned seconds);
/* By any thread. */
bool was_interrupted(void);
/* The exit code after it: 130 or 143, as a shell tells SIGINT and SIGTERM. */
int interrupted_code(void);

/* Seconds of a clock that never goes back. */
double now_s(void);
