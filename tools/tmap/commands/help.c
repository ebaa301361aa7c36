/* tmap help: the commands, or one of them. */
#include "options/command.h"

static const option_row options[] = {{0}};

static int run_help(const operand_list *operands, void *values) {
    (void)values;
    if (operands->n == 0) {
        print_overview(stdout);
        return EXIT_CLEAN;
    }
    int code;
    const command_row *command = command_find(operands->items[0], &code);
    if (!command) return code;
    options_help(stdout, command);
    return EXIT_CLEAN;
}

const command_row help_command = {
    .name = "help",
    .summary = "print the help of a command",
    .synopsis = "[COMMAND]",
    .about = "Prints the description and the options of a command; without COMMAND, the list of commands.",
    .options = options,
    .operands = {0, 1},
    .run = run_help,
};
