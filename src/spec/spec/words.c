/* spec: words of other programs, and the names in tmap's tables that these words mean. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "text/nearest.h"
#include "tmap/hw.h"
#include "tmap/unstable/names.h"

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

/* The numbers of the word that are separated by one character each: "Swizzle<3,4,3>" has 3, "13" has one. */
static int numbers_of(const char *word, unsigned numbers[3]) {
    const char *at = word + strcspn(word, DIGITS);
    int n = 0;
    for (int used = 0; n < 3 && isdigit((unsigned char)*at) && sscanf(at, "%4u%n", &numbers[n], &used) == 1; n++) {
        at += used;
        at += *at != '\0';
        at += strspn(at, " ");
    }
    return n;
}

/* In a mapping in braces, YAML reads only the part before the comma of Swizzle<3,4,3>. */
static bool read_cute(const char *word, unsigned numbers[3]) {
    int n = numbers_of(word, numbers);
    bool cut = n == 1 && strpbrk(word, "<(");
    if (cut) numbers[1] = 4, numbers[2] = 3;
    return cut || n == 3;
}

/* CuTe's Swizzle<bits, base, shift> of bytes, or of elements of 2, 4 or 8 bytes, whose base is smaller. CUTLASS's
 * mma_sm100_desc.hpp has Swizzle<2,5,2> for 128B_atom32B. */
static const char *swizzle_of_cute(const unsigned numbers[3]) {
    static const char *const by_bits[] = {"none", "32B", "64B", "128B"};
    if (numbers[0] == 2 && numbers[1] == 5 && numbers[2] == 2) return "128B_atom32B";
    bool known = numbers[0] <= 3 && numbers[1] >= 1 && numbers[1] <= 4 && numbers[2] == 3;
    return known ? by_bits[numbers[0]] : NULL;
}

/* Writes the name that the number in a word means: "128" of SW128 is 128B, "13" is CUDA 13.0, "cu128" is 12.8, and
 * "compute_90a" or "9.0" is sm_90a or sm_90. */
static void name_of_number(const char *key, const char *word, char name[WORD_MAX]) {
    unsigned numbers[3] = {0};
    int n = numbers_of(word, numbers), used = 0;
    const char *digits = word + strcspn(word, DIGITS), *end = digits + strspn(digits, DIGITS);
    bool packed = strncmp(word, "cu", 2) == 0 && numbers[0] >= 100;
    if (n == 0) return;
    if (strcmp(key, "toolkit") == 0)
        used = packed ? snprintf(name, WORD_MAX, "%u.%u", numbers[0] / 10, numbers[0] % 10)
                      : snprintf(name, WORD_MAX, "%u.%u", numbers[0], n > 1 ? numbers[1] : 0);
    else if (strcmp(key, "arch") == 0)
        used = n > 1 ? snprintf(name, WORD_MAX, "sm_%u%u", numbers[0], numbers[1])
                     : snprintf(name, WORD_MAX, "sm_%u%.1s", numbers[0], end);
    else if (end[strcspn(end, DIGITS)] == '\0')
        used = snprintf(name, WORD_MAX, "%uB", numbers[0]);
    if (used < 0) name[0] = '\0';
}

static const char *listed(const char *name, const char *const *names, size_t names_n) {
    for (size_t i = 0; name && i < names_n; i++)
        if (strcmp(names[i], name) == 0 || tmap_same_letters(name, names[i])) return names[i];
    return NULL;
}

const char *tmap_name_suggest(const char *key, const char *word, const char *const *names, size_t names_n) {
    char numbered[WORD_MAX] = "";
    unsigned numbers[3] = {0};
    bool toolkit = strcmp(key, "toolkit") == 0;
    if (strlen(word) > WORD_MAX) return NULL;
    if (strcmp(key, "type") == 0) return tmap_type_suggest(word);
    const char *meant = listed(name_of_word(key, word), names, names_n);
    if (!meant && strcmp(key, "swizzle") == 0 && read_cute(word, numbers))
        meant = listed(swizzle_of_cute(numbers), names, names_n);
    if (!meant && !toolkit) meant = tmap_nearest(word, names, names_n); /* near digits of a release mean nothing */
    if (meant) return meant;
    name_of_number(key, word, numbered);
    return numbered[0] != '\0' ? listed(numbered, names, names_n) : NULL;
}
