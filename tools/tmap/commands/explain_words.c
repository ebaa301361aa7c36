/* The table of words of PTX. */
#include "commands/explain_words.h"

#include <string.h>

static const ptx_word words[] = {
#define PTX_WORD(spellings, listed, text, related)   {spellings, listed, text, related, false},
#define PTX_SPACES(spellings, listed, text, related) {spellings, listed, text, related, true},
#include "commands/explain_words.def"
#undef PTX_WORD
#undef PTX_SPACES
};

bool ptx_word_next(const char **list, char *text, size_t size) {
    size_t length = strcspn(*list, " ");
    if (length == 0 || length >= size) return false;
    memcpy(text, *list, length);
    text[length] = '\0';
    *list += length + ((*list)[length] == ' ');
    return true;
}

static bool is_spelled(const ptx_word *word, const char *spelling) {
    char text[PTX_WORD_MAX];
    for (const char *left = word->spellings; ptx_word_next(&left, text, sizeof text);)
        if (strcmp(text, spelling) == 0) return true;
    return false;
}

const ptx_word *ptx_word_find(const char *spelling) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_spelled(&words[i], spelling + (spelling[0] == '.'))) return &words[i];
    return NULL;
}
