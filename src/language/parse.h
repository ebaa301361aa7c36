/* language: reading an expression. */
#pragma once

#include "language/eval.h"

#define TMAP_TEXT_MAX ((size_t)1 << 20)

/* The value of a text, which has no variables but its own; false after the refusal was noted. */
bool tmap_parse_text(tmap_eval *eval, const char *text, size_t size, tmap_value *out);
