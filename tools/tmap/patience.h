/* Commands that run for long: what time it is, and whether somebody wants them to end. */
#ifndef TMAP_TOOL_PATIENCE_H
#define TMAP_TOOL_PATIENCE_H

#include <stdbool.h>

/* From here on the first SIGINT does not end the process, but is heard. */
void listen_for_interrupt(void);
/* By any thread. */
bool was_interrupted(void);

/* Seconds of a clock that never goes back. */
double now_s(void);

#endif
