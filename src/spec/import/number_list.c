/*
 * import: bytes as lists of numbers: gdb's print and x ("Examining Memory", "Output Formats" of its manual), C
 * initializers, lists of Python and NumPy.
 */
#include <string.h>

#include "import/bytes.h"

#define GROUPS_MAX 8  /* brackets in brackets */
#define LISTS_MAX  64 /* lists of a text that are tried */

/* The forms that a number without a prefix may have. */
typedef enum number_way {
    DECIMALS,
    C_NUMBERS, /* a leading zero: octal, in C and as gdb prints octal numbers */
    BITS,      /* gdb's binary numbers */
} number_way;

typedef struct number_run {
    uint64_t values[BYTES];
    size_t n;        /* above BYTES: too many */
    size_t digits;   /* of each number; 0: they differ */
    size_t word_B;   /* bytes of each number, by the addresses before them; 0: unknown */
    bool characters; /* gdb's characters follow numbers: each is one byte */
} number_run;

static void add_number(number_run *run, uint64_t value, size_t digits) {
    if (run->n < BYTES) run->values[run->n] = value;
    run->digits = run->n == 0 || run->digits == digits ? digits : 0;
    run->n++;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* The base of a number; 0: not a number of this way. */
static unsigned take_base(tmap_cursor *s, number_way way) {
    if (way == BITS) return 2;
    bool prefix = tmap_cursor_next(s) == '0' && s->size - s->at > 1;
    char c = prefix ? tmap_cursor_ahead(s, 1) : '\0';
    if (c == 'x' || c == 'X' || c == 'b' || c == 'B' || c == 'o' || c == 'O') {
        s->at += 2;
        return c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
    }
    if (!prefix || !is_digit(c)) return 10;
    return way == C_NUMBERS && c != '0' ? 8 : 0;
}

/* Reads a number with a suffix of C. Returns false for a number that does not fit in 64 bits, or that is a fraction. */
static bool read_number(tmap_cursor *s, number_way way, uint64_t *value) {
    bool minus = tmap_cursor_next(s) == '-';
    s->at += minus;
    unsigned base = take_base(s, way);
    if (tmap_cursor_digits_of(s, base, value) != TMAP_NUMBER_OK) return false;
    char c;
    while ((c = tmap_cursor_next(s)) == 'u' || c == 'U' || c == 'l' || c == 'L') s->at++;
    if (minus) *value = 0 - *value;
    return !is_word(c) && c != '.';
}

/* The character of a byte: '\000'. */
static void skip_character(tmap_cursor *s) {
    s->at++;
    for (char c; s->at < s->size && (c = tmap_cursor_next(s)) != '\'';)
        s->at += c == '\\' && s->at + 1 < s->size ? 2 : 1;
    s->at += s->at < s->size;
}

/* <map+16>, <f(std::array<int, 4>)+8> */
static void skip_symbol(tmap_cursor *s) {
    int depth = 0;
    for (char c; s->at < s->size && (c = tmap_cursor_next(s)) != '\n'; s->at++) {
        depth += (c == '<') - (c == '>');
        if (depth > 0) continue;
        s->at++;
        return;
    }
}

/* Skips the texts that gdb prints after a number: its character, the symbol of an address, "<repeats 8 times>". */
static void take_additions(tmap_cursor *s, number_run *run) {
    uint64_t times;
    for (tmap_cursor ahead = *s;; *s = ahead) {
        while (tmap_cursor_next(&ahead) == ' ') ahead.at++;
        if (tmap_cursor_next(&ahead) == '\'') {
            skip_character(&ahead);
            run->characters = true;
        } else if (tmap_cursor_begins(&ahead, "<repeats ")) {
            ahead.at += strlen("<repeats ");
            if (!read_number(&ahead, DECIMALS, &times)) return;
            for (uint64_t i = 1; i < times && run->n > 0 && run->n < BYTES + 1; i++)
                add_number(run, run->values[run->n - 1], run->digits);
            scan_skip_past(&ahead, ">");
        } else if (tmap_cursor_next(&ahead) == '<') {
            skip_symbol(&ahead);
        } else {
            return;
        }
    }
}

static bool take_number(tmap_cursor *s, number_way way, number_run *run) {
    uint64_t value;
    size_t first = s->at;
    if (!read_number(s, way, &value)) return false;
    add_number(run, value, s->at - first);
    take_additions(s, run);
    return true;
}

/* Skips a comment of C. Returns false if no comment begins here. */
static bool skip_comment(tmap_cursor *s) {
    bool block = tmap_cursor_begins(s, "/*");
    if (!block && !tmap_cursor_begins(s, "//")) return false;
    s->at += 2;
    scan_skip_past(s, block ? "*/" : "\n");
    return true;
}

static bool number_begins(const tmap_cursor *s) {
    return is_digit(tmap_cursor_ahead(s, tmap_cursor_next(s) == '-'));
}

/* ---- The size of a number ---------------------------------------------------------------------------------------- */

/* If several words match, the first row counts: "unsigned char" is a char, "long int" a long. Size 0: not integers. */
static const struct {
    const char *word;
    size_t size_B;
} type_words[] = {
    {"char", 1},        {"byte", 1},     {"uint8_t", 1},  {"int8_t", 1},  {"uint8", 1},    {"int8", 1},
    {"c_ubyte", 1},     {"short", 2},    {"uint16_t", 2}, {"int16_t", 2}, {"uint16", 2},   {"int16", 2},
    {"c_ushort", 2},    {"uint32_t", 4}, {"int32_t", 4},  {"uint32", 4},  {"int32", 4},    {"cuuint32_t", 4},
    {"c_uint", 4},      {"uint64_t", 8}, {"int64_t", 8},  {"uint64", 8},  {"int64", 8},    {"cuuint64_t", 8},
    {"CUtensorMap", 8}, {"long", 8},     {"size_t", 8},   {"c_ulong", 8}, {"c_uint64", 8}, {"CUtensorMap_st", 8},
    {"c_ulonglong", 8}, {"float", 0},    {"double", 0},   {"float32", 0}, {"float64", 0},  {"unsigned", 4},
    {"int", 4},
};

enum { TYPE_WORDS_N = sizeof type_words / sizeof *type_words };

/* The contents of the statement before a list. */
typedef struct declaration {
    int type;    /* of type_words; -1: none */
    size_t dims; /* product of the numbers in brackets; 0: none */
    bool gdb;    /* "$1 = " */
} declaration;

static const declaration undeclared = {.type = -1};

static void declare(declaration *d, tmap_cursor word) {
    char first = tmap_cursor_next(&word);
    for (int i = 0; i < TYPE_WORDS_N; i++)
        if (*type_words[i].word == first && text_is(word.text + word.at, word.size - word.at, type_words[i].word) &&
            (d->type < 0 || i < d->type))
            d->type = i;
}

/* Reads "16]" after the bracket. */
static void declare_dim(declaration *d, tmap_cursor *s) {
    uint64_t dim;
    if (!number_begins(s) || !read_number(s, C_NUMBERS, &dim)) return;
    d->dims = (d->dims ? d->dims : 1) * (dim <= BYTES ? (size_t)dim : BYTES + 1);
    if (d->dims > BYTES) d->dims = BYTES + 1;
}

/* Reads the last statement: "alignas(64) static const uint8_t map[128] = ", ", dtype=uint8)". */
static declaration read_declaration(tmap_cursor s) {
    declaration d = undeclared;
    while (s.at < s.size) {
        if (skip_comment(&s)) continue;
        tmap_cursor word = s;
        s.at += tmap_cursor_word(&s);
        word.size = s.at;
        declare(&d, word);
        char c = tmap_cursor_next(&s);
        if (c == '(') { /* alignas(64) */
            scan_skip_past(&s, ")");
        } else if (c == '[') {
            s.at++;
            declare_dim(&d, &s);
        } else if (c == '#') { /* a line of the preprocessor */
            scan_skip_past(&s, "\n");
        } else if (c == ';' || c == '{' || c == '}' || c == '$') { /* another statement */
            d = undeclared;
            d.gdb = c == '$';
            s.at++;
        } else if (word.at == word.size) {
            s.at++;
        }
    }
    return d;
}

/* ---- Readings --------------------------------------------------------------------------------------------------- */

/* 16, 32, 64 or 128 numbers are words of 8, 4, 2 or 1 bytes; 0: another count. */
static size_t size_of_count(size_t n) {
    return n >= BYTES / 8 && n <= BYTES && BYTES % n == 0 ? BYTES / n : 0;
}

static void add_reading(const number_run *numbers, size_t size_B, readings *found) {
    byte_run run = {.n = 0};
    if (found->numbers_n == 0) found->numbers_n = numbers->n;
    if (size_B == 0 || numbers->n > BYTES || (numbers->characters && size_B != 1)) return;
    for (size_t i = 0; i < numbers->n; i++) {
        if (!run_fits(numbers->values[i], size_B)) return;
        run_add_word(&run, numbers->values[i], size_B);
    }
    readings_add(found, &run);
}

/* ---- Lists in brackets ------------------------------------------------------------------------------------------ */

static bool opens(char c) {
    return c == '{' || c == '[';
}

static bool closes(char c) {
    return c == '}' || c == ']';
}

/* The name in "opaque = 5", "(uint8_t)5", "uint8(5)". */
static bool skip_name(tmap_cursor *s) {
    s->at += tmap_cursor_word(s);
    tmap_cursor_skip_space(s);
    return s->at < s->size && strchr("=()", tmap_cursor_next(s)) != NULL;
}

/* Reads the numbers from after the opening bracket to its closing bracket. Returns false for other contents.
 * *groups_n: brackets that have numbers directly inside. */
static bool read_body(tmap_cursor *s, number_way way, number_run *run, size_t *groups_n) {
    bool counted = false;
    for (int depth = 1; depth > 0;) {
        tmap_cursor_skip_space(s);
        if (s->at == s->size || depth > GROUPS_MAX) return false;
        if (skip_comment(s)) continue;
        if (number_begins(s)) {
            if (!take_number(s, way, run)) return false;
            *groups_n += !counted;
            counted = true;
        } else if (is_word(tmap_cursor_next(s))) {
            if (!skip_name(s)) return false;
        } else if (opens(tmap_cursor_next(s)) || closes(tmap_cursor_next(s))) {
            depth += opens(s->text[s->at++]) ? 1 : -1;
            counted = false;
        } else if (strchr(",=.()", tmap_cursor_next(s)) && !tmap_cursor_begins(s, "...")) {
            s->at++;
        } else {
            return false;
        }
    }
    return true;
}

/* Omitted entries of a C initializer are zero. */
static void add_initializer(const declaration *d, number_run *numbers, size_t groups_n, readings *found) {
    bool map = d->type >= 0 && strncmp(type_words[d->type].word, "CUtensorMap", 11) == 0;
    size_t total = d->dims ? d->dims : map ? BYTES / 8 : numbers->n;
    size_t size_B = d->type >= 0 ? type_words[d->type].size_B : size_of_count(total);
    if (found->numbers_n == 0) found->numbers_n = numbers->n;
    if (size_B * total != BYTES || numbers->n > total || (numbers->n < total && groups_n > 1)) return;
    while (numbers->n < total) add_number(numbers, 0, 1);
    add_reading(numbers, size_B, found);
}

/* Returns false if the list is not an array of numbers. */
static bool read_list(tmap_cursor *s, const declaration *d, number_way way, readings *found) {
    number_run numbers = {.n = 0};
    size_t groups_n = 0;
    if (!read_body(s, way, &numbers, &groups_n)) return false;
    size_t size_B = size_of_count(numbers.n);
    if (d->type >= 0 || d->dims > 0) {
        add_initializer(d, &numbers, groups_n, found);
    } else if (groups_n == 1) {
        tmap_cursor rest = *s;
        declaration suffix = size_B > 0 ? read_declaration(scan_line(&rest)) : undeclared; /* NumPy: ", dtype=uint8)" */
        add_reading(&numbers, suffix.type >= 0 ? type_words[suffix.type].size_B : size_B, found);
    }
    return true;
}

/* The next bracket that can start a list: not that of map[16], and not gdb's character '{'. */
static bool find_list(tmap_cursor *s, size_t first) {
    for (; s->at < s->size; s->at++) {
        if (tmap_cursor_begins(s, "'{'") || tmap_cursor_begins(s, "'['")) s->at += 3;
        char c = tmap_cursor_next(s), before = '\0';
        if (s->at > first) before = s->text[s->at - 1];
        if (opens(c) && (c != '[' || (!is_word(before) && before != ']'))) return true;
    }
    return false;
}

/* The declaration that ends before a list; only after "=" or "]" does it declare the list. */
static declaration declared_before(tmap_cursor head) {
    while (head.size > head.at && is_space(head.text[head.size - 1])) head.size--;
    bool declares = head.size > head.at && (head.text[head.size - 1] == '=' || head.text[head.size - 1] == ']');
    return declares ? read_declaration(head) : undeclared;
}

/* Every list of numbers in the text. Returns false if the text has no bracket of a list. */
static bool read_lists(tmap_cursor text, readings *found) {
    tmap_cursor s = text;
    int lists_n = 0;
    for (; lists_n < LISTS_MAX && find_list(&s, text.at); lists_n++) {
        bool braces = tmap_cursor_next(&s) == '{';
        declaration d = braces ? declared_before((tmap_cursor){text.text, s.at, text.at}) : undeclared;
        tmap_cursor ahead = {s.text, s.size, s.at + 1}, as_bits = ahead;
        bool list = read_list(&ahead, &d, braces ? C_NUMBERS : DECIMALS, found);
        if (braces && d.gdb && read_list(&as_bits, &d, BITS, found)) {
            ahead = as_bits;
            list = true;
        }
        if (!list && (d.type >= 0 || d.dims > 0)) return true; /* nothing inside it is a descriptor */
        s.at = list ? ahead.at : s.at + 1;
    }
    return lists_n > 0;
}

/* ---- Numbers without brackets ----------------------------------------------------------------------------------- */

/* Skips "0x7fffffffd9c0 <map+16>:", which gdb's x prints first. */
static bool skip_address(tmap_cursor *s, uint64_t *address) {
    tmap_cursor ahead = *s;
    if (!tmap_cursor_begins(s, "0x") || !read_number(&ahead, DECIMALS, address)) return false;
    while (tmap_cursor_next(&ahead) == ' ') ahead.at++;
    if (tmap_cursor_next(&ahead) == '<') skip_symbol(&ahead);
    if (tmap_cursor_next(&ahead) != ':') return false;
    s->at = ahead.at + 1;
    return true;
}

/* The addresses of lines, and the numbers since the last of them. */
typedef struct address_run {
    uint64_t last;
    size_t numbers_before;
    bool begun;
} address_run;

/* Returns false if the distance of two addresses does not fit the numbers between them. */
static bool take_address(address_run *run, uint64_t address, number_run *numbers) {
    size_t n = numbers->n - run->numbers_before;
    uint64_t distance = address - run->last;
    if (run->begun) {
        if (n == 0 || distance > BYTES || distance % n != 0) return false;
        if (numbers->word_B && numbers->word_B != distance / n) return false;
        numbers->word_B = (size_t)distance / n;
    }
    *run = (address_run){address, numbers->n, true};
    return true;
}

/* A name in "opaque[3] = 5", "$1 = 5", "map->opaque"; its index is not a number of the list. */
static bool skip_label(tmap_cursor *s) {
    s->at++;
    s->at += tmap_cursor_word(s);
    while (tmap_cursor_next(s) == ' ') s->at++;
    if (tmap_cursor_next(s) == '[') scan_skip_past(s, "]");
    return s->at < s->size && strchr(".=-(,[ ", tmap_cursor_next(s)) != NULL;
}

static bool skip_between(tmap_cursor *s) {
    if (skip_comment(s)) return true;
    if (is_word(tmap_cursor_next(s)) || tmap_cursor_next(s) == '$') return skip_label(s);
    s->at++;
    return strchr(",;=()->.&", s->text[s->at - 1]) != NULL;
}

static bool read_plain(tmap_cursor s, number_way way, number_run *numbers) {
    address_run addresses = {.begun = false};
    for (tmap_cursor_skip_space(&s); s.at < s.size;) {
        tmap_cursor rest = s, line = scan_line(&rest);
        uint64_t address;
        s.at = rest.at;
        if (tmap_cursor_begins(&line, "--Type <RET>") || tmap_cursor_begins(&line, "---Type <"))
            continue; /* gdb's pager */
        tmap_cursor_skip_space(&line);
        if (skip_address(&line, &address) && !take_address(&addresses, address, numbers)) return false;
        for (tmap_cursor_skip_space(&line); line.at < line.size; tmap_cursor_skip_space(&line))
            if (!(number_begins(&line) ? take_number(&line, way, numbers) : skip_between(&line))) return false;
    }
    return addresses.begun || way == DECIMALS;
}

static void add_plain(tmap_cursor text, number_way way, readings *found) {
    number_run numbers = {.n = 0};
    if (!read_plain(text, way, &numbers)) return;
    if (found->numbers_n == 0) found->numbers_n = numbers.n;
    size_t size_B = size_of_count(numbers.n);
    bool bits = way == BITS && numbers.digits != 8 * size_B;
    if (!bits && (numbers.word_B == 0 || numbers.word_B == size_B)) add_reading(&numbers, size_B, found);
}

void read_number_lists(tmap_cursor text, readings *found) {
    if (read_lists(text, found)) return;
    for (number_way way = DECIMALS; way <= BITS; way++) add_plain(text, way, found);
}
