/* page: the keys of a question about a copy, each with the place of its value. */
#include "page/question.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "page/answer.h"
#include "page/query.h"
#include "params/fields.h"
#include "rule/field_words.h"
#include "text/json.h"
#include "text/nearest.h"
#include "text/number.h"
#include "text/print.h"

/* A key of a field, of the architecture, of texts, or of numbers of the question itself. */
typedef enum kind { FIELD, ARCH, TEXT, NUMBER } kind;

typedef struct key_row {
    kind kind;
    tmap_field field;
    const char *key; /* NULL: the name of the field */
    size_t count;    /* offset of the number of values; 0: the key has one value */
} key_row;

/* The names of architectures by number plus 1; 0 is any architecture. */
static const char *arch_name(int id) {
    if (id == 0) return "any";
    return tmap_arch_get(id - 1) ? tmap_arch_get(id - 1)->name : NULL;
}
static int arch_find(const char *name) {
    return strcmp(name, arch_name(0)) == 0 ? 0 : tmap_arch_find(name) + 1;
}
static const tmap_words archs = {.find = arch_find, .name = arch_name};

#define AT(member) offsetof(tmap_question, member)
#define ONE(id)                                                                                                        \
    { FIELD, TMAP_FIELD_##id, .count = 0 }
#define LIST(id, n)                                                                                                    \
    { FIELD, TMAP_FIELD_##id, .count = AT(n) }

/* The keys, in the order in which they are written. */
static const key_row keys[] = {
    {ARCH, .key = "arch"},
    {FIELD, TMAP_FIELD_MODE, .key = "map_mode"},
    ONE(TYPE),
    {TEXT, .key = "axes", .count = AT(axes_n)},
    LIST(DIMS, dims_n),
    LIST(STRIDES, strides_n),
    LIST(BOX, box_n),
    LIST(LOWER_CORNER, lower_n),
    LIST(UPPER_CORNER, upper_n),
    ONE(CHANNELS_PER_PIXEL),
    ONE(PIXELS_PER_COLUMN),
    LIST(ELEMENT_STRIDES, element_strides_n),
    ONE(INTERLEAVE),
    ONE(SWIZZLE),
    ONE(OOB_FILL),
    LIST(ADDRESS, address_n),
    ONE(OP),
    LIST(AT, at_n),
    ONE(COLUMN),
    LIST(ROWS, rows_n),
    LIST(OFFSETS, offsets_n),
    ONE(W_HALO),
    ONE(W_OFFSET),
    ONE(SHARED),
    {TEXT, .key = "name"},
    {NUMBER, .key = "element", .count = AT(element_n)},
};
enum { KEYS_N = sizeof keys / sizeof *keys };

static const char *name_of(const key_row *row) {
    return row->key ? row->key : tmap_field_get((int)row->field)->name;
}

static const tmap_words *words_of(const key_row *row) {
    return row->kind == ARCH ? &archs : row->kind == FIELD ? tmap_field_words(row->field) : NULL;
}

static const key_row *key_of(const char *name) {
    for (int i = 0; i < KEYS_N; i++)
        if (strcmp(name_of(&keys[i]), name) == 0) return &keys[i];
    return NULL;
}

/* ---- Choices ---------------------------------------------------------------------------------------------------- */

/* A picture shows a box in shared memory, so only operations that move one are offered. */
static bool is_offered(const key_row *row, int id) {
    bool is_op = row->kind == FIELD && row->field == TMAP_FIELD_OP;
    return !is_op || (tmap_op_get(id)->emulated && tmap_op_moves(tmap_op_get(id)));
}

void tmap_answer_copy_tables(tmap_json *json) {
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        const tmap_words *words = words_of(row);
        if (!words) continue;
        tmap_json_key(json, name_of(row));
        tmap_json_array(json, true);
        for (int id = words->first; words->name(id); id++)
            if (is_offered(row, id)) tmap_json_string(json, words->name(id));
        tmap_json_close(json, ']');
    }
}

static bool applies(const tmap_question *question, const key_row *row) {
    return row->kind != FIELD || tmap_field_applies(&question->map, &question->copy, row->field);
}

static void put_fields(tmap_json *json, const tmap_question *question) {
    tmap_json_array(json, true);
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        bool is_input = row->kind != NUMBER && (row->kind != TEXT || row->count != 0); /* not name and element */
        if (is_input && (!question || applies(question, row))) tmap_json_string(json, name_of(row));
    }
    tmap_json_close(json, ']');
}

void tmap_question_fields(tmap_json *json, const tmap_question *question) {
    put_fields(json, question);
}

void tmap_answer_copy_fields(tmap_json *json) {
    put_fields(json, NULL);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

typedef struct query_reader {
    tmap_question *question;
    tmap_diags *diags;
    bool refused;
} query_reader;

static tmap_diag *refuse(query_reader *r, const char *rule, const char *key) {
    tmap_diag diag = tmap_rule_diag(rule, NULL);
    diag.key = key;
    r->refused = true;
    return tmap_diags_add(r->diags, &diag);
}

#define SAY(field, ...) (void)snprintf(field, sizeof(field), __VA_ARGS__)

static void refuse_value(query_reader *r, const char *rule, const key_row *row, const char *given, const char *wanted) {
    tmap_diag *diag = refuse(r, rule, name_of(row));
    if (!diag) return;
    SAY(diag->message, "%s is '%.40s'; required: %s", name_of(row), given, wanted);
    SAY(diag->fix.words, "%s", wanted);
}

static void put(tmap_question *question, const key_row *row, int i, uint64_t value) {
    if (row->kind == FIELD)
        tmap_field_set(&question->map, &question->copy, row->field, i, value);
    else if (row->kind == ARCH)
        question->arch = (int)value;
    else
        question->element[i] = value;
}

static void take_word(query_reader *r, const key_row *row, const tmap_words *words, const char *text) {
    int id = words->find(text);
    const char *names[64], *nearest;
    size_t count = 0;
    if (id >= 0) {
        put(r->question, row, 0, (uint64_t)id);
        return;
    }
    for (id = words->first; count < sizeof names / sizeof *names && words->name(id); id++)
        if (is_offered(row, id)) names[count++] = words->name(id);
    nearest = tmap_nearest(text, names, count);
    tmap_diag *diag = refuse(r, "value-name", name_of(row));
    if (!diag) return;
    SAY(diag->message, "unknown %s '%.40s'%s%s%s", name_of(row), text, nearest ? "; did you mean '" : "",
        nearest ? nearest : "", nearest ? "'?" : "");
    SAY(diag->fix.words, "%s", nearest ? nearest : names[0]);
}

static void take_number(query_reader *r, const key_row *row, int i, const char *text) {
    bool is_signed = row->kind == FIELD && tmap_field_kind(row->field) == TMAP_KIND_SIGNED;
    tmap_integer number;
    tmap_number_result result = tmap_number_parse(text, strlen(text), &number);
    if (result != TMAP_NUMBER_OK)
        refuse_value(r, result == TMAP_NUMBER_TOO_LARGE ? "value-range" : "value-kind", row, text, "whole numbers");
    else if (!is_signed && number.negative)
        refuse_value(r, "value-range", row, text, "numbers of 0 or more");
    else if (is_signed && number.magnitude > INT64_MAX)
        refuse_value(r, "value-range", row, text, "numbers of 64 bits");
    else
        put(r->question, row, i, number.negative ? 0 - number.magnitude : number.magnitude);
}

static void take_item(query_reader *r, const key_row *row, int i, const char *text) {
    const tmap_words *words = words_of(row);
    size_t room = row->count != 0 ? TMAP_PAGE_AXIS : sizeof r->question->name;
    if (row->kind == TEXT)
        (void)snprintf(row->count != 0 ? r->question->axes[i] : r->question->name, room, "%s", text);
    else if (words)
        take_word(r, row, words, text);
    else
        take_number(r, row, i, text);
}

static int most_of(const key_row *row) {
    if (row->kind == FIELD) return tmap_field_room(row->field);
    return row->count != 0 ? TMAP_RANK_MAX : 1;
}

/* A list has commas between its items; a single value may contain any character. */
static void take_value(query_reader *r, const key_row *row, char *value) {
    int n = 0, most = most_of(row);
    for (char *item = value; item; n++) {
        char *comma = row->count != 0 ? strchr(item, ',') : NULL;
        if (comma) *comma++ = '\0';
        if (n < most) take_item(r, row, n, item);
        item = comma;
    }
    char given[24], wanted[32];
    SAY(given, "%d values", n);
    SAY(wanted, "at most %d", most);
    if (n > most) refuse_value(r, "value-count", row, given, wanted);
    if (row->count != 0) memcpy((char *)r->question + row->count, &n, sizeof n);
}

static void take_pair(query_reader *r, tmap_query_pair *pair) {
    const key_row *row = key_of(pair->key);
    if (strcmp(pair->key, "only") == 0) SAY(r->question->only, "%.7s", pair->value);
    if (strcmp(pair->key, "mode") == 0 || strcmp(pair->key, "only") == 0 || pair->value[0] == '\0') return;
    if (row && !pair->cut) {
        take_value(r, row, pair->value);
        return;
    }
    tmap_diag *diag = refuse(r, row ? "value-count" : "key-unknown", NULL);
    if (diag) SAY(diag->message, "%s '%.40s'", row ? "too long a value for" : "unknown key", pair->key);
}

/* ---- Checks of several values ----------------------------------------------------------------------------------- */

static int count_of(const tmap_question *question, const key_row *row) {
    int n = 1;
    if (row->count != 0) memcpy(&n, (const char *)question + row->count, sizeof n);
    return n;
}

/* Whether a value is its default: the first name of a table, 0, or an empty text. */
static bool is_default(const tmap_question *question, const key_row *row) {
    if (row->count != 0) return count_of(question, row) == 0;
    if (row->kind == ARCH) return question->arch == 0;
    if (row->kind == TEXT) return question->name[0] == '\0';
    return row->field != TMAP_FIELD_TYPE && tmap_field_is_zero(&question->map, &question->copy, row->field);
}

/* Refuses keys that the mode or the operation does not use. */
static void refuse_unused_keys(query_reader *r) {
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        if (applies(r->question, row) || is_default(r->question, row)) continue;
        tmap_diag *diag = refuse(r, "key-conflict", name_of(row));
        if (!diag) continue;
        SAY(diag->message, "%s is not a key of mode %s with op %s", name_of(row),
            tmap_mode_get((int)r->question->map.mode)->name, tmap_op_get((int)r->question->copy.op)->name);
        SAY(diag->fix.words, "leave it out");
    }
}

static void want_counts(query_reader *r) {
    const tmap_question *q = r->question;
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        int count = count_of(q, row);
        int wanted = row->kind == FIELD ? tmap_field_count(&q->map, &q->copy, row->field) : q->dims_n;
        char given[24], allowed[24];
        if (row->count == 0 || row->kind == NUMBER || count == 0 || count == wanted) continue;
        SAY(given, "%d values", count);
        SAY(allowed, "%d", wanted > 0 ? wanted : 0);
        refuse_value(r, "value-count", row, given, allowed);
    }
}

static void settle(query_reader *r) {
    tmap_question *q = r->question;
    int rank = q->dims_n;
    if (rank == 0) refuse_value(r, "key-missing", key_of("dims"), "", "1 to 5 numbers, innermost first");
    if (!is_offered(key_of("op"), (int)q->copy.op))
        refuse_value(r, "value-name", key_of("op"), tmap_op_get((int)q->copy.op)->name,
                     "an op that moves a box of shared memory");
    q->map.rank = (uint64_t)rank;
    refuse_unused_keys(r);
    want_counts(r);
    if (r->refused) return;
    q->map.has_address = q->address_n > 0;
    q->copy.at_n = rank;
    if (q->box_n == 0 && !tmap_mode_get((int)q->map.mode)->im2col)
        memcpy(q->map.box_el, q->map.dims_el, sizeof q->map.box_el);
    if (q->strides_n == 0 && !tmap_map_params_dense(&q->map))
        refuse_value(r, "value-range", key_of("dims"), "more than 64 bits can address", "smaller numbers");
    for (int i = 0; q->axes_n == rank && i < rank; i++) q->axis_names[i] = q->axes[i];
}

tmap_status tmap_question_read(tmap_question *question, const char *query, tmap_diags *diags) {
    query_reader r = {question, diags, false};
    tmap_query_pair pair;
    *question = (tmap_question){.map = tmap_map_params_tiled(TMAP_TYPE_F16, 2), .copy = {.rows = {0, 1, 2, 3}}};
    while (tmap_query_next(&query, &pair)) take_pair(&r, &pair);
    settle(&r);
    return r.refused ? TMAP_REFUSED : TMAP_OK;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void write_item(tmap_sink *sink, const tmap_question *question, const key_row *row, int i) {
    const tmap_words *words = words_of(row);
    tmap_i128 value = row->kind == FIELD  ? tmap_field_value(&question->map, &question->copy, row->field, i)
                      : row->kind == ARCH ? (tmap_i128)question->arch
                                          : question->element[i];
    if (row->kind == TEXT)
        tmap_query_put(sink, row->count != 0 ? question->axes[i] : question->name);
    else if (words)
        tmap_query_put(sink, words->name((int)value));
    else
        tmap_printf(sink, value < 0 ? "%" PRId64 : "%" PRIu64, (uint64_t)value);
}

void tmap_question_write(tmap_sink *sink, const tmap_question *question) {
    tmap_puts(sink, "mode=copy");
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        if (is_default(question, row) || !applies(question, row)) continue;
        tmap_printf(sink, "&%s=", name_of(row));
        for (int i = 0; i < count_of(question, row); i++) {
            if (i > 0) tmap_puts(sink, ",");
            write_item(sink, question, row, i);
        }
    }
}
