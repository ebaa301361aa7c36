/* tmap complete: the words that fit at the end of a command line, from the tables of options. */
#include "commands/complete.h"

#include <stdio.h>
#include <string.h>

#include "commands/list_tables.h"
#include "files/files.h"
#include "options/command.h"
#include "text/words.h"
#include "tmap/unstable/language.h"

/*
 * The words for the value of an option, or for an operand (option NULL), of one command, or of every command that no
 * earlier row names (command NULL). %TABLE: the first column of a table of `tmap list`. %commands: of tmap. %functions:
 * of the language of layouts. %names: the names in the spec that is the first operand; for the first operand, files.
 */
static const struct word_row {
    const char *command, *option, *words;
} word_rows[] = {
    {"check", "--format", "text json github sarif"},
    {"encode", "--format", "hex bin c json"},
    {"encode", "--backend", "native driver both"},
    {"plan", "--op", "load store"},
    {"capture", NULL, "descriptors copies %files"},
    {"copy", NULL, "%names"},
    {"draw", NULL, "%names"},
    {"encode", NULL, "%names"},
    {"explain", NULL, "%rules %facts %types %swizzles %modes %ops %archs %calls %qualifiers"},
    {"generate", NULL, "%names"},
    {"help", NULL, "%commands"},
    {"layout", NULL, "of permute %functions"},
    {"list", NULL, "%tables"},
    {"show", NULL, "%names"},
    {"stats", NULL, "%names"},
    {NULL, "--access", "%patterns"},
    {NULL, "--arch", "%archs"},
    {NULL, "--as", "dsl driver"},
    {NULL, "--assume", "%readings"},
    {NULL, "--backend", "native driver"},
    {NULL, "--color-by", "thread lane bank line"},
    {NULL, "--conv", "fprop dgrad wgrad"},
    {NULL, "--cta-group", "1 2"},
    {NULL, "--device", "cuda %files"},
    {NULL, "--fill", "index random:"},
    {NULL, "--for", "wgmma wgmma:mn tcgen05 tcgen05:mn"},
    {NULL, "--kernel", "%forms"},
    {NULL, "--layout", "columns rows"},
    {NULL, "--map-space", "global shared generic"},
    {NULL, "--modes", "%modes %ops"},
    {NULL, "--op", "%ops"},
    {NULL, "--qualifiers", "%qualifiers"},
    {NULL, "--rank", "1 2 3 4 5"},
    {NULL, "--strict", "inferred"},
    {NULL, "--swizzle", "%swizzles"},
    {NULL, "--target", "%archs"},
    {NULL, "--to-type", "%types"},
    {NULL, "--toolkit", "%toolkits"},
    {NULL, "--type", "%types"},
    {NULL, "--width", "1 2 4 8 16"},
    {NULL, "-W", "%rules"},
};

/* The word to complete, and the words before it. */
typedef struct completion {
    const command_row *command;
    const option_row *option; /* whose value is completed */
    const char *current;
    int attached;                    /* bytes of `current` before the value: 2 for "-Wvalue" */
    const char *file;                /* the first operand */
    bool no_options, offered, files; /* files: names of files fit */
} completion;

static void offer(completion *c, const char *word, size_t size, const char *meaning) {
    const char *typed = c->current + c->attached;
    if (size == 0 || strlen(typed) > size || strncmp(word, typed, strlen(typed)) != 0) return;
    printf("%.*s%.*s%s%s\n", c->attached, c->current, (int)size, word, meaning ? "\t" : "", meaning ? meaning : "");
    c->offered = true;
}

static void offer_commands(completion *c) {
    const command_row *row;
    for (size_t i = 0; (row = command_get(i)) != NULL; i++) offer(c, row->name, strlen(row->name), row->summary);
}

static void offer_functions(completion *c) {
    char text[256];
    if (!TMAP_WITH_LAYOUTS) return;
    for (int i = 0; tmap_function_get(i); i++) {
        const char *open = strchr(tmap_function_signature(i, text, sizeof text), '(');
        if (open && is_letter(text[0])) offer(c, text, (size_t)(open + 1 - text), NULL);
    }
}

/* The size of the name at the start of "name: ..."; 0: none. */
static size_t key_size(const char *text, const char *end) {
    const char *at = text;
    while (at < end && (is_word(*at) || *at == '.' || *at == '-')) at++;
    return at < end && *at == ':' ? (size_t)(at - text) : 0;
}

/* Offers the keys of a spec with an indent of two: the names of its tensors, copies and layouts. */
static void offer_names(completion *c) {
    file_bytes file = {0};
    if (c->file && file_is_regular(c->file)) (void)file_read(c->file, SPEC_SIZE_MAX, &file);
    if (!file.data) {
        c->files = true;
        return;
    }
    const char *end = (const char *)file.data + file.size, *next;
    for (const char *line = (const char *)file.data; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (next - line > 2 && memcmp(line, "  ", 2) == 0) offer(c, line + 2, key_size(line + 2, next), NULL);
    }
    file_free(&file);
    c->files |= !c->offered;
}

static void offer_table(completion *c, const char *name) {
    for (size_t i = 0; listing_get(i); i++) {
        const list_table *listing = listing_get(i);
        if (strcmp(name, "tables") == 0) offer(c, listing->name, strlen(listing->name), listing->summary);
        if (strcmp(name, listing->name) != 0) continue;
        text_table table = listing_fill(listing);
        for (size_t at = 0; at < table.cells_n && !table.failed; at += (size_t)table.columns_n) {
            char word[256];
            bool reading = strcmp(name, "readings") == 0;
            snprintf(word, sizeof word, "%s%s%s", table.cells[at].text, reading ? "=" : "",
                     reading ? table.cells[at + 1].text : "");
            offer(c, word, strlen(word), NULL);
        }
        table_free(&table);
    }
}

static void offer_words(completion *c, const char *words) {
    for (size_t size; *words != '\0'; words += size + (words[size] == ' ')) {
        char word[64];
        size = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        if (word[0] != '%')
            offer(c, word, size, NULL);
        else if (strcmp(word, "%commands") == 0)
            offer_commands(c);
        else if (strcmp(word, "%functions") == 0)
            offer_functions(c);
        else if (strcmp(word, "%names") == 0)
            offer_names(c);
        else if (strcmp(word, "%files") == 0)
            c->files = true;
        else
            offer_table(c, word + 1);
    }
}

static void offer_options(completion *c) {
    const char *before = "";
    for (const option_row *o = c->command->options; (o = option_present(o)) != NULL; o++) {
        if (strcmp(o->name, before) != 0) offer(c, o->name, strlen(o->name), o->help);
        before = o->name;
    }
    offer(c, "--help", strlen("--help"), "print the help");
}

static const char *words_for(const completion *c) {
    const char *name = c->option ? c->option->name : "";
    if (c->option && !tmap_part_get((int)c->option->part)->built) return "";
    for (size_t i = 0; i < sizeof word_rows / sizeof word_rows[0]; i++) {
        const struct word_row *row = &word_rows[i];
        if (row->command && strcmp(row->command, c->command->name) != 0) continue;
        if (strcmp(row->option ? row->option : "", name) == 0) return row->words;
    }
    const char *value = c->option ? c->option->value : "FILE";
    return strcmp(value, "FILE") == 0 || strcmp(value, "IN") == 0 || strcmp(value, "OUT") == 0 ? "%files" : "";
}

/* Reads a word before the completed one. bash separates the words of "--option=value" at the '='. */
static void read_word(completion *c, const char *word, const option_row **last) {
    const option_row *before = *last;
    *last = NULL;
    if (before && strcmp(word, "=") == 0) {
        c->option = option_with_value(before);
    } else if (c->option) {
        c->option = NULL;
    } else if (c->no_options || word[0] != '-' || word[1] == '\0') {
        if (!c->file) c->file = word;
        c->no_options |= c->command->runs_program;
    } else if (strcmp(word, "--") == 0) {
        c->no_options = true;
    } else {
        *last = option_find(c->command, word, strlen(word));
        c->option = *last && (*last)->value ? *last : NULL;
    }
}

/* The value that the completed word itself has: of "--option=value" or "-Wvalue". */
static void read_attached(completion *c) {
    size_t size = strlen(c->current), name = c->current[1] == '-' ? strcspn(c->current, "=") : 2;
    const option_row *o = name < size ? option_find(c->command, c->current, name) : NULL;
    c->option = o ? option_with_value(o) : NULL;
    if (c->option && name == 2) c->attached = 2;
    if (c->option && name > 2) c->current += name + 1;
}

static void find_command(completion *c, const char *name) {
    for (size_t i = 0; (c->command = command_get(i)) != NULL && strcmp(c->command->name, name) != 0;) i++;
}

int complete_words(int n, char **words) {
    completion c = {.current = n > 0 ? words[n - 1] : ""};
    const option_row *last = NULL;
    if (n < 2) {
        offer_words(&c, "%commands --help --version -h -V");
        return EXIT_CLEAN;
    }
    find_command(&c, words[0]);
    if (!c.command) return EXIT_CLEAN;
    for (int i = 1; i < n - 1; i++) read_word(&c, words[i], &last);
    bool is_option = !c.option && !c.no_options && c.current[0] == '-';
    if (strcmp(c.current, "=") == 0) {
        read_word(&c, c.current, &last);
        c.current = "";
    } else if (is_option) {
        read_attached(&c);
    }
    if (is_option && !c.option)
        offer_options(&c);
    else
        offer_words(&c, words_for(&c));
    return c.files ? EXIT_FINDINGS : EXIT_CLEAN;
}
