/* Commands that run for long: what time it is, and whether somebody wants them to end. */
#ifndef TMAP_TOOL_INTERRUPT_H
#define TMAP_TOOL_INTERRUPT_H

#include <stdbool.h>

/* How long a device may go on with its batch after an interrupt: `timeout -k 5` is to find the command gone. */
#define INTERRUPTED_WITHIN_S 3

/* From here on the first SIGINT does not end the process, but is heard. */
void listen_for_interrupt(void);
/* The same of SIGINT and SIGTERM, and the process ends by the signal where it is still there so many seconds later. */
void listen_for_interrupt_within(unsigned seconds);
/* By any thread. */
bool was_interrupted(void);
/* The exit code after it: 130 or 143, as a shell tells SIGINT and SIGTERM. */
int interrupted_code(void);

/* Seconds of a clock that never goes back. */
double now_s(void);

#endif
