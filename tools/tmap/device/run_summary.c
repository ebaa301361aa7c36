#include "device/run_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/print.h"
#include "text/words.h"

/* Reads the next line, or the start of a long line; false at the end of the text. */
static bool next_line(const char **text, char line[LINE_MAX_B]) {
    size_t size = strcspn(*text, "\n");
    if (**text == '\0') return false;
    (void)snprintf(line, LINE_MAX_B, "%.*s", (int)(size < LINE_MAX_B ? size : LINE_MAX_B - 1), *text);
    *text += size + ((*text)[size] == '\n');
    return true;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- The result of a part --------------------------------------------------------------------------------------- */

/* The words whose numbers are summed, in lines that contain the first word. */
static const struct counted {
    const char *word, *title;
} of_copies[] = {{" agree, ", "agree"},
                 {" differ, ", "differ"},
                 {" skipped", "skipped"},
                 {" left out", "left out"},
                 {" could not run", "could not run"},
                 {NULL, NULL}},
  of_random[] = {
      {" random copies of", "random copies"}, {" differ", "differ"}, {" of them break", "break a rule"}, {NULL, NULL}};

static uint64_t number_before(const char *line, const char *word) {
    const char *begin = strstr(line, word);
    while (begin && begin > line && is_digit(begin[-1])) begin--;
    return begin && is_digit(*begin) ? strtoull(begin, NULL, 10) : 0;
}

static void write_sums(tmap_sink *sink, const struct counted *words, const char *output) {
    char line[LINE_MAX_B];
    for (size_t i = 0; words[i].word; i++) {
        uint64_t sum = 0;
        for (const char *at = output; next_line(&at, line);)
            if (strstr(line, words[0].word)) sum += number_before(line, words[i].word);
        if (i < 2 || sum > 0) tmap_printf(sink, "%s%" PRIu64 " %s", i > 0 ? ", " : "", sum, words[i].title);
    }
}

void run_result_write(tmap_sink *sink, part_result result, const char *output) {
    char line[LINE_MAX_B], digit[2];
    uint64_t n = 0;
    if (result == RESULT_COPIES) write_sums(sink, of_copies, output);
    if (result == RESULT_RANDOM) write_sums(sink, of_random, output);
    for (const char *at = output; next_line(&at, line);) {
        bool cases = begins(line, "cases ");
        if (result == RESULT_CASES && cases) tmap_puts(sink, line);
        n += result == RESULT_ROWS ? sscanf(line, "%*[^ ]%*[^0-9]%1[0-9]", digit) == 1
                                   : cases || begins(line, "copies on ");
    }
    if (result == RESULT_ROWS) tmap_printf(sink, "%" PRIu64 " rows", n);
    if (result == RESULT_RECORDINGS) tmap_printf(sink, "%" PRIu64 " recordings", n);
}

const char *last_line_of(const char *output, char line[LINE_MAX_B]) {
    line[0] = '\0';
    while (next_line(&output, line)) {
    }
    return line;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

#define NAME_MAX_B 64

static bool has_name(const tmap_text *list, const char *name) {
    char word[NAME_MAX_B + 2];
    (void)snprintf(word, sizeof word, " %s ", name);
    return list->data && strstr(list->data, word);
}

/* Adds a name to a list " NAME NAME ", unless the list has it. */
static void add_name(tmap_text *list, const char *name) {
    tmap_sink sink = tmap_text_sink(list);
    if (!has_name(list, name)) tmap_printf(&sink, "%s%s ", list->data ? "" : " ", name);
}

static void end_names(tmap_sink *sink, const char *title, tmap_text *list) {
    tmap_printf(sink, "%s:%s\n", title, list->data ? list->data : "");
    tmap_text_free(list);
}

/* Reads "  WORD   NAME ...". */
static bool name_after(const char *line, const char *word, char name[NAME_MAX_B]) {
    size_t size = strlen(word);
    return begins(line, "  ") && begins(line + 2, word) && line[2 + size] == ' ' &&
           sscanf(line + 2 + size, " %63[]a-z0-9_[-]", name) == 1 && is_letter(name[0]);
}

/* ---- First contact ---------------------------------------------------------------------------------------------- */

static void take_output(const char *report, const char *part, tmap_text *text) {
    tmap_sink sink = tmap_text_sink(text);
    char begin[64];
    (void)snprintf(begin, sizeof begin, "==== %s: output\n", part);
    const char *found = strstr(report, begin), *end = found ? strstr(found + 1, "\n==== ") : NULL;
    if (found) tmap_write(&sink, found, end ? (size_t)(end - found) + 1 : strlen(found));
}

static void write_answers(tmap_sink *sink, const char *title, const char *word, const char *answers) {
    char line[LINE_MAX_B], name[NAME_MAX_B];
    tmap_text names = {0};
    while (next_line(&answers, line))
        if (name_after(line, word, name)) add_name(&names, name);
    end_names(sink, title, &names);
}

static void write_other_answers(tmap_sink *sink, const char *answers) {
    static const char outside[] = "bits that differ outside the fields: ";
    char line[LINE_MAX_B];
    for (bool in_questions = false; next_line(&answers, line);) {
        if (line[0] != ' ') in_questions = begins(line, "calls to which no rule applies");
        bool bits = begins(line, "  each has") || (begins(line, outside) && is_digit(line[strlen(outside)]));
        if (bits || (in_questions && line[0] == ' ')) tmap_printf(sink, "%s\n", bits ? line : line + 2);
    }
}

void first_contact_write(tmap_sink *sink, const char *report) {
    tmap_text answers = {0};
    take_output(report, "descriptors", &answers);
    take_output(report, "verdicts", &answers);
    const char *text = answers.data ? answers.data : "";
    write_answers(sink, "confirmed", "confirmed", text);
    write_answers(sink, "refuted", "refuted", text);
    write_answers(sink, "other numbers, on which no copy depends", "other form", text);
    write_answers(sink, "accepted, though the rules warn", "accepted", text);
    write_answers(sink, "rejected, as the rules warn", "refused", text);
    write_other_answers(sink, text);
    tmap_text_free(&answers);
}

/* ---- Facts ------------------------------------------------------------------------------------------------------ */

static void read_facts(const char *replayed, tmap_text *agree, tmap_text *differ) {
    char line[LINE_MAX_B], name[NAME_MAX_B], more;
    for (tmap_text *below = NULL; next_line(&replayed, line);) {
        if (line[0] != ' ') below = NULL;
        if (begins(line, "differing copies depend on:")) below = differ;
        if (begins(line, "copies that agree depend on:")) below = agree;
        if (name_after(line, "refuted", name)) add_name(differ, name);
        if (below && sscanf(line, " %*u %63[a-z0-9-]%c", name, &more) == 1) add_name(below, name);
    }
}

static size_t count_others(const tmap_text *names, const tmap_text *omitted) {
    size_t n = 0;
    char name[NAME_MAX_B];
    for (const char *at = names->data; at && sscanf(at, " %63s", name) == 1; at += strlen(name) + 1)
        n += !has_name(omitted, name);
    return n;
}

/* Reads "...: skipped: ... [RULE]". */
static bool is_skipped(const char *line, char name[NAME_MAX_B]) {
    char last;
    const char *rule = strstr(line, ": skipped: ") ? strrchr(line, '[') : NULL;
    return rule && sscanf(rule, "[%63[a-z0-9-]%c", name, &last) == 2 && last == ']';
}

static void write_skipped(tmap_sink *sink, const char *report) {
    char line[LINE_MAX_B], name[NAME_MAX_B], rule[NAME_MAX_B];
    const char *before = "copies skipped, by rule: ";
    tmap_text names = {0};
    for (const char *at = report; next_line(&at, line);)
        if (is_skipped(line, name)) add_name(&names, name);
    for (const char *next = names.data; next && sscanf(next, " %63s", rule) == 1; next += strlen(rule) + 1) {
        size_t n = 0;
        for (const char *at = report; next_line(&at, line);) n += is_skipped(line, name) && strcmp(name, rule) == 0;
        tmap_printf(sink, "%s%zu %s", before, n, rule);
        before = ", ";
    }
    if (names.data) tmap_puts(sink, "\n");
    tmap_text_free(&names);
}

void replayed_facts_write(tmap_sink *sink, const char *report) {
    tmap_text replayed = {0}, agree = {0}, differ = {0};
    take_output(report, "replay", &replayed);
    if (replayed.data) read_facts(replayed.data, &agree, &differ);
    tmap_printf(sink, "facts that every copy agrees with: %zu\n", count_others(&agree, &differ));
    if (differ.data) end_names(sink, "facts, fields and rules of cases that differ", &differ);
    write_skipped(sink, report);
    tmap_text_free(&agree);
    tmap_text_free(&replayed);
}
