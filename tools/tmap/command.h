/* What a command of `tmap` is, the table of them, and the exit codes that they all share. */
#ifndef TMAP_TOOL_COMMAND_H
#define TMAP_TOOL_COMMAND_H

#include "options.h"

/* An array with a row for every number of an enum is as long as the enum. */
#define ROWS(array, count)                                                                                             \
    _Static_assert(sizeof(array) / sizeof *(array) == (count), #array " has a row for every one of " #count)

/* With several files the highest. */
enum exit_code {
    EXIT_CLEAN = 0,
    EXIT_FINDINGS = 1,      /* findings of severity error, differences, failed expectations */
    EXIT_USAGE = 2,         /* wrong use, or a name that does not exist */
    EXIT_FILE = 3,          /* a file cannot be read or written */
    EXIT_NOT_HERE = 4,      /* no GPU, no driver, or not built in */
    EXIT_DEFECT = 5,        /* a defect of tmap, or no memory */
    EXIT_INTERRUPTED = 130, /* by SIGINT, before all was done: as a shell tells it */
    EXIT_TERMINATED = 143,  /* by SIGTERM */
};

typedef struct command_row {
    const char *name;
    const char *summary;       /* one line, for the list of commands */
    const char *synopsis;      /* the operands: "FILE [NAME]" */
    const char *about;         /* what --help says beside the options */
    const option_row *options; /* ends at a row without a name */
    int operands_min, operands_max;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; answers an exit code */
} command_row;

#define OPERANDS_ANY 1000000

#define COMMAND(name) extern const command_row name##_command;
#include "commands.def"
#undef COMMAND

/* Command `i` of the table; NULL past the last. */
const command_row *command_get(size_t i);
/* By name; NULL, after saying so on stderr, when there is none. */
const command_row *command_find(const char *name);

/* The text of --help of all of tmap, on `file`. */
void print_overview(FILE *file);

#endif
