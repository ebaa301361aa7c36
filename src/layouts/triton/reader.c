/* triton: reads words, numbers and signs of texts of Triton. */
#include "triton/reader.h"

#include <stdio.h>
#include <string.h>

void tmap_triton_blanks(tmap_triton_reader *r) {
    while (r->at < r->size && r->text[r->at] != '\0' && strchr(" \t\r\n", r->text[r->at])) r->at++;
}

bool tmap_triton_text(tmap_triton_reader *r, const char *text) {
    size_t size = strlen(text);
    tmap_triton_blanks(r);
    if (r->size - r->at < size || memcmp(r->text + r->at, text, size) != 0) return false;
    r->at += size;
    return true;
}

bool tmap_triton_expect(tmap_triton_reader *r, const char *text, const char *where) {
    char fix[48];
    if (tmap_triton_text(r, text)) return true;
    size_t size = strlen(text);
    bool after = r->size - r->at > size && memcmp(r->text + r->at + 1, text, size) == 0;
    if (after)
        snprintf(fix, sizeof fix, "remove '%c'", r->text[r->at]);
    else if (strcmp(where, "before a list") == 0)
        snprintf(fix, sizeof fix, "a list in brackets: [0, 1]");
    else
        snprintf(fix, sizeof fix, "put %s'%s' here", strchr("]})", *text) ? "',' or " : "", text);
    if (r->at >= r->size)
        return tmap_refuse_at(r->error, r->at, 1, fix, "expected '%s' %s, found the end of the text", text, where);
    return tmap_refuse_at(r->error, r->at, 1, fix, "expected '%s' %s", text, where);
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}

size_t tmap_triton_name(tmap_triton_reader *r, const char **name) {
    tmap_triton_blanks(r);
    size_t begin = r->at, at = begin;
    if (at < r->size && (r->text[at] == '#' || r->text[at] == '!')) at++;
    while (at < r->size && is_name(r->text[at])) at++;
    *name = r->text + begin;
    r->at = at;
    return at - begin;
}

bool tmap_triton_number(tmap_triton_reader *r, int64_t *number) {
    tmap_triton_blanks(r);
    size_t begin = r->at;
    *number = 0;
    for (; r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
        *number = *number * 10 + (r->text[r->at] - '0');
        if (*number > (int64_t)1 << 58)
            return tmap_refuse_at(r->error, begin, r->at - begin, "a smaller number", "a number above 2^58");
    }
    return r->at > begin || tmap_refuse_at(r->error, begin, 1, "0, 1, 2, …", "expected a number");
}

tmap_status tmap_triton_end(tmap_triton_reader *r, bool ok, size_t *used) {
    if (!ok) return TMAP_REFUSED;
    size_t end = r->at;
    tmap_triton_blanks(r);
    if (used)
        *used = end;
    else if (r->at < r->size)
        return tmap_refuse_at(r->error, r->at, 1, "remove it", "more follows the layout") ? TMAP_OK : TMAP_REFUSED;
    return TMAP_OK;
}
