/* page: the keys of a question about a copy, each with the place of its value. */
#include "page/question.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "page/answer.h"
#include "page/query.h"
#include "text/json.h"
#include "text/nearest.h"
#include "text/number.h"
#include "text/print.h"

typedef enum kind { CHOICE, UNSIGNED, SIGNED, TEXT, KINDS_N } kind;

/* The modes of maps and the operations that use a key. */
typedef enum scope { ALL, TILED, PIXELS, WALKED, WIDE, ORIGIN, FOUR_ROWS } scope;

typedef struct key_row {
    const char *key;
    scope scope;
    kind kind;
    size_t at;    /* offset of the first value in the question */
    size_t count; /* offset of the number of values; 0: the key has one value */
    int most;
    int (*find)(const char *name);
    const char *(*name)(int id);
} key_row;

/* Names by number; NULL after the last. */
#define NAMES_OF(table)                                                                                                \
    static const char *table##_name(int id) {                                                                          \
        return tmap_##table##_get(id) ? tmap_##table##_get(id)->name : NULL;                                           \
    }
NAMES_OF(mode)
NAMES_OF(type)
NAMES_OF(swizzle)
NAMES_OF(interleave)
NAMES_OF(oob_fill)
NAMES_OF(op)

/* The names of architectures by number plus 1; 0 is any architecture. */
static const char *arch_name(int id) {
    if (id == 0) return "any";
    return tmap_arch_get(id - 1) ? tmap_arch_get(id - 1)->name : NULL;
}
static int arch_find(const char *name) {
    return strcmp(name, arch_name(0)) == 0 ? 0 : tmap_arch_find(name) + 1;
}

#define AT(member) offsetof(tmap_question, member)

/* The keys, in the order in which they are written. */
static const key_row keys[] = {
    {"arch", ALL, CHOICE, AT(arch), 0, 1, arch_find, arch_name},
    {"map_mode", ALL, CHOICE, AT(map.mode), 0, 1, tmap_mode_find, mode_name},
    {"type", ALL, CHOICE, AT(map.type), 0, 1, tmap_type_find, type_name},
    {"axes", ALL, TEXT, AT(axes), AT(axes_n), TMAP_RANK_MAX, NULL, NULL},
    {"dims", ALL, UNSIGNED, AT(map.dims_el), AT(dims_n), TMAP_RANK_MAX, NULL, NULL},
    {"strides", ALL, UNSIGNED, AT(map.strides_B), AT(strides_n), TMAP_RANK_MAX - 1, NULL, NULL},
    {"box", TILED, UNSIGNED, AT(map.box_el), AT(box_n), TMAP_RANK_MAX, NULL, NULL},
    {"lower_corner", PIXELS, SIGNED, AT(map.lower_corner), AT(lower_n), TMAP_RANK_MAX - 2, NULL, NULL},
    {"upper_corner", PIXELS, SIGNED, AT(map.upper_corner), AT(upper_n), TMAP_RANK_MAX - 2, NULL, NULL},
    {"channels_per_pixel", PIXELS, UNSIGNED, AT(map.channels_per_pixel), 0, 1, NULL, NULL},
    {"pixels_per_column", PIXELS, UNSIGNED, AT(map.pixels_per_column), 0, 1, NULL, NULL},
    {"element_strides", ALL, UNSIGNED, AT(map.element_strides), AT(element_strides_n), TMAP_RANK_MAX, NULL, NULL},
    {"interleave", ALL, CHOICE, AT(map.interleave), 0, 1, tmap_interleave_find, interleave_name},
    {"swizzle", ALL, CHOICE, AT(map.swizzle), 0, 1, tmap_swizzle_find, swizzle_name},
    {"oob_fill", ALL, CHOICE, AT(map.oob_fill), 0, 1, tmap_oob_fill_find, oob_fill_name},
    {"address", ALL, UNSIGNED, AT(map.address), AT(address_n), 1, NULL, NULL},
    {"op", ALL, CHOICE, AT(copy.op), 0, 1, tmap_op_find, op_name},
    {"at", ORIGIN, SIGNED, AT(copy.at), AT(at_n), TMAP_RANK_MAX, NULL, NULL},
    {"column", FOUR_ROWS, SIGNED, AT(copy.column), 0, 1, NULL, NULL},
    {"rows", FOUR_ROWS, SIGNED, AT(copy.rows), AT(rows_n), 4, NULL, NULL},
    {"offsets", WALKED, SIGNED, AT(copy.offsets), AT(offsets_n), TMAP_RANK_MAX - 2, NULL, NULL},
    {"w_halo", WIDE, UNSIGNED, AT(copy.w_halo), 0, 1, NULL, NULL},
    {"w_offset", WIDE, UNSIGNED, AT(copy.w_offset), 0, 1, NULL, NULL},
    {"shared", ALL, UNSIGNED, AT(copy.shared), 0, 1, NULL, NULL},
    {"name", ALL, TEXT, AT(name), 0, 1, NULL, NULL},
    {"element", ALL, UNSIGNED, AT(element), AT(element_n), TMAP_RANK_MAX, NULL, NULL},
};
enum { KEYS_N = sizeof keys / sizeof *keys };

static const key_row *key_of(const char *name) {
    for (int i = 0; i < KEYS_N; i++)
        if (strcmp(keys[i].key, name) == 0) return &keys[i];
    return NULL;
}

/* ---- Choices ---------------------------------------------------------------------------------------------------- */

/* A picture shows a box in shared memory, so only operations that move one are offered. */
static bool is_offered(const key_row *row, int id) {
    return row->find != tmap_op_find || (tmap_op_get(id)->emulated && tmap_op_moves(tmap_op_get(id)));
}

void tmap_answer_copy_tables(tmap_json *json) {
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        if (row->kind != CHOICE) continue;
        tmap_json_key(json, row->key);
        tmap_json_array(json, true);
        for (int id = 0; row->name(id); id++)
            if (is_offered(row, id)) tmap_json_string(json, row->name(id));
        tmap_json_close(json, ']');
    }
}

static bool applies(const tmap_question *question, const key_row *row) {
    const tmap_mode_info *mode = tmap_mode_get((int)question->map.mode);
    bool four_rows = tmap_op_get((int)question->copy.op)->four_rows;
    switch (row->scope) {
    case ALL: break;
    case TILED: return !mode->im2col;
    case PIXELS: return mode->im2col;
    case WALKED: return mode->im2col && !mode->wide;
    case WIDE: return mode->wide;
    case ORIGIN: return !four_rows;
    case FOUR_ROWS: return four_rows;
    }
    return true;
}

static void put_fields(tmap_json *json, const tmap_question *question) {
    tmap_json_array(json, true);
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        bool is_input = row->at != AT(name) && row->at != AT(element);
        if (is_input && (!question || applies(question, row))) tmap_json_string(json, row->key);
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
    tmap_diag *diag = refuse(r, rule, row->key);
    if (!diag) return;
    SAY(diag->message, "%s is '%.40s'; required: %s", row->key, given, wanted);
    SAY(diag->fix.words, "%s", wanted);
}

static char *value_at(const query_reader *r, const key_row *row, int i) {
    static const size_t sizes[] = {sizeof(int), sizeof(uint64_t), sizeof(int64_t), TMAP_PAGE_AXIS};
    TMAP_ROWS(sizes, KINDS_N);
    return (char *)r->question + row->at + (size_t)i * sizes[row->kind];
}

static void take_choice(query_reader *r, const key_row *row, const char *text) {
    int id = row->find(text);
    const char *names[64], *nearest;
    size_t count = 0;
    if (id >= 0) {
        memcpy(value_at(r, row, 0), &id, sizeof id);
        return;
    }
    while (count < sizeof names / sizeof *names && (names[count] = row->name((int)count)) != NULL) count++;
    nearest = tmap_nearest(text, names, count);
    tmap_diag *diag = refuse(r, "value-name", row->key);
    if (!diag) return;
    SAY(diag->message, "unknown %s '%.40s'%s%s%s", row->key, text, nearest ? "; did you mean '" : "",
        nearest ? nearest : "", nearest ? "'?" : "");
    SAY(diag->fix.words, "%s", nearest ? nearest : names[0]);
}

static void take_number(query_reader *r, const key_row *row, int i, const char *text) {
    tmap_integer number;
    tmap_number_result result = tmap_number_parse(text, strlen(text), &number);
    if (result != TMAP_NUMBER_OK) {
        refuse_value(r, result == TMAP_NUMBER_TOO_LARGE ? "value-range" : "value-kind", row, text, "whole numbers");
    } else if (row->kind == UNSIGNED) {
        if (number.negative)
            refuse_value(r, "value-range", row, text, "numbers from 0 on");
        else
            memcpy(value_at(r, row, i), &number.magnitude, sizeof number.magnitude);
    } else if (number.magnitude > INT64_MAX) {
        refuse_value(r, "value-range", row, text, "numbers of 64 bits");
    } else {
        int64_t value = tmap_integer_signed(number);
        memcpy(value_at(r, row, i), &value, sizeof value);
    }
}

static void take_text(query_reader *r, const key_row *row, int i, const char *text) {
    size_t room = row->count != 0 ? TMAP_PAGE_AXIS : sizeof r->question->name;
    (void)snprintf(value_at(r, row, i), room, "%s", text);
}

static void take_item(query_reader *r, const key_row *row, int i, const char *text) {
    if (row->kind == CHOICE)
        take_choice(r, row, text);
    else if (row->kind == TEXT)
        take_text(r, row, i, text);
    else
        take_number(r, row, i, text);
}

/* A list has commas between its items; a single value may contain any character. */
static void take_value(query_reader *r, const key_row *row, char *value) {
    int n = 0;
    for (char *item = value; item; n++) {
        char *comma = row->count != 0 ? strchr(item, ',') : NULL;
        if (comma) *comma++ = '\0';
        if (n < row->most) take_item(r, row, n, item);
        item = comma;
    }
    char given[24], wanted[32];
    SAY(given, "%d values", n);
    SAY(wanted, "at most %d", row->most);
    if (n > row->most) refuse_value(r, "value-count", row, given, wanted);
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

static void want_count(query_reader *r, const char *key, int count, int wanted) {
    char given[24], allowed[24];
    if (count == 0 || count == wanted) return;
    SAY(given, "%d values", count);
    SAY(allowed, "%d", wanted);
    refuse_value(r, "value-count", key_of(key), given, allowed);
}

static int count_of(const tmap_question *question, const key_row *row) {
    int n = 1;
    if (row->count != 0) memcpy(&n, (const char *)question + row->count, sizeof n);
    return n;
}

/* Whether a value is its default: the first name of a table, 0, or an empty text. */
static bool is_default(const tmap_question *question, const key_row *row) {
    static const char zeros[sizeof(uint64_t)] = {0};
    const char *at = (const char *)question + row->at;
    if (row->count != 0) return count_of(question, row) == 0;
    if (row->kind == TEXT) return at[0] == '\0';
    return row->at != AT(map.type) && memcmp(at, zeros, row->kind == CHOICE ? sizeof(int) : sizeof(uint64_t)) == 0;
}

/* Refuses keys that the mode or the operation does not use. */
static void refuse_unused_keys(query_reader *r) {
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        if (applies(r->question, row) || is_default(r->question, row)) continue;
        tmap_diag *diag = refuse(r, "key-conflict", row->key);
        if (!diag) continue;
        SAY(diag->message, "%s is not a key of mode %s with op %s", row->key, mode_name((int)r->question->map.mode),
            op_name((int)r->question->copy.op));
        SAY(diag->fix.words, "leave it out");
    }
}

static void want_counts(query_reader *r) {
    tmap_question *q = r->question;
    int rank = q->dims_n, spatial = rank > 2 ? rank - 2 : 0;
    int corners = spatial > 0 && tmap_mode_get((int)q->map.mode)->wide ? 1 : spatial;
    want_count(r, "axes", q->axes_n, rank);
    want_count(r, "strides", q->strides_n, rank - 1);
    want_count(r, "box", q->box_n, rank);
    want_count(r, "lower_corner", q->lower_n, corners);
    want_count(r, "upper_corner", q->upper_n, corners);
    want_count(r, "element_strides", q->element_strides_n, rank);
    want_count(r, "at", q->at_n, rank);
    want_count(r, "rows", q->rows_n, 4);
    want_count(r, "offsets", q->offsets_n, spatial);
}

static void settle(query_reader *r) {
    tmap_question *q = r->question;
    int rank = q->dims_n;
    if (rank == 0) refuse_value(r, "key-missing", key_of("dims"), "", "1 to 5 numbers, innermost first");
    if (!is_offered(key_of("op"), (int)q->copy.op))
        refuse_value(r, "value-name", key_of("op"), op_name((int)q->copy.op),
                     "an op that moves a box of shared memory");
    refuse_unused_keys(r);
    want_counts(r);
    if (r->refused) return;
    q->map.rank = (uint64_t)rank;
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
    query_reader r = {.question = (tmap_question *)(uintptr_t)question};
    const char *at = value_at(&r, row, i);
    int id;
    uint64_t number;
    switch (row->kind) {
    case CHOICE:
        memcpy(&id, at, sizeof id);
        tmap_query_put(sink, row->name(id));
        break;
    case UNSIGNED:
        memcpy(&number, at, sizeof number);
        tmap_printf(sink, "%" PRIu64, number);
        break;
    case SIGNED:
        memcpy(&number, at, sizeof number);
        tmap_printf(sink, "%" PRId64, (int64_t)number);
        break;
    case TEXT: tmap_query_put(sink, at); break;
    case KINDS_N: break;
    }
}

void tmap_question_write(tmap_sink *sink, const tmap_question *question) {
    tmap_puts(sink, "mode=copy");
    for (const key_row *row = keys; row < keys + KEYS_N; row++) {
        if (is_default(question, row) || !applies(question, row)) continue;
        tmap_printf(sink, "&%s=", row->key);
        for (int i = 0; i < count_of(question, row); i++) {
            if (i > 0) tmap_puts(sink, ",");
            write_item(sink, question, row, i);
        }
    }
}
