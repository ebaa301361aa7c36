/*
 * language: what functions of the expression language see. A function is a row of functions.def: its parameters by name
 * and kind, and a call that is given the arguments in the parameters' order. Several rows may have one name; the first
 * whose parameters take the arguments is called, so that new kinds of values extend old names.
 */
#ifndef TMAP_LANGUAGE_EVAL_H
#define TMAP_LANGUAGE_EVAL_H

#include "base/arena.h"
#include "diag/refuse.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "util/print.h"

/* ---- One evaluation --------------------------------------------------------------------------------------------- */

typedef struct tmap_variable {
    const char *name;
    tmap_value value;
    struct tmap_variable *older;
} tmap_variable;

typedef struct tmap_user_axis {
    tmap_axis axis;
    struct tmap_user_axis *older;
} tmap_user_axis;

/* Names whose expressions are being evaluated, the innermost first. */
typedef struct tmap_open_name {
    const char *name;
    const struct tmap_open_name *outer;
} tmap_open_name;

typedef struct tmap_eval {
    tmap_arena arena;
    const tmap_layout_names *names;
    tmap_diag *error; /* never NULL */
    tmap_variable *variables;
    tmap_user_axis *axes;
    size_t memory_left; /* bytes that values may still take */
    uint64_t steps_left;
    int depth; /* of nested brackets and calls */
    const tmap_open_name *open;
    bool (*read)(struct tmap_eval *eval, const char *text, size_t size, tmap_value *out); /* an expression of its own */
    bool no_memory;
} tmap_eval;

/* tmap_evaluate with steps that several evaluations share: *steps is what is left. */
tmap_status tmap_evaluate_within(const char *text, size_t size, const tmap_layout_names *names,
                                 const tmap_allocator *allocator, uint64_t *steps, tmap_result **result,
                                 tmap_diag *error);
#define TMAP_STEPS_MAX ((uint64_t)1 << 26)

/* Zeroed; NULL after the refusal was noted. */
void *tmap_eval_take(tmap_eval *eval, size_t count, size_t size);
/* For work that grows with numbers rather than with the text; false after the refusal was noted. */
bool tmap_eval_spend(tmap_eval *eval, uint64_t steps);
/* Puts a name in front of those that are open, until eval->open is set back to name->outer; false after the refusal of
 * a name inside its own expression, or of a chain of too many. */
bool tmap_eval_open(tmap_eval *eval, tmap_open_name *name);
/* A word where a number belongs: notes at its place that the name has no value, and answers false. */
bool tmap_eval_refuse_unset(tmap_eval *eval, const tmap_value *word);
/* An axis by name, made where the name says its kind; NULL after the refusal, at `at`, was noted. */
const tmap_axis *tmap_eval_axis(tmap_eval *eval, const char *name, size_t at, size_t length);

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

#define TMAP_PARAMS_MAX 12

/* Bit of a kind, and the sets of them that parameters take. */
#define TMAP_KIND(id)     ((uint32_t)1 << TMAP_VALUE_##id)
#define TMAP_TAKES_INT    TMAP_KIND(INT)
#define TMAP_TAKES_INTS   (TMAP_KIND(INT) | TMAP_KIND(LIST)) /* a number or a list of them */
#define TMAP_TAKES_BOX    (TMAP_KIND(PAIR) | TMAP_KIND(INT) | TMAP_KIND(LIST))
#define TMAP_TAKES_NAME   (TMAP_KIND(WORD) | TMAP_KIND(TEXT))
#define TMAP_TAKES_LAYOUT TMAP_KIND(LAYOUT)
#define TMAP_TAKES_SUM    (TMAP_KIND(LAYOUT) | TMAP_KIND(TERM) | TMAP_KIND(INT))
#define TMAP_TAKES_PLACE  (TMAP_KIND(LAYOUT) | TMAP_KIND(TERM) | TMAP_KIND(INT) | TMAP_KIND(LIST))
#define TMAP_TAKES_ANY    (~(uint32_t)0)

typedef struct tmap_param {
    const char *name;
    uint32_t takes;
    bool optional;
    bool rest; /* the last one: all that follows, as a list */
} tmap_param;

typedef struct tmap_call tmap_call;

typedef struct tmap_function {
    tmap_function_info face;
    bool (*call)(tmap_call *call, tmap_value *result); /* false after a refusal was noted */
    tmap_param params[TMAP_PARAMS_MAX];
} tmap_function;

struct tmap_call {
    tmap_eval *eval;
    const tmap_function *function;
    const tmap_value *args[TMAP_PARAMS_MAX]; /* NULL where left out */
    size_t at, length;                       /* the whole call in the text */
};

const tmap_function *tmap_function_row(int i);

/* A function that is another one, told what to do. */
#define FORWARD(name, with, ...)                                                                                       \
    bool name(tmap_call *call, tmap_value *result) {                                                                   \
        return with(call, __VA_ARGS__, result);                                                                        \
    }

/* Notes a refusal about argument `arg` (-1: the call) and answers false. */
bool tmap_call_refuse(const tmap_call *call, int arg, const char *format, ...) TMAP_PRINTF(3, 4);
/* The same with what would be right. */
bool tmap_call_refuse_with(const tmap_call *call, int arg, const char *fix, const char *format, ...) TMAP_PRINTF(4, 5);
/* Whether an operation went well; else puts its refusal, written to call->eval->error, where its operand stands. */
bool tmap_call_went(const tmap_call *call, tmap_status status);

/* Arguments as what they were taken for; false after a refusal was noted. A left-out one leaves *out. */
bool tmap_arg_int(const tmap_call *call, int arg, int64_t low, int64_t high, int64_t *out);
bool tmap_arg_shape(const tmap_call *call, int arg, tmap_shape *out);
bool tmap_arg_axis(const tmap_call *call, int arg, const tmap_axis **out);
bool tmap_value_shape(const tmap_call *call, int arg, const tmap_value *value, tmap_shape *out);
/* begin:end or, as TIRx has it, (begin, end); a number for a range of one. */
bool tmap_value_range(const tmap_call *call, int arg, const tmap_value *value, int64_t *begin, int64_t *end);
/* A word or a text; NULL where left out. */
const char *tmap_arg_name(const tmap_call *call, int arg);

/* Results. They answer true, so that a function can end with them; false when there is no memory. */
bool tmap_give_int(tmap_value *result, int64_t integer);
bool tmap_give_bool(tmap_value *result, bool truth);
bool tmap_give_none(tmap_value *result);
bool tmap_give_text(tmap_call *call, tmap_value *result, const char *text);
bool tmap_give_layout(tmap_call *call, tmap_value *result, const tmap_layout *layout);
bool tmap_give_ints(tmap_call *call, tmap_value *result, const int64_t *integers, size_t n);

/* Structures and lists, filled in order: room for `most` fields is taken at once. */
typedef struct tmap_structure_maker {
    tmap_eval *eval;
    tmap_value_field *fields;
    size_t n, most;
} tmap_structure_maker;

bool tmap_structure_begin(tmap_eval *eval, tmap_structure_maker *maker, size_t most);
/* The value of a new field, of kind NONE; never NULL within `most`. `name` is borrowed. */
tmap_value *tmap_structure_add(tmap_structure_maker *maker, const char *name);
void tmap_structure_int(tmap_structure_maker *maker, const char *name, int64_t integer);
void tmap_structure_bool(tmap_structure_maker *maker, const char *name, bool truth);
void tmap_structure_text(tmap_structure_maker *maker, const char *name, const char *text); /* borrowed */
bool tmap_structure_end(const tmap_structure_maker *maker, tmap_value *result);

/* A list of `n` values of kind NONE, to be filled in; NULL when there is no memory. */
tmap_value *tmap_give_list(tmap_eval *eval, tmap_value *result, size_t n);

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

/* In plain kinds, all the way down; false when there is no memory. */
bool tmap_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *data);
/* `==` of two values of one kind; false after a refusal was noted. */
bool tmap_values_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

#endif
