/* spec: decides when a scalar needs quotes. */
#include "spec/scalar.h"

#include <string.h>
#include <strings.h>

#include "text/quote.h"
#include "text/words.h"

/* Words that YAML 1.1 and 1.2 readers do not read as text (YAML 1.1 types bool, null; 1.2 section 10). */
static bool reserved(const char *text, size_t size) {
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == size && strncasecmp(words[i], text, size) == 0) return true;
    }
    return false;
}

/* "128B", "128B_atom32B": digits followed by B are not a number in any version of YAML. */
static size_t size_prefix(const char *text, size_t size) {
    size_t at = 0;
    while (at < size && is_digit(text[at])) at++;
    return at > 0 && at < size && text[at] == 'B' ? at + 1 : 0;
}

/* Whether every reader of YAML reads the text without quotes as a word, in any place: not as a number or true. */
static bool is_word_to_all(const char *text, size_t size) {
    if (size == 0 || reserved(text, size)) return false;
    bool letter_first = is_letter(text[0]) || text[0] == '_';
    size_t at = letter_first ? 1 : size_prefix(text, size);
    if (at == 0) return false;
    while (at < size && (is_word(text[at]) || text[at] == '-' || text[at] == '.')) at++;
    return at == size;
}

bool tmap_scalar_fits_flow(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (strchr(",[]{}?:\n", text[i])) return false;
    }
    return size > 0;
}

void tmap_scalar_write(tmap_sink *sink, const char *text, size_t size) {
    if (is_word_to_all(text, size))
        tmap_write(sink, text, size);
    else
        tmap_put_part(sink, TMAP_SYNTAX_YAML, text, size);
}
