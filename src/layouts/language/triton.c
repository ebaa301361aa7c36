/* language: the printed layouts of Triton in an expression. */
#include "language/triton.h"

#include <string.h>

#include "diag/refuse.h"
#include "triton/encoding.h"

static const tmap_encoding *find_alias(const void *context, const char *name, size_t size) {
    const tmap_eval *eval = context;
    const tmap_variable *alias = tmap_variable_find(eval->variables, name, size);
    return alias && alias->value.kind == TMAP_VALUE_ENCODING ? alias->value.as.data : NULL;
}

/* Returns the attribute of an alias that is not a layout; the value of such an alias is a word. */
static const char *other_attribute(const tmap_eval *eval, const char *name, size_t size) {
    const tmap_variable *alias = size > 0 && *name == '#' ? tmap_variable_find(eval->variables, name, size) : NULL;
    return alias && alias->value.kind == TMAP_VALUE_WORD ? alias->value.as.text : NULL;
}

/* Explains an error at the use of such an alias. */
static void explain_attribute(const tmap_eval *eval, const char *text, size_t size) {
    tmap_diag *error = eval->error;
    if (error->at > size || error->length > size - error->at) return;
    const char *attribute = other_attribute(eval, text + error->at, error->length);
    if (!attribute) return;
    TMAP_SAY(error->message, "%.*s is %.60s, which is not a layout that tmap has", (int)error->length, text + error->at,
             attribute);
    tmap_say_fix(error, "an alias of blocked, nvidia_mma, dot_op, slice, linear, swizzled_shared, nvmma_shared, "
                        "padded_shared or shared_linear");
}

/* Skips "loc(...)", which MLIR prints after a type. */
static void skip_location(tmap_cursor *c) {
    tmap_cursor ahead = *c;
    if (!tmap_cursor_take(&ahead, "loc(")) return;
    for (int open = 1; open > 0; ahead.at++) {
        char next = tmap_cursor_next(&ahead);
        if (ahead.at == ahead.size || next == '\n') return;
        open += (next == '(') - (next == ')');
    }
    *c = ahead;
}

static bool is_linear(const tmap_lexer *lexer) {
    const tmap_token *token = &lexer->token;
    static const char begins[] = "tm!-";
    return token->length > 0 && strchr(begins, lexer->c.text[token->at]) &&
           tmap_linear_is_text(lexer->c.text + token->at, lexer->c.size - token->at);
}

bool tmap_triton_begins(const tmap_lexer *lexer) {
    return tmap_lex_is(lexer, "#") || is_linear(lexer);
}

bool tmap_triton_take(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out) {
    size_t begin = lexer->token.at, used = 0;
    const char *text = lexer->c.text + begin;
    bool linear = is_linear(lexer);
    tmap_encoding_aliases aliases = {find_alias, eval};
    void *made = tmap_eval_take(eval, 1, linear ? sizeof(tmap_linear) : sizeof(tmap_encoding));
    if (!made) return false;
    tmap_status status = linear ? tmap_linear_read(text, lexer->c.size - begin, &aliases, made, &used, eval->error)
                                : tmap_encoding_read(text, lexer->c.size - begin, &aliases, made, &used, eval->error);
    if (status != TMAP_OK) {
        explain_attribute(eval, text, lexer->c.size - begin);
        eval->error->at += begin;
        return false;
    }
    *out = (tmap_value){.kind = linear ? TMAP_VALUE_LINEAR : TMAP_VALUE_ENCODING, .as.data = made};
    out->at = begin, out->length = used;
    lexer->c.at = begin + used;
    skip_location(&lexer->c);
    return tmap_lex_next(lexer, eval->error);
}

/* The length of the name, with '#', if '=' follows the name; else 0. */
static size_t defined_name(const tmap_lexer *lexer) {
    tmap_cursor c = lexer->c;
    c.at = lexer->token.at + 1;
    if (!tmap_lex_is(lexer, "#")) return 0;
    size_t length = 1 + tmap_cursor_word(&c);
    c.at += length - 1;
    return tmap_cursor_take(&c, "=") ? length : 0;
}

bool tmap_triton_is_definition(const tmap_lexer *lexer) {
    return defined_name(lexer) > 1;
}

/* The length of "#DIALECT.NAME" if no encoding has this name; else 0. */
static size_t length_of_attribute(tmap_cursor c) {
    size_t begin = c.at++;
    if (c.text[begin] != '#') return 0;
    c.at += tmap_cursor_word(&c);
    if (tmap_cursor_next(&c) != '.') return 0;
    c.at++;
    size_t size = tmap_cursor_word(&c);
    for (int i = 0; tmap_encoding_get(i); i++)
        if (text_is(c.text + c.at, size, tmap_encoding_get(i)->name)) return 0;
    return c.at + size - begin;
}

/* Skips the line of an attribute that is not a layout, the value of alias `alias`, and keeps its name. Does nothing if
 * no text follows the line. */
static bool skip_attribute(tmap_eval *eval, tmap_lexer *lexer, const char *alias, bool *skipped) {
    tmap_cursor next = lexer->c;
    size_t length = next.at < next.size ? length_of_attribute(next) : 0;
    *skipped = false;
    while (next.at < next.size && next.text[next.at] != '\n') next.at++;
    tmap_cursor_skip_space(&next);
    if (length == 0 || next.at == next.size) return true;
    const tmap_value word = {.kind = TMAP_VALUE_WORD,
                             .as.text = tmap_eval_copy(eval, lexer->c.text + lexer->c.at, length)};
    lexer->c = next;
    *skipped = true;
    return word.as.text && tmap_eval_define(eval, alias, &word) && tmap_lex_next(lexer, eval->error);
}

bool tmap_triton_define(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out) {
    size_t begin = lexer->token.at, length = defined_name(lexer);
    const char *name = tmap_eval_copy(eval, lexer->c.text + begin, length);
    if (!name) return false;
    lexer->c.at = begin + length;
    if (!tmap_lex_next(lexer, eval->error)) return false; /* '=' */
    tmap_cursor_skip_blanks(&lexer->c);
    bool skipped;
    if (!skip_attribute(eval, lexer, name, &skipped)) return false;
    if (skipped) return true;
    bool glued = tmap_cursor_begins(&lexer->c, "#ttg"); /* not a comment */
    if (glued)
        lexer->token = (tmap_token){.kind = TMAP_TOKEN_SIGN, .at = lexer->c.at, .length = 1};
    else if (!tmap_lex_next(lexer, eval->error))
        return false;
    if (!tmap_lex_is(lexer, "#")) return tmap_lex_refuse(lexer, TMAP_EXPECTED_WORDS, "an encoding", eval->error);
    return tmap_triton_take(eval, lexer, out) && tmap_eval_define(eval, name, out);
}
