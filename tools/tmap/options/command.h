/* What a command of `tmap` is, and the table of them. */
#pragma once

#include "options/options.h"
#include "output/exit_code.h"

typedef struct command_row {
    const char *name;
    const char *summary;       /* one line, for the list of commands */
    const char *synopsis;      /* the operands: "FILE [NAME]" */
    const char *about;         /* what --help says beside the options */
    const option_row *options; /* ends at a row without a name */
    int operands_min, operands_max;
    bool runs_program;                 /* options end where the first operand stands: what follows is the program's */
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
