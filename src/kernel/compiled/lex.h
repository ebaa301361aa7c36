/* compiled, reader: the tokens of PTX text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_token_kind {
    PTX_END,
    PTX_WORD,   /* a name, a mnemonic, a directive with its dot: letters, digits, _ $ % . and :: */
    PTX_DIGITS, /* a number; `value` has its bits */
    PTX_STRING, /* with its quotes */
    PTX_SIGN,   /* one other character */
} ptx_token_kind;

typedef struct ptx_token {
    ptx_token_kind kind;
    const char *text;
    size_t size;
    uint64_t value;
    bool is_real, is_decimal; /* of DIGITS: a floating-point number, of which `value` has the bits or not */
    int line, column;
} ptx_token;

/* A position in the text; `token` is the next token. */
typedef struct ptx_lexer {
    const char *at, *end, *line_start;
    int line;
    ptx_token token;
} ptx_lexer;

void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t size);
void ptx_lex_next(ptx_lexer *lexer);

static inline bool ptx_lex_is(const ptx_lexer *lexer, char sign) {
    return lexer->token.kind == PTX_SIGN && lexer->token.text[0] == sign;
}
bool ptx_lex_is_word(const ptx_lexer *lexer, const char *word);
bool ptx_lex_take(ptx_lexer *lexer, char sign); /* skips the sign if it is next */
