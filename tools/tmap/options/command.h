/* A command of `tmap`, and the table of commands. */
#pragma once

#include "options/options.h"
#include "output/exit_code.h"

typedef struct command_row {
    const char *name;
    const char *summary;       /* one line, for the list of commands */
    const char *synopsis;      /* the operands: "FILE [NAME]" */
    const char *about;         /* text of --help before the options */
    const option_row *options; /* ends with a row without a name */
    size_t values_size;        /* of the struct in which the options are stored */
    const void *defaults;      /* its contents before the options are read; NULL: zero */
    struct {
        int min, max;
    } operands;
    bool runs_program; /* options end at the first operand; the following words belong to the program */
    int (*run)(const operand_list *operands, void *values); /* returns an exit code */
} command_row;

#define OPERANDS_ANY 1000000
/* The rows `options` of this file, which store their values in a struct of this type. */
#define OPTIONS_IN(type) .options = options, .values_size = sizeof(type)

#define COMMAND(group, name, part) extern const command_row name##_command;
#include "commands.def"
#undef COMMAND

/* Command `i` of this build; NULL after the last. */
const command_row *command_get(size_t i);
/* Finds a command by name. Reports an unknown name, or a command that this build leaves out, on stderr: returns NULL
 * and sets *code. */
const command_row *command_find(const char *name, int *code);

/* Prints the text of tmap --help on `file`. */
void print_overview(FILE *file);
