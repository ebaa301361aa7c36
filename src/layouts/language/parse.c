/*
 * language: reads and evaluates expressions in one pass. The parser builds no tree: it computes a value as soon as it
 * has read the value's last character.
 *
 *   program  = { WORD "=" compare ";" | "#" WORD "=" encoding } [ compare [ ";" ] ]
 *   compare  = compose [ ("==" | "!=") compose ]
 *   compose  = sum [ "o" compose ]
 *   sum      = term { ("+" | "-") term }
 *   term     = product [ "@" axis ]
 *   product  = unary { ("*" | "/" | "%") unary }
 *   unary    = "-" unary | postfix
 *   postfix  = primary { "." WORD [ "(" items ")" ] | "[" compare "]" }
 *   primary  = INT | TEXT | WORD | WORD "(" items ")" | ("S" | "R") "[" items "]" | "Swizzle" "<" INT "," … ">"
 *            | "@" axis | "(" items ")" | "[" items "]" | "{" items "}" | "T" "." primary
 *            | encoding of Triton, its alias, a type with one, or the bases of a LinearLayout
 *   items    = { [ WORD "=" ] compare [ ":" compare ] "," }
 *   axis     = WORD [ "." WORD ]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "language/call.h"
#include "language/lex.h"
#include "language/originals.h"
#include "language/parse.h"
#include "language/triton.h"

#define DEPTH_MAX 24
/* Limits the nesting of values to the nesting that a JSON writer supports. */
#define VALUE_DEPTH_MAX 20

typedef struct parser {
    tmap_lexer lexer;
    tmap_eval *eval;
} parser;

static bool parse_compare(parser *p, tmap_value *out);

/* ---- Small steps ------------------------------------------------------------------------------------------------ */

static bool next(parser *p) {
    return tmap_lex_next(&p->lexer, p->eval->error);
}

static bool at_sign(const parser *p, const char *sign) {
    return tmap_lex_is(&p->lexer, sign);
}

static bool refuse_token(parser *p, const char *words) {
    return tmap_lex_refuse(&p->lexer, TMAP_EXPECTED_WORDS, words, p->eval->error);
}

static bool refuse_expected(parser *p, tmap_expected expected) {
    return tmap_lex_refuse(&p->lexer, expected, NULL, p->eval->error);
}

static bool enter(parser *p) {
    if (++p->eval->depth <= DEPTH_MAX) return true;
    return tmap_refuse_at(p->eval->error, p->lexer.token.at, 1, "define a name for an inner part first: NAME = …;",
                          "nested deeper than %d", DEPTH_MAX);
}

static char *take_word(parser *p, size_t at, size_t length) {
    return tmap_eval_copy(p->eval, p->lexer.c.text + at, length);
}

/* The value's place is `at` to the end of the last token. */
static void end_at(tmap_value *value, size_t at, size_t end) {
    value->at = at;
    value->length = end - at;
}

/* Counts the contents of lists recursively: lists can contain the value of one name or variable many times. */
static bool weigh(parser *p, const tmap_value *value, int depth) {
    bool list = value->kind == TMAP_VALUE_LIST || value->kind == TMAP_VALUE_PAIR;
    if (!tmap_eval_spend(p->eval, 1)) return false;
    if (depth > VALUE_DEPTH_MAX) {
        return tmap_refuse_at(p->eval->error, 0, 0, "fewer nested lists", "lists nested deeper than %d",
                              VALUE_DEPTH_MAX);
    }
    for (size_t i = 0; list && i < value->as.list.n; i++)
        if (!weigh(p, &value->as.list.items[i], depth + 1)) return false;
    return true;
}

/* ---- Lists and calls -------------------------------------------------------------------------------------------- */

static bool parse_pair(parser *p, tmap_value *value) {
    tmap_value pair, second;
    if (!next(p) || !parse_compare(p, &second)) return false;
    tmap_value *items = tmap_give_list(p->eval, &pair, 2);
    if (!items) return false;
    items[0] = *value, items[1] = second;
    pair.kind = TMAP_VALUE_PAIR;
    if (!weigh(p, &pair, 1)) return tmap_refuse_place(p->eval->error, value->at, second.at + second.length - value->at);
    end_at(&pair, value->at, second.at + second.length);
    *value = pair;
    return true;
}

static bool parse_item(parser *p, tmap_arguments *items, bool names) {
    tmap_value value;
    const char *name = NULL;
    if (!parse_compare(p, &value)) return false;
    if (at_sign(p, "=") && names && value.kind == TMAP_VALUE_WORD) {
        name = value.as.text;
        if (!next(p) || !parse_compare(p, &value)) return false;
    }
    if (at_sign(p, ":") && !parse_pair(p, &value)) return false;
    return tmap_arguments_add(p->eval, items, &value, name);
}

/* Reads up to and including the closing sign. *comma distinguishes a list of one value from a value in brackets. *end:
 * the place after the sign. */
static bool parse_items(parser *p, const char *close, bool names, tmap_arguments *items, bool *comma, size_t *end) {
    *comma = false;
    if (!enter(p) || !next(p)) return false;
    while (!at_sign(p, close)) {
        char value[] = "a value or '?'", separator[] = "',' or '?'", pair[] = "':', ',' or '}'";
        value[12] = separator[8] = close[0];
        if (p->lexer.token.kind == TMAP_TOKEN_END) return refuse_token(p, value);
        if (!parse_item(p, items, names)) return false;
        if (at_sign(p, ",")) {
            *comma = true;
            if (!next(p)) return false;
        } else if (!at_sign(p, close)) {
            bool key = close[0] == '}' && items->items[items->n - 1].value.kind != TMAP_VALUE_PAIR;
            return refuse_token(p, key ? pair : separator);
        }
    }
    p->eval->depth--;
    *end = p->lexer.token.at + 1;
    return next(p);
}

static bool list_of(parser *p, const tmap_arguments *items, tmap_value *out) {
    tmap_value *values = tmap_give_list(p->eval, out, items->n);
    for (size_t i = 0; values && i < items->n; i++) values[i] = items->items[i].value;
    return values && weigh(p, out, 1);
}

static bool parse_list(parser *p, const char *close, tmap_value *out) {
    tmap_arguments items = {0};
    bool comma;
    size_t at = p->lexer.token.at, end;
    if (!parse_items(p, close, false, &items, &comma, &end)) return false;
    if (close[0] == ')' && items.n == 1 && !comma)
        *out = items.items[0].value;
    else if (!list_of(p, &items, out))
        return tmap_refuse_place(p->eval->error, at, end - at);
    end_at(out, at, end);
    return true;
}

/* `name_at`: the place of the name. `at`: the place of the call, which starts with the name, or in layout.name() with
 * the layout. */
static bool parse_call(parser *p, const char *name, size_t name_at, size_t at, tmap_arguments *arguments,
                       tmap_value *out) {
    bool comma;
    size_t end = 0;
    if (!tmap_call_require_known(p->eval, name, name_at) || !parse_items(p, ")", true, arguments, &comma, &end))
        return false;
    return tmap_call_by_name(p->eval, name, arguments, at, end - at, out);
}

static bool parse_brackets(parser *p, char letter, size_t at, tmap_value *out) {
    tmap_arguments items = {0};
    bool comma;
    size_t end = 0;
    if (!parse_items(p, "]", false, &items, &comma, &end)) return false;
    return tmap_layout_brackets(p->eval, letter, &items, at, end - at, out);
}

/* CuTe's spelling: Swizzle<B,M,S>. */
static bool parse_cute(parser *p, size_t at, tmap_value *out) {
    tmap_arguments numbers = {0};
    for (int i = 0; i < 3; i++) {
        tmap_value number = {.kind = TMAP_VALUE_INT};
        if (!next(p)) return false;
        bool negative = at_sign(p, "-");
        if (negative && !next(p)) return false;
        if (p->lexer.token.kind != TMAP_TOKEN_INT) return refuse_token(p, "an integer");
        number.at = p->lexer.token.at, number.length = p->lexer.token.length;
        number.as.integer = negative ? -p->lexer.token.integer : p->lexer.token.integer;
        if (!tmap_arguments_add(p->eval, &numbers, &number, NULL) || !next(p)) return false;
        if (i < 2 && !at_sign(p, ",")) {
            (void)refuse_token(p, "','");
            tmap_say_fix(p->eval->error, "three numbers: Swizzle<B,M,S>");
            return false;
        }
    }
    size_t end = p->lexer.token.at + 1;
    if (!at_sign(p, ">")) return refuse_token(p, "'>'");
    return next(p) && tmap_call_by_name(p->eval, "Swizzle", &numbers, at, end - at, out);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static bool evaluate_program(parser *p, tmap_value *out);

bool tmap_parse_text(tmap_eval *eval, const char *text, size_t size, tmap_value *out) {
    parser inner = {.lexer = {.c = {.text = text, .size = size}, .variables = &eval->variables}, .eval = eval};
    tmap_variable *variables = eval->variables;
    eval->variables = NULL;
    bool ok = evaluate_program(&inner, out);
    eval->variables = variables;
    return ok;
}

/* Evaluates a named expression. Its refusals refer to the place of the name. */
static bool evaluate_named(parser *p, const char *name, const char *text, size_t size, tmap_value *out) {
    tmap_open_name opened = {.name = name};
    if (size > TMAP_TEXT_MAX || !tmap_eval_spend(p->eval, size + 64) || !tmap_eval_open(p->eval, &opened)) return false;
    bool ok = tmap_parse_text(p->eval, text, size, out);
    p->eval->open = opened.outer;
    if (ok || p->eval->no_memory || p->eval->named) return ok; /* only the innermost name is reported */
    const tmap_diag before = *p->eval->error;
    p->eval->named = true;
    return tmap_refuse_with(p->eval->error, -1, before.fix.words, "in %s: %s", name, before.message) == TMAP_OK;
}

static bool evaluate_word(parser *p, const char *word, tmap_value *out) {
    static const char *const literals[] = {"true", "True", "false", "False", "none", "None"};
    *out = (tmap_value){.kind = TMAP_VALUE_WORD, .as.text = word};
    for (int i = 0; i < 6; i++)
        if (strcmp(word, literals[i]) == 0) return i < 4 ? tmap_give_bool(out, i < 2) : tmap_give_none(out);
    const tmap_variable *variable = tmap_variable_find(p->eval->variables, word, strlen(word));
    size_t size = 0;
    if (variable) *out = variable->value;
    if (variable || tmap_eval_is_reserved(word) || !p->eval->names) return true;
    const char *text = p->eval->names->find(p->eval->names->context, word, &size);
    return !text || evaluate_named(p, word, text, size, out);
}

static bool parse_axis(parser *p, const tmap_axis **axis, size_t *end) {
    size_t at = p->lexer.token.at;
    if (p->lexer.token.kind != TMAP_TOKEN_WORD) return refuse_token(p, "an axis");
    *end = at + p->lexer.token.length;
    if (!next(p)) return false;
    bool tirx = *end - at == 4 && memcmp(p->lexer.c.text + at, "Axis", 4) == 0; /* Axis.thread.x */
    for (int dots = tirx ? 2 : 1; dots > 0 && at_sign(p, "."); dots--) {
        if (!next(p)) return false;
        if (p->lexer.token.kind != TMAP_TOKEN_WORD) return refuse_token(p, "the name of an axis");
        *end = p->lexer.token.at + p->lexer.token.length;
        if (!next(p)) return false;
    }
    char *name = take_word(p, at, *end - at);
    return name && (*axis = tmap_eval_axis(p->eval, name, at, *end - at)) != NULL;
}

static bool parse_word(parser *p, tmap_value *out) {
    tmap_arguments arguments = {0};
    size_t at = p->lexer.token.at, length = p->lexer.token.length;
    char *word = take_word(p, at, length);
    if (!word || !next(p)) return false;
    if (at_sign(p, ".") && strcmp(word, "T") == 0 && !tmap_variable_find(p->eval->variables, word, 1)) {
        if (!next(p)) return false; /* TIRx's T.S[…], T.TileLayout(…) */
        return p->lexer.token.kind == TMAP_TOKEN_WORD ? parse_word(p, out) : refuse_token(p, "S, R or a function");
    }
    if (at_sign(p, "(")) return parse_call(p, word, at, at, &arguments, out);
    if (at_sign(p, "[") && (strcmp(word, "S") == 0 || strcmp(word, "R") == 0))
        return parse_brackets(p, word[0], at, out);
    if (at_sign(p, "<") && strcmp(word, "Swizzle") == 0) return parse_cute(p, at, out);
    *out = (tmap_value){.kind = TMAP_VALUE_WORD, .as.text = word};
    bool ok = at_sign(p, "=") || evaluate_word(p, word, out);
    out->at = at, out->length = length;
    if (!ok) tmap_refuse_place(p->eval->error, at, length);
    return ok;
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

static bool call_operator(parser *p, const char *name, const tmap_value *left, const tmap_value *right,
                          tmap_value *out) {
    tmap_arguments operands = {0};
    const tmap_value *last = right ? right : left;
    if (!tmap_arguments_add(p->eval, &operands, left, NULL)) return false;
    if (right && !tmap_arguments_add(p->eval, &operands, right, NULL)) return false;
    return tmap_call_by_name(p->eval, name, &operands, left->at, last->at + last->length - left->at, out);
}

static bool parse_prefix_axis(parser *p, tmap_value *out) {
    size_t at = p->lexer.token.at, end = 0;
    const tmap_axis *axis = NULL;
    if (!next(p) || !parse_axis(p, &axis, &end)) return false;
    *out = (tmap_value){.kind = TMAP_VALUE_TERM, .as.term = {axis, 1}};
    end_at(out, at, end);
    return true;
}

static bool parse_primary(parser *p, tmap_value *out) {
    const tmap_token token = p->lexer.token;
    *out = (tmap_value){.kind = TMAP_VALUE_INT};
    if (tmap_triton_begins(&p->lexer)) return tmap_triton_take(p->eval, &p->lexer, out);
    if (token.kind == TMAP_TOKEN_WORD) return parse_word(p, out);
    if (at_sign(p, "(")) return parse_list(p, ")", out);
    if (at_sign(p, "[")) return parse_list(p, "]", out);
    if (at_sign(p, "{")) return parse_list(p, "}", out); /* Python's {"m": 3}: a list of pairs */
    if (at_sign(p, "@")) return parse_prefix_axis(p, out);
    if (token.kind == TMAP_TOKEN_INT) {
        tmap_give_int(out, token.integer);
    } else if (token.kind == TMAP_TOKEN_TEXT) {
        const char *text = take_word(p, token.at + 1, token.length - 2);
        if (!text) return false;
        *out = (tmap_value){.kind = TMAP_VALUE_TEXT, .as.text = text};
    } else {
        return refuse_expected(p, TMAP_EXPECTED_VALUE);
    }
    out->at = token.at, out->length = token.length;
    return next(p);
}

static bool refuse_field(parser *p, const tmap_value *value, const char *name, size_t at) {
    const tmap_value *items = value->as.list.items;
    const char *near = tmap_call_nearest(name);
    tmap_refuse_at(p->eval->error, at, strlen(name), "a function of `tmap layout --functions`",
                   "this %s has no field %s", tmap_value_kind_name(value->kind), name);
    if (near) tmap_say_fix(p->eval->error, ".%s(…), a call of the function", near);
    if (value->kind == TMAP_VALUE_LIST && value->as.list.n > 0 && items[0].kind == TMAP_VALUE_STRUCTURE)
        tmap_say_fix(p->eval->error, "[0].%s: an item of the list may have this field", name);
    if (value->kind != TMAP_VALUE_STRUCTURE) return false;
    char fix[120] = "fields of this structure:";
    for (size_t i = 0; i < value->as.structure.n && strlen(fix) < sizeof fix - 24; i++)
        tmap_append(fix, sizeof fix, " %.20s", value->as.structure.fields[i].name);
    tmap_say_fix(p->eval->error, "%s", fix);
    return false;
}

/* The field of a structure, or a call with the value as its first argument. */
static bool parse_member(parser *p, tmap_value *value) {
    tmap_arguments arguments = {0};
    if (!next(p)) return false;
    if (p->lexer.token.kind == TMAP_TOKEN_INT && value->kind == TMAP_VALUE_INT) {
        tmap_refuse_at(p->eval->error, value->at, p->lexer.token.at + p->lexer.token.length - value->at,
                       "an integer: a layout has only integers", "a number with a decimal point");
        return false;
    }
    if (p->lexer.token.kind != TMAP_TOKEN_WORD) return refuse_token(p, "the name of a function");
    size_t at = p->lexer.token.at, length = p->lexer.token.length;
    char *name = take_word(p, at, length);
    if (!name || !next(p)) return false;
    bool foreign = value->kind == TMAP_VALUE_WORD && tmap_is_namespace(value->as.text);
    if (foreign && at_sign(p, "[") && (strcmp(name, "S") == 0 || strcmp(name, "R") == 0))
        return parse_brackets(p, name[0], at, value);
    if (at_sign(p, "(")) {
        tmap_value first = *value;
        return (foreign || tmap_arguments_add(p->eval, &arguments, &first, NULL)) &&
               parse_call(p, name, at, first.at, &arguments, value);
    }
    if (value->kind == TMAP_VALUE_WORD && (name = take_word(p, value->at, at + length - value->at)) != NULL) {
        size_t begin = value->at; /* memory.slot: the name of a user's axis */
        *value = (tmap_value){.kind = TMAP_VALUE_WORD, .as.text = name};
        end_at(value, begin, at + length);
        return true;
    }
    if (!name) return false;
    for (size_t i = 0; value->kind == TMAP_VALUE_STRUCTURE && i < value->as.structure.n; i++) {
        if (strcmp(value->as.structure.fields[i].name, name) != 0) continue;
        size_t begin = value->at;
        *value = value->as.structure.fields[i].value;
        end_at(value, begin, at + length);
        return true;
    }
    return refuse_field(p, value, name, at);
}

static bool parse_index(parser *p, tmap_value *value) {
    tmap_value index;
    size_t begin = value->at;
    if (value->kind == TMAP_VALUE_WORD)
        return tmap_refuse_at(p->eval->error, value->at, value->length,
                              "S[extents:strides], R[extents:strides] or a list", "%s is not S, R or a list",
                              value->as.text);
    if (!enter(p) || !next(p) || !parse_compare(p, &index)) return false;
    size_t end = p->lexer.token.at + 1;
    if (!at_sign(p, "]")) return refuse_token(p, "']'");
    if (!next(p)) return false;
    p->eval->depth--;
    bool list = value->kind == TMAP_VALUE_LIST || value->kind == TMAP_VALUE_PAIR;
    if (!list)
        return tmap_refuse_at(p->eval->error, index.at, index.length, "items of a list, or of a table: places(…)[0]",
                              "a value of kind %s has no items", tmap_value_kind_name(value->kind));
    if (index.kind != TMAP_VALUE_INT)
        return tmap_refuse_at(p->eval->error, index.at, index.length, "an integer, from 0",
                              "an index of kind %s does not select an item", tmap_value_kind_name(index.kind));
    if (index.as.integer < 0 || (uint64_t)index.as.integer >= value->as.list.n) {
        tmap_refuse_at(p->eval->error, index.at, index.length, "a list with items",
                       "item %" PRId64 " does not exist: the list has %zu item%s", index.as.integer, value->as.list.n,
                       TMAP_PLURAL(value->as.list.n));
        if (value->as.list.n > 0) tmap_say_fix(p->eval->error, "items 0 to %zu", value->as.list.n - 1);
        return false;
    }
    *value = value->as.list.items[index.as.integer];
    end_at(value, begin, end);
    return true;
}

static bool parse_postfix(parser *p, tmap_value *out) {
    if (!parse_primary(p, out)) return false;
    for (;;) {
        if (at_sign(p, ".")) {
            if (!parse_member(p, out)) return false;
        } else if (at_sign(p, "[")) {
            if (!parse_index(p, out)) return false;
        } else {
            return true;
        }
    }
}

static bool parse_unary(parser *p, tmap_value *out) {
    if (!at_sign(p, "-") || tmap_triton_begins(&p->lexer)) return parse_postfix(p, out);
    tmap_value value;
    size_t at = p->lexer.token.at;
    if (!enter(p) || !next(p) || !parse_unary(p, &value)) return false;
    p->eval->depth--;
    if (!call_operator(p, "-", &value, NULL, out)) return false;
    end_at(out, at, value.at + value.length);
    return true;
}

/* A chain of operands with one of these signs, each a character, between them: left-associative. */
static bool parse_chain(parser *p, bool (*operand)(parser *p, tmap_value *out), const char *signs, tmap_value *out) {
    if (!operand(p, out)) return false;
    for (const char *sign = signs; *sign != '\0';) {
        const char name[2] = {*sign, '\0'};
        tmap_value left = *out, right;
        sign++;
        if (!at_sign(p, name)) continue;
        if (!next(p) || !operand(p, &right) || !call_operator(p, name, &left, &right, out)) return false;
        sign = signs;
    }
    return true;
}

static bool parse_product(parser *p, tmap_value *out) {
    return parse_chain(p, parse_unary, "*/%", out);
}

static bool parse_term(parser *p, tmap_value *out) {
    if (!parse_product(p, out)) return false;
    if (!at_sign(p, "@")) return true;
    const tmap_axis *axis = NULL;
    size_t end = 0, at = out->at;
    if (out->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(p->eval, out);
    if (out->kind != TMAP_VALUE_INT) {
        return tmap_refuse_at(p->eval->error, out->at, out->length, "n@axis",
                              "the value before '@' is a %s, not an integer", tmap_value_kind_name(out->kind));
    }
    if (!next(p) || !parse_axis(p, &axis, &end)) return false;
    *out = (tmap_value){.kind = TMAP_VALUE_TERM, .as.term = {axis, out->as.integer}};
    end_at(out, at, end);
    return true;
}

static bool parse_sum(parser *p, tmap_value *out) {
    return parse_chain(p, parse_term, "+-", out);
}

/* Right-associative: swizzles precede the layout. */
static bool parse_compose(parser *p, tmap_value *out) {
    if (!parse_sum(p, out)) return false;
    if (!at_sign(p, "o")) return true;
    tmap_value left = *out, right;
    if (!enter(p) || !next(p) || !parse_compose(p, &right)) return false;
    p->eval->depth--;
    return call_operator(p, "o", &left, &right, out);
}

static bool parse_compare(parser *p, tmap_value *out) {
    if (!parse_compose(p, out)) return false;
    if (!at_sign(p, "==") && !at_sign(p, "!=")) return true;
    const char *name = at_sign(p, "==") ? "==" : "!=";
    tmap_value left = *out, right;
    return next(p) && parse_compose(p, &right) && call_operator(p, name, &left, &right, out);
}

/* ---- A whole expression ----------------------------------------------------------------------------------------- */

static bool assign(parser *p, const tmap_value *word) {
    tmap_value value;
    if (tmap_eval_is_reserved(word->as.text))
        return tmap_refuse_at(p->eval->error, word->at, word->length, "another name",
                              "%s is the name of an axis, a type or a swizzle", word->as.text);
    return next(p) && parse_compare(p, &value) && tmap_eval_define(p->eval, word->as.text, &value) &&
           (at_sign(p, ";") ? next(p) : refuse_expected(p, TMAP_EXPECTED_SEMICOLON));
}

static bool evaluate_program(parser *p, tmap_value *out) {
    *out = (tmap_value){.kind = TMAP_VALUE_NONE};
    if (!next(p)) return false;
    for (;;) {
        while (tmap_triton_is_definition(&p->lexer))
            if (!tmap_triton_define(p->eval, &p->lexer, out)) return false;
        if (p->lexer.token.kind == TMAP_TOKEN_END && out->kind == TMAP_VALUE_ENCODING) return true;
        if (!parse_compare(p, out)) return false;
        if (!at_sign(p, "=") || out->kind != TMAP_VALUE_WORD) break;
        if (!assign(p, out)) return false;
    }
    if (at_sign(p, ";") && !next(p)) return false;
    if (p->lexer.token.kind != TMAP_TOKEN_END) return refuse_expected(p, TMAP_EXPECTED_END);
    return true;
}
