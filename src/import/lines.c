#include "import/lines.h"

#include <string.h>

#include "import/characters.h"

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

bool log_next_line(const char *log, size_t log_size, log_cursor *cursor, log_line *line) {
    if (cursor->at >= log_size) return false;
    const char *at = log + cursor->at, *newline = memchr(at, '\n', log_size - cursor->at);
    const char *end = newline ? newline : log + log_size;
    line->offset = cursor->at;
    line->raw = at;
    line->raw_size = (size_t)(end - at);
    line->number = ++cursor->line;
    cursor->at = (size_t)(end - log) + (newline != NULL);
    for (line->size = 0; at < end && line->size < LOG_LINE_MAX - 1;) {
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
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Whether the two characters \n are before `at`: Python and JSON print several lines as one. */
static bool ends_escaped_line(const char *text, const char *at) {
    return at - text >= 2 && at[-2] == '\\' && at[-1] == 'n';
}

const char *line_find_key(const log_line *line, const char *from, const char *name, char separator,
                          const char **begin) {
    size_t size = strlen(name);
    for (const char *at = from; (at = strstr(at, name)) != NULL; at++) {
        const char *behind = at + size;
        if (at > line->text && is_word(at[-1]) && !ends_escaped_line(line->text, at)) continue;
        if (separator ? *behind != separator : !is_blank(*behind)) continue;
        *begin = at;
        return behind + (separator != 0);
    }
    return NULL;
}

static bool begins_with(const char *at, const char *text) {
    for (; *text; text++) {
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
    for (const char *at = line->text; *at; at++)
        if (begins_with(at, text)) return at;
    return NULL;
}

int line_column(const log_line *line, const char *words) {
    size_t size = strlen(words);
    int column = 1;
    for (size_t i = 0; i + size <= line->raw_size; i++) {
        if (memcmp(line->raw + i, words, size) == 0) return column;
        column += ((unsigned char)line->raw[i] & 0xC0) != 0x80; /* bytes 10xxxxxx continue a code point of UTF-8 */
    }
    return 1;
}

/* Whether the word is a date or a time: no letters but T and Z, and too many digits for a rank. */
static bool is_time(const char *word, size_t size) {
    int digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (word[i] == '\0' || !strchr("0123456789:.,-+/TZ[]()", word[i])) return false;
        digits += is_digit(word[i]);
    }
    return digits >= 6;
}

uint64_t line_writer(const log_line *line, const char *end) {
    uint64_t hash = 0;
    for (const char *at = line->text; at < end;) {
        while (at < end && is_blank(*at)) at++;
        const char *word = at;
        while (at < end && !is_blank(*at)) at++;
        if (is_time(word, (size_t)(at - word))) continue;
        /* FNV-1a (Fowler, Noll, Vo) with its 64-bit prime. */
        for (; word < at; word++) hash = (hash ^ (unsigned char)*word) * UINT64_C(0x100000001b3) + 1;
    }
    return hash;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* The text of a line ends with a zero byte, so reading one character ahead is safe. */
static bool take_number(const char **at, number_list *list) {
    const char *c = *at;
    bool minus = *c == '-' && is_digit(c[1]);
    c += minus;
    unsigned base = c[0] == '0' && (c[1] == 'x' || c[1] == 'X') ? 16 : 10;
    if (base == 16) c += 2;
    const char *first = c;
    uint64_t value = 0;
    for (; digit_of(*c) < base; c++) {
        if (value > (UINT64_MAX - digit_of(*c)) / base) return false;
        value = value * base + digit_of(*c);
    }
    if (c == first || is_word(*c) || list->n == NUMBERS_MAX) return false;
    list->negative |= minus;
    list->values[list->n++] = minus ? 0 - value : value;
    *at = c;
    return true;
}

static const char *skip_blanks(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

bool line_number(const char *at, number_list *list) {
    *list = (number_list){.n = 0};
    at = skip_blanks(at);
    if (strncmp(at, "(nil)", 5) == 0) {
        list->n = 1;
        return true;
    }
    return take_number(&at, list);
}

/* Reads from after the opening bracket to the closing bracket. */
static bool take_bracketed(const char *at, number_list *list) {
    char close = list->bracket == '(' ? ')' : ']';
    for (at = skip_blanks(at); *at != close; at = skip_blanks(at)) {
        if (list->n > 0 && *at++ != ',') return false;
        at = skip_blanks(at);
        if (!take_number(&at, list)) return false;
    }
    return true;
}

bool line_numbers(const char *at, number_list *list) {
    *list = (number_list){.n = 0};
    at = skip_blanks(at);
    while (*at != '(' && *at != '[') {
        const char *before = at;
        if (!take_number(&at, list)) return list->n > 0 && at == before && !is_word(*at) && *at != '-';
        at = skip_blanks(at);
    }
    *list = (number_list){.bracket = *at}; /* the number before the bracket is an address */
    return take_bracketed(at + 1, list);
}
