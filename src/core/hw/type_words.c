/* Words for types in other programs, and the types that these words mean. */
#include "hw/type_words.h"

#include "text/nearest.h"
#include "tmap/hw.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#include <string.h>

#define DIGITS "0123456789"

static char lower(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c;
}

static bool is_letter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/* Whether no word starts between two letters: false for "kH" of "kHalf" and "fT" of "HalfTensor". */
static bool touch(char before, char after) {
    bool capital = before == lower(before) && after != lower(after);
    return is_letter(before) && is_letter(after) && !capital;
}

/* Whether `word` contains `part` as a word: not "int" in "print" or "int4" in "int48". Letters may touch a part with
 * digits. */
static bool is_part_of(const char *part, const char *word) {
    size_t size = strlen(part);
    for (const char *at = word; *at; at++) {
        size_t i = 0;
        while (part[i] && lower(at[i]) == part[i]) i++;
        bool digit = i == size && at[i] >= '0' && at[i] <= '9';
        bool touched = i == size && (touch(at[i - 1], at[i]) || (at > word && touch(at[-1], *at)));
        if (i == size && !digit && !(touched && !strpbrk(part, DIGITS))) return true;
    }
    return false;
}

/* The type of a typestr of NumPy, whose digit is the size in bytes: "<f2". */
static const char *numpy_type(const char *word) {
    static const struct {
        char code[3];
        const char *name;
    } rows[] = {{"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"}, {"i1", "s8"},  {"i2", "s16"},
                {"i4", "s32"}, {"i8", "s64"}, {"u1", "u8"},  {"u2", "u16"}, {"u4", "u32"},
                {"u8", "u64"}, {"b1", "u8"},  {"V1", "u8"},  {"V2", "u16"}};
    for (size_t i = 0; *word && strchr("<>=|", *word) && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(word + 1, rows[i].code) == 0) return rows[i].name;
    return NULL;
}

#define WORD_MAX  64 /* longer words are not names of a type */
#define NAMES_MAX (2 * TMAP_TYPE_COUNT)

const char *tmap_type_of_word(const char *word) {
    static const struct {
        const char *part, *name;
    } rows[] = {
#define TYPE_WORD(part, name) {part, name},
#include "hw/type_words.def"
#undef TYPE_WORD
    };
    for (size_t i = 0; strlen(word) <= WORD_MAX && i < sizeof rows / sizeof *rows; i++) {
        if (is_part_of(rows[i].part, word)) return rows[i].name;
    }
    return numpy_type(word);
}

const char *tmap_type_suggest(const char *word) {
    const char *names[NAMES_MAX], *meant = tmap_type_of_word(word);
    tmap_type of;
    int n = 0;
    if (meant) return meant;
    while (n < TMAP_TYPE_COUNT) names[n] = tmap_type_get(n)->name, n++;
    while (n < NAMES_MAX && tmap_type_alias_get(n - TMAP_TYPE_COUNT, &names[n], &of)) n++;
    return tmap_nearest(word, names, (size_t)n);
}
