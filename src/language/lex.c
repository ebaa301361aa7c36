/* language: words, numbers and signs of the expression language. */
#include "language/lex.h"

#include <string.h>

#include "text/number.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char at(const tmap_lexer *lexer, size_t i) {
    if (i < lexer->size) return lexer->text[i];
    return '\0';
}

bool tmap_lex_at_alias(const tmap_lexer *lexer) {
    size_t begin = lexer->at, end = begin + 1;
    if (at(lexer, begin) != '#') return false;
    while (is_word(at(lexer, end))) end++;
    size_t length = end - begin;
    bool dialect = at(lexer, end) == '.';
    static const char *const dialects[] = {"#ttg", "#ttng", "#triton_gpu"};
    for (int i = 0; i < 3; i++)
        if (dialect && strlen(dialects[i]) == length && memcmp(lexer->text + begin, dialects[i], length) == 0)
            return true;
    for (const tmap_variable *v = lexer->variables ? *lexer->variables : NULL; v; v = v->older)
        if (strlen(v->name) == length && memcmp(v->name, lexer->text + begin, length) == 0) return true;
    while (at(lexer, end) == ' ' && end < lexer->size) end++;
    if (length == 1 || at(lexer, end) != '=') return false;
    for (end++; at(lexer, end) == ' ' && end < lexer->size;) end++;
    return at(lexer, end) == '#';
}

static void skip_space(tmap_lexer *lexer) {
    for (;;) {
        char c = at(lexer, lexer->at);
        if (lexer->at < lexer->size && c == '#' && tmap_lex_at_alias(lexer)) return;
        if (lexer->at < lexer->size && c == '#')
            while (lexer->at < lexer->size && lexer->text[lexer->at] != '\n') lexer->at++;
        else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            lexer->at++;
        else
            return;
    }
}

static bool refuse(tmap_diag *error, const tmap_token *token, const char *message, const char *fix) {
    tmap_refuse_operand(error, -1, "%s", message);
    tmap_say_fix(error, "%s", fix);
    error->at = token->at, error->length = token->length;
    return false;
}

/* A sequence of digits and letters that starts with a digit is a number if it can be read as one; 128B is a word. */
static bool lex_number(tmap_lexer *lexer, tmap_diag *error) {
    tmap_token *token = &lexer->token;
    size_t end = token->at;
    while (is_word(at(lexer, end)) || (at(lexer, end) == '^' && is_digit(at(lexer, end + 1)))) end++;
    token->length = end - token->at;
    lexer->at = end;
    tmap_integer number;
    switch (tmap_number_parse(lexer->text + token->at, token->length, &number)) {
    case TMAP_NUMBER_OK: break;
    case TMAP_NUMBER_LEADING_ZERO: return refuse(error, token, "a number with a leading zero", "remove the zero");
    case TMAP_NUMBER_TOO_LARGE:
        return refuse(error, token, "a number above 2^63 - 1", "the largest number is 2^63 - 1");
    case TMAP_NUMBER_NONE:
    default: token->kind = TMAP_TOKEN_WORD; return true;
    }
    if (number.magnitude > INT64_MAX)
        return refuse(error, token, "a number above 2^63 - 1", "the largest number is 2^63 - 1");
    token->kind = TMAP_TOKEN_INT;
    token->integer = (int64_t)number.magnitude;
    return true;
}

static bool lex_text(tmap_lexer *lexer, tmap_diag *error) {
    tmap_token *token = &lexer->token;
    const char *begin = lexer->text + token->at, *end = lexer->text + lexer->size;
    const char *close = memchr(begin + 1, *begin, (size_t)(end - begin) - 1);
    token->kind = TMAP_TOKEN_TEXT;
    token->length = (size_t)((close ? close + 1 : end) - begin);
    lexer->at += token->length;
    return close || refuse(error, token, "the quote is not closed", "close the quote with the same character");
}

bool tmap_lex_next(tmap_lexer *lexer, tmap_diag *error) {
    static const char signs[] = "()[]{}<>,:;+-*/%@.=!#";
    skip_space(lexer);
    lexer->token = (tmap_token){.at = lexer->at};
    if (lexer->at == lexer->size) return true;
    char c = lexer->text[lexer->at];
    if (is_digit(c)) return lex_number(lexer, error);
    if (c == '"' || c == '\'') return lex_text(lexer, error);
    tmap_token *token = &lexer->token;
    token->length = 1;
    if (is_word(c)) {
        token->kind = TMAP_TOKEN_WORD;
        while (is_word(at(lexer, token->at + token->length))) token->length++;
    } else if (c != '\0' && strchr(signs, c)) {
        token->kind = TMAP_TOKEN_SIGN;
        if ((c == '=' || c == '!') && at(lexer, token->at + 1) == '=') token->length = 2;
    } else {
        return refuse(error, token, "a character that is not part of an expression",
                      "remove it: a power is a number, 2^40, and names have letters, digits and _");
    }
    lexer->at += token->length;
    return true;
}

bool tmap_lex_is(const tmap_lexer *lexer, const char *sign) {
    const tmap_token *token = &lexer->token;
    return (token->kind == TMAP_TOKEN_SIGN || token->kind == TMAP_TOKEN_WORD) && strlen(sign) == token->length &&
           memcmp(lexer->text + token->at, sign, token->length) == 0;
}

static void fix_token(const tmap_lexer *lexer, const char *wanted, tmap_diag *error) {
    const tmap_token *token = &lexer->token;
    char c = ' ';
    if (token->kind == TMAP_TOKEN_SIGN && token->length == 1) c = lexer->text[token->at];
    bool closing = strchr(")]}", c) != NULL, end = strcmp(wanted, "an operator or the end") == 0;
    bool semicolon = strcmp(wanted, "';'") == 0;
    if (strcmp(wanted, "a value") == 0)
        tmap_say_fix(error, "a layout S[extents:strides], a number, a list, a name or a call of a function");
    else if (closing && (end || semicolon))
        tmap_say_fix(error, "remove it, or open this bracket before it");
    else if (end)
        tmap_say_fix(error, "remove it, or put an operator before it: + - * / %% o == @");
    else if (semicolon && token->kind == TMAP_TOKEN_END)
        tmap_say_fix(error, "put ';' and an expression here");
    else if (c == '=')
        tmap_say_fix(error, "NAME = …; in front of the whole expression, or == to compare");
    else
        tmap_say_fix(error, closing || c == '.' || c == '@' ? "put %s here, or remove it" : "put %s here", wanted);
}

void tmap_lex_refuse(const tmap_lexer *lexer, const char *wanted, tmap_diag *error) {
    const tmap_token *token = &lexer->token;
    int length = token->length < 24 ? (int)token->length : 24;
    if (token->kind == TMAP_TOKEN_END)
        tmap_refuse_operand(error, -1, "expected %s, found the end of the expression", wanted);
    else
        tmap_refuse_operand(error, -1, "expected %s, found '%.*s'", wanted, length, lexer->text + token->at);
    fix_token(lexer, wanted, error);
    error->at = token->at;
    error->length = token->length ? token->length : 1;
}
