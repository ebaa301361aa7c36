/* layout: what the rows of layout_kinds.def name. */
#ifndef TMAP_LAYOUT_KINDS_H
#define TMAP_LAYOUT_KINDS_H

#include "layout/eval.h"
#include "layout/register_kinds.h"

void tmap_swizzle_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_swizzle_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_swizzle_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_layout_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_layout_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_layout_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

#endif
