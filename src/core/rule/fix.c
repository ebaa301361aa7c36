/* fixes: the grammar of tmap/unstable/fixes.h. A text is never longer than tmap_diag.fix. */
#include "tmap/unstable/fixes.h"

#include <string.h>

typedef struct fix_reader {
    const char *text, *at;
    tmap_edit *edits;
    size_t n;
    int alternative;
} fix_reader;

static bool skip(const char **at, const char *word) {
    size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0) return false;
    *at += size;
    return true;
}

static bool is_named(const char *name, const char *word, size_t size) {
    return name && strlen(name) == size && memcmp(name, word, size) == 0;
}

static bool read_key(const char **at, int *field) {
    size_t size = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const tmap_field_info *info;
    for (*field = 0; (info = tmap_field_get(*field)) != NULL; ++*field)
        if (is_named(info->name, *at, size) || is_named(info->cu_name, *at, size)) break;
    *at += size;
    return info != NULL;
}

static void read_dim(const char **at, int *dim) {
    const char *from = *at;
    *dim = -1;
    if (from[0] != '[' || from[1] < '0' || from[1] > '9' || from[2] != ']') return;
    *dim = from[1] - '0';
    *at += 3;
    const char *axis_end = strncmp(*at, " (", 2) == 0 ? strchr(*at, ')') : NULL;
    if (axis_end) *at = axis_end + 1;
}

/* Reads a list or a mapping in brackets, or the text before the next space or comma. */
static bool read_value(const char **at, char *value, size_t room) {
    int closing = **at == '[' ? ']' : **at == '{' ? '}' : '\0';
    const char *end = closing ? strchr(*at, closing) : *at + strcspn(*at, " ,;:");
    if (!end) return false;
    size_t size = (size_t)(end - *at) + (closing != '\0');
    if (size == 0 || size >= room) return false;
    memcpy(value, *at, size);
    value[size] = '\0';
    *at += size;
    return true;
}

/* Keeps the edit whose text starts at the reader's place and ends at `end`. */
static void keep(fix_reader *r, tmap_edit *edit, const char *end) {
    edit->begin = (size_t)(r->at - r->text);
    edit->end = (size_t)(end - r->text);
    r->edits[r->n++] = *edit;
    r->at = end;
}

static bool read_edit(fix_reader *r) {
    const char *at = r->at;
    if (r->n == TMAP_EDITS_MAX) return false;
    tmap_edit edit = {.alternative = r->alternative, .dim = -1};
    if (skip(&at, "leave ")) {
        if (!read_key(&at, &edit.field) || !skip(&at, " out")) return false;
    } else {
        if (!read_key(&at, &edit.field)) return false;
        read_dim(&at, &edit.dim);
        if (!skip(&at, ": ") || !read_value(&at, edit.value, sizeof edit.value)) return false;
    }
    keep(r, &edit, at);
    return true;
}

/* Reads "or 16" of "8 or 16": another value for the last edit. */
static void read_other_value(fix_reader *r) {
    const char *at = r->at;
    if (r->n == TMAP_EDITS_MAX || !skip(&at, " or ")) return;
    tmap_edit edit = r->edits[r->n - 1];
    edit.alternative = ++r->alternative;
    r->at = at;
    if (read_value(&at, edit.value, sizeof edit.value)) keep(r, &edit, at);
}

static bool read_alternative(fix_reader *r) {
    size_t before = r->n;
    while (read_edit(r) && skip(&r->at, " and ")) continue;
    if (r->n == before) return false;
    read_other_value(r);
    r->alternative++;
    return true;
}

size_t tmap_fix_edits(const tmap_diag *diag, tmap_edit edits[TMAP_EDITS_MAX]) {
    fix_reader r = {.text = diag->fix, .at = diag->fix, .edits = edits};
    while (read_alternative(&r) && skip(&r.at, ", or ")) continue;
    return r.n;
}
