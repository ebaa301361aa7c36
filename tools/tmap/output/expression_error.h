/* What is wrong with an expression of layouts, and where in it. */
#ifndef TMAP_TOOL_EXPRESSION_ERROR_H
#define TMAP_TOOL_EXPRESSION_ERROR_H

#include "tmap/unstable/language.h"

/* As text on stderr, with the line and a mark under the place; `shown` names the text of `size` bytes. Or as the JSON
 * that is the result, on stdout. */
void expression_error_write(const char *shown, const char *text, size_t size, const tmap_layout_error *error,
                            bool as_json);

#endif
