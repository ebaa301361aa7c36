/* language: words, numbers and signs of the expression language. */
#pragma once

#include "language/eval.h"
#include "text/cursor.h"

typedef enum tmap_token_kind {
    TMAP_TOKEN_END,
    TMAP_TOKEN_INT,
    TMAP_TOKEN_WORD, /* letters, digits and _; 128B is also a word */
    TMAP_TOKEN_TEXT, /* in quotes, which are not part of the text */
    TMAP_TOKEN_SIGN, /* one or two characters */
} tmap_token_kind;

typedef struct tmap_token {
    tmap_token_kind kind;
    size_t at, length; /* with quotes */
    int64_t integer;
} tmap_token;

typedef struct tmap_lexer {
    tmap_cursor c;
    tmap_token token;                /* the current token */
    tmap_variable *const *variables; /* names of aliases start with '#'; NULL: none */
} tmap_lexer;

/* Whether an attribute "#ttg...." or an alias of MLIR starts here. The alias is defined here or earlier; any other '#'
 * starts a comment. */
bool tmap_lex_at_alias(const tmap_lexer *lexer);
/* Advances to the next token. Returns false after noting a refusal. */
bool tmap_lex_next(tmap_lexer *lexer, tmap_diag *error);
/* Whether the token is this sign or word. */
bool tmap_lex_is(const tmap_lexer *lexer, const char *sign);
/* What a refusal expected in place of a token. Each has its own fix; the fix of TMAP_EXPECTED_WORDS is to put the words
 * there. */
typedef enum tmap_expected {
    TMAP_EXPECTED_WORDS,
    TMAP_EXPECTED_VALUE,
    TMAP_EXPECTED_END,
    TMAP_EXPECTED_SEMICOLON
} tmap_expected;
/* Notes that `words` (NULL: those of `expected`) are expected instead of the token. Returns false. */
bool tmap_lex_refuse(const tmap_lexer *lexer, tmap_expected expected, const char *words, tmap_diag *error);
