/*
 * language: the expression language of layouts. A layout's notation is an expression, and every operation on layouts is
 * a function or an operator of the language: `tile(S[(8,8):(8,1)], S[2], (2,1), (8,8))`, or with the first operand in
 * front, `S[(8,8):(8,1)].tile(…)`. docs/layouts.md has the language; tmap_function_get lists the functions.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_LANGUAGE_H
#define TMAP_LANGUAGE_H

#include "tmap/unstable/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_value_kind {
#define TMAP_VALUE_KIND(id, ...) TMAP_VALUE_##id,
#include "tmap/unstable/language_kinds.def"
#undef TMAP_VALUE_KIND
    TMAP_VALUE_COUNT
} tmap_value_kind;

typedef struct tmap_value tmap_value;
typedef struct tmap_value_field tmap_value_field;

/* A value of the language. Pointers are borrowed from the expression's result. */
struct tmap_value {
    tmap_value_kind kind;
    bool shaped;       /* of a layout: its iters are the dimensions of its tensor */
    size_t at, length; /* the bytes of the expression that it came from */
    union {
        bool truth;
        int64_t integer;
        const char *text; /* of words and texts */
        tmap_axis_value term;
        struct {
            const tmap_value *items;
            size_t n;
        } list; /* a pair is a list of 2 */
        struct {
            const tmap_value_field *fields;
            size_t n;
        } structure;
        tmap_xor swizzle;
        const tmap_layout *layout;
        const void *data; /* of all other kinds: what their room says */
    } as;
};

struct tmap_value_field {
    const char *name;
    tmap_value value;
};

/* "integer", "layout", …. */
TMAP_API const char *tmap_value_kind_name(tmap_value_kind kind);

/*
 * Names that stand for expressions: those of a spec's `layouts:`. `find` answers the text, or NULL where there is none.
 * `why_not` may be NULL; asked about a name that was not found it says why, where it is known but no layout, or NULL.
 */
typedef struct tmap_layout_names {
    const char *(*find)(const void *context, const char *name, size_t *size);
    const void *context;
    const char *(*why_not)(const void *context, const char *name);
} tmap_layout_names;

typedef struct tmap_result tmap_result;

/*
 * Evaluates an expression (any bytes; bounded time and memory). On TMAP_OK *result is to be freed with
 * tmap_result_free. TMAP_REFUSED: *error says what is wrong, and where in the text. `names` and `error` may be NULL.
 */
TMAP_API tmap_status tmap_evaluate(const char *text, size_t size, const tmap_layout_names *names,
                                   const tmap_allocator *allocator, tmap_result **result, tmap_diag *error)
    TMAP_NONNULL(5) TMAP_MUST_USE;
TMAP_API const tmap_value *tmap_result_value(const tmap_result *result) TMAP_NONNULL(1);
/* The same in plain kinds: layouts as structures of lists of iters. NULL when there is no memory. */
TMAP_API const tmap_value *tmap_result_data(tmap_result *result) TMAP_NONNULL(1);
TMAP_API void tmap_result_free(tmap_result *result);
/* The layout that an expression says; its axes are those of the table. Errors carry their place in the text. */
TMAP_API tmap_status tmap_layout_parse(const char *text, size_t size, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* On one line, as an expression; structures as {name: value}. */
TMAP_API void tmap_value_print(tmap_sink *sink, const tmap_value *value) TMAP_NONNULL(1, 2);
/* For people: structures as lines, lists of structures as tables, texts as they are; ends with a newline. */
TMAP_API void tmap_value_show(tmap_sink *sink, const tmap_value *value) TMAP_NONNULL(1, 2);

/* A function of the language. Operators are functions with the operator as their name. */
typedef struct tmap_function_info {
    const char *name;
    const char *about;
} tmap_function_info;
TMAP_API const tmap_function_info *tmap_function_get(int i); /* NULL past the last */
/* "tile(inner, outer, outer_shape, inner_shape)", cut to fit. Answers `text`. */
TMAP_API char *tmap_function_signature(int i, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
