/* language: evaluates a whole expression and returns its result. */
#include <string.h>

#include "language/call.h"
#include "language/parse.h"
#include "tmap/hw.h"
#include "tmap/unstable/cute.h"

#define MEMORY_MAX         ((size_t)96 << 20)
#define ENCODING_SHOWN_MAX 120
#define CUTE_SHOWN_MAX     180 /* bytes of an expression in a fix */

struct tmap_result {
    tmap_allocator own_allocator;
    tmap_eval eval;
    tmap_diag ignored;
    tmap_value value, data;
};

static tmap_result *begin_result(const tmap_layout_names *names, const tmap_allocator *allocator) {
    tmap_arena arena = {.allocator = allocator};
    tmap_result *result = tmap_arena_take(&arena, sizeof *result);
    if (!result) return NULL;
    result->eval.arena = arena;
    if (allocator) {
        result->own_allocator = *allocator;
        result->eval.arena.allocator = &result->own_allocator;
    }
    result->eval.names = names;
    result->eval.memory_left = MEMORY_MAX;
    result->eval.error = &result->ignored;
    result->eval.read = tmap_parse_text;
    return result;
}

static tmap_status finish(tmap_result *made, bool ok, tmap_result **result) {
    made->eval.error = &made->ignored;
    made->eval.names = NULL;
    if (ok) {
        *result = made;
        return TMAP_OK;
    }
    tmap_status status = made->eval.no_memory ? TMAP_NO_MEMORY : TMAP_REFUSED;
    tmap_result_free(made);
    return status;
}

/* Offers the function that reads a layout of the DSL for shared memory. Its swizzle, which is printed as one of
 * elements, is meant for byte addresses. Returns false for other texts. */
static bool offer_pointer(tmap_diag *error, const char *text, size_t size) {
    static const char between[] = "> o 0 o ";
    char copy[CUTE_SHOWN_MAX + 1];
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *end = strncmp(copy, "S<", 2) == 0 ? strstr(copy, between) : NULL;
    if (!end) return false;
    *end = '\0';
    tmap_say_fix(error, "cute(\"Sw%s> o smem_ptr[16b](unset) o %s\"), with the bits of an element", copy + 1,
                 end + strlen(between));
    return true;
}

/* Offers cute(…) for a text that is a layout as CuTe prints it. as_layout: a layout of tmap is required. Returns false
 * for other texts. */
static bool offer_cute(tmap_diag *error, const char *text, size_t size, bool as_layout) {
    tmap_cute layout;
    tmap_diag ignored;
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ')) size--;
    for (; size > 0 && *text == ' '; size--) text++;
    if (size > CUTE_SHOWN_MAX || memchr(text, '"', size) || memchr(text, '\n', size)) return false;
    if (tmap_cute_parse(text, size, &layout, &ignored) != TMAP_OK) return false;
    if (as_layout || !offer_pointer(error, text, size))
        tmap_say_fix(error, as_layout ? "as_layout(cute(\"%.*s\"))" : "cute(\"%.*s\")", (int)size, text);
    return true;
}

/* Offers cute(…) for the argument of a call in which the error is, if the argument has a swizzle as CuTe prints it. */
static bool offer_cute_argument(tmap_diag *error, const char *text, size_t size) {
    size_t begin = 0, at = error->at;
    int depth = 0;
    for (size_t i = 0; i < size; i++) {
        depth += text[i] != '\0' && strchr("([{<", text[i]) != NULL;
        depth -= text[i] != '\0' && strchr(")]}>", text[i]) != NULL;
        if (text[i] == '(' && depth == 1) begin = i + 1;
        if (!(text[i] == ',' && depth == 1) && !(text[i] == ')' && depth == 0)) continue;
        if (at >= begin && at < i)
            return memchr(text + begin, '<', i - begin) && offer_cute(error, text + begin, i - begin, false);
        begin = i + 1;
    }
    return false;
}

/* A layout as a C++ type, for example from a compiler's message. */
static void offer_print(tmap_diag *error, const char *text, size_t size) {
    static const char type[] = "Layout<";
    const size_t length = sizeof type - 1;
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(text + i, type, length) == 0) {
            tmap_say_fix(error,
                         "the text that print(layout) writes, as cute(\"(8,64):(64,1)\"), in place of a C++ type");
            return;
        }
}

tmap_status tmap_evaluate_within(const char *text, size_t size, const tmap_layout_names *names,
                                 const tmap_allocator *allocator, uint64_t *steps, tmap_result **result,
                                 tmap_diag *error) {
    tmap_result *made = begin_result(names, allocator);
    if (!made) return TMAP_NO_MEMORY;
    if (error) made->eval.error = error;
    made->eval.steps_left = *steps;
    *made->eval.error = tmap_refusal_of(NULL);
    bool ok = size <= TMAP_TEXT_MAX;
    if (!ok)
        (void)tmap_refuse_with(made->eval.error, -1, "a shorter expression, or parts of it as names in a spec",
                               "an expression of more than %zu bytes", TMAP_TEXT_MAX);
    ok = ok && tmap_parse_text(&made->eval, text, size, &made->value);
    if (ok && made->value.kind == TMAP_VALUE_WORD) {
        ok = tmap_call_refuse_word(&made->eval, &made->value);
    }
    if (!ok && !made->eval.no_memory && !offer_cute(made->eval.error, text, size, false) &&
        !offer_cute_argument(made->eval.error, text, size))
        offer_print(made->eval.error, text, size);
    *steps = made->eval.steps_left;
    return finish(made, ok, result);
}

tmap_status tmap_evaluate(const char *text, size_t size, const tmap_layout_names *names,
                          const tmap_allocator *allocator, tmap_result **result, tmap_diag *error) {
    uint64_t steps = TMAP_STEPS_MAX;
    return tmap_evaluate_within(text, size, names, allocator, &steps, result, error);
}

const tmap_value *tmap_result_value(const tmap_result *result) {
    return &result->value;
}

const tmap_value *tmap_result_data(tmap_result *result) {
    return tmap_value_data(&result->eval, &result->value, &result->data) ? &result->data : NULL;
}

void tmap_result_free(tmap_result *result) {
    if (!result) return;
    tmap_arena arena = result->eval.arena; /* the arena holds the result and the copy of its allocator */
    tmap_allocator own = result->own_allocator;
    if (arena.allocator) arena.allocator = &own;
    tmap_arena_free(&arena);
}

/* Offers the function that converts the value to a layout. */
static void offer_as_layout(tmap_diag *error, const tmap_value *value, const char *text, size_t size) {
    bool brief = size <= CUTE_SHOWN_MAX && !memchr(text, '\n', size) && !memchr(text, ';', size);
    if (value->kind == TMAP_VALUE_ENCODING)
        tmap_say_fix(error, "as_layout(!ttg.memdesc<128x64xf16, %.*s, #smem>), with the shape of the tile",
                     size <= ENCODING_SHOWN_MAX ? (int)size : 8, size <= ENCODING_SHOWN_MAX ? text : "ENCODING");
    else if (value->kind == TMAP_VALUE_PAIR || value->kind == TMAP_VALUE_LIST)
        (void)offer_cute(error, text, size, true);
    else if (value->kind == TMAP_VALUE_CUTE || value->kind == TMAP_VALUE_LINEAR || value->kind == TMAP_VALUE_REGISTER)
        tmap_say_fix(error, "as_layout(%.*s)", brief ? (int)size : 1, brief ? text : "L");
}

tmap_status tmap_layout_parse(const char *text, size_t size, tmap_layout *layout, tmap_diag *error) {
    tmap_result *result;
    tmap_status status = tmap_evaluate(text, size, NULL, NULL, &result, error);
    if (status == TMAP_REFUSED) offer_cute(error, text, size, true);
    if (status != TMAP_OK) return status;
    const tmap_value *value = &result->value;
    if (value->kind != TMAP_VALUE_LAYOUT) {
        status =
            tmap_refuse_operand(error, -1, "the value is of kind %s, not layout", tmap_value_kind_name(value->kind));
        offer_as_layout(error, value, text, size);
        (void)tmap_refuse_place(error, value->at, value->length);
    } else if (result->eval.axes) {
        status = tmap_refuse_operand(error, -1, "axis %s is not in the table of axes", result->eval.axes->axis.name);
    } else {
        *layout = *value->as.layout;
    }
    tmap_result_free(result);
    return status;
}
