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

const char *last_line_of(const char *output, char line[LINE_MAX_B]) {
    line[0] = '\0';
    while (next_line(&output, line)) {
    }
    return line;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* Copies the rows of a part (NULL: of all parts). */
static void take_rows(const char *report, const char *part, tmap_text *rows) {
    tmap_sink sink = tmap_text_sink(rows);
    char line[LINE_MAX_B], begin[64];
    (void)snprintf(begin, sizeof begin, "==== %s: rows", part ? part : "");
    for (bool taken = false; next_line(&report, line);) {
        bool title = strncmp(line, "==== ", 5) == 0;
        if (title) taken = part ? strcmp(line, begin) == 0 : strstr(line, ": rows") != NULL;
        if (taken && !title) tmap_printf(&sink, "%s\n", line);
    }
}

/* Reads the next row "NUMBER STATE: NAME" of the state, and returns its name; NULL after the last. */
static const char *next_row(const char **rows, const char *state, char line[LINE_MAX_B], uint64_t *n) {
    size_t size = strlen(state);
    while (*rows && next_line(rows, line)) {
        char *rest;
        *n = strtoull(line, &rest, 10);
        if (is_digit(line[0]) && *rest == ' ' && strncmp(rest + 1, state, size) == 0 &&
            strncmp(rest + 1 + size, ": ", 2) == 0)
            return rest + 1 + size + 2;
    }
    return NULL;
}

/* Writes "98 agree, 0 differ, 28 skipped": the sum of the rows of each name. Returns the number of sums. */
static size_t write_sums(tmap_sink *sink, const char *rows, const char *state, const char *before) {
    char line[LINE_MAX_B], other_line[LINE_MAX_B];
    uint64_t n;
    size_t shown = 0;
    for (const char *at = rows, *name; (name = next_row(&at, state, line, &n)) != NULL;) {
        uint64_t sum = 0;
        const char *first = NULL;
        for (const char *from = rows, *other; (other = next_row(&from, state, other_line, &n)) != NULL;) {
            if (strcmp(other, name) != 0) continue;
            if (!first) first = from;
            sum += n;
        }
        if (first == at) tmap_printf(sink, "%s%" PRIu64 " %s", shown++ > 0 ? ", " : before, sum, name);
    }
    return shown;
}

/* A row of tmap_bench is a line with a number after its first word. */
static void write_bench(tmap_sink *sink, const char *output) {
    char line[LINE_MAX_B], digit[2];
    uint64_t n = 0;
    while (next_line(&output, line)) n += sscanf(line, "%*[^ ]%*[^0-9]%1[0-9]", digit) == 1;
    tmap_printf(sink, "%" PRIu64 " rows", n);
}

void run_result_write(tmap_sink *sink, const run_part *part, const char *report, const char *output) {
    tmap_text rows = {0};
    take_rows(report, part->name, &rows);
    (void)write_sums(sink, rows.data, "counted", "");
    if (!part->words) write_bench(sink, output);
    tmap_text_free(&rows);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* Adds the names of the rows of the state to a list " NAME NAME ", each once. Returns the number of new ones. */
static size_t add_names(tmap_text *list, const char *rows, const char *state) {
    tmap_sink sink = tmap_text_sink(list);
    char line[LINE_MAX_B], word[LINE_MAX_B + 2];
    size_t added = 0;
    uint64_t n;
    for (const char *name; (name = next_row(&rows, state, line, &n)) != NULL;) {
        (void)snprintf(word, sizeof word, " %s ", name);
        if (list->data && strstr(list->data, word)) continue;
        tmap_puts(&sink, word + (list->data != NULL));
        added++;
    }
    return added;
}

void first_contact_write(tmap_sink *sink, const char *report) {
    static const char *const states[][2] = {
        {"confirmed", "confirmed"},
        {"refuted", "refuted"},
        {"other form", "other numbers, on which no copy depends"},
        {"accepted", "accepted, though the rules warn"},
        {"refused", "rejected, as the rules warn"},
    };
    tmap_text rows = {0};
    char line[LINE_MAX_B];
    take_rows(report, "descriptors", &rows);
    take_rows(report, "verdicts", &rows);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        tmap_text names = {0};
        (void)add_names(&names, rows.data, states[i][0]);
        tmap_printf(sink, "%s:%s\n", states[i][1], names.data ? names.data : "");
        tmap_text_free(&names);
    }
    for (const char *at = rows.data; at && next_line(&at, line);)
        if (!is_digit(line[0])) tmap_printf(sink, "%s\n", line);
    tmap_text_free(&rows);
}

void replayed_facts_write(tmap_sink *sink, const char *report) {
    tmap_text rows = {0}, names = {0}, all = {0};
    take_rows(report, "replay", &rows);
    (void)add_names(&names, rows.data, "differing");
    (void)add_names(&names, rows.data, "refuted");
    size_t differing_B = names.size;
    tmap_printf(sink, "facts that every copy agrees with: %zu\n", add_names(&names, rows.data, "agreeing"));
    if (differing_B > 0)
        tmap_printf(sink, "facts, fields and rules of cases that differ:%.*s\n", (int)differing_B, names.data);
    take_rows(report, NULL, &all);
    if (write_sums(sink, all.data, "skipped by", "copies skipped, by rule: ") > 0) tmap_puts(sink, "\n");
    tmap_text_free(&names);
    tmap_text_free(&rows);
    tmap_text_free(&all);
}
