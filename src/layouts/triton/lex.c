/* triton: reads words, numbers and signs of texts of Triton. */
#include "triton/lex.h"

#include <stdio.h>

/* Without `fix`, the fix is to put the text here, or to remove a character before it. */
static bool expect(tmap_triton_reader *r, const char *text, const char *where, const char *fix) {
    char own[48];
    if (tmap_cursor_take(&r->c, text)) return true;
    tmap_cursor after = r->c;
    after.at += after.at < after.size;
    snprintf(own, sizeof own, "put %s'%s' here", strchr("]})", *text) ? "',' or " : "", text);
    if (after.at < after.size && tmap_cursor_begins(&after, text))
        snprintf(own, sizeof own, "remove '%c'", tmap_cursor_next(&r->c));
    else if (fix)
        snprintf(own, sizeof own, "%s", fix);
    return tmap_refuse_at(r->error, r->c.at, 1, own, "expected '%s' %s%s", text, where,
                          r->c.at < r->c.size ? "" : ", found the end of the text");
}

bool tmap_triton_expect(tmap_triton_reader *r, const char *text, const char *where) {
    return expect(r, text, where, NULL);
}

bool tmap_triton_open_list(tmap_triton_reader *r) {
    return expect(r, "[", "before a list", "a list in brackets: [0, 1]");
}

static bool is_name(char c) {
    return is_word(c) || c == '.' || c == '$';
}

size_t tmap_triton_name(tmap_triton_reader *r, const char **name) {
    tmap_cursor_skip_space(&r->c);
    size_t begin = r->c.at;
    *name = r->c.text + begin;
    r->c.at += tmap_cursor_next(&r->c) == '#' || tmap_cursor_next(&r->c) == '!';
    while (is_name(tmap_cursor_next(&r->c))) r->c.at++;
    return r->c.at - begin;
}

bool tmap_triton_number(tmap_triton_reader *r, int64_t *number) {
    tmap_cursor_skip_space(&r->c);
    size_t begin = r->c.at;
    tmap_number_result result = tmap_cursor_digits(&r->c, number);
    if (result == TMAP_NUMBER_NONE) return tmap_refuse_at(r->error, begin, 1, "0, 1, 2, …", "expected a number");
    return result == TMAP_NUMBER_OK || tmap_refuse_number(r->error, begin, r->c.at - begin, result);
}

tmap_status tmap_triton_end(tmap_triton_reader *r, bool ok, size_t *used) {
    if (!ok) return TMAP_REFUSED;
    size_t end = r->c.at;
    tmap_cursor_skip_space(&r->c);
    if (used)
        *used = end;
    else if (r->c.at < r->c.size)
        return tmap_refuse_at(r->error, r->c.at, 1, "remove it", "more follows the layout") ? TMAP_OK : TMAP_REFUSED;
    return TMAP_OK;
}
