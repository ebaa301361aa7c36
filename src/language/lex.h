/* language: words, numbers and signs of the expression language. */
#ifndef TMAP_LANGUAGE_LEX_H
#define TMAP_LANGUAGE_LEX_H

#include "language/eval.h"

typedef enum tmap_token_kind {
    TMAP_TOKEN_END,
    TMAP_TOKEN_INT,
    TMAP_TOKEN_WORD, /* letters, digits and _; 128B is one too */
    TMAP_TOKEN_TEXT, /* in quotes, which do not count */
    TMAP_TOKEN_SIGN, /* one or two characters */
} tmap_token_kind;

typedef struct tmap_token {
    tmap_token_kind kind;
    size_t at, length; /* with quotes */
    int64_t integer;
} tmap_token;

typedef struct tmap_lexer {
    const char *text;
    size_t size, at;
    tmap_token token;                /* the one to look at */
    tmap_variable *const *variables; /* those of aliases begin with '#'; NULL: none */
} tmap_lexer;

/* "#ttg.…", or an alias of MLIR that is defined there or was before: not a comment. */
bool tmap_lex_at_alias(const tmap_lexer *lexer);
/* Goes to the next token; false after a refusal was noted. */
bool tmap_lex_next(tmap_lexer *lexer, tmap_diag *error);
/* Whether the token is this sign or word. */
bool tmap_lex_is(const tmap_lexer *lexer, const char *sign);
/* Notes that the token stands where something else is expected. */
void tmap_lex_refuse(const tmap_lexer *lexer, const char *wanted, tmap_diag *error);

#endif
