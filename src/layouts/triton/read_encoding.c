/*
 * triton: the text of an encoding.
 *
 *   encoding = "#" NAME | ("#ttg." | "#triton_gpu.") NAME "<" [pairs] "{" [entry {"," entry}] "}" [entries] ">"
 *   entry    = KEY "=" value
 *   value    = NUMBER | "true" | "false" | "[" … "]" | encoding
 *   pairs    = "[" [NUMBER ":" "+" NUMBER {"," …}] "]"
 */
#include <inttypes.h>
#include <string.h>

#include "text/print.h"
#include "triton/lex.h"

typedef struct part_reader {
    tmap_triton_reader *r;
    tmap_encoding *encoding;
    int part;
} part_reader;

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static bool add_number(part_reader *p, int64_t number) {
    tmap_encoding *encoding = p->encoding;
    if (encoding->numbers_n == TMAP_ENCODING_NUMBERS_MAX)
        return tmap_refuse_at(p->r->error, p->r->c.at, 1, "a smaller layout", "an encoding of more than %d numbers",
                              TMAP_ENCODING_NUMBERS_MAX);
    encoding->numbers[encoding->numbers_n++] = number;
    return true;
}

static bool read_numbers(part_reader *p, int *n) {
    int64_t number;
    *n = 0;
    if (!tmap_triton_open_list(p->r)) return false;
    if (tmap_cursor_take(&p->r->c, "]")) return true;
    do {
        if (!tmap_triton_number(p->r, &number)) {
            if (*n > 0 && tmap_cursor_take(&p->r->c, "[")) tmap_say_fix(p->r->error, "close the list before: ]");
            return false;
        }
        if (!add_number(p, number)) return false;
        ++*n;
    } while (tmap_cursor_take(&p->r->c, ","));
    return tmap_triton_expect(p->r, "]", "after a list");
}

static bool read_pair(part_reader *p, int *n) {
    int64_t interval, padding;
    *n = 2;
    if (!tmap_triton_number(p->r, &interval) || !tmap_triton_expect(p->r, ":", "between interval and padding"))
        return false;
    (void)tmap_cursor_take(&p->r->c, "+");
    return tmap_triton_number(p->r, &padding) && add_number(p, interval) && add_number(p, padding);
}

/* Reads rows of equal length. */
static bool read_rows(part_reader *p, tmap_encoding_value *value, bool pairs) {
    if (!tmap_triton_open_list(p->r)) return false;
    if (tmap_cursor_take(&p->r->c, "]")) return true;
    do {
        int n;
        tmap_cursor_skip_space(&p->r->c);
        size_t at = p->r->c.at;
        if (!(pairs ? read_pair(p, &n) : read_numbers(p, &n))) return false;
        if (value->rows > 0 && n != value->width)
            return tmap_refuse_at(p->r->error, at, p->r->c.at - at, "a number for every dimension",
                                  "a basis has %d number%s, the basis before it %d", n, TMAP_PLURAL(n), value->width);
        value->width = n;
        value->rows++;
    } while (tmap_cursor_take(&p->r->c, ","));
    return tmap_triton_expect(p->r, "]", "after a list");
}

static bool read_truth(part_reader *p) {
    if (tmap_cursor_take(&p->r->c, "true")) return add_number(p, 1);
    if (tmap_cursor_take(&p->r->c, "false")) return add_number(p, 0);
    return tmap_refuse_at(p->r->error, p->r->c.at, 1, "true or false", "expected true or false");
}

static bool read_number(part_reader *p) {
    int64_t number;
    return tmap_triton_number(p->r, &number) && add_number(p, number);
}

static bool read_part(part_reader *p);

static bool read_parent(part_reader *p, size_t at) {
    if (p->part + 1 == TMAP_ENCODING_PARTS_MAX)
        return tmap_refuse_at(p->r->error, at, 1, "fewer parents", "more than %d nested encodings",
                              TMAP_ENCODING_PARTS_MAX);
    part_reader parent = {.r = p->r, .encoding = p->encoding, .part = p->part + 1};
    return read_part(&parent);
}

static bool read_value(part_reader *p, int key) {
    tmap_encoding_value value = {.given = true, .at = p->encoding->numbers_n, .rows = 1, .width = 1};
    bool ok = false;
    switch (tmap_encoding_key_get(key)->form) {
    case TMAP_FORM_NUMBER: ok = read_number(p); break;
    case TMAP_FORM_TRUTH: ok = read_truth(p); break;
    case TMAP_FORM_LIST: ok = read_numbers(p, &value.width); break;
    case TMAP_FORM_BASES:
    case TMAP_FORM_PAIRS:
        value.rows = value.width = 0;
        ok = read_rows(p, &value, tmap_encoding_key_get(key)->form == TMAP_FORM_PAIRS);
        break;
    case TMAP_FORM_PARENT: ok = read_parent(p, p->r->c.at); break;
    }
    p->encoding->parts[p->part].values[key] = value;
    return ok;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

/* The keys of an encoding, as "sizePerThread, threadsPerWarp, ...". */
static void list_keys(uint64_t keys, char *text, size_t size) {
    text[0] = '\0';
    for (int key = 0; key < TMAP_ENCODING_KEY_COUNT; key++)
        if (keys >> key & 1) tmap_append(text, size, "%s%s", text[0] ? ", " : "", tmap_encoding_key_get(key)->name);
}

static bool read_entry(part_reader *p, const tmap_encoding_info *info) {
    const char *name;
    char fix[160];
    size_t size = tmap_triton_name(p->r, &name), at = (size_t)(name - p->r->c.text);
    uint64_t known = info->required | info->optional;
    int key = 0;
    while (key < TMAP_ENCODING_KEY_COUNT &&
           !((known >> key & 1) && text_is(name, size, tmap_encoding_key_get(key)->name)))
        key++;
    if (key == TMAP_ENCODING_KEY_COUNT) {
        list_keys(known, fix, sizeof fix);
        return tmap_refuse_at(p->r->error, at, size, fix, "%s has no key '%.*s'", info->name,
                              (int)(size < 24 ? size : 24), name);
    }
    if (p->encoding->parts[p->part].values[key].given)
        return tmap_refuse_at(p->r->error, at, size, "one of the two", "%s is given twice",
                              tmap_encoding_key_get(key)->name);
    return tmap_triton_expect(p->r, "=", "after a key") && read_value(p, key);
}

static bool read_entries(part_reader *p, const tmap_encoding_info *info) {
    if (!tmap_triton_expect(p->r, "{", "before the keys of an encoding")) return false;
    if (tmap_cursor_take(&p->r->c, "}")) return true;
    do {
        if (!read_entry(p, info)) return false;
    } while (tmap_cursor_take(&p->r->c, ","));
    return tmap_triton_expect(p->r, "}", "after the keys of an encoding");
}

static bool check_required(part_reader *p, const tmap_encoding_info *info, size_t at) {
    char fix[160];
    for (int key = 0; key < TMAP_ENCODING_KEY_COUNT; key++) {
        if (!(info->required >> key & 1) || p->encoding->parts[p->part].values[key].given) continue;
        list_keys(info->required, fix, sizeof fix);
        return tmap_refuse_at(p->r->error, at, p->r->c.at - at, fix, "%s lacks %s", info->name,
                              tmap_encoding_key_get(key)->name);
    }
    return true;
}

/* ---- Encodings -------------------------------------------------------------------------------------------------- */

static bool refuse_kind(part_reader *p, size_t at, const char *name, size_t size) {
    int shown = (int)(size < 32 ? size : 32);
    if ((size > 4 && memcmp(name, "amd_", 4) == 0) || text_is(name, size, "mfma"))
        return tmap_refuse_at(p->r->error, at, size, "a layout of an NVIDIA GPU", "%.*s is a layout of AMD GPUs", shown,
                              name);
    if ((size >= 13 && memcmp(name, "tensor_memory", 13) == 0))
        return tmap_refuse_at(p->r->error, at, size, "the LinearLayout that Triton prints, over row and col",
                              "%.*s is of tensor memory, which tmap does not convert", shown, name);
    return tmap_refuse_at(p->r->error, at, size,
                          "blocked, nvidia_mma, dot_op, slice, linear, swizzled_shared, nvmma_shared, padded_shared or "
                          "shared_linear",
                          "unknown encoding '%.*s'", shown, name);
}

/* Reads the name after "#ttg.". */
static bool read_kind(part_reader *p, const char *name, size_t size, size_t at) {
    int kind = 0;
    while (tmap_encoding_get(kind) && !text_is(name, size, tmap_encoding_get(kind)->name)) kind++;
    const tmap_encoding_info *info = tmap_encoding_get(kind);
    if (!info) return refuse_kind(p, (size_t)(name - p->r->c.text), name, size);
    p->encoding->parts[p->part].kind = (tmap_encoding_kind)kind;
    p->encoding->parts_n = p->part + 1;
    if (!tmap_triton_expect(p->r, "<", "after the name of an encoding")) return false;
    if (kind == TMAP_ENCODING_PADDED && !read_value(p, TMAP_ENCODING_KEY_INTERVALS)) return false;
    if (!read_entries(p, info)) return false;
    while (tmap_cursor_take(&p->r->c, ","))
        if (!read_entry(p, info)) return false;
    return tmap_triton_expect(p->r, ">", "after an encoding") && check_required(p, info, at);
}

/* Replaces this part and its parents by the encoding of an alias. */
static bool copy_alias(part_reader *p, const tmap_encoding *alias, size_t at, size_t size) {
    tmap_encoding *to = p->encoding;
    int shift = to->numbers_n;
    if (p->part + alias->parts_n > TMAP_ENCODING_PARTS_MAX || shift + alias->numbers_n > TMAP_ENCODING_NUMBERS_MAX)
        return tmap_refuse_at(p->r->error, at, size, "fewer parents", "more than %d nested encodings, or %d numbers",
                              TMAP_ENCODING_PARTS_MAX, TMAP_ENCODING_NUMBERS_MAX);
    memcpy(&to->numbers[shift], alias->numbers, (size_t)alias->numbers_n * sizeof to->numbers[0]);
    to->numbers_n += alias->numbers_n;
    for (int i = 0; i < alias->parts_n; i++) {
        to->parts[p->part + i] = alias->parts[i];
        for (int key = 0; key < TMAP_ENCODING_KEY_COUNT; key++) to->parts[p->part + i].values[key].at += shift;
    }
    to->parts_n = p->part + alias->parts_n;
    return true;
}

/* The encoding that "#ttgblocked" or "#ttng.blocked" means; NULL: another text. */
static const char *meant_encoding(const char *name, size_t size) {
    static const char *const prefixes[] = {"#ttg", "#ttng."};
    for (int i = 0; i < 2; i++) {
        size_t prefix = strlen(prefixes[i]);
        bool begins = size > prefix && memcmp(name, prefixes[i], prefix) == 0;
        for (int kind = 0; begins && tmap_encoding_get(kind); kind++)
            if (text_is(name + prefix, size - prefix, tmap_encoding_get(kind)->name))
                return tmap_encoding_get(kind)->name;
    }
    return NULL;
}

static bool refuse_alias(part_reader *p, size_t at, const char *name, size_t size) {
    const char *meant = meant_encoding(name, size);
    int shown = (int)(size < 32 ? size : 32);
    (void)tmap_refuse_at(p->r->error, at, size, NULL, "alias %.*s is not defined", shown, name);
    if (meant)
        tmap_say_fix(p->r->error, "#ttg.%s", meant);
    else
        tmap_say_fix(p->r->error, "define it before this line: %.*s = #ttg.blocked<{…}>", shown, name);
    return false;
}

static bool read_part(part_reader *p) {
    static const char *const dialects[] = {"#ttg.", "#triton_gpu."};
    const char *name;
    size_t size = tmap_triton_name(p->r, &name), at = (size_t)(name - p->r->c.text);
    for (int i = 0; i < 2; i++) {
        size_t prefix = strlen(dialects[i]);
        if (size > prefix && memcmp(name, dialects[i], prefix) == 0)
            return read_kind(p, name + prefix, size - prefix, at);
    }
    if (size > 10 && memcmp(name, "#ttng.", 6) == 0 && !meant_encoding(name, size))
        return refuse_kind(p, at, name + 6, size - 6);
    const tmap_encoding_aliases *aliases = p->r->aliases;
    const tmap_encoding *alias = size > 1 && aliases ? aliases->find(aliases->context, name, size) : NULL;
    if (alias) return copy_alias(p, alias, at, size);
    if (size > 1 && name[0] == '#') return refuse_alias(p, at, name, size);
    return tmap_refuse_at(p->r->error, at, size, "put #ttg.NAME<{…}> or its alias here", "expected an encoding");
}

bool tmap_triton_encoding(tmap_triton_reader *r, tmap_encoding *encoding) {
    part_reader p = {.r = r, .encoding = encoding};
    memset(encoding, 0, sizeof *encoding);
    return read_part(&p);
}

tmap_status tmap_encoding_read(const char *text, size_t size, const tmap_encoding_aliases *aliases,
                               tmap_encoding *encoding, size_t *used, tmap_diag *error) {
    tmap_triton_reader r = {.c = {.text = text, .size = size}, .aliases = aliases, .error = error};
    tmap_encoding made;
    tmap_status status = tmap_triton_end(&r, tmap_triton_encoding(&r, &made), used);
    if (status == TMAP_OK) *encoding = made;
    return status;
}
