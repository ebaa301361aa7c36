/* Symptoms, and the words for them and for CUresults. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "driver/errors.h"

enum { SPELLING_MAX = 64, RESULTS_MAX = 1000 };

static const tmap_symptom_info symptoms[] = {
#define SYMPTOM(...) {__VA_ARGS__},
#include "driver/symptoms.def"
#undef SYMPTOM
};

/* The next letter or digit, in lower case; 0 at the end. */
static int next_letter(const char **at) {
    while (**at != '\0' && !isalnum((unsigned char)**at)) ++*at;
    return **at == '\0' ? 0 : tolower((unsigned char)*(*at)++);
}

static const char *skip_cuda_error(const char *word) {
    if (strncasecmp(word, "cudaError", 9) == 0) return word + 9;
    return strncasecmp(word, "CUDA_ERROR_", 11) == 0 ? word + 11 : word;
}

/* Whether two words have the same letters and digits, in any case, without cudaError before them. */
static bool same_letters(const char *a, const char *b) {
    a = skip_cuda_error(a);
    b = skip_cuda_error(b);
    for (;;) {
        int letter = next_letter(&a);
        if (letter != next_letter(&b)) return false;
        if (letter == 0) return true;
    }
}

const tmap_symptom_info *tmap_symptom_get(int symptom) {
    return symptom >= 0 && symptom < (int)(sizeof symptoms / sizeof *symptoms) ? &symptoms[symptom] : NULL;
}

int tmap_symptom_find(const char *word) {
    char spelling[SPELLING_MAX];
    const tmap_symptom_info *found;
    for (int i = 0; (found = tmap_symptom_get(i)) != NULL; i++) {
        if (same_letters(found->name, word)) return i;
        for (const char *at = found->words; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
            snprintf(spelling, sizeof spelling, "%.*s", (int)strcspn(at, " "), at);
            if (same_letters(spelling, word)) return i;
        }
    }
    return -1;
}

int tmap_cuda_error_of_word(const char *word) {
    char decimal[16];
    for (int result = 0; result < RESULTS_MAX; result++) {
        snprintf(decimal, sizeof decimal, "%d", result);
        if (!tmap_cuda_error_known(result)) continue;
        if (strcmp(word, decimal) == 0 || same_letters(tmap_cuda_error_name(result), word)) return result;
    }
    return -1;
}
