/*
 * A table-driven option parser. A command lists its options as rows. Each row has the offset of the value in the
 * command's own struct. The same rows print --help.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tmap/unstable/parts.h"

struct command_row;

/*
 * `value` NULL makes a flag: a bool at offset `at` becomes true. Otherwise `take` stores the value there; for an
 * invalid value it reports the error on stderr and returns false. Without `take`, the text itself is stored (a const
 * char *). A short option has its value attached or in the next word, a long option after "=" or in the next word.
 */
typedef struct option_row {
    const char *name;  /* "--json" or "-o" */
    const char *value; /* name of the value in the help */
    const char *help;
    size_t at;
    bool (*take)(void *at, const char *value);
    tmap_part_id part; /* a build without this part refuses the option and omits it from the help */
} option_row;

typedef struct operand_list {
    char **items;
    int n;
} operand_list;

/*
 * Sorts argv[1..] into options, stored in *values, and operands. "--" ends the options, and "-" is an operand. A NULL
 * follows the last operand. Returns true to continue. Otherwise the command exits with *code: --help was printed, or
 * every error was reported on stderr.
 */
bool options_parse(const struct command_row *command, void *values, int argc, char **argv, operand_list *operands,
                   int *code);

/* The first row of an option; NULL: the command has no such option. */
const option_row *option_find(const struct command_row *command, const char *name, size_t length);
/* The next option that this build has, from row `o` on; NULL: none. */
const option_row *option_present(const option_row *o);
/* The row of the same option that has a value; NULL: the option accepts none. */
const option_row *option_with_value(const option_row *o);

/* Prints usage, explanation and options of one command. */
void options_help(FILE *file, const struct command_row *command);

/* An optional number, and its `take`, which returns false for a text that is not a number. */
typedef struct optional_number {
    bool given;
    uint64_t value;
} optional_number;
bool take_number(void *at, const char *value);

/* Reads all of `text` as a number of a spec: 64, 0x40, 4Ki, 2^20. Returns false if it is not a number or does not
 * fit. */
bool parse_number(const char *text, uint64_t *value);
