/* import: dumps in a log, line by line: a first word that is a parameter's name, then a number or a list of numbers. */
#include "tmap/unstable/import.h"
#include "diag/refuse.h"

#include "util/print.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define IMPORT_RULE "import-format"
#define FIRST_LINE  "TMA Desc Addr:"
#define LAST_LINE   "Failed to initialize the TMA descriptor"
#define NUMBERS_MAX 8

typedef struct text_line {
    const char *text;
    size_t size;
    int number; /* from 1 */
} text_line;

/* Numbers of a line, as they stand there. */
typedef struct number_list {
    uint64_t values[NUMBERS_MAX];
    int n;
    bool tuple; /* in round brackets: CUTLASS */
} number_list;

typedef struct dump_key {
    const char *name;
    size_t offset;
    bool is_list, is_enum; /* an enum has the size of an int */
} dump_key;

#define ONE(name, member)                                                                                              \
    { name, offsetof(tmap_map_params, member), false, false }
#define ENUM(name, member)                                                                                             \
    { name, offsetof(tmap_map_params, member), false, true }
#define LIST(name, member)                                                                                             \
    { name, offsetof(tmap_map_params, member), true, false }

/* Two names for the strides: the newer form of tilelang says which are raw. cudaGlobalStrides repeats them. */
enum { KEY_RANK = 1, KEY_STRIDES = 4, KEY_RAW_STRIDES = 5 };

static const dump_key keys[] = {
    ENUM("format", type),
    [KEY_RANK] = ONE("dim", rank),
    ONE("gmem_address", address),
    LIST("globalDim", dims_el),
    [KEY_STRIDES] = LIST("globalStrides", strides_B),
    [KEY_RAW_STRIDES] = LIST("globalStridesRaw", strides_B),
    LIST("boxDim", box_el),
    LIST("elementStrides", element_strides),
    ENUM("interleave", interleave),
    ENUM("swizzle", swizzle),
    ENUM("l2Promotion", l2_promotion),
    ENUM("oobFill", oob_fill),
};

#define KEYS_N (sizeof keys / sizeof *keys)

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static bool next_line(tmap_import *import, text_line *line) {
    if (import->at >= import->size) return false;
    const char *begin = import->text + import->at, *end = memchr(begin, '\n', import->size - import->at);
    size_t size = end != NULL ? (size_t)(end - begin) : import->size - import->at;
    import->at += size + (end != NULL);
    import->line++;
    if (size > 0 && begin[size - 1] == '\r') size--;
    *line = (text_line){begin, size, import->line};
    return true;
}

static void step_back(tmap_import *import, const text_line *line) {
    import->at = (size_t)(line->text - import->text);
    import->line--;
}

/* Where `words` stand in a line, NULL when they do not. */
static const char *find(const text_line *line, const char *words) {
    size_t size = strlen(words);
    for (size_t i = 0; i + size <= line->size; i++)
        if (memcmp(line->text + i, words, size) == 0) return line->text + i;
    return NULL;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == ',';
}

static int digit(char c, int base) {
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    return value < base ? value : -1;
}

/* A number, decimal or 0x…; false where there is none or it has more than 64 bits. */
static bool read_number(const char **at, const char *end, uint64_t *value) {
    const char *c = *at;
    int base = 10;
    if (end - c > 2 && c[0] == '0' && c[1] == 'x') {
        base = 16;
        c += 2;
    }
    const char *first = c;
    for (*value = 0; c < end && digit(*c, base) >= 0; c++) {
        uint64_t next = *value * (uint64_t)base + (uint64_t)digit(*c, base);
        if (*value > (UINT64_MAX - (uint64_t)digit(*c, base)) / (uint64_t)base) return false;
        *value = next;
    }
    *at = c;
    return c > first;
}

/* "5", "5 (name)", "(1,2,3)", "[1, 2, 3]". */
static bool read_numbers(const char *at, const char *end, bool is_list, number_list *list) {
    *list = (number_list){.n = 0};
    while (at < end && is_space(*at)) at++;
    char close = '\0';
    if (at < end && *at == '(') close = ')';
    if (at < end && *at == '[') close = ']';
    if (is_list != (close != '\0')) return false;
    list->tuple = close == ')';
    if (!is_list) return read_number(&at, end, &list->values[list->n++]) && (at == end || *at == ' ');
    for (at++; at < end && *at != close; list->n++) {
        if (list->n == NUMBERS_MAX || !read_number(&at, end, &list->values[list->n])) return false;
        while (at < end && is_space(*at)) at++;
    }
    return at < end && at + 1 <= end && (at + 1 == end || is_space(at[1]));
}

/* ---- A dump ----------------------------------------------------------------------------------------------------- */

typedef struct dump {
    tmap_imported *out;
    tmap_diags *diags;
    const char *path;
    number_list lists[KEYS_N];
    uint32_t seen;
    bool wrong;
} dump;

TMAP_PRINTF(3, 4) static void complain(dump *d, int line, const char *format, ...) {
    if (d->wrong) return; /* what is wrong first says enough */
    tmap_diag diag = tmap_rule_diag(IMPORT_RULE, NULL);
    va_list arguments;
    va_start(arguments, format);
    tmap_say_v(diag.message, sizeof diag.message, format, arguments);
    va_end(arguments);
    diag.path = d->path;
    diag.mark = (tmap_mark){.line = line, .column = 1, .length = 1};
    (void)tmap_diags_add(d->diags, &diag);
    d->wrong = true;
}

/* The key that a line begins with; KEYS_N for none. */
static size_t key_of(const text_line *line, const char **rest) {
    size_t i = 0;
    for (; i < KEYS_N; i++) {
        size_t size = strlen(keys[i].name);
        if (line->size <= size || memcmp(line->text, keys[i].name, size) != 0 || !is_space(line->text[size])) continue;
        *rest = line->text + size;
        break;
    }
    return i;
}

static void take_line(dump *d, const text_line *line, size_t key, const char *rest) {
    if (d->seen & (uint32_t)1 << key) {
        complain(d, line->number, "%s stands twice in one dump: the output of several processes is mixed up",
                 keys[key].name);
        return;
    }
    d->seen |= (uint32_t)1 << key;
    if (!read_numbers(rest, line->text + line->size, keys[key].is_list, &d->lists[key]))
        complain(d, line->number, "%s is not %s", keys[key].name,
                 keys[key].is_list ? "a list of at most 8 numbers in brackets" : "a number");
}

static void put_value(dump *d, size_t key) {
    char *place = (char *)&d->out->params + keys[key].offset;
    uint64_t value = d->lists[key].values[0];
    int number = value <= INT32_MAX ? (int)value : -1;
    if (keys[key].is_enum)
        memcpy(place, &number, sizeof number);
    else
        memcpy(place, &value, sizeof value);
}

/* As many numbers as the rank; of the strides the first is the element's and not passed to the driver. */
static void put_list(dump *d, size_t key, int line) {
    uint64_t *place = (uint64_t *)(void *)((char *)&d->out->params + keys[key].offset);
    const number_list *list = &d->lists[key];
    int rank = (int)d->out->params.rank, skip = key == KEY_STRIDES || key == KEY_RAW_STRIDES ? 1 : 0;
    if (list->n < rank) {
        complain(d, line, "%s has %d numbers, and dim is %d", keys[key].name, list->n, rank);
        return;
    }
    for (int i = skip; i < rank; i++) place[i - skip] = list->values[i];
}

static void put_all(dump *d, int line) {
    for (size_t key = 0; key < KEYS_N; key++)
        if (!keys[key].is_list && d->seen & (uint32_t)1 << key) put_value(d, key);
    if (d->out->params.rank < 1 || d->out->params.rank > TMAP_RANK_MAX) {
        complain(d, line, "dim is %d; tensor maps have 1 to %d", (int)(d->out->params.rank & 0x7fffffff),
                 TMAP_RANK_MAX);
        return;
    }
    for (size_t key = 0; key < KEYS_N; key++)
        if (keys[key].is_list && d->seen & (uint32_t)1 << key) put_list(d, key, line);
    d->out->params.has_address = true;
    d->out->origin = d->lists[3].tuple ? "CUTLASS" : "tilelang";
}

static void check_whole(dump *d, int line) {
    for (size_t key = 0; key < KEYS_N; key++) {
        bool strides = key == KEY_STRIDES || key == KEY_RAW_STRIDES;
        uint32_t wanted = strides ? (uint32_t)1 << KEY_STRIDES | (uint32_t)1 << KEY_RAW_STRIDES : (uint32_t)1 << key;
        if ((d->seen & wanted) != 0 || key == KEY_RAW_STRIDES) continue;
        complain(d, line, "the dump that begins here lacks %s: it is cut off, or not of CUTLASS or tilelang",
                 keys[key].name);
        return;
    }
}

/* "…Failed to initialize the TMA descriptor 1": the number is the CUresult. */
static void take_result(tmap_imported *out, const text_line *line, const char *at) {
    uint64_t value = 0;
    at += strlen(LAST_LINE);
    const char *end = line->text + line->size;
    while (at < end && is_space(*at)) at++;
    out->has_result = read_number(&at, end, &value) && value <= INT32_MAX;
    if (out->has_result) out->result = (int)value;
}

/* Lines up to the result, the next dump, or a few that are none of a dump's. */
static void read_dump(tmap_import *import, dump *d) {
    text_line line;
    int foreign = 0;
    while (foreign < 2 && next_line(import, &line)) {
        const char *rest = NULL, *last = find(&line, LAST_LINE);
        if (find(&line, FIRST_LINE) == line.text) {
            step_back(import, &line);
            return;
        }
        size_t key = key_of(&line, &rest);
        if (key < KEYS_N) {
            take_line(d, &line, key, rest);
        } else if (last != NULL) {
            take_result(d->out, &line, last);
            return;
        } else {
            foreign += line.size == 0 || memcmp(line.text, "cudaGlobal", line.size < 10 ? line.size : 10) != 0;
        }
    }
}

bool tmap_import_next(tmap_import *import, tmap_diags *diags, tmap_imported *out) {
    text_line line;
    while (next_line(import, &line)) {
        if (find(&line, FIRST_LINE) == NULL) continue;
        *out = (tmap_imported){.line = line.number, .origin = "?"};
        dump d = {.out = out, .diags = diags, .path = import->path};
        read_dump(import, &d);
        if (!d.wrong) check_whole(&d, line.number);
        if (!d.wrong) put_all(&d, line.number);
        out->whole = !d.wrong;
        return true;
    }
    return false;
}
