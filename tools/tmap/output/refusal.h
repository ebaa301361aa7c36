/* The record of a refusal in both forms of a result. */
#pragma once

#include "output/result.h"

/* JSON: members of the open object. `expression` is what the text begins with; its text, or NULL, has the place. */
void refusal_write(result_sink *out, const tmap_diag *refusal, const tmap_source *expression);
/* What is wrong with an expression: the whole result. */
void expression_refuse(const tmap_source *expression, const tmap_diag *refusal, bool as_json);
