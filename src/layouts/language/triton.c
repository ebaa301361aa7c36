/* language: the printed layouts of Triton in an expression. */
#include "language/triton.h"

#include <string.h>

#include "diag/refuse.h"
#include "triton/encoding.h"

static const tmap_encoding *find_alias(const void *context, const char *name, size_t size) {
    const tmap_eval *eval = context;
    for (const tmap_variable *v = eval->variables; v; v = v->older)
        if (strlen(v->name) == size && memcmp(v->name, name, size) == 0)
            return v->value.kind == TMAP_VALUE_ENCODING ? v->value.as.data : NULL;
    return NULL;
}

/* Returns the attribute of an alias that is not a layout; the value of such an alias is a word. */
static const char *other_attribute(const tmap_eval *eval, const char *name, size_t size) {
    for (const tmap_variable *v = eval->variables; v; v = v->older)
        if (v->name[0] == '#' && strlen(v->name) == size && memcmp(v->name, name, size) == 0)
            return v->value.kind == TMAP_VALUE_WORD ? v->value.as.text : NULL;
    return NULL;
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

/* The end of "loc(...)", which MLIR prints after a type; `at` if another text follows. */
static size_t skip_location(const tmap_lexer *lexer, size_t at) {
    size_t begin = at;
    while (begin < lexer->size && lexer->text[begin] == ' ') begin++;
    if (lexer->size - begin < 4 || memcmp(lexer->text + begin, "loc(", 4) != 0) return at;
    int open = 0;
    for (size_t i = begin + 3; i < lexer->size && lexer->text[i] != '\n'; i++) {
        open += lexer->text[i] == '(' ? 1 : lexer->text[i] == ')' ? -1 : 0;
        if (open == 0) return i + 1;
    }
    return at;
}

static bool is_linear(const tmap_lexer *lexer) {
    const tmap_token *token = &lexer->token;
    static const char begins[] = "tm!-";
    return token->length > 0 && strchr(begins, lexer->text[token->at]) &&
           tmap_linear_is_text(lexer->text + token->at, lexer->size - token->at);
}

bool tmap_triton_begins(const tmap_lexer *lexer) {
    return tmap_lex_is(lexer, "#") || is_linear(lexer);
}

bool tmap_triton_take(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out) {
    size_t begin = lexer->token.at, used = 0;
    const char *text = lexer->text + begin;
    bool linear = is_linear(lexer);
    tmap_encoding_aliases aliases = {find_alias, eval};
    void *made = tmap_eval_take(eval, 1, linear ? sizeof(tmap_linear) : sizeof(tmap_encoding));
    if (!made) return false;
    tmap_status status = linear ? tmap_linear_read(text, lexer->size - begin, &aliases, made, &used, eval->error)
                                : tmap_encoding_read(text, lexer->size - begin, &aliases, made, &used, eval->error);
    if (status != TMAP_OK) {
        explain_attribute(eval, text, lexer->size - begin);
        eval->error->at += begin;
        return false;
    }
    *out = (tmap_value){.kind = linear ? TMAP_VALUE_LINEAR : TMAP_VALUE_ENCODING, .as.data = made};
    out->at = begin, out->length = used;
    lexer->at = skip_location(lexer, begin + used);
    return tmap_lex_next(lexer, eval->error);
}

/* The length of the name, with '#', if '=' follows the name; else 0. */
static size_t defined_name(const tmap_lexer *lexer) {
    const char *text = lexer->text + lexer->token.at;
    size_t size = lexer->size - lexer->token.at, n = 1;
    if (!tmap_lex_is(lexer, "#")) return 0;
    while (n < size && text[n] != '\0' &&
           strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", text[n]))
        n++;
    size_t end = n;
    while (end < size && text[end] == ' ') end++;
    return end < size && text[end] == '=' ? n : 0;
}

bool tmap_triton_is_definition(const tmap_lexer *lexer) {
    return defined_name(lexer) > 1;
}

/* The length of "#DIALECT.NAME" if no encoding has this name; else 0. */
static size_t length_of_attribute(const char *text, size_t size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t dot = 1, end;
    if (size < 2 || text[0] != '#') return 0;
    while (dot < size && text[dot] != '\0' && strchr(letters, text[dot])) dot++;
    if (dot == size || text[dot] != '.') return 0;
    for (end = dot + 1; end < size && text[end] != '\0' && strchr(letters, text[end]);) end++;
    for (int i = 0; tmap_encoding_get(i); i++) {
        const char *name = tmap_encoding_get(i)->name;
        if (strlen(name) == end - dot - 1 && memcmp(name, text + dot + 1, end - dot - 1) == 0) return 0;
    }
    return end;
}

/* Skips the line of an attribute that is not a layout, and keeps its name. Does nothing if no text follows the line. */
static bool skip_attribute(tmap_eval *eval, tmap_lexer *lexer, tmap_variable *variable, bool *skipped) {
    const char *text = lexer->text + lexer->at;
    size_t size = lexer->size - lexer->at, length = length_of_attribute(text, size), line = 0;
    *skipped = false;
    while (line < size && text[line] != '\n') line++;
    size_t next = line;
    while (next < size && text[next] != '\0' && strchr(" \t\r\n", text[next])) next++;
    if (length == 0 || next == size) return true;
    char *name = tmap_eval_take(eval, length + 1, 1);
    if (!name) return false;
    memcpy(name, text, length);
    variable->value = (tmap_value){.kind = TMAP_VALUE_WORD, .as.text = name};
    variable->older = eval->variables;
    eval->variables = variable;
    lexer->at += line;
    *skipped = true;
    return tmap_lex_next(lexer, eval->error);
}

bool tmap_triton_define(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out) {
    size_t begin = lexer->token.at, length = defined_name(lexer);
    tmap_variable *variable = tmap_eval_take(eval, 1, sizeof *variable);
    char *name = variable ? tmap_eval_take(eval, length + 1, 1) : NULL;
    if (!name) return false;
    memcpy(name, lexer->text + begin, length);
    lexer->at = begin + length;
    if (!tmap_lex_next(lexer, eval->error)) return false; /* '=' */
    while (lexer->at < lexer->size && lexer->text[lexer->at] == ' ') lexer->at++;
    bool skipped;
    variable->name = name;
    if (!skip_attribute(eval, lexer, variable, &skipped)) return false;
    if (skipped) return true;
    bool glued = lexer->size - lexer->at > 4 && memcmp(lexer->text + lexer->at, "#ttg", 4) == 0; /* not a comment */
    if (glued)
        lexer->token = (tmap_token){.kind = TMAP_TOKEN_SIGN, .at = lexer->at, .length = 1};
    else if (!tmap_lex_next(lexer, eval->error))
        return false;
    if (!tmap_lex_is(lexer, "#")) {
        tmap_lex_refuse(lexer, "an encoding", eval->error);
        return false;
    }
    if (!tmap_triton_take(eval, lexer, out)) return false;
    *variable = (tmap_variable){.name = name, .value = *out, .older = eval->variables};
    eval->variables = variable;
    return true;
}
