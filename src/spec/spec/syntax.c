/* spec: causes of errors of YAML. */
#include "spec/syntax.h"

#include <stdio.h>
#include <string.h>

#include "spec/keys.h"
#include "spec/scan.h"
#include "text/typed.h"
#include "text/utf8.h"
#include "text/visible.h"
#include "text/words.h"

#define KEY_MOST_B 48

typedef struct wrong_text {
    const char *text;
    size_t size;
    tmap_report *report;
    const tmap_syntax_error *error;
} wrong_text;

/* ---- A key without a space after its colon -------------------------------------------------------------------- */

/* A key at the start of a text and the value after it. */
typedef struct glued {
    char key[KEY_MOST_B];
    uint32_t colon, space; /* code points; space 0: none, or ASCII's */
    size_t value;          /* offset */
} glued;

static bool is_key(const char *word) {
    bool by_alias;
    for (int section = 0; section < TMAP_SECTION_COUNT; section++)
        if (tmap_key_find((tmap_section)section, word, &by_alias) != TMAP_KEY_COUNT ||
            tmap_key_of_word((tmap_section)section, word) != TMAP_KEY_COUNT)
            return true;
    return false;
}

/* Whether the text starts with a key of specs, a colon, and a value that YAML does not separate from the colon. With
 * `axes` the key can also be another word before a number. */
static bool read_glued(const char *text, size_t size, bool axes, glued *found) {
    size_t length = 0, taken;
    *found = (glued){.space = 0};
    while (length < size && is_word(text[length])) length++;
    if (length == 0 || length >= KEY_MOST_B || length == size) return false;
    memcpy(found->key, text, length);
    while (length < size && text[length] == ' ') length++;
    if (length == size) return false;
    taken = tmap_utf8_next(text + length, size - length, &found->colon);
    found->value = length + taken;
    if (tmap_typed_ascii(found->colon) != ':' || found->value == size) return false;
    bool brackets = text[found->value] == '[' || text[found->value] == '{';
    bool axis = axes && is_digit(text[found->value]) && !is_digit(text[0]);
    if (!brackets && !axis && !is_key(found->key)) return false;
    uint32_t next;
    taken = tmap_utf8_next(text + found->value, size - found->value, &next);
    bool wide_colon = found->colon != ':', blank = next == ' ' || next == '\t' || next == '\n' || next == '\r';
    if (next == ':' || (blank && !wide_colon)) return false;
    if (tmap_typed_ascii(next) == ' ' || tmap_typed_ascii(next) == 0) {
        if (next != ' ') found->space = next;
        found->value += taken;
    }
    return true;
}

/* The length of the value: to the end of its brackets, or up to a comma, a closing bracket, a comment or the end of the
 * line. */
static size_t value_size(const char *text, size_t size) {
    size_t n = 0, end = 0;
    char close = size == 0 ? 0 : text[0] == '[' ? ']' : text[0] == '{' ? '}' : 0;
    for (; n < size && !tmap_break_B(text, size, n) && !(text[n] == '#' && n > 0 && text[n - 1] == ' '); n++) {
        if (close == 0 && strchr(",]}", text[n])) break;
        if (text[n] != ' ') end = n + 1;
        if (close != 0 && text[n] == close) break;
    }
    return end;
}

static void say_glued(tmap_diag *diag, const char *text, size_t size, const glued *found) {
    int length = (int)value_size(text + found->value, size - found->value);
    if (found->colon != ':')
        TMAP_SAY(diag->message, "not YAML: the colon after '%s' is U+%04X, not ':'", found->key,
                 (unsigned)found->colon);
    else if (found->space)
        TMAP_SAY(diag->message, "not YAML: the space after '%s:' is U+%04X, not an ASCII space", found->key,
                 (unsigned)found->space);
    else
        TMAP_SAY(diag->message, "not YAML: no space follows '%s:'", found->key);
    TMAP_SAY(diag->fix.words, "%s: %.*s", found->key, length < 64 ? length : 64, text + found->value);
}

bool tmap_report_glued(tmap_report *report, const char *text, size_t size, bool lines, tmap_mark mark) {
    glued found;
    if (!read_glued(text, size, false, &found)) return false;
    say_glued((lines ? tmap_report_stop : tmap_report_add)(report, "yaml-syntax", mark, "%s", ""), text, size, &found);
    return true;
}

static bool is_comment_of_c(const char *text) {
    return text[0] == '/' && (text[1] == '/' || text[1] == '*');
}

static void stop_comment(tmap_report *report, tmap_mark mark) {
    tmap_diag *diag =
        tmap_report_stop(report, "yaml-syntax", mark, "not YAML: a comment begins with '#', not with '/'");
    TMAP_SAY(diag->fix.words, "leave the comment out, or '#' and a line for each comment");
}

bool tmap_report_key(tmap_report *report, const char *text, size_t size, bool quoted, tmap_mark mark) {
    if (!quoted && is_comment_of_c(text)) {
        stop_comment(report, mark);
        return true;
    }
    for (size_t at = 0; at < size;) {
        uint32_t code;
        bool first = at == 0;
        at += tmap_utf8_next(text + at, size - at, &code);
        if (first && !quoted && code != ' ' && tmap_typed_ascii(code) == ' ') {
            tmap_diag *diag = tmap_report_stop(
                report, "yaml-syntax", mark, "not YAML: the line is indented with U+%04X, not with ASCII spaces", code);
            TMAP_SAY(diag->fix.words, "indent with ASCII spaces");
            return true;
        }
        if (!tmap_is_control(code)) continue;
        tmap_diag *diag = tmap_report_add(report, "value-kind", mark, "the name contains the control character U+%04X",
                                          (unsigned)code);
        TMAP_SAY(diag->fix.words, "a name without this character");
        return true;
    }
    return false;
}

/* Whether a key can start at the byte: at the start of a line, after "- " or after the bracket or comma of a mapping in
 * braces. */
static bool starts_key(const char *text, size_t at) {
    if (at > 0 && is_word(text[at - 1])) return false;
    while (at > 0 && text[at - 1] == ' ') at--;
    return at == 0 || strchr("\n\r{,-", text[at - 1]);
}

/* Finds a key without a space between two places, outside comments. */
static bool find_glued(const wrong_text *wrong, size_t from, size_t to, tmap_mark *mark, size_t *at, glued *found) {
    for (size_t i = from; i < to; i++) {
        if (wrong->text[i] == '#' && (i == 0 || strchr(" \n", wrong->text[i - 1])))
            while (i + 1 < to && wrong->text[i] != '\n') i++;
        if (!starts_key(wrong->text, i) || !read_glued(wrong->text + i, wrong->size - i, true, found)) continue;
        *mark = tmap_place_of(wrong->text, wrong->size, i);
        mark->length = (int)strlen(found->key) + 1;
        *at = i;
        return true;
    }
    return false;
}

/* Reports all such keys between two places. */
static bool stop_at_glued(const wrong_text *wrong, size_t from, size_t to) {
    glued found;
    size_t at = from;
    tmap_mark mark;
    bool any = false;
    for (tmap_report *report = wrong->report; find_glued(wrong, at, to, &mark, &at, &found); at++, any = true) {
        const tmap_diag *last = report->found.count > 0 ? &report->found.items[report->found.count - 1] : NULL;
        if (last && last->mark.line == mark.line && last->mark.column == mark.column) report->found.count--;
        say_glued(tmap_report_add(report, "yaml-syntax", mark, "%s", ""), wrong->text + at, wrong->size - at, &found);
    }
    return any;
}

/* ---- Other causes --------------------------------------------------------------------------------------------- */

static size_t line_end(const wrong_text *wrong, size_t at) {
    while (at < wrong->size && wrong->text[at] != '\n') at++;
    return at;
}

static bool same_line(const wrong_text *wrong, size_t a, size_t b) {
    return b < wrong->size && !memchr(wrong->text + a, '\n', b > a ? b - a : 0);
}

static bool first_of_line(const wrong_text *wrong, size_t at) {
    while (at > 0 && wrong->text[at - 1] == ' ') at--;
    return at == 0 || wrong->text[at - 1] == '\n';
}

static bool has(const char *text, const char *part) {
    return text && strstr(text, part);
}

static tmap_diag *stop(const wrong_text *wrong, size_t at, const char *what) {
    return tmap_report_stop(wrong->report, "yaml-syntax", tmap_place_of(wrong->text, wrong->size, at), "not YAML: %s",
                            what);
}

/* A character between two places that only looks like ASCII. */
static bool stop_at_look_alike(const wrong_text *wrong, size_t from, size_t to) {
    for (size_t i = from, taken; i < to && i < wrong->size; i += taken) {
        uint32_t code;
        char what[80];
        taken = tmap_utf8_next(wrong->text + i, wrong->size - i, &code);
        uint32_t ascii = tmap_typed_ascii(code);
        if (ascii == code) continue;
        snprintf(what, sizeof what, ascii ? "the character U+%04X is not '%c'" : "the character U+%04X has no width",
                 (unsigned)code, (char)ascii);
        tmap_diag *diag = stop(wrong, i, what);
        if (ascii)
            TMAP_SAY(diag->fix.words, "'%c'", (char)ascii);
        else
            TMAP_SAY(diag->fix.words, "leave it out");
        return true;
    }
    return false;
}

/* A comment of C between two places, outside quotes and comments. */
static bool stop_at_comment(const wrong_text *wrong, size_t from, size_t to) {
    const char *text = wrong->text;
    tmap_diags *found = &wrong->report->found;
    for (size_t i = from; i + 1 < to; i++) {
        bool begins = i == 0 || strchr(" \t\n,[{]}\"", text[i - 1]);
        if (begins && (text[i] == '"' || text[i] == '\'')) {
            const char *end = memchr(text + i + 1, text[i], to - i - 1);
            if (!end) return false;
            i = (size_t)(end - text);
        } else if (begins && text[i] == '#') {
            i = line_end(wrong, i);
        } else if (begins && is_comment_of_c(text + i)) {
            tmap_mark mark = tmap_place_of(text, wrong->size, i);
            while (found->count > 0 && found->items[found->count - 1].mark.line >= mark.line) found->count--;
            stop_comment(wrong->report, mark);
            return true;
        }
    }
    return false;
}

/* Whether a key of specs with its colon starts at a byte; copies the key. */
static bool key_at(const wrong_text *wrong, size_t at, char key[KEY_MOST_B]) {
    size_t length = 0;
    while (at + length < wrong->size && is_word(wrong->text[at + length])) length++;
    if (length == 0 || length >= KEY_MOST_B || at + length >= wrong->size || wrong->text[at + length] != ':')
        return false;
    memcpy(key, wrong->text + at, length);
    key[length] = '\0';
    return is_key(key);
}

/* A list that goes on to the next key of its tensor: [64, 64, box: [64, 64]}. */
static bool stop_before_key(const wrong_text *wrong) {
    int depth = 0;
    for (size_t i = wrong->error->context_at + 1; i < wrong->error->at; i++) {
        char c = wrong->text[i], key[KEY_MOST_B], what[KEY_MOST_B + 48];
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth > 0 || c != ',' || !key_at(wrong, i + 1 + strspn(wrong->text + i + 1, " "), key)) continue;
        snprintf(what, sizeof what, "the list is not closed before the key '%s'", key);
        TMAP_SAY(stop(wrong, i, what)->fix.words, "']' before this comma");
        return true;
    }
    return false;
}

/* A list or a mapping in braces that does not end, or ends with the other bracket. */
static bool stop_in_brackets(const wrong_text *wrong) {
    const tmap_syntax_error *error = wrong->error;
    bool list = has(error->problem, "',' or ']'");
    if (!list && !has(error->problem, "',' or '}'")) return false;
    char open = list ? '[' : '{', close = list ? ']' : '}', other = list ? '}' : ']', what[64];
    bool inside = same_line(wrong, error->context_at, error->at);
    if (inside && list && stop_before_key(wrong)) return true;
    if (inside && wrong->text[error->at] == other) {
        snprintf(what, sizeof what, "'%c' cannot close '%c'", other, open);
        TMAP_SAY(stop(wrong, error->at, what)->fix.words, "'%c'", close);
    } else if (inside) {
        TMAP_SAY(stop(wrong, error->at, "a value in brackets has no ',' after it")->fix.words,
                 "',' between two values");
    } else {
        snprintf(what, sizeof what, "'%c' is not closed", open);
        TMAP_SAY(stop(wrong, error->context_at, what)->fix.words, "'%c' after the last value", close);
    }
    return true;
}

static bool stop_in_quotes(const wrong_text *wrong) {
    const tmap_syntax_error *error = wrong->error;
    if (!has(error->context, "quoted scalar") || has(error->problem, "escape")) return false;
    if (has(error->problem, "hexdecimal")) return false;
    TMAP_SAY(stop(wrong, error->context_at, "the quote is not closed")->fix.words, "%c at the end of the text",
             wrong->text[error->context_at]);
    return true;
}

/* The first byte, after the indentation, of the last line before a place that has content; SIZE_MAX: none. */
static size_t line_before(const wrong_text *wrong, size_t at) {
    size_t start = tmap_line_start(wrong->text, wrong->size, at);
    while (start > 0) {
        start = tmap_line_start(wrong->text, wrong->size, start - 1);
        size_t first = start + strspn(wrong->text + start, " ");
        if (wrong->text[first] != '\n' && wrong->text[first] != '\r' && wrong->text[first] != '#') return first;
    }
    return SIZE_MAX;
}

static size_t indentation_before(const wrong_text *wrong, size_t at) {
    size_t first = line_before(wrong, at);
    return first == SIZE_MAX ? 0 : first - tmap_line_start(wrong->text, wrong->size, first);
}

static void stop_at_indentation(const wrong_text *wrong, size_t at, bool item, const char *around) {
    tmap_diag *diag = stop(wrong, at, "the indentation of this line does not fit the lines before it");
    TMAP_SAY(diag->fix.words, item ? "indent it by %d columns, and begin with '- '" : "indent it by %d columns",
             (int)indentation_before(wrong, at));
    if (around) tmap_report_note(diag, tmap_place_of(wrong->text, wrong->size, wrong->error->context_at), "%s", around);
}

/* A line whose indentation or content does not continue the mapping or list around it. */
static bool stop_at_line(const wrong_text *wrong) {
    const tmap_syntax_error *error = wrong->error;
    bool key = has(error->problem, "expected key"), item = has(error->problem, "'-' indicator");
    if (!key && !item) return false;
    char c = error->at < wrong->size ? wrong->text[error->at] : '\0';
    if (c != '\0' && strchr("]},;", c)) {
        TMAP_SAY(stop(wrong, error->at,
                      c == ',' || c == ';' ? "a line ends without ',' or ';'" : "the bracket closes nothing")
                     ->fix.words,
                 "leave '%c' out", c);
    } else if (!first_of_line(wrong, error->at)) {
        TMAP_SAY(stop(wrong, error->at, "text follows the end of the value")->fix.words,
                 "brackets around a list, or quotes around the whole text");
    } else {
        stop_at_indentation(wrong, error->at, item, key ? "the mapping begins here" : "the list begins here");
    }
    return true;
}

/* Whether the error is at the colon of the first key of a line: libyaml reads the line as part of the value before it.
 */
static bool continues_value(const wrong_text *wrong, size_t *key) {
    *key = wrong->error->at;
    while (*key > 0 && is_word(wrong->text[*key - 1])) --*key;
    return has(wrong->error->problem, "mapping values are not allowed") && first_of_line(wrong, *key);
}

/* A line without a colon: "type bf16", or a name alone. libyaml may report the next line, as a continuation of this
 * line. */
static bool stop_without_colon(const wrong_text *wrong) {
    const tmap_syntax_error *error = wrong->error;
    size_t at = error->context_at, key;
    if (continues_value(wrong, &key))
        at = line_before(wrong, key);
    else if (!has(error->problem, "expected ':'"))
        return false;
    if (at == SIZE_MAX) return false;
    const char *line = wrong->text + at;
    size_t size = line_end(wrong, at) - at, word = 0;
    while (word < size && is_word(line[word])) word++;
    if (memchr(line, ':', size) && at < key &&
        key - tmap_line_start(wrong->text, wrong->size, key) > at - tmap_line_start(wrong->text, wrong->size, at)) {
        stop_at_indentation(wrong, key, false, NULL);
        return true;
    }
    if (word == 0 || word >= KEY_MOST_B || memchr(line, ':', size)) return false;
    size_t value = word;
    while (value < size && (line[value] == ' ' || line[value] == '=')) value++;
    int length = (int)value_size(line + value, size - value);
    tmap_diag *diag = stop(wrong, at, "no ':' follows the key");
    TMAP_SAY(diag->fix.words, "%.*s:%s%.*s", (int)word, line, length > 0 ? " " : "", length < 64 ? length : 64,
             line + value);
    return true;
}

static bool stop_with_words(const wrong_text *wrong) {
    static const struct {
        const char *problem, *what, *fix;
    } rows[] = {
        {"expected ':'", "no ':' follows the key", "a line 'KEY: VALUE'"},
        {"comment or line break", "'|' and '>' begin a text of the following lines", "quotes around the value"},
        {"mapping values are not allowed", "a second key with a value in one line",
         "a new line before this key, or quotes around the value"},
        {"block sequence entries", "a list with '-' begins after other text in its line",
         "the list in brackets, or a new line before '-'"},
        {"found unexpected ':'", "no space follows ':'", "a space after ':'"},
        {"alphabetic or numeric", "the name of an anchor or alias is missing; '*' and '&' are not operators here",
         "quotes around the value, or no '*' or '&'"},
        {"expected <document start>", "text follows the end of the file's mapping", "leave it out"},
        {"expected node content", "a value is missing", "a value before this character, or leave the character out"},
        {"unknown escape", "'\\' in double quotes begins an escape that YAML does not have",
         "single quotes, or '\\\\'"},
    };
    const tmap_syntax_error *error = wrong->error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!has(error->problem, rows[i].problem)) continue;
        TMAP_SAY(stop(wrong, error->at, rows[i].what)->fix.words, "%s", rows[i].fix);
        return true;
    }
    return false;
}

/* Reports libyaml's own words. */
static void stop_plainly(const wrong_text *wrong) {
    const tmap_syntax_error *error = wrong->error;
    char c = error->at < wrong->size ? wrong->text[error->at] : '\0';
    tmap_diag *diag = stop(wrong, error->at, error->problem);
    if (c == '\t')
        TMAP_SAY(diag->fix.words, "indent with spaces: YAML does not allow tabs here");
    else if (has(error->problem, "cannot start any token"))
        TMAP_SAY(diag->fix.words, "leave '%c' out, or quotes around the value", c);
    if (error->context)
        tmap_report_note(diag, tmap_place_of(wrong->text, wrong->size, error->context_at), "%s that begins here",
                         error->context);
}

void tmap_report_syntax(tmap_report *report, const char *text, size_t size, const tmap_syntax_error *error) {
    wrong_text wrong = {.text = text, .size = size, .report = report, .error = error};
    size_t from = error->context && error->context_at < error->at ? error->context_at : error->at;
    size_t key;
    if (continues_value(&wrong, &key) && line_before(&wrong, key) != SIZE_MAX) from = line_before(&wrong, key);
    from = tmap_line_start(text, size, from);
    size_t to = line_end(&wrong, error->at), first = strspn(text, " \n\r");
    if (text[first] == '/') from = first;
    if (stop_at_glued(&wrong, from, to)) return;
    if (stop_at_look_alike(&wrong, from, to) || stop_at_comment(&wrong, from, to)) return;
    bool tab = error->at < size && text[error->at] == '\t';
    if (!tab && (stop_in_brackets(&wrong) || stop_in_quotes(&wrong) || stop_at_line(&wrong))) return;
    if (!tab && (stop_without_colon(&wrong) || stop_with_words(&wrong))) return;
    stop_plainly(&wrong);
}
