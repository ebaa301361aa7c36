/* diag: the functions that fill in a record: tmap_say one text, tmap_refuse and related functions the whole record of a
 * call that refuses. `emit` renders records; tmap_diag_line writes one as a line. */
#pragma once

#include <stdarg.h>

#include "base/private_api.h"
#include "text/number.h"
#include "tmap/diag.h"

/* Formats into a text of a record. Text that does not fit is cut and ends with "...". */
TMAP_PRIVATE_API void tmap_say(char *text, size_t size, const char *format, ...) TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API void tmap_say_v(char *text, size_t size, const char *format, va_list args) TMAP_PRINTF(3, 0);
#define TMAP_SAY(text, ...) tmap_say((text), sizeof(text), __VA_ARGS__)
/* Continues a text. */
#define TMAP_SAY_MORE(text, ...) tmap_say((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)
/* The ending of a counted noun: "1 value", "2 values". */
#define TMAP_PLURAL(n) ((n) == 1 ? "" : "s")

/* Whether the record (may be NULL) names rule `rule`. `cli.rules` compares the names in src/ with the table. */
TMAP_PRIVATE_API bool tmap_diag_is(const tmap_diag *diag, const char *rule);

/* A record with severity error, rule `rule` (NULL: no rule) and no texts. */
TMAP_PRIVATE_API tmap_diag tmap_refusal_of(const char *rule);

/* The operand number of a refusal that is not about an operand. */
enum { TMAP_NO_OPERAND = -1 };

/*
 * Each function fills in all of *diag (may be NULL) with a message. tmap_refuse returns TMAP_REFUSED, for rule `rule`
 * or NULL. tmap_refuse_operand and tmap_refuse_with also return TMAP_REFUSED, for operand `operand` of a call.
 * tmap_fail returns `status`, for a call that failed without breaking a rule.
 */
TMAP_PRIVATE_API tmap_status tmap_refuse(tmap_diag *diag, const char *rule, const char *format, ...) TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API tmap_status tmap_refuse_operand(tmap_diag *diag, int operand, const char *format, ...)
    TMAP_PRINTF(3, 4);
TMAP_PRIVATE_API tmap_status tmap_refuse_with(tmap_diag *diag, int operand, const char *fix, const char *format, ...)
    TMAP_PRINTF(4, 5);
/* As tmap_refuse_with, without a result, and with the arguments of `format` as a va_list. `fix` NULL: no fix. */
TMAP_PRIVATE_API void tmap_refuse_v(tmap_diag *diag, int operand, const char *fix, const char *format, va_list args)
    TMAP_PRINTF(4, 0);
/* As tmap_refuse_with, for `length` bytes (at least one) of a text from byte `at`, without an operand. Returns false.
 */
TMAP_PRIVATE_API bool tmap_refuse_at(tmap_diag *diag, size_t at, size_t length, const char *fix, const char *format,
                                     ...) TMAP_PRINTF(5, 6);
/* As tmap_refuse_at, for a number of signed 64 bits with a leading zero, or too large. */
TMAP_PRIVATE_API bool tmap_refuse_number(tmap_diag *diag, size_t at, size_t length, tmap_number_result result);
/* Sets the place of a record (may be NULL) in its text. Returns false. */
TMAP_PRIVATE_API bool tmap_refuse_place(tmap_diag *diag, size_t at, size_t length);
TMAP_PRIVATE_API tmap_status tmap_fail(tmap_status status, tmap_diag *diag, const char *format, ...) TMAP_PRINTF(3, 4);

/* An operation of the expression language in a refusal: its name, and the number of the wrong operand. */
typedef struct tmap_operation {
    const char *name; /* static */
    int operand;
} tmap_operation;

#define TMAP_OPERATION(name) ((tmap_operation){name, TMAP_NO_OPERAND})
/* The second operand (a shape, dimensions or a divisor) does not fit the first. */
#define TMAP_FITTED(name) ((tmap_operation){name, 1})

/* As tmap_refuse_with, with the message "NAME: message". */
TMAP_PRIVATE_API tmap_status tmap_refuse_operation(tmap_diag *diag, tmap_operation operation, const char *fix,
                                                   const char *format, ...) TMAP_PRINTF(4, 5);

/* Adds a record of a wrong call to a list (may be NULL); returns TMAP_BAD_ARGUMENT. */
TMAP_PRIVATE_API tmap_status tmap_bad_argument(tmap_diags *diags, const char *message);

/* Refuses a pointer that must not be NULL; returns TMAP_BAD_ARGUMENT. */
TMAP_PRIVATE_API tmap_status tmap_refuse_null(tmap_diag *diag, const char *name);

/* Replaces the fix of a complete record (may be NULL) by words. Returns TMAP_REFUSED. */
TMAP_PRIVATE_API tmap_status tmap_say_fix(tmap_diag *diag, const char *format, ...) TMAP_PRINTF(2, 3);

/*
 * Add an edit to the fix. tmap_fix_set: entry `dim` of `field` (a tmap_field; -1: the whole field) gets `value`;
 * tmap_fix_list: the field gets `n` values; tmap_fix_leave_out: the field is omitted. These belong to the alternative
 * of the edit before; tmap_fix_or is tmap_fix_set for a new alternative.
 */
TMAP_PRIVATE_API tmap_edit *tmap_fix_set(tmap_diag *diag, int field, int dim, uint64_t value);
/* Replaces the fix by one edit with words. */
TMAP_PRIVATE_API void tmap_fix_say(tmap_diag *diag, int field, int dim, uint64_t value, const char *format, ...)
    TMAP_PRINTF(5, 6);
TMAP_PRIVATE_API void tmap_fix_list(tmap_diag *diag, int field, const uint64_t *values, int n);
TMAP_PRIVATE_API void tmap_fix_leave_out(tmap_diag *diag, int field);
TMAP_PRIVATE_API tmap_edit *tmap_fix_or(tmap_diag *diag, int field, int dim, uint64_t value);
TMAP_PRIVATE_API bool tmap_fix_is_given(const tmap_fix *fix);
TMAP_PRIVATE_API bool tmap_fix_changes(const tmap_fix *fix, int field);
/* The number of edits of the list that starts with edit `i`; 1 for an edit that is not part of a list. */
TMAP_PRIVATE_API int tmap_fix_list_n(const tmap_fix *fix, int i);

/* The record that another process sent, without the pointers to static texts of that process. */
TMAP_PRIVATE_API tmap_diag tmap_refusal_received(const tmap_diag *sent);

/* A list on the stack with space for the first finding. The list counts the other findings. */
typedef struct tmap_first_finding {
    tmap_diag item;
    tmap_diags list;
} tmap_first_finding;

TMAP_PRIVATE_API tmap_diags *tmap_first_finding_begin(tmap_first_finding *first);
/* Makes the first finding the record of a refusal, with the number of the other findings; returns TMAP_REFUSED. */
TMAP_PRIVATE_API tmap_status tmap_refuse_finding(tmap_diag *diag, const tmap_first_finding *first);
