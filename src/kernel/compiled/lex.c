/* compiled, reader: tokens (PTX ISA 9.1, chapter 4, Syntax). */
#include "compiled/lex.h"

#include <ctype.h>
#include <string.h>

#include "text/words.h"

static bool is_in_word(char c) {
    return is_word(c) || c == '$' || c == '%' || c == '.';
}

static void skip_comment(ptx_lexer *lexer) {
    bool line = lexer->at[1] == '/';
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '\n' && line) return;
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->line_start = lexer->at + 1;
        }
        if (line || *lexer->at != '*' || lexer->at + 1 == lexer->end || lexer->at[1] != '/') continue;
        lexer->at += 2;
        return;
    }
}

static void skip_spaces(ptx_lexer *lexer) {
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '/' && lexer->at + 1 < lexer->end && (lexer->at[1] == '/' || lexer->at[1] == '*')) {
            skip_comment(lexer);
            continue;
        }
        if (!is_space(c)) return;
        lexer->at++;
        if (c != '\n') continue;
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

/*
 * 0x1F, 0b101, 017 and 31, with U at their end; larger numbers keep their low 64 bits, as ptxas does. 0f and 8
 * hexadecimal digits, 0d and 16: the bits of a number. A decimal number, 1.5 or 1e5, keeps the value 0.
 */
static void read_number(ptx_token *token) {
    const char *text = token->text;
    char mark = token->size > 2 && text[0] == '0' ? (char)tolower((unsigned char)text[1]) : '0';
    token->is_real = (mark == 'f' || mark == 'd') && token->size >= 10;
    unsigned base = mark == 'x' || token->is_real ? 16 : mark == 'b' ? 2 : text[0] == '0' ? 8 : 10;
    for (size_t i = 0; base < 16 && i < token->size; i++) token->is_decimal |= strchr(".eE", text[i]) != NULL;
    for (size_t i = base == 16 || base == 2 ? 2 : 0; !token->is_decimal && i < token->size && digit_of(text[i]) < base;
         i++)
        token->value = token->value * base + digit_of(text[i]);
}

static size_t string_size(const char *at, const char *end) {
    const char *from = at;
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < end && at[1] != '\n') at++;
    return (size_t)(at - from) + (at < end && *at == '"');
}

static size_t word_size(const char *at, const char *end) {
    const char *from = at;
    for (; at < end; at++) {
        if (is_in_word(*at)) continue;
        bool ratio = at - from >= 3 && memcmp(at - 3, "::", 2) == 0 && end - at >= 2 && is_digit(at[1]); /* ::2:4 */
        if (*at != ':' || !(ratio || (end - at >= 3 && at[1] == ':' && is_in_word(at[2])))) break;
        at++;
    }
    return (size_t)(at - from);
}

void ptx_lex_next(ptx_lexer *lexer) {
    skip_spaces(lexer);
    ptx_token *token = &lexer->token;
    *token = (ptx_token){.text = lexer->at,
                         .size = lexer->at < lexer->end,
                         .line = lexer->line,
                         .column = (int)(lexer->at - lexer->line_start) + 1};
    if (lexer->at == lexer->end) return;
    char c = *lexer->at;
    token->kind = is_digit(c) ? PTX_DIGITS : is_in_word(c) ? PTX_WORD : c == '"' ? PTX_STRING : PTX_SIGN;
    if (token->kind == PTX_DIGITS || token->kind == PTX_WORD) token->size = word_size(lexer->at, lexer->end);
    if (token->kind == PTX_STRING) token->size = string_size(lexer->at, lexer->end);
    if (token->kind == PTX_DIGITS) read_number(token);
    lexer->at += token->size;
}

void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t size) {
    *lexer = (ptx_lexer){.at = text, .end = text + size, .line_start = text, .line = 1};
    ptx_lex_next(lexer);
}

bool ptx_lex_is_word(const ptx_lexer *lexer, const char *word) {
    const ptx_token *token = &lexer->token;
    return token->kind == PTX_WORD && text_is(token->text, token->size, word);
}

bool ptx_lex_take(ptx_lexer *lexer, char sign) {
    if (!ptx_lex_is(lexer, sign)) return false;
    ptx_lex_next(lexer);
    return true;
}
