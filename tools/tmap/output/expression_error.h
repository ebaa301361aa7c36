/* What is wrong with an expression of layouts, and where in it. */
#ifndef TMAP_TOOL_EXPRESSION_ERROR_H
#define TMAP_TOOL_EXPRESSION_ERROR_H

#include "tmap/unstable/language.h"

/* On stderr, with the line and a mark under the place; `shown` names the text of `size` bytes. */
void expression_error_print(const char *shown, const char *text, size_t size, const tmap_diag *error);
/* As the JSON that stands for the result, on stdout. */
void expression_error_json(const char *text, size_t size, const tmap_diag *error);

#endif
