/* page: splits questions into keys and values. */
#include "page/query.h"

#include "text/print.h"
#include "text/words.h"

/* Decodes one character: "%3A", "+" for a space, or any other character. A "%" without two digits is a plain
 * character. */
static char decode_one(const char **at) {
    const char *c = *at;
    bool coded = c[0] == '%' && digit_of(c[1]) < 16 && digit_of(c[2]) < 16;
    *at += coded ? 3 : 1;
    if (coded) return (char)(unsigned char)(digit_of(c[1]) * 16 + digit_of(c[2]));
    return c[0] == '+' ? ' ' : c[0];
}

/* Decodes up to one of `ends` or the end of the text. Returns false if the text was cut. */
static bool decode(const char **at, const char *ends, char *text, size_t size) {
    size_t n = 0;
    bool whole = true;
    while (**at != '\0' && !strchr(ends, **at)) {
        char c = decode_one(at);
        if (c == '\0' || n + 1 == size)
            whole = false;
        else
            text[n++] = c;
    }
    text[n] = '\0';
    return whole;
}

bool tmap_query_next(const char **at, tmap_query_pair *pair) {
    while (**at == '&') ++*at;
    if (**at == '\0') return false;
    bool whole = decode(at, "=&", pair->key, sizeof pair->key);
    if (**at == '=') ++*at;
    pair->cut = !decode(at, "&", pair->value, sizeof pair->value) || !whole;
    return true;
}

bool tmap_query_find(const char *query, const char *key, tmap_query_pair *pair) {
    while (tmap_query_next(&query, pair))
        if (strcmp(pair->key, key) == 0) return true;
    return false;
}

void tmap_query_put(tmap_sink *sink, const char *value) {
    for (; *value != '\0'; value++) {
        if (is_word(*value) || strchr("-.,~:", *value))
            tmap_write(sink, value, 1);
        else
            tmap_printf(sink, "%%%02X", (unsigned char)*value);
    }
}
