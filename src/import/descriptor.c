/*
 * import: the 128 bytes of a descriptor in the forms that people paste. Formats: gdb's manual ("Examining Memory",
 * "Print Settings"), od(1), hexdump(1), xxd(1), C initialisers, Python lists and bytes literals.
 */
#include <string.h>

#include "import/characters.h"
#include "tmap/unstable/import.h"

#define BYTES TMAP_DESCRIPTOR_B

/* A text that is read from start to end. */
typedef struct scan {
    const char *at, *end;
} scan;

/* The bytes so far; n above BYTES: too many. */
typedef struct byte_run {
    uint8_t bytes[BYTES];
    size_t n;
} byte_run;

/* The numbers so far; n above BYTES: too many. A negative number is stored as its two's complement. */
typedef struct number_run {
    uint64_t values[BYTES];
    size_t n;
} number_run;

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next character; 0 at the end. */
static char next(const scan *s) {
    if (s->at < s->end) return *s->at;
    return 0;
}

static bool begins(const scan *s, const char *words) {
    size_t size = strlen(words);
    return (size_t)(s->end - s->at) >= size && memcmp(s->at, words, size) == 0;
}

static void skip_spaces(scan *s) {
    while (s->at < s->end && is_space(*s->at)) s->at++;
}

/* Skips the next `words`; without them, skips to the end. */
static void skip_past(scan *s, const char *words) {
    while (s->at < s->end && !begins(s, words)) s->at++;
    if (s->at < s->end) s->at += strlen(words);
}

static void add_byte(byte_run *run, unsigned byte) {
    if (run->n < BYTES) run->bytes[run->n] = (uint8_t)byte;
    run->n++;
}

/* Adds the low `size` bytes of a word, the lowest first: hosts of GPUs are little-endian. */
static void add_word(byte_run *run, uint64_t word, size_t size) {
    for (size_t i = 0; i < size; i++) add_byte(run, word >> 8 * i & 0xff);
}

/* ---- Digits ----------------------------------------------------------------------------------------------------- */

/* Two digits for each byte, with optional white space. */
static bool read_digits(scan s, byte_run *run) {
    size_t digits_n = 0;
    unsigned value = 0;
    for (; s.at < s.end; s.at++) {
        if (is_space(*s.at)) continue;
        if (digit_of(*s.at) > 15) return false;
        value = value << 4 | digit_of(*s.at);
        if (++digits_n % 2 == 0) add_byte(run, value & 0xff);
    }
    return digits_n == (size_t)2 * BYTES;
}

/* ---- A literal of bytes: b'\x00a\n', "…" ------------------------------------------------------------------------- */

static unsigned read_escape(scan *s) {
    static const char letters[] = "abtnvfr", meanings[] = "\a\b\t\n\v\f\r";
    char c = next(s);
    s->at++;
    unsigned value = 0;
    if (c == 'x') {
        for (int i = 0; i < 2 && digit_of(next(s)) < 16; i++) value = value << 4 | digit_of(*s->at++);
        return value;
    }
    if (digit_of(c) < 8) {
        value = digit_of(c);
        for (int i = 0; i < 2 && digit_of(next(s)) < 8; i++) value = value << 3 | digit_of(*s->at++);
        return value;
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    return letter ? (unsigned char)meanings[letter - letters] : (unsigned char)c;
}

/* Reads from after the opening quote. Python splits a long literal into several consecutive literals. */
static void read_literal(scan *s, char quote, byte_run *run) {
    while (s->at < s->end && *s->at != quote) {
        unsigned byte = (unsigned char)*s->at++;
        add_byte(run, byte == '\\' ? read_escape(s) : byte);
    }
    s->at += s->at < s->end;
}

/* b'…', bytearray(b"…"), bytes.fromhex('…') */
static bool read_python(scan s, byte_run *run) {
    bool any = false;
    for (char before = '\0'; s.at < s.end; before = *s.at++) {
        if (is_word(before)) continue;
        bool bytes = begins(&s, "b'") || begins(&s, "b\""), hex = begins(&s, "fromhex('") || begins(&s, "fromhex(\"");
        if (!bytes && !hex) continue;
        s.at += bytes ? 1 : strlen("fromhex(");
        char quote = *s.at++;
        const char *first = s.at;
        if (bytes) {
            read_literal(&s, quote, run);
            any = true;
            s.at--;
        } else {
            while (s.at < s.end && *s.at != quote) s.at++;
            return read_digits((scan){first, s.at}, run);
        }
    }
    return any;
}

/* ---- Dumps with offsets: xxd, hexdump, od ------------------------------------------------------------------------ */

typedef struct dump_line {
    scan offset, data;
    bool colon, star;
} dump_line;

/* Reads "00000010  01 02 ...  |..|", "00000010: 0102 ...  ..", "0000020 000001 ...", "*". Returns false for another
 * line. */
static bool split_line(scan *s, dump_line *line) {
    while (next(s) == ' ' || next(s) == '\t') s->at++;
    scan rest = *s;
    while (s->at < s->end && *s->at != '\n') s->at++;
    rest.end = s->at;
    s->at += s->at < s->end;
    if (rest.end > rest.at && rest.end[-1] == '\r') rest.end--;
    *line = (dump_line){.star = rest.end - rest.at == 1 && *rest.at == '*', .offset = {rest.at, rest.at}};
    while (digit_of(next(&rest)) < 16) rest.at++;
    line->offset.end = rest.at;
    line->colon = next(&rest) == ':';
    rest.at += line->colon;
    line->data = rest;
    for (const char *c = rest.at; c < rest.end; c++) { /* the characters after the bytes */
        bool gap = line->colon && c > rest.at && c[0] == ' ' && c + 1 < rest.end && c[1] == ' ';
        if (*c == '|' || *c == '>' || gap) {
            line->data.end = c;
            break;
        }
    }
    return line->star || (line->offset.end - line->offset.at >= 6 && (rest.at == rest.end || is_space(*rest.at)));
}

static uint64_t offset_in(const dump_line *line, unsigned radix) {
    uint64_t value = 0;
    for (const char *c = line->offset.at; c < line->offset.end; c++) value = value * radix + digit_of(*c) % radix;
    return value;
}

/* The words of a line: bytes in order (xxd, hexdump -C, od -tx1), else words with the low byte first in memory. */
static bool read_words(const dump_line *line, byte_run *run) {
    scan s = line->data;
    for (skip_spaces(&s); s.at < s.end; skip_spaces(&s)) {
        scan word = {s.at, s.at};
        uint64_t value = 0, octal = 0;
        for (; digit_of(next(&s)) < 16; s.at++) {
            value = value << 4 | digit_of(*s.at);
            octal = octal << 3 | digit_of(*s.at);
        }
        word.end = s.at;
        size_t digits_n = (size_t)(word.end - word.at);
        if (digits_n == 6) { /* od without options: octal words of two bytes */
            add_word(run, octal, 2);
        } else if (digits_n % 2 != 0 || digits_n == 0 || (digits_n > 16 && !line->colon)) {
            return false;
        } else if (line->colon) {
            for (const char *c = word.at; c < word.end; c += 2) add_byte(run, digit_of(c[0]) << 4 | digit_of(c[1]));
        } else {
            add_word(run, value, digits_n / 2);
        }
    }
    return true;
}

/* "*" repeats the previous line up to the next offset. */
static void repeat(byte_run *run, size_t line_B, size_t to) {
    if (line_B == 0 || line_B > run->n) return;
    while (run->n < to && run->n < BYTES) add_byte(run, run->bytes[run->n - line_B]);
}

static bool read_offset_dump(scan s, unsigned radix, byte_run *run) {
    size_t line_B = 0;
    uint64_t first = UINT64_MAX;
    bool star = false;
    for (skip_spaces(&s); s.at < s.end; skip_spaces(&s)) {
        dump_line line;
        if (!split_line(&s, &line)) return false;
        if (line.star) {
            star = true;
            continue;
        }
        uint64_t offset = offset_in(&line, radix);
        if (first == UINT64_MAX) first = offset;
        if (offset < first) return false;
        if (star) repeat(run, line_B, offset - first);
        if (offset - first != run->n) return false;
        size_t before = run->n;
        if (!read_words(&line, run)) return false;
        star = false;
        if (run->n > before) line_B = run->n - before;
    }
    if (star) repeat(run, line_B, BYTES);
    return run->n == BYTES;
}

/* ---- Numbers: gdb, C, Python ------------------------------------------------------------------------------------- */

static void add_number(number_run *run, uint64_t value) {
    if (run->n < BYTES) run->values[run->n] = value;
    run->n++;
}

/* Reads a decimal, hexadecimal or octal number with a C suffix. Returns false if it does not fit in 64 bits. */
static bool read_number(scan *s, uint64_t *value) {
    unsigned base = 10;
    bool minus = next(s) == '-';
    s->at += minus;
    if (begins(s, "0x") || begins(s, "0X")) {
        base = 16;
        s->at += 2;
    }
    for (*value = 0; digit_of(next(s)) < base; s->at++) {
        if (*value > (UINT64_MAX - digit_of(*s->at)) / base) return false;
        *value = *value * base + digit_of(*s->at);
    }
    while (next(s) == 'u' || next(s) == 'U' || next(s) == 'l' || next(s) == 'L') s->at++;
    if (minus) *value = 0 - *value;
    return !is_word(next(s));
}

/* gdb: "0 <repeats 8 times>" */
static void take_repeats(scan *s, number_run *run) {
    scan ahead = *s;
    uint64_t times;
    skip_spaces(&ahead);
    if (next(&ahead) == '\'') { /* the character of a byte: 0 '\000' */
        ahead.at++;
        while (ahead.at < ahead.end && *ahead.at != '\'')
            ahead.at += *ahead.at == '\\' && ahead.at + 1 < ahead.end ? 2 : 1;
        ahead.at += ahead.at < ahead.end;
        *s = ahead;
        skip_spaces(&ahead);
    }
    if (!begins(&ahead, "<repeats ") || run->n == 0) return;
    ahead.at += strlen("<repeats ");
    if (!read_number(&ahead, &times)) return;
    for (uint64_t i = 1; i < times && run->n <= BYTES; i++) add_number(run, run->values[run->n - 1]);
    skip_past(&ahead, ">");
    *s = ahead;
}

/* Skips "0x7fffffffd9c0 <map+16>:", which x/16gx prints first. */
static void skip_address(scan *s) {
    scan ahead = *s;
    uint64_t address;
    if (!begins(s, "0x") || !read_number(&ahead, &address)) return;
    while (next(&ahead) == ' ') ahead.at++;
    if (next(&ahead) == '<' && !begins(&ahead, "<repeats")) skip_past(&ahead, ">");
    if (next(&ahead) == ':') s->at = ahead.at + 1;
}

static bool read_numbers(scan s, number_run *run) {
    bool line_begins = true;
    while (s.at < s.end) {
        skip_spaces(&s);
        if (line_begins) skip_address(&s);
        skip_spaces(&s);
        line_begins = false;
        bool minus = next(&s) == '-' && s.at + 1 < s.end && digit_of(s.at[1]) < 10;
        uint64_t value;
        if (begins(&s, "/*")) {
            skip_past(&s, "*/");
        } else if (begins(&s, "//")) {
            skip_past(&s, "\n");
        } else if (digit_of(next(&s)) < 10 || minus) {
            if (!read_number(&s, &value)) return false;
            add_number(run, value);
            take_repeats(&s, run);
        } else if (is_word(next(&s)) || next(&s) == '$') { /* a name, or gdb's $1 */
            for (s.at++; is_word(next(&s));) s.at++;
            if (next(&s) == ':') return false;       /* a key of YAML */
            if (next(&s) == '[') skip_past(&s, "]"); /* uint64_t map[16] = */
        } else {
            s.at++;
        }
        for (scan gap = s; is_space(next(&gap)); gap.at++) line_begins |= *gap.at == '\n';
    }
    return true;
}

/* gdb's form of an array of char: "\001a", '\000' <repeats 63 times>, "b". gdb omits the last byte if it is zero. */
static bool read_strings(scan s, byte_run *run) {
    while (s.at < s.end) {
        char quote = *s.at++;
        if (quote != '"' && quote != '\'') continue;
        byte_run part = {.n = 0};
        number_run byte = {.n = 0};
        read_literal(&s, quote, &part);
        if (quote == '\'' && part.n == 1) {
            add_number(&byte, part.bytes[0]);
            take_repeats(&s, &byte);
            for (size_t i = 0; i < byte.n; i++) add_byte(run, part.bytes[0]);
        } else {
            for (size_t i = 0; i < part.n && i < BYTES; i++) add_byte(run, part.bytes[i]);
        }
    }
    if (run->n == BYTES - 1) add_byte(run, 0);
    return run->n == BYTES;
}

/* 16, 32, 64 or 128 numbers are words of 8, 4, 2 or 1 bytes. */
static bool join_numbers(const number_run *numbers, byte_run *run) {
    if (numbers->n == 0 || numbers->n > BYTES || BYTES % numbers->n != 0 || numbers->n < BYTES / 8) return false;
    size_t size = BYTES / numbers->n;
    for (size_t i = 0; i < numbers->n; i++) {
        uint64_t high = size < 8 ? numbers->values[i] >> 8 * size : 0, all = UINT64_MAX >> 8 * (size % 8);
        bool negative = size < 8 && high == all && numbers->values[i] >> (8 * size - 1) != 0;
        if (high != 0 && !negative) return false;
        add_word(run, numbers->values[i], size);
    }
    return true;
}

bool tmap_import_descriptor(const char *text, size_t size, tmap_descriptor *descriptor, size_t *numbers_n) {
    scan all = {text, text + size};
    number_run numbers = {.n = 0};
    byte_run run = {.n = 0};
    bool read = read_digits(all, &run);
    if (!read && (run.n = 0, read_python(all, &run))) {
        numbers.n = run.n;
        read = run.n == BYTES;
    } else {
        if (!read) read = (run.n = 0, read_offset_dump(all, 16, &run));
        if (!read) read = (run.n = 0, read_offset_dump(all, 8, &run));
        if (!read) read = (run.n = 0, read_offset_dump(all, 10, &run));
        if (!read) read = (run.n = 0, read_numbers(all, &numbers)) && join_numbers(&numbers, &run);
        if (!read) read = (run.n = 0, read_strings(all, &run));
    }
    if (numbers_n) *numbers_n = numbers.n;
    if (read) memcpy(descriptor->bytes, run.bytes, BYTES);
    return read;
}
