/* page: splits questions into keys and values. */
#include "page/query.h"

#include "text/print.h"

#include <ctype.h>
#include <string.h>

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes one character: "%3A", "+" for a space, or any other character. A "%" without two digits is a plain
 * character. */
static char decode_one(const char **at) {
    const char *c = *at;
    int high = c[0] == '%' ? digit_of(c[1]) : -1, low = high >= 0 ? digit_of(c[2]) : -1;
    *at += low >= 0 ? 3 : 1;
    if (low >= 0) return (char)(unsigned char)(high * 16 + low);
    if (c[0] == '+') return ' ';
    return c[0];
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
        unsigned char c = (unsigned char)*value;
        if (isalnum(c) || strchr("-_.,~:", c))
            tmap_write(sink, value, 1);
        else
            tmap_printf(sink, "%%%02X", c);
    }
}
