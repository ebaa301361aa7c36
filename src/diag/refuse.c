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
    return (tmap_diag){.rule = rule, .severity = TMAP_ERROR, .field = -1, .dim = -1, .operand = -1};
}

tmap_diag tmap_refusal_received(const tmap_diag *sent) {
    tmap_diag received = *sent;
    received.rule = received.symptom = received.evidence = received.path = received.subject = received.key = NULL;
    return received;
}

/* Fills in the whole record with a message. */
#define FILL(diag, filled, format)                                                                                     \
    do {                                                                                                               \
        if (!(diag)) break;                                                                                            \
        va_list args;                                                                                                  \
        *(diag) = (filled);                                                                                            \
        va_start(args, format);                                                                                        \
        tmap_say_v((diag)->message, sizeof(diag)->message, format, args);                                              \
        va_end(args);                                                                                                  \
    } while (0)

tmap_status tmap_refuse(tmap_diag *diag, const char *rule, const char *format, ...) {
    FILL(diag, tmap_refusal_of(rule), format);
    return TMAP_REFUSED;
}

tmap_status tmap_refuse_operand(tmap_diag *diag, int operand, const char *format, ...) {
    FILL(diag, tmap_refusal_of(NULL), format);
    if (diag) diag->operand = operand;
    return TMAP_REFUSED;
}

tmap_status tmap_refuse_with(tmap_diag *diag, int operand, const char *fix, const char *format, ...) {
    FILL(diag, tmap_refusal_of(NULL), format);
    if (diag) diag->operand = operand;
    tmap_say_fix(diag, "%s", fix);
    return TMAP_REFUSED;
}

tmap_status tmap_fail(tmap_status status, tmap_diag *diag, const char *format, ...) {
    FILL(diag, tmap_refusal_of(NULL), format);
    return status;
}

tmap_status tmap_refuse_operation(tmap_diag *diag, tmap_operation operation, const char *fix, const char *format, ...) {
    char message[sizeof diag->message];
    va_list args;
    va_start(args, format);
    tmap_say_v(message, sizeof message, format, args);
    va_end(args);
    return tmap_refuse_with(diag, operation.operand, fix, "%s: %s", operation.name, message);
}

tmap_status tmap_refuse_null(tmap_diag *diag, const char *name) {
    return tmap_fail(TMAP_BAD_ARGUMENT, diag, "%s is null", name);
}

void tmap_say_fix(tmap_diag *diag, const char *format, ...) {
    if (!diag) return;
    va_list args;
    va_start(args, format);
    tmap_say_v(diag->fix, sizeof diag->fix, format, args);
    va_end(args);
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
