/* How far a command is: one line on stderr where stderr is a terminal, from the first second on. */
#pragma once

#include <stdint.h>

typedef struct progress {
    const char *what;        /* "copies" */
    double begin_s, shown_s; /* shown_s is 0 until the line is there */
} progress;

progress progress_begin(const char *what);
/* "DONE of TOTAL copies, 1200 a second, 12 s left", and `extra`. */
void progress_show(progress *shown, uint64_t done, uint64_t total, const char *extra);
/* Ends the line, if there is one. */
void progress_end(const progress *shown);
