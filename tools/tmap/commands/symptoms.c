/* The table of symptoms. */
#include "commands/symptoms.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "commands/ptx_words.h"
#include "text/nearest.h"

static const symptom symptoms[] = {
#define SYMPTOM(name, spellings, text, commands, related) {name, spellings, text, commands, related},
#include "commands/symptoms.def"
#undef SYMPTOM
};

const char *skip_cuda_error(const char *word) {
    if (strncasecmp(word, "cudaError", 9) == 0) return word + 9;
    return strncasecmp(word, "CUDA_ERROR_", 11) == 0 ? word + 11 : word;
}

const symptom *symptom_get(size_t i) {
    return i < sizeof symptoms / sizeof *symptoms ? &symptoms[i] : NULL;
}

static bool is_spelled(const symptom *row, const char *words) {
    words = skip_cuda_error(words);
    return tmap_same_letters(row->name, words) || tmap_same_as_one(words, row->spellings);
}

/* Whether consecutive words of the phrase are the name or a spelling. */
static bool has_spelling(const symptom *row, const char *phrase) {
    static const char between[] = " ,;?!\"'";
    char words[PTX_WORD_MAX];
    for (const char *first = phrase; *first != '\0'; first += strspn(first, between)) {
        for (const char *end = first; *end != '\0' && end - first < PTX_WORD_MAX; end += strspn(end, between)) {
            end += strcspn(end, between);
            snprintf(words, sizeof words, "%.*s", (int)(end - first), first);
            if (is_spelled(row, words)) return true;
        }
        first += strcspn(first, between);
    }
    return false;
}

const symptom *symptom_find(const char *phrase) {
    for (size_t i = 0; symptom_get(i); i++)
        if (is_spelled(symptom_get(i), phrase)) return symptom_get(i);
    for (size_t i = 0; symptom_get(i); i++)
        if (has_spelling(symptom_get(i), phrase)) return symptom_get(i);
    return NULL;
}
