/* Words for types in other programs, and the types that these words mean. */
#include "text/nearest.h"
#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#include <string.h>

static char lower(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c;
}

static bool is_part_of(const char *part, const char *word) {
    size_t i = 0;
    for (; *word && part[i]; word++) {
        for (i = 0; part[i] && lower(word[i]) == part[i];) i++;
    }
    return !part[i];
}

#define WORD_MAX  64 /* longer words are not names of a type */
#define NAMES_MAX (2 * TMAP_TYPE_COUNT)

static const char *framework_type(const char *word) {
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
    return NULL;
}

const char *tmap_type_suggest(const char *word) {
    const char *names[NAMES_MAX], *meant = framework_type(word);
    tmap_type of;
    int n = 0;
    if (meant) return meant;
    while (n < TMAP_TYPE_COUNT) names[n] = tmap_type_get(n)->name, n++;
    while (n < NAMES_MAX && tmap_type_alias_get(n - TMAP_TYPE_COUNT, &names[n], &of)) n++;
    return tmap_nearest(word, names, (size_t)n);
}
