/*
 * language: declarations for the functions of the expression language. A function is a row of functions.def. Several
 * rows may have one name: the first row whose parameters accept the arguments is called, so new kinds of values can
 * extend old names.
 */
#pragma once

#include "base/arena.h"
#include "diag/refuse.h"
#include "text/print.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/register_shared.h"
#include "tmap/unstable/triton.h"

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
    size_t memory_left; /* bytes that values may still use */
    uint64_t steps_left;
    int depth; /* nesting depth of brackets and calls */
    const tmap_open_name *open;
    /* Evaluates a separate expression. */
    bool (*read)(struct tmap_eval *eval, const char *text, size_t size, tmap_value *out);
    bool no_memory;
    bool named; /* the message of the refusal begins with the name of the expression: "in NAME: " */
} tmap_eval;

/* As tmap_evaluate, for several evaluations that share steps: *steps is the number that remains. */
tmap_status tmap_evaluate_within(const char *text, size_t size, const tmap_layout_names *names,
                                 const tmap_allocator *allocator, uint64_t *steps, tmap_result **result,
                                 tmap_diag *error);
#define TMAP_STEPS_MAX ((uint64_t)1 << 26)

/* Zeroed memory; NULL after noting the refusal. */
void *tmap_eval_take(tmap_eval *eval, size_t count, size_t size);
/* A copy of a text, with a 0 after it; NULL after noting the refusal. */
char *tmap_eval_copy(tmap_eval *eval, const char *text, size_t size);
/* The variable whose name is a text; NULL: none. */
const tmap_variable *tmap_variable_find(const tmap_variable *variables, const char *name, size_t size);
/* Does not copy the name. Returns false after noting the refusal. */
bool tmap_eval_define(tmap_eval *eval, const char *name, const tmap_value *value);
/* Spends steps, for work that depends on numbers and not on the length of the text. Returns false after noting a
 * refusal. */
bool tmap_eval_spend(tmap_eval *eval, uint64_t steps);
/*
 * Puts a name in front of the open names, until eval->open is set back to name->outer. Returns false after refusing a
 * name inside its own expression, or a chain of too many names.
 */
bool tmap_eval_open(tmap_eval *eval, tmap_open_name *name);
/* Whether the word is the name of an axis, a type or a swizzle, which no expression can define. */
bool tmap_eval_is_reserved(const char *word);

/* Whether a definition NAME = … of the word is possible. */
bool tmap_eval_can_define(const char *word);
/* Refuses a word where a number is required: at the place of the word, with the message that the name has no value.
 * Returns false. */
bool tmap_eval_refuse_unset(tmap_eval *eval, const tmap_value *word);
/* Adds to the fix of a refused word that the word could be the name of a number. */
void tmap_eval_offer_number(tmap_eval *eval, const char *name);
/* An axis by name. Makes the axis if the name contains its kind. Returns NULL after noting the refusal at `at`. */
const tmap_axis *tmap_eval_axis(tmap_eval *eval, const char *name, size_t at, size_t length);

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

#define TMAP_PARAMS_MAX 10

/* The bit of a kind, and the sets of kinds that parameters accept. */
#define TMAP_KIND(id)     ((uint32_t)1 << TMAP_VALUE_##id)
#define TMAP_TAKES_INTS   (TMAP_KIND(INT) | TMAP_KIND(LIST)) /* a number or a list of them */
#define TMAP_TAKES_NAME   (TMAP_KIND(WORD) | TMAP_KIND(TEXT))
#define TMAP_TAKES_TRITON (TMAP_KIND(ENCODING) | TMAP_KIND(LINEAR))
#define TMAP_TAKES_ANY_LAYOUT                                                                                          \
    (TMAP_KIND(LAYOUT) | TMAP_KIND(REGISTER) | TMAP_KIND(SHARED) | TMAP_KIND(CUTE) | TMAP_TAKES_TRITON)

typedef enum tmap_parameter_kind {
#define PARAMETER(id, ...) TMAP_PARAMETER_##id,
#include "language/parameters.def"
#undef PARAMETER
} tmap_parameter_kind;

typedef struct tmap_param {
    tmap_parameter_kind kind;
    const char *name;    /* NULL after the last parameter */
    uint32_t takes;      /* the kinds of values; 0: those of the kind of the parameter */
    int64_t low, high;   /* the range of an integer; equal: any integer */
    int64_t otherwise;   /* the value of an omitted integer or boolean, the tmap_axis_id of an omitted axis */
    bool optional, rest; /* rest: the last parameter accepts all following arguments as a list */
} tmap_param;

/* An argument as its parameter reads it. For an omitted argument, `data` is NULL, `integer` is `otherwise`, n is 0. */
typedef struct tmap_read_value {
    const void *data; /* layouts, swizzles, names, axes, shapes */
    int64_t integer;  /* of integers, booleans, types, modes and styles */
    int n;            /* of numbers and dims */
    union {
        uint64_t numbers[TMAP_ITERS_MAX];
        int dims[TMAP_ITERS_MAX];
        tmap_shape shape, box[2];
        tmap_cute_tiler tiler;
    } as;
} tmap_read_value;

typedef struct tmap_call tmap_call;

typedef struct tmap_function {
    tmap_function_info info;
    bool (*call)(tmap_call *call, tmap_value *result); /* returns false after noting a refusal */
    const tmap_param *params;
} tmap_function;

struct tmap_call {
    tmap_eval *eval;
    const tmap_function *function;
    const tmap_value *args[TMAP_PARAMS_MAX]; /* NULL for an omitted argument */
    tmap_read_value *read;
    size_t at, length; /* the place of the whole call in the text */
};

/* A kind of parameters: the kinds of values, and the function that reads a value (NULL: none). */
typedef struct tmap_parameter {
    uint32_t takes;
    bool (*read)(tmap_call *call, int arg, tmap_read_value *out);
} tmap_parameter;
extern const tmap_parameter tmap_parameters[];

static inline uint32_t tmap_param_takes(const tmap_param *param) {
    return param->takes ? param->takes : tmap_parameters[param->kind].takes;
}

/* Reads all arguments into call->read. Returns false after noting a refusal. */
bool tmap_call_read(tmap_call *call);

/* The next row with this name after a row; after NULL, the first row with this name. NULL: none. */
const tmap_function *tmap_function_next(const char *name, const tmap_function *after);
/* As tmap_function_signature. */
char *tmap_function_write(const tmap_function *function, char *text, size_t size);

/*
 * Note a refusal of argument `arg` (-1: of the call) and return false. A C function without the call refuses with
 * tmap_refuse_with and the number of the argument as its operand: the place is then that of the argument.
 */
bool tmap_call_refuse(const tmap_call *call, int arg, const char *format, ...) TMAP_PRINTF(3, 4);
/* As tmap_call_refuse, with a fix. */
bool tmap_call_refuse_with(const tmap_call *call, int arg, const char *fix, const char *format, ...) TMAP_PRINTF(4, 5);
/* Whether an operation succeeded. If not, moves its refusal in call->eval->error to the place of its operand. */
bool tmap_call_succeeded(const tmap_call *call, tmap_status status);

/* As tmap_check_count, for argument `arg`. Returns false after noting the refusal. */
bool tmap_call_count(const tmap_call *call, int arg, int have, const char *what, int want, const char *of);
/* Refuses argument `operand`, a number outside a range. */
tmap_status tmap_check_range(tmap_diag *error, int operand, const char *name, int64_t number, int64_t low,
                             int64_t high);

/* Refuses argument `arg`, a shape, if its number of elements is not that of the layout. Returns false if it does. */
bool tmap_check_shape(const tmap_call *call, int arg, const tmap_layout *layout, const tmap_shape *shape);

/* Read parts of an argument. Return false after noting a refusal. */
bool tmap_value_shape(const tmap_call *call, int arg, const tmap_value *value, tmap_shape *out);
/* A number or a list, also a list in a list: numbers of 0 or more; for an order any numbers. `fix` is the fix for a
 * number below 0. */
bool tmap_arg_numbers(const tmap_call *call, int arg, const char *fix, tmap_shape *numbers);
/* begin:end or, in TIRx's notation, (begin, end). A number is a range of one. */
bool tmap_value_range(const tmap_call *call, int arg, const tmap_value *value, int64_t *begin, int64_t *end);
/* The list in a list of one list: f([1, 2]) means f(1, 2). */
const tmap_value *tmap_list_in(const tmap_value *list);

/* Results. They return true, so that a function can end with them, or false when an allocation fails. */
bool tmap_give_int(tmap_value *result, int64_t integer);
bool tmap_give_bool(tmap_value *result, bool truth);
bool tmap_give_none(tmap_value *result);
bool tmap_give_text(tmap_eval *eval, tmap_value *result, const char *text);
bool tmap_give_layout(tmap_eval *eval, tmap_value *result, const tmap_layout *layout);
bool tmap_give_swizzle(tmap_value *result, tmap_xor swizzle);
bool tmap_give_ints(tmap_eval *eval, tmap_value *result, const int64_t *integers, size_t n);
bool tmap_give_numbers(tmap_eval *eval, tmap_value *result, const uint64_t *numbers, size_t n);
/* A copy of a layout of another kind, if its operation succeeded. */
bool tmap_give_made(tmap_call *call, tmap_status status, tmap_value_kind kind, const void *made, size_t size,
                    tmap_value *result);
#define GIVE_MADE(call, status, kind, made, result)                                                                    \
    tmap_give_made(call, status, TMAP_VALUE_##kind, made, sizeof *(made), result)
/* Collects a text that a function writes to *sink, and gives it. */
tmap_sink tmap_give_begin(tmap_eval *eval, tmap_text *text);
bool tmap_give_end(tmap_eval *eval, tmap_text *text, const tmap_sink *sink, tmap_value *result);

/* A structure, filled in order. The largest has the number, the coordinates and the place of an element. */
#define TMAP_FIELDS_MAX (TMAP_AXES_MAX + 2)
typedef struct tmap_structure {
    size_t n;
    tmap_value_field fields[TMAP_FIELDS_MAX];
} tmap_structure;
/* Declares a structure without fields. */
#define TMAP_STRUCTURE(s)                                                                                              \
    tmap_structure s;                                                                                                  \
    (s).n = 0

/* The value of a new field, of kind NONE. Does not copy `name`. */
tmap_value *tmap_structure_add(tmap_structure *s, const char *name);
void tmap_structure_int(tmap_structure *s, const char *name, int64_t integer);
void tmap_structure_bool(tmap_structure *s, const char *name, bool truth);
void tmap_structure_text(tmap_structure *s, const char *name, const char *text); /* does not copy the text */
bool tmap_structure_give(tmap_eval *eval, const tmap_structure *s, tmap_value *result);

/* A list of `n` values of kind NONE, for the caller to fill in. NULL when the allocation fails. */
tmap_value *tmap_give_list(tmap_eval *eval, tmap_value *result, size_t n);

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

/* Converts a value to plain kinds, recursively. Returns false when an allocation fails. */
bool tmap_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *data);
/* `==` of two values. Returns false after noting a refusal. */
bool tmap_values_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);
