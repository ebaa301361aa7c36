/* spec: words of other programs, and the names in tmap's tables that these words mean. */
#include "spec/foreign_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "hw/type_words.h"
#include "text/nearest.h"
#include "tmap/hw.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/tables.h"

#define WORD_MAX 64 /* longer words are no names */
#define DIGITS   "0123456789"

static const char *name_of_word(const char *key, const char *word) {
    static const struct {
        const char *key, *word, *name;
    } rows[] = {
#define NAME_WORD(key, word, name) {key, word, name},
#include "spec/words.def"
#undef NAME_WORD
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(key, rows[i].key) == 0 && tmap_same_letters(word, rows[i].word)) return rows[i].name;
    return NULL;
}

/* Reads up to 3 numbers that one character and spaces separate: "Swizzle<3,4,3>" has 3. Returns how many. */
static int numbers_of(const char *word, unsigned numbers[3]) {
    const char *at = word + strcspn(word, DIGITS);
    int n = 0;
    for (int used = 0; n < 3 && isdigit((unsigned char)*at) && sscanf(at, "%5u%n", &numbers[n], &used) == 1; n++) {
        at += used;
        at += *at != '\0';
        at += strspn(at, " ");
    }
    return n;
}

/* The driver's swizzle with these numbers of CuTe's Swizzle on byte addresses; NULL: none. */
static const char *swizzle_of_bytes(int bits, int base, int shift) {
    const tmap_swizzle_info *row;
    int b, m, s;
    for (int i = 0; (row = tmap_swizzle_get(i)) != NULL; i++)
        if (row->cu >= 0 && tmap_swizzle_cute(row, &b, &m, &s) && b == bits && (bits == 0 || (m == base && s == shift)))
            return row->name;
    return NULL;
}

bool tmap_swizzle_is_cut(const char *word) {
    return strpbrk(word, "<(") && !strpbrk(word, ">)");
}

bool tmap_swizzle_of_cute(const char *word, int element_bits, const char **name) {
    unsigned numbers[3] = {0};
    if (numbers_of(word, numbers) != 3) return false;
    *name = NULL;
    for (int more = 0, bits = 8; bits <= 64 && !*name; more++, bits *= 2)
        if (element_bits == 0 || bits == 8 || bits == element_bits)
            *name = swizzle_of_bytes((int)numbers[0], (int)numbers[1] + more, (int)numbers[2]);
    if (!*name && element_bits == 4) *name = swizzle_of_bytes((int)numbers[0], (int)numbers[1] - 1, (int)numbers[2]);
    return true;
}

/* The only number of at least two digits in a word: 128 of "L2_128B"; 0: none, or several. */
static unsigned size_in(const char *word) {
    unsigned size = 0;
    for (size_t n = 0; *(word += strcspn(word, DIGITS)) != '\0'; word += n) {
        n = strspn(word, DIGITS);
        if (n >= 2 && (size != 0 || sscanf(word, "%5u", &size) != 1)) return 0;
    }
    return size;
}

/* Writes the name that the number in a word means: "128" of SW128 is 128B, "13" is CUDA 13.0, "cu128" is 12.8, "12080"
 * of CUDA_VERSION, too, and "compute_90a" or "9.0" is sm_90a or sm_90. */
static void name_of_number(const char *key, const char *word, char name[WORD_MAX]) {
    unsigned numbers[3] = {0};
    int n = numbers_of(word, numbers), used = 0;
    const char *digits = word + strcspn(word, DIGITS), *end = digits + strspn(digits, DIGITS);
    bool packed = strncmp(word, "cu", 2) == 0 && numbers[0] >= 100;
    if (n == 0) return;
    if (strcmp(key, "toolkit") == 0 && numbers[0] >= 10000)
        used = snprintf(name, WORD_MAX, "%u.%u", numbers[0] / 1000, numbers[0] % 1000 / 10);
    else if (strcmp(key, "toolkit") == 0)
        used = packed ? snprintf(name, WORD_MAX, "%u.%u", numbers[0] / 10, numbers[0] % 10)
                      : snprintf(name, WORD_MAX, "%u.%u", numbers[0], n > 1 ? numbers[1] : 0);
    else if (strcmp(key, "arch") == 0 && (n > 1 || end[strcspn(end, DIGITS)] == '\0'))
        used = n > 1 ? snprintf(name, WORD_MAX, "sm_%u%u", numbers[0], numbers[1])
                     : snprintf(name, WORD_MAX, "sm_%u%.1s", numbers[0], end);
    else if (strcmp(key, "arch") != 0 && size_in(word) > 0)
        used = snprintf(name, WORD_MAX, "%uB", size_in(word));
    if (used < 0) name[0] = '\0';
}

static const char *listed(const char *name, const char *const *names, size_t names_n) {
    for (size_t i = 0; name && i < names_n; i++)
        if (strcmp(names[i], name) == 0 || tmap_same_letters(name, names[i])) return names[i];
    return NULL;
}

const char *tmap_name_of_word(const char *key, const char *word, const char *const *names, size_t names_n) {
    char numbered[WORD_MAX] = "";
    if (strlen(word) > WORD_MAX) return NULL;
    const char *meant = listed(name_of_word(key, word), names, names_n);
    if (!meant) meant = listed(word, names, names_n);
    if (!meant && strcmp(key, "type") == 0) return tmap_type_of_word(word);
    if (!meant && strcmp(key, "swizzle") == 0 && tmap_swizzle_of_cute(word, 0, &meant))
        return listed(meant, names, names_n);
    if (meant) return meant;
    name_of_number(key, word, numbered);
    return numbered[0] != '\0' ? listed(numbered, names, names_n) : NULL;
}

const char *tmap_name_suggest(const char *key, const char *word, const char *const *names, size_t names_n) {
    const char *meant = tmap_name_of_word(key, word, names, names_n);
    if (meant || strcmp(key, "toolkit") == 0) return meant; /* similar digits are another release */
    return strcmp(key, "type") == 0 ? tmap_type_suggest(word) : tmap_nearest(word, names, names_n);
}
