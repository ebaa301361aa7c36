/* language: the table of functions, each with its call. */
#include "language/functions.h"

#include <string.h>

#include "base/rows.h"
#include "tmap/unstable/banks.h"

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* For each result of a signature: calls the C function, and gives its result as a value. */
#define GIVE_OBJECT(kind, type, function, ...)                                                                         \
    type made;                                                                                                         \
    return GIVE_MADE(call, function(__VA_ARGS__, &made, call->eval->error), kind, &made, result);
#define GIVE_REGISTER(...) GIVE_OBJECT(REGISTER, tmap_register_layout, __VA_ARGS__)
#define GIVE_SHARED(...)   GIVE_OBJECT(SHARED, tmap_shared_layout, __VA_ARGS__)
#define GIVE_MULTI(...)    GIVE_OBJECT(MULTI, tmap_multi_function, __VA_ARGS__)
#define GIVE_CUTE(...)     GIVE_OBJECT(CUTE, tmap_cute, __VA_ARGS__)
#define GIVE_LAYOUT(function, ...)                                                                                     \
    tmap_layout made;                                                                                                  \
    return tmap_call_succeeded(call, function(__VA_ARGS__, &made, call->eval->error)) &&                               \
           tmap_give_layout(call->eval, result, &made);
#define GIVE_SHAPED(function, ...)                                                                                     \
    tmap_layout made;                                                                                                  \
    if (!tmap_call_succeeded(call, function(__VA_ARGS__, &made, call->eval->error))) return false;                     \
    if (!tmap_give_layout(call->eval, result, &made)) return false;                                                    \
    return result->shaped = true;
#define SEARCH_STEPS ((uint64_t)1 << 14)
#define GIVE_LAYOUT_OR_NONE(function, ...)                                                                             \
    tmap_layout made;                                                                                                  \
    bool found;                                                                                                        \
    if (!tmap_eval_spend(call->eval, SEARCH_STEPS)) return false;                                                      \
    if (!tmap_call_succeeded(call, function(__VA_ARGS__, &made, &found, call->eval->error))) return false;             \
    return found ? tmap_give_layout(call->eval, result, &made) : tmap_give_none(result);
#define GIVE_FORM(function, ...)                                                                                       \
    tmap_layout made;                                                                                                  \
    function(__VA_ARGS__, &made);                                                                                      \
    return tmap_give_layout(call->eval, result, &made);
#define GIVE_SWIZZLE(function, ...)                                                                                    \
    tmap_xor made;                                                                                                     \
    return tmap_call_succeeded(call, function(__VA_ARGS__, &made, call->eval->error)) &&                               \
           tmap_give_swizzle(result, made);
#define GIVE_INT(function, ...)  return tmap_give_int(result, (int64_t)function(__VA_ARGS__));
#define GIVE_SMALL(...)          GIVE_INT(__VA_ARGS__)
#define GIVE_COUNT(...)          GIVE_INT(__VA_ARGS__)
#define GIVE_BOOL(function, ...) return tmap_give_bool(result, function(__VA_ARGS__));
#define GIVE_TEXT(function, ...)                                                                                       \
    tmap_text text;                                                                                                    \
    tmap_sink sink = tmap_give_begin(call->eval, &text);                                                               \
    function(&sink, __VA_ARGS__);                                                                                      \
    return tmap_give_end(call->eval, &text, &sink, result);
#define GIVE_VALUE(function, ...) return function(call, __VA_ARGS__, result);
#define GIVE_CALL(function, ...)  return function(call, result);

/* The name of the call of a row. */
#define CALL_NAME           CALL_IN_LINE(__LINE__)
#define CALL_IN_LINE(line)  CALL_IN_LINE_(line)
#define CALL_IN_LINE_(line) call_of_row_##line

#define FUNCTION(name, result_, function, about, ...)                                                                  \
    static bool CALL_NAME(tmap_call *call, tmap_value *result) {                                                       \
        GIVE_##result_(function, EACH(PASS_OF, __VA_ARGS__))                                                           \
    }
#include "language/functions.def"
#undef FUNCTION

/* ---- The table -------------------------------------------------------------------------------------------------- */

#define OPTIONAL           .optional = true
#define OTHERWISE(value)   .optional = true, .otherwise = (value)
#define REST               .optional = true, .rest = true
#define RANGE(low_, high_) .low = (low_), .high = (high_)
#define TAKES(kinds)       .takes = (kinds)

#define KIND(id) TMAP_KIND(id)
#define INTS     TMAP_TAKES_INTS
#define NAMES    TMAP_TAKES_NAME
#define BOXES    (KIND(PAIR) | INTS)
#define SUM      (KIND(LAYOUT) | KIND(TERM) | KIND(INT))
#define PLACE    (SUM | KIND(LIST))
#define ANY      (~(uint32_t)0)

#define PARAM(kind_, ...)                                                                                              \
    { .kind = TMAP_PARAMETER_##kind_, .name = __VA_ARGS__ }
#define PARAM_OF(i, parameter) PARAM parameter

static const tmap_function functions[] = {
#define FUNCTION(name_, result, function, about, ...)                                                                  \
    {{name_, about}, CALL_NAME, (const tmap_param[]){EACH(PARAM_OF, __VA_ARGS__), {.name = NULL}}},
#include "language/functions.def"
#undef FUNCTION
};

static TMAP_ROW_GETTER(tmap_function, row, functions)

    const tmap_function_info *tmap_function_get(int i) {
    const tmap_function *function = row(i);
    return function ? &function->info : NULL;
}

const tmap_function *tmap_function_next(const char *name, const tmap_function *after) {
    const tmap_function *end = functions + sizeof functions / sizeof *functions;
    for (const tmap_function *function = after ? after + 1 : functions; function < end; function++)
        if (function->info.name[0] == name[0] && strcmp(function->info.name, name) == 0) return function;
    return NULL;
}

char *tmap_function_write(const tmap_function *function, char *text, size_t size) {
    if (size == 0) return text;
    text[0] = '\0';
    tmap_append(text, size, "%s(", function->info.name);
    for (const tmap_param *param = function->params; param->name; param++)
        tmap_append(text, size, "%s%s%s%s", param > function->params ? ", " : "", param->name, param->rest ? "..." : "",
                    param->optional ? "?" : "");
    tmap_append(text, size, ")");
    return text;
}

char *tmap_function_signature(int i, char *text, size_t size) {
    const tmap_function *function = row(i);
    if (!function && size > 0) text[0] = '\0';
    return function ? tmap_function_write(function, text, size) : text;
}
