/* language: reads an expression. */
#pragma once

#include "language/eval.h"

#define TMAP_TEXT_MAX ((size_t)1 << 20)

/* The value of a text that has only its own variables. Returns false after noting the refusal. */
bool tmap_parse_text(tmap_eval *eval, const char *text, size_t size, tmap_value *out);
