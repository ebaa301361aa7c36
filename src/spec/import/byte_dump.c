/*
 * import: bytes as od, hexdump and xxd print them. Each form is tried with each radix of offsets; the columns, the
 * offsets and the characters after the bytes decide which forms fit.
 */
#include <string.h>

#include "import/bytes.h"

#define OFFSET_DIGITS 6 /* od -Ax prints 6 digits, the other tools and radices 7 or 8 */

typedef enum word_radix { HEX, CANONICAL, OCTAL, DECIMAL, CHARACTER } word_radix;

typedef struct word_form {
    word_radix radix;
    size_t size_B, digits, pitch;
} word_form;

static const word_form forms[] = {
#define FORM(radix, size_B, digits, pitch) {radix, size_B, digits, pitch},
#include "import/word_forms.def"
#undef FORM
};

/* The groups of xxd. */
typedef enum group_order { IN_ORDER, LOW_FIRST, BINARY } group_order;

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* Reads all digits of the word. Returns false if it has others, or if the number needs more than 64 bits. */
static bool word_value(tmap_cursor word, unsigned base, uint64_t *value) {
    return tmap_cursor_digits_of(&word, base, value) == TMAP_NUMBER_OK && word.at == word.size;
}

/* A number that is padded with blanks has no leading zeros. */
static bool decimal_value(tmap_cursor word, size_t digits, uint64_t *value) {
    bool minus = tmap_cursor_next(&word) == '-';
    word.at += minus;
    size_t size = word.size - word.at;
    if (size == 0 || (digits == 0 && size > 1 && tmap_cursor_next(&word) == '0')) return false;
    if (!word_value(word, 10, value)) return false;
    if (minus) *value = 0 - *value;
    return true;
}

static bool take_word(const word_form *form, tmap_cursor word, byte_run *run) {
    static const unsigned bases[] = {[HEX] = 16, [CANONICAL] = 16, [OCTAL] = 8};
    uint64_t value;
    if (form->digits > 0 && word.size - word.at != form->digits) return false;
    bool read = form->radix == DECIMAL ? decimal_value(word, form->digits, &value)
                                       : word_value(word, bases[form->radix], &value);
    if (!read || !run_fits(value, form->size_B)) return false;
    run_add_word(run, value, form->size_B);
    return true;
}

/* ---- The characters after the bytes of a line ------------------------------------------------------------------- */

static bool is_printable(unsigned byte) {
    return byte >= ' ' && byte <= '~';
}

/* Whether the characters are those of the last n bytes: a dot for a byte that is not printable. Spaces at the end may
 * be cut. */
static bool characters_fit(tmap_cursor text, const byte_run *run, size_t n) {
    if (run->n > BYTES) return false;
    for (size_t i = 0; i < n; i++) {
        unsigned byte = run->bytes[run->n - n + i];
        unsigned seen = ' ';
        if (text.at < text.size) seen = (unsigned char)text.text[text.at++];
        if (seen != (is_printable(byte) ? byte : '.')) return false;
    }
    return true;
}

/* ---- Lines of od and hexdump ------------------------------------------------------------------------------------ */

/* The words of a line after `base`, the end of its offset. */
static bool read_words(const word_form *form, tmap_cursor line, byte_run *run) {
    size_t base = line.at, first = run->n;
    for (size_t i = 0;; i++) {
        while (tmap_cursor_next(&line) == ' ') line.at++;
        if (line.at == line.size) return true;
        bool canonical = form->radix == CANONICAL;
        if (tmap_cursor_next(&line) == '|' || tmap_cursor_next(&line) == '>') { /* hexdump -C, od -tx1z */
            line.at++;
            return form->size_B == 1 || characters_fit(line, run, run->n - first);
        }
        size_t column = base + form->pitch * (i + 1) + (canonical ? 1u + (i >= 8) : 0u);
        tmap_cursor rest = {line.text, column < line.size ? column + 1 : line.size, line.at}, word = scan_word(&rest);
        line.at = rest.at;
        if (word.size != column || !take_word(form, word, run)) return false;
    }
}

/* Reads "   a", "  \n", " 375": a column of od -c. *certain: the form is certain, because od -a prints no such column.
 */
static bool read_character(tmap_cursor line, byte_run *run, bool *certain) {
    static const char letters[] = "0abfnrtv", meanings[] = "\0\a\b\f\n\r\t\v";
    const char *field = line.text + line.at;
    uint64_t value;
    if (field[0] != ' ') return false;
    if (field[1] == ' ' && field[2] == ' ') {
        run_add(run, (unsigned char)field[3]);
        return is_printable((unsigned char)field[3]);
    }
    *certain = true;
    if (field[1] == ' ' && field[2] == '\\') {
        const char *letter = memchr(letters, field[3], sizeof letters - 1);
        if (letter) run_add(run, (unsigned char)meanings[letter - letters]);
        return letter != NULL;
    }
    if (!word_value((tmap_cursor){line.text, line.at + 4, line.at + 1}, 8, &value) || value > 255 ||
        is_printable((unsigned)value))
        return false;
    run_add(run, (unsigned)value);
    return true;
}

static bool read_characters(tmap_cursor line, byte_run *run, bool *certain) {
    for (; line.size - line.at >= 4; line.at += 4)
        if (!read_character(line, run, certain)) return false;
    return line.at == line.size;
}

/* ---- Lines of xxd ----------------------------------------------------------------------------------------------- */

static bool take_group(group_order order, tmap_cursor group, byte_run *run) {
    size_t digits = order == BINARY ? 8 : 2, n = (group.size - group.at) / digits;
    if (n == 0 || n > BYTES || (group.size - group.at) % digits != 0) return false;
    for (size_t i = 0; i < n; i++) {
        size_t first = group.at + (order == LOW_FIRST ? n - 1 - i : i) * digits;
        uint64_t value;
        if (!word_value((tmap_cursor){group.text, first + digits, first}, order == BINARY ? 2 : 16, &value))
            return false;
        run_add(run, (unsigned)value);
    }
    return true;
}

/* Reads " fd3f eb3c ...  .?.<" after the colon: two spaces separate the characters, or more on a short line. */
static bool read_groups(group_order order, tmap_cursor line, byte_run *run, size_t *characters_at) {
    size_t base = line.at, first = run->n;
    while (line.size - line.at >= 2 && tmap_cursor_next(&line) == ' ' && tmap_cursor_ahead(&line, 1) != ' ') {
        line.at++;
        if (!take_group(order, scan_word(&line), run)) return false;
    }
    if (*characters_at == 0) *characters_at = line.at - base + 2;
    for (size_t c = line.at; c < line.size && c - base < *characters_at; c++)
        if (line.text[c] != ' ') return false;
    if (line.size - base <= *characters_at) return run->n > first;
    line.at = base + *characters_at;
    return characters_fit(line, run, run->n - first);
}

/* ---- Dumps ------------------------------------------------------------------------------------------------------ */

/* How the lines of a dump are read. */
typedef struct dump_way {
    const word_form *form; /* NULL: xxd */
    group_order order;
    unsigned offset_radix; /* 0: no offsets */
} dump_way;

static bool take_offset_digits(unsigned radix, tmap_cursor *line, uint64_t *offset) {
    tmap_cursor_skip_blanks(line);
    tmap_cursor digits = *line;
    while (digit_of(tmap_cursor_next(line)) < 16) line->at++;
    digits.size = line->at;
    return digits.size - digits.at >= OFFSET_DIGITS && word_value(digits, radix, offset);
}

/* Whether the first line that is not empty has an offset of this radix. */
static bool begins_with_offset(tmap_cursor text, unsigned radix) {
    uint64_t offset;
    tmap_cursor_skip_space(&text);
    tmap_cursor line = scan_line(&text);
    return take_offset_digits(radix, &line, &offset);
}

/* Reads the offset, and the colon of xxd, at the start of a line. */
static bool take_offset(const dump_way *way, tmap_cursor *line, uint64_t *offset) {
    if (!take_offset_digits(way->offset_radix, line, offset)) return false;
    if (!way->form && tmap_cursor_next(line) != ':') return false;
    line->at += !way->form;
    return line->at == line->size || tmap_cursor_next(line) == ' ';
}

static bool is_star(tmap_cursor line) {
    if (!tmap_cursor_take(&line, "*")) return false;
    tmap_cursor_skip_space(&line);
    return line.at == line.size;
}

/* Inserts copies of the line_B bytes before `at`, until the run has `to` bytes: the lines that "*" replaces. */
static bool repeat(byte_run *run, size_t at, size_t line_B, size_t to) {
    if (line_B == 0 || line_B > at || run->n > BYTES || to > BYTES || to < run->n) return false;
    size_t added = to - run->n;
    if (added % line_B != 0) return false;
    memmove(run->bytes + at + added, run->bytes + at, run->n - at);
    for (size_t i = at; i < at + added; i++) run->bytes[i] = run->bytes[i - line_B];
    run->n = to;
    return true;
}

typedef struct dump_state {
    dump_way way;
    byte_run run;
    size_t line_B, star_at, star_B, characters_at, stars_n;
    uint64_t first;
    bool begun, star, certain;
} dump_state;

/* A "*" replaces one or more lines. */
static bool take_star(dump_state *dump) {
    if (dump->star || dump->run.n == 0) return false;
    dump->star = true;
    dump->stars_n++;
    dump->star_at = dump->run.n;
    dump->star_B = dump->line_B;
    return repeat(&dump->run, dump->run.n, dump->line_B, dump->run.n + dump->line_B);
}

/* The end of the dump. Without offsets, a single "*" replaces all lines that the dump lacks. */
static bool end_dump(dump_state *dump) {
    bool open = dump->way.offset_radix == 0 ? dump->stars_n == 1 : dump->star;
    return !open || repeat(&dump->run, dump->star_at, dump->star_B, BYTES);
}

static bool take_place(dump_state *dump, tmap_cursor *line) {
    uint64_t offset;
    if (dump->way.offset_radix == 0) {
        dump->star = false;
        return true;
    }
    if (!take_offset(&dump->way, line, &offset)) return false;
    if (!dump->begun) dump->first = offset;
    dump->begun = true;
    if (offset < dump->first || offset - dump->first > BYTES) return false;
    if (dump->star && !repeat(&dump->run, dump->run.n, dump->line_B, offset - dump->first)) return false;
    dump->star = false;
    return offset - dump->first == dump->run.n;
}

/* The bytes of a line after its offset. The last line has only the offset. */
static bool read_bytes(dump_state *dump, tmap_cursor line) {
    const word_form *form = dump->way.form;
    if (line.at == line.size) return true;
    if (!form) return read_groups(dump->way.order, line, &dump->run, &dump->characters_at);
    return form->radix == CHARACTER ? read_characters(line, &dump->run, &dump->certain)
                                    : read_words(form, line, &dump->run);
}

static bool take_line(dump_state *dump, tmap_cursor line) {
    size_t before = dump->run.n;
    if (is_star(line)) return take_star(dump);
    if (!take_place(dump, &line)) return false;
    if (!read_bytes(dump, line)) return false;
    if (dump->run.n > before) dump->line_B = dump->run.n - before;
    return dump->run.n <= BYTES;
}

static void read_dump(tmap_cursor text, dump_way way, readings *found) {
    dump_state dump = {.way = way, .certain = !way.form || way.form->radix != CHARACTER};
    while (text.at < text.size) {
        tmap_cursor line = scan_line(&text), rest = line;
        tmap_cursor_skip_space(&rest);
        if (rest.at < rest.size && !take_line(&dump, line)) return;
    }
    if (!end_dump(&dump)) return;
    if (dump.certain)
        readings_add(found, &dump.run);
    else /* od -a prints the same for another byte */
        found->ambiguous |= dump.run.n == BYTES;
}

/*
 * Two digits for each byte, with any white space. Groups of 4, 8 or 16 digits can also be words, whose low byte is
 * first in memory; then only the columns of od decide.
 */
static void read_digits(tmap_cursor s, readings *found) {
    byte_run run = {.n = 0};
    bool words = true;
    size_t groups_n = 0;
    for (tmap_cursor_skip_space(&s); s.at < s.size; tmap_cursor_skip_space(&s)) {
        tmap_cursor group = scan_word(&s);
        size_t digits = group.size - group.at;
        words &= digits == 4 || digits == 8 || digits == 16;
        groups_n++;
        if (!take_group(IN_ORDER, group, &run)) return;
        if (run.n > BYTES) return;
    }
    if (words && groups_n > 1)
        found->ambiguous |= run.n == BYTES && !found->read;
    else
        readings_add(found, &run);
}

/* ---- Lines with labels ------------------------------------------------------------------------------------------ */

/* Reads two digits, all digits of a map, or 0x and a word. labelled: other groups also count, as uncertain. */
static bool take_labelled_group(tmap_cursor group, bool labelled, byte_run *run, bool *certain) {
    uint64_t value;
    size_t digits = group.size - group.at;
    if (tmap_cursor_take(&group, "0x")) {
        digits -= 2;
        if (digits < 2 || digits > 16 || digits % 2 != 0 || !word_value(group, 16, &value)) return false;
        run_add_word(run, value, digits / 2);
        return true;
    }
    if (digits != 2 && digits != (size_t)2 * BYTES && !labelled) return false;
    *certain &= digits == 2 || digits == (size_t)2 * BYTES;
    return take_group(IN_ORDER, group, run);
}

/* Reads groups up to the end of the line, or to two blanks, which separate the characters of lldb. */
static bool take_labelled(tmap_cursor line, bool labelled, byte_run *run, bool *certain) {
    size_t before = run->n;
    tmap_cursor_skip_space(&line);
    while (line.at < line.size && !is_space(tmap_cursor_next(&line))) {
        if (!take_labelled_group(scan_word(&line), labelled, run, certain)) return false;
        line.at += line.at < line.size;
    }
    return run->n > before;
}

/* "0x7ff0: 40 00  @." of lldb, "map a: 40 00", and lines without a label. Other lines are skipped. */
void read_labelled(tmap_cursor text, readings *found) {
    byte_run run = {.n = 0};
    bool certain = true;
    int others = 0; /* lines without bytes, less those with bytes */
    while (text.at < text.size) {
        tmap_cursor line = scan_line(&text);
        bool taken = false;
        for (bool labelled = false; !taken && line.at < line.size; labelled = true) {
            byte_run with = run;
            bool sure = certain;
            taken = take_labelled(line, labelled, &with, &sure);
            if (taken) run = with, certain = sure;
            const char *colon = memchr(line.text + line.at, ':', line.size - line.at);
            line.at = colon ? (size_t)(colon + 1 - line.text) : line.size;
        }
        others += taken ? -1 : 1;
    }
    found->bytes_n = others > 1 ? 0 : run.n;
    if (certain)
        readings_add(found, &run);
    else
        found->ambiguous |= run.n == BYTES && others <= 1;
}

void read_byte_dumps(tmap_cursor text, readings *found) {
    static const unsigned radices[] = {16, 8, 10, 0};
    for (size_t r = 0; r < sizeof radices / sizeof *radices; r++) {
        if (radices[r] != 0 && !begins_with_offset(text, radices[r])) continue;
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            read_dump(text, (dump_way){&forms[i], IN_ORDER, radices[r]}, found);
        for (group_order order = IN_ORDER; radices[r] != 0 && order <= BINARY; order++)
            read_dump(text, (dump_way){NULL, order, radices[r]}, found);
    }
    read_digits(text, found);
}
