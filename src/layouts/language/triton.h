/* language: the printed layouts of Triton in an expression. */
#pragma once

#include "language/eval.h"
#include "language/lex.h"

/* Whether the token starts an encoding, a type with an encoding, or the bases of a LinearLayout. */
bool tmap_triton_begins(const tmap_lexer *lexer);
/* Reads the layout and advances to the token after it. Returns false after noting the refusal. */
bool tmap_triton_take(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out);
/* Whether the text continues with #NAME = ENCODING, which defines a variable. */
bool tmap_triton_is_definition(const tmap_lexer *lexer);
bool tmap_triton_define(tmap_eval *eval, tmap_lexer *lexer, tmap_value *out);
