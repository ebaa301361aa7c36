/* The table of symptoms. */
#include "commands/symptoms.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "commands/ptx_words.h"

static const symptom symptoms[] = {
#define SYMPTOM(name, spellings, text, commands, related) {name, spellings, text, commands, related},
#include "commands/symptoms.def"
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

bool same_letters(const char *a, const char *b) {
    a = skip_cuda_error(a);
    b = skip_cuda_error(b);
    for (;;) {
        int letter = next_letter(&a);
        if (letter != next_letter(&b)) return false;
        if (letter == 0) return true;
    }
}

const symptom *symptom_get(size_t i) {
    return i < sizeof symptoms / sizeof *symptoms ? &symptoms[i] : NULL;
}

const symptom *symptom_find(const char *word) {
    char spelling[PTX_WORD_MAX];
    const symptom *found;
    for (size_t i = 0; (found = symptom_get(i)) != NULL; i++) {
        if (same_letters(found->name, word)) return found;
        for (const char *left = found->spellings; ptx_word_next(&left, spelling, sizeof spelling);)
            if (same_letters(spelling, word)) return found;
    }
    return NULL;
}
