/* The progress of a command: one line on stderr if stderr is a terminal, after the first second. */
#pragma once

#include <stdint.h>

typedef struct progress {
    const char *what;        /* "copies" */
    double begin_s, shown_s; /* shown_s is 0 until the line is shown */
} progress;

progress progress_begin(const char *what);
/* Shows "DONE of TOTAL copies, 1200 a second, 12 s left", then `extra`. */
void progress_show(progress *shown, uint64_t done, uint64_t total, const char *extra);
/* Ends the line, if it is shown. */
void progress_end(const progress *shown);
