/* The tmap command: its table of commands, and the choice among them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/complete.h"
#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"

enum command_group { DAILY, PROGRAMS, LAYOUTS, DEVICES, TABLES };

static const struct {
    enum command_group group;
    tmap_part_id part;
    const char *name;
    const command_row *row; /* NULL: this build has no such command */
} commands[] = {
#define COMMAND(group, name, part) {group, TMAP_PART_##part, #name, TMAP_WITH_##part ? &name##_command : NULL},
#include "commands.def"
#undef COMMAND
};
#define COMMANDS_N (sizeof commands / sizeof commands[0])

const command_row *command_get(size_t i) {
    for (size_t at = 0; at < COMMANDS_N; at++)
        if (commands[at].row && i-- == 0) return commands[at].row;
    return NULL;
}

const command_row *command_find(const char *name, int *code) {
    const char *names[COMMANDS_N];
    size_t n = 0;
    for (size_t i = 0; i < COMMANDS_N; i++) {
        if (commands[i].row) names[n++] = commands[i].name;
        if (strcmp(commands[i].name, name) != 0) continue;
        *code = part_require(commands[i].part, "command %s", name);
        return commands[i].row;
    }
    if (access(name, F_OK) == 0 || strpbrk(name, "./"))
        complain(EXIT_USAGE, "unknown command '%s'; did you mean 'tmap %s %s'?", name,
                 path_ends(name, ".log") || path_ends(name, ".txt") ? "import" : "check", name);
    else
        (void)choose_among("command", name, names, n);
    *code = EXIT_USAGE;
    return NULL;
}

/* A group of the overview. The commands for a GPU, which few machines have, are names on one line. */
static void print_group(tmap_sink *sink, enum command_group group) {
    static const char *const titles[] = {"every day", "from a program or a log", "layouts", "for a GPU",
                                         "tables and help"};
    ROWS(titles, TABLES + 1);
    const char *before = " ";
    if (group == DEVICES && !TMAP_WITH_LAB) return;
    if (group == LAYOUTS && !TMAP_WITH_LAYOUTS) return;
    tmap_printf(sink, "\n%s:%s", titles[group], group == DEVICES ? "" : "\n");
    for (size_t i = 0; i < COMMANDS_N; i++) {
        const command_row *row = commands[i].row;
        if (commands[i].group != group || !row) continue;
        if (group != DEVICES) tmap_printf(sink, "  %-9s %s\n", row->name, row->summary);
        if (group == DEVICES) tmap_printf(sink, "%s%s", before, row->name);
        before = ", ";
    }
    if (group == DEVICES) tmap_puts(sink, "\n");
}

void print_overview(FILE *file) {
    tmap_sink sink = sink_to(file);
    tmap_puts(&sink, "usage: tmap COMMAND [operands] [options]\n\n"
                     "Tensor maps of NVIDIA's Tensor Memory Accelerator: checked, encoded, drawn, emulated.\n");
    for (enum command_group group = DAILY; group <= TABLES; group++) print_group(&sink, group);
    tmap_puts(&sink,
              "\n'tmap help COMMAND' and 'tmap COMMAND --help' print more. '-' is stdin or stdout.\n"
              "Exit status: 0 no error; 1 findings or differences; 2 wrong use or an unknown name; 3 a file cannot be\n"
              "read or written; 4 not available here; 5 internal error; 130 interrupted, 143 by SIGTERM.\n");
}

/* Options that mean a command: "tmap --version" is "tmap version". */
static const char *command_of_option(const char *word) {
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    return word;
}

/* argv[0] is the command's name. */
static int run_command(const command_row *command, int argc, char **argv) {
    operand_list operands;
    int code;
    void *values = calloc(1, command->values_size + 1);
    if (!values) return complain_status(TMAP_NO_MEMORY, command->name);
    if (command->defaults) memcpy(values, command->defaults, command->values_size);
    if (options_parse(command, values, argc, argv, &operands, &code)) code = command->run(&operands, values);
    free(values);
    return code;
}

static int run_line(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "complete") == 0) return complete_words(argc - 2, argv + 2);
    int code;
    const command_row *command = command_find(command_of_option(argv[1]), &code);
    if (!command) {
        fputs("try 'tmap help'\n", stderr);
        return code;
    }
    return run_command(command, argc - 1, argv + 1);
}

/*
 * If descriptor 0, 1 or 2 is closed, the next opened file would get its number, and with it the output for stdout or
 * stderr. A descriptor that can neither be read nor written as a stream occupies the number. Programs that tmap runs
 * find it closed as before.
 */
static void reserve_streams(void) {
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", (stream == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv) {
    reserve_streams();
    int code = run_line(argc, argv);
    flush_stderr();
    if (!flush_stdout())
        code = worse_of(code, complain(EXIT_FILE, "cannot write <stdout>: %s", strerror(write_error())));
    return code;
}
