/* The record of a refusal, as text and as JSON. */
#pragma once

#include "output/result.h"

/* Writes members of the open JSON object. The record's place is in `expression`: its name is the start of the text, and
 * its text may be NULL. */
void refusal_write(result_sink *out, const tmap_diag *refusal, const tmap_source *expression);
/* Writes a refusal of an expression as the whole result. */
void expression_refuse(const tmap_source *expression, const tmap_diag *refusal, bool as_json);
