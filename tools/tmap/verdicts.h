/* The driver's verdicts on maps near every limit. */
#ifndef TMAP_TOOL_VERDICTS_H
#define TMAP_TOOL_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

/* Asks the driver about `cases` nearly valid maps of `seed` and prints where it and the rules disagree. An exit code.
 */
int verdicts_run(uint64_t seed, uint64_t cases, bool json);

#endif
