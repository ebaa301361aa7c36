/* language: finds the function for a name and its arguments. */
#include "language/call.h"
#include "language/originals.h"
#include "text/nearest.h"

#include <stdio.h>
#include <string.h>

/* The steps of a call; some functions spend more. */
#define CALL_STEPS 1024

bool tmap_arguments_add(tmap_eval *eval, tmap_arguments *arguments, const tmap_value *value, const char *name) {
    if (arguments->n == arguments->capacity) {
        size_t capacity = arguments->capacity ? arguments->capacity * 2 : 8;
        tmap_argument *items = tmap_eval_take(eval, capacity, sizeof *items);
        if (!items) return false;
        if (arguments->n) memcpy(items, arguments->items, arguments->n * sizeof *items);
        arguments->items = items;
        arguments->capacity = capacity;
    }
    arguments->items[arguments->n++] = (tmap_argument){*value, name};
    return true;
}

/* ---- Matching --------------------------------------------------------------------------------------------------- */

typedef enum mismatch_kind {
    MISMATCH_NONE,
    MISMATCH_KIND,
    MISMATCH_MISSING,
    MISMATCH_SURPLUS,
    MISMATCH_NAME
} mismatch_kind;

/* The reason why a row does not accept the arguments, and the number of arguments that matched. */
typedef struct mismatch {
    mismatch_kind kind;
    const tmap_function *function;
    size_t argument, param;
} mismatch;

static size_t params_of(const tmap_function *function) {
    size_t n = 0;
    while (function->params[n].name) n++;
    return n;
}

static size_t find_param(const tmap_function *function, size_t n, const char *name) {
    size_t i = 0, of = 0;
    while (i < n && strcmp(function->params[i].name, name) != 0) i++;
    if (i < n) return i;
    while (of < n && !tmap_is_original_argument(name, function->params[of].name)) of++;
    return of;
}

static bool accepts(const tmap_param *param, const tmap_value *value) {
    return (tmap_param_takes(param) >> value->kind & 1) != 0;
}

/* Argument `first` and, if it has no name, the arguments without a name after it, as a list. */
static const tmap_value *gather(tmap_eval *eval, const tmap_arguments *arguments, size_t first) {
    size_t end = first + 1;
    while (!arguments->items[first].name && end < arguments->n && !arguments->items[end].name) end++;
    tmap_value *list = tmap_eval_take(eval, 1, sizeof *list);
    tmap_value *items = list ? tmap_give_list(eval, list, end - first) : NULL;
    if (!items) return NULL;
    for (size_t i = first; i < end; i++) items[i - first] = arguments->items[i].value;
    list->at = items[0].at;
    list->length = items[end - first - 1].at + items[end - first - 1].length - list->at;
    return list;
}

/* The number of the parameter that accepts all following arguments; `n`: the function has none. */
static size_t rest_of(const tmap_function *function, size_t n) {
    size_t i = 0;
    while (i < n && !function->params[i].rest) i++;
    return i;
}

/* Sets call->args, which are NULL before. */
static bool match(const tmap_function *function, const tmap_arguments *arguments, tmap_call *call, mismatch *why) {
    size_t n = params_of(function), rest = rest_of(function, n);
    *why = (mismatch){.function = function};
    for (size_t i = 0; i < arguments->n; i++) {
        const tmap_argument *argument = &arguments->items[i];
        size_t slot = argument->name ? find_param(function, n, argument->name) : i < rest ? i : rest;
        why->argument = i, why->param = slot;
        why->kind = argument->name ? MISMATCH_NAME : MISMATCH_SURPLUS;
        bool again = slot < n && call->args[slot] && (argument->name || !function->params[slot].rest);
        if (slot == n || again) return false;
        const tmap_param *param = &function->params[slot];
        why->kind = MISMATCH_KIND;
        if (!accepts(param, &argument->value)) return false;
        if (!param->rest || !call->args[slot]) call->args[slot] = &argument->value;
    }
    for (size_t slot = 0; slot < n; slot++) {
        why->kind = MISMATCH_MISSING, why->argument = arguments->n, why->param = slot;
        if (!call->args[slot] && !function->params[slot].optional) return false;
    }
    why->kind = MISMATCH_NONE;
    return true;
}

#define LAYOUTS (TMAP_KIND(LAYOUT) | TMAP_KIND(REGISTER) | TMAP_KIND(SHARED) | TMAP_KIND(CUTE))

/* Messages name the kind layout "S/R/O layout", because values of other kinds are layouts, too. */
static const char *kind_shown(tmap_value_kind kind) {
    return kind == TMAP_VALUE_LAYOUT ? "S/R/O layout" : tmap_value_kind_name(kind);
}

/* Writes a set of kinds as "none, integer or list". */
static void kinds_shown(uint32_t kinds, char *text, size_t size) {
    text[0] = '\0';
    for (int kind = 0; kinds >> kind; kind++) {
        const char *before = text[0] == '\0' ? "" : kinds >> kind == 1 ? " or " : ", ";
        if (kinds >> kind & 1) tmap_append(text, size, "%s%s", before, kind_shown((tmap_value_kind)kind));
    }
}

static void refuse_kind(tmap_eval *eval, const char *name, const mismatch *why, const tmap_value *value, bool unary) {
    const tmap_param *param = &why->function->params[why->param];
    char kinds[128];
    uint32_t takes = tmap_param_takes(param);
    kinds_shown(unary ? takes & ~TMAP_KIND(LAYOUT) : takes, kinds, sizeof kinds);
    if (value->kind == TMAP_VALUE_WORD && (takes & LAYOUTS))
        tmap_refuse_operand(eval->error, -1, "no layout is named %s", value->as.text);
    else
        tmap_refuse_operand(eval->error, -1, "%s: %s is of kind %s, not %s", name, unary ? "the operand" : param->name,
                            kind_shown(value->kind), kinds);
    eval->error->at = value->at, eval->error->length = value->length;
}

/* Whether the name is a word, not an operator such as "+" or "o". */
static bool is_word(const char *name) {
    return name[0] >= 'A' && name[1] != '\0';
}

/* Makes the signature the fix: "swizzle o layout", or "tile(inner, outer, outer_shape, inner_shape)". */
static void fix_by_signature(tmap_eval *eval, const tmap_function *function) {
    char signature[160];
    const tmap_param *params = function->params;
    if (!is_word(function->info.name) && params[1].name)
        tmap_say_fix(eval->error, "%s %s %s", params[0].name, function->info.name, params[1].name);
    if (is_word(function->info.name))
        tmap_say_fix(eval->error, "%s", tmap_function_write(function, signature, sizeof signature));
    if (strcmp(function->info.name, "cute") == 0)
        tmap_say_fix(eval->error, "cute(shape:stride), as in cute((8,4):(4,1))");
}

/* A fix for a word that is not a name of a value. */
static void fix_word(tmap_eval *eval, const char *name) {
    tmap_say_fix(eval->error,
                 eval->names ? "a name of the spec, or a definition %.32s = EXPRESSION; before the expression"
                             : "define the name before the expression: %.32s = EXPRESSION;",
                 name);
    if (!tmap_eval_can_define(name))
        tmap_say_fix(eval->error, "a layout S[extents:strides], a number, a name or a call of a function");
    if (tmap_eval_is_reserved(name)) tmap_say_fix(eval->error, "an argument of a function, as in swizzle(f16, 128B)");
    if (tmap_axis_find(name)) tmap_say_fix(eval->error, "use the axis in a layout: S[8:1@%s]", name);
    if (strcmp(name, "S") == 0 || strcmp(name, "R") == 0)
        tmap_say_fix(eval->error, "%s[extents:strides], as in %s[(8,4):(4,1)]", name, name);
    for (const tmap_function *function = NULL; (function = tmap_function_next(name, function)) != NULL;)
        fix_by_signature(eval, function);
}

/* A shape and a stride of CuTe in the place of a layout. */
static void fix_pair(tmap_eval *eval, uint32_t wanted, const tmap_value *pair) {
    const char *before = "as_shared(as_layout(", *after = "), shape)";
    const tmap_value *number = &pair->as.list.items[1], *access = &pair->as.list.items[0];
    if (number->kind == TMAP_VALUE_WORD || access->kind == TMAP_VALUE_WORD) { /* no shape, no stride: "ldmatrix:0" */
        if (access->kind == TMAP_VALUE_WORD && tmap_pattern_find(access->as.text) >= 0)
            tmap_say_fix(eval->error, "%s", access->as.text);
        return;
    }
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (wanted & TMAP_KIND(REGISTER)) before = "as_register(", after = ", shape)";
    if (wanted & TMAP_KIND(LAYOUT)) before = "as_layout(", after = ")";
    if (wanted & TMAP_KIND(CUTE)) before = after = "";
    tmap_value_print(&sink, pair);
    tmap_say_fix(eval->error, "%scute(%s)%s", before, text.size <= 100 && text.data ? text.data : "…", after);
    tmap_text_free(&text);
}

/* A fix for an argument of the wrong kind, after that of the signature. */
static void fix_kind(tmap_eval *eval, const char *name, uint32_t wanted, const tmap_value *value, bool unary) {
    static const struct {
        uint32_t given, wanted;
        const char *fix;
    } rows[] = {
        {TMAP_KIND(REGISTER) | TMAP_KIND(SHARED) | TMAP_KIND(CUTE) | TMAP_KIND(LINEAR), TMAP_KIND(LAYOUT),
         "as_layout(…) of this layout, which returns S/R/O"},
        {TMAP_KIND(LAYOUT) | TMAP_KIND(CUTE), TMAP_KIND(REGISTER), "as_register(…, shape) of this layout"},
        {TMAP_KIND(LAYOUT), TMAP_KIND(SHARED), "as_shared(…, shape) of this layout"},
        {TMAP_KIND(LAYOUT), TMAP_KIND(CUTE), "as_cute(…, shape) of this layout"},
        {TMAP_KIND(ENCODING), LAYOUTS | TMAP_KIND(LINEAR),
         "tensor<64x64xf16, …> or !ttg.memdesc<64x64xf16, …> of this encoding"},
        {TMAP_KIND(REGISTER), TMAP_KIND(MULTI), "spatial_function(…) or local_function(…) of this layout"},
    };
    char kinds[128];
    kinds_shown(wanted, kinds, sizeof kinds);
    if (strchr("+-*/%", name[0])) tmap_say_fix(eval->error, "a value of kind %s", kinds);
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
        if ((rows[i].given >> value->kind & 1) && (rows[i].wanted & wanted))
            tmap_say_fix(eval->error, "%s", rows[i].fix);
    if (value->kind == TMAP_VALUE_PAIR && (wanted & LAYOUTS) && !(wanted & TMAP_KIND(INT)))
        fix_pair(eval, wanted, value);
    if (value->kind == TMAP_VALUE_LAYOUT && strcmp(name, "as_layout") == 0)
        tmap_say_fix(eval->error, "this layout, without as_layout");
    if (value->kind == TMAP_VALUE_WORD && (wanted & LAYOUTS)) fix_word(eval, value->as.text);
    if (value->kind == TMAP_VALUE_TEXT && value->as.text[0] == '#' && strchr(value->as.text, '<') &&
        (wanted & TMAP_KIND(ENCODING)))
        tmap_say_fix(eval->error, "the encoding without quotes");
    if (unary)
        tmap_say_fix(eval->error, "a number or a term: -3 or -2@laneid; for a layout, negative strides: S[8:-1] + 7");
}

/* A name without a value in the place of a number. */
static bool is_unset(const tmap_param *param, const tmap_value *value) {
    uint32_t names = TMAP_KIND(LAYOUT) | TMAP_KIND(WORD), takes = tmap_param_takes(param);
    return value->kind == TMAP_VALUE_WORD && (takes & TMAP_KIND(INT)) && !(takes & names);
}

/* Refuses encodings without a shape, of which the second is taken for another argument. Returns false for other causes.
 */
static bool refuse_encodings(tmap_eval *eval, const char *name, const mismatch *why, const tmap_arguments *arguments) {
    const tmap_value *first = NULL, *wrong = &arguments->items[why->argument].value;
    bool layout = wrong->kind == TMAP_VALUE_ENCODING || wrong->kind == TMAP_VALUE_LINEAR;
    size_t n = 0;
    for (size_t i = arguments->n; i-- > 0;) {
        if (arguments->items[i].value.kind != TMAP_VALUE_ENCODING) continue;
        first = &arguments->items[i].value;
        n++;
    }
    if (!first || !layout || !(tmap_param_takes(&why->function->params[why->param]) & TMAP_KIND(WORD))) return false;
    tmap_refuse_with(eval->error, -1,
                     n > 1
                         ? "linear(ENCODING, (64, 64)) of each, or !ttg.memdesc<64x64xf16, …> and tensor<64x64xf16, …>"
                         : "linear(ENCODING, (64, 64)), tensor<64x64xf16, …> or !ttg.memdesc<64x64xf16, …>",
                     "%s: %s of Triton %s only with the shape of a tensor", name,
                     n > 1 ? "both encodings" : "an encoding", n > 1 ? "are layouts" : "is a layout");
    (void)tmap_refuse_place(eval->error, first->at, first->length);
    return true;
}

static bool refuse_match(tmap_eval *eval, const char *name, const mismatch *why, const tmap_arguments *arguments,
                         size_t at, size_t length) {
    const tmap_value *value = why->argument < arguments->n ? &arguments->items[why->argument].value : NULL;
    bool unary = !is_word(name) && arguments->n == 1;
    if (why->kind == MISMATCH_KIND && is_unset(&why->function->params[why->param], value))
        return tmap_eval_refuse_unset(eval, value);
    if (why->kind == MISMATCH_KIND && refuse_encodings(eval, name, why, arguments)) return false;
    if (why->kind == MISMATCH_KIND)
        refuse_kind(eval, name, why, value, unary);
    else if (why->kind == MISMATCH_MISSING)
        tmap_refuse_operand(eval->error, -1, "%s: %s is missing", name, why->function->params[why->param].name);
    else if (why->kind == MISMATCH_NAME)
        tmap_refuse_operand(eval->error, -1, "%s has no argument named %s", name, arguments->items[why->argument].name);
    else
        tmap_refuse_operand(eval->error, -1, "%s does not accept %zu argument%s", name, arguments->n,
                            TMAP_PLURAL(arguments->n));
    eval->error->at = value ? value->at : at, eval->error->length = value ? value->length : length;
    fix_by_signature(eval, why->function);
    if (why->kind == MISMATCH_KIND)
        fix_kind(eval, name, tmap_param_takes(&why->function->params[why->param]), value, unary);
    return false;
}

bool tmap_call_refuse_word(tmap_eval *eval, const tmap_value *word) {
    const char *name = word->as.text;
    const tmap_layout_names *names = eval->names;
    const char *why = names && names->why_not ? names->why_not(names->context, name) : NULL;
    if (why)
        return tmap_refuse_at(eval->error, word->at, word->length, "a name of a layout", "%s has no layout: %s", name,
                              why);
    if (tmap_function_next(name, NULL))
        tmap_refuse_operand(eval->error, -1, "%s is the name of a function", name);
    else if (tmap_eval_is_reserved(name) || tmap_axis_find(name))
        tmap_refuse_operand(eval->error, -1, "%s is the name of an axis, a type or a swizzle", name);
    else
        tmap_refuse_operand(eval->error, -1, "the name %s is not defined", name);
    fix_word(eval, name);
    return tmap_refuse_place(eval->error, word->at, word->length);
}

const char *tmap_call_nearest(const char *name) {
    const char *names[512];
    size_t n = 0;
    for (int i = 0; n < sizeof names / sizeof names[0] && tmap_function_get(i); i++)
        if ((name[0] >= 'A') == (tmap_function_get(i)->name[0] >= 'A')) names[n++] = tmap_function_get(i)->name;
    return tmap_nearest(name, names, n);
}

bool tmap_call_require_known(tmap_eval *eval, const char *name, size_t at) {
    if (tmap_function_next(name, NULL)) return true;
    const char *near = tmap_call_nearest(name);
    bool brackets = strcmp(name, "S") == 0 || strcmp(name, "R") == 0;
    tmap_refuse_operand(eval->error, -1, "function %s does not exist", name);
    const char *ours = tmap_original_word(name);
    tmap_say_fix(eval->error, "%s", ours ? ours : near ? near : "a function of `tmap layout --functions`");
    if (brackets) fix_word(eval, name);
    return tmap_refuse_place(eval->error, at, strlen(name));
}

/* Puts the function's name in front of a refusal, in place of an operation's name. Without another fix, the signature
 * is the fix. */
static void complete_refusal(const tmap_call *call) {
    tmap_diag *error = call->eval->error;
    const tmap_diag inner = *error;
    const char *name = call->function->info.name;
    if (is_word(name)) {
        TMAP_SAY(error->message, "%s: %s", name, inner.message + inner.name_n);
        error->name_n = (uint8_t)(strlen(name) + 2);
    }
    if (!tmap_fix_is_given(&error->fix)) fix_by_signature(call->eval, call->function);
}

/* Makes a list of the argument for a parameter that accepts all following arguments. */
static bool gather_rest(tmap_call *call, const tmap_arguments *arguments) {
    size_t n = params_of(call->function), rest = rest_of(call->function, n), first = 0;
    if (rest == n || !call->args[rest]) return true;
    while (&arguments->items[first].value != call->args[rest]) first++;
    if (arguments->items[first].name && call->args[rest]->kind == TMAP_VALUE_LIST) return true;
    return (call->args[rest] = gather(call->eval, arguments, first)) != NULL;
}

static bool carry_out(tmap_call *call, const tmap_arguments *arguments, tmap_value *result) {
    if (!gather_rest(call, arguments) || !tmap_eval_spend(call->eval, CALL_STEPS)) return false;
    if (!tmap_call_read(call) || !call->function->call(call, result)) {
        complete_refusal(call);
        return false;
    }
    result->at = call->at, result->length = call->length;
    return true;
}

/* Whether a mismatch is more specific than another: a name without a value before too many arguments, then a later
 * argument before an earlier one, then a kind before a name. */
static bool says_more(const mismatch *why, const mismatch *than, const tmap_arguments *arguments) {
    bool unset[2];
    const mismatch *both[2] = {why, than};
    for (int i = 0; i < 2; i++)
        unset[i] = both[i]->kind == MISMATCH_KIND &&
                   is_unset(&both[i]->function->params[both[i]->param], &arguments->items[both[i]->argument].value);
    if (than->kind == MISMATCH_SURPLUS && unset[0]) return true;
    if (why->kind == MISMATCH_SURPLUS && unset[1]) return false;
    if (why->argument != than->argument) return why->argument > than->argument;
    return why->kind == MISMATCH_KIND && than->kind == MISMATCH_NAME;
}

bool tmap_call_by_name(tmap_eval *eval, const char *name, const tmap_arguments *arguments, size_t at, size_t length,
                       tmap_value *result) {
    tmap_read_value read[TMAP_PARAMS_MAX];
    mismatch best = {0};
    bool any = false;
    for (const tmap_function *function = NULL; (function = tmap_function_next(name, function)) != NULL;) {
        tmap_call call = {.eval = eval, .function = function, .read = read, .at = at, .length = length};
        mismatch why;
        if (match(function, arguments, &call, &why)) return carry_out(&call, arguments, result);
        if (!any || says_more(&why, &best, arguments)) best = why;
        any = true;
    }
    return any ? refuse_match(eval, name, &best, arguments, at, length) : tmap_call_require_known(eval, name, at);
}
