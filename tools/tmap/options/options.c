/* The option parser. It reads every word, so that all errors of a command line are reported at once. */
#include "options/options.h"

#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "text/nearest.h"
#include "text/number.h"
#include "text/words.h"

#define OPTIONS_MAX 32

static const option_row help_option = {"--help", NULL, "print this help", 0, NULL};

typedef struct option_parser {
    const command_row *command;
    void *values;
    char **argv;
    int argc, next;
    bool help, failed;
    int code; /* after a failure */
} option_parser;

bool parse_number(const char *text, uint64_t *value) {
    return tmap_parse_number(text, strlen(text), value);
}

bool take_number(void *at, const char *value) {
    optional_number *number = at;
    number->given = parse_number(value, &number->value);
    return number->given;
}

const option_row *option_find(const command_row *command, const char *name, size_t length) {
    for (const option_row *o = command->options; o->name; o++) {
        if (text_is(name, length, o->name)) return o;
    }
    return NULL;
}

const option_row *option_present(const option_row *o) {
    while (o->name && !tmap_part_get((int)o->part)->built) o++;
    return o->name ? o : NULL;
}

const option_row *option_with_value(const option_row *o) {
    if (!o->value && o[1].name && strcmp(o[1].name, o->name) == 0) o++;
    return o->value ? o : NULL;
}

static void complain_unknown(option_parser *parser, const char *word) {
    const char *names[OPTIONS_MAX];
    size_t n = 0;
    for (const option_row *o = parser->command->options; (o = option_present(o)) && n < OPTIONS_MAX; o++)
        names[n++] = o->name;
    complain_meant("option", word, tmap_nearest(word, names, n));
    parser->failed = true;
}

static void store(option_parser *parser, const option_row *o, const char *value) {
    void *at = (char *)parser->values + o->at;
    int code = part_require(o->part, "option %s", o->name);
    if (code != EXIT_CLEAN) {
        parser->failed = true;
        parser->code = code;
    } else if (!o->value) {
        *(bool *)at = true;
    } else if (!o->take) {
        *(const char **)at = value;
    } else if (!o->take(at, value)) {
        parser->failed = true;
        tmap_integer number;
        tmap_number_result result = tmap_number_parse(value, strlen(value), &number);
        bool range = result == TMAP_NUMBER_OK || result == TMAP_NUMBER_TOO_LARGE;
        if (o->take == take_number)
            complain(EXIT_USAGE, "%s: '%s' is not a number %s", o->name, value,
                     range ? "from 0 to 2^64 - 1" : "(64, 0x40, 4Ki, 2^20)");
    }
}

/* Stores the value of `o`: `attached` if it is not NULL, else the next word. */
static void store_valued(option_parser *parser, const option_row *o, const char *attached) {
    if (!attached && parser->next < parser->argc) attached = parser->argv[parser->next++];
    if (attached) {
        store(parser, o, attached);
        return;
    }
    complain(EXIT_USAGE, "%s requires a value: %s", o->name, o->value);
    parser->failed = true;
}

static void parse_long(option_parser *parser, char *word) {
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const option_row *o = option_find(parser->command, word, length);
    if (o && equals && option_with_value(o)) o = option_with_value(o);
    if (strcmp(word, help_option.name) == 0) {
        parser->help = true;
    } else if (!o) {
        if (equals) word[length] = '\0';
        complain_unknown(parser, word);
    } else if (o->value) {
        store_valued(parser, o, equals ? equals + 1 : NULL);
    } else if (equals) {
        complain(EXIT_USAGE, "%s does not accept a value", o->name);
        parser->failed = true;
    } else {
        store(parser, o, NULL);
    }
}

static void parse_short(option_parser *parser, char *word) {
    const option_row *o = option_find(parser->command, word, 2);
    if (!o || (!o->value && word[2] != '\0')) {
        complain_unknown(parser, word);
    } else if (o->value) {
        store_valued(parser, o, word[2] != '\0' ? word + 2 : NULL);
    } else {
        store(parser, o, NULL);
    }
}

static void check_operands(option_parser *parser, const operand_list *operands) {
    const command_row *command = parser->command;
    parser->failed = true;
    if (operands->n < command->operands.min) {
        complain(EXIT_USAGE, "an operand is missing: tmap %s %s", command->name, command->synopsis);
    } else if (operands->n > command->operands.max) {
        complain(EXIT_USAGE, "operand '%s' is one too many: tmap %s%s%s", operands->items[command->operands.max],
                 command->name, command->synopsis[0] != '\0' ? " " : "", command->synopsis);
    } else {
        parser->failed = false;
    }
}

bool options_parse(const command_row *command, void *values, int argc, char **argv, operand_list *operands, int *code) {
    option_parser parser = {
        .command = command, .values = values, .argv = argv, .argc = argc, .next = 1, .code = EXIT_USAGE};
    *operands = (struct operand_list){.items = argv, .n = 0}; /* operands replace words that were already read */
    bool only_operands = false;
    while (parser.next < argc) {
        char *word = argv[parser.next++];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            operands->items[operands->n++] = word;
            only_operands |= command->runs_program;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            parse_long(&parser, word);
        } else {
            parse_short(&parser, word);
        }
    }
    operands->items[operands->n] = NULL;
    if (parser.help) {
        options_help(stdout, command);
        *code = EXIT_CLEAN;
        return false;
    }
    if (!parser.failed) check_operands(&parser, operands);
    if (!parser.failed) return true;
    fprintf(stderr, "try 'tmap %s --help'\n", command->name);
    *code = parser.code;
    return false;
}

static void print_option(FILE *file, const option_row *o) {
    char left[40];
    const char *space = !o->value || o->name[1] != '-' ? " " : "=";
    if (strcmp(o->name, "-W") == 0) space = "";
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? space : "", o->value ? o->value : "");
    bool long_name = strlen(left) > 22;
    if (long_name) fprintf(file, "  %s\n", left);
    fprintf(file, "  %-22s %s\n", long_name ? "" : left, o->help);
}

void options_help(FILE *file, const command_row *command) {
    fprintf(file, "usage: tmap %s%s%s%s\n\n%s\n\n", command->name, command->synopsis[0] != '\0' ? " " : "",
            command->synopsis, command->runs_program ? "" : " [options]", command->about);
    const tmap_part_info *part;
    for (int i = 0; (part = tmap_part_get(i)) != NULL; i++)
        if (!part->built) fprintf(file, "Not in this build of tmap: %s.\n\n", part->contents);
    fprintf(file, "options:\n");
    for (const option_row *o = command->options; (o = option_present(o)) != NULL; o++) print_option(file, o);
    print_option(file, &help_option);
}
