/* Signals: interrupts of long commands, and removal of temporary files. */
#pragma once

#include <stdbool.h>

/* As mkstemp. From then on, a signal that ends the process removes the file. `path` remains the caller's, and must not
 * change until temporary_forget. */
int temporary_make(char *path);
/* As temporary_make, for a file that exists. */
void temporary_register(const char *path);
void temporary_forget(const char *path);

/* SIGBUS arrives when another process shortens a mapped file, or when the disk is full below a file that is written.
 * After this call, SIGBUS is reported and ends the process with the exit code of files. */
void watch_mapped_files(void);

/* The time for which a device may continue its batch after an interrupt: `timeout -k 5` must find that the command has
 * ended. */
#define INTERRUPTED_WITHIN_S 3

/* After this call, the first SIGINT does not end the process but sets a flag. */
void listen_for_interrupt(void);
/* As listen_for_interrupt, for SIGINT and SIGTERM. The signal ends the process if it still runs after `seconds`. */
void listen_for_interrupt_within(unsigned seconds);
/* As listen_for_interrupt, for SIGINT, SIGTERM and SIGHUP. */
void listen_for_end(void);
/* May be called by any thread. */
bool was_interrupted(void);
/* The exit code after an interrupt: 130 for SIGINT and 143 for SIGTERM, as shells report them. */
int interrupted_code(void);

/* Seconds of a monotonic clock. */
double now_s(void);
