#define _GNU_SOURCE /* memrchr */
#include "import/lines.h"
#include "import/prefilter.h"
#include "text/cursor.h"
#include "text/visible.h"

#include <string.h>

#define ESCAPE '\x1b'

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* The end of an escape sequence of ECMA-48 that starts at `at`: CSI ... final byte, OSC ... BEL, or two characters. */
static const char *skip_escape(const char *at, const char *end) {
    at++;
    if (at == end) return at;
    char kind = *at++;
    if (kind == '[')
        while (at < end && !(*at >= '@' && *at <= '~')) at++;
    else if (kind == ']')
        while (at < end && *at != '\a' && *at != ESCAPE) at++;
    else
        return at;
    return at < end ? at + 1 : at;
}

static bool is_quote(char c) {
    return c == '"' || c == '\'';
}

/* Whether \n is at `at`, in a string but not at the end of the string. */
static bool is_folded_newline(const char *at, const char *end) {
    if (end - at < 3 || at[0] != '\\' || at[1] != 'n') return false;
    return !is_quote(at[2]) && !(at[2] == '\\' && end - at > 3 && is_quote(at[3]));
}

/* The end of a line, or of a part of it; quoted: the part starts in a string. */
static const char *end_of_part(const char *at, const char *end, bool quoted) {
    size_t size = end - at < LOG_LINE_MAX ? (size_t)(end - at) : LOG_LINE_MAX;
    const char *newline = memchr(at, '\n', size);
    if (newline && !memchr(at, '\\', (size_t)(newline - at))) return newline;
    for (; at < end && *at != '\n'; at++) {
        if (quoted && is_folded_newline(at, end)) return at;
        quoted |= is_quote(*at);
    }
    return at;
}

/* Returns whether the text is that of the log. */
static bool copy_line(log_line *line, const char *at, const char *end, bool plain) {
    size_t size = (size_t)(end - at);
    plain |= size < LOG_LINE_MAX && !memchr(at, ESCAPE, size) && !memchr(at, '\r', size) && !memchr(at, '\0', size);
    if (plain) memcpy(line->text, at, size);
    for (line->size = plain ? size : 0; !plain && at < end && line->size < LOG_LINE_MAX - 1;) {
        char c = *at;
        if (c == ESCAPE) {
            at = skip_escape(at, end);
            continue;
        }
        at++;
        if (c == '\0') c = '?';
        if (c != '\r') line->text[line->size++] = c;
    }
    line->text[line->size] = '\0';
    return plain;
}

/* The row of the table for the line that begins at `at`. */
static tmap_import_line *line_place(tmap_import *import, int number, size_t at) {
    return &import->lines[log_place(number, at) % (sizeof import->lines / sizeof *import->lines)];
}

bool log_next_text(tmap_import *import, log_cursor *cursor, log_line *line) {
    if (cursor->at >= import->size) return false;
    const char *log = import->text, *at = log + cursor->at, *log_end = log + import->size;
    bool later = cursor->at > 0 && at[-1] != '\n'; /* not the first part of its line */
    cursor->line += !later;
    tmap_import_line *kept = line_place(import, cursor->line, cursor->at);
    bool known = kept->at == cursor->at + 1;
    const char *end = known ? at + kept->size : end_of_part(at, log_end, later);
    bool newline = end < log_end && *end == '\n';
    line->folded = later || (end < log_end && !newline);
    line->offset = cursor->at;
    line->raw = at;
    line->raw_size = (size_t)(end - at);
    line->number = cursor->line;
    cursor->at = (size_t)(end - log) + (end == log_end ? 0 : newline ? 1 : 2);
    bool plain = copy_line(line, at, end, known && kept->plain);
    if (!known) *kept = (tmap_import_line){.at = line->offset + 1, .size = line->raw_size, .plain = plain};
    return true;
}

bool log_next_line(tmap_import *import, log_cursor *cursor, log_line *line) {
    if (!log_next_text(import, cursor, line)) return false;
    tmap_import_line *kept = line_place(import, line->number, line->offset);
    if (!kept->has_words) kept->words = likely_groups(&import->filter, line->text, line->size);
    kept->has_words = true;
    line->import = import;
    line->words = kept->words;
    return true;
}

log_cursor line_begin(const log_line *line) {
    bool later = line->offset > 0 && line->raw[-1] != '\n';
    return (log_cursor){line->offset, line->number - !later};
}

/* The start of the line with the byte before `at`; NULL: it is too far. */
static const char *start_of_line(const char *log, const char *at) {
    size_t size = at - log < LINE_BACK_MAX ? (size_t)(at - log) : LINE_BACK_MAX;
    const char *newline = memrchr(at - size, '\n', size);
    if (newline) return newline + 1;
    bool whole = at - size == log || at[-(ptrdiff_t)size - 1] == '\n';
    return whole ? at - size : NULL;
}

/* The start of the last part before `end` of a line with \n; NULL: the line has one part. */
static const char *start_of_part(const char *line, const char *end, const char *log_end) {
    for (const char *at = end; (at = memrchr(line, '\\', (size_t)(at - line))) != NULL;) {
        if (!is_folded_newline(at, log_end)) continue;
        bool quoted = memchr(line, '"', (size_t)(at - line)) || memchr(line, '\'', (size_t)(at - line));
        return quoted ? at + 2 : NULL;
    }
    return NULL;
}

bool log_previous_line(const tmap_import *import, log_cursor *cursor) {
    const char *log = import->text, *end = log + cursor->at;
    const char *start = cursor->at > 0 ? start_of_line(log, end - 1) : NULL;
    if (!start) return false;
    end -= end[-1] == '\n' ? 1 : end - start < 2 ? end - start : 2;
    const char *part = start_of_part(start, end, log + import->size);
    *cursor = (log_cursor){(size_t)((part ? part : start) - log), cursor->line - !part};
    return true;
}

const char *line_key_at(const log_line *line, const char *at, const char *name, char separator) {
    const char *after = at;
    if (at > line->text && is_word(at[-1])) return NULL;
    while (*name != '\0' && *name == *after) name++, after++;
    if (*name != '\0' || (separator ? *after != separator : !is_blank(*after))) return NULL;
    const char value = *skip_blanks(after);
    if (!separator && (value == '=' || value == ':')) return NULL; /* NAME = VALUE */
    return after + (separator != 0);
}

const char *line_find_key(const log_line *line, const char *from, const char *name, char separator,
                          const char **begin) {
    for (const char *at = from; (at = strstr(at, name)) != NULL; at++) {
        const char *value = line_key_at(line, at, name, separator);
        if (!value) continue;
        *begin = at;
        return value;
    }
    return NULL;
}

static bool begins_with(const char *at, const char *text) {
    for (; *text; text++) {
        if (*text == '*') {
            while (*at != '\0' && !begins_with(at, text + 1)) at++;
            return *at != '\0';
        }
        if (*text != '#') {
            if (*at++ != *text) return false;
            continue;
        }
        if (!is_digit(*at)) return false;
        while (is_digit(*at)) at++;
    }
    return true;
}

const char *line_find_text(const log_line *line, const char *text) {
    for (const char *at = line->text; (at = strchr(at, *text)) != NULL; at++)
        if (begins_with(at, text)) return at;
    return NULL;
}

int line_column(const log_line *line, const char *words, size_t size) {
    const char *log = line->raw - line->offset, *start = line->folded ? start_of_line(log, line->raw) : line->raw;
    const char *at = line->raw, *end = line->raw + line->raw_size;
    while (at + size <= end && (*at != *words || memcmp(at, words, size) != 0)) at++;
    if (!start || at + size > end) return 1;
    return 1 + tmap_code_points(start, (size_t)(at - start));
}

/* Whether the word is a date or a time: no letters but T and Z, and too many digits for a rank. */
static bool is_time(const char *word, size_t size) {
    int digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_digit(word[i]))
            digits++;
        else if (word[i] > ']' || !strchr(":.,-+/TZ[]()", word[i]))
            return false;
    }
    return digits >= 6;
}

/* Moves *at to the end of the next word before `end` that is no time. Returns the size of this word; 0: none. */
static size_t next_word(const char **at, const char *end) {
    for (;;) {
        while (*at < end && is_blank(**at)) ++*at;
        const char *word = *at;
        while (*at < end && !is_blank(**at)) ++*at;
        if (*at == word || !is_time(word, (size_t)(*at - word))) return (size_t)(*at - word);
    }
}

uint64_t line_writer(const log_line *line, const char *end) {
    uint64_t hash = 0;
    if (line->folded) return UINT64_MAX - (uint64_t)line->number;
    const char *at = line->text;
    for (size_t size = next_word(&at, end); size > 0; size = next_word(&at, end)) {
        /* FNV-1a (Fowler, Noll, Vo) with its 64-bit prime. */
        for (const char *word = at - size; word < at; word++)
            hash = (hash ^ (unsigned char)*word) * UINT64_C(0x100000001b3) + 1;
    }
    return hash;
}

bool line_prefix_begins(const log_line *longer, const char *longer_end, const log_line *line, const char *end) {
    const char *a = longer->text, *b = line->text;
    for (size_t size = next_word(&b, end); size > 0; size = next_word(&b, end))
        if (next_word(&a, longer_end) != size || memcmp(a - size, b - size, size) != 0) return false;
    return true;
}

/* ---- Lines read ahead ------------------------------------------------------------------------------------------- */

bool log_is_read(const tmap_import *import, uint64_t writer, size_t offset) {
    for (int i = 0; i < import->read_n; i++)
        if (import->read[i].writer == writer) return offset < import->read[i].end;
    return false;
}

void log_mark_read(tmap_import *import, uint64_t writer, size_t end) {
    int place = 0;
    for (int i = 0; i < import->read_n; i++) {
        if (import->read[i].writer == writer) {
            if (end > import->read[i].end) import->read[i].end = end;
            return;
        }
        if (import->read[i].end < import->read[place].end) place = i;
    }
    if (import->read_n < TMAP_IMPORT_WRITERS) place = import->read_n++;
    import->read[place].writer = writer;
    import->read[place].end = end;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* Reads a number up to its last digit. The text of a line ends with a zero byte, so reading one character ahead is
 * safe.
 */
static bool take_digits(const char **at, number_list *list) {
    const char *c = *at;
    bool minus = *c == '-' && is_digit(c[1]);
    c += minus;
    unsigned base = c[0] == '0' && (c[1] == 'x' || c[1] == 'X') ? 16 : 10;
    if (base == 16) c += 2;
    uint64_t value;
    if (tmap_digits(&c, base, &value) != TMAP_NUMBER_OK || list->n == NUMBERS_MAX) return false;
    list->negative |= minus;
    list->values[list->n++] = minus ? 0 - value : value;
    *at = c;
    return true;
}

static bool take_number(const char **at, number_list *list) {
    const char *first = *at;
    bool hex = first[0] == '0' && (first[1] == 'x' || first[1] == 'X');
    if (!take_digits(at, list)) return false;
    bool times = !hex && **at == 'x' && is_digit((*at)[1]); /* 64x128 */
    if (!is_word(**at) || times) return true;
    list->n--;
    return false;
}

bool line_number(const char *at, number_list *list) {
    *list = (number_list){.n = 0};
    at = skip_blanks(at);
    if (*at == '(' && strncmp(at, "(nil)", 5) == 0) {
        list->n = 1;
        list->end = at + 5;
        return true;
    }
    if (!take_number(&at, list)) return false;
    list->end = at;
    return true;
}

/* The start of the number of an entry in brackets: after a quote, "K=", "K:", "np.int64(" or the '_' of CuTe's _64. */
static const char *begin_of_entry(const char *at, bool *call) {
    at += is_quote(*at);
    const char *after = at;
    while (is_word(*after) || (*after == '.' && is_word(after[1]))) after++;
    if (after == at || is_digit(*at)) return at;
    const char *sign = skip_blanks(after + is_quote(*after));
    *call = *sign == '(';
    return *sign == '=' || *sign == ':' || *call ? skip_blanks(sign + 1) : at + (*at == '_');
}

/* The text after the unit, parenthesis and quote of an entry. */
static const char *end_of_entry(const char *at, bool call) {
    static const char *const units[] = {"bytes", "elements", "B", "ULL", "UL", "LL", "u", "U", "L"};
    const char *unit = skip_blanks(at);
    for (size_t i = 0; is_letter(*unit) && i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i]);
        if (strncmp(unit, units[i], size) != 0 || is_word(unit[size])) continue;
        at = unit + size;
        break;
    }
    at += call && *at == ')';
    return skip_blanks(at + is_quote(*at));
}

/* Reads from after the opening bracket to the closing bracket. Python prints a tuple of one number as "(1,)", NumPy an
 * array as "[1 2]". */
static bool take_bracketed(const char *at, number_list *list) {
    char close = '}';
    if (list->bracket != '{') close = list->bracket == '(' ? ')' : ']';
    for (at = skip_blanks(at); *at != close;) {
        bool call = false;
        at = begin_of_entry(at, &call);
        if (!take_digits(&at, list)) return false;
        const char *end = end_of_entry(at, call);
        if (*end != close && *end != ',' && *end != ';' && !is_blank(*at)) return false;
        at = skip_blanks(end + (*end == ',' || *end == ';'));
    }
    list->end = at + 1;
    return true;
}

/* The text after the word and the parenthesis of "torch.Size([" and "array(["; *at is set to the bracket. */
static bool take_wrapper(const char **at) {
    const char *after = *at;
    while (is_word(*after) || (*after == '.' && is_word(after[1]))) after++;
    if (after == *at || is_digit(**at) || *after != '(' || !strchr("[(", after[1]) || after[1] == '\0') return false;
    *at = after + 1;
    return true;
}

bool line_numbers(const char *at, number_list *list) {
    *list = (number_list){.n = 0};
    at = skip_blanks(at);
    bool wrapped = take_wrapper(&at);
    while (*at != '(' && *at != '[' && *at != '{') {
        const char *before = at;
        list->end = at;
        if (!take_number(&at, list)) return list->n > 0 && at == before && !is_digit(*at) && *at != '-';
        at = skip_blanks(at);
    }
    *list = (number_list){.bracket = *at}; /* the number before the bracket is an address */
    if (!take_bracketed(at + 1, list)) return false;
    const char *close = wrapped ? strchr(list->end, ')') : NULL;
    if (close) list->end = close + 1;
    return true;
}
