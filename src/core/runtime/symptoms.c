/* Symptoms, and the words for them and for CUresults. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/cuda_errors.h"
#include "text/nearest.h"

enum { SPELLING_MAX = 80, RESULTS_MAX = 1000 };

static const tmap_symptom_info symptoms[] = {
#define SYMPTOM(...) {__VA_ARGS__},
#include "runtime/symptoms.def"
#undef SYMPTOM
};

/* Skips CUDA_ERROR_ or cudaError at the start of a word. */
static const char *skip_cuda_error(const char *word) {
    if (strncasecmp(word, "cudaError", 9) == 0) return word + 9;
    return strncasecmp(word, "CUDA_ERROR_", 11) == 0 ? word + 11 : word;
}

const tmap_symptom_info *tmap_symptom_get(int symptom) {
    return symptom >= 0 && symptom < (int)(sizeof symptoms / sizeof *symptoms) ? &symptoms[symptom] : NULL;
}

static bool is_spelled(const tmap_symptom_info *row, const char *words) {
    words = skip_cuda_error(words);
    return tmap_same_letters(row->name, words) || tmap_same_as_one(words, row->words);
}

/* Whether consecutive words of the phrase are the name or another word for it. */
static bool has_spelling(const tmap_symptom_info *row, const char *phrase) {
    static const char between[] = " ,;?!\"'";
    char words[SPELLING_MAX];
    for (const char *first = phrase; *first != '\0'; first += strspn(first, between)) {
        for (const char *end = first; *end != '\0' && end - first < SPELLING_MAX; end += strspn(end, between)) {
            end += strcspn(end, between);
            snprintf(words, sizeof words, "%.*s", (int)(end - first), first);
            if (is_spelled(row, words)) return true;
        }
        first += strcspn(first, between);
    }
    return false;
}

int tmap_symptom_find(const char *phrase) {
    for (int i = 0; tmap_symptom_get(i); i++)
        if (is_spelled(tmap_symptom_get(i), phrase)) return i;
    for (int i = 0; tmap_symptom_get(i); i++)
        if (has_spelling(tmap_symptom_get(i), phrase)) return i;
    return -1;
}

int tmap_cuda_error_of_word(const char *word) {
    char decimal[16];
    for (int result = 0; result < RESULTS_MAX; result++) {
        if (!tmap_cuda_error_known(result)) continue;
        snprintf(decimal, sizeof decimal, "%d", result);
        const char *name = skip_cuda_error(tmap_cuda_error_name(result));
        if (strcmp(word, decimal) == 0 || tmap_same_letters(name, skip_cuda_error(word))) return result;
    }
    return -1;
}
