/* language: words, numbers and signs of the expression language. */
#include "language/lex.h"

#include <string.h>

bool tmap_lex_at_alias(const tmap_lexer *lexer) {
    static const char *const dialects[] = {"#ttg", "#ttng", "#triton_gpu"};
    tmap_cursor c = lexer->c;
    if (tmap_cursor_next(&c) != '#') return false;
    c.at++;
    c.at += tmap_cursor_word(&c);
    const char *name = lexer->c.text + lexer->c.at;
    size_t length = c.at - lexer->c.at;
    for (int i = 0; tmap_cursor_next(&c) == '.' && i < 3; i++)
        if (text_is(name, length, dialects[i])) return true;
    if (lexer->variables && tmap_variable_find(*lexer->variables, name, length)) return true;
    tmap_cursor_skip_blanks(&c);
    if (length == 1 || tmap_cursor_next(&c) != '=') return false;
    c.at++;
    tmap_cursor_skip_blanks(&c);
    return tmap_cursor_next(&c) == '#';
}

/* Also skips comments. */
static void skip_space(tmap_lexer *lexer) {
    tmap_cursor *c = &lexer->c;
    for (;;) {
        tmap_cursor_skip_space(c);
        if (tmap_cursor_next(c) != '#' || tmap_lex_at_alias(lexer)) return;
        while (c->at < c->size && c->text[c->at] != '\n') c->at++;
    }
}

/* A sequence of digits and letters that starts with a digit is a number if it can be read as one; 128B is a word. */
static bool lex_number(tmap_lexer *lexer, tmap_diag *error) {
    tmap_token *token = &lexer->token;
    tmap_cursor *c = &lexer->c;
    c->at += tmap_cursor_word(c);
    while (tmap_cursor_next(c) == '^' && is_digit(tmap_cursor_ahead(c, 1))) {
        c->at++;
        c->at += tmap_cursor_word(c);
    }
    token->length = c->at - token->at;
    tmap_number_result result = tmap_number_parse_signed(c->text + token->at, token->length, &token->integer);
    token->kind = result == TMAP_NUMBER_NONE ? TMAP_TOKEN_WORD : TMAP_TOKEN_INT;
    return token->kind == TMAP_TOKEN_WORD || result == TMAP_NUMBER_OK ||
           tmap_refuse_number(error, token->at, token->length, result);
}

static bool lex_text(tmap_lexer *lexer, tmap_diag *error) {
    tmap_token *token = &lexer->token;
    const char *begin = lexer->c.text + token->at, *end = lexer->c.text + lexer->c.size;
    const char *close = memchr(begin + 1, *begin, (size_t)(end - begin) - 1);
    token->kind = TMAP_TOKEN_TEXT;
    token->length = (size_t)((close ? close + 1 : end) - begin);
    lexer->c.at += token->length;
    return close || tmap_refuse_at(error, token->at, token->length, "close the quote with the same character",
                                   "the quote is not closed");
}

bool tmap_lex_next(tmap_lexer *lexer, tmap_diag *error) {
    static const char signs[] = "()[]{}<>,:;+-*/%@.=!#";
    skip_space(lexer);
    lexer->token = (tmap_token){.at = lexer->c.at};
    if (lexer->c.at == lexer->c.size) return true;
    char c = lexer->c.text[lexer->c.at];
    if (is_digit(c)) return lex_number(lexer, error);
    if (c == '"' || c == '\'') return lex_text(lexer, error);
    tmap_token *token = &lexer->token;
    token->length = 1;
    if (is_word(c)) {
        token->kind = TMAP_TOKEN_WORD;
        token->length = tmap_cursor_word(&lexer->c);
    } else if (c != '\0' && strchr(signs, c)) {
        token->kind = TMAP_TOKEN_SIGN;
        if ((c == '=' || c == '!') && tmap_cursor_ahead(&lexer->c, 1) == '=') token->length = 2;
    } else {
        return tmap_refuse_at(error, token->at, token->length,
                              "remove it: a power is a number, 2^40, and names have letters, digits and _",
                              "a character that is not part of an expression");
    }
    lexer->c.at += token->length;
    return true;
}

bool tmap_lex_is(const tmap_lexer *lexer, const char *sign) {
    const tmap_token *token = &lexer->token;
    if (token->kind != TMAP_TOKEN_SIGN && token->kind != TMAP_TOKEN_WORD) return false;
    const char *text = lexer->c.text + token->at;
    return *text == *sign && text_is(text, token->length, sign);
}

static void fix_token(const tmap_lexer *lexer, tmap_expected expected, const char *words, tmap_diag *error) {
    const tmap_token *token = &lexer->token;
    char c = ' ';
    if (token->kind == TMAP_TOKEN_SIGN && token->length == 1) c = lexer->c.text[token->at];
    bool closing = strchr(")]}", c) != NULL;
    if (expected == TMAP_EXPECTED_VALUE)
        tmap_say_fix(error, "a layout S[extents:strides], a number, a list, a name or a call of a function");
    else if (closing && expected != TMAP_EXPECTED_WORDS)
        tmap_say_fix(error, "remove it, or open this bracket before it");
    else if (expected == TMAP_EXPECTED_END)
        tmap_say_fix(error, "remove it, or put an operator before it: + - * / %% o == @");
    else if (expected == TMAP_EXPECTED_SEMICOLON && token->kind == TMAP_TOKEN_END)
        tmap_say_fix(error, "put ';' and an expression here");
    else if (c == '=')
        tmap_say_fix(error, "NAME = …; in front of the whole expression, or == to compare");
    else
        tmap_say_fix(error, closing || c == '.' || c == '@' ? "put %s here, or remove it" : "put %s here", words);
}

bool tmap_lex_refuse(const tmap_lexer *lexer, tmap_expected expected, const char *words, tmap_diag *error) {
    static const char *const own[] = {NULL, "a value", "an operator or the end", "';'"};
    const tmap_token *token = &lexer->token;
    int length = token->length < 24 ? (int)token->length : 24;
    if (!words) words = own[expected];
    if (token->kind == TMAP_TOKEN_END)
        tmap_refuse_operand(error, -1, "expected %s, found the end of the expression", words);
    else
        tmap_refuse_operand(error, -1, "expected %s, found '%.*s'", words, length, lexer->c.text + token->at);
    fix_token(lexer, expected, words, error);
    return tmap_refuse_place(error, token->at, token->length ? token->length : 1);
}
