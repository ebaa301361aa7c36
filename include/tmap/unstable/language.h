/*
 * language: the expression language of layouts. The notation of a layout is an expression, and every operation on
 * layouts is a function or an operator of the language: `tile(S[(8,8):(8,1)], S[2], (2,1), (8,8))`, or, with the first
 * operand before the name, `S[(8,8):(8,1)].tile(…)`. docs/layouts.md describes the language; tmap_function_get lists
 * the functions.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
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
    bool shaped;       /* layouts: the iters are the dimensions of the tensor */
    size_t at, length; /* the part of the expression that has this value, in bytes */
    union {
        bool truth;
        int64_t integer;
        const char *text; /* words and texts */
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
        const void *data; /* all other kinds: see the header of their room */
    } as;
};

struct tmap_value_field {
    const char *name;
    tmap_value value;
};

/* Returns "integer", "layout", …. */
TMAP_API const char *tmap_value_kind_name(tmap_value_kind kind);

/*
 * Names of expressions, as in a spec's `layouts:`. `find` returns the text of an expression, or NULL if there is no
 * such name. `why_not` may be NULL; for a name that `find` did not find it returns the reason if the name exists but is
 * not a layout, else NULL.
 */
typedef struct tmap_layout_names {
    const char *(*find)(const void *context, const char *name, size_t *size);
    const void *context;
    const char *(*why_not)(const void *context, const char *name);
} tmap_layout_names;

typedef struct tmap_result tmap_result;

/*
 * Evaluates an expression (any bytes; time and memory are bounded). On TMAP_OK the caller frees *result with
 * tmap_result_free. Returns TMAP_REFUSED for a wrong expression: *error has the reason and the position in the text.
 * `names` and `error` may be NULL.
 */
TMAP_API tmap_status tmap_evaluate(const char *text, size_t size, const tmap_layout_names *names,
                                   const tmap_allocator *allocator, tmap_result **result, tmap_diag *error)
    TMAP_NONNULL(5) TMAP_MUST_USE;
TMAP_API const tmap_value *tmap_result_value(const tmap_result *result) TMAP_NONNULL(1);
/* Returns the value in plain kinds: layouts become structures of lists of iters. Returns NULL if there is no memory. */
TMAP_API const tmap_value *tmap_result_data(tmap_result *result) TMAP_NONNULL(1);
TMAP_API void tmap_result_free(tmap_result *result);
/* Reads a layout; its axes are those of the axis table. Errors have the position in the text. */
TMAP_API tmap_status tmap_layout_parse(const char *text, size_t size, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* Writes a value on one line, as an expression; structures as {name: value}. */
TMAP_API void tmap_value_print(tmap_sink *sink, const tmap_value *value) TMAP_NONNULL(1, 2);
/*
 * Writes a value for people: structures as lines, lists of structures as tables, texts without quotes. The text ends
 * with a newline.
 */
TMAP_API void tmap_value_show(tmap_sink *sink, const tmap_value *value) TMAP_NONNULL(1, 2);

/* A function of the language. An operator is a function whose name is the operator. */
typedef struct tmap_function_info {
    const char *name;
    const char *about;
} tmap_function_info;
TMAP_API const tmap_function_info *tmap_function_get(int i); /* NULL after the last */
/* Writes "tile(inner, outer, outer_shape, inner_shape)", cut to `size` bytes. Returns `text`. */
TMAP_API char *tmap_function_signature(int i, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
