/*
 * diag: the functions that fill in a record. Every text of a record goes through tmap_say; a call that refuses fills in
 * one whole record with tmap_refuse and its kin. `emit` renders records; tmap_diag_line puts one in a line.
 */
#ifndef TMAP_DIAG_REFUSE_H
#define TMAP_DIAG_REFUSE_H

#include <stdarg.h>

#include "base/private_api.h"
#include "tmap/diag.h"

/* Formats into a text of a record; text that does not fit is cut and ends in "...". */
TMAP_PRIVATE_API void tmap_say(char *text, size_t size, const char *format, ...) TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API void tmap_say_v(char *text, size_t size, const char *format, va_list args) TMAP_PRINTF(3, 0);
#define TMAP_SAY(text, ...) tmap_say((text), sizeof(text), __VA_ARGS__)

/* Whether the record, which may be NULL, is of that rule. `cli.rules` compares the names in src/ with the table. */
TMAP_PRIVATE_API bool tmap_diag_is(const tmap_diag *diag, const char *rule);

/* An error without any text, of rule `rule` or of none (NULL). */
TMAP_PRIVATE_API tmap_diag tmap_refusal_of(const char *rule);

/*
 * Each fills in all of *diag with a message, if diag is not NULL. tmap_refuse returns TMAP_REFUSED, for rule `rule` or
 * NULL; tmap_refuse_operand also, for operand `operand` of a call (-1: none in particular), with a fix or without;
 * tmap_fail returns `status`: for a call that failed without breaking a rule.
 */
TMAP_PRIVATE_API tmap_status tmap_refuse(tmap_diag *diag, const char *rule, const char *format, ...) TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API tmap_status tmap_refuse_operand(tmap_diag *diag, int operand, const char *format, ...)
    TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API tmap_status tmap_refuse_with(tmap_diag *diag, int operand, const char *fix, const char *format, ...)
    TMAP_PRINTF(4, 5);
TMAP_PRIVATE_API tmap_status tmap_fail(tmap_status status, tmap_diag *diag, const char *format, ...) TMAP_PRINTF(3, 4);

/* An operation of the expression language, for its refusals: its name, and the operand that is wrong; -1: none. */
typedef struct tmap_operation {
    const char *name; /* static */
    int operand;
} tmap_operation;

#define TMAP_OPERATION(name) ((tmap_operation){name, -1})
/* The second operand, a shape, dimensions or a divisor, has to fit the first. */
#define TMAP_FITTED(name) ((tmap_operation){name, 1})

/* As tmap_refuse_with, about the operation: "NAME: message". */
TMAP_PRIVATE_API tmap_status tmap_refuse_operation(tmap_diag *diag, tmap_operation operation, const char *fix,
                                                   const char *format, ...) TMAP_PRINTF(4, 5);

/* For a pointer that must not be NULL; returns TMAP_BAD_ARGUMENT. */
TMAP_PRIVATE_API tmap_status tmap_refuse_null(tmap_diag *diag, const char *name);

/* What to do, in a record that is filled in; nothing if diag is NULL. */
TMAP_PRIVATE_API void tmap_say_fix(tmap_diag *diag, const char *format, ...) TMAP_PRINTF(2, 3);

/* A record that another process sent: the static texts of that process are not here. */
TMAP_PRIVATE_API tmap_diag tmap_refusal_received(const tmap_diag *sent);

/* A list with room for the first finding alone, on the stack. The other findings are counted. */
typedef struct tmap_first_finding {
    tmap_diag item;
    tmap_diags list;
} tmap_first_finding;

TMAP_PRIVATE_API tmap_diags *tmap_first_finding_begin(tmap_first_finding *first);
/* The first finding as the record of a refusal, with the number of the others; returns TMAP_REFUSED. */
TMAP_PRIVATE_API tmap_status tmap_refuse_finding(tmap_diag *diag, const tmap_first_finding *first);

#endif
