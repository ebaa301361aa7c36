/* language: what Triton prints, where an expression has it. */
#ifndef TMAP_LANGUAGE_TRITON_H
#define TMAP_LANGUAGE_TRITON_H

#include "language/eval.h"
#include "language/lex.h"

/* Whether the token begins an encoding, a type with one, or the bases of a LinearLayout. */
bool tmap_triton_begins(const tmap_lexer *lexer);
/* Takes it, and goes to the token after it; false after the refusal was noted. */
bool tmap_triton_take(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out);
/* #NAME = ENCODING, which is then a variable. */
bool tmap_triton_is_definition(const tmap_lexer *lexer);
bool tmap_triton_define(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out);

#endif
