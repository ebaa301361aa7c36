/*
 * A table-driven option parser. A command lists its options as rows, each with the place in the command's own struct
 * where the value goes; the same rows print its --help.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct command_row;

/*
 * `value` NULL makes a flag: a bool at offset `at` becomes true. Else `take` stores the value there and answers false,
 * after saying why on stderr, when it is not one; without `take` the text itself is stored (a const char *).
 * Short options take their value attached or as the next word, long ones after "=" or as the next word.
 */
typedef struct option_row {
    const char *name;  /* "--json" or "-o" */
    const char *value; /* what the value is called in the help */
    const char *help;
    size_t at;
    bool (*take)(void *at, const char *value);
} option_row;

typedef struct operand_list {
    char **items;
    int n;
} operand_list;

/*
 * Sorts argv[1..] into options, stored in *values, and operands. "--" ends the options and "-" is an operand; a NULL is
 * behind the last operand. Answers
 * true to go on; else *code is what to exit with: --help was printed, or every error was said on stderr.
 */
bool options_parse(const struct command_row *command, void *values, int argc, char **argv, operand_list *operands,
                   int *code);

/* Usage, explanation and options of one command. */
void options_help(FILE *file, const struct command_row *command);

/* A number that may be left out, and its `take`, of which the parser says that it is none. */
typedef struct optional_number {
    bool given;
    uint64_t value;
} optional_number;
bool take_number(void *at, const char *value);

/* The whole of `text` as a number of a spec: 64, 0x40, 4Ki, 2^20; false when it is not one or does not fit. */
bool parse_number(const char *text, uint64_t *value);
/* The same of the first `size` bytes, and nothing less. */
bool parse_number_of(const char *text, size_t size, uint64_t *value);
