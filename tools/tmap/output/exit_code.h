/* The exit codes that all commands share. */
#pragma once

/* Checks that an array has one row for every number of an enum. */
#define ROWS(array, count)                                                                                             \
    _Static_assert(sizeof(array) / sizeof *(array) == (count), #array " has a row for every one of " #count)

/* With several files, the highest code. */
enum exit_code {
    EXIT_CLEAN = 0,
    EXIT_FINDINGS = 1,      /* findings of severity error, differences, failed expectations */
    EXIT_USAGE = 2,         /* wrong use, or a name that does not exist */
    EXIT_FILE = 3,          /* a file cannot be read or written */
    EXIT_NOT_HERE = 4,      /* no GPU, no driver, or not built in */
    EXIT_DEFECT = 5,        /* a defect of tmap, or a failed allocation */
    EXIT_INTERRUPTED = 130, /* by SIGINT before the end, as a shell reports it */
    EXIT_TERMINATED = 143,  /* by SIGTERM */
};
