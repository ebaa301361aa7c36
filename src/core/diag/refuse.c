/* diag: the functions that fill in a record. */
#include "diag/refuse.h"

#include <stdio.h>
#include <string.h>

/* Ends a text that was cut with "...". The cut never splits a UTF-8 code point. */
static void mark_cut(char *text, size_t size) {
    static const char dots[] = "...";
    if (size < sizeof dots) return;
    size_t at = size - sizeof dots;
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    memcpy(text + at, dots, sizeof dots);
}

void tmap_say_v(char *text, size_t size, const char *format, va_list args) {
    int length = vsnprintf(text, size, format, args);
    if (length >= 0 && (size_t)length >= size) mark_cut(text, size);
}

void tmap_say(char *text, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_say_v(text, size, format, args);
    va_end(args);
}

bool tmap_diag_is(const tmap_diag *diag, const char *rule) {
    return diag && diag->rule && strcmp(diag->rule, rule) == 0;
}

tmap_diag tmap_refusal_of(const char *rule) {
    return (tmap_diag){.rule = rule, .severity = TMAP_ERROR, .field = -1, .dim = -1, .operand = TMAP_NO_OPERAND};
}

tmap_diag tmap_refusal_received(const tmap_diag *sent) {
    tmap_diag received = *sent;
    received.rule = received.symptom = received.evidence = received.path = received.subject = received.key = NULL;
    received.axes = NULL;
    return received;
}

void tmap_refuse_v(tmap_diag *diag, int operand, const char *fix, const char *format, va_list args) {
    if (!diag) return;
    tmap_diag filled = tmap_refusal_of(NULL); /* the arguments may be texts of *diag */
    filled.operand = operand;
    tmap_say_v(filled.message, sizeof filled.message, format, args);
    if (fix) TMAP_SAY(filled.fix.words, "%s", fix);
    *diag = filled;
}

/* Calls tmap_refuse_v with the arguments after `format`. */
#define REFUSE(diag, operand, fix, format)                                                                             \
    do {                                                                                                               \
        va_list args;                                                                                                  \
        va_start(args, format);                                                                                        \
        tmap_refuse_v((diag), (operand), (fix), (format), args);                                                       \
        va_end(args);                                                                                                  \
    } while (0)

tmap_status tmap_refuse_operand(tmap_diag *diag, int operand, const char *format, ...) {
    REFUSE(diag, operand, NULL, format);
    return TMAP_REFUSED;
}

tmap_status tmap_refuse_with(tmap_diag *diag, int operand, const char *fix, const char *format, ...) {
    REFUSE(diag, operand, fix, format);
    return TMAP_REFUSED;
}

bool tmap_refuse_place(tmap_diag *diag, size_t at, size_t length) {
    if (diag) diag->at = at, diag->length = length;
    return false;
}

bool tmap_refuse_at(tmap_diag *diag, size_t at, size_t length, const char *fix, const char *format, ...) {
    REFUSE(diag, -1, fix, format);
    return tmap_refuse_place(diag, at, length > 0 ? length : 1);
}

bool tmap_refuse_number(tmap_diag *diag, size_t at, size_t length, tmap_number_result result) {
    if (result == TMAP_NUMBER_LEADING_ZERO)
        return tmap_refuse_at(diag, at, length, "remove the zero", "a number with a leading zero");
    return tmap_refuse_at(diag, at, length, "the largest number is 2^63 - 1", "a number above 2^63 - 1");
}

tmap_status tmap_refuse(tmap_diag *diag, const char *rule, const char *format, ...) {
    REFUSE(diag, -1, NULL, format);
    if (diag) diag->rule = rule;
    return TMAP_REFUSED;
}

tmap_status tmap_fail(tmap_status status, tmap_diag *diag, const char *format, ...) {
    REFUSE(diag, -1, NULL, format);
    return status;
}

tmap_status tmap_refuse_operation(tmap_diag *diag, tmap_operation operation, const char *fix, const char *format, ...) {
    tmap_diag plain;
    REFUSE(&plain, operation.operand, fix, format);
    (void)tmap_refuse_with(diag, operation.operand, fix, "%s: %s", operation.name, plain.message);
    if (diag) diag->name_n = (uint8_t)(strlen(operation.name) + 2);
    return TMAP_REFUSED;
}

tmap_status tmap_bad_argument(tmap_diags *diags, const char *message) {
    tmap_diag diag = tmap_refusal_of(NULL);
    TMAP_SAY(diag.message, "%s", message);
    tmap_diags_add(diags, &diag);
    return TMAP_BAD_ARGUMENT;
}

tmap_status tmap_refuse_null(tmap_diag *diag, const char *name) {
    return tmap_fail(TMAP_BAD_ARGUMENT, diag, "%s is null", name);
}

tmap_status tmap_say_fix(tmap_diag *diag, const char *format, ...) {
    if (!diag) return TMAP_REFUSED;
    va_list args;
    va_start(args, format);
    diag->fix.edits_n = 0;
    tmap_say_v(diag->fix.words, sizeof diag->fix.words, format, args);
    va_end(args);
    return TMAP_REFUSED;
}

/* The edit after the last one. A full fix loses its last edit, which no fix of the rules does. */
static tmap_edit *add_edit(tmap_fix *fix, int field, int dim) {
    int last = fix->edits_n - 1;
    uint8_t alternative = last < 0 ? 0 : fix->edits[last].alternative;
    if (fix->edits_n < TMAP_EDITS_MAX) last = fix->edits_n++;
    fix->edits[last] = (tmap_edit){.alternative = alternative, .field = (uint8_t)field, .dim = (int8_t)dim};
    return &fix->edits[last];
}

tmap_edit *tmap_fix_set(tmap_diag *diag, int field, int dim, uint64_t value) {
    tmap_edit *edit = add_edit(&diag->fix, field, dim);
    edit->names = diag->names;
    edit->value = value;
    return edit;
}

void tmap_fix_say(tmap_diag *diag, int field, int dim, uint64_t value, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag->fix.edits_n = 0;
    tmap_fix_set(diag, field, dim, value);
    tmap_say_v(diag->fix.words, sizeof diag->fix.words, format, args);
    va_end(args);
}

void tmap_fix_list(tmap_diag *diag, int field, const uint64_t *values, int n) {
    for (int i = 0; i < n; i++) tmap_fix_set(diag, field, i, values[i])->list = true;
}

void tmap_fix_leave_out(tmap_diag *diag, int field) {
    tmap_fix_set(diag, field, -1, 0)->leave_out = true;
}

tmap_edit *tmap_fix_or(tmap_diag *diag, int field, int dim, uint64_t value) {
    tmap_edit *edit = tmap_fix_set(diag, field, dim, value);
    if (edit > diag->fix.edits) edit->alternative++;
    return edit;
}

bool tmap_fix_is_given(const tmap_fix *fix) {
    return fix->edits_n > 0 || fix->words[0] != '\0';
}

bool tmap_fix_changes(const tmap_fix *fix, int field) {
    int i = 0;
    while (i < fix->edits_n && fix->edits[i].field != field) i++;
    return i < fix->edits_n;
}

int tmap_fix_list_n(const tmap_fix *fix, int i) {
    const tmap_edit *first = &fix->edits[i], *next = first + 1;
    while (first->list && next < fix->edits + fix->edits_n && next->list && next->field == first->field) next++;
    return (int)(next - first);
}

tmap_diags *tmap_first_finding_begin(tmap_first_finding *first) {
    first->list = (tmap_diags){.items = &first->item, .capacity = 1, .fixed = true};
    return &first->list;
}

tmap_status tmap_refuse_finding(tmap_diag *diag, const tmap_first_finding *first) {
    if (!diag) return TMAP_REFUSED;
    *diag = first->item;
    diag->more = first->list.dropped;
    return TMAP_REFUSED;
}
