/* language: the printed layouts of Triton in an expression. */
#include "language/triton.h"

#include <string.h>

#include "tmap/unstable/triton.h"

static const tmap_encoding *find_alias(const void *context, const char *name, size_t size) {
    const tmap_eval *eval = context;
    for (const tmap_variable *v = eval->variables; v; v = v->older)
        if (strlen(v->name) == size && memcmp(v->name, name, size) == 0)
            return v->value.kind == TMAP_VALUE_ENCODING ? v->value.as.data : NULL;
    return NULL;
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
        eval->error->at += begin;
        return false;
    }
    *out = (tmap_value){.kind = linear ? TMAP_VALUE_LINEAR : TMAP_VALUE_ENCODING, .as.data = made};
    out->at = begin, out->length = used;
    lexer->at = begin + used;
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

bool tmap_triton_define(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out) {
    size_t begin = lexer->token.at, length = defined_name(lexer);
    tmap_variable *variable = tmap_eval_take(eval, 1, sizeof *variable);
    char *name = variable ? tmap_eval_take(eval, length + 1, 1) : NULL;
    if (!name) return false;
    memcpy(name, lexer->text + begin, length);
    lexer->at = begin + length;
    if (!tmap_lex_next(lexer, eval->error)) return false; /* '=' */
    while (lexer->at < lexer->size && lexer->text[lexer->at] == ' ') lexer->at++;
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
