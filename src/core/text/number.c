/* text: reads integers in one pass over the text, with saturating arithmetic and no locale. */
#include "text/number.h"

#include <stdio.h>
#include <string.h>

#include "text/cursor.h"
#include "text/typed.h"

/* The rest of the text, and whether the number so far has overflowed. */
typedef struct number_reader {
    tmap_cursor c;
    bool overflow;
} number_reader;

static bool at_digit(const number_reader *r, unsigned base) {
    return digit_of(tmap_cursor_next(&r->c)) < base;
}

static bool take(number_reader *r, char c) {
    bool next = r->c.at < r->c.size && tmap_cursor_next(&r->c) == c;
    r->c.at += next;
    return next;
}

static uint64_t multiply(number_reader *r, uint64_t a, uint64_t b) {
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product)) r->overflow = true;
    return product;
}

static uint64_t add(number_reader *r, uint64_t a, uint64_t b) {
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) r->overflow = true;
    return sum;
}

/* Reads at least one digit, with single underscores between digits. */
static bool read_digits(number_reader *r, unsigned base, uint64_t *value) {
    if (!at_digit(r, base)) return false;
    *value = 0;
    while (at_digit(r, base)) {
        *value = add(r, multiply(r, *value, base), digit_of(r->c.text[r->c.at++]));
        if (take(r, '_') && !at_digit(r, base)) return false;
    }
    return true;
}

/* Powers of 0 and 1 are 0 or 1. For all other bases, 64 factors overflow, which bounds the loop. */
static uint64_t power(number_reader *r, uint64_t base, uint64_t exponent) {
    if (base <= 1) return exponent == 0 ? 1 : base;
    uint64_t value = 1;
    for (uint64_t i = 0; i < exponent && !r->overflow; i++) value = multiply(r, value, base);
    return value;
}

/* An overflow of the exponent's digits counts even if the power fits: 1^99999999999999999999 is too large. */
static bool read_power(number_reader *r, uint64_t base, uint64_t *value) {
    uint64_t exponent;
    if (!read_digits(r, 10, &exponent)) return false;
    *value = power(r, base, exponent);
    return true;
}

/* Reads "Ki", "Mi", "Gi" or "Ti" at the end of the text. */
static uint64_t read_suffix(number_reader *r) {
    static const char letters[] = "KMGT";
    const char *letter = r->c.size - r->c.at == 2 ? strchr(letters, tmap_cursor_next(&r->c)) : NULL;
    if (!letter || *letter == '\0' || tmap_cursor_ahead(&r->c, 1) != 'i') return 1;
    r->c.at = r->c.size;
    return (uint64_t)1 << (10 * (letter - letters + 1));
}

static bool read_magnitude(number_reader *r, uint64_t *value) {
    if (r->c.size - r->c.at > 2 && tmap_cursor_begins(&r->c, "0x")) {
        r->c.at += 2;
        return read_digits(r, 16, value);
    }
    if (!read_digits(r, 10, value)) return false;
    if (take(r, '^')) return read_power(r, *value, value);
    *value = multiply(r, *value, read_suffix(r));
    return true;
}

tmap_number_result tmap_number_parse(const char *text, size_t size, tmap_integer *number) {
    number_reader r = {.c = {.text = text, .size = size}};
    bool negative = take(&r, '-');
    char second = tmap_cursor_ahead(&r.c, 1);
    bool leading_zero = tmap_cursor_next(&r.c) == '0' && (is_digit(second) || second == '_');
    uint64_t magnitude;
    if (!read_magnitude(&r, &magnitude) || r.c.at != size) return TMAP_NUMBER_NONE;
    if (leading_zero) return TMAP_NUMBER_LEADING_ZERO;
    if (r.overflow) return TMAP_NUMBER_TOO_LARGE;
    *number = (tmap_integer){.negative = negative && magnitude > 0, .magnitude = magnitude};
    return TMAP_NUMBER_OK;
}

tmap_number_result tmap_number_parse_signed(const char *text, size_t size, int64_t *value) {
    tmap_integer number;
    tmap_number_result result = tmap_number_parse(text, size, &number);
    if (result != TMAP_NUMBER_OK) return result;
    if (number.magnitude > INT64_MAX) return TMAP_NUMBER_TOO_LARGE;
    *value = tmap_integer_signed(number);
    return TMAP_NUMBER_OK;
}

bool tmap_parse_number(const char *text, size_t size, uint64_t *value) {
    tmap_integer number;
    if (size == 0 || text[0] == '-' || tmap_number_parse(text, size, &number) != TMAP_NUMBER_OK) return false;
    *value = number.magnitude;
    return true;
}

/* The number of bytes of the number itself in the text; *suffix is the correct suffix. */
static size_t number_part(const char *text, size_t size, const char **suffix) {
    static const char *const from[] = {".0", ".", "KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "TB", "kB",
                                       "K",  "M", "G",   "T",   "k",   "m",   "g",  "t",  "ki", "mi", "gi"};
    static const char *const to[] = {"",   "",   "Ki", "Mi", "Gi", "Ti", "Ki", "Mi", "Gi", "Ti", "Ki",
                                     "Ki", "Mi", "Gi", "Ti", "Ki", "Mi", "Gi", "Ti", "Ki", "Mi", "Gi"};
    *suffix = "";
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        size_t length = strlen(from[i]);
        if (size <= length || memcmp(text + size - length, from[i], length) != 0) continue;
        *suffix = to[i];
        return size - length;
    }
    return size;
}

/* Suggests the number with a correct suffix and prefix, without '+' and zeros at the start. */
static bool suggest_plain(const char *text, size_t size, char suggestion[TMAP_NUMBER_TEXT_MAX]) {
    if (size >= TMAP_NUMBER_TEXT_MAX - 3) return false;
    const char *suffix, *sign = size > 0 && text[0] == '-' ? "-" : "";
    size_t end = number_part(text, size, &suffix);
    size_t start = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    while (start + 1 < end && text[start] == '0' && is_digit(text[start + 1])) start++;
    const char *prefix = "";
    if (end - start > 2 && text[start] == '0' && text[start + 1] == 'X') {
        prefix = "0x";
        start += 2;
    }
    int length = snprintf(suggestion, TMAP_NUMBER_TEXT_MAX, "%s%s%.*s%s", sign, prefix, (int)(end - start),
                          text + start, suffix);
    tmap_integer number;
    return tmap_number_parse(suggestion, (size_t)length, &number) == TMAP_NUMBER_OK;
}

/* The text in ASCII, without quotes, without spaces except between two digits, and without C's suffixes of integers.
 * Returns false if the text is too long. */
static bool normalise(const char *text, size_t size, char plain[TMAP_NUMBER_TEXT_MAX]) {
    char ascii[2 * TMAP_NUMBER_TEXT_MAX];
    size_t n = 0;
    if (size >= sizeof ascii) return false;
    size = tmap_typed_plain(text, size, ascii, sizeof ascii);
    for (size_t i = 0; i < size; i++) {
        bool between = i > 0 && is_digit(ascii[i - 1]) && is_digit(ascii[i + 1]);
        if (ascii[i] == '\'' || (ascii[i] == ' ' && !between)) continue;
        if (n + 1 == TMAP_NUMBER_TEXT_MAX) return false;
        plain[n++] = ascii[i];
    }
    while (n > 1 && strchr("uUlL", plain[n - 1])) n--;
    plain[n] = '\0';
    return n > 0;
}

/* Reads digits with a prefix 0b or 0o, or a decimal fraction with an exponent that is an integer: 4.096e3. */
static bool read_operand(number_reader *r, uint64_t *value) {
    char prefix = tmap_cursor_next(&r->c) == '0' && r->c.size - r->c.at > 2 ? tmap_cursor_ahead(&r->c, 1) : '\0';
    if (prefix == 'b' || prefix == 'o') {
        r->c.at += 2;
        return read_digits(r, prefix == 'b' ? 2 : 8, value);
    }
    if (!read_magnitude(r, value)) return false;
    uint64_t fraction_digits = 0, exponent = 0;
    if (take(r, '.')) {
        for (; at_digit(r, 10); r->c.at++, fraction_digits++)
            *value = add(r, multiply(r, *value, 10), digit_of(tmap_cursor_next(&r->c)));
    }
    if (take(r, 'e') || take(r, 'E')) {
        (void)take(r, '+');
        if (!read_digits(r, 10, &exponent)) return false;
    }
    for (; fraction_digits > exponent; fraction_digits--, *value /= 10)
        if (*value % 10 != 0) return false;
    *value = multiply(r, *value, power(r, 10, exponent - fraction_digits));
    return true;
}

/* Calculates an expression from left to right: 4*1024, 2**12, 1<<12, 8192/2. Returns false if C or Python calculates it
 * in another order: 4*2**10. */
static bool calculate(number_reader *r, uint64_t *value) {
    if (!read_operand(r, value)) return false;
    for (int binds, most = 2; r->c.at < r->c.size && !r->overflow; most = binds > 0) {
        char sign = r->c.text[r->c.at++];
        binds = !take(r, sign) || sign == '/' ? 1 : sign == '*' ? 2 : 0;
        uint64_t other;
        if (binds > most || !read_operand(r, &other)) return false;
        if (sign == '*')
            *value = binds == 2 ? power(r, *value, other) : multiply(r, *value, other);
        else if (sign == '<' && binds == 0 && other < 64)
            *value = multiply(r, *value, (uint64_t)1 << other);
        else if (sign == '/' && other != 0 && *value % other == 0)
            *value /= other;
        else
            return false;
    }
    return !r->overflow;
}

bool tmap_number_suggest(const char *text, size_t size, char suggestion[TMAP_NUMBER_TEXT_MAX]) {
    char plain[TMAP_NUMBER_TEXT_MAX];
    uint64_t value;
    if (!normalise(text, size, plain)) return false;
    if (suggest_plain(plain, strlen(plain), suggestion)) return true;
    number_reader r = {.c = {.text = plain, .size = strlen(plain)}};
    if (!calculate(&r, &value)) return false;
    snprintf(suggestion, TMAP_NUMBER_TEXT_MAX, "%llu", (unsigned long long)value);
    return true;
}
